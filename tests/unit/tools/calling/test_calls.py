"""The one door to tools: merging, keeping, turns, breakers, stand-ins."""

import asyncio
import math
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.store.memory import InMemoryStore

from tests.support.virtual_time import now, virtual_time
from tests.support.waiting import settle, until
from weiwo.tools.calling.call_context import CallContext, current_call
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.invoke import Backoff
from weiwo.tools.calling.result_cache import ResultCache
from weiwo.tools.calling.tool_breaker import _THRESHOLD
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.registry import Registry
from weiwo.tools.web.fetching.page_cache import PageCache, WebPage


class Probe:
    """A search whose calls are counted, which waits where told to and fails as told to."""

    def __init__(self, *errors: Exception, name: str = "probe", always: bool = False, **metadata: object) -> None:
        self.errors = list(errors)
        self.always = always
        self.calls = 0
        self.busy = 0
        self.most = 0
        self.cancelled = 0
        self.go = asyncio.Event()
        self.go.set()

        async def work(query: str, k: int = 3) -> str:
            self.calls += 1
            self.busy += 1
            self.most = max(self.most, self.busy)
            try:
                await self.go.wait()
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            finally:
                self.busy -= 1
            if self.errors:
                raise self.errors[0] if self.always else self.errors.pop(0)
            return f"{query} {k}" if query != "nothing" else ""

        self.tool: BaseTool = StructuredTool.from_function(
            coroutine=work, name=name, description="A probe.", metadata={"cluster": "probes", **metadata}
        )


class Account:
    """Whoever calls: slots, time, and what it was charged and told."""

    def __init__(self, slots: int = 8, seconds: float = 60) -> None:
        self.seconds = seconds
        self.spent, self.most = 0, 1_000
        self.told: list[str] = []
        self.slots = asyncio.Semaphore(slots)

    def spend(self) -> bool:
        if self.spent == self.most:
            return False
        self.spent += 1
        return True

    @property
    def caller(self) -> Caller:
        return Caller(self.slots, lambda: self.seconds, self.spend, self.told.append)


def calls(*probes: Probe, run: str = "", **more) -> ToolCalls:
    more.setdefault("backoff", Backoff(first=0.01))
    return ToolCalls(run or uuid4().hex, Registry([probe.tool for probe in probes]), seconds=5, **more)


def http(status: int, **headers: str) -> httpx.HTTPStatusError:
    request = httpx.Request("GET", "https://example.org/")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(status, headers=headers))


X = {"query": "x"}


# Merging


async def test_equal_calls_under_way_are_one_call_and_one_is_charged():
    probe, account = Probe(cache_seconds=0), Account()
    made = calls(probe)
    results = await asyncio.gather(*(made.call("probe", {**X, "k": 3}, account.caller) for _ in range(10)))
    assert {result.content for result in results} == {"x 3"}
    assert sorted(result.attempts for result in results) == [0] * 9 + [1]
    assert (probe.calls, account.spent) == (1, 1)


async def test_calls_of_several_runs_merge_as_well_and_other_calls_do_not():
    probe, account = Probe(cache_seconds=0), Account()
    runs = [calls(probe) for _ in range(3)]
    await asyncio.gather(*(run.call("probe", X, account.caller) for run in runs))
    assert probe.calls == 1
    await asyncio.gather(
        runs[0].call("probe", X, account.caller), runs[1].call("probe", {"query": "y"}, account.caller)
    )
    assert probe.calls == 3


async def test_a_caller_whose_calls_are_used_up_is_refused():
    probe, account = Probe(cache_seconds=0), Account()
    account.most, made = 1, calls(probe)
    await made.call("probe", X, account.caller)
    with pytest.raises(ToolCallError, match="max_tool_calls") as refused:
        await made.call("probe", {"query": "y"}, account.caller)
    assert (refused.value.kind, probe.calls) == ("limit", 1)


async def test_a_failure_is_everybodys_and_only_one_was_made():
    probe, account = Probe(http(403), cache_seconds=0), Account()
    made = calls(probe)
    failures = await asyncio.gather(*(made.call("probe", X, account.caller) for _ in range(3)), return_exceptions=True)
    assert [failure.kind for failure in failures if isinstance(failure, ToolCallError)] == ["blocked"] * 3
    assert sorted(failure.attempts for failure in failures) == [0, 0, 1]
    assert (probe.calls, account.spent) == (1, 1)


async def test_when_the_first_caller_is_cancelled_the_others_get_their_result():
    probe, account = Probe(cache_seconds=0), Account()
    probe.go.clear()
    first, second = (asyncio.create_task(calls(probe).call("probe", X, account.caller)) for _ in range(2))
    await settle()
    first.cancel()
    await settle()
    assert first.cancelled()
    probe.go.set()
    assert (await asyncio.wait_for(second, 120)).content == "x 3"
    assert (probe.calls, probe.cancelled) == (1, 0)


