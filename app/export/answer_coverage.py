"""Classification of every part of an answer as claim, quotation, label or uncovered text."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, Literal

from weiwo.app.export.proof import Proof, fold_words
from weiwo.nodes.writer.claims import check_claim
from weiwo.nodes.writer.document import list_claim_places, row_of
from weiwo.state import DOUBTFUL, Claim, Evidence
from weiwo.text.citation_marks import blank_marks, list_cited_numbers
from weiwo.text.language import sentences
from weiwo.text.localization import localize_message
from weiwo.text.passage_context import file_name

_MARKUP: Final = re.compile(r"^[\s>]*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s)?")
_HEADING: Final = re.compile(r"^\s*(#{1,6})\s")
_HEADING_LINE: Final = re.compile(r"^#{1,6} .+$", re.MULTILINE)
_DELIMITER_ROW: Final = re.compile(r"[\s|:-]*---[\s|:-]*")
_DELIMITERS: Final = (",", ";", "\t", "|")
_BETWEEN_TITLES: Final = "·"
_STEPS: Final = re.compile(r"[·›]")
"""Signs between the title and the headings in the line below a quotation."""
_ATTRIBUTION: Final = "—"
UNVERIFIED: Final = localize_message("writer.rendering", "unverified")
"""The mark of a doubtful claim."""
_LEAD: Final = localize_message("writer.rule_answer.leads", "extracts")
"""The standard line above passages. Standard lines that state something, such as "not found", are no labels."""


@dataclass(frozen=True)
class CoveredPart:
    """A piece of an answer.

    Attributes:
        kind: A `claim`, a `quotation` from a passage, a `label` such as a heading, or `uncovered` by any of these.
        text: Its Markdown.
        start: Its offset in the answer.
        claim: The claim that it states. None for the other kinds.
        row: The table row around a claim in a cell. Empty outside of tables.
    """

    kind: Literal["claim", "quotation", "label", "uncovered"]
    text: str
    start: int
    claim: Claim | None = None
    row: str = ""


def cover_answer(proof: Proof) -> list[CoveredPart]:
    """Divide an answer into parts, in order. Text without words or figures belongs to no part."""
    answer = proof.answer
    parts: list[CoveredPart] = []
    at = 0
    for start, end, claim in _find_claims(proof):
        parts += _list_rest(answer, at, start)
        parts.append(CoveredPart("claim", answer[start:end], start, claim, row_of(answer, (start, end))))
        at = end
    parts += _list_rest(answer, at, len(answer))
    for n, part in enumerate(parts):
        if part.kind == "uncovered" and _is_quotation(part, proof):
            parts[n] = replace(part, kind="quotation")
        elif part.kind == "uncovered" and _is_label(part, parts, proof):
            parts[n] = replace(part, kind="label")
    return parts


def _find_claims(proof: Proof) -> Iterator[tuple[int, int, Claim]]:
    """Yield start, end and claim for each claim found in the answer, in order and without overlaps.

    Two claims of the same wording are assigned to the two places where the wording occurs. A claim that is not found is
    left out.
    """
    mark = fold_words(UNVERIFIED[proof.language]).lstrip()
    known: dict[str, list[Claim]] = {}
    for claim in proof.claims:
        known.setdefault(fold_words(claim.text), []).append(claim)
    last = 0
    for start, end in list_claim_places(proof.answer):
        text = proof.answer[start:end]
        folded = fold_words(text)
        claims = known.get(folded) or known.get(folded.removesuffix(mark)) or []
        links = "](" in text and not any("](" in claim.text for claim in claims)  # a mark that became a link
        if start >= last and claims and not links:
            yield start, end, claims.pop(0) if len(claims) > 1 else claims[0]
            last = end


def _list_rest(answer: str, start: int, end: int) -> Iterator[CoveredPart]:
    """Yield the text between two claims as "uncovered" parts, a line each. Lines without words are left out."""
    for found in re.finditer(r"[^\n]+", answer[start:end]):
        said = _MARKUP.sub("", blank_marks(found[0])[0])
        signs = "|" in found[0] and not _DELIMITER_ROW.fullmatch(found[0]) and said.strip(" |")
        if signs or fold_words(said):
            yield CoveredPart("uncovered", found[0], start + found.start())


def _is_quotation(part: CoveredPart, proof: Proof) -> bool:
    """Report whether a part is in a quotation block and stands in a passage, as an excerpt or as a table row."""
    line = proof.answer.rfind("\n", 0, part.start) + 1
    quoted = proof.answer[line:].lstrip().startswith(">")
    return quoted and any(_stands_in(part, source.passage) for source in proof.sources)


def _stands_in(part: CoveredPart, passage: Evidence) -> bool:
    """Report whether a passage holds the words of a part."""
    return is_excerpt(part.text, passage.text) or _is_row(part.text, passage.text)


def is_excerpt(shown: str, text: str) -> bool:
    """Report whether a text is an excerpt: whole sentences of a source text, in order.

    "…" may stand for omitted sentences and ends of sentences. Of "It is old. It is big. It is red.", "It is old. … It
    is red." is an excerpt, and "is big" is not.
    """
    whole, starts, ends = " ", set[int](), set[int]()
    for line in text.splitlines():
        for start, end in sentences(line):
            starts.add(len(whole) - 1)
            whole += fold_words(line[start:end]).lstrip()
            ends.add(len(whole))
    at = 0
    pieces = [fold_words(part) for part in shown.split("…")]
    for n, piece in enumerate(pieces):
        last = n == len(pieces) - 1
        at = whole.find(piece, at)
        while piece and at >= 0 and (at not in starts or (last and at + len(piece) not in ends)):
            at = whole.find(piece, at + 1)
        if at < 0:
            return False
    return True


def _is_row(shown: str, table: str) -> bool:
    """Report whether a text shows a row of a delimited table as "column: value · column: value".

    `city: Rome · people: 3` shows the row `Rome,3` of a table with the header `city,people`.
    """
    cells = [part.partition(":") for part in shown.lstrip("> *").rstrip("* ").split(" · ")]
    names, values = ([fold_words(cell[at]) for cell in cells] for at in (0, 2))
    lines = table.splitlines() or [""]
    for delimiter in _DELIMITERS:
        header, *rows = ([fold_words(cell) for cell in row] for row in csv.reader(lines, delimiter=delimiter))
        if header == names:
            return values in rows
    return False


def _is_label(part: CoveredPart, parts: Sequence[CoveredPart], proof: Proof) -> bool:
    """Report whether a part is a label: text that states nothing beyond the claims and passages around it.

    A label is one of these:

    - the standard line above passages
    - a line below a quotation with the titles of its passage
    - titles or headings of cited passages
    - a table header that stands word for word in a passage
    - words from such titles and from the claim below, without figures, if the sources do not refute them
    """
    said = fold_words(_MARKUP.sub("", part.text))
    if said == fold_words(_LEAD[proof.language]):
        return True
    below, marks = _find_below(part, parts), set(list_cited_numbers(part.text))
    cited = marks.union(below.citations) if below else marks
    passages = [source.passage for source in proof.sources if source.n in cited or not below]
    if part.text.lstrip().startswith(_ATTRIBUTION):
        shown = list(takewhile(lambda other: other.kind == "quotation", reversed(parts[: parts.index(part)])))
        marked = [source.passage for source in proof.sources if source.n in marks]
        passages = [passage for passage in marked if all(_stands_in(each, passage) for each in shown)]
        return _names_passage(_MARKUP.sub("", part.text), passages)
    above = [
        (passage.title, passage.source, passage.heading, *_HEADING_LINE.findall(passage.text)) for passage in passages
    ]
    titles = [fold_words(text) for texts in above for text in texts]
    pieces = [fold_words(piece) for piece in _MARKUP.sub("", part.text).split(_BETWEEN_TITLES)]
    if all(any(piece in title for title in titles) for piece in pieces):
        return True
    if part.text.lstrip().startswith("|"):
        return any(said in fold_words(passage.text) for passage in passages)
    known = {word for text in (*titles, fold_words(below.text if below else "")) for word in text.split()}
    if any(map(str.isdigit, said)) or not known.issuperset(said.split()):
        return False
    given = proof.claim_sources()
    statement = blank_marks(_MARKUP.sub("", part.text))[0].strip(" *_:：\n")
    return check_claim(f"{statement}.", tuple(sorted(cited)), given)[0].verdict not in DOUBTFUL


def _names_passage(line: str, passages: Sequence[Evidence]) -> bool:
    """Report whether a line below a quotation consists of titles and headings of passages.

    The names are separated by "·" or "›". Each must be whole, or end in "…" and begin as a title or heading does:
    "Annual report › Res…" names a passage below "Results".
    """
    names = set[str]()
    for passage in passages:
        named = f"{file_name(passage.source)}: {passage.title}"  # of documents with the same title
        above = (passage.title, passage.source, named, passage.heading, *passage.headings, *passage.context.values())
        texts = (*above, *_HEADING_LINE.findall(passage.text))
        names.update(fold_words(step) for text in texts for step in (text, *_STEPS.split(text)))

    def is_name(step: str) -> bool:
        folded = fold_words(step)
        is_cut = blank_marks(step)[0].rstrip().endswith("…")
        return folded in names or (is_cut and any(name.startswith(folded.rstrip()) for name in names))

    return fold_words(line) in names or all(map(is_name, _STEPS.split(line)))


def _find_below(part: CoveredPart, parts: Sequence[CoveredPart]) -> Claim | None:
    """Return the first claim below a label, or None if a heading of the same or a higher level comes first."""
    own = _HEADING.match(part.text)
    level = len(own[1]) if own else 7
    for other in parts[parts.index(part) + 1 :]:
        heading = _HEADING.match(other.text) if other.kind != "claim" else None
        if other.claim is not None or (heading and len(heading[1]) <= level):
            return other.claim
    return None
