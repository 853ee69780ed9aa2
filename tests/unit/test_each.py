"""`for_each`: the items, their instances, and one outcome for the whole."""

from typing import Any

import pytest

from nodes.each import instance_of, items_of, join
from nodes.handoff import fill_args, fill_text
from state import Outcome, Quote
from tests.support.states import got, lost, passage, search

TASK = search("births", "When was {{item}} born?", "{{item}} born", for_each="{{people.ret}}")


def people(value: Any, type_: Any = "list[text]") -> dict[str, Outcome]:
    return {"people": got("people", value, type_), "other": got("other", "x", "text")}


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (["Ada", "Alan"], ["Ada", "Alan"]),
        (["Ada", "Alan", "Ada"], ["Ada", "Alan"]),
        (["Ada", " ", "", None, "Alan"], ["Ada", "Alan"]),
        (["Ada", "ADA ", "Alan"], ["Ada", "Alan"]),
        ([3, 1, 3, 2], [3, 1, 2]),
        ([0, False], [0, False]),
        ([], []),
        ("Ada", ["Ada"]),
    ],
)
def test_items_come_once_each_in_the_order_of_the_list(value, items):
    found, source = items_of(TASK, people(value))
    assert found == items
    assert source is not None
    assert source.task_id == "people"


def test_without_its_list_there_are_no_items():
    assert items_of(TASK, {"other": got("other", ["x"], "list[text]")}) == ([], None)


@pytest.mark.parametrize("reference", ["{{item}}", "{{ item.ret }}", "{{people.ret}}"])
@pytest.mark.parametrize(
    ("item", "type_", "written"),
    [("Ada", "list[text]", "Ada"), ("-156", "list[date]", "156 BC"), (6300, "list[number]", "6,300")],
)
def test_inside_an_instance_both_ways_of_writing_mean_the_item(reference, item, type_, written):
    inputs = people([item], type_)
    task = TASK.model_copy(update={"description": f"About {reference}", "args": {"query": reference}})
    instance, bound = instance_of(task, item, 4, inputs["people"], inputs)
    assert (instance.id, instance.for_each) == ("births[5]", None)
    assert fill_text(instance.description, bound, "en") == f"About {written}"
    assert fill_args(instance, bound, "en", {"properties": {"query": {"type": "string"}}}) == {"query": written}
    assert bound["other"] == inputs["other"]


def test_passages_are_iterated_as_texts():
    inputs = people(["First page.", "Second page."], "passages")
    _, bound = instance_of(TASK, "First page.", 0, inputs["people"], inputs)
    assert fill_text("Sum up: {{item}}", bound, "en") == "Sum up: First page."


ONE, TWO = passage("Ada was born in 1815."), passage("Alan was born in 1912.")


def test_values_are_joined_in_item_order_with_all_they_rest_on():
    outcomes = {
        1: got("births[2]", "1912", on=TWO, attempts=2, seconds=1.5, confidence=0.5, decided_by="model"),
        0: got("births[1]", "1815", on=ONE, attempts=1, seconds=0.5, quotes=(Quote(evidence_id=ONE.id, text="1815"),)),
    }
    whole = join(TASK, ["Ada", "Alan"], outcomes, 0)
    assert (whole.task_id, whole.status, whole.value, whole.type) == (
        "births",
        "succeeded",
        ["1815", "1912"],
        "list[date]",
    )
    assert whole.evidence_ids == (ONE.id, TWO.id)
    assert [quote.text for quote in whole.quotes] == ["1815"]
    assert (whole.attempts, whole.seconds, whole.confidence, whole.decided_by) == (3, 2.0, 0.5, "model")
    assert whole.detail == {"items": ["Ada", "Alan"], "missing": []}
    assert whole.note == ""


def test_what_some_items_lack_is_said_and_the_rest_kept():
    whole = join(TASK, ["Ada", "Bob", "Alan"], {0: got("1", "1815"), 1: lost("2"), 2: got("3", "1912")}, 7)
    assert whole.value == ["1815", "1912"]
    assert whole.detail == {"items": ["Ada", "Alan"], "missing": ["Bob"]}
    assert "7 more items" in whole.note
    assert "Bob" in whole.note


def test_lists_of_lists_are_one_list():
    task = search("x", "Who?", for_each="{{people.ret}}", ret="list[text]")
    whole = join(task, [1, 2], {0: got("1", ["a", "b"], "list[text]"), 1: got("2", ["c"], "list[text]")}, 0)
    assert (whole.value, whole.type) == (["a", "b", "c"], "list[text]")


@pytest.mark.parametrize(
    ("kinds", "status", "kind"),
    [
        (["empty", "empty"], "empty", "empty"),
        (["empty", "timeout"], "failed", "incomplete"),
        (["timeout", "timeout"], "failed", "timeout"),
        (["limit", "limit"], "failed", "limit"),
    ],
)
def test_when_no_item_has_a_value_the_whole_has_none(kinds, status, kind):
    whole = join(TASK, ["a", "b"], {n: lost(str(n), k) for n, k in enumerate(kinds)}, 0)
    assert (whole.status, whole.value, whole.usable) == (status, None, False)
    assert whole.failure is not None
    assert whole.failure.kind == kind
    assert whole.failure.task_id == "births"


def test_over_an_empty_list_it_is_an_empty_list():
    whole = join(TASK, [], {}, 0)
    assert (whole.status, whole.value, whole.type, whole.failure) == ("succeeded", [], "list[date]", None)
