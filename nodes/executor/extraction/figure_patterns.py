"""Figure patterns: where a clause about the subject puts a figure in the dimension of a relation."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence, find_cues_zh, is_fronted
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.text.data_files import data_pattern, data_rows
from weiwo.text.numbers import NumberSpan
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation
from weiwo.text.units import CURRENCIES, to_si

_ROUGHLY: Final = r"about|approximately|around|roughly|some|nearly|almost|over|more than|under|up to|estimated|c\.|ca\."
_TO_NUMBER: Final = lazy(
    rf"(?:\s?(?:{_ROUGHLY}|just|only|exactly|at|of|an?|the|total|overall|maximum|full|surface|land|to|that|now|currently|average"
    r"|~|≈|is|was|stood|height|length|area|depth)(?=[\s~≈$€£¥\d]))*\s?"
)
_HEDGED: Final = lazy(rf"(?i)\b(?:{_ROUGHLY})\s?(?:the\s|an?\s)?$|[~≈约近超逾]\s?$|超过\s?$|大约\s?$")
_VERB: Final = data_pattern("extraction", "figure_patterns", "verb")
_IS_THE: Final = (
    r"(?:(?:it|(?:the\s)?(?:[A-Z][\w'’-]{0,30}\s?){1,5})\s)?is\s(?:one\sof\s)?(?:the|[\w ]{1,30}['’]s)\s(?:\w{1,12}-)?"
)
_COUNTED: Final = frozenset(["population", "employees"])
_ALL: Final = data_pattern("extraction", "figure_patterns", "all")
"""What may follow a count of all people of a place or firm; "of Greek origin" counts some."""
_NEVER: Final = "(?!)"


@cache
def _wordings() -> dict[str, tuple[str, ...]]:
    """By relation, a pattern for each column: none matches where a cell is empty."""
    rows = data_rows("extraction", "figure_patterns", "rows")
    return {name: tuple(cell.replace(", ", "|") or _NEVER for cell in cells) for name, *cells in rows}


_MODIFIER: Final = r"(?:(?:total|overall|maximum|current|estimated|surface|land|average)\s){0,2}"
_OWNS: Final = lazy(
    rf"(?:(?P<mine>[’']s?)|\b(?P<its>[Ii]ts)|\b(?P<has>has|had|reaches)\san?|\b(?P<with>[Ww]ith|and)\san?)\s{_MODIFIER}$"
)
_LINK: Final = data_pattern("extraction", "figure_patterns", "link")
_RANGE_AHEAD: Final = lazy(r"\d\s?\S{0,3}(?:[–~～-]|\bto|\bor|\band|至|到|或)\s?$")
_RANGE_BEHIND: Final = lazy(r"\s?(?:[–~～-]|to|or|and|至|到|或)\s?\d")


def measures(one: NumberSpan, relation: Relation) -> bool:
    """Whether a number may be a figure of the relation's dimension, by its unit."""
    base = to_si(1, one.unit) if one.unit else None
    wanted = {"length": "m", "area": "m²", "mass": "kg"}.get(relation.dimension)
    if wanted or one.percent or base:
        return wanted is not None and base is not None and base[1] == wanted
    if relation.dimension == "money":
        return one.unit in {*CURRENCIES.values(), "JPY"}
    return relation.dimension in {"people", "count"} and one.unit in {None, "person"} and one.value >= 1


def stated_figures(sentence: Sentence, relation: Relation) -> Iterator[StatedValue]:
    """Figures of the subject in the relation's dimension; ends of ranges and figures cut off are none."""
    text = sentence.text
    wording = _wordings().get(relation.name)
    for one in sentence.numbers if wording else []:
        ahead = text[max(0, one.start - 24) : one.start]
        cut = sentence.han and re.fullmatch(r"[.…]{1,3}", text[one.end :])  # 14. of 14.1亿
        whole = not (_RANGE_BEHIND.match(text, one.end) or _RANGE_AHEAD.search(ahead) or cut)
        if not whole or not measures(one, relation):
            continue
        start = _figure_zh(sentence, one, relation) if sentence.han else -1
        start = _figure_en(sentence, one, relation.name) if start < 0 else start
        if start >= 0:
            hedged = bool(_HEDGED.search(ahead)) or re.search("[多余餘]", text[one.start : one.end + 1]) is not None
            years = tuple(d.date.year for d in sentence.dates if d.date.year > 0)
            yield StatedValue(
                one.value, text[one.start : one.end].strip(), start, one.end, one.unit or "", hedged, years
            )


