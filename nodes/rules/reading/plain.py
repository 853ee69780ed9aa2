"""Reading ordinary documents, whose subjects are common nouns: policies, handbooks, product pages, minutes, recipes.

Where no name leads to the sentence, the question's words do: a line has to say nearly all of them, itself or by the
title, heading, column or sentence it stands under, and the value has to be of the sort the question seeks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nodes.rules.reading import gaps, gaps_zh
from nodes.rules.reading.another import all_befell_another
from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.likeness import Likeness, Word, likeness, said, words_of
from nodes.rules.reading.lines import Line, lines
from nodes.rules.reading.results import Reading, with_value
from nodes.rules.reading.sought import Sought, sought
from nodes.rules.reading.standing import View
from nodes.rules.reading.statements import negated
from nodes.rules.reading.weighing import cues, of_another_event, ranked, timely
from nodes.rules.words import stem
from state import Evidence, JsonValue, ValueType, item_type
from text.dates import find_dates
from text.language import HAN, fold
from text.numbers import NumberSpan, find_numbers
from text.patterns import lazy

LEAST: Final = 0.66
"""Score below which nothing is reported."""

_LEAST_SHARE: Final = 0.72
_COMPARES: Final = lazy(r"(?i)\b(?:more|less|fewer|[a-z]{2,}er) .*\bthan\b|比.+[多少贵长高大]")
_NAMED_KINDS: Final = frozenset({"country", "state", "city", "work"})
_CLAUSE: Final = lazy(r"[;；，。]|,(?!\d{3})|\s(?:and|but|while|whereas)\s|(?<=\w)[.!?](?=\s)")
_CALENDAR: Final = lazy(r"\s?[月日号时点届]|\s?年(?!来|间|以上)|[:：]\d\d|-\d|\.\d")
_GENERIC_KEYS: Final = {
    "date": lazy(r"(?i)^(?:date|time|when|date and time|时间|日期)$"),
    "place": lazy(r"(?i)^(?:location|place|where|venue|room|address|地点|地址|位置)$"),
}
_DAY: Final = lazy(
    r"(?i)\b\d{1,2}(?:st|nd|rd|th)? (?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) "
    r"\d{1,2}\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\b\d{1,2}(?:[:.]\d\d)? ?(?:a\.m\.|p\.m\.|"
    r"am\b|pm\b)|\b\d{1,2}:\d\d\b"
    r"|(?:次年|每年|当天|次日|每月)?\d{1,2}月(?:\d{1,2}日|底|初)?|(?:上午|下午|晚上|中午)?\d{1,2}(?:点半?|时|:\d\d)|每?[周星期]{1,2}[一二三四五六日天]"
)
_WITHIN: Final = lazy(r"(?i)(?:within|after|before|for|in|every)\s+(?:\w+\s)?$")


@dataclass(frozen=True)
class _Found:
    value: JsonValue
    score: float
    line: Line
    span: tuple[int, int]
    unit: str = ""


def read_plain(asked: Asked, passages: Sequence[Evidence], ret: ValueType) -> Reading | None:
    """Read the answer to a question out of ordinary documents.

    Args:
        asked: The question.
        passages: The passages, best first.
        ret: The wanted type, not `passages` and not of booleans.

    Returns:
        The reading; None where no line says what is asked.
    """
    if asked.kind in _NAMED_KINDS or " >> " in asked.text or _COMPARES.search(asked.text):
        return None
    seeks = sought(asked, ret)
    words = words_of(asked.text, seeks.ignored)
    if not words or not (seeks.noun or any(word.weight >= 0.5 and not word.name for word in words)):
        return None
    if seeks.sort == "place" and seeks.noun:
        return None  # "which river": what is no name of one must not be taken for it
    found = sorted(_values(asked, seeks, words, passages, ret), key=lambda hit: -hit.score)
    if not found or found[0].score < LEAST:
        return None
    best = found[0]
    view = View(best.line.passage, best.line.place, best.line.start, best.line.text, 1.0)
    values: JsonValue = best.value
    detail: dict[str, JsonValue] = {"unit": best.unit} if best.unit else {}
    if best.span[1] > best.span[0] and best.line.text[slice(*best.span)] != best.value:
        detail["shown"] = best.line.text[slice(*best.span)]
    if ret.startswith("list["):
        values = _listed(best, ret)
    return with_value(values, [Candidate(best.value, best.score, view, *best.span)], best.score, detail)


def _listed(best: _Found, ret: ValueType) -> JsonValue:
    if ret != "list[text]":
        return [best.value]
    parts = re.split(r"(?:, and |, | and |、|和|以及)", str(best.value))
    return [part.strip() for part in parts if part.strip()]


def _values(
    asked: Asked, seeks: Sought, words: tuple[Word, ...], passages: Sequence[Evidence], ret: ValueType
) -> Iterator[_Found]:
    chinese = bool(re.search(f"[{HAN}]", asked.text))
    stated = {span.date.year for span in find_dates(asked.text)}
    for line in lines(passages):
        whole = likeness(words, line)
        if not _promising(whole, words, line, seeks) or (chinese and asked.years and not line.keyed):
            continue  # a year asks for one figure of a series, which prose seldom tells apart from the others
        if item_type(ret) == "text" and _of_other_years(stated, line):
            continue  # "Zhao, born in 94 BC" is not who was born in 156 BC
        if asked.open and item_type(ret) == "text" and asked.kind in {None, "reason"}:
            yield _Found(line.text, whole.share * _later(line), line, (0, len(line.text)))
            continue
        for value, span, fit, unit in _of_sort(asked, seeks, words, line, ret):
            part = _clause(line, span)
            if negated(part) and not negated(asked.text):
                continue
            here = likeness(words, line, part)
            score = (0.75 * here.share + 0.25 * min(1.0, here.own * 1.6)) * fit * _later(line)
            view = View(line.passage, line.place, line.start, line.text, 1.0)
            if seeks.sort == "date" and not line.keyed:
                told = cues(asked, view)
                if not told and asked.relation is not None and asked.relation.cues.search(asked.text):
                    continue  # "is found in the rolls" says nothing of when it was founded
                if of_another_event(view, told, *span) or all_befell_another(asked, view, told):
                    continue
            score *= timely(asked, view, span[0]) * ranked(asked, view)
            yield _Found(value, score, line, span, unit)


def _later(line: Line) -> float:
    return 1 - 0.01 * min(line.place, 10)


def _promising(whole: Likeness, words: tuple[Word, ...], line: Line, seeks: Sought) -> bool:
    """Whether a line says enough of the question for a value in it to be looked at."""
    if not whole.names or whole.share < _LEAST_SHARE:
        return False
    total = sum(word.weight for word in words)
    if line.keyed and whole.missing >= 0.5:
        return False
    if whole.missing > (0.25 * total if total >= 4 else 0.31):
        return False
    generic = _GENERIC_KEYS.get(seeks.sort)
    if line.key and generic and generic.match(line.key):
        return True
    own = (line.key + " " + line.text) if line.keyed else line.text
    counted = (Word(seeks.noun),) if seeks.noun else ()
    return any(word.weight >= 0.5 and not word.name and said(own).has(word) >= 0.5 for word in (*words, *counted))


def _clause(line: Line, span: tuple[int, int]) -> str:
    """The clause of a line that a span stands in."""
    if line.keyed:
        return line.text
    cuts = [found.span() for found in _CLAUSE.finditer(line.text)]
    start = max((b for _, b in cuts if b <= span[0]), default=0)
    end = min((a for a, _ in cuts if a >= span[1]), default=len(line.text))
    return line.text[start:end]


def _of_sort(
    asked: Asked, seeks: Sought, words: tuple[Word, ...], line: Line, ret: ValueType
) -> Iterator[tuple[JsonValue, tuple[int, int], float, str]]:
    """Values of the sought sort in a line: the value, where it stands, how well it fits, its unit."""
    text_wanted = item_type(ret) == "text"
    if seeks.sort == "date":
        yield from (hit for hit in _dates(line, text_wanted=text_wanted) if not _repeats(asked, hit[0]))
        if text_wanted:
            yield from _days(line)
        return
    if seeks.sort in {"count", "duration", "money", "measure"}:
        for span, fit in _numbers(asked, seeks, words, line):
            counted = span.unit == "person" and seeks.noun  # 850人 where 员工 are asked for
            unit = "%" if span.percent else "" if counted else (span.unit or "")
            where = (span.start, span.end)
            yield (line.text[slice(*where)] if text_wanted else span.value), where, fit, "" if text_wanted else unit
        if not text_wanted:
            return
    if text_wanted and (line.keyed or not ret.startswith("list[")):
        found = ((line.text[slice(*span)].rstrip(" ,;:"), span, fit) for span, fit in _texts(asked, seeks, words, line))
        yield from ((text, span, fit, "") for text, span, fit in found)


def _of_other_years(stated: set[int], line: Line) -> bool:
    """Whether a line tells of years, and of none of those that the question states."""
    told = {span.date.year for span in find_dates(line.text)} if stated and not line.keyed else set()
    return bool(told) and told.isdisjoint(stated)


def _repeats(asked: Asked, value: JsonValue) -> bool:
    """Whether a date is no more than a year that the question names."""
    return str(value).rstrip("年") in {str(year) for year in asked.years}


def _dates(line: Line, *, text_wanted: bool) -> Iterator[tuple[JsonValue, tuple[int, int], float, str]]:
    spans = [span for span in find_dates(line.text) if not line.keyed or span.start >= line.value[0]]
    for span in spans:
        where = (span.start, span.end)
        yield (line.text[slice(*where)] if text_wanted else span.date.iso()), where, 1.0, ""
    if spans or line.keyed:
        return
    for head in reversed(line.heads):  # "## 4.2.0 (2024-09-12)" dates what stands under it
        dated = find_dates(head)
        if dated:
            yield (head[dated[0].start : dated[0].end] if text_wanted else dated[0].date.iso()), (0, 0), 0.9, ""
            return


def _days(line: Line) -> Iterator[tuple[JsonValue, tuple[int, int], float, str]]:
    """Days, hours and spans of time, as rules write them: "31 March", "within 30 days", 次年3月31日."""
    for found in _DAY.finditer(line.text):
        yield found.group(), found.span(), 1.0, ""
    for number in find_numbers(line.text):
        lead = _WITHIN.search(line.text, max(0, number.start - 20), number.start)
        if number.unit in {"year", "month", "week", "day", "hour", "minute", "second"} and lead:
            span = (lead.start(), number.end)
            yield line.text[slice(*span)], span, 0.95, ""


def _numbers(asked: Asked, seeks: Sought, words: tuple[Word, ...], line: Line) -> Iterator[tuple[NumberSpan, float]]:
    text = line.text
    chinese = bool(re.search(f"[{HAN}]", asked.text))
    dated = [(span.start, span.end) for span in find_dates(text)]
    for span in find_numbers(text):
        if line.keyed and not line.value[0] <= span.start < line.value[1]:
            continue
        if any(a < span.end and span.start < b for a, b in dated) and not (span.unit and span.unit != "year"):
            continue
        if _CALENDAR.match(text, span.end) or any(
            word.name and word.text == fold(text[span.start : span.end]) for word in words
        ):
            continue
        fit = seeks.fits(span.unit, percent=span.percent)
        behind = line.key if line.keyed else " ".join(text[span.end : span.end + 40].split()[:3])
        if seeks.unit and span.unit is None and not chinese and said(behind).has(Word(seeks.unit)) == 1:
            fit, span = 1.0, replace(span, unit=seeks.unit)  # noqa: PLW2901 - "5 unused days" is days
        if fit and seeks.noun:
            fit *= _counts(seeks.noun, line, span)
        elif fit and chinese and not line.keyed:
            fit *= gaps_zh.adjoins(asked.text, line.text, (span.start, span.end))
        if fit:
            yield span, fit * _near((*words, Word(seeks.noun)) if seeks.noun else words, line, span)


def _counts(noun: str, line: Line, span: NumberSpan) -> float:
    """How surely a number counts things called by a noun."""
    behind = re.split(r"[.;，。；](?:\s|$)", line.text[span.end : span.end + 50])[0]
    inside = line.text[span.start : span.end]
    if re.match(f"[{HAN}]", noun):
        if noun in behind[:12] or noun in inside:
            return 1.0
        before = re.split("[，。；]", line.text[: span.start])[-1]
        return 0.95 if said(f"{line.key} {before[-12:]}").has(Word(noun)) >= 0.9 else 0.0
    word = Word(noun)
    if said(inside + " " + " ".join(behind.split()[:5])).has(word):
        return 1.0
    if line.keyed and said(line.key).has(word):
        return 1.0
    before = re.split(r"[,;]", line.text[: span.start])[-1]
    return 0.85 if said(" ".join(before.split()[-4:])).has(word) else 0.0


def _near(words: tuple[Word, ...], line: Line, span: NumberSpan) -> float:
    """Less the farther a number stands from the question's words."""
    if line.keyed:
        return 1.0
    around = [
        min(abs(found.start() - span.end), abs(span.start - found.end()))
        for found in re.finditer(rf"[^\W_{HAN}]+(?:[-'’][^\W_{HAN}]+)*|[{HAN}]{{2}}", line.text)
        if not (found.start() < span.end and span.start < found.end())
        and any(said(found.group()).has(word) for word in words if not word.chinese or len(word.text) == 2)
    ]
    return max(0.8, 1 - min(around, default=30) / 300)


