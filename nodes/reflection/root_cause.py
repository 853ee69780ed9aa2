"""Root cause of a task that came to nothing, by code, from what was found and not from what the message says.

Whoever plans another way is told it: a tool that is out of order wants another tool, a query that led elsewhere wants
other words, sources that speak of the thing and do not tell want other sources, arguments that do not fit another plan.
A premise that sources deny is no failure: it is an answer.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, Language, Outcome, Task
from weiwo.state.evidence import Cause
from weiwo.state.kinds import FailureKind
from weiwo.text.language import fold

_BY_KIND: Final[Mapping[FailureKind, Cause]] = {
    **dict.fromkeys(("timeout", "rate_limit", "crash", "auth", "blocked"), "tool"),
    "not_found": "source",
    "oversized": "source",
    "bad_arguments": "plan",
    "incomplete": "plan",
}


def find_cause(
    task: Task, outcome: Outcome, inputs: Mapping[str, Outcome], passages: Iterable[Evidence], language: Language
) -> Cause | None:
    """Why a task came to nothing; None where that is not known, or it only waited for another."""
    if outcome.failure is None or outcome.status == "blocked":
        return None
    if outcome.failure.kind != "empty":
        return _BY_KIND.get(outcome.failure.kind)
    asked = fill_text(task.description, inputs, language)
    frame = frame_task(task, language) if asked == task.description else parse_question(asked, language)
    subjects = [fold(subject) for subject in frame.subjects]
    found = [fold(f"{one.title} {one.text}") for one in passages if task.id in one.task_ids]
    if any(subject in text for subject in subjects for text in found):
        return "source"
    return "query"
