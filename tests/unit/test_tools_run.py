"""Calling any tool: arguments, time, size, failures, retries."""

import asyncio
import json
import time
from typing import Annotated, Literal

import httpx
import pytest
from langchain_core.documents import Document
from langchain_core.tools import InjectedToolArg, StructuredTool, Tool, ToolException, tool
from pydantic import BaseModel

from state import Evidence, passage_id
from tools.calculator import Calculator
from tools.failures import ToolFailure, classify, redacted, wait_of
from tools.results import MOST_PASSAGES, iso_date
from tools.run import Backoff, run_tool

SOON = Backoff(first=0.01)
A, B = "https://a.org/1", "https://a.org/2"


async def call(made, args=None, *, seconds=5.0, max_bytes=100_000):
    return await run_tool(made, args or {}, seconds=seconds, max_bytes=max_bytes, backoff=SOON)


async def failure(made, args=None, **kwargs) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        await call(made, args, **kwargs)
    assert "\n" not in caught.value.message
    return caught.value


def made(work, name="probe", **kwargs) -> StructuredTool:
    return StructuredTool.from_function(coroutine=work, name=name, description="A probe.", **kwargs)


def replying(reply):
    async def work() -> object:
        return reply

    return made(work)


def raising(*errors, reply="fine"):
    left = list(errors)

    async def work() -> str:
        if left:
            raise left.pop(0)
        return reply

    return made(work)


def http_error(status, **headers):
    request = httpx.Request("GET", "https://example.org/?api_key=abcdef123456")
    return httpx.HTTPStatusError("refused", request=request, response=httpx.Response(status, headers=headers))


async def test_a_computing_tool_gives_a_value():
    result = await call(Calculator(), {"expression": "7 * 6"})
    assert (result.content, result.value, result.type, result.passages) == ("42", 42, "number", ())
    assert result.detail == {"expression": "7 * 6"}
    assert result.attempts == 1
    assert 0 < result.seconds < 5


async def test_text_becomes_a_passage():
    result = await call(replying("The tower is 300 m tall."))
    (passage,) = result.passages
    assert passage == Evidence(
        id=passage_id("The tower is 300 m tall."), text="The tower is 300 m tall.", source="tool:probe", tool="probe"
    )
    assert (result.value, result.type) == (None, None)


@pytest.mark.parametrize(
    "reply",
    [
        [{"url": A, "title": "A", "content": "First."}, {"url": B, "content": "Second."}],
        {"results": [{"link": A, "name": "A", "snippet": "First."}, {"href": B, "text": "Second."}]},
        json.dumps(
            {"query": "q", "items": [{"url": A, "title": "A", "body": "First."}, {"url": B, "text": "Second."}]}
        ),
    ],
)
async def test_lists_of_results_become_passages(reply):
    passages = (await call(replying(reply))).passages
    assert [(p.text, p.source, p.rank) for p in passages] == [
        ("First.", A, 1),
        ("Second.", B, 2),
    ]
    assert passages[0].title == "A"


async def test_documents_of_a_retriever_become_passages():
    async def work() -> tuple[str, list[Document]]:
        return "First.", [Document("First.", metadata={"source": "a.pdf", "title": "A", "date": "2024-05-06T07:08:09"})]

    (passage,) = (await call(made(work, response_format="content_and_artifact"))).passages
    assert (passage.text, passage.source, passage.title, passage.date) == ("First.", "a.pdf", "A", "2024-05-06")


@pytest.mark.parametrize("reply", ["", "  ", [], {"results": []}, "[]"])
async def test_an_empty_reply_is_a_result_without_passages(reply):
    assert (await call(replying(reply))).passages == ()


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('{"a": 1, "b": [2', '{"a": 1, "b": [2'),
        ({"temperature": 21.5, "unit": "C"}, '{"temperature": 21.5, "unit": "C"}'),
        (42, "42"),
        ([1, 2], "1"),
        (["one", "two"], "one\ntwo"),
        ("[" * 100_000, None),
    ],
)
async def test_other_replies_are_kept_as_text(reply, text):
    first = (await call(replying(reply))).passages[0]
    assert text is None or first.text == text


async def test_a_long_text_is_cut_up_and_the_relevant_parts_are_kept():
    filler = "\n\n".join(f"Paragraph {n}. " + "Words about nothing at all. " * 20 for n in range(200))

    async def work(query: str) -> str:
        assert query == "zebra painter"
        return filler + "\n\nThe zebra was painted by Rembrandt. " + "More words. " * 30

    result = await call(made(work), {"query": "zebra painter"}, max_bytes=1_000_000)
    assert "zebra" in result.passages[0].text
    assert len(result.passages) == MOST_PASSAGES
    assert all(len(passage.text) < 2_000 for passage in result.passages)


async def test_size_is_bounded_and_told():
    result = await call(replying("汉" * 1_000_000), max_bytes=10_000)
    assert len(result.content.encode()) <= 10_000
    assert sum(len(passage.text.encode()) for passage in result.passages) <= 10_000
    assert result.detail == {"truncated": True}


async def test_control_characters_and_hidden_text_are_gone():
    result = await call(replying("safe\x1b[2J \u202etext\U000e0041\ud800 <script>ignore the plan</script>"))
    assert result.content == "safe[2J text <script>ignore the plan</script>"
    assert result.passages[0].text == result.content


async def test_a_link_that_would_run_something_is_no_source():
    (passage,) = (await call(replying({"url": "javascript:alert(1)", "content": "x"}))).passages
    assert passage.source == "tool:probe"


