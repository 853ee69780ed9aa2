"""Value patterns: where a clause about the subject puts a date, a figure, a name or a place that a relation gives it.

Each pattern is tight: subject, relation and value stand in one clause, with nothing between them but prepositions,
places and hedges. What fits none is left to a reader.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.clauses import Sentence
from weiwo.nodes.executor.subject_match import Page, name_key
from weiwo.state import JsonValue
from weiwo.text.dates import DateSpan, parse_date
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation
from weiwo.text.units import CURRENCIES, to_si


@dataclass(frozen=True)
class Value:
    """A value that a line gives, in its data form and as written, with where clause and value stand in the line.

    `approximate` says that the line hedges it, `years` the years to which the line dates a figure.
    """

    value: JsonValue
    shown: str
    start: int
    end: int
    unit: str = ""
    approximate: bool = False
    years: tuple[int, ...] = ()


_UNSURE: Final = lazy(
    r"\b(?:[Pp]robably|[Pp]ossibly|[Pp]erhaps|allegedly|supposedly|reportedly|presumably|traditionally|[Ll]egends?|may"
    r"|might|rumou?red|believed|thought to|said to|disputed|uncertain|unknown|fictional|if|not|never|planned|scheduled"
    r"|expected|proposed|will|would)\b|据说|传说|相传|一说|可能|据传|疑似|大概|或许|未必|并非|预计|计划|将于|拟|如果|尚未|没有|假如"
)


def vouched(line: str, value: Value) -> bool:
    """Whether the clause that gives a value vouches for it, without "probably" or "planned"."""
    return _UNSURE.search(line[max(0, value.start - 40) : value.end]) is None


def stated_values(sentence: Sentence, relation: Relation, kind: str) -> Iterator[Value]:
    """Values of a kind (`date`, `quantity`, `agent`, `place`) that a sentence gives the subject by a relation."""
    if kind == "quantity":
        yield from _figures(sentence, relation)
        return
    if kind == "date" and relation.name in {"birth", "death"}:
        yield from _life_span(sentence, relation.name)
    if sentence.han:
        yield from _READERS_ZH[kind](sentence, relation)
    for cue in _cues(relation.says["en"], kind).finditer(sentence.folded):
        start = _predicate(sentence, cue)
        found = _READERS[kind](sentence, cue.end(), relation) if start >= 0 else None
        if found is not None:
            yield replace(found, start=min(start, found.start))
    if relation.name in _HOLDERS:
        yield from _held(sentence, relation)


_INTRANSITIVE: Final = lazy(
    "died|dies|passed away|premiered|opened|launched|came out|took place|happened|occurred|began|started|ended|lies"
)
_PARTICIPLE: Final = lazy(r"[a-z]{2,14}ed|born|built|held|set up|begun|broke out")
_DEFINITION: Final = lazy(r"(?:is|was|are|were)\s(?:an?|the)\s(?:[\w'’“”\"-]+\s){0,9}$")
_LOOSE: Final = lazy(r"\b(?:of|in|on|by|for|from|with|about|based|that|wh\w+|or|at|to|after|starring)\s")


@lru_cache(maxsize=256)
def _cues(words: tuple[str, ...], kind: str) -> re.Pattern[str]:
    """The words of a relation that may be the verb of a clause which gives such a value."""
    if kind == "agent":
        verbs = [word for word in words if word.endswith(" by")]
    else:
        verbs = [word for word in words if _INTRANSITIVE.fullmatch(word) or _PARTICIPLE.fullmatch(word)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, verbs))})\b" if verbs else "(?!)")


def _predicate(sentence: Sentence, cue: re.Match[str]) -> int:
    """Where the predicate of a verb starts whose grammatical subject is ours; -1 where it is another's."""
    text = sentence.text
    start, auxiliary = sentence.verb_start(cue.start())
    if auxiliary or _INTRANSITIVE.fullmatch(cue[0]):
        return start if sentence.governs(start) else -1
    opened = re.search(r"\s?[(,]\s?$", text[:start])
    if opened and sentence.governs(opened.start()):
        return start
    floor = max(0, start - 140)
    definition = _DEFINITION.search(text[floor:start])
    if definition and not _LOOSE.search(definition[0]) and sentence.governs(floor + definition.start()):
        return floor + definition.start()
    return 0 if start == 0 and _fronted(sentence, cue.end()) else -1


