"""The answer as it is written: immutable parts, one from each answerer that was asked, folded into one answer."""

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
    """The parts of the question that nothing answers, as a draft names them before its first line."""

    missing: tuple[str, ...]


@dataclass(frozen=True)
class AnswerPart:
    """The part of an answer that one answerer wrote, its claims settled.

    Attributes:
        pieces: Its pieces, in order; none where it has nothing to say.
        decided_by: Who worded it.
        broken: Why a model's text ends early, or is empty; empty where it is whole, None where no model was asked.
        basis: What it rests on; None where it leaves that to the part before.
        told: Of statements by rule, the tasks whose values they state; None of any other part.
        lead: What it begins with, where its answerer says so; else it follows from the basis.
        asserted: Mechanisms of the rules that assert something in it.
        extracts: The passages that it shows as they are, under draft numbers.
        confidence: How probable it is that these hold the answer, where nothing is asserted; else None.
        notices: What a reader should know beside it, a line each, told below the sources.
        is_plain: Whether a small model's verified sentence is the answer.
        is_one_claim: Whether the whole answer is one claim that cites nothing.
        shows_more: Whether passages belong below it: it tells that nothing was found.
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
        """Whether the answer needs no further part."""
        return bool(self.pieces) and not self.broken and not self.shows_more


AnswerItem = Piece | Coverage | AnswerPart
Answering = AsyncGenerator[AnswerItem, None]
"""How an answerer answers: its pieces as they are to be spoken at once, and last the part as it is settled, which takes
their place. A draft that was asked for it gives the coverage of the question first."""


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer as far as it is written.

    Attributes:
        sources: The sources that may be cited.
        parts: Its parts, in order, each with the name of its answerer.
        notes: Pieces below it, such as what it assumes and what it leaves open.
    """

    sources: CitableSources
    parts: tuple[tuple[AnswererName, AnswerPart], ...] = ()
    notes: tuple[Piece, ...] = ()

    def with_part(self, answerer: AnswererName, part: AnswerPart) -> "WrittenAnswer":
        """Return the answer with another part."""
        return replace(self, parts=(*self.parts, (answerer, part)))

    def with_note(self, note: Piece) -> "WrittenAnswer":
        """Return the answer with another note below it."""
        return replace(self, notes=(*self.notes, note))

    def render(self) -> Rendering:
        """Render it anew, to go on from there."""
        return Rendering(self.sources, (*self._pieces, *self.notes))

    @cached_property
    def rendering(self) -> Rendering:
        """Its rendering, only to be read."""
        return self.render()

    @property
    def _pieces(self) -> Iterator[Piece]:
        return (piece for _, part in self.parts for piece in part.pieces)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not any(part.pieces for _, part in self.parts)

    @property
    def text(self) -> str:
        """The answer as it is spoken."""
        return self.rendering.text

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Its claims under final numbers."""
        if any(part.is_one_claim for _, part in self.parts):
            text = Rendering(self.sources, self._pieces).text.strip()
            return (Claim(text=text, verdict="uncited"),)
        return tuple(self.rendering.claims)

    @property
    def decided_by(self) -> DecidedBy:
        """Who wrote it: a model, if any of it is in a model's words."""
        return "model" if any(part.pieces and part.decided_by == "model" for _, part in self.parts) else "rule"

    @property
    def broken(self) -> str:
        """Why the last model that was asked ended early; empty where it did not."""
        return self._last("broken") or ""

    @property
    def basis(self) -> Basis:
        """What it rests on, as its answerers say."""
        found: Basis = self._last("basis") or "none"
        return found

    @property
    def told(self) -> frozenset[str] | None:
        """The tasks whose values it states by rule; None of a model's answer."""
        found: frozenset[str] | None = self._last("told")
        return found

    @property
    def lead(self) -> Lead | None:
        """What it begins with, where an answerer says so."""
        found: Lead | None = self._last("lead")
        return found

    @property
    def confidence(self) -> float | None:
        """How probable it is that the passages shown hold the answer, where nothing is asserted."""
        found: float | None = self._last("confidence")
        return found

    @property
    def asserted(self) -> list[str]:
        """Mechanisms of the rules that assert something in it."""
        return [mechanism for _, part in self.parts for mechanism in part.asserted]

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader should know beside it, a line each."""
        return tuple(notice for _, part in self.parts for notice in part.notices)

    @property
    def extracts(self) -> list[Extract]:
        """The passages that it shows as they are, under final numbers."""
        numbers = self.rendering.numbers
        shown = (extract for _, part in self.parts for extract in part.extracts)
        return [extract.model_copy(update={"n": numbers[extract.n]}) for extract in shown]

    @property
    def is_plain(self) -> bool:
        """Whether a small model's verified sentence is the answer."""
        return any(part.is_plain for _, part in self.parts)

    @property
    def cites(self) -> bool:
        """Whether it cites anything."""
        return bool(self.rendering.numbers)

    def comes_from(self, answerers: Collection[AnswererName]) -> bool:
        """Return whether one of these answerers said something in it."""
        return any(part.pieces and name in answerers for name, part in self.parts)

    def list_cited_ids(self, numbers: Collection[int]) -> frozenset[str]:
        """List the ids of the passages that it cites under some final numbers."""
        return frozenset(one.evidence_id for one in self.rendering.citations if one.n in numbers)

    def _last(self, name: str) -> Any:
        """Return a field of the last part that sets it; None where none does."""
        return next((value for _, part in reversed(self.parts) if (value := getattr(part, name)) is not None), None)
