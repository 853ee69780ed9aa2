"""Comparisons in claims, checked against the two values of the claim itself, else against the sources."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import MONEY
from weiwo.text.data_files import data_pattern, data_rows
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy

_QUALIFIED: Final = {"expensive": "$", "costly": "$", "recent": "date", "time": "s", "recently": "date"}
"""Kind of value that "more" or "less" compares before each of these words: "more expensive" compares money."""
_DATED: Final = frozenset({"before", "after", "predates", "preceded", "followed"})
_THAN: Final = data_pattern("comparison", "than")
_HAN_THAN: Final = tuple(data_pattern("comparison", name) for name in ("han_than", "han_adjective", "han_verb"))
_NO_ORDER: Final = data_pattern("comparison", "no_order")
_CONTRASTED: Final = lazy(r"(?i)\b(?:against|versus|vs|compared|than|while|whereas|to|for)\b|对|，|而|,|\(")
_SET_AGAINST: Final = lazy(r"(?i)\b(?:against|versus|vs|compared|while|whereas|to)\b|对|，而")
"""Words that set two values after "than" against each other: "taller than B: 40 m against 30 m".

Without such a word, both values may belong to the second side.
"""
_EXPLAINED: Final = lazy(r"[:：;；—]")
_WORD: Final = lazy(rf"[^\W\d_{HAN}]+(?:['’-][^\W\d_{HAN}]+)*")
_ALONE: Final = lazy(r"(?i)\s(?:in|on|at)\s\d")
_STOP: Final = lazy(r"[,.;:()，。；：（）]|\s(?:while|and|but|with|by|at|in)\s")
_MOST_SENTENCES: Final = 200
_WHEN: Final = lazy(r"(?i)(?:in|by|on|since|during|until)\s[^,]{0,12}")
"""Start of a statement whose first date belongs to neither side."""


class _Order(NamedTuple):
    """A comparison found in a text, like "The mill is taller than the church".

    Attributes:
        start: Offset of the comparing word ("taller").
        end: End of the comparing word.
        than: Offset of "than" or of the second side. -1 if the text does not say what is compared with.
        senses: By kind of value, 1 if the first side has more of it, and -1 if less: {"m": 1} for "taller".
        left: Text of the first side.
        right: Text of the second side. Empty if there is none.
        alone: Whether the text has no other comparing word.
    """

    start: int
    end: int
    than: int
    senses: Mapping[str, int]
    left: str
    right: str
    alone: bool


class _Value(NamedTuple):
    start: int
    end: int
    size: float


def find_reversed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Yield a reason if a statement compares two things the wrong way round, else nothing.

    "The mill (30 m) is taller than the church (40 m)" is refuted by its own two values. These must stand on both sides
    of "than", or both behind the comparing word and contrasted with each other. A statement without two values is
    refuted by a source that says the reverse of the same two things.
    """
    order = None if _NO_ORDER.search(statement) else _find_order(statement)
    if order is None:
        return
    word = statement[order.start : order.end]
    pair = _find_two_values(statement, order.senses)
    if pair is None:
        if order.right and _is_contradicted(order, grounds):
            yield f"“{word}”: the sources say the reverse"
        return
    first, second, sense = pair
    by_how_much = any(value.start >= order.end and not statement[order.end : value.start].strip() for value in pair[:2])
    apart = first.end <= order.than <= second.start and statement[first.end : order.start].strip()
    listed = first.start > order.than >= 0 and not _EXPLAINED.search(statement, order.end, first.start)
    contrast = _SET_AGAINST if listed else _CONTRASTED
    behind = order.end < first.start and contrast.search(statement, first.end, second.start)
    if order.alone and not by_how_much and (apart or behind) and (second.size - first.size) * sense > 0:
        yield f"“{word}”: the values say the reverse"