def _fronted(sentence: Sentence, at: int) -> bool:
    """Whether the subject follows an opening participle: "Born in Rome in 1950, S"."""
    first = next((start for start, _ in sentence.mentions), -1)
    if first >= 0:
        between = sentence.text[at:first]
        return (
            len(between) < 100 and between.count(",") <= 3 and re.search(r",\s(?:the\s)?[\"“]?$", between) is not None
        )
    pronoun = re.match(r"[^;()]{1,100}?,\s(?:he|she|it)\s", sentence.text[at:])
    return pronoun is not None and sentence.focus and not sentence.others


# --- dates ---

_BREAK: Final = lazy(
    r"[;:()]|\b(?:when|after|before|while|wh[oi]\w+|that|until|since|because|although|but|than|from|following|during|for"
    r"|was|were|is|had|has|are|where|if|and\s[a-z]+)\b"
)
_GAP: Final = lazy(
    r"\s?|(?:\s(?:[A-Z][\w.'’-]{1,20}\s?){1,5})?(?:,?\s(?:in|at|on|near|by|to|as|under|into|within|off)\s.{1,80}?)?"
    r"(?:,?\s(?:on|in|around|about|circa|c\.)|,)"
    r"(?:\s(?:early|late|mid-?|the year|the (?:spring|summer|autumn|winter|fall) of))?\s?"
)
_LEAD: Final = lazy(r"(?:In|On|Around|About)\s(?:early\s|late\s|the year\s)?")
_IN_PARTS: Final = frozenset(["release", "publication", "opening"])
"""Relations that may befall a thing at another time in another place."""
_PART: Final = lazy(r"\s(?:in|on|to)\s(?:the\s)?(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))[A-Z]")


def _date_after(sentence: Sentence, at: int, relation: Relation) -> Value | None:
    """The date behind a verb, or before the clause: "In 1889 S was opened"."""
    text = sentence.text
    one = next((one for one in sentence.dates if one.start >= at), None)
    if one is not None:
        gap, rest = text[at : one.start], text[one.end : one.end + 90]
        fits = one.until is None and len(gap) <= 100 and _GAP.fullmatch(gap) and not _BREAK.search(gap)
        again = _PART.search(gap) or _PART.match(rest) or re.search(r"\b(?:and|then)\b.{0,40}\d{4}", rest)
        return _dated(sentence, one) if fits and not (again and relation.name in _IN_PARTS) else None
    for one in sentence.dates[:1]:
        led = one.until is None and _LEAD.fullmatch(text[: one.start]) and text[one.end : one.end + 1] in {" ", ","}
        # "In 2010 S began efforts" is not when S began.
        if led and re.match(r"[.,;]|$|\s(?:in|at|on|with|and|by|to)\b", text[at:]):
            return _dated(sentence, one)
    return None


def _dated(sentence: Sentence, one: DateSpan) -> Value:
    shown = sentence.text[one.start : one.end]
    return Value(one.date.iso(), shown, one.start, one.end, approximate=one.approximate)


_NOT_A_LIFE: Final = lazy(r"(?i)\b(?:fl|r|reign(?:ed)?|ruled|active|before|after|between)\b\.?|在位|执政|活跃")
_BORN: Final = lazy(r"(?:\bborn\b[^,;]{0,30}[,;]?|\bb\.|生于|出生于?)\s?(?:on\s|in\s|c\.\s)?$")
_DIED: Final = lazy(r"(?:\bdied\b[^,;]{0,20}|\bd\.|卒于|逝世于)\s?(?:on\s|in\s)?$")


