"""Typed extraction without a model: a value counts only if subject, relation and value stand in one clause.

`extract_value` reads passages for one parsed look-up. It asserts a value where a clause about the very subject, or a
record of its name, gives it in one of a few tight patterns (`value_patterns`), nothing else that the question says is
left over, and no other such clause differs. In every other case it is silent.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.clauses import Sentence, sentences_of
from weiwo.nodes.executor.subject_match import Page, Subject, name_key, pages, qualifier
from weiwo.nodes.executor.value_patterns import Value, recorded_values, stated_values, vouched
from weiwo.state import Evidence, JsonValue, Quote, ValueType
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import HAN, fold
from weiwo.text.lists import split_items
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation, relations
from weiwo.text.terms import terms
from weiwo.text.units import to_si

MOST_PASSAGES: Final = 40
"""Passages that are read, best first."""

ONE_SOURCE: Final = 0.95
SEVERAL: Final = 0.98
"""Confidence in a value that one document gives, and several."""

MEASURED: Final = 0.005
ROUGH: Final = 0.05
"""Shares by which two measurements of one thing may differ, and two rough ones."""


@dataclass(frozen=True)
class Finding:
    """A value that passages give.

    Attributes:
        value: The value in the data form of its type: ISO date (negative before our era), number, text or list.
        evidence_ids: The passages that give it, best first.
        quotes: The sentences that carry it, verbatim.
        unit: Its unit by its one name, or empty.
        approximate: Whether the passage hedges it.
        shown: The value as the passage writes it.
        mechanism: What found it, such as "look_up:date".
        confidence: 0 to 1.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]
    unit: str = ""
    approximate: bool = False
    shown: str = ""
    mechanism: str = ""
    confidence: float = ONE_SOURCE


@dataclass(frozen=True)
class _Candidate:
    """A value with the passage and the line that give it."""

    passage: Evidence
    line: str
    found: Value
    mechanism: str


