"""What the writer's model is told of tasks that could not be queried: no name of a task, no placeholder."""

import pytest

from tests.support.run import services
from tests.support.states import got, passage, search, state_of
from weiwo.nodes.writer.prompt import findings_prompt
from weiwo.nodes.writer.sources import gather_sources
from weiwo.state import Failure, Hop, Language, Outcome, OutcomeDetail, Plan

BOOK = passage("The Salt Ledger was written by Elsa Varnholt.", "https://a.test/", "The Salt Ledger")


def lost(task_id: str, status: str, message: str) -> Outcome:
    kind = "incomplete" if status == "blocked" else "empty"
    failure = Failure.model_validate({"task_id": task_id, "kind": kind, "message": message})
    return Outcome.model_validate({"task_id": task_id, "status": status, "type": "text", "failure": failure})


def told(plan: Plan, outcomes: dict[str, Outcome], language: Language = "en") -> list[str]:
    known = services(language=language) if language != "en" else services()
    state = state_of("When was the town founded?", known, plan=plan, outcomes=outcomes, evidence=(BOOK,))
    prompt = findings_prompt(state, known, gather_sources(plan, outcomes, {BOOK.id: BOOK}, language))
    return [line for line in prompt.splitlines() if line.startswith("- ")]


CHAIN = Plan(
    tasks=(
        search("task_1", "Who is the author of The Salt Ledger?"),
        search("task_2", "In which town was {{task_1.ret}} born?"),
        search("task_3", "When was {{task_2.ret}} founded?", ret="date"),
    )
)


def test_of_what_was_not_found_the_question_stands_apart_and_nothing_of_how_the_search_failed() -> None:
    outcomes = {
        "task_1": lost("task_1", "empty", "no passage speaks of it"),
        "task_2": lost("task_2", "blocked", "task_2 depends on task_1, which has no value"),
        "task_3": lost("task_3", "blocked", "task_3 depends on task_2, which has no value"),
    }
    lines = told(CHAIN, outcomes)
    assert lines == ["- Who is the author of The Salt Ledger?"]
    assert not any(mark in line for line in lines for mark in ("{{", "task_", "\ufffd"))


def test_what_was_found_is_written_out_beside_what_was_not() -> None:
    outcomes = {
        "task_1": got("task_1", "Elsa Varnholt", "text", on=BOOK),
        "task_2": lost("task_2", "empty", "the passages do not answer"),
        "task_3": lost("task_3", "blocked", "task_3 depends on task_2, which has no value"),
    }
    lines = told(CHAIN, outcomes)
    assert lines[0].startswith("- Who is the author of The Salt Ledger? → Elsa Varnholt")
    assert lines[-1] == "- In which town was Elsa Varnholt born?"
    assert not any(mark in line for line in lines for mark in ("{{", "task_", "\ufffd"))


@pytest.mark.parametrize("item", ["{{item}}", "{{task_1.ret}}"])
def test_a_task_over_a_list_is_asked_about_each_of_its_items(item: str) -> None:
    each = search("task_2", f"When was {item} born?", ret="date").model_copy(update={"for_each": "{{task_1.ret}}"})
    plan = Plan(tasks=(search("task_1", "Who founded Quillon?", ret="list[text]"), each))
    outcomes = {
        "task_1": lost("task_1", "empty", "nothing"),
        "task_2": lost("task_2", "blocked", "task_2 depends on task_1, which has no value"),
    }
    assert told(plan, outcomes) == ["- Who founded Quillon?"]
    outcomes["task_2"] = lost("task_2", "empty", "nothing")
    assert told(plan, outcomes)[1] == "- When was each of them born?"


def test_what_a_chain_found_on_its_way_is_among_the_findings() -> None:
    hop = Hop(question="Who is the author?", value="Elsa Varnholt", evidence_ids=(BOOK.id,), quotes=())
    plan = Plan(tasks=(search("task_1", "Where was the author of The Salt Ledger born?"),))
    found = got("task_1", "Ostby", on=BOOK, detail=OutcomeDetail(hops=(hop,)))
    known = services()
    state = state_of("Where was the author born?", known, plan=plan, outcomes={"task_1": found}, evidence=(BOOK,))
    prompt = findings_prompt(state, known, gather_sources(plan, {"task_1": found}, {BOOK.id: BOOK}, "en"))
    assert "  - Who is the author? → Elsa Varnholt [1]" in prompt.splitlines()


@pytest.mark.parametrize("asked", ["Who founded the {{item}}?", "Who founded {{item}}?"])
def test_an_article_before_an_item_goes_with_it(asked: str) -> None:
    each = search("task_2", asked, ret="text").model_copy(update={"for_each": "{{task_1.ret}}"})
    plan = Plan(tasks=(search("task_1", "Which mills are there?", ret="list[text]"), each))
    outcomes = {"task_1": lost("task_1", "empty", "none"), "task_2": lost("task_2", "empty", "none")}
    assert told(plan, outcomes)[1] == "- Who founded each of them?"


def test_the_titles_of_a_folder_that_is_read_whole_are_no_finding() -> None:
    plan = Plan(tasks=(search("task_1", "Make a table of the mills.", ret="passages"),))
    whole = got("task_1", [BOOK.title], "passages", on=BOOK)
    known = services()
    state = state_of("Make a table of the mills.", known, plan=plan, outcomes={"task_1": whole}, evidence=(BOOK,))
    prompt = findings_prompt(state, known, gather_sources(plan, {"task_1": whole}, {BOOK.id: BOOK}, "en"))
    assert "Findings:" not in prompt
    assert BOOK.text in prompt


def test_the_sources_of_a_draft_are_numbered_by_relevance_and_stand_in_the_order_of_their_document() -> None:
    parts = [passage(f"Part {n}.", "mill.md", "Mill", locator=f"lines {n}-{n + 1}") for n in (12, 3, 30)]
    found = got("task_1", "x", "text", evidence_ids=(parts[0].id, BOOK.id, parts[1].id, parts[2].id))
    known = {item.id: item for item in (*parts, BOOK)}
    plan = Plan(tasks=(search("task_1", "Which?"),))
    sources = gather_sources(plan, {"task_1": found}, known, "en")
    assert [item.text for item in sources.evidence] == ["Part 12.", BOOK.text, "Part 3.", "Part 30."]
    state = state_of("Which?", services(), plan=plan, outcomes={"task_1": found}, evidence=(*parts, BOOK))
    prompt = findings_prompt(state, services(), sources)
    assert sorted(("Part 12.", "Part 3.", "Part 30."), key=prompt.index) == ["Part 3.", "Part 12.", "Part 30."]
