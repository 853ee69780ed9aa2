"""The draft of an answer: its pieces as they were spoken, its checked claims, and how doubtful ones are settled."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources, check_cited, check_piece, share_of_words
from weiwo.nodes.writer.document import (
    find_heading,
    is_code,
    is_indented_code,
    label_cell,
    list_claim_places,
    parse_blocks,
)
from weiwo.nodes.writer.sources import CitableSources
from weiwo.nodes.writer.verification.check import is_absence, is_advice
from weiwo.state import DOUBTFUL, Block, Claim, DecidedBy, Extract, Language
from weiwo.state.answer import Gap
from weiwo.state.ledger import Lead, Ledger
from weiwo.text.citation_marks import blank_marks, clean_marks, has_foreign_mark, list_cited_numbers, renumber_marks
from weiwo.text.lists import join_names
from weiwo.text.localization import localized
from weiwo.text.markdown import ROW

_MOST_TRIED: Final = 6
"""Sources tried for a claim that cites none."""
_MOST_TOGETHER: Final = 3
"""Sources that are tried together: a claim may compare as many things."""
_LEAST_SHARE: Final = 0.7
"""Share of a claim's words that a source has to have to be cited by it."""
_MOST_ROWS: Final = 100
"""Pieces before a claim in which its heading or the header of its table is looked for."""
_ASSUMING: Final = localized("writer.draft", "assuming")
_UNVERIFIED: Final = localized("writer.draft", "unverified")
_STOPS: Final = "。.!！?？;；"


@dataclass
class Piece:
    """A piece of the draft: its text under draft numbers, and its claims.

    Attributes:
        text: Markdown with citation marks.
        checked: Its claims with their places in `text`.
        quotes: Whether it shows a passage as it stands, below a line that cites it: brackets in that are the source's.
    """

    text: str
    checked: list[CheckedClaim]
    quotes: bool = False

    @property
    def verified(self) -> bool:
        """Whether none of its claims is doubtful."""
        return all_supported([one.claim for one in self.checked])

    def cite(self, position: int, language: Language) -> None:
        """Write the marks of a claim's citations into the text."""
        start, end, claim = (one := self.checked[position]).start, one.end, one.claim
        marked = _cite_sources(self.text[start:end], claim.citations, language)
        longer = len(marked) - (end - start)
        self.text = self.text[:start] + marked + self.text[end:]
        moved = (replace(one, start=one.start + longer, end=one.end + longer) for one in self.checked[position + 1 :])
        self.checked[position:] = [replace(one, end=end + longer), *moved]


