"""Calling any tool: arguments, time, size, failures, retries."""

import asyncio
import json
import math
from contextlib import asynccontextmanager
from typing import Annotated, Literal

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.tools import InjectedToolArg, StructuredTool, Tool, ToolException, tool
from pydantic import BaseModel

from tests.support.virtual_time import now, virtual_time
from tests.support.waiting import until
from weiwo.state import Evidence, passage_id
from weiwo.text.printable import is_secret, redact_secrets
from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.calling.invoke import Backoff, run_tool
from weiwo.tools.calling.results import _MOST_PASSAGES
from weiwo.tools.compute.calculator import Calculator

SOON = Backoff(first=0.01)
A, B = "https://a.org/1", "https://a.org/2"


async def call(made, args=None, *, seconds=5.0, max_bytes=100_000, backoff=SOON):
    return await run_tool(made, args or {}, seconds=seconds, max_bytes=max_bytes, backoff=backoff)


async def failure(made, args=None, **kwargs) -> ToolCallError:
    with pytest.raises(ToolCallError) as caught:
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
    assert result.seconds > 0


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
    assert [(p.text, p.source, p.rank) for p in passages] == [("First.", A, 1), ("Second.", B, 2)]
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
    assert len(result.passages) == _MOST_PASSAGES
    assert all(len(passage.text) < 2_000 for passage in result.passages)


async def test_size_is_bounded_and_told():
    result = await call(replying("汉" * 1_000_000), max_bytes=10_000)
    assert len(result.content.encode()) <= 10_000
    assert sum(len(passage.text.encode()) for passage in result.passages) <= 10_000
    assert result.detail == {"truncated": True}


async def test_a_passage_that_comes_twice_cuts_nothing():
    found = [{"title": name, "url": f"https://{name}.example.org", "content": "Same text."} for name in ("a", "b")]
    result = await call(replying(found))
    assert (len(result.passages), result.detail) == (1, {})


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
        (ToolException("no such city"), "refused", 1),
        (ValueError("boom\nsecond line"), "crash", 1),
        (FileNotFoundError("x"), "not_found", 1),
        (PermissionError("x"), "blocked", 1),
        (ConnectionResetError("x"), "crash", 3),
        (httpx.ConnectError("x"), "crash", 3),
        (httpx.ReadTimeout("x"), "timeout", 2),
        (TimeoutError(), "timeout", 2),
        (http_error(401), "auth", 1),
        (http_error(403), "blocked", 1),
        (http_error(404), "not_found", 1),
        (http_error(422), "bad_arguments", 1),
        (http_error(429), "rate_limit", 3),
        (http_error(503), "crash", 3),
        (ExceptionGroup("g", [http_error(429)]), "rate_limit", 3),
        (ToolCallError("not_found", "gone"), "not_found", 1),
        (ToolCallError("oversized", "too much"), "oversized", 1),
    ],
)
async def test_exceptions_are_typed_and_only_passing_ones_tried_again(error, kind, calls):
    failed = await failure(raising(*[error] * 9))
    assert (failed.kind, failed.attempts) == (kind, calls)
    assert failed.message
    assert "abcdef123456" not in failed.message


@pytest.mark.parametrize("errors", [[http_error(503), http_error(429)], [httpx.ReadTimeout("x"), http_error(503)]])
async def test_a_call_that_works_in_the_end_is_a_result(errors):
    result = await call(raising(*errors))
    assert (result.content, result.attempts) == ("fine", 3)


@given(st.integers(1, 8), st.floats(0.01, 2), st.floats(0, 1), st.none() | st.floats(0, 3_600))
def test_waits_grow_with_bounded_jitter_and_are_never_shorter_than_asked(attempt, first, jitter, asked):
    grown = first * 2 ** (attempt - 1)
    wait = Backoff(first=first, jitter=jitter).wait(attempt, asked)
    assert wait >= max(asked or 0, grown * (1 - jitter) - 1e-9)
    assert wait <= max((asked or 0) + first * jitter, grown * (1 + jitter)) + 1e-9


