"""Windows: the words around each value of a text, up to the neighbouring values of the same kind.

In "the amber group had 93 patients and the clear group had 91", the window of 93 has "amber", "group" and "patients".
These words label the value.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, marked_places, match_keys
from weiwo.nodes.writer.verification.particulars import find_versions, is_han, name_words, stated_names
from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, PHYSICAL, Quantity, find_quantities, same_quantity
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import fold
from weiwo.text.lexicon import classes, find_countries, is_common, opposites
from weiwo.text.patterns import lazy
from weiwo.text.relations import quantity_words, relation_words

CONTRASTS: Final = ("axis", "class")
"""Prefixes of `ValueSpan.kind` for opposites ("axis", as "rose" and "fell") and exclusive words ("class", as colours).
"""
WORDS: Final = (*CONTRASTS, "name")
"""Prefixes of `ValueSpan.kind` for values that are words. They count among the labels of other values."""

_CODE: Final = lazy(r"`([^`\n]{2,60})`|(?<!\S)(--[a-z][\w-]{1,40})")
_MAJOR: Final = lazy(r"(?i)(?<![A-Za-z0-9_.])v(\d{1,3}(?:\.\d{1,4}){0,3})(?![A-Za-z0-9_]|\.\d)")
_PRODUCT: Final = lazy(r"([A-Z][\w+-]{1,30})\s$")


class ValueSpan(NamedTuple):
    """A value stated at a position in a text. Values of the same kind are rivals.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        kind: "date", "code", "version" (with the product's name if it stands before), "name", the base unit of a
            quantity, "count", "small" for a bare number up to `LARGEST_COUNT`, "axis N" or "class N".
        value: The value used for comparison.
    """

    start: int
    end: int
    kind: str
    value: PartialDate | Quantity | str | int


@lru_cache(maxsize=4_096)
def _find_marks(text: str) -> tuple[ValueSpan, ...]:
    """Return the values of a text, in order: dates, code, versions, figures, names, opposites and exclusive words.

    Time grows linearly with the length of the text.
    """
    found = [ValueSpan(span.start, span.end, "date", span.date) for span in find_dates(text)]
    figures = [ValueSpan(*m.span(), "code", (m[1] or m[2]).strip()) for m in _CODE.finditer(text)]
    figures += [_version(*m.span(), m[1], text) for m in (*find_versions(text), *_MAJOR.finditer(text))]
    figures += [_figure(quantity, text) for quantity in find_quantities(text)]
    for mark in figures:
        if not any(mark.start < other.end and other.start < mark.end for other in found):
            found.append(mark)
    lands = find_countries(text)
    found += [
        ValueSpan(start, start + len(name), "name", name)
        for start, name in stated_names(text)
        if not any(a <= start and start + len(name) <= b for a, b, _ in lands)
    ]
    for kind, table in zip(CONTRASTS, (opposites(), classes()), strict=True):
        found += [
            ValueSpan(start, end, f"{kind} {group}", member)
            for start, end, word in marked_places(table, text)
            for group, member in table[word]
        ]
    return tuple(sorted(found, key=lambda mark: mark[:3]))


def _figure(quantity: Quantity, text: str) -> ValueSpan:
    start, end = quantity.start, quantity.end
    written = text[start:end].strip()
    if not quantity.kind and "." in written:
        return _version(start, end, written, text)
    if quantity.kind in PHYSICAL or quantity.kind == "%":
        return ValueSpan(start, end, quantity.kind, quantity)
    small = not quantity.kind and abs(quantity.value) <= LARGEST_COUNT
    return ValueSpan(start, end, "small" if small else "count", quantity)


def _version(start: int, end: int, written: str, text: str) -> ValueSpan:
    named = _PRODUCT.search(text[max(0, start - 40) : start])
    product = f" {fold(named[1])}" if named and not is_common(named[1]) else ""
    return ValueSpan(start, end, f"version{product}", written)


def _figure_label(mark: ValueSpan) -> str:
    """Return the text by which a date, figure, version or code labels a neighbouring value: the year, or the value."""
    if isinstance(mark.value, PartialDate):
        return str(mark.value.year)
    return f"{mark.value.value:g}" if isinstance(mark.value, Quantity) else str(mark.value)


def same_value(mark: ValueSpan, other: ValueSpan) -> bool:
    """Report whether two values of the same kind are equal.

    Dates and versions are compared to the precision of the coarser one: 1900 equals 3 May 1900, 3.1 equals 3.1.4. A
    name equals a part of itself.
    """
    mine, its = mark.value, other.value
    if isinstance(mine, PartialDate) and isinstance(its, PartialDate):
        return mine.contains(its) or its.contains(mine)
    if isinstance(mine, Quantity) and isinstance(its, Quantity):
        return same_quantity(mine, its)
    if isinstance(mine, str) and isinstance(its, str) and mark.kind.startswith("version"):
        return all(a == b for a, b in zip(mine.split("."), its.split("."), strict=False))
    if isinstance(mine, str) and isinstance(its, str) and mark.kind == "name":
        words, those = set(name_words(mine)), set(name_words(its))
        return mine in its or its in mine or words <= those or those <= words
    return mine == its


_MOST_SENTENCES: Final = 200

_CUTS: Final = (
    lazy(r"[;；。]|[.!?]\s"),
    lazy(r",\s|，|\b(?:while|but|whereas)\b|而|但"),
    lazy(r"、|\b(?:and|or)\b(?!\s\d)|和|与|及"),
)
"""Separators between two values: ends of sentences first, then commas and "but", then "and" and "or"."""


class Window(NamedTuple):
    """A value of a text with the words around it that label it.

    Attributes:
        mark: The value.
        group: The values of the same kind that share the window, as in "5 km, 6 km and 7 km", with the value itself.
        words: The words that label it, and labels such as `#1998` for neighbouring values of other kinds.
        keys: The match keys of the words.
        han: Whether the text is Chinese.
        sentence: Number of the sentence in its source.
    """

    mark: ValueSpan
    group: tuple[ValueSpan, ...]
    words: frozenset[str]
    keys: frozenset[str]
    han: bool
    sentence: int = 0


def source_windows(sentences: Sequence[Clause]) -> dict[str, tuple[Window, ...]]:
    """Return the windows of the values in a source's sentences, by the kind of value. At most 200 sentences are read."""
    found: dict[str, list[Window]] = {}
    for number, clause in enumerate(sentences[:_MOST_SENTENCES]):
        for window in find_windows(clause.text, clause.head):
            found.setdefault(window.mark.kind, []).append(window._replace(sentence=number))
    return {kind: tuple(these) for kind, these in found.items()}


@lru_cache(maxsize=2_048)
def find_windows(text: str, head: str = "") -> tuple[Window, ...]:
    """Return the window of each value in a sentence or a table row.

    The window of a value in a row is the whole row with the header.

    Args:
        text: The sentence or row.
        head: The header of the table. Empty for a sentence.
    """
    marks = _find_marks(text)
    found = []
    for mark in marks:
        start, end, group = _bounds(text, [other for other in marks if other.kind == mark.kind], mark)
        words = _labels(text, marks, group, 0 if head else start, len(text) if head else end)
        words |= set(content_words(head))
        found.append(Window(mark, group, frozenset(words), keys(words), is_han(text)))
    return tuple(found)


def _bounds(text: str, fellows: Sequence[ValueSpan], mark: ValueSpan) -> tuple[int, int, tuple[ValueSpan, ...]]:
    """Return the start and end of a value's window, and the values that share the window.

    Args:
        text: The sentence.
        fellows: All values of the same kind in the sentence, in order.
        mark: The value.
    """
    low = high = fellows.index(mark)
    start, end = 0, len(text)
    while low > 0:
        if cut := _cut(text, fellows[low - 1].end, fellows[low].start):
            start = cut[1]
            break
        low -= 1
    while high < len(fellows) - 1:
        if cut := _cut(text, fellows[high].end, fellows[high + 1].start):
            end = cut[0]
            break
        high += 1
    return start, end, tuple(fellows[low : high + 1])


def _cut(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the separators between two values, from the first to the last of the strongest kind.

    None if there is no separator, or only separators and function words between the values, as in "5, 6".

    Args:
        text: The sentence.
        start: End of the first value.
        end: Start of the second value.
    """
    if next(content_words(_CUTS[-1].sub(" ", text[start:end])), None) is None:
        return None
    for pattern in _CUTS:
        if found := list(pattern.finditer(text, start, end)):
            return found[0].start(), found[-1].end()
    return None


def _labels(text: str, marks: Iterable[ValueSpan], group: Sequence[ValueSpan], start: int, end: int) -> set[str]:
    """Return the labels of the values of a window: content words, and marks like `#1998` for values of other kinds.

    The marks stand for years, figures, versions and codes. The values of the window itself give no label, and the
    window of a name or contrast has only content words.

    Args:
        text: The sentence.
        marks: All values of the sentence.
        group: The values that share the window.
        start: Start of the window.
        end: End of the window.
    """
    others = [mark for mark in marks if start <= mark.start and mark.end <= end and mark not in group]
    for mark in (*group, *others):
        if mark in group or not mark.kind.startswith(WORDS):
            text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
    words = {word for word in content_words(text[start:end]) if not word[0].isdigit()}
    if group[0].kind.startswith(WORDS):
        return words
    return words | {f"#{_figure_label(mark)}" for mark in others if not mark.kind.startswith(WORDS)}


def keys(words: Iterable[str]) -> frozenset[str]:
    """Return the match keys (`label_keys`) of all labels of a window."""
    return frozenset(key for word in words for key in label_keys(word))


@lru_cache(maxsize=32_768)
def label_keys(word: str) -> frozenset[str]:
    """Return the match keys of a label: the word, its prefixes (`match_keys`), and "relation …" for its relations.

    "tall" gives "tall" and "relation height", which the stem of "height" gives as well. A pair of Chinese characters
    expresses the relation of its last character, as in 塔高.
    """
    measured, said = quantity_words(), relation_words()
    last = word[-1] if is_han(word) else word
    names = measured.get(word, frozenset()) | measured.get(last, frozenset()) | said.get(word, frozenset())
    return match_keys(word).union(f"relation {name}" for name in names)
