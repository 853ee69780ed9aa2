"""Places in sentences about a subject: where something is, was born, flows, was held; in which country or state."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.binding import binding
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.phrases import Span, after, own_names
from nodes.rules.reading.places import (
    country_of_adjective,
    find_adjectives,
    find_countries,
    find_states,
    is_country,
    is_us_state,
)
from nodes.rules.reading.standing import View
from nodes.rules.reading.subject import Subject
from nodes.rules.words import coverage, terms
from text.dates import find_dates
from text.language import HAN
from text.patterns import lazy

_IN: Final = lazy(
    r"(?i)\b(?:in|at|near|on|from|to|outside|within|into|of|for)\s+(?:the\s+)?(?:[\w'-]+\s+){0,5}?[\"“]?$"
)
_DIRECT_IN: Final = lazy(
    r"(?i)\b(?:in|at|near|from|outside|within)\s+(?:the\s+)?(?:(?:city|town|village|port|suburb|"
    r"state|county|province|district) of )?(?:the )?$"
)
_IN_ZH: Final = lazy(
    r"(?:位于|坐落[于在]|出生[于在]|生于|生在|诞生于|病逝于|逝世于|死于|卒于|葬[于在]|安葬[于在]|注入|汇入|流入|发源于|源于|前往|定都|建都|总部设?[在于]|落户|(?<![公正存处所现])在|(?<![由对关至等属])于|从|由|流经|地处|横跨|跨越?|藏于|收藏于)"
)
_PLACE_ZH: Final = lazy(
    rf"(?P<v>[{HAN}·A-Za-z（）]{{2,24}}?)(?=出生|诞生|去世|逝世|病逝|遇刺|举行|举办|召开|召开|开幕|成立|建成|创办|创立|设立|动工|的(?!主|中)|，|。|；|、|（|\(|$|\s|以|与|和|是|发生|注入|登陆|进行|开|河畔|之|下游|上游|境内|坠毁|附近|起|为|拍摄|发|上映|工作|就读|任)"
)
_NOT_PLACE_ZH: Final = lazy(
    r"[\d年月日]|^(?:此|这|那|其|他|她|它|同|当|一|全|该|今|我|世界|历史|同时|期间)|(?:时|后|前|中|下|期间|以来|方面|基础|时候|过程)$"
)
_BIRTHPLACE_ZH: Final = lazy(rf"(?:，|是|、|）|为)(?P<v>[{HAN}（）]{{2,12}}?)人(?=[，。、；]|$)")


def locations(asked: Asked, subject: Subject, views: Iterable[View]) -> Iterator[Candidate]:
    """Places that may answer the question; their values are the passage's words."""
    for view in views:
        if asked.kind == "country":
            found = list(_countries(asked, view))
        elif asked.kind == "state":
            found = list(_states(view))
        else:
            found = list(_placed(asked, view))
        for span, text, score in found:
            if subject.same(text) or set(terms(text)) <= set(asked.all_words):
                continue
            share = coverage(asked.words, {*view.terms, *terms(view.title)}) if asked.words else 1.0
            total = (
                score * view.about * (0.4 + 0.6 * share if asked.relation else (0.85 * share if share >= 0.5 else 0))
            )
            if total:
                yield Candidate(text, total, view, *span)


def _cues(asked: Asked, view: View) -> list[Span]:
    if asked.relation is not None:
        return [m.span() for m in asked.relation.cues.finditer(view.sentence)][:20]
    wanted = set(asked.words)
    return [
        m.span() for m in re.finditer(rf"[^\W_{HAN}]+|[{HAN}]{{2}}", view.sentence) if wanted & set(terms(m.group()))
    ][:20]


def _countries(asked: Asked, view: View) -> Iterator[tuple[Span, str, float]]:
    """A country named in the sentence; where none is, the one its adjective speaks of ("a Colombian writer")."""
    named = find_countries(view.sentence)
    cues = _cues(asked, view)
    location = asked.relation is None or asked.relation.name in {
        "country",
        "location",
        "citizenship",
        "part",
        "founding",
    }
    for span in named:
        near = max((_near(view, cue, span) for cue in cues), default=0.0)
        score = 0.95 * near if cues else 0.0
        if location:
            head = 0.95 if view.mentions or view.carried else 0.6
            score = max(score, head * _first(view, span))
        yield span, view.sentence[slice(*span)], score
    if named and (cues or not location):
        return
    if location or (asked.relation is not None and asked.relation.name in {"birth", "publication"}):
        for span in find_adjectives(view.sentence)[:4]:
            country = country_of_adjective(view.sentence[slice(*span)])
            if country and (view.start < 200 or view.mentions):
                yield span, country, (0.75 if location else 0.5) * _first(view, span) * (0.7 if named else 1.0)


