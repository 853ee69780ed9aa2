"""Schemas: strict only where strict decoding can hold them."""

import json
from typing import Any, Literal

import jsonschema
import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field, JsonValue, SecretStr

from weiwo.models.request_form import _ModeMemory, bind_mode
from weiwo.models.schema import json_schema, schema_name, schema_prompt


class Inner(BaseModel):
    kind: Literal["a", "b"]
    size: int | None = Field(None, ge=0, description="How big.")


class Closed(BaseModel):
    """A closed object."""

    name: str = Field(min_length=1, max_length=9)
    inner: Inner = Field(description="The inner one.")
    more: list[Inner] = []


class Loose(BaseModel):
    args: dict[str, Any]


class Anything(BaseModel):
    value: Any


class Pair(BaseModel):
    pair: tuple[int, str]


class Empty(BaseModel):
    pass


class Tree(BaseModel):
    children: list["Tree"]


def objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for inner in node for found in objects(inner)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" else []
    return own + [found for inner in node.values() for found in objects(inner)]


def test_a_closed_schema_is_strict_with_all_required() -> None:
    schema, strict = json_schema(Closed)
    assert strict
    assert len(objects(schema)) == 2
    for node in objects(schema):
        assert node["additionalProperties"] is False
        assert set(node["required"]) == set(node["properties"])
    assert schema["properties"]["inner"] == {"$ref": "#/$defs/Inner"}
    assert schema["$defs"]["Inner"]["properties"]["size"]["description"] == "How big."
    for word in ("default", "title", "minLength", "maxLength"):
        assert f"'{word}'" not in str(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"name": "n", "inner": {"kind": "a", "size": None}, "more": []}, schema)


@pytest.mark.parametrize("schema", [Loose, Anything, Pair, Empty])
def test_an_open_schema_is_left_as_it_is(schema: type[BaseModel]) -> None:
    found, strict = json_schema(schema)
    assert not strict
    assert found == schema.model_json_schema()


def test_a_schema_may_refer_to_itself() -> None:
    schema, strict = json_schema(Tree)
    assert strict or schema == Tree.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)


def test_the_prompt_names_and_holds_the_schema() -> None:
    assert f'JSON schema "{schema_name(Closed)}"' in schema_prompt(Closed)
    assert '"How big."' in schema_prompt(Closed)


def test_the_prompt_has_no_word_that_says_nothing() -> None:
    class Titled(BaseModel):
        title: str
        args: dict[str, JsonValue]

    told = schema_prompt(Titled)
    schema = json.loads(told.partition("\n")[2])
    assert schema["properties"] == {
        "title": {"type": "string"},
        "args": {"additionalProperties": {}, "type": "object"},
    }
    assert "$defs" not in schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "#/$defs/Inner" in schema_prompt(Closed)


def test_a_generic_name_is_made_fit_for_a_request() -> None:
    assert schema_name(type("Reading[int]", (BaseModel,), {})) == "Reading_int_"


def test_a_step_down_in_doubt_is_forgotten_and_a_certain_one_is_not() -> None:
    now = [0.0]
    memory = _ModeMemory(lambda: now[0])
    memory.remember("sure", "function_call", certain=True)
    memory.remember("doubt", "json_text", certain=False)
    now[0] = 800
    memory.remember("doubt", "json_text", certain=False)
    assert (memory.recall_mode("sure"), memory.recall_mode("doubt")) == ("function_call", "json_text")
    now[0] = 1000
    assert (memory.recall_mode("sure"), memory.recall_mode("doubt")) == ("function_call", None)


def test_one_schema_that_is_refused_tells_nothing_of_the_others() -> None:
    memory = _ModeMemory(lambda: 0.0)
    memory.remember("e", "function_call", "PlanReply", certain=True)
    assert (memory.recall_mode("e", "PlanReply"), memory.recall_mode("e", "ReadReply")) == ("function_call", None)
    memory.remember("e", "json_schema", "ReadReply", certain=True)
    assert memory.recall_mode("e", "OutlineReply") == "json_schema"
    for name in ("PlanReply", "ReadReply"):
        memory.remember("f", "json_text", name, certain=True)
    assert (memory.recall_mode("f", "OutlineReply"), memory.recall_mode("f")) == ("json_text", "json_text")


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        (None, {"maxItems"}),
        ("https://openrouter.ai/api/v1", {"maxItems"}),
        ("http://127.0.0.1:8080/v1", {"maxItems", "maxLength"}),
        ("http://llama.local/v1", {"maxItems", "maxLength"}),
    ],
)
def test_only_servers_that_know_a_bound_are_sent_it(base_url: str | None, words: set[str]) -> None:
    class Bounded(BaseModel):
        names: list[str] = Field(max_length=3)
        word: str = Field(max_length=9)

    model = ChatOpenAI(model="m", api_key=SecretStr("k"), base_url=base_url)
    asked = str(bind_mode(model, "json_schema", Bounded))
    assert {word for word in ("maxItems", "maxLength") if word in asked} == words