@dataclass
class Draft:
    """An answer in the making: what has been spoken, and its checked claims.

    Attributes:
        sources: What may be cited.
        decided_by: Who wrote it.
        pieces: Its pieces, in order.
        spoken: The same as they went out, under final numbers and with marks at what is doubtful.
        claims: Its claims under final numbers.
        broken: Why the model's draft ended early, or "".
        asserted: Mechanisms of the rules that assert something in it.
        extracts: The passages it shows as they are.
        confidence: How probable it is that these hold the answer, where nothing is asserted; else None.
        in_part: The documents that it leans on, or the question names, and that were not read whole.
        told: Of an answer by rule, the tasks whose values it states; None of a model's.
        shows_subject: Whether an answer by rule shows passages on the subject.
        lead: What it begins with, where whoever wrote it says so; else it follows from what it rests on.
        ledger: The ledger, closed when all of it was said.
        unsourced: Whether a model answered from its own knowledge.
        plain: Whether a small model's verified sentence is the answer.
    """

    sources: CitableSources
    decided_by: DecidedBy = "rule"
    pieces: list[Piece] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    broken: str = ""
    asserted: list[str] = field(default_factory=list)
    extracts: list[Extract] = field(default_factory=list)
    confidence: float | None = None
    in_part: tuple[Gap, ...] = ()
    told: frozenset[str] | None = None
    shows_subject: bool = False
    lead: Lead | None = None
    unsourced: bool = False
    plain: bool = False
    ledger: Ledger | None = None

    def cited_ids(self, numbers: Collection[int]) -> frozenset[str]:
        """Ids of the passages that it cites under some final numbers."""
        return frozenset(one.evidence_id for one in self.sources.list_citations() if one.n in numbers)

    def given(self, question: str) -> ClaimSources:
        """What claims are checked against."""
        return ClaimSources(self.sources.passages, self.sources.computed, self.sources.language, question)

    def check(self, piece: str, question: str) -> list[Claim]:
        """The claims of a piece of the draft, citations under draft numbers."""
        return [checked.claim for checked in check_piece(piece, self.given(question))]

    def read(self, text: str, question: str) -> Piece:
        """A piece with its claims checked; those that fail get citations that carry them, where there are such."""
        given = self.given(question)
        above = next(filter(None, (find_heading(one.text) for one in reversed(self.pieces[-_MOST_ROWS:]))), "")
        piece = Piece(text, check_piece(text, given, above))
        for checked in reversed(piece.checked):
            doubtful = checked.claim.verdict in DOUBTFUL and not is_code(checked.claim.text)
            if doubtful and (numbers := self._carrying(checked, given)):
                cited = _cite_sources(text[checked.start : checked.end], numbers, given.language)
                text = text[: checked.start] + cited + text[checked.end :]
        claims = piece.checked if text == piece.text else check_piece(text, given, above)
        return Piece(text, claims)

    def _carrying(self, checked: CheckedClaim, given: ClaimSources) -> Sequence[int]:
        """The numbers of sources that carry a failing claim; none where none do.

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
            quoted = [source.n for source in self.sources.items if source.quote]
            relied_on = [source.n for source in self.sources.items if source.relied_on]
            grounded = (quoted or relied_on)[:_MOST_TRIED]  # of a folder read whole nothing was quoted
            options += [list(some) for most in range(1, _MOST_TOGETHER + 1) for some in combinations(grounded, most)]
        for numbers in filter(None, options):
            verdict = check_cited(text, numbers, given).verdict
            if verdict in {*DOUBTFUL, "uncited"}:
                continue
            if own or verdict != "matched" or share_of_words(text, numbers, given) >= _LEAST_SHARE:
                return numbers
        return ()

    def accept(self, text: str, claims: Sequence[Claim]) -> str:
        """Take a piece whose claims are known into the answer; returns it as it is to be spoken."""
        spans = list_claim_places(text) if claims else []
        places = spans if len(spans) == len(claims) else [(0, len(text))] * len(claims)
        checked = [CheckedClaim(start, end, claim) for (start, end), claim in zip(places, claims, strict=True)]
        return self.add(Piece(text, checked))

    def add(self, piece: Piece) -> str:
        """Take a piece into the answer under final numbers; returns it as it is to be spoken.

        Of a piece that was dropped the line ends are left: they keep what follows apart from what stands before.
        """
        if not piece.text.strip():
            return self._set_apart(trailing_blanks(piece.text).count("\n"))
        self.pieces.append(piece)
        self.spoken.append(self._joined(self._rendered(piece)))
        self.claims += self._final(piece)
        return self.spoken[-1]

    def _set_apart(self, wanted: int) -> str:
        missing = "\n" * (wanted - trailing_blanks(self.pieces[-1].text).count("\n") if self.pieces else 0)
        if missing:
            self.pieces[-1].text += missing
            self.spoken[-1] += missing
        return missing

    def render_again(self) -> None:
        """Write the answer anew after its pieces were settled; numbers follow the order of first citation again."""
        pieces, self.pieces, self.spoken, self.claims = self.pieces, [], [], []
        self.sources.final.clear()
        for piece in pieces:
            self.add(piece)

    def discard(self) -> None:
        """Take all of it back."""
        self.pieces, self.spoken, self.claims = [], [], []

    def drop_doubtful(self) -> None:
        """Take out pieces with doubtful claims, of a draft that broke off and that nobody can be asked to mend."""
        doubtful = [piece for piece in self.pieces if not piece.verified]
        for piece in doubtful:
            piece.text, piece.checked = trailing_blanks(piece.text), []
        if doubtful:
            self.render_again()

    def blocks(self) -> list[Block]:
        """The blocks of the answer, with the positions of their claims."""
        text = "".join(self.spoken)
        starts, offset = [], -(len(text) - len(text.lstrip()))
        for piece, spoken in zip(self.pieces, self.spoken, strict=True):
            places = [start for start, _ in list_claim_places(spoken)][: len(piece.checked)] if piece.checked else []
            places += [places[-1] if places else 0] * (len(piece.checked) - len(places))
            starts += [offset + place for place in places]
            offset += len(spoken)
        return parse_blocks(text.strip(), starts)

    def in_context(self, number: int, position: int) -> tuple[str, Claim]:
        """A claim as one can judge it, with marks, a cell with row and column; before it the heading above it."""
        piece = self.pieces[number]
        checked = piece.checked[position]
        first = number
        while first and number - first < _MOST_ROWS and ROW.match(self.pieces[first - 1].text.lstrip()):
            first -= 1
        before = self.pieces[first].text if first < number else ""
        about = label_cell(before + piece.text, len(before) + checked.start)
        above = (one.text for one in reversed(self.pieces[max(0, number - _MOST_ROWS) : number]))
        told = (find_heading(text) for text in (piece.text[: checked.start], *above))
        heading = "" if about else next(filter(None, told), "")
        written = piece.text[checked.start : checked.end]
        written = written if is_code(written) else " ".join(written.split())
        return heading, checked.claim.model_copy(update={"text": f"({about}) {written}" if about else written})

    def _rendered(self, piece: Piece) -> str:
        if is_indented_code(piece.text):
            return piece.text
        known = {source.n for source in self.sources.items}
        if piece.quotes:
            head, line, passage = piece.text.lstrip("\n").partition("\n")
            before = "\n" * (len(piece.text) - len(piece.text.lstrip("\n")))
            numbers = self.sources.assign_numbers([n for n in list_cited_numbers(head) if n in known])
            return before + renumber_marks(clean_marks(head, known), numbers) + line + passage
        numbers = self.sources.assign_numbers([n for n in list_cited_numbers(piece.text) if n in known])
        text = piece.text
        for checked in reversed(piece.checked):
            if noted := self._note_assumed(checked.claim):
                written = text[checked.start : checked.end]
                text = text[: checked.start] + _mark_claim(written, noted, self.sources.language) + text[checked.end :]
            elif checked.claim.verdict in DOUBTFUL:
                written = text[checked.start : checked.end]
                marked = _mark_claim(written, _UNVERIFIED[self.sources.language], self.sources.language)
                text = text[: checked.start] + marked + text[checked.end :]
        return renumber_marks(clean_marks(text, known), numbers)

    def _final(self, piece: Piece) -> Iterator[Claim]:
        numbers = self.sources.final
        for checked in piece.checked:
            citations = tuple(numbers[n] for n in checked.claim.citations if n in numbers)
            reason = self._note_assumed(checked.claim).strip("()（）") or checked.claim.reason
            yield checked.claim.model_copy(update={"citations": citations, "reason": reason})

    def _note_assumed(self, claim: Claim) -> str:
        """The note that a claim rests on values set by a person; empty where it does not."""
        values = self.sources.list_assumed(claim.citations)
        language = self.sources.language
        return _ASSUMING[language].format(join_names(values, language)) if values else ""

    def _joined(self, text: str) -> str:
        """A piece with one blank before it where its language wants one, and none at the beginning."""
        if not self.spoken:
            return text.lstrip()
        if self.spoken[-1][-1:].isspace() or text[:1].isspace() or self.sources.language == "zh":
            return text
        return f" {text}"


def _mark_claim(claim: str, note: str, language: Language) -> str:
    """A claim with a note such as "(unverified)" inside its sentence or cell; below a block of code."""
    if is_code(claim):
        return f"{claim}\n\n{claim[: len(claim) - len(claim.lstrip())]}{note}"
    body = claim.rstrip().rstrip(_STOPS)
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
    body = sentence.rstrip(_STOPS)
    return f"{body}{'' if language == 'zh' else ' '}{marks}{sentence[len(body) :]}"


def trailing_blanks(text: str) -> str:
    """The blanks and line ends that a text ends with."""
    return text[len(text.rstrip()) :]


def all_supported(claims: Sequence[Claim]) -> bool:
    """Whether none of these claims is doubtful."""
    return not any(claim.verdict in DOUBTFUL for claim in claims)
