"""Date patterns: where a clause about the subject puts the date of an event."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence, find_cues_zh
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import DateSpan
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation

_BREAK: Final = data_pattern("extraction", "date_patterns", "break")
_GAP: Final = data_pattern("extraction", "date_patterns", "gap")
_IN_PARTS: Final = frozenset(["release", "publication", "opening"])
"""Relations that may befall a thing at another time in another place."""
_PART: Final = lazy(r"\s(?:in|on|to)\s(?:the\s)?(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))[A-Z]")

_FIRST: Final = lazy(r"\bfirst\s\w+$")


def date_after(sentence: Sentence, at: int, relation: Relation) -> StatedValue | None:
    """The date behind a verb."""
    text = sentence.text
    one = next((one for one in sentence.dates if one.start >= at), None)
    if one is None or one.until is not None:
        return None
    gap, rest = text[at : one.start], text[one.end : one.end + 90]
    fits = len(gap) <= 100 and _GAP.fullmatch(gap) and not _BREAK.search(gap)
    again = _PART.search(gap) or _PART.match(rest) or re.search(r"\b(?:and|then)\b.{0,40}\d{4}", rest)
    parted = again and relation.name in _IN_PARTS and not _FIRST.search(text[max(0, at - 40) : at])
    return _dated(sentence, one) if fits and not parted else None


def _dated(sentence: Sentence, one: DateSpan) -> StatedValue:
    shown = sentence.text[one.start : one.end]
    return StatedValue(one.date.iso(), shown, one.start, one.end, approximate=one.approximate)


_NOT_A_LIFE: Final = lazy(r"(?i)\b(?:fl|r|reign(?:ed)?|ruled|active|before|after|between)\b\.?|在位|执政|活跃")
_BORN: Final = lazy(r"(?:\bborn\b[^,;]{0,30}[,;]?|\bb\.|生于|出生于?)\s?(?:on\s|in\s|c\.\s)?$")
_DIED: Final = lazy(r"(?:\bdied\b[^,;]{0,20}|\bd\.|卒于|逝世于)\s?(?:on\s|in\s)?$")


SPANNED: Final = {"birth": True, "death": False, "beginning": True, "ending": False}
"""Relations whose dates stand in brackets behind a name, and whether it is the first of the two."""


def span_in_brackets(sentence: Sentence, relation: str) -> Iterator[StatedValue]:
    """Birth or death of a life in brackets behind the subject's name: "(12 July 100 BC – 15 March 44 BC)"."""
    text = sentence.text
    first = re.search(r"[（(][^()（）]{3,200}[)）]", text[:260])
    if first is None or _NOT_A_LIFE.search(first[0]):
        return
    head, subject = text[: first.start()], sentence.page.subject
    own = any(end <= len(head) and not text[end : len(head)].strip() for _, end in sentence.mentions)
    if not own and sentence.page.titled and sentence.before is None and len(head) <= 80:
        said = subject.tokens[-1] in re.findall(r"\w+", sentence.folded[: len(head)]) or head.startswith(subject.text)
        own = said and not re.search(r"\b(?:is|was|are|were)\b|[，。；是]", head)
    inside = [one for one in sentence.dates if own and first.start() < one.start and one.end <= first.end()]
    born = SPANNED[relation]
    for one in inside:
        if one.until is not None and len(inside) == 1:
            ends = re.split(r"\s?(?:[–—~～－-]{1,2}|至|\bto\b)\s?", text[one.start : one.end])
            found = one._replace(date=one.date if born else one.until, until=None)
            shown = ends[0 if born else 1] if len(ends) == 2 else found.date.iso()
            yield replace(_dated(sentence, found), shown=shown)
        elif one.until is None and (_BORN if born else _DIED).search(text[first.start() : one.start]):
            yield _dated(sentence, one)


_BEHIND_ZH: Final = lazy(rf"(?:于|在|时间[是为：:]|日期[是为：:])?(?:公元)?\s?(?:[{HAN}]{{3,8}}年（)?")
_FOLLOWS_ZH: Final = lazy(r"[，。；、）)\s（(]|$|于|在|由|并|正式|左右|前后|通车|开放")
_BETWEEN_ZH: Final = lazy(
    rf"(?:[\s，]?(?:在|于|由|因)[{HAN}·]{{1,14}})?"
    r"(?:正式|首次|因病|不幸|全线|建成|对外|才|最终|全面|被|而|竣工|，|\s|中|病|始|开始)*"
)


def dates_zh(sentence: Sentence, relation: Relation) -> Iterator[StatedValue]:
    """出生于1881年; 于1881年9月25日出生; 1936年10月19日在上海逝世."""
    text = sentence.text
    for cue in find_cues_zh(relation.says["zh"]).finditer(text):
        for one in sentence.dates:
            if one.until is not None or not (
                _FOLLOWS_ZH.match(text, max(cue.end(), one.end)) or (cue[0].endswith("于") and one.end <= cue.start())
            ):
                continue
            if one.start >= cue.end():
                fits = _BEHIND_ZH.fullmatch(text, cue.end(), one.start) and sentence.heads_zh(cue.start())
            else:
                fits = one.end <= cue.start() <= one.end + 40 and _led_zh(sentence, one.end, cue.start())
            if fits:
                yield _dated(sentence, one)


def _led_zh(sentence: Sentence, start: int, at: int) -> bool:
    """Whether nothing but the subject, a place and fillers stands between a date and its verb."""
    text = sentence.text
    start = found.end() if (found := re.compile(r"[（(][^（）()]{0,20}[)）]|[)）]").match(text, start)) else start
    for first, end in sentence.mentions:
        if start <= first and end <= at:
            return not text[start:first].strip("，,《“ ") and bool(_BETWEEN_ZH.fullmatch(text[end:at].lstrip("》”")))
    pronoun = re.compile(rf"[，,](?:他|她|它|该[{HAN}]{{1,2}})").match(text, start)
    if pronoun:
        return sentence.page.about and sentence.focus and bool(_BETWEEN_ZH.fullmatch(text, pronoun.end(), at))
    return _BETWEEN_ZH.fullmatch(text, start, at) is not None and sentence.heads_zh(start)
