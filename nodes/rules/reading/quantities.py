"""Dates and numbers in sentences about a subject, weighed by the words that say what they mean."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from nodes.rules.reading import weighing
from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.requests import converted
from nodes.rules.reading.standing import View
from nodes.rules.words import stem
from state import JsonValue
from text.dates import DateSpan, PartialDate, find_dates
from text.language import HAN, fold
from text.numbers import NumberSpan, find_numbers
from text.patterns import lazy

_WORD: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+(?:['’-][^\W_{HAN}]+)*")
_LIFE_BRACKET: Final = lazy(r"[(（][^()（）]{0,80}$")
_UNITS: Final[dict[str, frozenset[str]]] = {
    "length": frozenset(["m", "km", "cm", "mm", "ft", "inch", "yd", "mi", "nmi"]),
    "area": frozenset(["m²", "km²", "mi²", "ft²", "ha", "acre", "亩"]),
    "mass": frozenset(["kg", "g", "mg", "t", "lb", "oz", "斤", "ton"]),
    "time": frozenset(["year", "month", "week", "day", "hour", "minute", "second"]),
    "age": frozenset({"year"}),
    "people": frozenset({"person", "人次"}),
}
_ASKED_UNITS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (unit, lazy(pattern, re.IGNORECASE))
    for unit, pattern in (
        ("km²", r"square kilomet|km²|平方公里|平方千米"),
        ("m²", r"square met|m²|平方米"),
        ("mi²", r"square mile"),
        ("km", r"\bkilomet|\bkm\b|公里|千米"),
        ("m", r"\bmet(?:re|er)s?\b|多少米|几米|(?<!平方)(?<!厘)(?<!千)米[？?]?$"),
        ("ft", r"\bfeet\b|\bfoot\b|英尺"),
        ("mi", r"\bmiles?\b|英里"),
        ("kg", r"\bkilogram|公斤|千克"),
        ("t", r"\btonn?es?\b|吨"),
        ("USD", r"\bdollars?\b|美元"),
        ("year", r"how many years|多少年|几年|how old|多少岁|几岁"),
        ("day", r"how many days|多少天|几天"),
        ("%", r"percent|百分之|增长率|增长了?多少|增速|比例|占比|出生率|准确率|率(?:是|为|达到了?)?多少|率[？?]?$"),
    )
)
_PRICES: Final = frozenset(["USD", "EUR", "GBP", "JPY", "HKD", "元"])
_MONEY: Final = lazy(r"(?i)票房|营收|收入|利润|多少钱|价格|售价|GDP|产值|\bcost\b|\bprice\b|revenue|budget|profit")
_PEOPLE: Final = lazy(r"(?i)how many people|多少人|几人|人数|死亡|population|人口|inhabitants|报名")


ELSEWHERE: Final = 0.35
"""What is left of a date's score where its clause tells of another event."""
ASIDE: Final = 0.6
"""What is left of the score of a day in brackets, which is said of the word before."""
_DAY_ZH: Final = lazy(r"(?<!\d)(\d{1,2})月(\d{1,2})日")


def dates(asked: Asked, views: Iterable[View]) -> Iterator[Candidate]:
    """Dates that may answer the question; their values are ISO strings."""
    for view in views:
        spans = find_dates(view.sentence)
        for span in spans:
            yield from _life(asked, view, span)
        cues = weighing.cues(asked, view)
        for span in (*spans, *_days_of_year(view.sentence, spans)):
            if asked.years and span.date.year in asked.years and span.date.month is None:
                continue
            for value, end in (
                (span.date, span.end),
                *(((span.until, span.end),) if _wants_end(asked) and span.until else ()),
            ):
                score = weighing.weigh(asked, view, cues, span.start, end)
                if score and weighing.of_another_event(view, cues, span.start, end):
                    score *= ELSEWHERE
                if span not in spans and view.sentence[span.start - 1] in "(（":
                    score *= ASIDE
                if value.month is None and re.search("日期|哪一?天|几月|几号|what date|which day", asked.text):
                    score *= 0.6
                if score:
                    detail: dict[str, JsonValue] = {"approximate": True} if span.approximate else {}
                    yield Candidate(
                        value.iso(), score * (0.97 if span.until else 1), view, span.start, span.end, detail
                    )


