"""Dates of birth and death in brackets behind a name: "Julius Caesar (12 July 100 BC – 15 March 44 BC)"."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import Page, plain
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.text.dates import DateSpan, PartialDate, find_dates
from weiwo.text.patterns import lazy

_LONGEST: Final = 260
_NOT_A_LIFE: Final = lazy(r"(?i)\b(?:fl|r|reign(?:ed)?|ruled|active|before|after|between)\b\.?|在位|执政|活跃")
_BORN: Final = lazy(r"(?:\bborn\b[^,;]{0,30}[,;]?|\bb\.|生于|出生于?)\s?(?:on\s|in\s|c\.\s)?$")
_DIED: Final = lazy(r"(?:\bdied\b[^,;]{0,20}|\bd\.|卒于|逝世于)\s?(?:on\s|in\s)?$")
_BRACKET: Final = lazy(r"[（(][^()（）]{3,200}[)）]")
_VERB: Final = lazy(r"\b(?:is|was|are|were)\b|[，。；是]")
_DASH: Final = lazy(r"\s?(?:[–—~～－-]{1,2}|至|\bto\b)\s?")
SPANNED: Final = {"birth": True, "death": False, "beginning": True, "ending": False}
"""Relations with dates in brackets behind a name: True for the first of two dates, False for the second."""


def bracketed_dates(page: Page, relation: str) -> Iterator[tuple[str, StatedValue]]:
    """Yield the date for a relation in brackets behind the subject's name, each with the sentence.

    "Julius Caesar (12 July 100 BC – 15 March 44 BC)" gives -100-07-12 for "birth".

    Args:
        page: The passage.
        relation: A relation of `SPANNED`.
    """
    for number, (start, end) in enumerate(page.spans):
        text = page.text[start:end]
        found = _BRACKET.search(text[:_LONGEST])
        if found and not _NOT_A_LIFE.search(found[0]) and _is_own(page, text, found.start(), first=number == 0):
            dates = [date for date in find_dates(text) if found.start() < date.start and date.end <= found.end()]
            for item in dates:
                if (value := _read(text, item, dates, found.start(), born=SPANNED[relation])) is not None:
                    yield text, value


def _is_own(page: Page, text: str, end: int, *, first: bool) -> bool:
    """Report whether brackets that begin at `end` stand directly behind the subject's name.

    A longer form of the name at the beginning of the subject's page counts too.

    Args:
        page: The passage.
        text: The sentence.
        end: Start of the brackets.
        first: Whether this is the first sentence of the page.
    """
    head, subject = text[:end], page.subject
    if any(b <= end and not text[b:end].strip() for _, b in page.mentions(text, plain(text))):
        return True
    if not (page.has_matching_title and first and end <= 80) or _VERB.search(head):
        return False
    return subject.tokens[-1] in re.findall(r"\w+", plain(head)) or head.startswith(subject.text)


def _read(text: str, span: DateSpan, dates: list[DateSpan], opens: int, *, born: bool) -> StatedValue | None:
    shown = text[span.start : span.end]
    if span.until is None:
        said = (_BORN if born else _DIED).search(text[opens : span.start])
        return _build_date_value(span.date, shown, span) if said else None
    if len(dates) > 1:
        return None
    ends = _DASH.split(shown)
    date = span.date if born else span.until
    return _build_date_value(date, ends[0 if born else 1] if len(ends) == 2 else date.iso(), span)


def _build_date_value(date: PartialDate, shown: str, span: DateSpan) -> StatedValue:
    return StatedValue(date.iso(), shown, span.start, span.end, approximate=span.approximate)
