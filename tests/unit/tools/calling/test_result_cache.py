"""Results kept for later: how long, how large, and whatever a store does wrong."""

import asyncio
import json
import logging

import pytest
from langchain_core.tools import StructuredTool, tool
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from tests.support.virtual_time import virtual_time
from weiwo.state import Evidence, passage_id
from weiwo.tools.calling.arguments import schema_of
from weiwo.tools.calling.result_cache import _MAX_ENTRY_BYTES, _NAMESPACE, ResultCache, cache_key
from weiwo.tools.calling.results import ToolResult
from weiwo.tools.calling.ttl_cache import _PAUSE_SECONDS, LruMemory


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def found(text: str = "The tower is 300 m tall.") -> ToolResult:
    passage = Evidence(id=passage_id(text), text=text, source="s", date="2024-01-02", score=0.5)
    return ToolResult(text, (passage,), detail={"truncated": True}, seconds=1.5, attempts=2)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "store"])
def cache(request, clock):
    return ResultCache(InMemoryStore() if request.param == "store" else None, clock, LruMemory())


@pytest.mark.parametrize("result", [found(), ToolResult("42", (), 42, "number", {"expression": "6*7"})])
async def test_what_is_kept_comes_back_as_it_was_and_says_so(cache, result):
    await cache.store_result("k", result, 60)
    again = await cache.get("k")
    assert (again.content, again.passages, again.value, again.type, again.detail) == (
        (result.content, result.passages, result.value, result.type, result.detail)
    )
    assert (again.cached, again.attempts, again.seconds) == (True, 0, 0.0)
    assert await cache.get("other") is None


async def test_it_expires(cache, clock):
    await cache.store_result("k", found(), 60)
    clock.now += 59.9
    assert await cache.get("k") is not None
    clock.now += 0.2
    assert await cache.get("k") is None


async def test_a_later_result_takes_its_place(cache):
    await cache.store_result("k", found("old"), 60)
    await cache.store_result("k", found("new"), 60)
    assert (await cache.get("k")).content == "new"


@pytest.mark.parametrize(
    ("result", "seconds"),
    [
        (found(), 0),
        (ToolResult("nothing"), 60),
        (found("x" * _MAX_ENTRY_BYTES), 60),
        (ToolResult("1", (), 1, "number", {"odd": object()}), 60),
        (ToolResult("inf", (), float("inf"), "number"), 60),
    ],
)
async def test_what_is_empty_too_large_or_no_json_is_not_kept(cache, result, seconds):
    await cache.store_result("k", result, seconds)
    assert await cache.get("k") is None


async def test_memory_is_bounded_and_drops_what_was_not_used_for_longest():
    memory = LruMemory(100)
    for name in "abc":
        memory.store_text(name, "x" * 30)
    assert memory.get("a")
    memory.store_text("d", "x" * 30)
    assert [name for name in "abcd" if memory.get(name)] == ["a", "c", "d"]
    memory.store_text("e", "x" * 1_000)
    assert not any(memory.get(name) for name in "acde")


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "{broken", '{"expires": "soon"}', json.dumps({"expires": 9e99, "type": "secret"}), 7],
)
async def test_what_somebody_else_wrote_there_is_nothing(text, clock):
    store = InMemoryStore()
    await store.aput(_NAMESPACE, "k", {"text": text})
    assert await ResultCache(store, clock).get("k") is None


class Broken(BaseStore):
    """A store that fails, or never answers."""

    supports_ttl = True

    def __init__(self, error: Exception | None = None, fails: int = 99) -> None:
        self.error = error
        self.fails = fails
        self.asked = 0
        self.inner = InMemoryStore()

    def batch(self, ops):
        raise NotImplementedError

    async def abatch(self, ops):
        self.asked += 1
        if self.asked > self.fails:
            return await self.inner.abatch([op._replace(ttl=None) if hasattr(op, "ttl") else op for op in ops])
        if self.error is None:
            await asyncio.Event().wait()
        raise self.error


async def test_a_broken_store_is_left_alone_for_a_while(clock, caplog):
    store = Broken(OSError("disk full of secrets"))
    for _ in range(3):  # each node has a cache of its own
        cache = ResultCache(store, clock)
        await cache.store_result("k", found(), 60)
        assert await cache.get("k") is None
    assert store.asked == 2, "once, and once more"
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "secrets" not in caplog.text
    clock.now += _PAUSE_SECONDS
    await ResultCache(store, clock).get("k")
    assert store.asked == 4


async def test_a_store_that_fails_once_is_asked_once_more(clock, caplog):
    store = Broken(OSError("locked"), fails=1)
    cache = ResultCache(store, clock)
    await cache.store_result("k", found(), 60)
    assert await cache.get("k") is not None
    assert not caplog.records


@virtual_time
async def test_a_store_that_never_answers_is_not_waited_for(clock):
    cache = ResultCache(Broken(), clock)
    assert await cache.get("k") is None


@tool
async def plain(query: str, k: int = 6) -> str:
    """Probe."""
    return f"{query}{k}"


def closed_over(value: str) -> StructuredTool:
    async def run(query: str) -> str:
        return value + query

    return StructuredTool.from_function(coroutine=run, name="plain", description="Probe.")


def key(made, args, max_bytes=100):
    return cache_key(made, args, schema_of(made), max_bytes)


def test_equal_calls_have_equal_keys():
    assert key(plain, {"query": "x"}) == key(plain, {"k": 6, "query": "x"})
    again = StructuredTool.from_function(coroutine=plain.coroutine, name="plain", description="Probe.")
    assert key(plain, {"query": "x"}) == key(again, {"query": "x"}), "made anew, the same function"


def test_other_calls_have_other_keys():
    base = key(plain, {"query": "x"})
    renamed = StructuredTool.from_function(coroutine=plain.coroutine, name="other", description="Probe.")
    others = [
        key(plain, {"query": "X"}),
        key(plain, {"query": "x", "k": 7}),
        key(plain, {"query": "x", "k": True}),
        key(plain, {"query": "x"}, 101),
        key(renamed, {"query": "x"}),
    ]
    assert len({base, *others}) == 6


def test_a_tool_that_holds_something_is_equal_only_to_itself():
    one, other = closed_over("a"), closed_over("b")
    assert key(one, {"query": "x"}) == key(one, {"query": "x"})
    assert key(one, {"query": "x"}) != key(other, {"query": "x"})


def test_unless_it_says_what_it_holds():
    one, other, third = closed_over("a"), closed_over("a"), closed_over("b")
    one.metadata = other.metadata = {"identity": "a"}
    third.metadata = {"identity": "b"}
    assert key(one, {"query": "x"}) == key(other, {"query": "x"}) != key(third, {"query": "x"})


def test_an_edited_function_is_another_one():
    made = []
    for body in ("return query", "return query * 2"):
        scope = {"__name__": "m"}
        exec(f"async def work(query: str) -> str:\n    '''Probe.'''\n    {body}", scope)  # noqa: S102 - two versions of one function
        made.append(StructuredTool.from_function(coroutine=scope["work"], name="plain"))
    assert key(made[0], {"query": "x"}) != key(made[1], {"query": "x"})
