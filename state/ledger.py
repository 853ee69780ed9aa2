"""Ledger of the question: each requested part, with an outcome.

A part is one attribute of one subject. Parts come from the parsed question and from every revision of the plan, so a
replan loses none. Status, exit code, first line, gaps, the check before `finish`, a report's open points and `refresh`
are views of this one value.
"""

from collections.abc import Collection, Iterator
from operator import not_
from typing import Final, Literal

from pydantic import Field

from weiwo.state.answer import Gap, GapKind, Status
from weiwo.state.values import Value

PartOutcome = Literal["answered", "failed", "not_found", "not_asked", "assumed"]
"""`answered`: the answer states it. `failed`: the tool or agent that was to find or state it did not work. `not_found`:
the search worked and found no answer. `not_asked`: nothing was searched for it. `assumed`: the answer states it, based
on a value that a person, a model or a rule assumed.
"""
Severity = Literal["", "error", "warning"]
"""`error`: the part has no answer because of the failure. `warning`: something failed, and the part was answered."""
Lead = Literal["answer", "neutral", "denial"]
"""Opening of an answer. `answer`: an assertion. `neutral`: passages, without a word on whether they answer the
question. `denial`: a statement that the documents hold nothing on the subject.
"""
Basis = Literal["sources", "passages", "knowledge", "conversation", "none"]
"""Basis of an answer. `sources`: checked claims over sources. `passages`: passages shown as they are. `knowledge`: a
model's own knowledge. `conversation`: the conversation alone, as for a greeting. `none`: nothing.
"""

WRITER: Final = "writer"
"""Value of `QuestionPart.component` for a part that was found, but that the writer left out of the answer."""
PERSON: Final = "person"
"""Value of `QuestionPart.by` for a value that a person set."""
_FATAL: Final = frozenset({"no_plan", "tool_failure"})
"""Stop reasons after which a run without any answered part has failed."""
_WEAK: Final[frozenset[GapKind]] = frozenset({"implied", "doubted", "disputed", "inconsistent"})


class QuestionPart(Value):
    """A part of the question: an attribute of a subject, with an outcome.

    Attributes:
        subject: The thing asked about, in the user's spelling. Empty if none was recognised.
        attribute: The attribute asked for: the noun of a known relation, else the question itself.
        outcome: The outcome of the part.
        claims: Positions of the claims that answer it, in the claims of the answer.
        component: The tool or agent that failed. Empty if none did.
        cause: The reason for a missing answer, or a failure on the way, in one line. Empty if there is nothing to
            report.
        severity: Whether the failure left the part without an answer (`error`) or not (`warning`). Empty without one.
        where: Tools and queries that searched for it in vain, such as `corpus_search: height of the tower`.
        by: The origin of an assumed value: `person`, `model` or `rule`. Empty for any other outcome.
        task_ids: The tasks meant to find it, of all revisions of the plan.
    """

    subject: str = Field("", exclude_if=not_)
    attribute: str = Field(json_schema_extra={"minLength": 1})
    outcome: PartOutcome
    claims: tuple[int, ...] = Field((), exclude_if=not_)
    component: str = Field("", exclude_if=not_)
    cause: str = Field("", exclude_if=not_)
    severity: Severity = Field("", exclude_if=not_)
    where: tuple[str, ...] = Field((), exclude_if=not_)
    by: str = Field("", exclude_if=not_)
    task_ids: tuple[str, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Report whether the answer covers the part, including by an assumption."""
        return self.outcome in {"answered", "assumed"}


class Ledger(Value):
    """Ledger of a question: answered, failed and missing parts.

    Attributes:
        parts: The parts of the question.
        unused: Words of the question that no part and no task uses.
        gaps: Further open points: weak and inconsistent values, documents and pages that were not read.
        lead: The opening of the answer. None until it is written.
        basis: The basis of the answer.
        stops: Stop reasons that keep the answer from being complete, the most serious first.
    """

    parts: tuple[QuestionPart, ...] = ()
    unused: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    lead: Lead | None = None
    basis: Basis = "none"
    stops: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[QuestionPart, ...]:
        """Return the parts not covered by the answer."""
        return tuple(part for part in self.parts if not part.is_answered)

    @property
    def failed_parts(self) -> tuple[QuestionPart, ...]:
        """The parts without an answer because a component failed."""
        return tuple(part for part in self.parts if part.outcome == "failed")

    @property
    def verdict(self) -> tuple[Status, str]:
        """Return the status of the answer and the stop reason, for example `("partial", "not_found")`.

        `finished` is the reason of a complete answer, and `no_source` of an answer from a model's own knowledge. The
        status is `failed` only if the run stopped without a plan or by a tool's failure, and no part is answered.
        """
        if self.basis == "knowledge":
            return "unsourced", "no_source"
        reason = next(self._list_reasons(), "")
        if reason in _FATAL and self.stops and not any(part.is_answered for part in self.parts):
            return "failed", reason
        if reason:
            return "partial", reason
        return ("extracts" if self.basis == "passages" else "complete"), "finished"

    def _list_reasons(self) -> Iterator[str]:
        """Yield the reasons why the answer is not complete, the gravest first. Yields nothing for a complete answer."""
        yield from self.stops
        told = any(part.is_answered for part in self.parts)
        if self.failed_parts:
            yield "tool_failure" if any(part.component != WRITER for part in self.failed_parts) else "left_out"
        if self.missing and (told or self.basis != "passages"):
            yield "not_found"
        if any(part.outcome == "assumed" for part in self.parts):
            yield "assumed_value"
        if self.basis != "passages" and any(gap.kind in _WEAK for gap in self.gaps):
            yield "weak_evidence"
        if any(gap.kind == "in_part" for gap in self.gaps):
            yield "read_in_part"

    def gaps_of(self, kinds: Collection[GapKind]) -> tuple[Gap, ...]:
        """Return the gaps of the given kinds."""
        return tuple(gap for gap in self.gaps if gap.kind in kinds)
