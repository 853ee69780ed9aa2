"""Rendering of an answer's pieces as the reader sees them: with final citation numbers and notes on claims."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from weiwo.nodes.writer.document import is_indented_code, list_claim_places, parse_blocks
from weiwo.nodes.writer.pieces import Piece, mark_claim, missing_line_ends
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import DOUBTFUL, Block, Citation, Claim, Mark
from weiwo.text.citation_marks import clean_marks, find_marks, list_cited_numbers, renumber_marks, unshield_brackets
from weiwo.text.lists import join_names
from weiwo.text.localization import localize_message

_ASSUMING: Final = localize_message("writer.rendering", "assuming")
_UNVERIFIED: Final = localize_message("writer.rendering", "unverified")


class Rendering:
    """The pieces of an answer as the reader sees them, with notes like "(unverified)" on doubtful claims.

    Citation numbers follow the order of first citation.

    Args:
        sources: The citable sources.
        pieces: The initial pieces.

    Attributes:
        numbers: The final number of each cited source, by its draft number.
        claims: The claims, under final numbers.
    """

    def __init__(self, sources: CitableSources, pieces: Iterable[Piece] = ()) -> None:
        self._sources = sources
        self._known = frozenset(source.n for source in sources.items)
        self._pieces: list[Piece] = []
        self._rendered: list[str] = []
        self.numbers: dict[int, int] = {}
        self.claims: list[Claim] = []
        for piece in pieces:
            self.add(piece)

    @property
    def text(self) -> str:
        """Complete text as the reader sees it."""
        return unshield_brackets("".join(self._rendered))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Citation marks, with positions in the text stripped of surrounding blanks."""
        found = find_marks("".join(self._rendered).strip())
        return tuple(Mark(n=n, start=mark.start, end=mark.end) for mark in found for n in mark.numbers)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Cited sources under final numbers."""
        return self._sources.list_citations(self.numbers)

    def add(self, piece: Piece) -> str:
        """Add a piece, and return its text as the reader sees it.

        For a blank piece, these are the line ends that the piece before it lacks, possibly "".
        """
        if not piece.text.strip():
            missing = missing_line_ends(self._pieces[-1].text, piece.text) if self._pieces else ""
            if missing:
                self._pieces[-1] = replace(self._pieces[-1], text=self._pieces[-1].text + missing)
                self._rendered[-1] += missing
            return missing
        self._pieces.append(piece)
        self._rendered.append(self._separate(self._render(piece)))
        for checked in piece.checked:
            citations = tuple(self.numbers[n] for n in checked.claim.citations if n in self.numbers)
            reason = self._note_assumed(checked.claim).strip("()（）") or checked.claim.reason
            said = {"text": unshield_brackets(checked.claim.text), "citations": citations, "reason": reason}
            self.claims.append(checked.claim.model_copy(update=said))
        return unshield_brackets(self._rendered[-1])

    def list_blocks(self) -> list[Block]:
        """Return the blocks of the answer, like headings and paragraphs, with the indexes of the claims in each."""
        starts, offset = list[int](), len(self.text.lstrip()) - len(self.text)
        for piece, rendered in zip(self._pieces, self._rendered, strict=True):
            places = [start for start, _ in list_claim_places(rendered)][: len(piece.checked)] if piece.checked else []
            places += [places[-1] if places else 0] * (len(piece.checked) - len(places))
            starts += [offset + place for place in places]
            offset += len(rendered)
        return parse_blocks(self.text.strip(), starts)

    def _render(self, piece: Piece) -> str:
        if is_indented_code(piece.text):
            return piece.text
        known = self._known if piece.citable is None else piece.citable
        numbers = self._assign_numbers(piece.text, known)
        text, language = piece.text, self._sources.language
        for checked in reversed(piece.checked):
            note = self._note_assumed(checked.claim)
            if not note and checked.claim.verdict in DOUBTFUL:
                note = _UNVERIFIED[language]
            if note:
                marked = mark_claim(text[checked.start : checked.end], note, language)
                text = text[: checked.start] + marked + text[checked.end :]
        return renumber_marks(clean_marks(text, known), numbers)

    def _assign_numbers(self, text: str, known: frozenset[int]) -> dict[int, int]:
        """Return the final numbers of the sources cited in a text, by draft number.

        A source cited for the first time gets the next number.

        Args:
            text: The text.
            known: The draft numbers that may be cited.
        """
        cited = [n for n in list_cited_numbers(text) if n in known]
        for n in cited:
            self.numbers.setdefault(n, len(self.numbers) + 1)
        return {n: self.numbers[n] for n in cited}

    def _note_assumed(self, claim: Claim) -> str:
        """Return the note for a claim that depends on values set by a person ("assuming …"), or ""."""
        values = self._sources.list_assumed(claim.citations)
        language = self._sources.language
        return _ASSUMING[language].format(join_names(values, language)) if values else ""

    def _separate(self, text: str) -> str:
        """Return a text with a blank before it if the text before needs one. In Chinese it never does."""
        if not self._rendered:
            return text.lstrip()
        if self._rendered[-1][-1:].isspace() or text[:1].isspace() or self._sources.language == "zh":
            return text
        return f" {text}"