def _find_order(text: str) -> _Order | None:
    """Return the comparison that a text makes, or None.

    In English, its comparing word is the one closest before the first "than", or else the last one. A Chinese
    comparison is found by its pattern, such as A比B高.
    """
    for pattern in _HAN_THAN:
        if (found := pattern.search(text)) is not None:
            senses = _senses()[found["word"]]
            return _Order(*found.span("word"), found.end("left"), senses, found["left"], found["right"], alone=True)
    than, words = _THAN.search(text), list(_WORD.finditer(text))
    comparing = [at for at, word in enumerate(words) if word.group().lower() in _senses()]
    for at in reversed([at for at in comparing if than is None or words[at].start() <= than.start()]):
        word, said = words[at], words[at].group().lower()
        senses, behind = _senses()[said], words[at + 1].group().lower() if at + 1 < len(words) else ""
        if said in {"more", "less"} and behind in _QUALIFIED:
            senses = {_QUALIFIED[behind]: 1 if said == "more" else -1}
        dated = said in _DATED
        if dated and not than and _ALONE.match(text, word.end()):
            continue  # "the other followed in 1356": behind what was said before
        end = than.end() if than else word.end() if dated else len(text)
        compared = text[word.end() : than.start()] if than and said in {"more", "less", "fewer"} else ""
        left = compared if set(content_words(compared)) - set(_QUALIFIED) else text[: word.start()]
        second = than.start() if than else word.end() if dated else -1
        right = _STOP.split(text[end : end + 120])[0]
        return _Order(*word.span(), second, senses, left, right, alone=len(comparing) == 1)
    return None


def _find_two_values(statement: str, senses: Mapping[str, int]) -> tuple[_Value, _Value, int] | None:
    """Return the two values of a comparison in the order of the text, and 1 for "more" or -1 for "less".

    "The mill (30 m) is taller than the church (40 m)" gives 30, 40 and 1. None unless the statement has exactly two
    values of the kind that the word compares, or two dates of which neither contains the other.

    Args:
        statement: The statement.
        senses: The meaning of the comparing word, as in `_Order`.
    """
    clause = Clause(statement)
    if len(clause.dates) == 2 and "date" in senses:
        item, other = clause.dates
        if item.date.contains(other.date) or other.date.contains(item.date) or _WHEN.fullmatch(statement[: item.start]):
            return None
        moments = [_Value(span.start, span.end, _moment(span.date)) for span in (item, other)]
        return moments[0], moments[1], senses["date"]
    found = [(q, sense) for q in clause.quantities if (sense := _sense(senses, q.kind))]
    if len(found) != 2 or found[0][0].kind != found[1][0].kind:
        return None
    values = [_Value(q.start, q.end, q.base) for q, _ in found]
    return values[0], values[1], found[0][1]


def _sense(senses: Mapping[str, int], kind: str) -> int:
    if kind in MONEY and "$" in senses:
        return senses["$"]
    return senses.get(kind, 0) or (senses.get("*", 0) if kind not in {"date", "s", "m/s"} else 0)


def _moment(date: PartialDate) -> float:
    return date.year + (date.month or 0) / 100 + (date.day or 0) / 10_000


@cache
def _senses() -> dict[str, dict[str, int]]:
    table = {}
    for sign, words, kinds in data_rows("comparison", "senses"):
        more = -1 if sign == "less" else 1
        senses = {kind.lstrip("-"): -more if kind.startswith("-") else more for kind in kinds.split()}
        table.update(dict.fromkeys(words.split(), senses))
    return table


def _sides(order: _Order) -> tuple[set[str], set[str]]:
    """Return the words that only the first side of a comparison has, and the words that only the second side has.

    "The mill is taller than the church" gives {"mill"} and {"church"}. Of a Chinese side such as 甲公司的营收, only the words
    before 的 count, unless two attributes of the same thing are compared.
    """
    owner, _, part = order.left.partition("的")
    if part and "的" not in order.right and part[-1:] == order.right[-1:] and len(order.right) <= 6:
        owner = part  # two attributes of one thing: 交付量 and 产量
    left, right = set(content_words(owner)), set(content_words(order.right.partition("的")[0]))
    return left - right, right - left


def _is_contradicted(order: _Order, grounds: Grounds) -> bool:
    """Report whether a sentence of the sources compares the same two things and says the reverse."""
    left, right = _sides(order)
    for source in grounds.sources:
        for clause in source.sentences[:_MOST_SENTENCES]:
            known = _find_order(clause.text)
            if known is None or not known.right or _NO_ORDER.search(clause.text):
                continue
            item, other = _sides(known)
            senses = {
                _sense(order.senses, kind) * _sense(known.senses, kind) for kind in (*order.senses, *known.senses)
            } - {0}
            if left & item and right & other and senses == {-1}:
                return True
            if left & other and right & item and senses == {1}:
                return True
    return False
