"""A reading, the typed value of a task with the words that carry it, and the judgement of the turn that made it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from weiwo.nodes.executor.replies import AheadAnswer, Move
from weiwo.state import DecidedBy, Evidence, Hop, JsonValue, Outcome, OutcomeDetail, Quote, Rival
from weiwo.state.evidence import Basis
from weiwo.state.query import QueryFrame

SentenceCheck = Callable[[str, Sequence[Evidence], QueryFrame], bool]
"""Whether passages carry a sentence that names what a task asks about, as far as code can tell."""


def carries_nothing(_sentence: str, _passages: Sequence[Evidence], _frame: QueryFrame) -> bool:
    """The check where there is none: a value counts only as the answer that it is given for."""
    return False


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        value: The value in its type's data form, or None.
        evidence_ids: The passages it rests on, best first.
        quotes: The sentences that carry it, verbatim.
        confidence: 0 to 1.
        detail: Its unit, and how the passage and the reader came to it.
        missing: What was not found, in one line; empty if something was.
        support: Independent sources that give the value; 0 where they were not counted.
        rivals: What other sources give instead.
        basis: Whether the quotes state the value or imply it.
        premise: What the task takes for granted and the quotes deny; the value is then the correction.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float = 0.0
    detail: OutcomeDetail = field(default_factory=OutcomeDetail)
    missing: str = ""
    support: int = 0
    rivals: tuple[Rival, ...] = ()
    basis: Basis = "stated"
    premise: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What reading came to: a reading, who made it, and the move that follows.

    Attributes:
        reading: The value, or None with what is missing.
        decided_by: A model or the rules.
        move: What to do next where there is no value.
        queries: The queries of a `search` move.
        opened: The passage whose page or document an `open` move means.
        left_out: Passages that there was no room for in the prompt.
        shown: Ids of the passages that the prompt showed.
        kept: Ids of those that the model wants to see again.
        hops: Of a chain of look-ups, what was found on the way, in this turn and before.
        ahead: Values that the model gave of tasks that wait for this one; nobody has checked them yet.
    """

    reading: Reading
    decided_by: DecidedBy
    move: Move
    queries: tuple[str, ...] = ()
    opened: Evidence | None = None
    left_out: int = 0
    shown: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()
    ahead: tuple[AheadAnswer, ...] = ()


def restore_judgement(outcome: Outcome) -> Judgement:
    """Rebuild the judgement that an outcome came of."""
    reading = Reading(
        value=outcome.value,
        evidence_ids=outcome.evidence_ids,
        quotes=outcome.quotes,
        confidence=outcome.confidence,
        detail=outcome.detail,
        missing=outcome.note,
        support=outcome.support,
        rivals=outcome.rivals,
        basis=outcome.basis,
        premise=outcome.premise,
    )
    move: Move = "premise_wrong" if outcome.premise else "answer"
    return Judgement(reading=reading, decided_by=outcome.decided_by, move=move)