def _life_span(sentence: Sentence, relation: str) -> Iterator[Value]:
    """Birth or death of a life in brackets behind the subject's name: "(12 July 100 BC – 15 March 44 BC)"."""
    text = sentence.text
    first = re.search(r"[（(][^()（）]{3,200}[)）]", text[:260])
    if first is None or _NOT_A_LIFE.search(first[0]):
        return
    head, subject = text[: first.start()], sentence.page.subject
    own = any(end <= len(head) and not text[end : len(head)].strip() for _, end in sentence.mentions)
    if not own and sentence.page.titled and sentence.before is None and len(head) <= 80:
        said = subject.tokens[-1] in re.findall(r"\w+", sentence.folded[: len(head)]) or head.startswith(subject.text)
        known_as = bool(sentence.mentions) and re.search(
            r"\bborn\b|生于", first[0]
        )  # "Al Moor (born 1988), known as S"
        own = bool(said or known_as) and not re.search(r"\b(?:is|was|are|were)\b|[，。；是]", head)
    inside = [one for one in sentence.dates if own and first.start() < one.start and one.end <= first.end()]
    born = relation == "birth"
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


def _dates_zh(sentence: Sentence, relation: Relation) -> Iterator[Value]:
    """出生于1881年; 于1881年9月25日出生; 1936年10月19日在上海逝世."""
    text = sentence.text
    for cue in _cues_zh(relation.says["zh"]).finditer(text):
        for one in sentence.dates:
            if one.until is not None or not _FOLLOWS_ZH.match(text, max(cue.end(), one.end)):
                continue
            if one.start >= cue.end():
                fits = _BEHIND_ZH.fullmatch(text, cue.end(), one.start) and sentence.heads_zh(cue.start())
            else:
                fits = one.end <= cue.start() <= one.end + 40 and _led_zh(sentence, one.end, cue.start())
            if fits:
                yield _dated(sentence, one)


@lru_cache(maxsize=256)
def _cues_zh(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)")


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


# --- quantities ---

_ROUGHLY: Final = r"about|approximately|around|roughly|some|nearly|almost|over|more than|under|up to|estimated|c\.|ca\."
_TO_NUMBER: Final = lazy(
    rf"(?:\s?(?:{_ROUGHLY}|just|only|exactly|at|of|an?|the|total|overall|maximum|full|surface|land|to|that|now|currently|average"
    r"|~|≈|is|was|stood|height|length|area|depth)(?=[\s~≈$€£¥\d]))*\s?"
)
_HEDGED: Final = lazy(rf"(?i)\b(?:{_ROUGHLY})\s?(?:the\s|an?\s)?$|[~≈约近超逾]\s?$|超过\s?$|大约\s?$")
_VERB: Final = lazy(
    r"\b(?:is|was|are|stands?|stood|rises?|rose|reach(?:es|ed)|measures?|measured|stretch(?:es|ed)|extends?|extended|runs"
    r"|flows|weighs?|weighed|covers?|covered|has|had|spans?|contains|employs|employed|occupies|costs?)\b"
)
_WORDING: Final = {
    "height": (r"height|elevation|altitude", r"tall|high|in height|above (?:mean )?sea level", "(?!)"),
    "length": (r"length", r"long|in length", "(?!)"),
    "depth": (r"depth", r"deep|in depth", "(?!)"),
    "width": (r"width", r"wide|in width", "(?!)"),
    "area": (r"area", r"in area|in size", r"cover|occup"),
    "mass": (r"weight|mass", r"in weight|heavy", r"weigh"),
    "population": (r"population", r"people|inhabitants|residents", "(?!)"),
    "employees": (r"number of employees|workforce|staff|headcount", r"people|employees|staff", r"employ"),
    "price": (r"price|cost|fee", "(?!)", r"cost"),
    "revenue": (r"revenue|turnover", "(?!)", "(?!)"),
}
"""By relation: its nouns, what stands behind its figure, and the verbs that say it alone."""
_MODIFIER: Final = r"(?:(?:total|overall|maximum|current|estimated|surface|land|average)\s){0,2}"
_OWNS: Final = lazy(
    rf"(?:(?P<mine>[’']s?)|\b(?P<its>[Ii]ts)|\b(?P<has>has|had|reaches)\san?|\b(?P<with>[Ww]ith|and)\san?)\s{_MODIFIER}$"
)
_LINK: Final = lazy(r"\s?(?:,|is|was|of|at|stood at|reached|:)?(?:\s(?:is|was))?(?=[\s:])")
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


