"""Every limit, counted at the server: a run ends in time, spends no more than it may, and says which limit it met."""

import asyncio
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.command import run_command, search_path
from tests.support.late_clock import count_from
from tests.support.openai_server import Reply, prompt
from tests.support.personas import HELLO, UNANSWERABLE, WU_OR_CAESAR, WU_OR_CAESAR_ZH, good
from weiwo.graph import build_graph
from weiwo.state.settings import Context, SettingsError

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "app" / "result.schema.json").read_text())
PRICE = (2.0, 8.0)
COMPLETE, PARTIAL = ("complete", "finished"), "partial"


class Metered:
    """A good model that reports what it takes, as a tokenizer would count it, and keeps the sum."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.input = 0
        self.output = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    @property
    def cost(self) -> float:
        return (self.input * PRICE[0] + self.output * PRICE[1]) / 1e6

    def __call__(self, request: dict[str, Any]) -> Reply:
        reply = good(request)
        bound = json.dumps({key: request[key] for key in ("tools", "response_format") if key in request})
        usage = (len(prompt(request) + bound) // 4, 20 + len(reply.content or (reply.tool or ("", ""))[1]) // 4)
        self.input, self.output = self.input + usage[0], self.output + usage[1]
        return replace(reply, usage=usage, delay=self.delay)


@pytest.fixture
def serve(
    monkeypatch: pytest.MonkeyPatch, weiwo_home: Path, index_sample: Callable[[Path], None], endpoint: Any
) -> Any:
    index_sample(weiwo_home)
    monkeypatch.setenv("WEIWO_MODEL", "openai:scripted")
    return endpoint


async def ask(question: str, tools: tuple[BaseTool, ...] = (), **limits: Any) -> dict[str, Any]:
    context = Context(**{"web": False, **limits})
    values = await build_graph(tools=tools).ainvoke({"question": question}, context=context)
    result: dict[str, Any] = values["result"]
    jsonschema.validate(result, SCHEMA)
    return result


def outcome(result: dict[str, Any]) -> tuple[str, str]:
    return result["status"], result["stop_reason"]


@pytest.mark.parametrize(
    ("calls", "question"),
    [*((calls, WU_OR_CAESAR) for calls in range(7)), *((calls, WU_OR_CAESAR_ZH) for calls in (0, 2, 5))],
)
async def test_model_calls(serve: Any, calls: int, question: str) -> None:
    server = serve(Metered())
    result = await ask(question, max_model_calls=calls)
    assert len(server.requests) == result["usage"]["model_calls"] == min(calls, 5)
    # Four calls are all it needs, and a fifth judges its claims. And none at all is a wish, not a limit.
    unjudged = (PARTIAL, "not_checked") if calls == 4 else (PARTIAL, "max_model_calls")
    assert outcome(result) == (COMPLETE if calls in {0, 5, 6} else unjudged)
    assert "56" in result["answer"]


@pytest.mark.parametrize(
    ("tokens", "question"),
    [
        *((tokens, WU_OR_CAESAR) for tokens in (0, 1, 400, 1_500, 3_000, 4_500, 6_000, 400_000)),
        *((tokens, question) for tokens in (1, 1_500, 400_000) for question in (UNANSWERABLE, HELLO)),
    ],
)
async def test_tokens(serve: Any, tokens: int, question: str) -> None:
    meter = Metered()
    serve(meter)
    result = await ask(question, max_tokens=tokens)
    usage = result["usage"]
    assert meter.tokens == usage["input_tokens"] + usage["output_tokens"] <= tokens
    refused = [call for call in usage["calls"] if call["error"] == "the run's limit max_tokens was reached"]
    if question == WU_OR_CAESAR:
        assert outcome(result) == ((PARTIAL, "max_tokens") if refused and tokens else COMPLETE)
        assert bool(refused) == (tokens < 400_000)


@pytest.mark.parametrize("dollars", [0.0, 0.0001, 0.01, 0.02, 1.0])
async def test_cost(serve: Any, dollars: float) -> None:
    meter = Metered()
    serve(meter)
    result = await ask(WU_OR_CAESAR, max_cost=dollars, prices={"openai:scripted": PRICE})
    assert meter.cost == pytest.approx(result["usage"]["cost"])
    assert meter.cost <= dollars
    refused = [call for call in result["usage"]["calls"] if call["error"] == "the run's limit max_cost was reached"]
    assert outcome(result) == ((PARTIAL, "max_cost") if refused and dollars else COMPLETE)
    assert bool(refused) == (dollars < 1.0)


async def test_a_limit_on_cost_without_a_price_is_refused_before_anything_is_spent(serve: Any) -> None:
    server = serve(good)
    with pytest.raises(SettingsError, match="WEIWO_PRICES to openai:scripted="):
        await ask(WU_OR_CAESAR, max_cost=1.0)
    assert not server.requests


@pytest.mark.parametrize(("question", "seconds"), [(WU_OR_CAESAR, 1.5), (HELLO, 1.5)])
async def test_seconds_with_a_slow_model(
    serve: Any, question: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(Metered(delay=10_000))
    count_from(lambda: server.requests, monkeypatch)
    result = await ask(question, max_seconds=seconds)
    errors = [call["error"] for call in result["usage"]["calls"] if call["error"]]
    waits = [float(found[1]) for error in errors if (found := re.search(r"no reply within ([\d.]+) s", error))]
    assert waits
    assert max(waits) <= seconds / 2
    assert result["answer"]


def hanging(calls: list[str], *, blocking: bool) -> BaseTool:
    async def find(query: str, k: int = 8) -> str:  # noqa: ARG001 - the interface has it
        calls.append(query)
        await asyncio.sleep(10_000)
        return "late"

    def block(query: str, k: int = 8) -> str:  # noqa: ARG001 - the interface has it
        calls.append(query)
        time.sleep(5)
        return "late"

    words = "Never finds anything."
    if blocking:
        return StructuredTool.from_function(func=block, name="corpus_search", description=words)
    return StructuredTool.from_function(coroutine=find, name="corpus_search", description=words)


@pytest.mark.parametrize("blocking", [False, True])
async def test_seconds_with_a_slow_tool(
    serve: Any,
    blocking: bool,  # noqa: FBT001 - a column
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serve(Metered())
    calls: list[str] = []
    count_from(lambda: calls, monkeypatch)
    result = await ask(WU_OR_CAESAR, (hanging(calls, blocking=blocking),), max_seconds=2)
    assert outcome(result) == (PARTIAL, "max_seconds")


async def test_tool_seconds(serve: Any) -> None:
    serve(Metered())
    result = await ask(WU_OR_CAESAR, (hanging([], blocking=False),), tool_seconds=0.2, max_replans=0)
    assert result["status"] in {"partial", "failed"}
    failures = [one["failure"]["kind"] for one in result["outcomes"].values() if one["failure"]]
    assert "timeout" in failures


async def test_tasks(serve: Any) -> None:
    serve(Metered())
    for tasks in (1, 2):
        result = await ask(WU_OR_CAESAR, max_tasks=tasks)
        assert len(result["plan"]["vertices"]) <= tasks
        assert result["status"] in {"complete", "partial"}


@pytest.mark.parametrize(
    "limits", [{"max_replans": 0}, {"max_turns": 1}, {"max_parallel": 1}, {"max_page_bytes": 1_000}, {"max_items": 1}]
)
@pytest.mark.parametrize("question", [WU_OR_CAESAR, UNANSWERABLE])
async def test_the_other_limits_end_in_an_answer(serve: Any, question: str, limits: dict[str, int]) -> None:
    serve(Metered())
    result = await ask(question, **limits)
    assert result["answer"]
    if question == WU_OR_CAESAR and "max_page_bytes" not in limits:
        assert outcome(result) == COMPLETE
    if "max_replans" in limits:
        assert not [past for past in result["reflections"] if past["decision"] in {"retry", "replan", "deepen"}]
    if "max_turns" in limits:
        assert max(one["attempts"] for one in result["outcomes"].values()) <= 2  # one search; a substitute at most


@pytest.fixture
def command(serve: Any, tmp_path: Path) -> Callable[..., tuple[int | None, dict[str, Any], str]]:
    serve(Metered())

    def run(**env: str) -> tuple[int | None, dict[str, Any], str]:
        given = {**os.environ, "PYTHONPATH": search_path(tmp_path), **env}
        code, out, err = run_command("ask", "--json", "--no-web", WU_OR_CAESAR, cwd=tmp_path, env=given)
        assert "Traceback" not in err
        return code, json.loads(out or "null"), err

    return run


def test_the_command_says_which_limit_it_met(command: Any) -> None:
    code, result, err = command(WEIWO_MAX_MODEL_CALLS="3")
    assert (code, outcome(result)) == (3, (PARTIAL, "max_model_calls"))
    assert "the answer is partial" in err
    code, result, _ = command(WEIWO_MAX_COST="1", WEIWO_PRICES="openai:scripted=2/8")
    assert (code, outcome(result)) == (0, COMPLETE)
    assert result["usage"]["cost"] > 0


def test_the_command_refuses_a_limit_it_cannot_keep(command: Any) -> None:
    code, result, err = command(WEIWO_MAX_COST="1")
    assert (code, result) == (2, None)
    assert err.strip().splitlines()[-1] == (
        "weiwo: max_cost: a limit of 1 US dollars cannot be enforced, because the price of openai:scripted is unknown; set WEIWO_PRICES"
        " to openai:scripted=INPUT/OUTPUT in US dollars per million tokens, or unset max_cost"
    )


def test_a_tool_that_cannot_be_stopped_does_not_hold_the_command(command: Any, tmp_path: Path) -> None:
    (tmp_path / "stuck_tools.py").write_text(
        "import time\n"
        "from langchain_core.tools import tool\n"
        "@tool\n"
        "def corpus_search(query: str) -> str:\n"
        "    'Never finds anything.'\n"
        "    time.sleep(10_000)\n"
    )
    code, result, _ = command(WEIWO_TOOLS="stuck_tools:corpus_search", WEIWO_MAX_SECONDS="3")
    assert (code, outcome(result)) == (3, (PARTIAL, "max_seconds"))
