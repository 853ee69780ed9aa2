"""Marks: the values of a text that may be told of one thing or of another, each with its place and kind."""

from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import marked_places
from weiwo.nodes.writer.verification.particulars import find_versions, name_words, stated_names
from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, PHYSICAL, Quantity, find_quantities, same_quantity
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import fold
from weiwo.text.lexicon import classes, find_countries, is_common, opposites
from weiwo.text.patterns import lazy

CONTRASTS: Final = ("axis", "class")
"""Beginnings of the kinds of words that exclude each other."""
WORDS: Final = (*CONTRASTS, "name")
"""Beginnings of the kinds whose marks are words, and so may label other marks."""

_CODE: Final = lazy(r"`([^`\n]{2,60})`|(?<!\S)(--[a-z][\w-]{1,40})")
_MAJOR: Final = lazy(r"(?i)(?<![A-Za-z0-9_.])v(\d{1,3}(?:\.\d{1,4}){0,3})(?![A-Za-z0-9_]|\.\d)")
_PRODUCT: Final = lazy(r"([A-Z][\w+-]{1,30})\s$")


class Mark(NamedTuple):
    """A value that a text states at a place; values of one kind are rivals.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last.
        kind: "date", "code", "version" (with the product's name where it stands before), "name", the base unit of a
            quantity, "count", "small" of a bare number up to `LARGEST_COUNT`, "axis N" or "class N".
        value: What it is compared by.
    """

    start: int
    end: int
    kind: str
    value: PartialDate | Quantity | str | int


@lru_cache(maxsize=4_096)
def find_marks(text: str) -> tuple[Mark, ...]:
    """The values of a text that may be bound to something, in order; time grows linearly with its length."""
    found = [Mark(span.start, span.end, "date", span.date) for span in find_dates(text)]
    figures = [Mark(*m.span(), "code", (m[1] or m[2]).strip()) for m in _CODE.finditer(text)]
    figures += [_version(*m.span(), m[1], text) for m in (*find_versions(text), *_MAJOR.finditer(text))]
    figures += [_figure(quantity, text) for quantity in find_quantities(text)]
    for mark in figures:
        if not any(mark.start < other.end and other.start < mark.end for other in found):
            found.append(mark)
    lands = find_countries(text)
    found += [
        Mark(start, start + len(name), "name", name)
        for start, name in stated_names(text)
        if not any(a <= start and start + len(name) <= b for a, b, _ in lands)
    ]
    for kind, table in zip(CONTRASTS, (opposites(), classes()), strict=True):
        found += [
            Mark(start, end, f"{kind} {group}", member)
            for start, end, word in marked_places(table, text)
            for group, member in table[word]
        ]
    return tuple(sorted(found, key=lambda mark: mark[:3]))


def _figure(quantity: Quantity, text: str) -> Mark:
    start, end = quantity.start, quantity.end
    written = text[start:end].strip()
    if not quantity.kind and "." in written:
        return _version(start, end, written, text)
    if quantity.kind in PHYSICAL or quantity.kind == "%":
        return Mark(start, end, quantity.kind, quantity)
    small = not quantity.kind and abs(quantity.value) <= LARGEST_COUNT
    return Mark(start, end, "small" if small else "count", quantity)


def _version(start: int, end: int, written: str, text: str) -> Mark:
    named = _PRODUCT.search(text[max(0, start - 40) : start])
    product = f" {fold(named[1])}" if named and not is_common(named[1]) else ""
    return Mark(start, end, f"version{product}", written)


def figure_label(mark: Mark) -> str:
    """How a date, figure or version labels what stands beside it: by its year, its value, itself."""
    if isinstance(mark.value, PartialDate):
        return str(mark.value.year)
    return f"{mark.value.value:g}" if isinstance(mark.value, Quantity) else str(mark.value)


def same_value(one: Mark, other: Mark) -> bool:
    """Whether two marks of a kind are one value: as far as dates and versions go, by a part of a name."""
    mine, its = one.value, other.value
    if isinstance(mine, PartialDate) and isinstance(its, PartialDate):
        return mine.contains(its) or its.contains(mine)
    if isinstance(mine, Quantity) and isinstance(its, Quantity):
        return same_quantity(mine, its)
    if isinstance(mine, str) and isinstance(its, str) and one.kind.startswith("version"):
        return all(a == b for a, b in zip(mine.split("."), its.split("."), strict=False))
    if isinstance(mine, str) and isinstance(its, str) and one.kind == "name":
        words, those = set(name_words(mine)), set(name_words(its))
        return mine in its or its in mine or words <= those or those <= words
    return mine == its