async def test_a_wait_longer_than_it_is_worth_is_not_made():
    failed = await failure(raising(http_error(429, **{"retry-after": "3"})), backoff=Backoff(first=0.01, longest=2))
    assert (failed.kind, failed.attempts, failed.retry_after) == ("rate_limit", 1, 3)


@virtual_time
async def test_the_turn_is_held_while_calling_and_never_while_waiting():
    slots = asyncio.Semaphore(1)
    seen = []

    async def work() -> str:
        seen.append(slots.locked())
        raise httpx.ConnectError("x")

    @asynccontextmanager
    async def turn():
        async with slots:
            yield 5.0

    calling = asyncio.create_task(
        run_tool(made(work), {}, seconds=5, max_bytes=1_000, backoff=Backoff(first=0.1, jitter=0), turn=turn)
    )
    await until(lambda: seen and not slots.locked())
    assert len(seen) == 1, "the slot is free before the second call"
    with pytest.raises(ToolCallError) as caught:
        await calling
    assert (caught.value.attempts, seen) == (3, [True, True, True])


@virtual_time
async def test_waiting_for_the_turn_is_no_part_of_the_time_of_a_call():
    @asynccontextmanager
    async def turn():
        await asyncio.sleep(3)
        yield math.inf

    result = await run_tool(replying("x"), {}, seconds=2, max_bytes=1_000, turn=turn)
    assert (result.content, result.seconds, now()) == ("x", 0, 3)


@virtual_time
async def test_the_end_of_the_runs_time_is_a_limit_and_not_a_timeout():
    async def work() -> str:
        await asyncio.sleep(60)
        return ""

    @asynccontextmanager
    async def turn():
        yield 0.05

    with pytest.raises(ToolCallError) as caught:
        await run_tool(made(work), {}, seconds=5, max_bytes=1_000, turn=turn)
    assert (caught.value.kind, caught.value.attempts) == ("limit", 1)
    assert "max_seconds" in caught.value.message


async def test_a_tool_that_cancels_itself_has_crashed():
    failed = await failure(raising(asyncio.CancelledError()))
    assert (failed.kind, failed.attempts) == ("crash", 1)


@virtual_time
async def test_the_wait_asked_for_is_kept_but_never_past_the_end():
    result = await call(raising(http_error(429, **{"retry-after": "3"})))
    assert result.attempts == 2
    assert 3 <= now() < 5
    before = now()
    failed = await failure(raising(http_error(429, **{"retry-after": "60"})))
    assert (failed.attempts, failed.retry_after, now()) == (1, 60, before)


@virtual_time
async def test_time_is_bounded():
    async def work() -> str:
        await asyncio.sleep(60)
        return ""

    failed = await failure(made(work), seconds=5)
    assert (failed.kind, failed.attempts, now()) == ("timeout", 1, pytest.approx(5))


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
    assert failed.kind == "refused"
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
    assert not {"abcdefgh12345678", "hunter2hunter2"} & set(redact_secrets(text).replace("@", " ").split())
    assert "12345678" not in redact_secrets(text)
    assert "***" in redact_secrets(text)


def test_what_may_hold_a_secret_is_told_by_its_name():
    names = ["WEIWO_MAX_TOKENS", "WEIWO_AUTH", "HF_TOKEN", "OPENAI_API_KEY", "WEIWO_DATABASE_URL", "PGPASSWORD"]
    assert [is_secret(name) for name in names] == [False, False, True, True, True, True]


def test_secrets_of_the_environment_are_struck_out(monkeypatch):
    monkeypatch.setenv("SOME_SERVICE_API_KEY", "plain-looking words")
    assert (
        classify_error(RuntimeError("it said plain-looking words"), "probe").message
        == "probe: RuntimeError: it said ***"
    )