def _figure_en(sentence: Sentence, one: NumberSpan, relation: str) -> int:
    """Where the clause starts that gives an English figure to the subject; -1 where none does."""
    text = sentence.text
    noun, behind, superlative, alone, _ = _wordings()[relation]
    for found in re.compile(rf"\b(?:{noun})\b").finditer(text, max(0, one.start - 120), one.start):
        if _owned(sentence, found, one):
            return found.start()
    verb = next(reversed([*_VERB.finditer(text, max(0, one.start - 80), one.start)]), None)
    if verb is None or not _TO_NUMBER.fullmatch(text, verb.end(), one.start):
        return -1
    aside = r"(?:\s\([^()]{1,60}\))?"
    said = (
        re.compile(rf"{aside}[\s-](?:{behind})\b").match(text, one.end)
        or re.compile(rf"{aside},\s{_IS_THE}(?:{superlative})\b").match(text, one.end)
        or (re.fullmatch(alone, verb[0]) and re.compile(rf"{aside}(?:[,.;]|$|\sand\b)").match(text, one.end))
        or (one.unit == "person" and re.search(rf"(?:{behind})$", text[one.start : one.end]))
    )
    said = said if relation not in _COUNTED or _ALL.match(text, one.end) else None
    start = sentence.verb_start(verb.start())[0]
    ours = sentence.governs(start) or (start == 0 and is_fronted(sentence, one.end))
    return verb.start() if said and ours else -1


def _owned(sentence: Sentence, noun: re.Match[str], one: NumberSpan) -> bool:
    """Whether a noun such as "length" is the subject's, and the figure the noun's."""
    text = sentence.text
    of = next((m for m in sentence.mentions if re.fullmatch(r"\sof\s(?:the\s)?[\"“]?", text[noun.end() : m[0]])), None)
    link = _LINK.match(text, of[1] if of else noun.end())
    if link is None or not _TO_NUMBER.fullmatch(text, link.end(), one.start):
        return False
    owner = _OWNS.search(text[max(0, noun.start() - 60) : noun.start()])
    if of or owner is None:
        return of is not None
    at = max(0, noun.start() - 60) + owner.start()
    head, named = sentence.head_end, any(start < one.start for start, _ in sentence.others)
    if owner["mine"]:
        return any(end == at for _, end in sentence.mentions)
    if owner["its"]:
        return (sentence.focus or 0 < head <= at) and not named
    if owner["has"]:
        return sentence.governs(sentence.verb_start(at)[0])
    if at == 0:
        return is_fronted(sentence, one.end)
    between = re.search(r",\s(?:an?|the|whose)\b|\b(?:wh\w+|that)\b", text[head:at])
    return 0 < head <= at and not named and between is None


_TO_NUMBER_ZH: Final = data_pattern("extraction", "figure_patterns", "to_number_zh")


def _figure_zh(sentence: Sentence, one: NumberSpan, relation: Relation) -> int:
    """Where the clause starts in 高828米, 全长约6300公里 or 人口为1200万; -1 where none does."""
    for cue in find_cues_zh(relation.says["zh"]).finditer(sentence.text, max(0, one.start - 30), one.start):
        start = cue.start() - bool(sentence.text[cue.start() - 1 : cue.start()] in {"总", "全"})
        if _TO_NUMBER_ZH.fullmatch(sentence.text, cue.end(), one.start) and sentence.heads_zh(start):
            return start
    counted = re.compile(rf"[名位个人]{{0,2}}(?:{_wordings()[relation.name][4]})(?=[，。；、]|$)").match(
        sentence.text, one.end
    )
    has = re.compile(r"(?:现|共|拥)?有[超近约逾]?$").search(sentence.text, max(0, one.start - 6), one.start)
    return has.start() if counted and has and sentence.heads_zh(has.start()) else -1
