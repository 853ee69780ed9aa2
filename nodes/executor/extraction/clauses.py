"""Clauses of a passage, with the role of each word for a question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.nodes.executor.extraction.asked_value import AskedValue
from weiwo.nodes.executor.extraction.entity_matching import Page, Span, plain
from weiwo.state.cached_property import cached_property
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.dates import DateSpan, find_dates
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS, terms

LONGEST_SENTENCE: Final = 800
"""Most characters of a sentence that are read."""
_MOST_BEFORE: Final = 12
"""Fewer sentences than this before a pronoun are searched for its subject."""

_CUT: Final = lazy(
    r"[;；，。]|[:：—–](?=\s)|,(?=\s|$)|\s(?=(?:and|but|while|when|whereas|although|though|where|which|who|whose)\s)"
    rf"|\s(?=[{HAN}])|\s(?=with\san?\s)"
)
_DEFINITION: Final = lazy(r"\s(?:is|was|are|were)\s(?:an?|the)\s(?:[\w'’“”\"-]{1,30}\s){0,9}$")
_NARROWED: Final = lazy(r"\b(?:of|in|on|by|for|from|with|about|based|that|wh\w+|or|at|to|after|near|starring)\s")
"""Words in a definition after which the next verb may have another subject."""
_IS_A: Final = lazy(r"\s(?:is|was)\s(?:an?|the)\s(?:(?!(?:an?|the|that|which|who)\s)[\w'’-]{1,30}\s){1,12}$")
"""Definition of a single thing, as "is a river". A following "with a length of" then belongs to this thing."""
_BRACKETS: Final = lazy(r"[（(][^（）()]{0,160}[)）]")
_TOKEN: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+(?:['’.-][^\W_{HAN}]+)*")
_HAN_RUN: Final = lazy(f"[{HAN}]+")
_PRONOUN: Final = lazy(r"(?:it|he|she|they|its|his|her|their)")
_OWNS: Final = lazy(r"['’]s?\s|[的之]")
_PRONOUN_HAN: Final = data_pattern("extraction", "assertions", "pronoun_zh")
_IDLE_HAN: Final = data_pattern("extraction", "assertions", "idle_zh")
_PLACED: Final = data_pattern("extraction", "assertions", "placed")
_TURNING: Final = data_words("extraction", "assertions", "turning")
_IDLE: Final = (FUNCTION_WORDS | data_words("extraction", "assertions", "idle")) - _TURNING
"""English filler words, which may stand between a subject and its value without changing the statement."""


class Token(NamedTuple):
    """Word, phrase or value of a clause, with its role for the question.

    Roles: `S`ubject, `A`ttribute (a word of the question or of its relation), `V`alue, `P`ronoun, `K`ind (a general
    noun for the subject, "tower"), `F`iller, `D`ate that is not asked for, `X` for anything else. "It was founded in
    1900" has P, F, A, F, V.
    """

    start: int
    end: int
    role: str


@lru_cache(maxsize=4096)
def is_alike(stem: str, other: str) -> bool:
    """Report whether two stems are equal, or one of five letters or more begins the other: "found" and "founder"."""
    return stem == other or (min(len(stem), len(other)) > 4 and (stem.startswith(other) or other.startswith(stem)))


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence of a page, analysed for a question.

    Attributes:
        page: The page.
        asked: The question.
        number: Index of the sentence in `page.spans`.
    """

    page: Page
    asked: AskedValue
    number: int

    @cached_property
    def text(self) -> str:
        """Text of the sentence with text in brackets replaced by blanks. Offsets stay."""
        start, end = self.page.spans[self.number]
        said = self.page.text[start : min(end, start + LONGEST_SENTENCE)]
        return _BRACKETS.sub(lambda found: " " * len(found[0]), said)

    @cached_property
    def is_heading(self) -> bool:
        """Report whether the sentence is a heading."""
        start = self.page.spans[self.number][0]
        return self.page.text[max(0, start - 2) : start] == "# "

    @cached_property
    def is_han(self) -> bool:
        """Report whether the sentence is written in Chinese."""
        return _HAN_RUN.search(self.text) is not None

    @cached_property
    def mentions(self) -> list[Span]:
        """Spans that name the subject in full. Empty if the question has no subject."""
        return self.page.mentions(self.text, plain(self.text)) if self.page.subject.key else []

    @cached_property
    def dates(self) -> list[DateSpan]:
        """Dates in the sentence."""
        return find_dates(self.text)

    @cached_property
    def numbers(self) -> list[NumberSpan]:
        """Numbers in the sentence outside of dates."""
        return [n for n in find_numbers(self.text) if not any(d.start < n.end and n.start < d.end for d in self.dates)]

    @cached_property
    def name_spans(self) -> list[Span]:
        """Spans of names other than the subject, without dates."""
        own = [*self.mentions, *((date.start, date.end) for date in self.dates)]
        spans = [(name.start, name.end) for name in names(self.text)]
        return [span for span in spans if not any(a < span[1] and span[0] < b for a, b in own)]

    @cached_property
    def others(self) -> list[Span]:
        """Spans of names other than the subject, without places after a preposition ("in Leeds")."""
        return [span for span in self.name_spans if not _PLACED.search(self.text[max(0, span[0] - 24) : span[0]])]

    @cached_property
    def values(self) -> list[Span]:
        """Spans of values of the requested type, without those that the question itself has."""
        kind, own = self.asked.kind, self.asked.own
        if kind == "name":
            return self.name_spans
        dates = [(date.start, date.end) for date in self.dates if date.date not in own]
        if kind == "date":
            return dates
        figures = [(n.start, n.end) for n in self.numbers if n.value not in own and self.asked.measures(n)]
        return sorted(figures + dates) if kind == "any" else figures

    @cached_property
    def clauses(self) -> list[Span]:
        """Spans of the clauses. A clause that is only a date is joined with the next clause: "In 1900, Acme grew"."""
        fixed = [(date.start, date.end) for date in self.dates] + [(n.start, n.end) for n in self.numbers]
        cuts = [
            (start, end)
            for start, end in (found.span() for found in _CUT.finditer(self.text))
            if not any(a < end and start < b for a, b in fixed) and self._is_cut(end)
        ]
        spans = zip([0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(self.text)], strict=True)
        found: list[Span] = []
        for start, end in spans:
            if found and self._is_date(found[-1]):
                found[-1] = found[-1][0], end
            else:
                found.append((start, end))
        return found

    def _is_cut(self, at: int) -> bool:
        """Report whether a new clause starts at a position behind a separator.

        None starts at an "and" that continues a definition ("is a chain and"), or at a "with" without one before it.
        """
        if self.text[at : at + 4] == "and ":
            return not self.definition_before(at)
        return self.text[at : at + 5] != "with " or _IS_A.search(self.text[:at]) is not None

    def definition_before(self, end: int) -> int:
        """Return the start of a definition that ends at a position: of "is a chain" before "founded".

        0 if there is none.
        """
        floor = max(0, end - 140)
        found = _DEFINITION.search(self.text[floor:end])
        return floor + found.start() if found and not _NARROWED.search(found[0]) else 0

    def _is_date(self, span: Span) -> bool:
        """Report whether a clause has nothing but a date and filler words."""
        held = any(span[0] <= date.start and date.end <= span[1] for date in self.dates)
        return held and all(token.role in "FDV" for token in self.tokens(span))

    @cached_property
    def _marked_tokens(self) -> list[Token]:
        """Tokens for values, mentions of the subject, phrases and dates.

        Where two overlap, the first in this order is kept.
        """
        edges = [0, *(edge for span in self.values for edge in span), len(self.text)]
        gaps = zip(edges[::2], edges[1::2], strict=True)
        phrases = [found.span() for a, b in gaps for found in self.asked.phrases.finditer(self.text, a, max(a, b))]
        dates = [(date.start, date.end) for date in self.dates]
        marked: list[Token] = []
        for spans, role in ((self.values, "V"), (self.mentions, "S"), (phrases, "A"), (dates, "D")):
            for start, end in spans:
                if start < end and not any(mark.start < end and start < mark.end for mark in marked):
                    marked.append(Token(start, end, role))
        return sorted(marked)

    def tokens(self, span: Span) -> list[Token]:
        """Return the tokens of a span, in order."""
        found: list[Token] = []
        position, last = span
        for mark in [*(m for m in self._marked_tokens if span[0] <= m.start and m.end <= last), Token(last, last, "")]:
            for word in _TOKEN.finditer(self.text, position, max(position, mark.start)):
                found += self._roles(word, opens=all(token.role in "FD" for token in found))
            found += [mark] if mark.role else []
            position = max(position, mark.end)
        return found

    def _roles(self, found: re.Match[str], *, opens: bool) -> Iterator[Token]:
        """Yield a token for a word, or for each part of a run of Chinese characters.

        Args:
            found: The match of the word in the sentence.
            opens: Whether no content word comes before it, so that it may be a pronoun or a word for the subject's
                kind.
        """
        (start, end), word, kinds = found.span(), plain(found[0]), self.page.kinds
        if _HAN_RUN.match(word):
            lead = _PRONOUN_HAN.match(word) if opens else None
            width = lead.end() if lead else 2 * (opens and word[:2] in kinds)
            if width:
                yield Token(start, start + width, "P" if lead else "K")
            if rest := word[width:]:
                yield Token(start + width, end, "F" if rest.strip("的") in kinds or _IDLE_HAN.fullmatch(rest) else "X")
            return
        said = terms(word)
        if any(is_alike(a, b) for a in said for b in self.asked.words) or not self.asked.stems.isdisjoint(said):
            role = "A"
        elif said and self.asked.subject.issuperset(said):
            role = "S"
        elif opens and (_PRONOUN.fullmatch(word) or word in kinds):
            role = "P" if _PRONOUN.fullmatch(word) else "K"
        else:
            role = "F" if word in _IDLE or (word.endswith("ly") and word not in _TURNING) else "X"
        yield Token(start, end, role)

    def head(self, span: Span) -> str:
        """Return the role of the first token of a span that is no filler or date. Empty if there is none.

        It is `X`, not `S`, for something that belongs to the subject ("Acme's owner").
        """
        first = next((token for token in self.tokens(span) if token.role not in "FD"), None)
        if first is None:
            return ""
        return "X" if first.role == "S" and _OWNS.match(self.text, first.end) else first.role

    @cached_property
    def follows(self) -> bool:
        """Report whether a pronoun in the sentence stands for the subject, because the sentences before are about it.

        If all of them begin with a pronoun, or there are none, the page must be about the subject.
        """
        for number in range(self.number - 1, max(-1, self.number - _MOST_BEFORE), -1):
            before = Sentence(self.page, self.asked, number)
            if before.is_heading:
                return self.page.subject.key == plain(before.text).strip()
            head = before.head(before.clauses[0])
            if head == "S" and (number == 0 or not before.others):
                return True
            if head not in {"P", "K"} or before.others:
                return False
        return self.page.about
