"""Shapes that models give the right content in, one test a shape."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from weiwo.models.coercion import SchemaMismatchError, coerce_reply


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")
    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class Sketch(BaseModel):
    """A plan."""

    model_config = ConfigDict(extra="forbid")
    next_steps: list[Step]
    note: str = ""


STEP = {"tool": "search", "args": {"query": "x"}}
WANTED = Sketch(next_steps=[Step(tool="search", args={"query": "x"})])


@pytest.mark.parametrize(
    "value",
    [
        {"next_steps": [STEP]},
        [STEP],
        [{"next_steps": [STEP]}],
        '{"next_steps": [{"tool": "search", "args": {"query": "x"}}]}',
        {"Sketch": {"next_steps": [STEP]}},
        {"result": [{"next_steps": [STEP]}]}["result"],
        {"name": "Sketch", "arguments": {"next_steps": [STEP]}},
        {"name": "Sketch", "arguments": '{"next_steps": [{"tool": "search", "args": {"query": "x"}}]}'},
        {"function": "Sketch", "parameters": {"nextSteps": [STEP]}},
        {"type": "object", "properties": {"next_steps": [STEP]}},
        {"nextSteps": [STEP]},
        {"Next Steps": [STEP]},
        {"next_steps": [STEP], "confidence": 0.9},
        {"next_steps": [STEP | {"why": "because"}]},
        {"next_steps": '[{"tool": "search", "args": {"query": "x"}}]'},
        {"next_steps": [{"tool": "search", "args": '{"query": "x"}', "why": "because"}]},
        {"next_steps": STEP},
        {"next_steps": [STEP], "note": None},
        {"next_steps": [{"tool": ["search"], "args": [{"query": "x"}]}]},
        {"thought": "x", "plan": {"next_steps": [STEP]}},
        {"next_steps": ['{"tool": "search", "args": "{\\"query\\": \\"x\\"}"}']},
    ],
)
def test_content_in_another_shape(value: Any) -> None:
    assert coerce_reply(value, Sketch) == WANTED


@pytest.mark.parametrize("value", [None, 3, "words", [], {}, {"next_steps": None}, {"next_steps": [{"args": {}}]}])
def test_content_that_is_not_there_is_not_invented(value: Any) -> None:
    if value == []:
        assert coerce_reply(value, Sketch) == Sketch(next_steps=[])
        return
    with pytest.raises(SchemaMismatchError):
        coerce_reply(value, Sketch)


class Move(BaseModel):
    id: str
    kind: Literal["answer", "give_up"] = "answer"
    names: list[str] = Field(default_factory=list)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"id": 7}, Move(id="7")),
        ({"id": "7", "kind": "Give up"}, Move(id="7", kind="give_up")),
        ({"id": "7", "kind": "ANSWER."}, Move(id="7")),
        ({"id": "7", "names": "x"}, Move(id="7", names=["x"])),
        ({"id": "7", "names": ""}, Move(id="7")),
        ({"id": "7", "names": [None, "x", None]}, Move(id="7", names=["x"])),
        ({"id": "7", "names": '["x", "y"]'}, Move(id="7", names=["x", "y"])),
    ],
)
def test_a_value_in_another_form(value: Any, wanted: Move) -> None:
    assert coerce_reply(value, Move) == wanted


@pytest.mark.parametrize("value", [{"id": None}, {"id": True}, {"id": ["a", "b"]}, {"id": "a", "kind": "dance"}])
def test_a_value_that_could_be_several_is_none(value: Any) -> None:
    with pytest.raises(SchemaMismatchError):
        coerce_reply(value, Move)


def test_the_words_name_field_and_rule_but_not_the_value() -> None:
    class Score(BaseModel):
        score: float = Field(ge=0, le=1)
        level: str

    with pytest.raises(SchemaMismatchError) as misfit:
        coerce_reply({"score": 17.25}, Score)
    assert "score: Input should be less than or equal to 1" in misfit.value.words
    assert "level: Field required" in misfit.value.words
    assert "17.25" not in misfit.value.words
    assert misfit.value.structural

    with pytest.raises(SchemaMismatchError) as misfit:
        coerce_reply({"score": 17.25, "level": "x"}, Score)
    assert not misfit.value.structural


def test_the_value_given_is_left_as_it_was() -> None:
    value = {"next_steps": [STEP | {"why": "because"}]}
    coerce_reply(value, Sketch)
    assert value == {"next_steps": [STEP | {"why": "because"}]}


class Optional(BaseModel):
    """A reply with a field that may be left out."""

    name: str
    quotes: list[str] = []


@pytest.mark.parametrize("key", ["quotes", "Quotes", "QUOTES"])
def test_a_field_that_may_be_left_out_is_found_in_another_spelling(key):
    assert coerce_reply({"name": "a", key: ["b"]}, Optional).quotes == ["b"]


def test_a_field_in_its_own_spelling_counts_before_another():
    assert coerce_reply({"name": "a", "quotes": ["b"], "Quotes": ["c"]}, Optional).quotes == ["b"]
