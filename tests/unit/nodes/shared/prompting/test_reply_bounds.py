"""Every list and string of every reply that a model is asked for is bounded, and so is the reply."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

import weiwo.nodes
from weiwo.models.schema import json_schema
from weiwo.nodes.executor.replies import ReadReply
from weiwo.nodes.shared.planning.plan_reply import PlanReply
from weiwo.nodes.shared.prompting.reply_types import Reply

_GRAMMARS_STOP = 2_000
"""Repetitions from which llama.cpp refuses a grammar."""


def _replies() -> list[type[Reply]]:
    for module in pkgutil.walk_packages(weiwo.nodes.__path__, "weiwo.nodes."):
        importlib.import_module(module.name)
    importlib.import_module("weiwo.app.evaluation.judge")
    found, waiting = [], [Reply]
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        found += [one for one in below if one.__module__.startswith("weiwo.")]
    return sorted(set(found), key=lambda one: one.__qualname__)


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for inner in node:
            yield from _nodes(inner)
    elif isinstance(node, dict):
        yield node
        for inner in node.values():
            yield from _nodes(inner)


def test_all_replies_are_found() -> None:
    names = {one.__name__ for one in _replies()}
    assert {"ReadReply", "BatchReadReply", "AssessmentReply", "PlanReply", "RepairReply", "EntailmentReply"} <= names
    assert {"RewriteReply", "OutlineReply", "AnalysisReply", "PerspectivesReply", "ReflectionReply"} <= names


@pytest.mark.parametrize("schema", _replies(), ids=lambda one: one.__name__)
@pytest.mark.parametrize("unbounded", [frozenset(), frozenset({"maxLength"})])
def test_each_list_and_string_is_bounded(schema: type[Reply], unbounded: frozenset[str]) -> None:
    for told in (schema.model_json_schema(), json_schema(schema, unbounded)[0]):
        for node in _nodes(told):
            if node.get("type") == "array":
                assert 0 < node["maxItems"] <= 100, node
            if node.get("type") == "string" and not {"enum", "const"} & node.keys() and not unbounded:
                assert 0 < node["maxLength"] < _GRAMMARS_STOP, node
    assert 0 < schema.tokens <= 4_000


def test_what_goes_on_and_on_is_read_up_to_its_bound() -> None:
    reply = ReadReply.model_validate({"next": "search", "queries": ["a"] * 500, "missing": "x" * 9_000})
    assert (len(reply.queries), len(reply.missing)) == (6, 400)
    plan = PlanReply.model_validate({"vertices": [{"id": str(n), "description": "d", "tool": "t"} for n in range(900)]})
    assert len(plan.vertices) == 60