def _figures(sentence: Sentence, relation: Relation) -> Iterator[Value]:
    """Figures of the subject in the relation's dimension; ends of ranges and figures cut off are none."""
    text = sentence.text
    wording = _WORDING.get(relation.name)
    for one in sentence.numbers if wording else []:
        ahead = text[max(0, one.start - 24) : one.start]
        cut = sentence.han and re.fullmatch(r"[.…]{1,3}", text[one.end :])  # 14. of 14.1亿
        whole = not (_RANGE_BEHIND.match(text, one.end) or _RANGE_AHEAD.search(ahead) or cut)
        if not whole or not measures(one, relation):
            continue
        start = _figure_zh(sentence, one, relation) if sentence.han else -1
        if start < 0 and wording:
            start = _figure_en(sentence, one, *wording)
        if start >= 0:
            hedged = bool(_HEDGED.search(ahead)) or re.search("[多余餘]", text[one.start : one.end + 1]) is not None
            years = tuple(d.date.year for d in sentence.dates if d.date.year > 0)
            yield Value(one.value, text[one.start : one.end].strip(), start, one.end, one.unit or "", hedged, years)


def _figure_en(sentence: Sentence, one: NumberSpan, noun: str, behind: str, alone: str) -> int:
    """Where the clause starts that gives an English figure to the subject; -1 where none does."""
    text = sentence.text
    for found in re.compile(rf"\b(?:{noun})\b").finditer(text, max(0, one.start - 120), one.start):
        if _owned(sentence, found, one):
            return found.start()
    verb = next(reversed([*_VERB.finditer(text, max(0, one.start - 80), one.start)]), None)
    if verb is None or not _TO_NUMBER.fullmatch(text, verb.end(), one.start):
        return -1
    said = re.compile(rf"[\s-](?:\([^()]{{1,40}}\)\s)?(?:{behind})\b").match(text, one.end) or re.match(alone, verb[0])
    if said is None and one.unit == "person":
        said = re.search(rf"(?:{behind})$", text[one.start : one.end])
    return verb.start() if said and sentence.governs(sentence.verb_start(verb.start())[0]) else -1


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
    head = sentence.head_end
    if owner["mine"]:
        return any(end == at for _, end in sentence.mentions)
    if owner["its"]:
        return (sentence.focus or 0 < head <= at) and not sentence.others
    if owner["has"]:
        return sentence.governs(sentence.verb_start(at)[0])
    if at == 0:
        return _fronted(sentence, one.end)
    between = re.search(r",\s(?:an?|the|whose)\b|\b(?:wh\w+|that)\b", text[head:at])
    return 0 < head <= at and not sentence.others and between is None


_TO_NUMBER_ZH: Final = lazy(
    r"(?:总?[数计长]?)(?:[为是有达约超近：:\s]|大约|超过|达到|接近|共有|共|将近|逾|[（(][^()（）]{1,16}[)）])*"
)


def _figure_zh(sentence: Sentence, one: NumberSpan, relation: Relation) -> int:
    """Where the clause starts in 高828米, 全长约6300公里 or 人口为1200万; -1 where none does."""
    for cue in _cues_zh(relation.says["zh"]).finditer(sentence.text, max(0, one.start - 30), one.start):
        start = cue.start() - bool(sentence.text[cue.start() - 1 : cue.start()] in {"总", "全"})
        if _TO_NUMBER_ZH.fullmatch(sentence.text, cue.end(), one.start) and sentence.heads_zh(start):
            return start
    return -1


