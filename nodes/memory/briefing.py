"""Memory briefing for a planner: fitting procedures and the user's standing wishes.

A procedure is its user's own text and is followed if it fits. Still, it is delimited like any other text, bounded, and
cannot bring in a tool that is not available: the validator takes no tool from it.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from weiwo.nodes.memory.procedures import (
    LONGEST_LINE,
    Procedure,
    ProcedureFolderError,
    Procedures,
    load_procedures,
)
from weiwo.nodes.memory.recall import PhraseIndex
from weiwo.nodes.memory.wishes import format_wishes
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language, Plan
from weiwo.state.events import PLANNING, TaskProgressEvent
from weiwo.text.localization import localize_message

_MOST_RECALLED: Final = 2
"""Most procedures given to a planner."""
LONGEST: Final = 3_000
"""Most characters of a procedure in a prompt."""
FITS_FROM: Final = 0.28
"""Least score of a procedure that fits. Of 160 questions for which none was written, 2 to 4 reach it."""
_CLOSE: Final = 0.7
"""Least share of the best score from which a second procedure is given too."""

_HOW: Final = """Procedures: the way this house does it. Follow the one that fits the question, as far as the tools \
at hand allow; if none does, plan as usual. Say its name in `procedure` ("" for none), and in `departure`, in one line \
in the language of the question, where the plan departs from it and why ("" if nowhere)."""
_UNUSED: Final = localize_message("memory.briefing", "unused")
_NO_MODEL: Final = localize_message("memory.briefing", "no_model")


class Briefing(NamedTuple):
    """The procedures and wishes that a planner is told.

    Attributes:
        procedures: The procedures that fit, best first.
        text: The text for the prompt. Empty if there is nothing to say.
    """

    procedures: tuple[Procedure, ...] = ()
    text: str = ""

    @property
    def key(self) -> str:
        """Hash of the text. Empty if there is no text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12] if self.text else ""

    def add_to(self, prompt: str) -> str:
        """Append the briefing to a prompt."""
        return f"{prompt}\n\n{self.text}" if self.text else prompt

    def describe_plan(self, plan: Plan, sketch: Mapping[str, Any], tools: Sequence[str], language: Language) -> Plan:
        """Return a plan with the title of the procedure it follows and its departures from that procedure.

        Unchanged if the planner named no procedure, or one that was not given. A tool that the procedure names, that is
        available and that the plan does not use is a departure, even if the planner did not say so.

        Args:
            plan: The plan.
            sketch: The planner's reply, with `procedure` and `departure`.
            tools: Names of the available tools.
            language: The language of the departures.
        """
        named = str(sketch.get("procedure") or "").strip().strip("\"'“”").casefold()
        procedure_used = next(
            (
                procedure
                for procedure in self.procedures
                if named in {procedure.name.casefold(), procedure.title.casefold()}
            ),
            None,
        )
        if procedure_used is None:
            return plan
        used = {task.tool for task in plan.tasks}
        unused = [tool for tool in procedure_used.tools if tool in tools and tool not in used]
        said = safe_note(str(sketch.get("departure") or ""))
        parts = [said, _UNUSED[language].format(", ".join(unused)) if unused else ""]
        departure = "; ".join(part for part in parts if part)[:LONGEST_LINE]
        return plan.model_copy(update={"procedure": procedure_used.title, "departure": departure})


async def brief_planner(
    question: str, services: RunContext, wishes: Sequence[str] = (), *, quiet: bool = False
) -> Briefing:
    """Return the procedures that fit a question and the user's wishes, for a planner.

    If procedures fit but no model plans, the briefing is empty, and an event says so. If the folder of procedures
    cannot be used, only the wishes are given.

    Args:
        question: The question.
        services: The run's resources.
        wishes: The user's standing wishes.
        quiet: Emit no events about unusable or unused procedures.
    """
    folder = services.settings.procedures
    wished = format_wishes(wishes)
    if not folder:
        return Briefing(text=wished)
    try:
        known = await asyncio.to_thread(load_procedures, folder)
    except ProcedureFolderError as error:
        if not quiet:
            services.emit(TaskProgressEvent(task_id=PLANNING, note=str(error)))
        return Briefing(text=wished)
    for problem in () if quiet else known.problems:
        services.emit(TaskProgressEvent(task_id=PLANNING, note=problem[:500]))
    found = recall_procedures(question, known)
    if found and not services.models.has_decision_model("planner"):
        note = _NO_MODEL[services.language].format(found[0].title)
        if not quiet:
            services.emit(TaskProgressEvent(task_id=PLANNING, note=note))
        return Briefing()
    told = ["\n".join([_HOW, *map(_format, found)])] if found else []
    return Briefing(found, "\n\n".join([*told, *([wished] if wished else [])]))


def rank_procedures(question: str, known: Procedures) -> list[tuple[Procedure, float]]:
    """Return the procedures that share a word with a question, best first, each with its score from 0 to 1."""
    ranked = _index(known.found).rank(question)
    return [(known.found[item.number], item.score) for item in ranked]


def recall_procedures(question: str, known: Procedures) -> tuple[Procedure, ...]:
    """Return the procedures that fit a question, best first and at most two. Empty if none fits."""
    return tuple(known.found[n] for n in _index(known.found).recall(question, _MOST_RECALLED, FITS_FROM, _CLOSE))


@lru_cache(maxsize=4)
def _index(procedures: tuple[Procedure, ...]) -> PhraseIndex:
    return PhraseIndex([(procedure.title, *procedure.cases) for procedure in procedures])


def _format(procedure: Procedure) -> str:
    """Format a procedure for the planner."""
    lines = [f"{n}. {step}" for n, step in enumerate(procedure.steps, 1)]
    if procedure.tools:
        lines.append(f"Tools: {', '.join(procedure.tools)}")
    if procedure.deliver:
        lines.append(f"To hand over: {procedure.deliver}")
    name = quote_as_data(procedure.title, LONGEST_LINE).replace('"', "'")
    return f'<procedure name="{name}">\n{quote_as_data(chr(10).join(lines), LONGEST)}\n</procedure>'
