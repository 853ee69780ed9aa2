"""Layers of a plan, and the picture of them."""

from itertools import chain
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.app.export.plan_picture import _arrange_layers, draw_plan
from weiwo.app.export.report import Step

NAMES = "abcdefgh"
EDGES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda edge: edge[0] < edge[1]))


@given(EDGES)
def test_an_edge_leads_to_a_later_layer(edges: list[tuple[str, str]]) -> None:
    layers = _arrange_layers(list(NAMES), edges)
    level = {task_id: number for number, layer in enumerate(layers) for task_id in layer}
    assert sorted(level) == list(NAMES)
    assert all(level[a] < level[b] for a, b in edges)


def test_a_layer_is_ordered_to_keep_arrows_short() -> None:
    assert _arrange_layers(["a", "b", "x", "y"], [("a", "y"), ("b", "x")]) == [["a", "b"], ["y", "x"]]


def test_a_cycle_is_drawn_as_well_as_can_be() -> None:
    assert sorted(chain(*_arrange_layers(["a", "b"], [("a", "b"), ("b", "a")]))) == ["a", "b"]


def step(task_id: str, text: str = "How long is it?", value: str = "") -> Step:
    return Step(task_id, text, "corpus_search", "succeeded" if value else "", value)


@pytest.mark.parametrize(
    "text", ["word " * 60, "长江有多长" * 30, "x" * 400, "<b>&amp;</b> ]]>", "\u0301\u200d 🙂" * 40, ""]
)
@pytest.mark.parametrize("long", [True, False])
def test_texts_stay_in_their_boxes(text: str, long: bool) -> None:  # noqa: FBT001 - a parameter
    steps = [step(f"t{n}", text, text[:90]) for n in range(7)]
    edges = [(f"t{n}", f"t{n + 1}") for n in range(6 if long else 1)]
    svg = ET.fromstring(draw_plan(steps, edges, "en"))  # noqa: S314 - our own
    _, _, width, height = map(int, svg.attrib["viewBox"].split())
    boxes = [one.attrib for one in svg.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(boxes) == 7
    for box in boxes:
        assert 0 <= int(box["x"]) <= width - int(box["width"])
        assert 0 <= int(box["y"]) <= height - int(box["height"])


def test_one_task_or_far_too_many_are_no_picture() -> None:
    assert draw_plan([step("a")], [], "en") == ""
    assert draw_plan([step(f"t{n}") for n in range(99)], [], "en") == ""
