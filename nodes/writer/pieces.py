"""Pieces of an answer: immutable Markdown with checked claims, under draft numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources, check_cited, check_piece, share_of_words
from weiwo.nodes.writer.document import find_heading, is_code, label_cell, list_claim_places
from weiwo.nodes.writer.sources import CitableSources
from weiwo.nodes.writer.verification.check import is_absence, is_advice
from weiwo.state import DOUBTFUL, Claim, Language
from weiwo.text.citation_marks import (
    blank_marks,
    clean_marks,
    has_foreign_mark,
    list_cited_numbers,
    shield_brackets,
    shield_copied,
    unshield_brackets,
)
from weiwo.text.markdown import ROW

_MOST_TRIED: Final = 6
"""Most sources tried for a claim that cites none."""
_MOST_TOGETHER: Final = 3
"""Most sources that a claim without citations may get, for example one for each compared thing."""
_LEAST_SHARE: Final = 0.7
"""Least share of a claim's words in a source for the claim to cite it."""
_MOST_ROWS: Final = 100
"""Most pieces before a claim that are searched for its heading or the header of its table."""
STOPS: Final = "。.!！?？;；"


@dataclass(frozen=True)
class Piece:
    """A part of an answer: Markdown with citation marks, and its claims. Numbers are those of the draft.

    Attributes:
        text: Markdown with citation marks. Other brackets are shielded, so that they are not read as marks.
        checked: The claims with their positions in `text`.
        citable: The numbers that its marks may name. Marks with other numbers are dropped. None means the numbers of
            all sources.
    """

    text: str
    checked: tuple[CheckedClaim, ...] = ()
    citable: frozenset[int] | None = None

    @property
    def is_verified(self) -> bool:
        """Report whether no claim is doubtful."""
        return all_supported([item.claim for item in self.checked])


@dataclass(frozen=True)
class ClaimPlace:
    """Place of a claim in an answer: the index of the piece, and the index among the piece's claims."""

    piece: int
    position: int


def read_piece(text: str, before: Sequence[Piece], sources: CitableSources, question: str) -> Piece:
    """Return a piece of a draft with its claims checked and its citations repaired.

    A failing claim gets the citations of sources that support it, if there are any.

    Args:
        text: The piece.
        before: The pieces before it, which may have its heading.
        sources: The citable sources.
        question: The user's question.
    """
    given = sources.for_claims(question)
    text = shield_copied(text, {source.n: source.evidence.text for source in sources.items if source.evidence})
    above = next(filter(None, (find_heading(piece.text) for piece in reversed(before[-_MOST_ROWS:]))), "")
    checked, written = check_piece(text, given, above), text
    for claim in reversed(checked):
        doubtful = claim.claim.verdict in DOUBTFUL and not is_code(claim.claim.text)
        if doubtful and (numbers := _find_carrying(claim, sources, given)):
            cited = _cite_sources(text[claim.start : claim.end], numbers, given.language)
            written = written[: claim.start] + cited + written[claim.end :]
    claims = checked if written == text else check_piece(written, given, above)
    return Piece(written, tuple(claims), citable=frozenset(source.n for source in sources.items))


def _find_carrying(checked: CheckedClaim, sources: CitableSources, given: ClaimSources) -> Sequence[int]:
    """Return the numbers of sources that support a failing claim, or an empty sequence if none do.

    If the claim has citations, they stay, and only a calculation that gives its figure is added. A claim without
    citations gets one to three of the sources on which outcomes rest, if together they have all its figures and names
    and most of its words. "Not found", a recommendation and a claim with an unreadable mark get none.
    """
    own, text = list(checked.claim.citations), checked.claim.text
    if not checked.hard or (not own and has_foreign_mark(text)):
        return ()
    options = [own, *([*own, n] for n in given.computed)]
    if not own and not is_absence(text) and not is_advice(text):
        quoted = [source.n for source in sources.items if source.quote]
        relied_on = [source.n for source in sources.items if source.relied_on]
        grounded = (quoted or relied_on)[:_MOST_TRIED]  # of a folder read whole nothing was quoted
        options += [list(some) for most in range(1, _MOST_TOGETHER + 1) for some in combinations(grounded, most)]
    for numbers in filter(None, options):
        verdict = check_cited(text, numbers, given).verdict
        if verdict in {*DOUBTFUL, "uncited"}:
            continue
        if own or verdict != "matched" or share_of_words(text, numbers, given) >= _LEAST_SHARE:
            return numbers
    return ()


def place_claims(text: str, claims: Sequence[Claim] = ()) -> Piece:
    """Return a piece made of a text and its known claims, each with its position in the text.

    If the text does not divide into as many claims, each claim spans the whole text. Without claims, brackets in the
    text are shielded, so that they are not read as citation marks.
    """
    text = text if claims else shield_brackets(text)
    spans = list_claim_places(text) if claims else []
    places = spans if len(spans) == len(claims) else [(0, len(text))] * len(claims)
    return Piece(text, tuple(CheckedClaim(*place, claim) for place, claim in zip(places, claims, strict=True)))


