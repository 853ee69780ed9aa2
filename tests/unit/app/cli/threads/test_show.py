"""`weiwo show`: a thread drawn from its checkpoint alone."""

import io

from langgraph.types import Interrupt
from rich.console import Console

from tests.support.states import got, search
from weiwo.app.cli.threads.show import _print_thread
from weiwo.app.session.thread import Thread, thread_as_json
from weiwo.app.session.waiting import Waiting, judge_waiting
from weiwo.state import Hop, Outcome, Plan

PLAN = Plan(tasks=(search("task_1", "Where was the composer of the anthem born?", "anthem composer"),))


def chain() -> Outcome:
    outcome = got("task_1", "Ostby")
    hop = Hop(question="Who composed the\x1b anthem?", value="Mara Lind", evidence_ids=("a",), quotes=())
    return outcome.model_copy(update={"detail": outcome.detail.model_copy(update={"hops": (hop,)})})


def shown(values, pending):
    console = Console(file=io.StringIO(), width=120, color_system=None, markup=False, emoji=False)
    _print_thread(console, Thread("t", values, Waiting((), "", ("executor",)), pending))
    return console.file.getvalue()


def test_what_a_chain_found_on_its_way_is_listed_below_it():
    for text in (
        shown({"plan": PLAN, "outcomes": {"task_1": chain()}}, {}),
        shown({"plan": PLAN}, {"task_1": chain()}),
    ):
        lines = [line.strip(" │├└─") for line in text.splitlines()]
        (task,) = [n for n, line in enumerate(lines) if "composer of the anthem born? → Ostby" in line]
        assert lines[task + 1].startswith("✓ Who composed the anthem? → Mara Lind")


def test_a_question_is_drawn_under_the_one_whose_finding_raised_it():
    first, second = PLAN.tasks[0], search("task_2", "What is the town known for?", "town")
    plan = Plan(tasks=(first, second.model_copy(update={"parent": "task_1"})))
    lines = shown({"plan": plan}, {}).splitlines()
    (above,) = [n for n, line in enumerate(lines) if "anthem born?" in line]
    (below,) = [n for n, line in enumerate(lines) if "known for?" in line]
    assert lines[below].index("What") > lines[above].index("Where")


def test_a_thread_that_waits_names_its_questions():
    question = Interrupt({"type": "plan"}, id="0" * 32)
    waiting = judge_waiting(["approval", "approval"], [question])
    shown = thread_as_json(Thread("t", {"question": "?"}, waiting, {}))
    assert (shown["status"], shown["next"]) == ("waiting", ["approval"])
    assert shown["interrupts"] == [{"id": "0" * 32, "value": {"type": "plan"}}]
    edited = thread_as_json(Thread("t", {"question": "?"}, judge_waiting(["approval"], []), {}))
    assert (edited["status"], edited["interrupts"]) == ("waiting", [])
    killed = thread_as_json(Thread("t", {"question": "?"}, judge_waiting(["executor"], []), {}))
    assert killed["status"] == "interrupted"