def _first(view: View, span: Span) -> float:
    """A factor for place: definitions come first, as in "S is a village in Y, Sri Lanka"."""
    early = 1.0 if view.place == 0 or view.titled >= 0.6 else 0.85
    opening = 1.0 if view.start <= 160 else 0.75
    distance = max(0, span[0] - (view.mentions[0][1] if view.mentions else 0))
    return early * opening * max(0.6, 1 - distance / 500)


def _near(view: View, cue: Span, span: Span) -> float:
    left, right = cue
    between = view.sentence[right : span[0]] if span[0] >= right else view.sentence[span[1] : left]
    breaks = len(re.findall(r"[;；。]|\b(?:and|but|who|which|when|while)\b", between))
    own = binding(view, left, right)
    return own * (0.6 ** min(breaks, 4)) * max(0.3, 1 - len(between) / 200) * (1.0 if span[0] >= right else 0.85)


def _states(view: View) -> Iterator[tuple[Span, str, float]]:
    for span in find_states(view.sentence):
        inside = any(a <= span[0] and span[1] <= b for a, b in view.mentions)
        yield span, view.sentence[slice(*span)], (0.6 if inside else 0.95) * _first(view, span)


def _placed(asked: Asked, view: View) -> Iterator[tuple[Span, str, float]]:
    """Places behind a preposition, the nearer to the word that carries the relation the better."""
    cues = _cues(asked, view)
    if asked.noun[:1] in _SORTS_ZH:
        yield from _of_sort_zh(asked.noun[:1], view, cues)
        return
    chinese = bool(re.search(f"[{HAN}]", view.sentence))
    if chinese:
        yield from _placed_zh(asked, view, cues)
        if not re.search(r"[A-Za-z]{3}", view.sentence):
            return
    located = asked.relation is not None and asked.relation.name == "location"
    yield from _life_bracket(asked, view)
    for name in own_names(view):
        lead = view.sentence[max(0, name.start - 60) : name.start]
        direct = _DIRECT_IN.search(lead)
        if not direct and not (_IN.search(lead) and not re.search(r"(?i)\b(?:of|for|to) (?:the )?$", lead)):
            continue
        spans = after(view, name.start, "place")
        span = spans[0] if spans else (name.start, name.end)
        text = view.sentence[slice(*span)]
        if asked.kind == "city" or (asked.noun in {"city", "town"}):
            text = text.split(",")[0]
            span = (span[0], span[0] + len(text))
            if is_country(text) or is_us_state(text):
                continue
        if asked.noun and asked.noun not in {"city", "town", "place", "location"}:
            score_noun = 1.0 if asked.noun.split()[-1] in view.sentence[span[0] : span[1] + 12].casefold() else 0.45
        else:
            score_noun = 1.0
        near = max((_near(view, cue, span) for cue in cues), default=0.0)
        if located:
            near = max(near, 0.9 * _first(view, span))
        yield span, text, near * (0.95 if direct else 0.7) * score_noun


_PLACE_END: Final = lazy(
    "[省市县区州镇村国岛湾港站馆山河江湖海城路街院校园厅堂宫寺庙洋峡谷原漠庄乡洲]$|大学|广场|中心|机场|体育场|北京|上海|天津|重庆|香港|澳门|台湾|河北|山西|辽宁|吉林|黑龙江|"
    "江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|南京|西安|广州|深圳|杭州|成都|武汉|东京|巴黎|伦敦|纽约"
)


def _placelike(view: View, start: int, end: int) -> float:
    """How much Chinese text looks like a place."""
    text = view.sentence[start:end]
    if _PLACE_END.search(text) or find_countries(text):
        return 1.0
    if any(start <= n.start and n.end <= end for n in view.names):
        return 0.9
    return 0.35