async def test_when_the_last_caller_is_cancelled_so_is_the_call():
    probe, account = Probe(cache_seconds=0), Account(slots=1)
    probe.go.clear()
    only = asyncio.create_task(calls(probe).call("probe", X, account.caller))
    await settle()
    only.cancel()
    await settle()
    assert (only.cancelled(), probe.cancelled, account.slots.locked()) == (True, 1, False)


@virtual_time
async def test_the_end_of_one_runs_time_is_not_the_others():
    probe, account = Probe(cache_seconds=0), Account()
    probe.go.clear()
    hurried = Account(seconds=0.05)
    first = asyncio.create_task(calls(probe).call("probe", X, hurried.caller))
    await settle()
    second = asyncio.create_task(calls(probe).call("probe", X, account.caller))
    failure = (await asyncio.gather(first, return_exceptions=True))[0]
    assert isinstance(failure, ToolCallError)
    assert failure.kind == "limit"
    probe.go.set()
    assert (await asyncio.wait_for(second, 120)).content == "x 3"


# What one site does


async def test_a_tool_that_goes_anywhere_is_not_out_of_order_because_some_sites_are():
    probe, account = Probe(http(503), cache_seconds=0, always=True, any_site=True), Account()
    made = calls(probe, backoff=Backoff(first=0.001))
    for number in range(_THRESHOLD + 1):
        with pytest.raises(ToolCallError, match="503"):
            await made.call("probe", {"query": f"x{number}"}, account.caller)
    assert made.breaker("probe").state == "closed"


async def test_nor_do_others_wait_because_one_site_asked_to():
    probe, account = Probe(http(429, **{"retry-after": "3600"}), cache_seconds=0, any_site=True), Account()
    made = calls(probe)
    with pytest.raises(ToolCallError, match="429"):
        await made.call("probe", X, account.caller)
    assert (await made.call("probe", {"query": "y"}, account.caller)).content == "y 3"


# Whole pages


@pytest.mark.parametrize("fresh", [False, True])
async def test_a_tool_finds_where_it_may_keep_things_and_a_result_made_of_one_says_so(fresh):
    page = WebPage("https://example.org/", "", None, "All of it.")

    async def work(query: str) -> str:
        """A probe."""
        call = current_call()
        keeper = PageCache(call.store, fresh=call.fresh)
        kept = await keeper.get("page")
        if kept is None:
            await keeper.store_page("page", page)
        call.used_kept = kept is not None
        return f"{query} {kept.text if kept else 'fetched'}"

    tool = StructuredTool.from_function(coroutine=work, name="probe", metadata={"cluster": "open"})
    store, account = InMemoryStore(), Account()
    results = [
        await ToolCalls(uuid4().hex, Registry([tool]), store, seconds=5, fresh=fresh).call(
            "probe", args, account.caller
        )
        for args in (X, {"query": "y"})
    ]
    assert [result.cached for result in results] == [False, not fresh]
    assert [result.content for result in results] == ["x fetched", "y fetched" if fresh else "y All of it."]
    assert current_call() == CallContext(), "nothing of it is left to the next call"


# Keeping


@pytest.mark.parametrize("with_store", [False, True])
async def test_a_later_equal_call_is_not_made_again(with_store):
    probe, account = Probe(), Account()
    store, memory = InMemoryStore() if with_store else None, LruMemory()
    first, second, third = [
        await calls(probe, cache=ResultCache(store, memory=memory)).call("probe", args, account.caller)
        for args in (X, {**X, "k": 3}, {**X, "k": 4})
    ]
    assert (first.cached, second.cached, third.cached) == (False, True, False)
    assert (second.attempts, second.content, second.passages) == (0, first.content, first.passages)
    assert (probe.calls, account.spent) == (2, 2)


async def test_a_fresh_run_reads_nothing_but_renews_what_is_kept():
    probe, account, memory = Probe(), Account(), LruMemory()
    await calls(probe, cache=ResultCache(memory=memory)).call("probe", X, account.caller)
    renewed = await calls(probe, cache=ResultCache(memory=memory), fresh=True).call("probe", X, account.caller)
    assert (renewed.cached, probe.calls) == (False, 2)
    now = ResultCache(memory=memory, clock=lambda: 0)
    assert (await calls(probe, cache=now).call("probe", X, account.caller)).cached
    assert probe.calls == 2