def _days_of_year(sentence: str, spans: Sequence[DateSpan]) -> Iterator[DateSpan]:
    """Chinese days without a year, in the year of the date before: 1770年12月17日受洗，前一天即12月16日出生."""
    for found in _DAY_ZH.finditer(sentence):
        before = [span for span in spans if span.end <= found.start() and span.until is None]
        if before and not any(span.start < found.end() and found.start() < span.end for span in spans):
            try:
                date = PartialDate(before[-1].date.year, int(found[1]), int(found[2]))
            except ValueError:
                continue
            yield DateSpan(found.start(), found.end(), date)


def _wants_end(asked: Asked) -> bool:
    return asked.relation is not None and asked.relation.name == "ending"


def _life(asked: Asked, view: View, span: DateSpan) -> Iterator[Candidate]:
    """Birth and death of a life span in brackets: "Han Wudi (156–87 BC)", "(born 1950)" is left to the cues."""
    relation = asked.relation
    if relation is None or relation.life is None or span.until is None:
        return
    bracket = _LIFE_BRACKET.search(view.sentence, max(0, span.start - 120), span.start)
    if not bracket:
        return
    # The bracket belongs to the name right before it.
    owners = [m for m in view.mentions if m[1] <= bracket.start() + 1 and bracket.start() - m[1] <= 60]
    between = view.sentence[owners[-1][1] : bracket.start()] if owners else ""
    named_otherwise = [n for n in view.names if owners and owners[-1][1] <= n.start and n.end <= bracket.start()]
    sure = (
        1.0 if owners and (not named_otherwise or not re.search(r"\b(?:of|and|by|with)\b|[、和与的]", between)) else 0.0
    )
    if not owners and view.carried and view.start == 0 and bracket.start() <= 80:
        sure = 0.85
    if re.search(r"(?i)\b(?:reign|r\.|ruled|term|in office|fl\.)|在位|任期", bracket.group()):
        sure = 0.0
    if sure:
        date = (span.date, span.until)[relation.life]
        detail: dict[str, JsonValue] = {"approximate": True} if span.approximate else {}
        yield Candidate(date.iso(), sure * max(0.9, view.about), view, span.start, span.end, detail)


def numbers(asked: Asked, views: Iterable[View]) -> Iterator[Candidate]:
    """Numbers that may answer the question, of the unit it asks for; their values are ints and floats."""
    unit = asked.unit or next((unit for unit, found in _ASKED_UNITS if found.search(asked.text)), "")
    measure = asked.relation.measure if asked.relation else ""
    for view in views:
        dated = [(span.start, span.end) for span in find_dates(view.sentence)]
        cues = weighing.cues(asked, view)
        for span in (
            s
            for s in _with_shared_units(view.sentence, find_numbers(view.sentence))
            if not _CALENDAR.match(view.sentence, s.end)
        ):
            if any(a < span.end and span.start < b for a, b in dated) and not (span.unit and span.unit != "year"):
                continue
            fit = _fit(asked, view, span, unit, measure)
            if not fit:
                continue
            score = fit * weighing.weigh(asked, view, cues, span.start, span.end)
            if score:
                detail: dict[str, JsonValue] = {}
                if span.unit or span.percent:
                    detail["unit"] = "%" if span.percent else span.unit
                if re.search(
                    r"(?i)(?:about|around|approximately|roughly|nearly|some|约|近|超过?) ?$",
                    view.sentence[max(0, span.start - 16) : span.start],
                ):
                    detail["approximate"] = True
                value: float | None = None
                if asked.unit and span.unit not in {None, asked.unit}:
                    value = converted(span.value, span.unit or "", asked.unit)
                    detail |= {"unit": asked.unit} if value is not None else {}
                yield Candidate(span.value if value is None else value, score, view, span.start, span.end, detail)


_CALENDAR: Final = lazy(r"\s?[月日号时点届]|\s?年(?!来|间|以上)|[:：]\d\d|-\d")