def _texts(asked: Asked, seeks: Sought, words: tuple[Word, ...], line: Line) -> Iterator[tuple[tuple[int, int], float]]:
    """Phrases that fill the question's gap, in the whole of a keyed line or in a clause of a sentence."""
    if line.keyed:
        yield from _of_keyed(seeks, words, line)
        return
    chinese = bool(re.search(f"[{HAN}]", asked.text))
    parts = re.finditer("[^，。；]+[，。；]?", line.text) if chinese else re.finditer(r"[^;]+;?", line.text)
    for part in parts:
        clause = part.group()
        found = (
            gaps_zh.phrases(asked.text, seeks.sort, words, clause)
            if chinese
            else gaps.phrases(asked.text, seeks.sort, words, clause)
        )
        for (start, end), sure in found:
            text = clause[start:end]
            if seeks.sort == "person" and not (gaps_zh.is_role(text) if chinese else gaps.is_role(text)):
                continue
            fit = sure
            if (
                seeks.noun
                and seeks.sort == "phrase"
                and not said(text).has(Word(seeks.noun))
                and not text[:1].isupper()
            ):
                fit *= 0.85
            yield (part.start() + start, part.start() + end), fit


def _of_keyed(seeks: Sought, words: tuple[Word, ...], line: Line) -> Iterator[tuple[tuple[int, int], float]]:
    generic = _GENERIC_KEYS.get(seeks.sort)
    telling = [word for word in words if word.weight >= 0.5 and not word.name]
    telling += [Word(seeks.noun)] if seeks.noun and not line.label and said(line.key).has(Word(seeks.noun)) else []
    keyed = [word for word in telling if said(line.key).has(word) >= 0.5]
    value = line.text[slice(*line.value)]
    if line.label and seeks.noun and stem(fold(line.key.rsplit(" / ", 1)[-1])) == seeks.noun:
        if any(said(line.text).has(word) for word in words):
            yield (0, len(line.label)), 0.9
        return
    if not keyed and not (generic and generic.match(line.key)):
        return
    if len(value) <= 160 and not any(word.text in said(value).stems for word in keyed):
        yield line.value, 1.0 if len(keyed) == len(telling) else 0.9