@pytest.mark.parametrize(
    ("probe", "args"),
    [(Probe, {"query": "nothing"}), (lambda: Probe(http(403)), X), (lambda: Probe(cache_seconds=0), X)],
)
async def test_failures_empty_results_and_cheap_tools_are_not_kept(probe, args):
    made, account = probe(), Account()
    memory = LruMemory()
    for _ in range(2):
        try:
            result = await calls(made, cache=ResultCache(memory=memory)).call("probe", args, account.caller)
        except ToolCallError:
            continue
        assert not result.cached
    assert made.calls == 2


async def test_a_tool_that_is_out_of_order_still_has_what_was_kept():
    probe, account, memory = Probe(), Account(), LruMemory()
    made = calls(probe, cache=ResultCache(memory=memory))
    await made.call("probe", X, account.caller)
    made.breaker("probe").record_failure("x", ToolCallError("auth", "no key"), final=True)
    assert (await made.call("probe", X, account.caller)).cached
    with pytest.raises(ToolNotCalledError):
        await made.call("probe", {"query": "y"}, account.caller)


# Turns


@virtual_time
async def test_slots_bound_the_calls_and_waiting_to_call_again_holds_none():
    probe, account = Probe(http(503), http(503), cache_seconds=0), Account(slots=1)
    made = calls(probe, backoff=Backoff(first=0.2, jitter=0))
    failing = asyncio.create_task(made.call("probe", X, account.caller))
    await until(lambda: probe.calls == 1 and not account.slots.locked())
    other = Probe(name="other", cache_seconds=0)
    assert (await calls(other).call("other", X, account.caller)).content == "x 3"
    assert not failing.done()
    assert (await failing).attempts == 3


async def test_no_more_calls_than_slots():
    probe, account = Probe(cache_seconds=0), Account(slots=2)
    made = calls(probe)
    await asyncio.gather(*(made.call("probe", {"query": str(n)}, account.caller) for n in range(20)))
    assert (probe.calls, probe.most) == (20, 2)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
async def test_without_time_nothing_is_called(seconds):
    probe, account = Probe(), Account(seconds=seconds)
    with pytest.raises(ToolCallError) as caught:
        await calls(probe).call("probe", X, account.caller)
    assert (caught.value.kind, caught.value.attempts, probe.calls) == ("limit", 0, 0)


@virtual_time
async def test_who_waits_for_a_slot_until_time_is_over_has_reached_the_limit():
    probe, account = Probe(cache_seconds=0), Account(slots=1, seconds=0.05)
    await account.slots.acquire()
    with pytest.raises(ToolCallError) as caught:
        await calls(probe).call("probe", X, account.caller)
    assert (caught.value.kind, probe.calls) == ("limit", 0)


# Breakers


async def test_a_tool_out_of_order_is_not_called_by_anybody_in_the_run_and_watchers_are_told():
    probe, account, run = Probe(http(403), always=True), Account(), uuid4().hex
    made = calls(probe, run=run)
    for number in range(_THRESHOLD + 2):
        with pytest.raises(ToolCallError) as caught:
            await made.call("probe", {"query": str(number)}, account.caller)
    assert probe.calls == _THRESHOLD
    assert isinstance(caught.value, ToolNotCalledError)
    assert caught.value.message == "probe: not called, because it keeps failing (probe: HTTP 403: no)"
    assert [note.split(" (")[0] for note in account.told] == [
        "probe: warned, 1 of 3 failures in a row",
        "probe: warned, 2 of 3 failures in a row",
        "probe: blocked for 5 s",
    ]
    assert made.breaker("probe").state == "open"
    assert calls(probe).breaker("probe").state == "closed", "another run"


async def test_the_next_execution_may_try_once():
    probe, account, run = Probe(*[http(403)] * _THRESHOLD), Account(), uuid4().hex
    made = calls(probe, run=run)
    for number in range(_THRESHOLD):
        with pytest.raises(ToolCallError):
            await made.call("probe", {"query": str(number)}, account.caller)
    again = calls(probe, run=run)
    assert (await again.call("probe", X, account.caller)).content == "x 3"
    assert account.told[-1] == "probe: works again"
    assert (await made.call("probe", {"query": "y"}, account.caller)).content == "y 3"


async def test_calls_that_waited_for_their_slot_see_what_happened_meanwhile():
    probe, account = Probe(http(401), always=True, cache_seconds=0), Account(slots=1)
    made = calls(probe)
    failures = await asyncio.gather(
        *(made.call("probe", {"query": str(n)}, account.caller) for n in range(10)), return_exceptions=True
    )
    assert [failure.kind for failure in failures if isinstance(failure, ToolCallError)] == ["auth"] * 10
    assert probe.calls == 1


