"""Pieces of an answer: Markdown with its checked claims, immutable, under the numbers of the draft."""

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
"""Sources tried for a claim that cites none."""
_MOST_TOGETHER: Final = 3
"""Sources that are tried together: a claim may compare as many things."""
_LEAST_SHARE: Final = 0.7
"""Share of a claim's words that a source has to have to be cited by it."""
_MOST_ROWS: Final = 100
"""Pieces before a claim in which its heading or the header of its table is looked for."""
STOPS: Final = "。.!！?？;；"


@dataclass(frozen=True)
class Piece:
    """A piece of an answer: its text under draft numbers, and its claims.

    Attributes:
        text: Markdown with citation marks; other brackets are shielded.
        checked: Its claims with their places in `text`.
        citable: The numbers that its marks may name, marks of others are dropped; None: those of all sources.
    """

    text: str
    checked: tuple[CheckedClaim, ...] = ()
    citable: frozenset[int] | None = None

    @property
    def verified(self) -> bool:
        """Whether none of its claims is doubtful."""
        return all_supported([one.claim for one in self.checked])


@dataclass(frozen=True)
class ClaimPlace:
    """Where a claim stands in an answer: its piece, and its position among that piece's claims."""

    piece: int
    position: int


def read_piece(text: str, before: Sequence[Piece], sources: CitableSources, question: str) -> Piece:
    """Check the claims of a piece of a draft; those that fail get citations that carry them, where there are such.

    Args:
        text: The piece.
        before: The pieces before it, among which its heading stands.
        sources: The sources that it may cite.
        question: The user's question.
    """
    given = sources.for_claims(question)
    text = shield_copied(text, {source.n: source.evidence.text for source in sources.items if source.evidence})
    above = next(filter(None, (find_heading(one.text) for one in reversed(before[-_MOST_ROWS:]))), "")
    checked, written = check_piece(text, given, above), text
    for claim in reversed(checked):
        doubtful = claim.claim.verdict in DOUBTFUL and not is_code(claim.claim.text)
        if doubtful and (numbers := _find_carrying(claim, sources, given)):
            cited = _cite_sources(text[claim.start : claim.end], numbers, given.language)
            written = written[: claim.start] + cited + written[claim.end :]
    claims = checked if written == text else check_piece(written, given, above)
    return Piece(written, tuple(claims), citable=frozenset(source.n for source in sources.items))


def _find_carrying(checked: CheckedClaim, sources: CitableSources, given: ClaimSources) -> Sequence[int]:
    """Find the numbers of sources that carry a failing claim; none where none do.

    What a claim cites stays; only the calculation that gives its figure is put beside it. One that cites nothing
    that exists gets a source that has all its figures and names and most of its words: of those that outcomes rest
    on, alone, in pairs and in threes. An absence or a recommendation gets none, since it stands in no source; nor
    does a claim whose mark cannot be read.
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
    """A piece whose claims are known, each at its place; brackets in one without claims are no marks."""
    text = text if claims else shield_brackets(text)
    spans = list_claim_places(text) if claims else []
    places = spans if len(spans) == len(claims) else [(0, len(text))] * len(claims)
    return Piece(text, tuple(CheckedClaim(*place, claim) for place, claim in zip(places, claims, strict=True)))


def append_piece(pieces: list[Piece], piece: Piece) -> None:
    """Append a piece; of a blank one only the line ends count, which set what follows apart from what stands before."""
    if piece.text.strip():
        pieces.append(piece)
    elif pieces:
        pieces[-1] = replace(pieces[-1], text=pieces[-1].text + missing_line_ends(pieces[-1].text, piece.text))


def missing_line_ends(before: str, blank: str) -> str:
    """The line ends by which a text falls short of those of a blank piece behind it."""
    return "\n" * (trailing_blanks(blank).count("\n") - trailing_blanks(before).count("\n"))


def drop_doubtful(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces without those with doubtful claims, of a draft that broke off and that nobody can be asked to mend."""
    left: list[Piece] = []
    for piece in pieces:
        append_piece(left, piece if piece.verified else Piece(trailing_blanks(piece.text)))
    return left


def cite_claim(piece: Piece, position: int, language: Language) -> Piece:
    """A piece with the marks of a claim's citations in its text."""
    start, end, claim = (one := piece.checked[position]).start, one.end, one.claim
    marked = _cite_sources(piece.text[start:end], claim.citations, language)
    longer = len(marked) - (end - start)
    later = (replace(one, start=one.start + longer, end=one.end + longer) for one in piece.checked[position + 1 :])
    checked = (*piece.checked[:position], replace(one, end=end + longer), *later)
    return replace(piece, text=piece.text[:start] + marked + piece.text[end:], checked=checked)


def describe_claim(pieces: Sequence[Piece], place: ClaimPlace) -> tuple[str, Claim]:
    """A claim as one can judge it, with marks, a cell with row and column; before it the heading above it."""
    number, piece = place.piece, pieces[place.piece]
    checked = piece.checked[place.position]
    about = ", ".join(label_claim(pieces, place))
    above = (one.text for one in reversed(pieces[max(0, number - _MOST_ROWS) : number]))
    headings = (find_heading(text) for text in (piece.text[: checked.start], *above))
    heading = "" if about else next(filter(None, headings), "")
    written = unshield_brackets(piece.text[checked.start : checked.end])
    written = written if is_code(written) else " ".join(written.split())
    return heading, checked.claim.model_copy(update={"text": f"({about}) {written}" if about else written})


def label_claim(pieces: Sequence[Piece], place: ClaimPlace) -> tuple[str, ...]:
    """The row and the column of a claim that is a table cell; nothing of any other claim."""
    number = first = place.piece
    while first and number - first < _MOST_ROWS and ROW.match(pieces[first - 1].text.lstrip()):
        first -= 1
    before = pieces[first].text if first < number else ""
    return label_cell(before + pieces[number].text, len(before) + pieces[number].checked[place.position].start)


def mark_claim(claim: str, note: str, language: Language) -> str:
    """A claim with a note such as "(unverified)" inside its sentence or cell; below a block of code."""
    if is_code(claim):
        return f"{claim}\n\n{claim[: len(claim) - len(claim.lstrip())]}{note}"
    body = claim.rstrip().rstrip(STOPS)
    return f"{body}{'' if language == 'zh' else ' '}{note}{claim[len(body) :]}"


def _cite_sources(sentence: str, numbers: Sequence[int], language: Language) -> str:
    """A sentence that cites these sources alone: marks of them inside it stay, the others go to its end."""
    kept = clean_marks(sentence, numbers)
    words = re.match(r".*\w", blank_marks(kept)[0], re.DOTALL)
    inside = kept[: words.end() if words else 0]
    missing = [n for n in numbers if n not in list_cited_numbers(inside)]
    body = (inside + clean_marks(kept[len(inside) :], ())).rstrip()
    return add_marks(body, "".join(f"[{n}]" for n in missing), language)


def add_marks(sentence: str, marks: str, language: Language) -> str:
    """A sentence, or a half of one, with its marks before the stop that ends it, where readers look for them."""
    if not marks:
        return sentence
    body = sentence.rstrip(STOPS)
    return f"{body}{'' if language == 'zh' else ' '}{marks}{sentence[len(body) :]}"


def trailing_blanks(text: str) -> str:
    """The blanks and line ends that a text ends with."""
    return text[len(text.rstrip()) :]


def all_supported(claims: Sequence[Claim]) -> bool:
    """Whether none of these claims is doubtful."""
    return not any(claim.verdict in DOUBTFUL for claim in claims)
