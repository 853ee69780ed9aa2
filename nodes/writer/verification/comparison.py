"""Comparisons in claims, checked against the two values in the claim itself or against the sources."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, split_clauses
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import MONEY
from weiwo.text.data_files import data_pattern, data_rows
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.lexicon import direction_axes
from weiwo.text.patterns import lazy

_QUALIFIED: Final = {"expensive": "$", "costly": "$", "recent": "date", "time": "s", "recently": "date"}
_THAN: Final = data_pattern("comparison", "than")
_HAN_THAN: Final = tuple(data_pattern("comparison", name) for name in ("han_than", "han_adjective", "han_verb"))
_NO_ORDER: Final = data_pattern("comparison", "no_order")
_CONTRASTED: Final = lazy(r"(?i)\b(?:against|versus|vs|compared|than|while|whereas|to|for)\b|对|，|而|,|\(")
_WORD: Final = lazy(rf"[^\W\d_{HAN}]+(?:['’-][^\W\d_{HAN}]+)*")
_FROM: Final = lazy(r"(?i)\bfrom\s$|[从由自]\s?$")
_TO: Final = lazy(r"(?i)\s(?:\w+\s)?to\s(?:\w+\s)?|[^，。；\d]{0,8}[至到为]\s?")
_ALONE: Final = lazy(r"(?i)\s(?:in|on|at)\s\d")
_STOP: Final = lazy(r"[,.;:()，。；：（）]|\s(?:while|and|but|with|by|at|in)\s")
_MOST_SENTENCES: Final = 200


@dataclass(frozen=True)
class _Order:
    """A comparison with the text of both sides and a direction for each kind of value.

    The direction is 1 if the first side has more of the kind and -1 if it has less.
    """

    left: str
    right: str
    senses: Mapping[str, int]
    word: str

    def sense(self, kind: str) -> int:
        """Return the direction of the comparison for a kind of value, or 0 if unknown."""
        if kind in MONEY and "$" in self.senses:
            return self.senses["$"]
        return self.senses.get(kind, 0) or (self.senses.get("*", 0) if kind not in {"date", "s", "m/s"} else 0)


@cache
def _senses() -> dict[str, dict[str, int]]:
    table = {}
    for sign, words, kinds in data_rows("comparison", "senses"):
        more = -1 if sign == "less" else 1
        senses = {kind.lstrip("-"): -more if kind.startswith("-") else more for kind in kinds.split()}
        table.update(dict.fromkeys(words.split(), senses))
    return table


def find_reversed_change(statement: str, grounds: Grounds) -> Iterator[str]:
    """Yield changes of a value contradicted by the sources or by the change's own verb."""
    parts = [Clause(part) for part in split_clauses(statement)]
    told = [(part, change) for part in parts for change in find_changes(part)]
    sentences = [clause for source in grounds.sources for clause in source.sentences[:_MOST_SENTENCES]]
    known = {change for clause in sentences for change in find_changes(clause)} if told else set()
    direction, valuation = direction_axes()
    for part, (first, last) in told:
        turned = 1 if last > first else -1
        if (last, first) in known and (first, last) not in known:
            yield f"“{part.text.strip()[:80]}”: the sources say the reverse"
        elif not part.negations and valuation not in part.axes and part.axes.get(direction, turned) != turned:
            yield f"“{part.text.strip()[:80]}”: the values say the reverse"


def find_changes(clause: Clause) -> Iterator[tuple[float, float]]:
    """Yield the two values of each change, as in "from 22 to 14 weeks" or 由22周降至14周.

    A first value without a unit takes the unit of the second.
    """
    for item, other in pairwise(clause.quantities):
        led, linked = clause.text[max(0, item.start - 8) : item.start], clause.text[item.end : other.start]
        if _FROM.search(led) and _TO.fullmatch(linked) and item.value != other.value:
            scale = other.base / other.value if other.value and not item.kind else 1.0
            if not item.kind or item.kind == other.kind:
                yield round(item.base * scale, 6), round(other.base, 6)