def extract_value(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Finding | None:
    """Read the value of one parsed look-up out of passages.

    CPU-bound, a few milliseconds; time grows linearly with the passages' length.

    Args:
        frame: The parsed look-up, its references filled; subject and relation must be known, of a list the subject.
        ret: The type of the value.
        passages: The passages, best first.

    Returns:
        The value with the sentences that carry it, or None where none is certain.
    """
    kind = _kind(frame, ret)
    if len(frame.subjects) != 1 or not kind:
        return None
    for subject, left in _readings(frame.subject):
        seen = [(one, page) for one in passages[:MOST_PASSAGES] for page in pages(subject, one.title, one.text)]
        if not any(page.about for _, page in seen) and left:
            continue
        if not subject.key or _namesakes([pair for pair in seen if pair[1].about]):
            return None
        if kind == "list":
            return _listed(frame, seen)
        residue = _residue(frame, relations()[frame.relation]) | left
        found = [one for pair in seen for one in _candidates(frame, kind, residue, *pair)]
        chosen = _agreed(found, kind)
        return _finding(chosen, ret) if chosen else None
    return None


_GENERIC: Final = lazy(
    "river|mountain|lake|film|movie|novel|book|song|album|city|town|company|band|island|bridge|tower"
)


def _readings(name: str) -> Iterator[tuple[Subject, frozenset[str]]]:
    """The subject as it is named, and without a general word that the page must then say of it: "the vistula river"."""
    whole = Subject(name)
    for rest, general in ((whole.tokens[:-1], whole.tokens[-1:]), (whole.tokens[1:], whole.tokens[:1])):
        if rest and _GENERIC.fullmatch(general[0]):
            yield Subject(" ".join(rest)), frozenset(terms(general[0]))
    yield whole, frozenset()


def _kind(frame: QueryFrame, ret: ValueType) -> str:
    """The kind of value to read: `date`, `quantity`, `agent`, `place`, `list`; empty where none can be."""
    relation = relations().get(frame.relation)
    if frame.shape == "list":
        return "list" if ret in {"list[text]", "text"} else ""
    if relation is None or frame.shape != "look_up":
        return ""
    wanted = frame.answer_type if frame.answer_type != "text" else relation.answer_type
    kinds = {
        "date": "date",
        "year": "date",
        "quantity": "quantity",
        "number": "quantity",
        "person": "agent",
        "place": "place",
    }
    kind = kinds.get(wanted, "")
    fitting = {"date": {"date", "number", "text"}, "quantity": {"number", "text"}}.get(kind, {"text"})
    return kind if ret in fitting and (ret != "number" or wanted != "date") else ""


def _candidates(
    frame: QueryFrame, kind: str, residue: frozenset[str], passage: Evidence, page: Page
) -> Iterator[_Candidate]:
    """Every value that a page gives the subject, where page or clause say whatever else the question says."""
    relation = relations()[frame.relation]
    if page.about and not page.fits(relation.name):
        return
    around = {*terms(page.title), *(terms(page.definition) if page.about else ())}
    for found, line in recorded_values(page, relation, kind):
        if residue <= around | set(terms(line)):
            yield _Candidate(passage, line, found, f"record:{kind}")
    for sentence in sentences_of(page):
        for found in stated_values(sentence, relation, kind):
            clause = sentence.text if sentence.han else sentence.text[max(0, found.start - 120) : found.end + 40]
            if vouched(sentence.text, found) and residue <= around | set(terms(clause)):
                yield _Candidate(passage, sentence.text, found, f"look_up:{kind}")


_ASKING: Final = frozenset(
    terms(
        "year date day time month exact exactly full old person man woman many number figure amount total place meter "
        "kilometer foot feet mile unit current currently high tall long"
    )
)
_IDLE_HAN: Final = frozenset("的是在了吗呢于由被何谁哪多少几什么时候年月日个位座条部本有请问一公里米")


def _residue(frame: QueryFrame, relation: Relation) -> frozenset[str]:
    """What the question says beyond subject, relation and question words."""
    known = {*terms(frame.subject), *_ASKING, *_asked_terms(relation.name)}
    spelled = "".join((*relation.asks["zh"], *relation.says["zh"], relation.noun["zh"], frame.subject, *_IDLE_HAN))
    return frozenset(
        one for one in frame.terms if one not in known and not (re.match(f"[{HAN}]", one) and set(one) <= set(spelled))
    )


@lru_cache(maxsize=256)
def _asked_terms(relation: str) -> frozenset[str]:
    row = relations()[relation]
    return frozenset(term for word in (*row.asks["en"], *row.says["en"], row.noun["en"]) for term in terms(word))


def _namesakes(seen: Sequence[tuple[Evidence, Page]]) -> bool:
    """Whether pages of the subject's name are about several things."""
    if len({qualifier(page.title) for _, page in seen if page.titled}) > 1:
        return True
    said: dict[str, set[str]] = {}
    for passage, page in seen:
        said.setdefault(passage.source, set()).update(terms(page.definition))
    defined = [words for words in said.values() if words]
    return any(not one & other for one in defined for other in defined)


def _agreed(found: Sequence[_Candidate], kind: str) -> list[_Candidate]:
    """The candidates of the one value that all give, the most precise first; none where two differ.

    Of figures the undated count, or else those of the latest year.
    """
    if kind == "quantity":
        last = max((max(one.found.years, default=9999) for one in found), default=0)
        found = [one for one in found if max(one.found.years, default=9999) == last]
    same = {"date": _same_date, "quantity": _same_figure}.get(kind, _same_name)
    finest = sorted(
        found, key=lambda one: (-str(one.found.value).count("-", 1) if kind == "date" else 0, one.found.approximate)
    )
    return finest if all(same(finest[0].found, one.found) for one in finest) else []


def _same_date(one: Value, other: Value) -> bool:
    a, b = PartialDate.from_iso(str(one.value)), PartialDate.from_iso(str(other.value))
    return a.contains(b) or b.contains(a)


def _figure(value: JsonValue, unit: str | None) -> float:
    """A number in the base unit of what it measures, where that is known."""
    number = float(value) if isinstance(value, int | float) else math.nan
    base = to_si(number, unit) if unit else None
    return base[0] if base else number


def _same_figure(one: Value | Finding, other: Value | Finding) -> bool:
    a, b = _figure(one.value, one.unit), _figure(other.value, other.unit)
    measured = bool(to_si(1, one.unit) and to_si(1, other.unit))
    near = ROUGH if one.approximate or other.approximate else MEASURED if measured else 1e-9
    return abs(a - b) <= near * max(abs(a), abs(b)) or _rounds(a, b) or _rounds(b, a)


def _rounds(exact: float, coarse: float) -> bool:
    """Whether a figure of at least two digits is another, rounded."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def _same_name(one: Value | Finding, other: Value | Finding) -> bool:
    """Whether two names are one: alike when folded, or one within the other."""
    a, b = name_key(str(one.value)), name_key(str(other.value))
    if re.search(f"[{HAN}]", a + b):
        return a in b or b in a
    few, many = sorted((a.split(), b.split()), key=len)
    return set(few) <= set(many)


def _finding(chosen: Sequence[_Candidate], ret: ValueType) -> Finding:
    best = chosen[0].found
    value = best.shown if ret == "text" else best.value
    if ret == "number" and isinstance(value, str):
        value = PartialDate.from_iso(value).year
    quotes = tuple(dict.fromkeys((one.passage.id, one.line) for one in chosen))[:4]
    return Finding(
        value=value,
        evidence_ids=tuple(dict.fromkeys(one.passage.id for one in chosen))[:4],
        quotes=tuple(Quote(evidence_id=passage, text=text) for passage, text in quotes),
        unit=best.unit,
        approximate=best.approximate,
        shown=best.shown,
        mechanism=chosen[0].mechanism,
        confidence=SEVERAL if len({one.passage.source for one in chosen}) > 1 else ONE_SOURCE,
    )


_CUE: Final = lazy(
    r"\b(?:are|were|includes?|namely|consists? of|comprises?)\b:?\s|[:：]\s?"
    r"|(?:包括|包含|分别[是为]|[是为有]|流经|经过)[:：]?"
)
_OPEN_ENDED: Final = lazy(
    r"\b(?:such as|including|among|others|etc|and more|some|not|several)\b|等|之一|部分|例如|如|不"
)
_ITEM: Final = lazy(rf"[\"“《]?[A-Z\d{HAN}][^，,；;：:（()）\n]{{0,40}}")
_NO_ITEM: Final = lazy(r"\b(?:is|was|are|were|which|who|that|has)\b|[是为有经由]")


def _listed(frame: QueryFrame, seen: Sequence[tuple[Evidence, Page]]) -> Finding | None:
    """The one list that a sentence enumerates whole behind the words asked for."""
    asked = frozenset(frame.terms) - {*terms(frame.subject), *_ASKING}
    pairs = [(one, sentence) for one, page in seen if page.about for sentence in sentences_of(page)]
    found = [(one, sentence, items) for one, sentence in pairs if asked and (items := _enumerated(sentence, asked))]
    if not found or any({*map(name_key, items)} != {*map(name_key, found[0][2])} for _, _, items in found):
        return None
    passage, sentence, items = found[0]
    return Finding(
        value=list(items),
        evidence_ids=(passage.id,),
        quotes=(Quote(evidence_id=passage.id, text=sentence.text),),
        shown=("、" if sentence.han else ", ").join(items),
        mechanism="list",
    )


def _enumerated(sentence: Sentence, asked: frozenset[str]) -> list[str]:
    """The items of a sentence's list, if all before it is the subject and what is asked for; none if one may be cut."""
    text = sentence.text.rstrip("。.；; ")
    if _OPEN_ENDED.search(text) or "\n" in text or not (sentence.mentions or sentence.focus):
        return []
    for cue in _CUE.finditer(text):
        items = split_items(text[cue.end() :])
        whole = all(_ITEM.fullmatch(one) and len(one.split()) <= 6 and not _NO_ITEM.search(one) for one in items)
        said = {*terms(text[: cue.end()]), *terms(sentence.page.definition)}
        if len(items) > 1 and whole and asked <= said:
            return items
    return []


def values_conflict(one: Finding, other: Finding) -> bool:
    """Whether two findings of one look-up cannot both be right.

    A year and a day in it, a figure and its rounding, a name and its longer form do not conflict; nor do lists.
    """
    a, b = one.value, other.value
    if isinstance(a, bool | list) or isinstance(b, bool | list):
        return isinstance(a, bool) and isinstance(b, bool) and a is not b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return not _same_figure(one, other)
    first, second = _as_date(str(a)), _as_date(str(b))
    if first and second:
        return not (first.contains(second) or second.contains(first))
    one_script = bool(re.search(f"[{HAN}]", str(a))) == bool(re.search(f"[{HAN}]", str(b)))
    return one_script and not _same_name(one, other)


def _as_date(text: str) -> PartialDate | None:
    try:
        return PartialDate.from_iso(text)
    except ValueError:
        spans = find_dates(text)
        return spans[0].date if len(spans) == 1 and spans[0].until is None else None


def carries(sentence: str, value: JsonValue, type_: ValueType) -> bool:
    """Whether a sentence contains a value in some form: a date as coarse or finer, a figure in any unit, a name.

    Args:
        sentence: The sentence.
        value: The value in the data form of its type.
        type_: Its type.
    """
    if isinstance(value, list):
        return bool(value) and all(carries(sentence, one, "text") for one in value)
    if isinstance(value, bool) or value is None:
        return False
    dates = [end for span in find_dates(sentence) for end in (span.date, span.until) if end]
    if isinstance(value, int | float):
        figures = [
            figure for one in find_numbers(sentence) for figure in (float(one.value), _figure(one.value, one.unit))
        ]
        return any(math.isclose(float(value), one) for one in (*figures, *(float(date.year) for date in dates)))
    wanted = _as_date(str(value)) if type_ == "date" else None
    if wanted:
        return any(wanted.contains(one) for one in dates)
    return fold(str(value)) in fold(sentence)


__all__ = ["Finding", "carries", "extract_value", "values_conflict"]