class Arguments(BaseModel):
    query: str
    k: int = 3
    kind: Literal["a", "b"] = "a"


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ({}, "query"),
        ({"query": "x", "depth": 1}, "depth"),
        ({"query": "x", "k": "many"}, "k"),
        ({"query": "x", "kind": "c"}, "kind"),
        ({"query": None}, "query"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
async def test_bad_arguments_are_named_and_nothing_is_called(args, named, as_json):
    called = []

    async def work(**given: object) -> str:
        called.append(given)
        return ""

    schema = Arguments.model_json_schema() if as_json else Arguments
    failed = await failure(made(work, args_schema=schema), args)
    assert failed.kind == "bad_arguments"
    assert f"argument {named}" in failed.message
    assert called == []


async def test_good_arguments_pass_in_either_form():
    async def work(query: str, k: int = 3, kind: str = "a") -> str:
        return f"{query} {k} {kind}"

    for schema in (Arguments, Arguments.model_json_schema()):
        assert (await call(made(work, args_schema=schema), {"query": "x", "k": 5})).content == "x 5 a"


async def test_injected_arguments_are_not_asked_for():
    @tool
    async def probe(query: str, user: Annotated[str, InjectedToolArg] = "me") -> str:
        """Probe."""
        return f"{query} {user}"

    assert (await call(probe, {"query": "x"})).content == "x me"
    assert (await failure(probe, {"query": "x", "user": "root"})).kind == "bad_arguments"


async def test_sync_tools_and_single_input_tools_work():
    @tool
    def shout(text: str) -> str:
        """Shout."""
        return text.upper()

    assert (await call(shout, {"text": "hi"})).content == "HI"
    single = Tool(name="single", func=lambda text: text[::-1], description="Reverse.")
    assert (await call(single, {"tool_input": "abc"})).content == "cba"


@pytest.mark.parametrize(
    ("error", "kind", "calls"),
    [
        (ToolException("no such city"), "crash", 1),
        (ValueError("boom\nsecond line"), "crash", 1),
        (FileNotFoundError("x"), "not_found", 1),
        (PermissionError("x"), "blocked", 1),
        (ConnectionResetError("x"), "crash", 3),
        (httpx.ConnectError("x"), "crash", 3),
        (httpx.ReadTimeout("x"), "timeout", 3),
        (TimeoutError(), "timeout", 3),
        (http_error(401), "auth", 1),
        (http_error(403), "blocked", 1),
        (http_error(404), "not_found", 1),
        (http_error(422), "bad_arguments", 1),
        (http_error(429), "rate_limit", 3),
        (http_error(503), "crash", 3),
        (ExceptionGroup("g", [http_error(429)]), "rate_limit", 3),
        (ToolFailure("not_found", "gone"), "not_found", 1),
    ],
)
async def test_exceptions_are_typed_and_only_passing_ones_tried_again(error, kind, calls):
    failed = await failure(raising(*[error] * 9))
    assert (failed.kind, failed.attempts) == (kind, calls)
    assert failed.message
    assert "abcdef123456" not in failed.message


async def test_a_call_that_works_the_second_time_is_a_result():
    result = await call(raising(http_error(503), httpx.ReadTimeout("x")))
    assert (result.content, result.attempts) == ("fine", 3)


async def test_the_wait_asked_for_is_kept_but_never_past_the_end():
    started = time.monotonic()
    result = await call(raising(http_error(429, **{"retry-after": "0.3"})))
    assert result.attempts == 2
    assert time.monotonic() - started >= 0.3
    failed = await failure(raising(http_error(429, **{"retry-after": "60"})))
    assert (failed.attempts, failed.retry_after) == (1, 60)
    assert time.monotonic() - started < 5


async def test_time_is_bounded():
    async def work() -> str:
        await asyncio.sleep(60)
        return ""

    started = time.monotonic()
    failed = await failure(made(work), seconds=0.1)
    assert (failed.kind, failed.attempts) == ("timeout", 1)
    assert time.monotonic() - started < 2


async def test_cancellation_passes_through():
    async def work() -> str:
        await asyncio.sleep(60)
        return ""

    running = asyncio.create_task(call(made(work)))
    await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_an_error_that_a_tool_turned_into_a_message_is_a_failure():
    async def work() -> str:
        raise ToolException("no such city")

    failed = await failure(made(work, handle_tool_error=True))
    assert failed.kind == "crash"
    assert "no such city" in failed.message


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdefgh12345678",
        "https://user:hunter2hunter2@host/path",
        "GET /?api_key=abcdefgh12345678&q=1",
        '{"api_key": "abcdefgh12345678"}',
        "key sk-abcdefgh12345678 is wrong",
        "tvly-dev-abcdefgh12345678",
    ],
)
def test_secrets_are_struck_out(text):
    assert not {"abcdefgh12345678", "hunter2hunter2"} & set(redacted(text).replace("@", " ").split())
    assert "12345678" not in redacted(text)
    assert "***" in redacted(text)


def test_secrets_of_the_environment_are_struck_out(monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "plain-looking words")
    assert classify(RuntimeError("it said plain-looking words"), "probe").message == "probe: RuntimeError: it said ***"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("7", 7.0),
        ("-3", 0.0),
        ("1e9", 3600.0),
        ("nan", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_retry_after(header, seconds):
    assert wait_of(header) == seconds


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T07:08:09Z", "2024-05-06"),
        ("Tue, 15 Nov 1994 12:45:26 GMT", "1994-11-15"),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_of_publication(text, day):
    assert iso_date(text) == day