def find_reversed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Yield reversed comparisons.

    The two values in the statement decide. If it gives no values, the sources decide.
    """
    if _NO_ORDER.search(statement):
        return
    order = _find_order(statement)
    if order is None:
        return
    values = _two_values(statement, order)
    if values is not None:
        (kind, first, second) = values
        if first != second and (first > second) != (order.sense(kind) > 0):
            yield f"“{order.word}”: the values say the reverse"
    elif order.right and _is_contradicted(order, grounds):
        yield f"“{order.word}”: the sources say the reverse"


def _find_order(text: str) -> _Order | None:
    """Return a comparison of a text, or None.

    In English it is the comparison word closest before the first "than", or else the last comparison word. The right
    side is empty if the text does not say what is compared with.
    """
    for pattern in _HAN_THAN:
        if (found := pattern.search(text)) is not None:
            return _Order(found["left"], found["right"], _senses()[found["word"]], found["word"])
    than = _THAN.search(text)
    words = list(_WORD.finditer(text, 0, than.start() + 1 if than else len(text)))
    for at, word in reversed(list(enumerate(words))):
        said = word.group().lower()
        senses = _senses().get(said)
        if senses is None:
            continue
        behind = words[at + 1].group().lower() if at + 1 < len(words) else ""
        if said in {"more", "less"} and behind in _QUALIFIED:
            senses = {_QUALIFIED[behind]: 1 if said == "more" else -1}
        dated = "date" in senses and said in {"before", "after", "predates", "preceded", "followed"}
        if dated and not than and _ALONE.match(text, word.end()):
            continue  # "the other followed in 1356": behind what was said before
        end = than.end() if than else word.end() if dated else len(text)
        right = _STOP.split(text[end : end + 120])[0]
        compared = text[word.end() : than.start()] if than and said in {"more", "less", "fewer"} else ""
        left = compared if set(content_words(compared)) - set(_QUALIFIED) else text[: word.start()]
        return _Order(left, right, senses, word.group())
    return None


def _moment(date: PartialDate) -> float:
    return date.year + (date.month or 0) / 100 + (date.day or 0) / 10_000


def _two_values(statement: str, order: _Order) -> tuple[str, float, float] | None:
    """Return the two values of the same kind in a statement, in the order of the two sides.

    Returns None if the statement has no two values to compare.
    """
    clause = Clause(statement)
    if len(clause.dates) == 2 and order.sense("date"):
        item, other = (span.date for span in clause.dates)
        same = item.contains(other) or other.contains(item)
        return ("date", 0.0, 0.0) if same else ("date", _moment(item), _moment(other))
    ordered = [q for q in clause.quantities if order.sense(q.kind)]
    if any(statement[: q.start].endswith(order.word) for q in ordered):
        return None  # by how much
    contrasted = len(ordered) == 2 and _CONTRASTED.search(statement, ordered[0].end, ordered[1].start)
    if not contrasted or ordered[0].kind != ordered[1].kind:
        return None
    return ordered[0].kind, ordered[0].base, ordered[1].base


def _sides(order: _Order) -> tuple[set[str], set[str]]:
    """Return the distinguishing words of each side of a comparison.

    They are the words before a 的, unless the sides compare two attributes of the same thing.
    """
    owner, _, part = order.left.partition("的")
    if part and "的" not in order.right and part[-1:] == order.right[-1:] and len(order.right) <= 6:
        owner = part  # two attributes of one thing: 交付量 and 产量
    left, right = set(content_words(owner)), set(content_words(order.right.partition("的")[0]))
    return left - right, right - left


def _is_contradicted(order: _Order, grounds: Grounds) -> bool:
    """Report whether a comparison in the sources says the reverse about the same two things."""
    left, right = _sides(order)
    for source in grounds.sources:
        for clause in source.sentences[:_MOST_SENTENCES]:
            known = _find_order(clause.text)
            if known is None or not known.right or _NO_ORDER.search(clause.text):
                continue
            item, other = _sides(known)
            senses = {order.sense(kind) * known.sense(kind) for kind in (*order.senses, *known.senses)} - {0}
            if left & item and right & other and senses == {-1}:
                return True
            if left & other and right & item and senses == {1}:
                return True
    return False