@pytest.mark.parametrize("error", [http(404), http(413), RuntimeError("no such city")])
async def test_that_a_tool_has_nothing_or_refuses_an_argument_is_no_sign_of_illness(error):
    probe, account = Probe(error, always=True), Account()
    made = calls(probe)
    for number in range(2 * _THRESHOLD):
        with pytest.raises(ToolCallError):
            await made.call("probe", {"query": str(number)}, account.caller)
        with pytest.raises(ToolCallError):
            await made.call("probe", {"nonsense": number}, account.caller)
    assert (made.breaker("probe").state, account.told) == ("closed", [])
    assert account.spent == probe.calls == 2 * _THRESHOLD


async def test_a_trial_that_is_cancelled_leaves_the_place_to_another():
    probe, account, run = Probe(*[http(403)] * _THRESHOLD), Account(), uuid4().hex
    made = calls(probe, run=run)
    for number in range(_THRESHOLD):
        with pytest.raises(ToolCallError):
            await made.call("probe", {"query": str(number)}, account.caller)
    probe.go.clear()
    trial = asyncio.create_task(calls(probe, run=run).call("probe", X, account.caller))
    await settle()
    trial.cancel()
    await settle()
    probe.go.set()
    assert (await calls(probe, run=run).call("probe", X, account.caller)).content == "x 3"


# Rate limits


def timed(*probes: Probe) -> ToolCalls:
    """Calls whose breakers go by the clock of the loop."""
    made = calls(*probes)
    for probe in probes:
        made.breaker(probe.tool.name)._clock = asyncio.get_running_loop().time
    return made


@virtual_time
async def test_everybody_waits_as_long_as_the_other_side_asked():
    probe, account = Probe(http(429, **{"retry-after": "0.3"}), cache_seconds=0), Account()
    made = timed(probe)
    first = asyncio.create_task(made.call("probe", X, account.caller))
    await until(lambda: made.breaker("probe").waiting() > 0)
    asked, wait = now(), made.breaker("probe").waiting()
    result = await made.call("probe", {"query": "y"}, account.caller)
    assert now() - asked >= wait
    assert (result.attempts, (await first).attempts) == (1, 2)
    assert probe.calls == 3


@virtual_time
async def test_a_long_wait_is_not_made_where_there_is_another_tool_and_nobody_else_asks_meanwhile():
    probe, account = Probe(http(429, **{"retry-after": "4"}), always=True), Account()
    made = timed(probe)
    with pytest.raises(ToolCallError) as caught:
        await made.call("probe", X, account.caller, has_substitute=True)
    assert (caught.value.kind, caught.value.attempts) == ("rate_limit", 1)
    with pytest.raises(ToolNotCalledError) as refused:
        await made.call("probe", {"query": "y"}, account.caller, has_substitute=True)
    assert refused.value.message == "probe: not called, because it accepts no requests for another 4 s"
    assert probe.calls == 1


@virtual_time
async def test_a_wait_longer_than_the_call_may_take_is_a_failure_at_once():
    probe, account = Probe(http(429, **{"retry-after": "60"}), always=True), Account()
    made = timed(probe)
    for query in "xy":
        with pytest.raises(ToolCallError) as caught:
            await asyncio.wait_for(made.call("probe", {"query": query}, account.caller), 2)
    assert (caught.value.kind, math.ceil(caught.value.retry_after or 0), probe.calls) == ("rate_limit", 60, 1)


# Stand-ins


async def test_stand_ins_that_work_come_before_those_that_may_not():
    one, two, three = (Probe(name=name) for name in ("one", "two", "three"))
    made = calls(one, two, three)
    assert list(made.substitutes("one", X)) == ["two", "three"]
    made.breaker("two").record_failure("x", ToolCallError("crash", "boom"))
    assert list(made.substitutes("one", X)) == ["three", "two"]
    made.breaker("three").record_failure("x", ToolCallError("auth", "no key"), final=True)
    assert list(made.substitutes("one", X)) == ["two", "three"]


async def test_a_tool_is_handed_a_key_that_tells_a_call_from_others_and_not_from_itself():
    async def key_of(run="r", task="t", attempt=0):
        keys = []

        def act(query: str) -> str:
            """Act."""
            keys.append(current_call().idempotency_key)
            return query

        tool = StructuredTool.from_function(act, metadata={"cache_seconds": 0})
        by = replace(Account().caller, task=task, attempt=attempt)
        await ToolCalls(run, Registry([tool]), seconds=5).call("act", {"query": "x"}, by)
        return keys[0]

    first = await key_of()
    assert await key_of() == first, "made again after a crash"
    others = [await key_of(run="s"), await key_of(task="u"), await key_of(attempt=1)]
    assert len({first, *others}) == 4