def append_piece(pieces: list[Piece], piece: Piece) -> None:
    """Append a piece to the list, in place.

    A blank piece is not appended: its line ends are added to the piece before it.
    """
    if piece.text.strip():
        pieces.append(piece)
    elif pieces:
        pieces[-1] = replace(pieces[-1], text=pieces[-1].text + missing_line_ends(pieces[-1].text, piece.text))


def missing_line_ends(before: str, blank: str) -> str:
    """Return the line ends that a text lacks to end with as many as a blank piece has. Empty if it lacks none."""
    return "\n" * (trailing_blanks(blank).count("\n") - trailing_blanks(before).count("\n"))


def drop_doubtful(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces without those that have doubtful claims. Their line ends stay.

    Used for a draft that broke off and that no model can repair.
    """
    left: list[Piece] = []
    for piece in pieces:
        append_piece(left, piece if piece.is_verified else Piece(trailing_blanks(piece.text)))
    return left


def cite_claim(piece: Piece, position: int, language: Language) -> Piece:
    """Return a piece with the marks of a claim's citations inserted into its text.

    Args:
        piece: The piece.
        position: Index of the claim.
        language: The language of the answer.
    """
    start, end, claim = (cited := piece.checked[position]).start, cited.end, cited.claim
    marked = _cite_sources(piece.text[start:end], claim.citations, language)
    longer = len(marked) - (end - start)
    later = (
        replace(entry, start=entry.start + longer, end=entry.end + longer) for entry in piece.checked[position + 1 :]
    )
    checked = (*piece.checked[:position], replace(cited, end=end + longer), *later)
    return replace(piece, text=piece.text[:start] + marked + piece.text[end:], checked=checked)


def describe_claim(pieces: Sequence[Piece], place: ClaimPlace) -> tuple[str, Claim]:
    """Return the heading above a claim, and the claim in the form in which a model judges it.

    The text of the claim has its marks. For a cell, row and column stand before it, as in "(Acme, Founded) 1900 [1]",
    and the heading is empty.
    """
    number, piece = place.piece, pieces[place.piece]
    checked = piece.checked[place.position]
    about = ", ".join(label_claim(pieces, place))
    above = (item.text for item in reversed(pieces[max(0, number - _MOST_ROWS) : number]))
    headings = (find_heading(text) for text in (piece.text[: checked.start], *above))
    heading = "" if about else next(filter(None, headings), "")
    written = unshield_brackets(piece.text[checked.start : checked.end])
    written = written if is_code(written) else " ".join(written.split())
    return heading, checked.claim.model_copy(update={"text": f"({about}) {written}" if about else written})


def label_claim(pieces: Sequence[Piece], place: ClaimPlace) -> tuple[str, ...]:
    """Return row and column of a claim in a table cell, as ("Acme", "Founded"). Empty for any other claim."""
    number = first = place.piece
    while first and number - first < _MOST_ROWS and ROW.match(pieces[first - 1].text.lstrip()):
        first -= 1
    before = pieces[first].text if first < number else ""
    return label_cell(before + pieces[number].text, len(before) + pieces[number].checked[place.position].start)


def mark_claim(claim: str, note: str, language: Language) -> str:
    """Return a claim with a note inside its sentence or cell, as in "Acme grew [1] (unverified)".

    For a block of code, the note stands below.
    """
    if is_code(claim):
        return f"{claim}\n\n{claim[: len(claim) - len(claim.lstrip())]}{note}"
    body = claim.rstrip().rstrip(STOPS)
    return f"{body}{'' if language == 'zh' else ' '}{note}{claim[len(body) :]}"


def _cite_sources(sentence: str, numbers: Sequence[int], language: Language) -> str:
    """Return a sentence that cites exactly the given sources.

    Their marks inside the sentence stay, missing ones are added at its end, and others are removed: "Acme [2] grew
    [3]." becomes "Acme [2] grew [1]." for 1 and 2.
    """
    kept = clean_marks(sentence, numbers)
    words = re.match(r".*\w", blank_marks(kept)[0], re.DOTALL)
    inside = kept[: words.end() if words else 0]
    missing = [n for n in numbers if n not in list_cited_numbers(inside)]
    body = (inside + clean_marks(kept[len(inside) :], ())).rstrip()
    return add_marks(body, "".join(f"[{n}]" for n in missing), language)


def add_marks(sentence: str, marks: str, language: Language) -> str:
    """Return a sentence, or part of one, with marks before its final stop, as in "Acme grew [1]"."""
    if not marks:
        return sentence
    body = sentence.rstrip(STOPS)
    return f"{body}{'' if language == 'zh' else ' '}{marks}{sentence[len(body) :]}"


def trailing_blanks(text: str) -> str:
    """Return the blanks and line ends at the end of a text."""
    return text[len(text.rstrip()) :]


def all_supported(claims: Sequence[Claim]) -> bool:
    """Report whether no claim is doubtful."""
    return not any(claim.verdict in DOUBTFUL for claim in claims)
