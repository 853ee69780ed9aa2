"""Screenshots of the page's states by Chromium, to be looked at: `python -m tests.page.shots [FOLDER]`.

The states come from the double of the server that the page's tests drive, so that they are the same on any machine.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from tests.page.conftest import CHROMIUM, FLAGS
from tests.page.player import Player, recording

_BOX: Final = "textarea[name=question]"
_WIDE: Final = {"viewport": {"width": 1280, "height": 860}}
_PHONE: Final = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True}
_OLDER: Final = recording("planned")["question"]


def _ask(page: Page, question: str, status: str) -> None:
    page.fill(_BOX, question)
    page.press(_BOX, "Enter")
    page.wait_for_selector(f".shell[data-status={status}]")


def _empty(page: Page, player: Player) -> None:
    player.info |= {"titles": ["Field notes 2025", "Onboarding guide", "Price list"], "documents": True}
    page.reload()
    page.wait_for_selector(".examples button")


def _running(page: Page, player: Player) -> None:
    player.held = 11
    _ask(page, _OLDER, "running")
    page.wait_for_selector("[data-task=task_3][data-state=running]")


def _wide(page: Page, player: Player) -> None:
    (events,) = json.loads(json.dumps(recording("planned")["runs"]))
    plan = next(one["data"]["plan"] for one in events if (one.get("data") or {}).get("type") == "planned")
    first = plan["vertices"][0]
    for n in range(4, 11):
        plan["vertices"].append({**first, "id": f"task_{n}", "description": f"Step {n} of a longer plan"})
        plan["edges"].append([f"task_{n - 3}", f"task_{n}"])
    player.runs["wide"] = [events]
    player.held = 5
    _ask(page, "wide", "running")
    page.wait_for_selector("[data-task=task_10]")


def _done(page: Page, _: Player) -> None:
    _ask(page, _OLDER, "complete")
    page.click("[data-action=show-plan]")
    page.click("[data-source='2'] button")
    page.wait_for_selector("[data-passage='2'] mark")


def _extracts(page: Page, player: Player) -> None:
    player.info["models"] = {}
    page.reload()
    _ask(page, recording("extracts")["question"], "extracts")


def _partial(page: Page, player: Player) -> None:
    (events,) = json.loads(json.dumps(recording("planned")["runs"]))
    result = events[-1]["data"]["result"]
    text = "**Emperor Wu** was born in 156 BC [1]. Caesar was born in 101 BC (unverified). He ruled long [1]."
    result |= {
        "status": "partial", "stop_reason": "not_found", "answer": text,
        "gaps": [{"kind": "uncovered", "text": "When was Julius Caesar born?"}],
        "blocks": [{"kind": "paragraph", "text": text, "claims": [0, 1, 2]}],
        "claims": [
            {"text": "**Emperor Wu** was born in 156 BC.", "citations": [1], "verdict": "supported"},
            {"text": "Caesar was born in 101 BC.", "citations": [], "verdict": "unsupported", "reason": "no source says so"},
            {"text": "He ruled long.", "citations": [1], "verdict": "unchecked", "reason": "the model did not answer"},
        ],
    }  # fmt: skip
    for event in events:
        if event.get("event") == "custom" and (event["data"] or {}).get("task_id") == "task_2":
            event["data"] |= {"status": "empty"} if event["data"]["type"] == "task_finished" else {}
    result["outcomes"]["task_2"] |= {"status": "empty", "value": None}
    player.runs["partial"] = [events]
    _ask(page, "partial", "partial")


def _failed(page: Page, _: Player) -> None:
    page.fill(_BOX, "a question that the server refuses")
    page.press(_BOX, "Enter")
    page.wait_for_selector(".card.bad")


def _approval(page: Page, _: Player) -> None:
    page.check("input[name=approve]")
    _ask(page, _OLDER, "waiting")
    page.wait_for_selector("[data-interrupt=approve_plan] .node")


def _editing(page: Page, player: Player) -> None:
    _approval(page, player)
    page.click("[data-action=edit]")
    page.wait_for_selector("[data-edit=task_1] input")


def _settings(page: Page, player: Player) -> None:
    player.setup["values"] = {"WEIWO_MODEL": "openai:qwen3:8b", "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
    player.setup["fixed"] = ["WEIWO_EMBEDDINGS"]
    page.click("a[href='#/settings']")
    page.wait_for_selector("[data-setup-part=model]")


def _settings_below(page: Page, player: Player) -> None:
    _settings(page, player)
    page.locator("[data-setup-part=language]").scroll_into_view_if_needed()


def _follow_up(page: Page, player: Player) -> None:
    _ask(page, _OLDER, "complete")
    player.held = 5
    _ask(page, recording("extracts")["question"], "running")


def _chinese(page: Page, _: Player) -> None:
    page.click("[data-language=zh]")
    _ask(page, recording("chinese")["question"], "complete")


def _changed(page: Page, player: Player) -> None:
    """A plan that was changed after some of it had been searched."""
    events = json.loads(json.dumps(recording("approval")["runs"][0]))
    (asked,) = events[-1]["data"]["__interrupt__"]
    plan = asked["value"]["plan"]
    first, second, *_ = plan["vertices"]
    other = {**first, "id": "task_9", "description": "When was Augustus born?"}
    asked["value"]["plan"] = {**plan, "revision": plan["revision"] + 1, "vertices": [second, other], "edges": []}
    done = {
        "type": "task_finished",
        "task_id": first["id"],
        "status": "succeeded",
        "value": "156 BC",
        "tool": "corpus_search",
    }
    events.insert(-1, {"event": "custom", "data": {**done, "seconds": 0.3, "attempts": 1}})
    player.runs["approve: changed"] = [events]
    page.check("input[name=approve]")
    _ask(page, "changed", "waiting")
    page.wait_for_selector("[data-replan]")


def _plan(page: Page, _: Player) -> None:
    _ask(page, _OLDER, "complete")
    page.click("[data-action=show-plan]")
    page.wait_for_selector("[data-task=task_3]")


def _foot(page: Page, player: Player) -> None:
    _plan(page, player)
    page.locator("[data-action=copy]").scroll_into_view_if_needed()


def _open_settings(page: Page, player: Player) -> None:
    player.setup["values"] = {"WEIWO_MODEL": "openai:qwen3:8b", "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
    page.evaluate("location.hash = '#/settings'")
    page.wait_for_selector("[data-setup-part=model]")


_STATES: Final[dict[str, tuple[Callable[[Page, Player], None], dict[str, Any]]]] = {
    "empty": (_empty, _WIDE),
    "running": (_running, _WIDE),
    "done": (_done, {"viewport": {"width": 1440, "height": 900}}),
    "wide": (_wide, {"viewport": {"width": 1680, "height": 900}}),
    "extracts": (_extracts, _WIDE),
    "partial": (_partial, _WIDE),
    "failed": (_failed, _WIDE),
    "approval": (_approval, _WIDE),
    "editing": (_editing, _WIDE),
    "settings": (_settings, _WIDE),
    "settings-below": (_settings_below, _WIDE),
    "follow-up": (_follow_up, _WIDE),
    "chinese": (_chinese, _WIDE),
    **{
        f"{name}-{width}-{scheme}-{locale[:2]}": (reach, {**size, "color_scheme": scheme, "locale": locale})
        for name, reach in (
            ("empty", _empty),
            ("plan", _plan),
            ("foot", _foot),
            ("extracts", _extracts),
            ("changed", _changed),
            ("settings", _open_settings),
        )
        for width, size in ((1280, _WIDE), (390, _PHONE))
        for scheme in ("light", "dark")
        for locale in ("en-GB", "zh-CN")
    },
}
"""The states, each with what brings it about and the browser that shows it."""


def main(folder: Path) -> None:
    """Write a PNG for each state."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, (reach, options) in _STATES.items():
            with Player() as player:
                context = browser.new_context(reduced_motion="reduce", **options)
                page = context.new_page()
                page.set_default_timeout(20_000)
                page.goto(player.url)
                reach(page, player)
                page.wait_for_timeout(300)
                page.screenshot(path=folder / f"{name}.png")
                print(folder / f"{name}.png")  # noqa: T201 - what was written
                player.drop()
                context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "page-shots"))
