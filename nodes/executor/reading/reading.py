"""A reading: the typed value of a task, the words that carry it, and who gives another."""

from dataclasses import dataclass, field

from weiwo.state import JsonValue, OutcomeDetail, Quote, Rival
from weiwo.state.evidence import Basis


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
