"""Quotes found again in the passages they are from: word for word, else the sentence that they paraphrase."""

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
"""Words of a quote that are looked for."""

_SAME_SHARE = 0.8
"""Share of a quote's words that the sentence it paraphrases has."""

_NAME_SHARE = 0.6
"""Share of a value's characters that are names, for it to be one."""

_MIN_WORDS = 3
"""Fewer words than these paraphrase nothing."""


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, letting case, spacing and typographic quotes differ; None if nowhere.

    It stands there as words of its own: "5" does not occur in "1956". Of a very long quote its beginning is looked for.
    """
    copied = quote.replace("<\\", "<").strip().strip("\"'“”‘’…. \n")  # as `quote_as_data` showed it
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
    """Whether a word or number at the edge of a quote goes on beside it, the nearest character first."""
    if not edge.isalnum() or _UNSPACED.match(edge):
        return False
    return bool(_MORE.match(beside) or (edge.isdigit() and _DECIMALS.match(beside)))


def find_paraphrase(quote: str, text: str, value: JsonValue, type_: ValueType) -> tuple[int, int] | None:
    """The sentence of a text that a quote tells in almost its words, if the value stands in it; None if there is none.

    Every number of the quote must stand there too.
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
        if near and any(carries(text[start:end], one, item_type(type_)) for one in values):
            best = share, (start, end)
    return best[1] if best else None


def _words(text: str) -> set[str]:
    return set(_WORD.findall(fold(text))[:_MAX_QUOTE_WORDS])


def has_part(told: str, value: JsonValue, question: str) -> bool:
    """Whether words have any part of a value that is a number, a date or a name; any other value counts as told.

    Of a list one item will do. Yes, no, and what the question itself names are for a judge. Words in another script
    write a name otherwise.
    """
    if isinstance(value, list):
        return not value or any(has_part(told, one, question) for one in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return carries(told, value, "number")
    said = str(value)
    if fold(said) in fold(question):
        return True
    if date := single_date(said):
        dated = any(date.year == span.date.year for span in find_dates(told)) or carries(told, said, "date")
        if dated or not said.strip().isdigit():  # a bare figure may be no year
            return dated
    if figures := find_numbers(said):
        return any(carries(told, float(one.value), "number") for one in figures)
    named = names(said)
    if not named or sum(len(one.text) for one in named) < _NAME_SHARE * len(said):
        return True
    return _has_part_of_name(told, named)


def _has_part_of_name(told: str, named: Sequence[Name]) -> bool:
    """Whether words have a part of a name that tells it from others, a pair of characters where it is Chinese."""
    han, folded = any(_HAN.search(one.text) for one in named), fold(told)
    if bool(_HAN.search(told)) != han:
        return True
    if han:
        pairs = (one.text[at : at + 2] for one in named for at in range(max(1, len(one.text) - 1)))
        return any(pair in folded for pair in pairs)
    words = [word for one in named for word in re.findall(r"\w+", fold(one.text))]
    telling = [word for word in words if not is_common(word)] or words
    return not _words(told).isdisjoint(telling)


def single_date(text: str) -> PartialDate | None:
    """The date that a text is or names; None where it names none or several."""
    try:
        return PartialDate.from_iso(text)
    except ValueError:
        spans = find_dates(text)
        return spans[0].date if len(spans) == 1 and spans[0].until is None else None


def carries(sentence: str, value: JsonValue, type_: ValueType) -> bool:
    """Whether a sentence contains a value in some form: a date as coarse or finer, a figure in any unit, a name."""
    if isinstance(value, list):
        return bool(value) and all(carries(sentence, one, "text") for one in value)
    if isinstance(value, bool) or value is None:
        return False
    dates = [end for span in find_dates(sentence) for end in (span.date, span.until) if end]
    if isinstance(value, int | float):
        found = find_numbers(sentence)
        figures = [*(one.value for one in found), *(base[0] for one in found if (base := to_base(one)))]
        return any(math.isclose(value, one) for one in (*figures, *(date.year for date in dates)))
    wanted = single_date(str(value)) if type_ == "date" else None
    if wanted:
        return any(wanted.contains(one) for one in dates)
    return fold(str(value)) in fold(sentence) or locate_quote(str(value), sentence) is not None