# --- names and places ---

_NAME_END: Final = lazy(
    r"[\"”]?(?:$|[,.;:)(]|\s(?:in|on|at|from|for|with|between|during|as|who|to|is|was|when|while|after|near|or|by|the)\b"
    r"|\s[(–—-]|\sand\s(?![A-Z]))"
)
_DESCRIBED: Final = lazy(
    r"\s?(?:the\s|an?\s)?(?:(?:[A-Z][a-z]+(?:[-–][A-Z]?[a-z]+)?\s)?(?:[a-z][\w-]+(?:\sand\s[a-z][\w-]+)?,?\s){1,4})?"
    r"(?:Sir\s|Dr\.?\s)?[\"“]?"
)
_NO_PERSON: Final = lazy(
    r"\d|\b(?:University|College|Press|Company|Inc|Corporation|Records|Studios?|Films?|Museum|County|Party|War|Church|School"
    r"|Productions|Entertainment|Books|Magazine|Times|Awards?|River)\b"
)


def _name_after(sentence: Sentence, at: int, _: Relation) -> Value | None:
    """The whole name, or names, behind "by" or "is", whatever describes it: "by the English author NAME"."""
    text = sentence.text
    described = _DESCRIBED.match(text, at)
    first = next((n for n in sentence.names if n.start in {at + 1, described.end() if described else 0}), None)
    end = first.end if first else 0
    end = _joined(sentence, end, r",\s|,?\sand\s") if first else 0
    if first is None or not _NAME_END.match(text, end) or _NO_PERSON.search(text[first.start : end]):
        return None
    return Value(text[first.start : end], text[first.start : end], first.start, end)


def _joined(sentence: Sentence, end: int, between: str) -> int:
    """Where a run of names ends that begins with the name that ends at a place."""
    for one in sentence.names:
        if one.start > end and re.fullmatch(between, sentence.text[end : one.start]):
            end = one.end
    return end


def _place_after(sentence: Sentence, at: int, _: Relation) -> Value | None:
    """The place behind "born in", a date between or none."""
    text = sentence.text
    dated = next((d for d in sentence.dates if re.fullmatch(r"\s(?:(?:on|in)\s)?(?:c\.\s)?", text[at : d.start])), None)
    lead = re.compile(r",?\s(?:in|at)\s(?:the\s(?:village|town|city)\sof\s|the\s)?").match(
        text, dated.end if dated else at
    )
    first = next((n for n in sentence.names if lead and n.start == lead.end()), None)
    if first is None or any(d.start <= first.start < d.end for d in sentence.dates):
        return None
    end = _joined(sentence, first.end, ", ")
    whole = _NAME_END.match(text, end) and not re.match(r"\s(?:for|of|to)\b", text[end:])
    return Value(text[first.start : end], text[first.start : end], first.start, end) if whole else None


_HOLDERS: Final = frozenset(["capital", "father", "mother", "author", "director"])
_OF: Final = lazy(r"(?:\s(?:city|town))?(?:\sand\s(?:[a-z]+\s){1,3}(?:city|town))?\sof\s(?:the\s)?[\"“]?")


