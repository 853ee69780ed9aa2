"""Location of a model's quotes in passages: word for word, or as the sentence that the quote paraphrases."""

import math
import re
from collections.abc import Sequence

from weiwo.state import JsonValue, ValueType, item_type
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import HAN, fold, sentences
from weiwo.text.lexicon import is_common
from weiwo.text.names import Name, names
from weiwo.text.numbers import find_numbers, to_base
from weiwo.text.patterns import JOINED_RANGES, UNSPACED_RANGES, lazy

_HAN = lazy(f"[{HAN}]")
_UNSPACED = lazy(f"[{UNSPACED_RANGES}]")
_MORE = lazy(f"[^\\W_{UNSPACED_RANGES}]")
_WORD = lazy(f"[{UNSPACED_RANGES}]|(?:[^\\W_{UNSPACED_RANGES}]|(?![{UNSPACED_RANGES}])[{JOINED_RANGES}])+")
_DECIMALS = lazy(r"[.,][0-9]")
_MAX_QUOTE_WORDS = 400
"""Most words of a quote that are searched for."""

_SAME_SHARE = 0.8
"""Least share of a quote's words in the sentence that it paraphrases."""

_NAME_SHARE = 0.6
"""Least share of a value's characters that names must make up for the value to count as a name."""

_MIN_WORDS = 3
"""Fewest words of a quote that is searched as a paraphrase."""


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return the span of a quote in a text, ignoring case, spacing and the form of quotation marks, or None.

    It must occur as separate words: "5" does not occur in "1956". For a very long quote, only its beginning is
    searched.
    """
    # Undo the escapes of `quote_as_data`, which the model may have copied.
    copied = quote.replace("<\\", "<").strip().strip("\"'“”‘’…. \n")
    words = re.findall(r"\w+|[^\w\s]", copied)[:_MAX_QUOTE_WORDS]
    if not words:
        return None
    joined = r"\s*".join(r"[\"'“”‘’´`]" if word in "\"'“”‘’´`" else re.escape(word) for word in words)
    # Not in the midst of an ASCII word; the rest is looked at below: a class of all Han characters compiles slowly.
    edge = r"(?<![0-9A-Za-z])" if words[0][0].isascii() and words[0][0].isalnum() else ""
    pattern, at = re.compile(edge + joined, re.IGNORECASE), 0
    while match := pattern.search(text, at):
        start, end = match.span()
        if not (
            _runs_on(words[0][0], text[max(0, start - 2) : start][::-1]) or _runs_on(words[-1][-1], text[end : end + 2])
        ):
            return start, end
        at = start + 1
    return None


def _runs_on(edge: str, beside: str) -> bool:
    """Report whether a word or number at the edge of a quote goes on in the text beside it.

    Args:
        edge: The first or last character of the quote.
        beside: The two characters beside it, the nearest first.
    """
    if not edge.isalnum() or _UNSPACED.match(edge):
        return False
    return bool(_MORE.match(beside) or (edge.isdigit() and _DECIMALS.match(beside)))


def find_paraphrase(quote: str, text: str, value: JsonValue, type_: ValueType) -> tuple[int, int] | None:
    """Return the span of the sentence that has nearly the words of a quote, and the value, or None.

    The sentence must have four fifths of the words and every number of the quote.
    """
    said = _words(quote)
    if len(said) < _MIN_WORDS:
        return None
    numbers = {word for word in said if word.isdigit()}
    values = value if isinstance(value, list) else [value]
    best: tuple[float, tuple[int, int]] | None = None
    for start, end in sentences(text):
        there = _words(text[start:end])
        share = len(said & there) / len(said)
        near = share >= _SAME_SHARE and numbers <= there and (best is None or share > best[0])
        if near and any(carries(text[start:end], item, item_type(type_)) for item in values):
            best = share, (start, end)
    return best[1] if best else None


def _words(text: str) -> set[str]:
    return set(_WORD.findall(fold(text))[:_MAX_QUOTE_WORDS])


def has_part(told: str, value: JsonValue, question: str) -> bool:
    """Report whether a text has any part of a value: a date's year, a figure, or a word of a name.

    "Ann Roe" has a part of "Ann Lee". Also True for a value that is none of these, for yes and no, and for a name that
    the question has, because only a judge can tell. True for a name in another script than the text. Of a list, one
    item is enough.
    """
    if isinstance(value, list):
        return not value or any(has_part(told, item, question) for item in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return carries(told, value, "number")
    said = str(value)
    if fold(said) in fold(question):
        return True
    if date := single_date(said):
        dated = any(date.year == span.date.year for span in find_dates(told)) or carries(told, said, "date")
        # A bare number is not necessarily a year.
        if dated or not said.strip().isdigit():
            return dated
    if figures := find_numbers(said):
        return any(carries(told, float(figure.value), "number") for figure in figures)
    named = names(said)
    if not named or sum(len(item.text) for item in named) < _NAME_SHARE * len(said):
        return True
    return _has_part_of_name(told, named)


def _has_part_of_name(told: str, named: Sequence[Name]) -> bool:
    """Report whether a text has a distinctive word of a name, or two neighbouring characters of a Chinese name.

    True if text and name are in different scripts.
    """
    han, folded = any(_HAN.search(name.text) for name in named), fold(told)
    if bool(_HAN.search(told)) != han:
        return True
    if han:
        pairs = (name.text[at : at + 2] for name in named for at in range(max(1, len(name.text) - 1)))
        return any(pair in folded for pair in pairs)
    words = [word for name in named for word in re.findall(r"\w+", fold(name.text))]
    telling = [word for word in words if not is_common(word)] or words
    return not _words(told).isdisjoint(telling)


def single_date(text: str) -> PartialDate | None:
    """Return the only date in a text. None if it has no date, several, or a range."""
    try:
        return PartialDate.from_iso(text)
    except ValueError:
        spans = find_dates(text)
        return spans[0].date if len(spans) == 1 and spans[0].until is None else None


def carries(sentence: str, value: JsonValue, type_: ValueType) -> bool:
    """Report whether a sentence has a value: a date or one within it, a figure, or a text.

    "3 May 1900" has the date 1900. A figure counts as written or in the base unit: "5 km" has 5 and 5,000. A list needs
    all its items. False for None, yes and no.
    """
    if isinstance(value, list):
        return bool(value) and all(carries(sentence, item, "text") for item in value)
    if isinstance(value, bool) or value is None:
        return False
    dates = [end for span in find_dates(sentence) for end in (span.date, span.until) if end]
    if isinstance(value, int | float):
        found = find_numbers(sentence)
        figures = [*(item.value for item in found), *(base[0] for item in found if (base := to_base(item)))]
        return any(math.isclose(value, figure) for figure in (*figures, *(date.year for date in dates)))
    wanted = single_date(str(value)) if type_ == "date" else None
    if wanted:
        return any(wanted.contains(date) for date in dates)
    return fold(str(value)) in fold(sentence) or locate_quote(str(value), sentence) is not None
