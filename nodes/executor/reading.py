"""A reading: the typed value of a task, the words that carry it, and who gives another."""

from dataclasses import dataclass, field
from typing import Self

from weiwo.nodes.executor.finding import Finding
from weiwo.state import JsonValue, Quote, Rival


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        value: The value in its type's data form, or None.
        evidence_ids: The passages it rests on, best first.
        quotes: The sentences that carry it, verbatim.
        confidence: 0 to 1.
        detail: Particulars: `unit`, `approximate`, `shown` (the value as the passage writes it), `mechanism`.
        missing: What was not found, in one line; empty if something was.
        support: Independent sources that give the value; 0 where they were not counted.
        rivals: What other sources give instead.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float = 0.0
    detail: dict[str, JsonValue] = field(default_factory=dict)
    missing: str = ""
    support: int = 0
    rivals: tuple[Rival, ...] = ()

    @classmethod
    def from_finding(cls, finding: Finding) -> Self:
        """The reading that a rule's finding is."""
        detail: dict[str, JsonValue] = {"mechanism": finding.mechanism}
        detail |= {"unit": finding.unit} if finding.unit else {}
        detail |= {"approximate": True} if finding.approximate else {}
        detail |= {"shown": finding.shown} if finding.shown else {}
        return cls(
            finding.value, finding.evidence_ids, finding.quotes, finding.confidence, detail, rivals=finding.rivals
        )
