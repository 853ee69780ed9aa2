"""Reading: the typed value of a task with its quotes. Judgement: a reading with the next step of the task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from weiwo.nodes.executor.replies import AheadAnswer, Move
from weiwo.state import DecidedBy, Evidence, Hop, JsonValue, Outcome, OutcomeDetail, Quote, Rival
from weiwo.state.evidence import Basis
from weiwo.state.query import QueryFrame

SentenceCheck = Callable[[str, Sequence[Evidence], QueryFrame], bool]
"""Check by code that passages support a sentence about the subject of a question."""


def carries_nothing(_sentence: str, _passages: Sequence[Evidence], _frame: QueryFrame) -> bool:
    """Return False. As the default sentence check, it accepts no sentence."""
    return False


@dataclass(frozen=True)
class Reading:
    """Result of reading passages.

    Attributes:
        value: The value in its type's data form, or None.
        evidence_ids: The passages supporting the value, best first.
        quotes: The supporting sentences, verbatim.
        confidence: 0 to 1.
        detail: The unit, and how the passage and the reader came to the value.
        missing: Missing information, in one line. With a value, a doubt or remark about the value.
        support: Number of independent sources that give the value. 0 if they were not counted.
        rivals: Values that other sources give instead.
        basis: Whether the quotes state the value or imply it.
        premise: Assumption of the task that the quotes deny. The value is then the correction.
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
    """A reading, who judged, and the next step of the task.

    Attributes:
        reading: The reading, with a value or with the missing information.
        decided_by: A model or the rules.
        move: `answer` or `premise_wrong` (the value corrects the question) with a value. Without, the next step.
        queries: The queries of a `search` step.
        opened: The passage whose page or document an `open` step opens, or None.
        left_out: Number of passages without room in the prompt.
        shown: Ids of the passages shown in the prompt.
        kept: Ids of the passages that the model wants to see again.
        hops: For a chain of look-ups, the intermediate values of this turn and earlier turns.
        ahead: Values that the model gave for tasks waiting for this task. They are not checked yet.
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
    """Return the judgement behind an outcome with a value: reading, judge and step, without shown passages."""
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
