"""An answer in progress: the parts written by the answerers, combined into one answer. All of it is immutable."""

from collections.abc import AsyncGenerator, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from weiwo.nodes.writer.pieces import Piece
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import Claim, DecidedBy, Extract
from weiwo.state.cached_property import cached_property
from weiwo.state.ledger import Basis, Lead

AnswererName = Literal["reader", "draft", "rules", "report", "unsourced"]


@dataclass(frozen=True)
class Coverage:
    """Parts of the question without an answer, as named by a draft in a line before its text.

    Empty if none are missing.
    """

    missing: tuple[str, ...]


@dataclass(frozen=True)
class AnswerPart:
    """A part of an answer written by a single answerer, with settled claims.

    Attributes:
        pieces: Its pieces, in order. Empty if it has nothing to say.
        decided_by: "model" if a model worded it, else "rule".
        broken: The reason why a model's text ends early or is empty. An empty string if the text is whole, None if no
            model was asked.
        basis: What the part rests on, such as "sources". None to keep the basis of the part before.
        told: For statements by rule, the ids of the tasks whose values they state. None for any other part.
        lead: The kind of opening, if the answerer sets it. None if it follows from the basis.
        asserted: Mechanisms of the rules that assert something in it.
        extracts: The passages that it shows as they are, under draft numbers.
        confidence: The probability that the extracts hold the answer, if nothing is asserted, else None.
        notices: What a reader should know beside it, a line each, shown below the sources.
        is_plain: Whether a small model's verified sentence is the answer.
        is_one_claim: Whether the whole answer is one claim that cites nothing.
        shows_more: Whether passages belong below it, because it says that nothing was found.
    """

    pieces: tuple[Piece, ...] = ()
    decided_by: DecidedBy = "model"
    broken: str | None = None
    basis: Basis | None = None
    told: frozenset[str] | None = None
    lead: Lead | None = None
    asserted: tuple[str, ...] = ()
    extracts: tuple[Extract, ...] = ()
    confidence: float | None = None
    notices: tuple[str, ...] = ()
    is_plain: bool = False
    is_one_claim: bool = False
    shows_more: bool = False

    @property
    def is_whole(self) -> bool:
        """Report whether this part completes the answer, so that no further answerer has to run."""
        return bool(self.pieces) and not self.broken and not self.shows_more


AnswerItem = Piece | Coverage | AnswerPart
Answering = AsyncGenerator[AnswerItem, None]
"""Stream of an answerer: pieces for the reader at once, and last the settled part, which replaces these pieces.

A draft that was asked for the coverage of the question yields it first.
"""


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer in progress.

    Attributes:
        sources: The sources that may be cited.
        parts: Its parts, in order, each with the name of its answerer.
        notes: Pieces below it, such as assumptions and open questions.
    """

    sources: CitableSources
    parts: tuple[tuple[AnswererName, AnswerPart], ...] = ()
    notes: tuple[Piece, ...] = ()

    def with_part(self, answerer: AnswererName, part: AnswerPart) -> "WrittenAnswer":
        """Return a copy of the answer with another part at its end."""
        return replace(self, parts=(*self.parts, (answerer, part)))

    def with_note(self, note: Piece) -> "WrittenAnswer":
        """Return a copy of the answer with a further note below it."""
        return replace(self, notes=(*self.notes, note))

    def render(self) -> Rendering:
        """Return a new rendering of the answer, which the caller may extend."""
        return Rendering(self.sources, (*self._pieces, *self.notes))

    @cached_property
    def rendering(self) -> Rendering:
        """Cached rendering of the answer, for reading only."""
        return self.render()

    @property
    def _pieces(self) -> Iterator[Piece]:
        return (piece for _, part in self.parts for piece in part.pieces)

    @property
    def is_empty(self) -> bool:
        """Report whether no part has any text."""
        return not any(part.pieces for _, part in self.parts)

    @property
    def text(self) -> str:
        """Text of the answer, with the notes below."""
        return self.rendering.text

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Claims of the answer under final numbers."""
        if any(part.is_one_claim for _, part in self.parts):
            text = Rendering(self.sources, self._pieces).text.strip()
            return (Claim(text=text, verdict="uncited"),)
        return tuple(self.rendering.claims)

    @property
    def decided_by(self) -> DecidedBy:
        """Author of the answer: "model" if any part is in a model's words, else "rule"."""
        return "model" if any(part.pieces and part.decided_by == "model" for _, part in self.parts) else "rule"

    @property
    def broken(self) -> str:
        """Reason why the last model that was asked ended early. Empty if it did not, or if no model was asked."""
        return self._last("broken") or ""

    @property
    def basis(self) -> Basis:
        """Basis of the answer, like "sources": the basis of the last part that sets one, else "none"."""
        found: Basis = self._last("basis") or "none"
        return found

    @property
    def stated_task_ids(self) -> frozenset[str] | None:
        """Ids of the tasks with values that the last part by rule states. None if no part states any."""
        found: frozenset[str] | None = self._last("told")
        return found

    @property
    def lead(self) -> Lead | None:
        """Kind of opening, as set by the last answerer that sets one. None if none does."""
        found: Lead | None = self._last("lead")
        return found

    @property
    def confidence(self) -> float | None:
        """Probability that the passages shown have the answer. None if something is asserted."""
        found: float | None = self._last("confidence")
        return found

    @property
    def asserted_mechanisms(self) -> list[str]:
        """Mechanisms of the asserting rules in the answer."""
        return [mechanism for _, part in self.parts for mechanism in part.asserted]

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices for the reader beside the answer, a line each."""
        return tuple(notice for _, part in self.parts for notice in part.notices)

    @property
    def extracts(self) -> list[Extract]:
        """Passages shown unchanged, under final numbers."""
        numbers = self.rendering.numbers
        shown = (extract for _, part in self.parts for extract in part.extracts)
        return [extract.model_copy(update={"n": numbers[extract.n]}) for extract in shown]

    @property
    def is_plain(self) -> bool:
        """Report whether a small model's verified sentence is the answer."""
        return any(part.is_plain for _, part in self.parts)

    @property
    def cites(self) -> bool:
        """Report whether the answer has any citation."""
        return bool(self.rendering.numbers)

    def comes_from(self, answerers: Collection[AnswererName]) -> bool:
        """Report whether any of the given answerers contributed a non-empty part."""
        return any(part.pieces and name in answerers for name, part in self.parts)

    def list_cited_ids(self, numbers: Collection[int]) -> frozenset[str]:
        """List the ids of the passages cited under the given final numbers."""
        return frozenset(citation.evidence_id for citation in self.rendering.citations if citation.n in numbers)

    def _last(self, name: str) -> Any:
        """Return the named field of the last part in which it is not None, or None if it is in all."""
        return next((value for _, part in reversed(self.parts) if (value := getattr(part, name)) is not None), None)
