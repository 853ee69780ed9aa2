"""Day budgets: what a user may spend a day, counted durably, and refused with the time when it is open again."""

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from tests.unit.app.server.conftest import HeldModel
from weiwo.app.records import Records, Spending
from weiwo.app.server.access import day_budgets as budgets
from weiwo.app.server.access.day_budgets import DayBudgets, _require_budget
from weiwo.app.server.access.profiles import Profile
from weiwo.app.server.errors import RequestError
from weiwo.models.budget import Budget
from weiwo.state.limits import NOT_SENT, ModelCall, Usage
from weiwo.state.settings import Context, Settings

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()
ASKED = {"input": {"question": "How long is the Yangtze?"}}


def _set(text: str) -> None:
    home = Path(os.environ["WEIWO_HOME"])
    home.mkdir(exist_ok=True)
    (home / "users.toml").write_text(text)


@pytest.mark.parametrize(
    ("profile", "spent", "asks", "refused"),
    [
        (Profile(), Spending(10**6, 10**9, 1e6), True, ""),
        (Profile(runs_per_day=2), Spending(runs=1), True, ""),
        (Profile(runs_per_day=2), Spending(runs=2), True, "questions"),
        (Profile(runs_per_day=2), Spending(runs=2), False, ""),
        (Profile(runs_per_day=0), Spending(), True, "questions"),
        (Profile(tokens_per_day=500), Spending(tokens=501), False, "tokens"),
        (Profile(cost_per_day=0.5), Spending(cost=0.5), True, "US dollars"),
    ],
)
def test_what_is_spent_is_refused_until_midnight(profile: Profile, spent: Spending, asks: bool, refused: str):  # noqa: FBT001 - a parameter of the test
    if not refused:
        _require_budget(profile, spent, asks=asks, now=NOON)
        return
    with pytest.raises(
        RequestError, match=f"your {refused} for today are used up .* after 2026-11-24 00:00 UTC"
    ) as raised:
        _require_budget(profile, spent, asks=asks, now=NOON)
    assert (raised.value.status, raised.value.retry_after) == (429, 43_201)
    assert "\n" not in raised.value.detail


async def test_a_run_has_what_is_left_of_its_users_day(clean_environment: None, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001 - it sets the home
    monkeypatch.setattr(budgets.time, "time", lambda: NOON)
    _set("[ann]\ntokens_per_day = 1000\ncost_per_day = 2\n")
    settings = replace(Settings.resolve(), prices={"openai:x": (1000.0, 5000.0)})
    call = ModelCall(role="writer", purpose="draft", model="openai:x", mode="text", input_tokens=500, output_tokens=100)
    async with Records.open(settings.home) as records:
        mine = DayBudgets(records, settings)
        with mine.count_costs("ann"):
            budget = Budget(settings.limits)
            budget.record(call)
            await asyncio.to_thread(budget.child().record, call)
            budget.record(call.model_copy(update={"mode": NOT_SENT}))
        budget.record(call)  # outside
        await asyncio.sleep(0)
        await mine.settle()
    async with Records.open(settings.home) as records:  # another server, another day's start
        mine = DayBudgets(records, settings)
        assert await records.spending("ann", "2026-11-23") == Spending(0, 1200, 2.0)
        assert (await mine.describe("ann"))["ends"] == "2026-11-24T00:00:00+00:00"
        before = Usage(input_tokens=40, cost=0.25)
        limited = await mine.limit("ann", Context(max_cost=1.0), Context(), before)
        assert (limited.max_tokens, limited.max_cost) == (40, 0.25)
        monkeypatch.setattr(budgets.time, "time", lambda: NOON + 86_400)
        limited = await mine.limit("ann", Context(max_cost=1.0), Context(), before)
        assert (limited.max_tokens, limited.max_cost) == (1040, 1.0)
        assert await mine.limit("bob", Context(max_tasks=3), Context(), before) == Context(max_tasks=3)


async def test_a_question_too_many_is_refused_on_every_route(public: httpx.AsyncClient, tokens: dict[str, str]):
    _set("[ann]\nruns_per_day = 1\n")
    ann, operator = {"x-api-key": tokens["ann"]}, {"x-api-key": tokens["operator"]}
    assert (await public.post("/runs/wait", json=ASKED, headers=ann)).status_code == 200
    chat = {"model": "weiwo", "messages": [{"role": "user", "content": "How long is the Yangtze?"}]}
    for path, body in (("/runs/wait", ASKED), ("/runs/stream", ASKED), ("/v1/chat/completions", chat)):
        answer = await public.post(path, json=body, headers=ann)
        assert (path, answer.status_code) == (path, 429)
        assert "runs_per_day" in answer.text
        assert 0 < int(answer.headers["retry-after"]) <= 86_400
    assert (await public.post("/runs/wait", json=ASKED, headers=operator)).status_code == 200
    day = (await public.get("/weiwo/info", headers=ann)).json()["day"]
    assert (day["runs"], day["runs_per_day"], day["tokens_per_day"]) == (1, 1, None)


async def test_what_model_calls_spend_is_counted(slow_http: httpx.AsyncClient, held: HeldModel):
    held.script["AssessmentReply"] = [{"standalone_question": ASKED["input"]["question"], "reason": "one look-up"}]
    held.let_go.set()
    await slow_http.post("/runs/wait", json=ASKED)
    day = (await slow_http.get("/weiwo/info")).json()["day"]
    assert day["runs"] == 1
    assert day["tokens"] > 0


async def test_a_model_call_that_is_cancelled_midway_is_counted(slow_http: httpx.AsyncClient, held: HeldModel):
    run = (await slow_http.post("/threads/t/runs", json={**ASKED, "if_not_exists": "create"})).json()
    await asyncio.wait_for(held.asked_for.wait(), 120)
    await slow_http.post(f"/threads/t/runs/{run['run_id']}/cancel?wait=1")
    assert (await slow_http.get("/weiwo/info")).json()["day"]["tokens"] > 0
