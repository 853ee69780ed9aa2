"""Pages are parsed in processes that can be ended: one that freezes, eats memory or dies costs itself alone."""

import asyncio
import os
import signal
import threading

import pytest

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.parser_process import _MOST_WORKERS, _PageParsers

pytestmark = pytest.mark.integration
GOOD = (
    "<html><head><title>Tower</title></head><body><article><p>The tower is 330 metres tall.</p></article></body></html>"
)
PARSER = """
import sys; sys.path[:] = sys.argv[1:]
import os, re
from weiwo.tools.web.fetching import parser_process as here
real = here.parse_page
def parse(fetched):
    if b"freeze" in fetched.body:
        re.match(r"(a+)+$", "a" * 60 + "b")
    if b"die" in fetched.body:
        os._exit(3)
    if b"eat" in fetched.body:
        bytearray(10**12)
    if b"babble" in fetched.body:
        os.write(4, b"\\xff" * 100)
    return real(fetched)
here.parse_page = parse
here.main()
"""


def page(text: str) -> FetchedPage:
    return FetchedPage("https://example.org/x", text.encode(), "text/html", "utf-8")


@pytest.fixture
def parsers():
    pool = _PageParsers(120.0)
    yield pool
    pool.close()


@pytest.fixture
def hostile():
    pool = _PageParsers(120.0, PARSER)
    yield pool
    pool.close()


async def test_a_page_is_parsed_as_ever_and_a_failure_is_the_same(parsers):
    assert (await parsers.parse(page(GOOD))).text == "The tower is 330 metres tall."
    with pytest.raises(ToolCallError, match="contains no text") as caught:
        await parsers.parse(page("<html><body></body></html>"))
    assert caught.value.kind == "empty"


@pytest.mark.parametrize(
    ("what", "said"), [("freeze", "not parsed"), ("die", "parser crashed"), ("eat", "MemoryError")]
)
async def test_what_a_page_does_to_its_parser_costs_that_page_alone(hostile, what, said):
    if what == "freeze":
        hostile._seconds = 1.0  # time enough to freeze, on a slow machine too
    with pytest.raises(ToolCallError, match=said) as caught:
        await hostile.parse(page(GOOD.replace("Tower", what)))
    hostile._seconds = 120.0
    assert (caught.value.kind, caught.value.transient) == ("bad_arguments", False)
    assert (await hostile.parse(page(GOOD))).title == "Tower"


async def test_a_frozen_page_holds_up_nothing_and_ends_with_who_waited(parsers):
    slow = _PageParsers(600.0, PARSER)
    before = threading.active_count()
    frozen = [asyncio.create_task(slow.parse(page("freeze"))) for _ in range(_MOST_WORKERS)]
    assert (await parsers.parse(page(GOOD))).title == "Tower"
    for task in frozen:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await frozen[0]
    await asyncio.gather(*frozen, return_exceptions=True)
    assert (await slow.parse(page(GOOD))).title == "Tower", "its turns are free again"
    assert threading.active_count() <= before + _MOST_WORKERS + 8
    slow.close()


async def test_an_idle_worker_that_was_killed_is_replaced(parsers):
    await parsers.parse(page(GOOD))
    (worker,) = parsers._idle
    os.kill(worker._process.pid, signal.SIGKILL)
    worker._process.wait()
    assert (await parsers.parse(page(GOOD))).title == "Tower"


async def test_workers_know_no_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-mine")
    telling = PARSER.replace("real(fetched)", "1 / 0 if 'OPENAI_API_KEY' in os.environ else real(fetched)")
    pool = _PageParsers(120.0, telling)
    assert (await pool.parse(page(GOOD))).title == "Tower"
    pool.close()
