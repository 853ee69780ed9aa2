"""The memory store: a database that fails is told of, and nothing else goes wrong."""

import pytest
from langgraph.store.memory import InMemoryStore

from weiwo.nodes.memory.memory_store import MOST, MemoryStore, MemoryStoreError
from weiwo.state import Plan


class Broken(InMemoryStore):
    async def abatch(self, ops):  # noqa: ARG002 - as the library calls it
        raise ConnectionError("postgres://me:hunter2secret@db is\ngone")


async def test_a_store_that_fails_holds_nothing_and_says_so():
    said: list[str] = []
    memory = MemoryStore(Broken(), "local", said.append)
    assert await memory.get("plans", "a") is None
    assert await memory.list("wishes") == []
    assert not await memory.store_entry("plans", "a", {})
    assert not await memory.delete("plans", "a")
    assert [line.split(",")[0] for line in said] == [
        f"memory cannot be {what}" for what in ("read", "read", "written", "written")
    ]
    assert all("ConnectionError" in line and "hunter2" not in line and "\n" not in line for line in said)


async def test_whoever_asks_for_what_is_remembered_gets_an_error_not_emptiness():
    memory = MemoryStore(Broken(), "local")
    for reading in (memory.get("plans", "a"), memory.list("wishes"), memory.read_all("plans", Plan)):
        with pytest.raises(
            MemoryStoreError, match=r"^memory cannot be read: ConnectionError: .*see weiwo doctor$"
        ) as told:
            await reading
        assert "hunter2" not in str(told.value)
    assert not await memory.store_entry("plans", "a", {})


async def test_of_too_many_entries_neither_a_pinned_nor_the_newest_goes():
    said: list[str] = []
    memory = MemoryStore(InMemoryStore(), "local", said.append)
    for number in range(MOST["wishes"] + 1):
        assert await memory.store_entry("wishes", str(number), {"pinned": number == 0})
    kept = {entry.key for entry in await memory.list("wishes")}
    assert len(kept) == MOST["wishes"]
    assert kept >= {"0", str(MOST["wishes"])}
    assert not said
