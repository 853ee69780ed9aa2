"""Requests of several users: each has a queue of their own."""

import threading

import pytest

from weiwo.tools.tables import engine_pool
from weiwo.tools.tables.engine_pool import EngineError, EnginePool, EngineRequest
from weiwo.tools.tables.request import TableRequestError


class TableEngine:
    """Holds each request until it is let go, and notes the order in which they began."""

    began: list[str]
    free: threading.Semaphore
    begins: threading.Event

    def __init__(self, seconds):
        self.seconds = seconds

    def run(self, request):
        TableEngine.began.append(request.message["name"])
        TableEngine.begins.set()
        assert TableEngine.free.acquire(timeout=120)
        if request.message.get("fails"):
            raise EngineError("the table engine crashed")
        return {"name": request.message["name"]}

    def close(self):
        TableEngine.free.release(100)


@pytest.fixture
def pool(monkeypatch):
    TableEngine.began, TableEngine.free, TableEngine.begins = [], threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(engine_pool, "_EngineProcess", TableEngine)
    made = EnginePool(processes=1)
    yield made
    made.close()
    for thread in made._threads:
        thread.join(120)


def ask(name, **more):
    return EngineRequest({"name": name, **more}, {})


def test_users_are_served_in_turn_however_many_one_has_waiting(pool):
    futures = [pool.submit("ann", ask(f"ann {n}")) for n in range(4)]
    futures.append(pool.submit("bob", ask("bob 0")))
    TableEngine.free.release(5)
    assert [future.result(120)["name"] for future in futures] == ["ann 0", "ann 1", "ann 2", "ann 3", "bob 0"]
    assert TableEngine.began.index("bob 0") <= 2


def test_a_failure_is_raised_where_the_request_was_made_and_the_next_is_served(pool):
    broken, other = pool.submit("ann", ask("a", fails=True)), pool.submit("ann", ask("b"))
    TableEngine.free.release(2)
    with pytest.raises(EngineError, match="crashed"):
        broken.result(120)
    assert other.result(120) == {"name": "b"}


def test_a_user_with_too_many_requests_is_told(pool, monkeypatch):
    monkeypatch.setattr(engine_pool, "_MOST_WAITING", 2)
    pool.submit("ann", ask("running"))
    TableEngine.begins.wait(120)
    pool.submit("ann", ask("a"))
    pool.submit("ann", ask("b"))
    with pytest.raises(TableRequestError, match="are already waiting"):
        pool.submit("ann", ask("c"))


def test_closing_cancels_what_waits(pool):
    running, waiting = pool.submit("ann", ask("a")), pool.submit("ann", ask("b"))
    assert TableEngine.begins.wait(120)
    pool.close()
    assert waiting.cancelled()
    assert running.result(120) == {"name": "a"}
