"""`for_each`: the items, their instances, and one outcome for the whole."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.states import got, lost, passage, search
from weiwo.nodes.executor.for_each import ForEach, join_outcomes, list_items, make_instance, read_for_each
from weiwo.nodes.shared.planning.references import fill_args, fill_text
from weiwo.state import Outcome, OutcomeDetail, Quote, Rival

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
    found, source = list_items(TASK, people(value))
    assert found == items
    assert source is not None
    assert source.task_id == "people"


def test_without_its_list_there_are_no_items():
    assert list_items(TASK, {"other": got("other", ["x"], "list[text]")}) == ([], None)


@pytest.mark.parametrize("reference", ["{{item}}", "{{ item.ret }}", "{{people.ret}}"])
@pytest.mark.parametrize(
    ("item", "type_", "written"),
    [("Ada", "list[text]", "Ada"), ("-156", "list[date]", "156 BC"), (6300, "list[number]", "6,300")],
)
def test_inside_an_instance_both_ways_of_writing_mean_the_item(reference, item, type_, written):
    inputs = people([item], type_)
    task = TASK.model_copy(update={"description": f"About {reference}", "args": {"query": reference}})
    instance, bound = make_instance(task, item, 4, inputs["people"], inputs)
    assert (instance.id, instance.for_each) == ("births[5]", None)
    assert fill_text(instance.description, bound, "en") == f"About {written}"
    assert fill_args(instance, bound, "en", {"properties": {"query": {"type": "string"}}}) == {"query": written}
    assert bound["other"] == inputs["other"]


def test_passages_are_iterated_as_texts():
    inputs = people(["First page.", "Second page."], "passages")
    _, bound = make_instance(TASK, "First page.", 0, inputs["people"], inputs)
    assert fill_text("Sum up: {{item}}", bound, "en") == "Sum up: First page."


def over(*items: Any, cut: int = 0) -> ForEach:
    """A run over these items, all different."""
    fan = read_for_each(TASK, people(list(items)), 1000)
    return ForEach(fan.items, fan.positions, fan.starts, cut)


ONE, TWO = passage("Ada was born in 1815."), passage("Alan was born in 1912.")


def test_values_are_joined_in_item_order_with_all_they_rest_on():
    outcomes = {
        1: got("births[2]", "1912", on=TWO, attempts=2, seconds=1.5, confidence=0.5, decided_by="model"),
        0: got("births[1]", "1815", on=ONE, attempts=1, seconds=0.5, quotes=(Quote(evidence_id=ONE.id, text="1815"),)),
    }
    whole = join_outcomes(TASK, over("Ada", "Alan"), outcomes)
    assert (whole.task_id, whole.status, whole.value, whole.type) == (
        "births",
        "succeeded",
        ["1815", "1912"],
        "list[date]",
    )
    assert whole.evidence_ids == (ONE.id, TWO.id)
    assert [quote.text for quote in whole.quotes] == ["1815"]
    assert (whole.attempts, whole.seconds, whole.confidence, whole.decided_by) == (3, 2.0, 0.5, "model")
    assert whole.detail == OutcomeDetail(items=("Ada", "Alan"))
    assert whole.note == ""


def test_what_some_items_lack_is_said_and_the_rest_kept():
    whole = join_outcomes(
        TASK, over("Ada", "Bob", "Alan", cut=7), {0: got("1", "1815"), 1: lost("2"), 2: got("3", "1912")}
    )
    assert whole.value == ["1815", "1912"]
    assert whole.detail == OutcomeDetail(items=("Ada", "Alan"), missing=("Bob",))
    assert "7 more items" in whole.note
    assert "Bob" in whole.note


def test_lists_of_lists_are_one_list():
    task = search("x", "Who?", for_each="{{people.ret}}", ret="list[text]")
    whole = join_outcomes(task, over(1, 2), {0: got("1", ["a", "b"], "list[text]"), 1: got("2", ["c"], "list[text]")})
    assert (whole.value, whole.type) == (["a", "b", "c"], "list[text]")
    assert whole.detail.items == (1, 1, 2)  # the item that each value belongs to


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
    whole = join_outcomes(TASK, over("a", "b"), {n: lost(str(n), k) for n, k in enumerate(kinds)})
    assert (whole.status, whole.value, whole.usable) == (status, None, False)
    assert whole.failure is not None
    assert whole.failure.kind == kind
    assert whole.failure.task_id == "births"


def test_over_an_empty_list_it_is_an_empty_list():
    whole = join_outcomes(TASK, over(), {})
    assert (whole.status, whole.value, whole.type, whole.failure) == ("succeeded", [], "list[date]", None)


def joined(*values: Any) -> dict[str, Outcome]:
    """A list that a `for_each` task joined: each value belongs to an item of its own."""
    return {"people": got("people", list(values), "list[text]", detail={"items": list(range(len(values)))})}


def test_in_a_joined_list_every_value_keeps_its_place_and_equal_ones_run_once():
    fan = read_for_each(TASK, joined("France", "Peru", "FRANCE ", "Chad", "Peru"), 100)
    assert fan.items == ["France", "Peru", "FRANCE ", "Chad", "Peru"]
    assert fan.positions == [0, 1, 0, 2, 1]
    assert [start["task"].id for start in fan.starts] == ["births[1]", "births[2]", "births[3]"]
    assert [start["inputs"]["item"].value for start in fan.starts] == ["France", "Peru", "Chad"]
    whole = join_outcomes(TASK, fan, {0: got("1", "67"), 1: lost("2"), 2: got("3", "20")})
    assert whole.value == ["67", "67", "20"]
    assert whole.detail == OutcomeDetail(items=("France", "FRANCE ", "Chad"), missing=("Peru",))


def test_the_limit_bounds_instances():
    assert read_for_each(TASK, people(["a", "b", "a", "c", "d"]), 2).cut == 2
    fan = read_for_each(TASK, joined("a", "b", "a", "c", "b", "d"), 2)
    assert (fan.items, fan.positions, fan.cut) == (["a", "b", "a", "b"], [0, 1, 0, 1], 2)
    assert "2 more items were skipped (limit: 2)" in join_outcomes(TASK, fan, {0: got("1", "x"), 1: got("2", "y")}).note


def test_a_note_names_only_some_of_many_that_are_missing():
    fan = over(*range(500))
    whole = join_outcomes(TASK, fan, {n: lost(str(n)) if n else got("0", "1") for n in range(500)})
    assert whole.note.endswith("9, 10 and 489 more")
    assert len(whole.detail.missing) == 499


def test_that_a_limit_of_the_run_broke_some_off_is_said():
    whole = join_outcomes(TASK, over("a", "b"), {0: got("1", "1815"), 1: lost("2", "limit")})
    assert whole.usable
    assert whole.trace.limited


lists = st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(-2, 2), st.booleans()), max_size=12)


@given(lists, st.booleans(), st.integers(1, 6), st.data())
def test_values_items_and_what_is_missing_always_add_up(values, was_joined, limit, data):
    fan = read_for_each(TASK, joined(*values) if was_joined else people(values), limit)
    assert len(fan.starts) <= limit
    assert len(fan.items) == len(fan.positions)
    assert set(fan.positions) == set(range(len(fan.starts)))
    ends = [data.draw(st.sampled_from(["value", "list", "none"])) for _ in fan.starts]
    outcomes = {
        n: lost(str(n)) if end == "none" else got(str(n), [str(n), str(n)] if end == "list" else str(n))
        for n, end in enumerate(ends)
    }
    whole = join_outcomes(TASK, fan, outcomes)
    if whole.usable:
        assert isinstance(whole.value, list)
        assert whole.detail.items is not None
        assert len(whole.value) == len(whole.detail.items)
        belongs = {(str(item), str(position)) for item, position in zip(fan.items, fan.positions, strict=True)}
        assert {(str(i), v) for i, v in zip(whole.detail.items, whole.value, strict=True)} <= belongs
    else:
        assert fan.starts
        assert set(ends) == {"none"}


def test_a_note_names_the_items_that_sources_disagree_about():
    other = Rival(value="1816", evidence_ids=("e",), quotes=())
    whole = join_outcomes(TASK, over("Ada", "Alan"), {0: got("1", "1815", rivals=(other,)), 1: got("2", "1912")})
    assert whole.note == "sources disagree about Ada"


def test_what_one_item_only_implies_or_denies_is_told_of_the_whole():
    denied = got("2", "Alan was never crowned.", premise="Alan was crowned")
    whole = join_outcomes(TASK, over("Ada", "Alan"), {0: got("1", "1815", basis="implied"), 1: denied})
    assert (whole.value, whole.basis) == (["1815"], "implied")
    assert whole.note == "no value for Alan; Alan was never crowned."
