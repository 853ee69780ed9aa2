"""How surely a value in a sentence is the one asked for: by the words that say so, and how near they stand."""

import re
from collections.abc import Sequence
from typing import Final

from nodes.rules.reading.another import befell
from nodes.rules.reading.asked import Asked
from nodes.rules.reading.binding import binding
from nodes.rules.reading.relations import Relation
from nodes.rules.reading.standing import View
from nodes.rules.words import coverage, stem, terms
from text.language import HAN, fold
from text.patterns import lazy

OTHERWISE: Final = 0.985
"""What is left of a date's score where another word tells of the event than the question's."""
_WORD: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+(?:['’-][^\W_{HAN}]+)*")
_CLAUSE: Final = lazy(
    r"[,;，；。:：()（）]|、(?!\d)|\b(?:and|but|while|then|(?:before|after)(?! ?,)|until|which|who)\b"
)
_OTHER_EVENTS: Final = lazy(
    r"(?i)\b(?:born|died|dies|killed|assassinated|founded|opened|completed|published|released|premiered|began|ended|"
    r"moved|renamed|married|crowned|elected|reopened|renovated|restored|destroyed|rebuilt|appointed|awarded|won|graduated|"
    r"bapti[sz]ed|christened|ordained|enthroned|buried|interred|canoni[sz]ed|beatified|knighted|arrested|executed|"
    r"retired|resigned|emigrated|engaged|divorced|enlisted|recorded|launched|demolished|abandoned|inaugurated|"
    r"consecrated|incorporated|acquired|dissolved)\b"
    r"|出生|去世|逝世|病逝|成立|创办|创立|动工|开工|兴建|建成|落成|完工|竣工|通车|开放|发表|出版|上映|即位|登基|毕业|获得|迁|改名|更名|当选|结婚"
    r"|受洗|洗礼|加冕|册封|下葬|安葬|被捕|入狱|退休|辞职|移居|离婚|订婚|首播|首演|拆除|停办|解散|启用|奠基|封顶"
)


def cues(asked: Asked, view: View) -> list[tuple[int, int, float]]:
    """Where the sentence says what is asked: spans with how surely they do."""
    relation = asked.relation
    found: list[tuple[int, int, float]] = []
    if relation is not None:
        found += [(m.start(), m.end(), 1.0) for m in relation.cues.finditer(view.sentence)]
        if found:
            return found[:40]
    words = set(asked.words)
    if relation is None or relation.measure:
        for word in _WORD.finditer(view.sentence):
            hit = words & set(terms(word.group()))
            if hit:
                found.append((word.start(), word.end(), 0.9 if relation is None else 0.5))
    if not found and relation is None and not words:
        # An event is its own cue: "When was the Battle of Hastings?"
        found += [(start, end, 0.8) for start, end in view.mentions]
        if not found and view.about < 0.85 and not view.carried:
            found.append((0, len(view.sentence), 0.7))
    return found[:40]


def _share(asked: Asked, view: View) -> float:
    """Share of the question's further words in the sentence; 奥运 also counts where 奥林匹克运动 is written out."""
    if not asked.words:
        return 1.0
    present = {*view.terms, *terms(view.title)}
    spelt_out = [
        word
        for word in asked.words
        if word not in present
        and len(word) == 2
        and not word.isascii()
        and re.search(f"{word[0]}[{HAN}]{{1,4}}{word[1]}", view.sentence)
    ]
    return coverage(asked.words, {*present, *spelt_out})


def weigh(asked: Asked, view: View, found: Sequence[tuple[int, int, float]], start: int, end: int) -> float:
    """How surely the value at `start:end` is what the question asks for."""
    relation = asked.relation
    share = _share(asked, view)
    if not found:
        # A number in the asked unit needs no further word: "a tower of 330 metres".
        if (
            relation is not None
            and relation.measure in {"length", "area"}
            and relation.name not in {"depth", "width", "distance"}
        ):
            return 0.5 * view.about * binding(view, start, end) * (0.4 + 0.6 * share)
        return 0.0
    best = 0.0
    strict = relation is not None and relation.life is not None
    for left, right, weight in found:
        near = _proximity(view.sentence, left, right, start, end, relation)
        mine = binding(view, left, right, strict=strict)
        if relation is not None and relation.kind == "date" and not strict:
            mine = min(mine, befell(view, left, relation)) * _as_asked(asked, view.sentence[left:right])
        best = max(best, weight * near * mine)
    if relation is None:
        # Nothing but the question's own words vouches for the value.
        best *= 1.0 if share >= 0.99 else (0.8 * share if share >= 0.45 else 0.0)
    else:
        best *= 0.35 + 0.65 * share
    return best * view.about * timely(asked, view, start) * ranked(asked, view)


def _as_asked(asked: Asked, cue: str) -> float:
    """A little less than 1 where another word tells of the event: "opened" where "founded" is asked."""
    same = cue in asked.text or any(stem(fold(word)) in asked.all_words for word in cue.split())
    return 1.0 if same else OTHERWISE


_RANK: Final = lazy(
    r"(?i)(?<=\bthe )(?:first|second|third|last|\w{3,}est)(?= [a-z])|"
    r"首[任位届个]|第[一二三四五六七八九十\d]+[任届位代个]|"
    r"最[高大长早晚小短深重多少远]"
)


def ranked(asked: Asked, view: View) -> float:
    """A question for the first or the largest is not answered by a sentence about any of them."""
    rank = _RANK.search(asked.text)
    return 1.0 if rank is None or rank.group().casefold() in view.sentence.casefold() else 0.55


_YEAR: Final = lazy(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")


def timely(asked: Asked, view: View, position: int) -> float:
    """How well a value fits the year that the question names: by the year before it, or else by the passage's."""
    if not asked.years:
        return 1.0
    here = [int(m.group()) for m in _YEAR.finditer(view.sentence)]
    before = [int(m.group()) for m in _YEAR.finditer(view.sentence, 0, position)]
    if here:
        if before:
            return 1.0 if before[-1] in asked.years else (0.6 if set(before) & set(asked.years) else 0.35)
        return 0.9 if set(here) & set(asked.years) else 0.5
    around = {int(year) for year in _YEAR.findall(view.passage.text[max(0, view.start - 3_000) : view.start + 3_000])}
    if view.passage.date:
        around.add(int(view.passage.date[:4])) if view.passage.date[:4].isdigit() else None
    return 0.95 if around & set(asked.years) else (0.6 if around else 0.8)


_BRACKET: Final = lazy("[(（][^()（）]*[)）]")
_LOOSE_ADVERBIAL: Final = lazy(r", (?:probably |perhaps |possibly )?(?:on|in|about|around)? ?$")
"""What leads to a date behind a comma: "born the day before, on 16 December"."""
_STANDS_ALONE: Final = lazy(r"\s*(?:[.,;)]|$)")
_NEW_CLAUSE: Final = lazy(
    r"[,;，；。（）()]|\b(?:and|but|while|whereas|then|which|who|whose|where|when|though|although|before|after|until)\b"
)
_ONLY_LEADS: Final = lazy(r"(?i)\s*(?:on|in|at|by|about|around|early|late|of|the|year|[于在至到约年])?\s*")


def of_another_event(view: View, found: Sequence[tuple[int, int, float]], start: int, end: int) -> bool:
    """Whether a date is that of something else: its own clause tells of another event, and not of what is asked.

    Args:
        view: The sentence.
        found: Where it says what is asked, from `cues`.
        start: Start of the date, in the sentence.
        end: Its end.
    """
    sentence = view.sentence
    left = max((cut.end() for cut in _NEW_CLAUSE.finditer(sentence, 0, start)), default=0)
    cuts = [cut.start() for cut in _NEW_CLAUSE.finditer(sentence, end)]
    right = cuts[0] if cuts else len(sentence)
    if _ONLY_LEADS.fullmatch(sentence, left, start) and _ONLY_LEADS.fullmatch(sentence, end, right):
        # "In 1902, she married": a date by itself belongs to what follows, or else to what it follows.
        right = cuts[1] if len(cuts) > 1 else len(sentence)
    if any(left <= a and b <= right for a, b, _ in found):
        return False
    return _OTHER_EVENTS.search(sentence, left, right) is not None


def _proximity(sentence: str, left: int, right: int, start: int, end: int, relation: Relation | None) -> float:
    """1 within one clause, less with every clause and every other event between a cue and a value."""
    if left < end and start < right:
        return 1.0
    after = start >= right
    between = sentence[right:start] if after else sentence[end:left]
    between = _BRACKET.sub("", between)
    if after and _STANDS_ALONE.match(sentence, end):
        between = _LOOSE_ADVERBIAL.sub("", between)
    clauses = len(_CLAUSE.findall(between))
    near = (1.0, 0.85, 0.68, 0.55, 0.45)[min(clauses, 4)]
    others = sum(
        1 for found in _OTHER_EVENTS.finditer(between) if relation is None or not relation.cues.search(found.group())
    )
    near *= 0.3 ** min(others, 2)
    if re.search(r"\b(?:not|never|no)\b|没有|尚未|并未|未(?:公布|定|能)", between):
        near *= 0.4
    # In English a date follows what happened, in Chinese it stands before.
    chinese = bool(re.search(f"[{HAN}]", sentence[left:right]))
    natural = after != chinese
    near *= 1.0 if natural else 0.93
    if _followed_by_other_event(sentence, end, relation, after=after):
        near *= 0.6 if not chinese else 0.35
    return near * max(0.5, 1 - len(between) / 600)


def _followed_by_other_event(sentence: str, end: int, relation: Relation | None, *, after: bool) -> bool:
    """Whether the value's own clause goes on to another event: "born in London, in 1880 he moved"."""
    if not after:
        return False
    rest = sentence[end : end + 60]
    cut = re.search(r"[,;，；。.]", rest)
    clause = rest[: cut.start()] if cut else rest
    found = _OTHER_EVENTS.search(clause)
    if not found or (relation is not None and relation.cues.search(found.group())):
        return False
    return not re.match(r"\s*(?:and|or|but|to|until)\b", clause)
