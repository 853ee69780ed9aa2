"""Coverage check in the draft's own call: before its first line a draft names the parts of the question without answer.

The line is withheld. It comes before anything is spoken, so that what is missing can still be planned for; where that
was done before, it is named below the answer. A draft without the line has not checked, and reflection asks.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from weiwo.nodes.shared.planning.replanning import read_missing
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Reflection
from weiwo.state.events import ReflectedEvent
from weiwo.state.search import SearchState

MARK: Final = "MISSING:"
LONGEST: Final = 1_000
"""Characters of the line."""
LONGEST_LEAD_IN: Final = 80
"""Characters of a line such as "Here is the answer:" that some models put first."""
_AROUND: Final = "*_`#> \t\r\n"

ASKED: Final = f"""\
Before the answer write one line by itself: `{MARK}` and, with `;` between them, the parts of the question that \
neither findings nor sources answer, in the language of the question; else `{MARK} none`. A correction of the question \
answers it. Name nothing that the question does not ask. The line is taken out before the answer is shown. Parts:"""


class PartCheck:
    """What a draft says of the question's parts.

    Attributes:
        given: Whether it has said it.
        missing: The parts that nothing answers.
    """

    def __init__(self) -> None:
        self.given = False
        self.missing: tuple[str, ...] = ()

    async def strip(self, deltas: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """The text of a draft without that line."""
        head, read = "", False
        async with aclosing(deltas):
            async for delta in deltas:
                if read:
                    yield delta
                    continue
                head += delta
                line, end, _ = _first_line(head)
                if end or len(head) > LONGEST or not (_may_be_mark(line) or _may_lead_in(line)):
                    read = True
                    yield self._read(head)
        if not read:
            yield self._read(head)

    def _read(self, head: str) -> str:
        """What is left of the beginning of a draft."""
        line, _, rest = _first_line(head)
        said = line.strip(_AROUND)
        if not said.upper().startswith(MARK):
            return head
        self.given = True
        self.missing = read_missing(re.split("[;；]", said[len(MARK) :].strip(_AROUND)))
        return rest.lstrip("\n")


def _first_line(head: str) -> tuple[str, str, str]:
    """The first line, its end if it has come, and what follows; a line that only leads in to it is passed over."""
    line, end, rest = head.lstrip().partition("\n")
    if end and _may_lead_in(line) and line.rstrip(_AROUND).endswith((":", "：")):
        return rest.lstrip().partition("\n")
    return line, end, rest


def is_check_line(piece: str) -> bool:
    """Whether a piece of a draft is that line, which some write again where nobody asks."""
    return piece.strip(_AROUND).upper().startswith(MARK)


def _may_lead_in(line: str) -> bool:
    return len(line) <= LONGEST_LEAD_IN and not _may_be_mark(line)


def _may_be_mark(line: str) -> bool:
    begun = line.lstrip(_AROUND).upper()
    return MARK.startswith(begun[: len(MARK)])


def check_instructions(state: SearchState) -> list[str]:
    """What a draft is told that has to say which parts of the question have no answer, as lines of its prompt."""
    parts = state["assessment"].parts or (state["assessment"].question,)
    return [ASKED, *(f"- {quote_as_data(part, 200)}" for part in parts)]


def is_left_to_draft(state: SearchState) -> bool:
    """Whether reflection left it to the draft to see if every part of the question is answered."""
    looks = state.get("reflections", [])
    return bool(looks and looks[-1].draft_checks)


def record_check(check: PartCheck, state: SearchState, services: RunContext) -> Reflection | None:
    """The look back that a draft's word amounts to: what is missing is planned once, else named; None if nothing is."""
    last = state["reflections"][-1]
    if not check.missing:
        return None
    time_left = services.work_seconds() > 0 and not services.budget.exhausted()
    found = Reflection(
        decision="deepen" if last.draft_checks == "deepen" and time_left else "finish",
        reason="; ".join(check.missing)[:300],
        decided_by="model",
        missing=check.missing,
        revision=last.revision,
        report=last.report,
    )
    told = ReflectedEvent(decision=found.decision, reason=found.reason, decided_by="model", task_ids=[])
    services.emit(told)
    return found
