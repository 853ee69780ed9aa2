"""Stream events: what goes over the wire, and what is refused."""

from typing import get_args

import pytest
from pydantic import ValidationError

from weiwo.state import Plan, Task
from weiwo.state.events import (
    AnswerStartedEvent,
    Event,
    EventBase,
    FinishedEvent,
    PlannedEvent,
    TaskProgressEvent,
    parse_event,
)


def test_a_field_that_was_not_given_is_not_sent():
    assert TaskProgressEvent(task_id="t", note="slow").to_json() == {
        "type": "task_progress",
        "task_id": "t",
        "note": "slow",
    }
    started = AnswerStartedEvent(decided_by="model")
    assert started.to_json() == {"type": "answer_started", "decided_by": "model"}
    assert started.model_copy(update={"left_out": 0, "cut": 2}).to_json()["left_out"] == 0


def test_the_type_comes_first():
    assert list(FinishedEvent(status="complete", stop_reason="finished").to_json()) == ["type", "status", "stop_reason"]


def test_a_plan_is_told_with_who_made_it():
    plan = Plan(tasks=(Task(id="a", description="When?", tool="corpus_search"),), decided_by="model")
    assert PlannedEvent.of(plan).to_json() == {"type": "planned", "plan": plan.to_json(), "decided_by": "model"}
    assert PlannedEvent.of(plan, by_person=True).decided_by == "person"
    assert PlannedEvent.of(plan, "nothing better is known").to_json()["note"] == "nothing better is known"


def test_every_model_is_read_by_its_type():
    kinds = get_args(get_args(Event)[0])
    assert set(kinds) == set(EventBase.__subclasses__())
    event = TaskProgressEvent(task_id="t[2]", item="Ada", turn=2, tool="web_search", args={"query": "x"})
    assert parse_event(event.to_json()) == event


@pytest.mark.parametrize("data", [{}, {"type": "unknown"}, {"type": "finished", "status": "done"}, "finished"])
def test_what_is_no_event_is_refused(data):
    with pytest.raises(ValidationError):
        parse_event(data)
