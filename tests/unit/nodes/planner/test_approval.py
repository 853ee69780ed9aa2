"""Approval: what an answer means, where a run goes, and what an edited plan keeps of what had finished."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.run import search_tool, services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.graph.builder import _by_approval, _by_plan, by_level
from weiwo.nodes.planner import approval
from weiwo.nodes.planner.approval import _approval_request
from weiwo.nodes.shared.human_in_the_loop.approval_answer import LONGEST_WORDS, read_answer
from weiwo.nodes.shared.planning.task_identity import reuse_outcomes, reuse_passages
from weiwo.state import Plan, Task

PLAN = Plan(tasks=(search("a", "When was Ada born?"), search("b", "When was Alan born?", "alan")))
JSON = PLAN.to_json()


# What an answer means


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("approve", "approve"),
        (" Approved! ", "approve"),
        ("好的。", "approve"),
        ('"approve"', "approve"),
        (True, "approve"),
        ("true", "approve"),
        ({"decision": "approve"}, "approve"),
        (JSON, "edit"),
        ({"plan": JSON}, "edit"),
        (json.dumps(JSON), "edit"),
        (json.dumps({"plan": JSON}), "edit"),
        ({"reject": "use the web"}, "reject"),
        ("use the web", "reject"),
        ("不要查凯撒", "reject"),
        ('"use the web" it said', "reject"),
        ("approve only the first task", "reject"),
        ({"decision": "reject"}, "refuse"),
        ({"decision": "reject", "message": "too costly"}, "reject"),
        ({"decision": "ignore"}, "refuse"),
        ("reject", "refuse"),
        (False, "refuse"),
        ("", "unclear"),
        ("…", "unclear"),
        ({"reject": 5}, "refuse"),
        ({"reject": None}, "refuse"),
        ({}, "unclear"),
        (None, "unclear"),
        (3.5, "unclear"),
        ([JSON], "unclear"),
        ('{"vertices": ', "unclear"),
        ("Looks good to me, go ahead!", "approve"),
        ("OK, please proceed.", "approve"),
        ("Yes — but only peer-reviewed sources", "reject"),
        ("ok but not Wikipedia", "reject"),
        ("not good", "reject"),
        ("Good question, is task_2 needed?", "reject"),
        ("the plan", "reject"),
        ("go to the archive instead", "reject"),
        ("同意，开始吧。", "approve"),
        ("没问题，就这样", "approve"),
        ("可以的👍", "approve"),
        ("可以，但是只查 2020 年以后的", "reject"),
        ("这个计划不好", "reject"),
        ("好像少了一步", "reject"),
        # LangChain's middleware
        ({"decisions": [{"type": "approve"}]}, "approve"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "approve_plan", "args": {"plan": JSON}}}]}, "edit"),
        ({"decisions": [{"type": "reject", "message": "use the web"}]}, "reject"),
        ({"decisions": [{"type": "reject"}]}, "refuse"),
        ({"decisions": [{"type": "respond", "message": "use the web"}]}, "reject"),
        ({"decisions": [{"type": "approve"}, {"type": "approve"}]}, "unclear"),
        ({"decisions": []}, "unclear"),
        # Agent Inbox
        ([{"type": "accept", "args": None}], "approve"),
        ([{"type": "accept", "args": {"action": "approve_plan", "args": {"plan": JSON}}}], "approve"),
        ([{"type": "edit", "args": {"action": "approve_plan", "args": {"plan": json.dumps(JSON)}}}], "edit"),
        ([{"type": "response", "args": "use the web"}], "reject"),
        ([{"type": "response", "args": "looks good"}], "approve"),
        ([{"type": "ignore", "args": None}], "refuse"),
        ({"type": "response", "args": "use the web"}, "reject"),
        (json.dumps([{"type": "accept", "args": None}]), "approve"),
    ],
)
def test_an_answer_means_one_thing(answer, kind):
    assert read_answer(answer).kind == kind


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=8,
    )
)
def test_no_answer_breaks_anything(answer):
    verdict = read_answer(answer)
    if verdict.kind == "reject":
        assert 0 < len(verdict.content) <= LONGEST_WORDS
        verdict.content.encode()
    if verdict.kind in {"refuse", "unclear"}:
        assert "\n" not in verdict.content


def test_words_are_cleaned_and_bounded():
    assert read_answer({"reject": "use\x00 the \x1b[31mweb\ud800"}).content == "use the web"
    assert len(read_answer("very " * 5_000).content) <= LONGEST_WORDS


# Where a run goes


@pytest.mark.parametrize(
    ("approved", "plan", "node"),
    [(None, PLAN, "executor"), ("nothing", PLAN, "approval"), (0, PLAN, "executor"), ("nothing", None, "executor")],
)
def test_each_revision_is_asked_about_once(approved, plan, node):
    state = state_of("?", services(), plan=plan)
    state["approved"] = approved
    assert _by_plan(state) == node
    later = plan.model_copy(update={"revision": 1}) if plan else None
    state["plan"] = later
    assert _by_plan(state) == ("executor" if approved is None or plan is None else "approval")


def test_a_thread_of_before_is_asked_nothing():
    assert _by_plan(state_of("?", services(), plan=PLAN)) == "executor"


@pytest.mark.parametrize(("level", "node"), [("simple", "writer"), ("moderate", "approval"), ("complex", "planner")])
def test_levels_go_where_their_plan_is_asked_about(level, node):
    state = state_of("?", services(), level=level, plan=PLAN)
    state["approved"] = "nothing"
    assert by_level(state) == node


def test_words_go_to_the_planner():
    state = state_of("?", services(), plan=PLAN)
    assert _by_approval(state) == "executor"
    state["feedback"] = "use the web"
    assert _by_approval(state) == "planner"


# What is asked, and what comes of it


def test_the_request_can_be_read_by_a_person_and_sent_as_json():
    outcomes = {"a": got("a", "-156"), "b": lost("b")}
    state = state_of("谁？", services(language="zh"), plan=PLAN, outcomes=outcomes, language="zh")
    asked = _approval_request(state, PLAN, "zh", ["a.args: wrong"])
    assert json.loads(json.dumps(asked, ensure_ascii=False)) == asked
    assert asked["finished"] == {"a": "公元前156年"}
    assert asked["complaints"] == ["a.args: wrong"]
    assert asked["note"] == ""
    assert "批准" in asked["how"]
    assert asked["action_requests"][0]["args"] == asked["action_request"]["args"] == {"plan": asked["plan"]}
    assert all(part in asked["description"] for part in ("When was Ada born?", "a.args: wrong", asked["how"]))
    state["rejected"] = PLAN.revision
    assert "退回" in _approval_request(state, PLAN, "zh", [])["note"]


async def answered(monkeypatch, state, run, *answers):
    """The node's update where a person gives these answers one after the other; and what they were asked."""
    asked, left = [], list(answers)

    def interrupt(value):
        asked.append(value)
        return left.pop(0)

    monkeypatch.setattr(approval, "interrupt", interrupt)
    return await approval.approval(state, run), asked