def _with_shared_units(sentence: str, spans: Sequence[NumberSpan]) -> list[NumberSpan]:
    """Numbers of a range share the unit of its end: "between 6,400 and 6,992 kilometres"."""
    shared = list(spans)
    for i in range(len(shared) - 2, -1, -1):
        gap = sentence[shared[i].end : shared[i + 1].start]
        if shared[i].unit is None and shared[i + 1].unit and re.fullmatch(r" (?:and|to|or) |\s?[–—~-]\s?|[至到]", gap):
            shared[i] = replace(shared[i], unit=shared[i + 1].unit)
    return shared


def _fit(asked: Asked, view: View, span: NumberSpan, unit: str, measure: str) -> float:  # noqa: C901, PLR0911 - a decision list reads best flat
    """Whether a number counts what is asked for, 0 to 1."""
    mine = "%" if span.percent else span.unit
    if unit == "%":
        return 1.0 if mine in {"%", "‰"} else 0.0
    if unit and unit != "year":
        if mine == unit:
            return 1.0
        kin = next((units for units in _UNITS.values() if unit in units), frozenset({unit}))
        return 0.8 if mine in kin else 0.0
    if measure and measure in _UNITS:
        if mine in _UNITS[measure]:
            return _measured(asked, view, span, measure)
        if measure == "people":
            return 0.95 if mine is None and not _counted(view, span) else 0.0
        return 0.75 if measure == "age" and mine is None else 0.0
    if unit == "year" and mine != "year":
        return 0.6 if mine is None and re.search(r"(?i)how old|多少岁|几岁", asked.text) else 0.0
    if unit == "year":
        return 1.0
    if _PEOPLE.search(asked.text):
        return 1.0 if mine in _UNITS["people"] else (0.7 if mine is None else 0.0)
    if _MONEY.search(asked.text):
        return 1.0 if mine in _PRICES else (0.7 if mine is None and span.value >= 10_000 else 0.0)
    if asked.noun and not measure and asked.noun != "钱":
        return _of_noun(asked.noun, view, span)
    if mine == "year" or (re.search(f"[{HAN}]", asked.text) and mine is None and span.value < 100):
        return 0.3
    return 0.3 if span.percent else 0.8


_DIMENSION: Final = lazy(r"\s?(?:\([^()]{0,40}\)\s?)?(long|wide|deep|high|tall|thick|in diameter|away)\b")
_DIMENSIONS: Final = {"long": "length", "wide": "width", "deep": "depth", "high": "height", "tall": "height"}


def _measured(asked: Asked, view: View, span: NumberSpan, measure: str) -> float:
    """Metric first, where a text gives a second figure in brackets; an area is no height of a viewing platform."""
    other = _DIMENSION.match(view.sentence, span.end)
    if other and asked.relation is not None and _DIMENSIONS.get(other[1]) != asked.relation.name:
        return 0.0
    before = view.sentence[max(0, span.start - 2) : span.start]
    bracketed = before.endswith(("(", "（", "; "))
    return 0.85 if bracketed and measure != "people" else 1.0


def _counted(view: View, span: NumberSpan) -> bool:
    """Whether another noun follows the number."""
    return bool(re.match(r"[%‰]|\s?(?:st|nd|rd|th)\b", view.sentence[span.end : span.end + 4]))


def _of_noun(noun: str, view: View, span: NumberSpan) -> float:
    """Whether the asked noun follows the number within a few words."""
    behind = view.sentence[span.end : span.end + 48]
    inside = view.sentence[span.start : span.end]
    if re.search(f"[{HAN}]", noun):
        near = re.split("[，。；、,]", behind)[0][:12]
        wanted = [c for c in noun if c not in "的个"]
        return 1.0 if wanted and sum(c in near + inside for c in wanted) >= len(wanted) / 2 else 0.25
    wanted_stem = stem(noun.rsplit(maxsplit=1)[-1])
    following = [stem(fold(word)) for word in _WORD.findall(re.split(r"[.;:]", behind)[0])[:5]]
    before = [stem(fold(word)) for word in _WORD.findall(view.sentence[max(0, span.start - 30) : span.start])[-3:]]
    if wanted_stem in following or stem(fold(inside.split()[-1] if inside.split() else "")) == wanted_stem:
        return 1.0
    return 0.6 if wanted_stem in before else 0.0
