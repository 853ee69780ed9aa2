"""Rendered text is from strangers: nothing of it is alive in the page, with and without a content policy."""

import copy
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.page.player import recording

_AT = Path(__file__).parents[1] / "unit" / "nodes" / "shared" / "prompting" / "test_exfiltration.py"
SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>"


def vectors() -> list[str]:
    spec = importlib.util.spec_from_file_location("vectors_of_exfiltration", _AT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.VECTORS)


def hostile() -> list[dict[str, Any]]:
    """A run whose every text is hostile: answer, titles, file names, plan, values, reasons."""
    events = copy.deepcopy(recording("planned")["runs"][0])
    result = events[-1]["data"]["result"]
    texts = vectors()
    assert len(texts) >= 73
    result["blocks"] = [{"kind": "paragraph", "text": one, "claims": []} for one in texts]
    cells = [" ".join(one.split()).replace("|", "\\|") for one in texts]
    table = "\n".join(["| a |", "| ---: |", *(f"| {one} |" for one in cells)])
    result["blocks"] += [{"kind": "table", "text": table, "claims": []}]
    result["blocks"] += [{"kind": "quote", "text": f"> {SCRIPT}"}, {"kind": "list", "text": f"- {SCRIPT}"}]
    result["blocks"][0]["claims"] = [0]
    result["claims"][0] |= {"text": texts[0], "verdict": "contradicted", "reason": SCRIPT}
    result["gaps"] = [{"kind": "uncovered", "text": SCRIPT}]
    result["stop_reason"], result["status"] = SCRIPT, "partial"
    addresses = ["javascript:alert(1)", "https://user:S3CRET@evil.test/", f"{SCRIPT}.md"]
    for citation, source in zip(result["citations"], addresses, strict=True):
        citation |= {"title": SCRIPT, "source": source, "quote": SCRIPT, "locator": SCRIPT, "also": [source]}
    for passage in result["evidence"]:
        passage |= {"title": SCRIPT, "source": "javascript:alert(1)", "text": " ".join(texts)}
    for vertex in events[3]["data"]["plan"]["vertices"]:
        vertex |= {"description": SCRIPT, "tool_binding": SCRIPT, "thought": SCRIPT}
    for event in (one["data"] for one in events[4:-1] if one["event"] == "custom"):
        for name in ("description", "value", "note", "failure", "tool"):
            if name in event:
                event[name] = SCRIPT
    for event in events:
        if event["event"] == "messages":
            event["data"][0]["content"] = "\n\n".join(texts)
    return events


@pytest.mark.parametrize("csp", [True, False])
def test_nothing_of_strangers_is_alive(new_page, player, csp):
    player.csp = csp
    player.runs["hostile " + SCRIPT] = [hostile()]
    page = new_page()
    asked: list[str] = []
    alerts: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.fill("textarea[name=question]", "hostile " + SCRIPT)
    page.press("textarea[name=question]", "Enter")
    page.wait_for_selector(".shell[data-status=partial]")
    for click in (
        "[data-source='1'] button",
        "[data-source='2'] button",
        "[data-action=show-plan]",
        "[data-task=task_1]",
    ):
        page.click(click)
    page.wait_for_selector("[data-detail=task_1]")
    alive = page.evaluate(
        """() => [...document.querySelectorAll('body *')].flatMap((one) => [
            ...(/^(script|img|iframe|object|embed|base|meta|link|form|style|video|audio|source|x-y)$/i.test(one.tagName)
                && !one.matches('form.ask') ? [one.outerHTML] : []),
            ...[...one.attributes].filter((a) => /^on/i.test(a.name) || a.name === 'srcdoc' || a.name === 'src')
                .map((a) => a.name),
            ...(one.href && !String(one.href.baseVal ?? one.href).startsWith(location.origin) ? [one.outerHTML] : []),
        ])"""
    )
    assert alive == []
    assert alerts == []
    assert [one for one in asked if not one.startswith(player.url)] == []


def test_a_link_to_a_source_says_where_it_leads(page, player):
    events = copy.deepcopy(recording("planned")["runs"][0])
    result = events[-1]["data"]["result"]
    result["citations"][1]["source"] = "https://docs.example.org/a"
    result["blocks"][0]["text"] = "See [the manual](https://docs.example.org/a) and [this](https://evil.test/a)."
    player.runs["linked"] = [events]
    page.fill("textarea[name=question]", "linked")
    page.press("textarea[name=question]", "Enter")
    page.wait_for_selector(".shell[data-status=complete]")
    link = page.locator(".prose a")
    assert link.count() == 1
    assert link.inner_text() == "the manual (docs.example.org)"
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    assert link.get_attribute("referrerpolicy") == "no-referrer"