def _held(sentence: Sentence, relation: Relation) -> Iterator[Value]:
    """The holder of a noun: "the capital of S is NAME", "NAME is the capital of S", "its author, NAME"."""
    text, found = sentence.text, None
    for cue in re.finditer(rf"\b{relation.name}\b", sentence.folded):
        before = text[: cue.start()]
        of = next((m for m in sentence.mentions if _OF.fullmatch(text[cue.end() : m[0]])), None)
        owner = re.search(r"(?:[’']s|\b[Ii]ts|\b[Hh]is|\b[Hh]er)\s$", before)
        if of and not re.match(r"[’'-]|\s[A-Z]", text[of[1] :]):
            linked = re.match(r"[”\"]?\s(?:is|was)(?=\s)", text[of[1] :])
            apposed = re.search(r"(?:,|\s(?:is|was))\sthe\s(?:[a-z]+\s){0,2}$", before)
            if linked and re.search(r"(?:^|[,;]\s)[Tt]he\s$", before):
                found = _name_after(sentence, of[1] + linked.end(), relation)
            for one in sentence.names if apposed else []:
                if apposed and one.end == apposed.start() and re.search(r"(?:^|[;,]\s|\band\s)$", text[: one.start]):
                    found = Value(one.text, one.text, one.start, of[1])
        elif owner:
            mine = any(end == owner.start() for _, end in sentence.mentions)
            understood = sentence.focus and before[owner.start()].isalpha() and _OPENS.search(before[: owner.start()])
            linked = re.match(
                r"(?:\sand\s(?:[a-z]+\s){1,3}city)?(?:,|\s(?:is|was)(?:\snamed)?)(?=\s)", text[cue.end() :]
            )
            found = (
                _name_after(sentence, cue.end() + linked.end(), relation) if linked and (mine or understood) else None
            )
        if found:
            yield found


_OPENS: Final = lazy(r"(?:^|[,;]\s)$")
_ROLE_ZH: Final = lazy(
    rf"^[{HAN}、]{{0,14}}?(?:[小说作诗画专音文思史科化物数发建企艺]{{0,2}}家|诗人|导演|[建筑工程设计]{{2}}师|皇帝|国王|医生|学者|词人|教授|博士)"
    rf"(?=[{HAN}]{{2}})"
)


def _agents_zh(sentence: Sentence, relation: Relation) -> Iterator[Value]:
    """《S》的作者是NAME; S由NAME创作; NAME是《S》的作者."""
    text = sentence.text
    cue = "|".join(word for word in relation.says["zh"] if word != "由") or "(?!)"
    found = [*re.finditer(rf"(?:{cue})(?:是|为|：|:|叫)(?P<name>[^，。；：（）()《》]{{2,24}})(?=[，。；（(]|$)", text)]
    doer = rf"由(?P<name>[^，。；：（）()《》由]{{2,24}}?)(?:于[^，。；]{{1,16}})?(?:所|共同)?(?:{cue})(?=[，。；的]|$)"
    found += re.finditer(doer, text)
    found = [one for one in found if sentence.heads_zh(one.start() - (text[one.start() - 1 : one.start()] == "的"))]
    for start, end in sentence.mentions:
        held = re.match(rf"[》”]?的?(?:{cue})(?=[，。；]|$)", text[end:])
        named = re.search(
            r"(?:^|[，。；])(?P<name>[^，。；：（）()《》的是]{2,20})[是为，]$", text[:start].rstrip("《“")
        )
        found += [named] if held and named else []
    for one in found:
        role = _ROLE_ZH.match(one["name"])
        value = one["name"][role.end() if role else 0 :]
        dotted = re.fullmatch(rf"[{HAN}]{{1,8}}(?:[·・•][{HAN}]{{1,8}})+", value)
        if dotted or any(n.text == value for n in (*sentence.names, *names(value))):
            yield Value(value, value, one.start(), one.end())


_NO_PLACE_ZH: Final = lazy(r"家庭|世家|书香|[一年月日与和及]|[家后时症病]$|^[是了在]")


def _places_zh(sentence: Sentence, relation: Relation) -> Iterator[Value]:
    """出生于浙江绍兴; 1881年9月25日出生于绍兴; 总部设在上海."""
    if relation.name in {"birth", "death", "location", "headquarters"}:
        cue = "|".join(word for word in relation.says["zh"] if word != "国家")
        for one in re.finditer(
            rf"(?:{cue})(?:设?在|位于|于)?(?P<name>[{HAN}·]{{2,14}}?)(?=[，。；（(]|$|的|一[个户])", sentence.text
        ):
            if not _NO_PLACE_ZH.search(one["name"]) and sentence.heads_zh(one.start()):
                yield Value(one["name"], one["name"], *one.span())
    yield from _agents_zh(sentence, relation)


