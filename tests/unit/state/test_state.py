"""Every value of the state survives a checkpoint with equality, and its rules hold."""

import ast
import inspect
import textwrap
import typing
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import ValidationError

from tests.support.examples import examples
from weiwo import state
from weiwo.state import (
    Claim,
    Evidence,
    Limits,
    ModelCall,
    Outcome,
    Usage,
    Value,
    passage_id,
)
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchInput, SearchOutput, SearchState, add_usage, merge_by_key, merge_evidence
from weiwo.state.settings import Context, Settings, SettingsError

VALUES = [
    kind
    for name in state.__all__
    if isinstance(kind := getattr(state, name), type) and issubclass(kind, Value) and kind is not Value
]
text = st.text(max_size=12)
number = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
st.register_type_strategy(float, st.floats(0.001, 1))
st.register_type_strategy(int, st.integers(1_000, 2**40))


def strategy_for(model: type[Value]) -> st.SearchStrategy[Value]:
    """Build a model from the types of its fields; JSON values are drawn as such."""
    fields = {}
    for name, field in model.model_fields.items():
        fields[name] = _of(field.annotation)
    return st.builds(model, **fields)


def _of(kind: object) -> st.SearchStrategy:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is state.JsonValue:
        drawn = json_values
    elif kind is QueryFrame:  # which holds further frames
        drawn = st.builds(QueryFrame, question=text, language=st.sampled_from(["en", "zh"]))
    elif isinstance(kind, type) and issubclass(kind, Value):
        drawn = strategy_for(kind)
    elif origin is tuple and args[-1] is Ellipsis:
        drawn = st.lists(_of(args[0]), max_size=3).map(tuple)
    elif origin is tuple:
        drawn = st.tuples(*map(_of, args))
    elif origin is dict:
        drawn = st.dictionaries(_of(args[0]), _of(args[1]), max_size=3)
    elif origin is typing.Literal:
        drawn = st.sampled_from(args)
    elif type(None) in args:
        drawn = st.none() | st.one_of(*(_of(arg) for arg in args if arg is not type(None)))
    else:
        drawn = text if kind is str else st.from_type(kind)
    return drawn


@pytest.mark.parametrize("model", VALUES, ids=lambda model: model.__name__)
@given(data=st.data())
@examples(25)
def test_values_survive_a_strict_checkpoint(model, data):
    value = data.draw(strategy_for(model))
    strict = JsonPlusSerializer(allowed_msgpack_modules=[(m.__module__, m.__name__) for m in VALUES])
    back = strict.loads_typed(strict.dumps_typed({"channel": [value]}))["channel"][0]
    assert type(back) is model
    assert back == value


def test_every_value_that_a_checkpoint_can_hold_is_exported():
    found = {
        kind
        for module in (
            "answer",
            "assessment",
            "evidence",
            "ledger",
            "limits",
            "plan",
            "query",
            "repair",
            "report",
            "task",
        )
        for kind in _made_in(module)
    }
    assert found == set(VALUES)


def _made_in(module):
    members = vars(import_module(f"weiwo.state.{module}")).values()
    return [kind for kind in members if isinstance(kind, type) and issubclass(kind, Value) and kind is not Value]


def test_values_are_frozen_and_refuse_unknown_fields():
    claim = Claim(text="x", verdict="supported")
    with pytest.raises(ValidationError):
        claim.text = "y"
    with pytest.raises(ValidationError):
        Claim(text="x", verdict="supported", score=1)


@pytest.mark.parametrize("schema", [SearchState, SearchInput, SearchOutput])
def test_every_state_field_is_documented(schema):
    body = ast.parse(textwrap.dedent(inspect.getsource(schema))).body[0].body[1:]
    fields = [node.target.id for node in body if isinstance(node, ast.AnnAssign)]
    documented = [
        before.target.id
        for before, after in pairwise(body)
        if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    ]
    assert fields == documented


def test_a_passage_is_known_by_its_words():
    assert passage_id("Ａ  b\nc") == passage_id("a B C")
    assert passage_id("a b c") != passage_id("a b d")


def test_evidence_found_twice_keeps_all_origins():
    one = Evidence(id="x", text="t", source="s", task_ids=("a",), score=1, rank=3)
    two = Evidence(id="x", text="t", source="s", task_ids=("b", "a"), score=2, rank=1)
    merged = merge_evidence({"x": one}, {"x": two})["x"]
    assert (merged.task_ids, merged.score, merged.rank) == (("a", "b"), 2, 1)
    elsewhere = Evidence(id="x", text="t", source="u", also=("v", "s"), flags=("instructions",))
    merged = merge_evidence({"x": one}, {"x": elsewhere})["x"]
    assert (merged.source, merged.also, merged.flags) == ("s", ("u", "v"), ("instructions",))


def test_newer_outcomes_replace_older_and_usage_adds_up():
    old, new = Outcome(task_id="a", status="empty"), Outcome(task_id="a", status="succeeded", value="v")
    assert merge_by_key({"a": old}, {"a": new}) == {"a": new}
    call = ModelCall(role="writer", purpose="draft", model="m", mode="text")
    total = add_usage(
        Usage(model_calls=1, seconds=1.5, calls=(call,)), Usage(model_calls=2, tool_calls=3, calls=(call,))
    )
    assert total == Usage(model_calls=3, tool_calls=3, seconds=1.5, calls=(call, call))


def test_the_run_wins_over_the_environment_over_the_default():
    env = {"WEIWO_MODEL": "openai:env", "WEIWO_MAX_SECONDS": "7", "WEIWO_WRITER_MODEL": "openai:w", "WEIWO_HOME": "/h"}
    resolved = Settings.resolve(Context(model="openai:run"), env)
    assert resolved.models["planner"] == "openai:run"
    assert resolved.models["writer"] == "openai:w"
    assert resolved.limits.max_seconds == 7
    assert resolved.limits.max_parallel == Limits().max_parallel
    assert resolved.home == "/h"


def test_without_a_model_no_role_has_one():
    assert Settings.resolve(env={}).models == {}


def test_depth_sets_the_limits_that_are_not_set():
    assert Settings.resolve(env={}).limits == Limits()
    quick, deep = (Settings.resolve(Context(depth=depth, max_pages=5), {}).limits for depth in ("quick", "deep"))
    assert quick.max_turns < Limits().max_turns < deep.max_turns
    assert quick.max_pages == deep.max_pages == 5
    assert Settings.resolve(Context(max_turns=4), {"WEIWO_DEPTH": "deep"}).limits.max_turns == 4


def test_lists_of_the_environment():
    env = {"WEIWO_SEARCH": "searxng, wikipedia,", "WEIWO_ALLOW_HOSTS": "wiki.corp,10.1.0.0/16"}
    resolved = Settings.resolve(env=env)
    assert (resolved.search, resolved.allow_hosts) == (("searxng", "wikipedia"), ("wiki.corp", "10.1.0.0/16"))
    assert Settings.resolve(Context(search=["arxiv"]), env).search == ("arxiv",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEIWO_MAX_SECONDS", "soon"),
        ("WEIWO_MAX_SECONDS", "-1"),
        ("WEIWO_MAX_PARALLEL", "0"),
        ("WEIWO_MAX_MODEL_CALLS", "1.5"),
        ("WEIWO_MODEL", "gpt-5"),
        ("WEIWO_MODEL", ":x"),
        ("WEIWO_WEB", "maybe"),
        ("WEIWO_TELEMETRY", "perhaps"),
    ],
)
def test_a_malformed_variable_is_named_in_one_line(name, value):
    with pytest.raises(SettingsError) as caught:
        Settings.resolve(env={name: value})
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
