"""The ledger of the question: parts over all plan revisions, each with its outcome, and the status as a view of it."""

import pytest

from tests.support.run import services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.nodes.shared.ledger import fill_ledger, name_part
from weiwo.state import Ledger, Outcome, Plan, QuestionPart, Reflection

TOWER = passage("The Eiffel Tower is 330 metres tall.", "tower.md", "Eiffel Tower")
HEIGHT, AGE = "How tall is the Eiffel Tower?", "How old is the Eiffel Tower?"


def filled(question: str, plan: Plan, *outcomes: Outcome, **more) -> Ledger:
    known = {one.task_id: one for one in outcomes}
    state = state_of(question, services(), plan=plan, outcomes=known)
    state["assessment"] = state["assessment"].model_copy(update={"parts": more.pop("listed", ())})
    state.update(more)
    return fill_ledger(state, services())


def outcomes_of(ledger: Ledger) -> dict[str, str]:
    return {name_part(part, "en"): part.outcome for part in ledger.parts}


def test_one_value_is_one_part():
    plan = Plan(tasks=(search("a", HEIGHT, "height"),))
    (part,) = filled(HEIGHT, plan, got("a", 330, on=TOWER)).parts
    assert (part.subject, part.attribute, part.outcome) == ("Eiffel Tower", "height", "answered")


def test_a_tool_that_does_not_work_is_a_failure_with_its_component_and_cause():
    plan = Plan(tasks=(search("a", HEIGHT, "height"),))
    down = lost("a", "crash")
    failure = down.failure.model_copy(update={"message": "staff_directory: RuntimeError: connection refused"})
    down = down.model_copy(update={"failure": failure, "tool": "staff_directory", "status": "failed"})
    (part,) = filled(HEIGHT, plan, down).parts
    assert (part.outcome, part.component, part.cause) == ("failed", "staff_directory", "connection refused")
    assert part.severity == "error"


def test_a_failure_stays_known_after_a_replan():
    down = lost("a", "crash").model_copy(update={"tool": "staff_directory", "status": "failed"})
    later = Plan(tasks=(search("b", HEIGHT, "tower height"),), revision=1)
    first = Plan(tasks=(search("a", HEIGHT, "height"),))
    (lost_part,) = filled(HEIGHT, later, down, lost("b"), revisions=[first]).parts
    assert (lost_part.outcome, lost_part.component) == ("failed", "staff_directory")
    (found,) = filled(HEIGHT, later, down, got("b", 330, on=TOWER), revisions=[first]).parts
    assert (found.outcome, found.severity, found.component) == ("answered", "warning", "staff_directory")


def test_a_part_that_a_replan_forgets_is_still_a_part():
    first = Plan(tasks=(search("a", HEIGHT, "height"), search("b", "Who owns the harbour of Malmby?", "owner")))
    later = Plan(tasks=(search("a", HEIGHT, "height"),), revision=1)
    ledger = filled("Tell me all about it", later, got("a", 330, on=TOWER), lost("b"), revisions=[first])
    assert outcomes_of(ledger) == {"height of Eiffel Tower": "answered", "Who owns the harbour of Malmby": "not_found"}


def test_a_task_that_another_takes_the_place_of_is_no_part_of_its_own():
    first = Plan(tasks=(search("a", HEIGHT, "height"), search("b", "Who owns the harbour?", "owner")))
    again = search("b2", "Which company runs the harbour?", "harbour company")
    later = Plan(tasks=(search("a", HEIGHT, "height"), again), revision=1)
    ledger = filled(
        "Tell me all", later, got("a", 330, on=TOWER), lost("b"), got("b2", "X", on=TOWER), revisions=[first]
    )
    assert set(outcomes_of(ledger).values()) == {"answered"}


def test_words_that_no_part_uses_are_kept():
    question = "Compare the Eiffel Tower, Tokyo Skytree and Burj Khalifa in height and colour of paint"
    names = ("the Eiffel Tower", "Tokyo Skytree", "Burj Khalifa")
    tasks = [search(f"t{n}", f"How tall is {name}?", "height") for n, name in enumerate(names)]
    found = [got(task.id, 330, on=TOWER) for task in tasks]
    ledger = filled(question, Plan(tasks=tuple(tasks)), *found)
    if not any("colour" in part.attribute for part in ledger.parts[:-1]):  # as long as the parser does not read it
        assert ledger.unused == ("colour", "paint")
        assert ledger.parts[-1].attribute == "colour of paint"
    assert next(part.outcome for part in ledger.parts if part.subject == "Burj Khalifa") == "answered"


def test_what_the_last_look_back_misses_is_a_part():
    plan = Plan(tasks=(search("a", HEIGHT, "height"),))
    look = Reflection(decision="finish", reason="", decided_by="model", missing=("its colour",))
    assert outcomes_of(filled(HEIGHT, plan, got("a", 330, on=TOWER), reflections=[look]))["its colour"] == "not_found"


ANSWERED = QuestionPart(attribute="height", outcome="answered", claims=(0,))


@pytest.mark.parametrize(
    ("ledger", "verdict"),
    [
        (Ledger(parts=(ANSWERED,), basis="sources"), ("complete", "finished")),
        (Ledger(parts=(ANSWERED,), basis="sources", stops=("max_seconds",)), ("partial", "max_seconds")),
        (Ledger(parts=(QuestionPart(attribute="a", outcome="not_found"),), basis="passages"), ("extracts", "finished")),
        (Ledger(parts=(ANSWERED, QuestionPart(attribute="a", outcome="not_found"))), ("partial", "not_found")),
        (Ledger(parts=(QuestionPart(attribute="a", outcome="not_found"),)), ("partial", "not_found")),
        (
            Ledger(parts=(QuestionPart(attribute="a", outcome="failed", component="t"),), basis="passages"),
            ("partial", "tool_failure"),
        ),
        (
            Ledger(parts=(ANSWERED, QuestionPart(attribute="a", outcome="failed", component="writer"))),
            ("partial", "left_out"),
        ),
        (Ledger(parts=(QuestionPart(attribute="a", outcome="assumed", by="person"),)), ("partial", "assumed_value")),
        (Ledger(basis="knowledge"), ("unsourced", "no_source")),
        (Ledger(stops=("no_plan",)), ("failed", "no_plan")),
    ],
)
def test_the_status_is_a_view_of_the_ledger(ledger, verdict):
    assert ledger.verdict == verdict