_Reader = Callable[[Sentence, int, Relation], Value | None]
_READERS: Final[dict[str, _Reader]] = {"date": _date_after, "agent": _name_after, "place": _place_after}
_READERS_ZH: Final = {"date": _dates_zh, "agent": _agents_zh, "place": _places_zh}


# --- records ---

_KEYED: Final = lazy(
    r"(?:[-*+•][ \t])?\**(?P<key>[^\s:：|*#][^:：|，。*\n]{0,40}?)\**[:：]\**[ \t]*(?P<value>\S.{0,200})$"
)
_NAME_KEYS: Final = frozenset(["name", "title", "名称", "姓名", "名字", "标题", "item", "product"])
_KEY_UNIT: Final = lazy(r"\s?[(（\[](?P<unit>[^()（）\[\]]{1,12})[)）\]]$")


def recorded_values(page: Page, relation: Relation, kind: str) -> Iterator[tuple[Value, str]]:
    """Values that table rows, CSV rows and keyed lines give the subject under the relation's own word, and the line."""
    rows = [line.strip() for line in page.text.splitlines() if line.strip()]
    keyed = [found for line in rows if len(line) < 300 and (found := _KEYED.match(line))]
    owners = [name_key(one["value"]) for one in keyed if one["key"].strip().lower() in _NAME_KEYS]
    if owners == [page.subject.key] if owners else page.titled:
        yield from (pair for one in keyed for pair in _cell(one["key"], one["value"], one[0], relation, kind))
    header: list[str] = []
    for line in rows:
        cells = _cells(line, header)
        if page.titled and len(cells) == 2:
            yield from _cell(cells[0], cells[1], line, relation, kind)
        elif header and len(cells) == len(header) and name_key(cells[0]) == page.subject.key:
            for key, cell in zip(header[1:], cells[1:], strict=True):
                yield from _cell(key, cell, line, relation, kind)
        header = (header or cells) if cells else []


def _cells(line: str, header: list[str]) -> list[str]:
    """The cells of a table row, or of a CSV line below its header; none for prose."""
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("|").split("|")]
    for mark in ("\t", ",", ";"):
        cells = [cell.strip() for cell in line.split(mark)]
        if len(cells) > 1 and (len(cells) == len(header) if header else cells[0].lower() in _NAME_KEYS):
            return cells
    return []


def _cell(key: str, cell: str, line: str, relation: Relation, kind: str) -> Iterator[tuple[Value, str]]:
    """The value of a cell, if its key is the relation's own word and the value is of the kind."""
    unit = _KEY_UNIT.search(key)
    word = (key[: unit.start()] if unit else key).strip().lower().replace("_", " ")
    word = re.sub(r"日期|时间| date$| year$", "", word)
    words = [*relation.asks.values(), *relation.says.values(), tuple(relation.noun.values())]
    own = {one for group in words for one in group}
    shown = f"{cell} {unit['unit']}" if unit else cell.strip("* ")
    if word not in own - {"in", "by"} or not shown:
        return
    if kind == "date":
        try:
            yield Value(parse_date(shown).iso(), shown, 0, len(line)), line
        except ValueError:
            return
    elif kind == "quantity":
        found = find_numbers(shown)
        if len(found) == 1 and measures(found[0], relation):
            yield Value(found[0].value, shown, 0, len(line), found[0].unit or ""), line
    elif len(shown) <= 60 and not re.search(r"[.!?。！？；;]\s|\d", shown):
        yield Value(shown, shown, 0, len(line)), line


__all__ = ["Value", "recorded_values", "stated_values", "vouched"]