_LIFE: Final = lazy(r"[(（](?P<life>[^()（）]{6,160})[)）]")


def _life_bracket(asked: Asked, view: View) -> Iterator[tuple[Span, str, float]]:
    """Places beside the dates of a life: "(24 October 1650, Middelburg – 23 February 1704, Amsterdam)"."""
    if asked.relation is None or asked.relation.life is None:
        return
    for bracket in list(_LIFE.finditer(view.sentence))[:3]:
        owners = [m for m in view.mentions if m[1] <= bracket.start() <= m[1] + 60]
        if not owners and not (view.carried and bracket.start() <= 80):
            continue
        dash = re.search(r"\s[–—-]\s|[–—－]", bracket["life"])
        start, end = bracket.span("life")
        middle = start + dash.start() if dash else end
        start, end = ((start, middle), (middle, end))[asked.relation.life]
        if not re.search(r"\d", view.sentence[start:end]):
            continue
        for name in view.names:
            if start <= name.start and name.end <= end and not find_dates(name.text):
                yield (name.start, name.end), name.text, 0.85
                break


_SORTS_ZH: Final = {
    "河": "河江",
    "江": "河江",
    "山": "山峰岭",
    "湖": "湖",
    "海": "海洋",
    "岛": "岛",
    "省": "省",
    "市": "市",
    "州": "州",
    "县": "县",
}


def _of_sort_zh(sort: str, view: View, cues: list[Span]) -> Iterator[tuple[Span, str, float]]:
    """Names of the sort asked for: 哪条河 is answered by 塞纳河 and 长江, not by the region they flow through."""
    taken = -1
    for last in re.finditer(rf"[{_SORTS_ZH[sort]}](?!流|段|道|大?桥)", view.sentence):
        clause = re.search(rf"[{HAN}]*$", view.sentence[taken + 1 : last.start()])
        start = last.start() - len(clause.group() if clause else "")
        inside = [m[1] for m in view.mentions if start < m[1] <= last.start()]
        start = max([start, *inside])
        marks = list(_BEFORE_SORT_ZH.finditer(view.sentence, start, last.start()))
        start = marks[-1].end() if marks else start
        if not 1 <= last.start() - start <= _LONGEST_SORT:
            continue
        taken = last.start()
        span = start, last.end()
        near = max((_near(view, cue, span) for cue in cues), default=0.6 * view.about)
        yield span, view.sentence[slice(*span)], 0.95 * near


_BEFORE_SORT_ZH: Final = lazy("横跨|跨越|流经|沿着?|[的在于经过、入是到向和与及跨为由临]")
_LONGEST_SORT: Final = 7


def _placed_zh(asked: Asked, view: View, cues: list[Span]) -> Iterator[tuple[Span, str, float]]:
    sentence = view.sentence
    strict = asked.relation is not None and asked.relation.life is not None
    for preposition in list(_IN_ZH.finditer(sentence))[:30]:
        found = _PLACE_ZH.match(sentence, preposition.end())
        if not found or _NOT_PLACE_ZH.search(found["v"]):
            continue
        start, end = found.span("v")
        cue_near = 0.0
        for left, right in cues:
            inside = left < preposition.end() and right > preposition.start()
            between = sentence[right:start] if start >= right else sentence[end:left]
            breaks = len(re.findall("[，；。]", between))
            near = 1.0 if inside else (0.6**breaks) * max(0.3, 1 - len(between) / 80)
            cue_near = max(cue_near, near * binding(view, left, right, strict=strict))
        verb = preposition.group() in {"位于", "坐落于", "坐落在", "地处"}
        located = asked.relation is not None and asked.relation.name == "location"
        if located and verb:
            cue_near = max(cue_near, 0.95 * binding(view, *preposition.span()))
        yield (start, end), found["v"], cue_near * (0.95 if strict else 0.95 * _placelike(view, start, end))
    if asked.relation is not None and asked.relation.name in {"birth", "citizenship"}:
        for found in _BIRTHPLACE_ZH.finditer(sentence):
            if not re.search(r"[家诗词军]$|本|有$|之$", found["v"]):
                yield found.span("v"), found["v"], 0.75
