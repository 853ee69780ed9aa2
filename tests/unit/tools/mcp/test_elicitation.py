"""A server's request to the user: bounded, never for a secret, and only where there is a user to ask."""

import pytest

pytest.importorskip("mcp_types", reason="needs the extra: pip install 'weiwo[mcp]'")

import asyncio
from typing import Any

import mcp_types as types

from weiwo.tools.calling.elicitation import MOST_ASKED, NOBODY, UserAnswers
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.mcp.call_gate import CallGate
from weiwo.tools.mcp.definitions import ToolDefinition
from weiwo.tools.mcp.elicitation import Elicitor, read_elicitation

TOOL = ToolDefinition("desk_close", "desk", "close", "Close a ticket.", {"type": "object", "properties": {}})
ASKING = UserAnswers(may_ask=True)
REASON = {"reason": {"type": "string"}}


def form(message: str = "Why?", properties: Any = None, **more: Any) -> types.ElicitRequestFormParams:
    schema = {"type": "object", "properties": REASON if properties is None else properties, **more}
    return types.ElicitRequestFormParams(message=message, requested_schema=schema)


def page(url: str) -> types.ElicitRequestURLParams:
    return types.ElicitRequestURLParams(message="Sign in.", url=url, elicitation_id="1")


@pytest.mark.parametrize(
    ("params", "why"),
    [
        (form(properties={"password": {"type": "string"}}), "secret"),
        (form(properties={"apiKey": {"type": "string"}}), "secret"),
        (form(properties={"x": {"type": "string", "title": "您的密码"}}), "secret"),
        (form("Enter your PIN", {"value": {"type": "integer"}}), "secret"),
        (form(properties={"a": {"type": "object", "properties": {}}}), "cannot be shown"),
        (form(properties={"a b": {"type": "string"}}), "cannot be shown"),
        (form(properties={"a": {"type": "string", "enum": list(map(str, range(51)))}}), "cannot be shown"),
        (form(properties={"a": {"type": "array", "items": {"type": "string"}}}), "cannot be shown"),
        (form(properties={f"f{n}": {"type": "string"} for n in range(21)}), "at most 20 fields"),
        (page("http://desk.example.org/x"), "no https address"),
        (page("javascript:alert(1)"), "no address"),
        (page("https://desk.example.org@evil.example/x"), "hides its host"),
        (page("https://desk.example.org/\u202ex"), "no address"),
        (page("https://desk.example.org/" + "x" * 2_000), "no address"),
    ],
)
def test_what_no_user_is_to_see_is_declined_and_said(params, why):
    elicitor = Elicitor(TOOL, ASKING)
    answer = elicitor.answer(params)
    assert isinstance(answer, types.ElicitResult)
    assert answer.action == "decline"
    assert elicitor.ends_with() is None
    assert why in elicitor.notes[0]
    assert why in elicitor.explain(ToolCallError("crash", "it failed")).message


@pytest.mark.parametrize(
    "params",
    [
        form(properties={"reset": {"type": "boolean", "title": "Reset the password?"}}),
        form(properties={"n": {"type": "integer", "description": "Give no pin or password."}}),
        page("http://127.0.0.1:8000/x"),
    ],
)
def test_words_about_secrets_are_no_request_for_one(params):
    assert read_elicitation(params, TOOL)[1] == ""


def test_a_form_keeps_what_is_needed_of_it_bounded():
    rule = {
        "type": "string",
        "title": "T" * 500,
        "description": "a\nb",
        "pattern": "(a+)+$",
        "$ref": "#/x",
        "default": "d",
    }
    found, _ = read_elicitation(form("M" * 5_000, {"reason": rule}, required=["reason", "gone"]), TOOL)
    assert found is not None
    assert len(found.message) == 1_000
    kept = {"type": "string", "title": "T" * 99 + "…", "description": "a b", "default": "d"}
    assert found.schema == {"type": "object", "properties": {"reason": kept}, "required": ["reason"]}


def test_the_call_ends_with_the_request_and_has_the_answer_when_it_is_made_again():
    first = Elicitor(TOOL, ASKING)
    assert isinstance(first.answer(form()), types.ErrorData)
    asks = first.ends_with()
    assert asks is not None
    key = asks.elicitation.key
    again = Elicitor(
        TOOL, UserAnswers(({"key": key, "action": "accept", "content": {"reason": "done"}},), may_ask=True)
    )
    answer = again.answer(form())
    assert isinstance(answer, types.ElicitResult)
    assert (answer.action, answer.content) == ("accept", {"reason": "done"})
    assert isinstance(again.answer(form("And who?")), types.ErrorData)


def test_without_anybody_to_ask_or_too_often_it_is_declined():
    alone = Elicitor(TOOL, NOBODY)
    assert alone.answer(form()).action == "decline"  # type: ignore[union-attr]
    assert "there is nobody to ask" in alone.notes[0]
    given: Any = tuple({"key": str(n), "action": "accept", "content": {}} for n in range(MOST_ASKED))
    often = Elicitor(TOOL, UserAnswers(given, may_ask=True))
    assert often.answer(form()).action == "decline"  # type: ignore[union-attr]
    assert "more than 4 times" in often.notes[0]


@pytest.mark.parametrize("links", [None, [], [7], [{"message": "x"}], {"a": 1}])
def test_an_error_that_names_no_page_asks_nothing(links):
    elicitor = Elicitor(TOOL, ASKING)
    elicitor.require(links)
    assert elicitor.ends_with() is None


async def test_a_request_that_names_no_call_is_of_the_only_one_and_then_calls_go_one_by_one():
    gate, done = CallGate(), asyncio.Event()
    elicitors = [Elicitor(TOOL, ASKING) for _ in range(3)]
    entered: list[int] = []
    inside = [asyncio.Event() for _ in elicitors]

    async def call(number: int) -> None:
        async with gate.enter(elicitors[number], acts=False, anonymous=True):
            entered.append(number)
            inside[number].set()
            await done.wait()

    first = [asyncio.create_task(call(number)) for number in (0, 1)]
    await asyncio.gather(inside[0].wait(), inside[1].wait())
    assert gate.find() is None
    assert [one.unclear for one in elicitors] == [True, True, False]
    alone = asyncio.create_task(call(2))
    for _ in range(10):
        await asyncio.sleep(0)
    assert entered == [0, 1]
    done.set()
    await asyncio.gather(*first, alone)
    assert entered == [0, 1, 2]
    async with gate.enter(elicitors[0], acts=True, anonymous=True):
        assert gate.find() is elicitors[0]
