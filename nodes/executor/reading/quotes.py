"""Quotes found again in the passages they are from: word for word, else the sentence that they paraphrase."""

import re

from weiwo.state import JsonValue, ValueType, item_type
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import HAN, fold, sentences
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

_HAN = lazy(f"[{HAN}]")
_MORE = lazy(f"[^\\W_{HAN}]")
_DECIMALS = lazy(r"[.,][0-9]")
MAX_QUOTE_WORDS = 400
"""Words of a quote that are looked for."""

SAME_SHARE = 0.8
"""Share of a quote's words that the sentence it paraphrases has."""

MIN_WORDS = 3
"""Fewer words than these paraphrase nothing."""


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, letting case, spacing and typographic quotes differ; None if nowhere.

    It stands there as words of its own: "5" does not occur in "1956". Of a very long quote its beginning is looked for.
    """
    copied = quote.replace("<\\", "<").strip().strip("\"'“”‘’…. \n")  # as `quote_as_data` showed it
    words = re.findall(r"\w+|[^\w\s]", copied)[:MAX_QUOTE_WORDS]
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
    if not edge.isalnum() or _HAN.match(edge):
        return False
    return bool(_MORE.match(beside) or (edge.isdigit() and _DECIMALS.match(beside)))


def find_paraphrase(quote: str, text: str, value: JsonValue, type_: ValueType) -> tuple[int, int] | None:
    """The sentence of a text that a quote tells in almost its words, if the value stands in it; None if there is none.

    Every number of the quote must stand there too.
    """
    said = _words(quote)
    if len(said) < MIN_WORDS:
        return None
    numbers = {word for word in said if word.isdigit()}
    best: tuple[float, tuple[int, int]] | None = None
    for start, end in sentences(text):
        there = _words(text[start:end])
        share = len(said & there) / len(said)
        if share >= SAME_SHARE and numbers <= there and (best is None or share > best[0]):
            sentence = text[start:end]
            if _holds(sentence, value, type_):
                best = share, (start, end)
    return best[1] if best else None


def _words(text: str) -> set[str]:
    return set(re.findall(f"[{HAN}]|[^\\W_{HAN}]+", fold(text))[:MAX_QUOTE_WORDS])


def _holds(sentence: str, value: JsonValue, type_: ValueType) -> bool:
    """Whether a value of that type stands in a sentence; of a list, any of its items."""
    if value is None or type_ in {"boolean", "list[boolean]", "passages"}:
        return False  # nothing stands there that could be looked for
    if isinstance(value, list):
        return any(_holds(sentence, item, item_type(type_)) for item in value)
    if type_ == "date":
        date = PartialDate.from_iso(str(value))
        return any(date.contains(span.date) for span in find_dates(sentence))
    if type_ == "number" and isinstance(value, int | float):
        years = (span.date.year for span in find_dates(sentence))
        return value in {*(span.value for span in find_numbers(sentence)), *years}
    return locate_quote(str(value), sentence) is not None