async def test_an_edited_plan_keeps_what_is_the_same_and_runs_the_rest_again(monkeypatch):
    events: list[dict] = []
    run = services(search_tool(lambda _: None), events=events)
    here, there = passage("Ada, 1815", task_ids=("a",)), passage("Alan, 1912", task_ids=("b",))
    chained = search("c", "Who was {{b.ret}}?", "{{b.ret}}", "text")
    plan = Plan(tasks=(*PLAN.tasks, chained), revision=2, decided_by="model")
    outcomes = {"a": got("a", "1815", on=here), "b": got("b", "1912", on=there), "c": got("c", "x", "text")}
    state = state_of("?", run, plan=plan, outcomes=outcomes, evidence=(here, there))
    changed = {**chained.model_dump(), "tool_binding": "corpus_search"}
    changed["args"] = {"query": "another"}
    del changed["tool"]
    edited = {"vertices": [{**JSON["vertices"][0], "id": "ada"}, changed, JSON["vertices"][1]]}
    update, asked = await answered(monkeypatch, state, run, edited)
    assert update["plan"].ids == ("ada", "c", "b")
    assert (update["plan"].revision, update["approved"]) == (3, 3)
    assert update["revisions"] == [plan]
    assert {key: one.value for key, one in update["outcomes"].value.items()} == {"ada": "1815", "b": "1912"}
    assert update["evidence"].value[here.id].task_ids == ("ada",)
    assert set(update["evidence"].value) == {here.id, there.id}
    assert (events[0]["type"], events[0]["decided_by"]) == ("planned", "person")
    assert asked[0]["finished"]


