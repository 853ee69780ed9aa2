"""Every character of an answer, as part of a claim, of a quotation, of a label, or of what nothing covers."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from weiwo.app.export.proof import Proof, ProvenClaim, fold_words
from weiwo.nodes.writer.document import list_claim_places
from weiwo.state import Language
from weiwo.text.citation_marks import blank_marks
from weiwo.text.localization import localized

PartKind = Literal["claim", "quotation", "label", "uncovered"]

_MARKUP: Final = re.compile(r"^[\s>]*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)?")
_HEADING: Final = re.compile(r"^\s*(#{1,6})\s")
_TOKEN: Final = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_EMPTY_WORDS: Final = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "per", "the", "to", "with"}
    | set("的和与在及")
)
"""Words that say nothing by themselves; a "not" is none of them."""
_UNVERIFIED: Final = localized("writer.rendering", "unverified")


@dataclass(frozen=True)
class Part:
    """A piece of an answer."""

    kind: PartKind
    text: str
    start: int
    claim: ProvenClaim | None = None


def cover_answer(proof: Proof) -> list[Part]:
    """Divide an answer into its parts, in order; what has neither letters nor figures is none."""
    answer = proof.answer
    known = {fold_words(claim.text): claim for claim in proof.claims}
    parts: list[Part] = []
    at = 0
    for start, end in [*_claim_places(answer, known, proof.language), (len(answer), len(answer))]:
        parts += _rest_parts(answer, at, start)
        if end > start:
            parts.append(Part("claim", answer[start:end], start, _find(answer[start:end], known, proof.language)))
        at = end
    texts = [source.passage.text for source in proof.sources]
    return [_classify(part, parts, texts, proof) if part.kind == "uncovered" else part for part in parts]


def _claim_places(answer: str, known: Mapping[str, ProvenClaim], language: Language) -> Iterator[tuple[int, int]]:
    """The places of the answer's claims, without those that overlap."""
    last = 0
    for start, end in list_claim_places(answer):
        if start >= last and _find(answer[start:end], known, language) is not None:
            yield start, end
            last = end


def _find(text: str, known: Mapping[str, ProvenClaim], language: Language) -> ProvenClaim | None:
    """The claim that a text is, the mark of a doubtful one aside."""
    folded = fold_words(text)
    return known.get(folded) or known.get(folded.removesuffix(fold_words(_UNVERIFIED[language])))


def _rest_parts(answer: str, start: int, end: int) -> Iterator[Part]:
    """What stands between two claims, line by line."""
    for found in re.finditer(r"[^\n]+", answer[start:end]):
        if re.search(r"\w", _MARKUP.sub("", blank_marks(found[0])[0])):
            yield Part("uncovered", found[0], start + found.start())


def _classify(part: Part, parts: list[Part], texts: list[str], proof: Proof) -> Part:
    kind: PartKind = "uncovered"
    if _is_quotation(part, proof.answer, texts):
        kind = "quotation"
    elif _is_label(part, parts, proof):
        kind = "label"
    return Part(kind, part.text, part.start)


def _is_quotation(part: Part, answer: str, texts: list[str]) -> bool:
    """Whether it stands in a block of quotation, and word for word in one passage."""
    line = answer.rfind("\n", 0, part.start) + 1
    if not answer[line:].lstrip().startswith(">"):
        return False
    folded = [fold_words(one) for one in part.text.split("…")]
    if any(all(one in fold_words(text) for one in folded) for text in texts):
        return True
    return any(_is_row(part.text, text) for text in texts)


_DELIMITERS: Final = (",", ";", "\t", "|")


def _is_row(shown: str, table: str) -> bool:
    """Whether it shows one row of a table whose first line names the columns, as "column: value · column: value"."""
    cells = [one.partition(":") for one in shown.lstrip("> *").rstrip("* ").split(" · ")]
    names, values = ([fold_words(cell[at]) for cell in cells] for at in (0, 2))
    lines = table.splitlines() or [""]
    for delimiter in _DELIMITERS:
        header, *rows = ([fold_words(cell) for cell in row] for row in csv.reader(lines, delimiter=delimiter))
        if header == names:
            return values in rows
    return False


def _is_label(part: Part, parts: list[Part], proof: Proof) -> bool:
    """Whether it has no words beyond those of the claims below it, the titles of sources and our own headings.

    In a table, the words of the rows that the claims rest on count, too: a claim there is a cell.
    """
    words = _tokens(part.text)
    below = [one.claim for one in _below(part, parts) if one.claim is not None]
    allowed = set(chain.from_iterable(_tokens(claim.text) for claim in below))
    cited = {n for claim in below for n in claim.citations} | {
        n for mark in blank_marks(part.text)[1] for n in mark.numbers
    }
    for source in proof.sources:
        if source.n in cited or not below:
            allowed |= _tokens(source.passage.title) | _tokens(source.passage.source)
            if part.text.lstrip().startswith("|"):
                allowed |= _tokens(source.passage.text)
            elif heading := _HEADING.match(source.passage.text):
                allowed |= _tokens(source.passage.text[heading.end() :].partition("\n")[0])
    return words <= allowed


def _below(part: Part, parts: list[Part]) -> Iterator[Part]:
    """The parts under a label: to the next heading of its level or above."""
    own = _HEADING.match(part.text)
    level = len(own[1]) if own else 7
    for one in parts:
        if one.start <= part.start:
            continue
        heading = _HEADING.match(one.text) if one.kind != "claim" else None
        if heading and len(heading[1]) <= level:
            return
        yield one


def _tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(blank_marks(text)[0].casefold())) - _EMPTY_WORDS