async def test_an_edited_plan_that_says_the_same_is_an_approval(monkeypatch):
    run = services(search_tool(lambda _: None))
    update, _ = await answered(monkeypatch, state_of("?", run, plan=PLAN), run, json.dumps(JSON))
    assert update == {"approved": 0, "feedback": ""}


async def test_it_asks_until_there_is_an_answer(monkeypatch):
    run = services(search_tool(lambda _: None))
    bad = {"vertices": [{**JSON["vertices"][0], "tool_binding": "no"}, {"id": "x"}]}
    update, asked = await answered(monkeypatch, state_of("?", run, plan=PLAN), run, None, bad, {"reject": "shorter"})
    assert update == {"feedback": "shorter", "rejected": 0}
    assert [len(one["complaints"]) for one in asked] == [0, 1, 2]


# What a changed plan keeps


def test_what_hangs_on_a_change_is_not_kept():
    chain = Plan(tasks=(search("a", "A?"), search("b", "B {{a.ret}}?", "{{a.ret}}"), search("c", "C?", "c")))
    outcomes = {key: got(key, "1900") for key in "abc"}
    assert set(reuse_outcomes(chain, chain, outcomes)) == {"a", "b", "c"}
    assert set(reuse_outcomes(chain, chain, outcomes, ["a"])) == {"c"}
    assert set(reuse_outcomes(chain, chain, {**outcomes, "c": lost("c")})) == {"a", "b"}
    other = Plan(tasks=(search("a", "Another?"), *chain.tasks[1:]))
    assert set(reuse_outcomes(chain, other, outcomes)) == {"c"}


def test_ids_that_change_places_take_their_outcomes_along():
    swapped = Plan(tasks=(PLAN.tasks[0].model_copy(update={"id": "b"}), PLAN.tasks[1].model_copy(update={"id": "a"})))
    kept = reuse_outcomes(PLAN, swapped, {"a": got("a", "1815"), "b": got("b", "1912")})
    assert {key: (one.task_id, one.value) for key, one in kept.items()} == {"b": ("b", "1815"), "a": ("a", "1912")}
    both = passage("Ada 1815, Alan 1912", task_ids=("a", "b"))
    assert reuse_passages(PLAN, swapped, {"b"}, {both.id: both})[both.id].task_ids == ("b",)


def test_two_tasks_that_ask_the_same_keep_their_own():
    twice = Plan(tasks=(search("a", "A?"), search("b", "A?")))
    kept = reuse_outcomes(twice, twice, {"a": got("a", "1"), "b": got("b", "2")})
    assert {key: one.value for key, one in kept.items()} == {"a": "1", "b": "2"}


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6, unique=True), st.data())
def test_what_is_kept_never_rests_on_what_is_not(ids, data):
    tasks: list[Task] = []
    for n, task_id in enumerate(ids):
        on = data.draw(st.sampled_from(["", *ids[:n]]))
        tasks.append(search(task_id, f"{task_id} {{{{{on}.ret}}}}?" if on else f"{task_id}?", task_id))
    plan = Plan(tasks=tuple(tasks))
    changed = data.draw(st.sets(st.sampled_from(ids)))
    kept = reuse_outcomes(plan, plan, {task_id: got(task_id, "1") for task_id in ids}, changed)
    assert not changed & set(kept)
    assert all(up in kept for task_id in kept for up in plan.upstream(task_id))
