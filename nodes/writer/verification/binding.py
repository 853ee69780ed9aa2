"""Binding of values and roles: a figure, date or name that the sources give of something else, and swapped roles.

A value is bound to something else where a rival of its kind (a figure of the same unit, another date, another name)
stands beside more of the claim's words, and beside all of those that the value itself stands beside. Roles are swapped
where the same verb has the two names the other way round.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys, split_clauses
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import fold_letters, is_han, name_words, stated_names
from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, Quantity, same_quantity
from weiwo.nodes.writer.verification.source import ParsedSource
from weiwo.text.contrasts import opposites
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import stem

FULL: Final = 0.6
"""Share of the words beside a value that must stand beside a rival value."""
LITTLE: Final = 0.5
"""Share of them that may stand beside the value itself."""

_SEGMENTS: Final = (
    lazy(r"(?<=[.。!?！？])\s"),
    lazy(r"[;；。]|,\s(?=and\b|with\b|while\b)|(?<=\S)，|\bwhile\b|\bbut\b"),
    lazy(r"[;；，、]|,\s|\band\b|\bwhile\b|\bbut\b|和|而"),
)
"""Where sentences are cut; names are not cut at the last, since it cuts lists of them."""
FIGURE, NAME = 3, 2
"""How many of the cuts serve for a figure or date, and for a name."""
MOST_SEGMENTS: Final = 600
Test = Callable[[Clause], bool]


def find_borrowed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Figures, dates and names that the sources give of something else than what stands beside them in the statement."""
    segments = [_segments(pattern, grounds) for pattern in _SEGMENTS]
    titles = {source.title for source in grounds.sources}
    for part in split_clauses(statement):
        for start, end, has, rivals, cuts in _particulars(Clause(part)):
            if part[start:end] in titles:
                continue
            rest = f"{part[:start]} {part[end:]}"
            words = {word for word in content_words(rest) if not word[0].isdigit()}
            if cuts == FIGURE and _turned(Clause(part), segments[2], has):
                yield f"“{part[start:end]}”: the sources give it in the other direction"
            if len(words) >= 2 and any(_of_something_else(words, cut, has, rivals) for cut in segments[:cuts]):
                yield f"“{part[start:end]}”: the sources give it of something else"


def _turned(claim: Clause, segments: Sequence[tuple[Clause, frozenset[str]]], has: Test) -> bool:
    """Whether each segment with a particular has the opposite of a word that the claim has, and neither denies."""
    own = [segment for segment, _ in segments if has(segment)]
    when = opposites()[stem("before")][0][0]
    axes = [axis for axis in claim.axes if axis != when and own and all(axis in segment.axes for segment in own)]
    return any(
        all(seg.axes[axis] != claim.axes[axis] and seg.negations == claim.negations for seg in own) for axis in axes
    )


def _segments(pattern: re.Pattern[str], grounds: Grounds) -> list[tuple[Clause, frozenset[str]]]:
    found = []
    for source in grounds.sources:
        title = Clause(source.title).keys | {key for word in _topic(source) for key in match_keys(word)}
        for clause in source.sentences[:200]:
            found += [(Clause(text, clause.head), title) for text in pattern.split(clause.text) if text.strip()]
    return found[:MOST_SEGMENTS]


def _topic(source: ParsedSource) -> frozenset[str]:
    """The words of the names that only the opening sentence of a passage tells its subject by."""
    return source.sentences[0].names if source.sentences else frozenset()


def _particulars(claim: Clause) -> Iterator[tuple[int, int, Test, Test, int]]:
    """The one figure or date of a clause, and its names: place, test for it, test for a rival, finest cut."""
    figures = [q for q in claim.quantities if q.unit or q.value > LARGEST_COUNT]
    dates = [span for span in claim.dates if span.until is None]
    if len(figures) == 1 and not dates:
        yield (*figures[0][:2], partial(_has_figure, figures[0]), partial(_has_unit, figures[0].unit), FIGURE)
    if len(dates) == 1 and not figures:
        yield (*dates[0][:2], partial(_has_date, dates[0].date), _is_dated, FIGURE)
    named = stated_names(claim.text)
    if len(named) == 1 and not claim.negations and (words := set(name_words(named[0][1]))):
        start, name = named[0]
        yield start, start + len(name), partial(_has_name, words), partial(_has_other_name, words), NAME


def _has_figure(figure: Quantity, clause: Clause) -> bool:
    return any(same_quantity(figure, known) for known in clause.quantities)


def _has_unit(unit: str, clause: Clause) -> bool:
    return any(known.unit == unit for known in clause.quantities)


def _has_date(date: PartialDate, clause: Clause) -> bool:
    return any(date.contains(known) for span in clause.dates for known in (span.date, span.until) if known)


def _is_dated(clause: Clause) -> bool:
    return bool(clause.dates)


def _has_name(words: set[str], clause: Clause) -> bool:
    return _occurs(words, clause.text)


def _has_other_name(words: set[str], clause: Clause) -> bool:
    return any(not _occurs(words, name) for _, name in stated_names(clause.text))


def _occurs(words: set[str], text: str) -> bool:
    """Whether one of the words of a name stands in a text; Chinese has no blanks around it."""
    folded = fold_letters(text)
    whole = set(re.findall(r"\w+", folded))
    return any(word in whole or (is_han(word) and word in folded) for word in words)


def _of_something_else(
    words: set[str], segments: Sequence[tuple[Clause, frozenset[str]]], has: Test, rivals: Test
) -> bool:
    """Whether the words stand beside a rival of a particular, and beside the particular only a few of the same."""
    own, other = [], []
    for segment, title in segments:
        if has(segment):
            own.append({word for word in words if not match_keys(word).isdisjoint(segment.keys | title)})
        elif rivals(segment):
            other.append({word for word in words if not match_keys(word).isdisjoint(segment.keys | title)})
    best: set[str] = max(other, key=len, default=set())
    if not own or len(best) < FULL * len(words):
        return False
    return all(found < best and len(found) <= LITTLE * len(words) for found in own)


# --- who did what ---

_BY: Final = lazy(r"\bby\s(?:the\s|a\s|an\s)?")
_BE: Final = frozenset(
    [
        "is",
        "was",
        "were",
        "are",
        "been",
        "being",
        "be",
        "am",
        "has",
        "had",
        "have",
        "did",
        "does",
        "do",
        "will",
        "would",
        "can",
        "may",
        "must",
    ]
)
_BETWEEN: Final = lazy(
    r"^\s*+(?:\([^()]{0,60}\)\s*+)?,?\s*+(?:who|which|that)?\s*+(?:(?:has|had|have|also|first|later|then|originally|again|did|does)\s)*([a-z]{2,20})\b(\s(?:by|[a-z]+ed)\b)?"
)
_VERBAL: Final = lazy(
    r"(?:[a-z]{2,}(?:ed|s)|won|beat|lost|led|wrote|gave|bought|sold|taught|built|made|took|held|fed|found|founded|met|sent|paid|left|ran|sang|drew|became|overtook|chose|sell|give|buy|pay|lend|lent|owe|teach|study|beats)$"
)
Pairs = list[tuple[frozenset[str], frozenset[str]]]


@dataclass(frozen=True)
class _Roles:
    """Who does and who undergoes, by verb: pairs of the verb's keys and the words of a name."""

    agents: Pairs
    objects: Pairs


def find_swapped(statement: str, grounds: Grounds) -> Iterator[str]:
    """Names in roles that the sources give the other way round, for the same verb."""
    yield from _swapped_han(statement, grounds)
    claim = _roles(statement)
    if not claim.agents and not claim.objects:
        return
    known = [_roles(clause.text) for source in grounds.sources for clause in source.sentences[:120]]
    agents = [pair for roles in known for pair in roles.agents]
    objects = [pair for roles in known for pair in roles.objects]
    for mine, same, other in ((claim.agents, agents, objects), (claim.objects, objects, agents)):
        for verb, words in mine:
            if any(words & those for those in _who(other, verb)) and not any(
                words & those for those in _who(same, verb)
            ):
                yield f"“{' '.join(sorted(words))}”: in the sources it is the other way round"


def _roles(text: str) -> _Roles:
    agents: Pairs = []
    objects: Pairs = []
    passive = [(m.end(), _participle(text[max(0, m.start() - 60) : m.start()])) for m in _BY.finditer(text)]
    for name in names(text):
        words = frozenset(name_words(name.text))
        if not words or re.search(f"[{HAN}]", name.text):
            continue
        by = [verb for end, verb in passive if 0 <= name.start - end <= 30 and verb]
        if by:
            agents.append((match_keys(stem(by[-1])), words))
        behind = _BETWEEN.match(text[name.end : name.end + 90])
        appended = behind and re.match(r"\s*,\s*(?!who|which|that)", behind[0])
        if (
            behind
            and not appended
            and behind[1] not in _BE
            and _VERBAL.match(behind[1])
            and (behind[2] or "").strip() != "by"
        ):
            agents.append((match_keys(stem(behind[1])), words))
        elif behind and behind[1] in {"was", "were", "is", "are", "been"}:
            done = re.match(
                r"\s*(?:\w+ly\s)?([a-z]{3,20})\b", text[name.end + behind.end(1) : name.end + behind.end(1) + 40]
            )
            if done and _VERBAL.match(done[1]):
                objects.append((match_keys(stem(done[1])), words))
        if not by and (verb := _last_verb(text[max(0, name.start - 60) : name.start])):
            objects.append((match_keys(stem(verb)), words))
    return _Roles(agents, objects)


def _participle(before: str) -> str:
    """The verb before a "by", at most three words back."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-3:]
    return next((word for word in reversed(words) if word not in _BE and _VERBAL.match(word)), "")


def _last_verb(before: str) -> str:
    """The verb whose object follows: the last one in the same clause, at most five words back, without a "by"."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-5:]
    verbs = (w for w in reversed(words) if w.isalpha() and w.islower() and _VERBAL.match(w) and w not in _BE)
    return "" if "by" in words else next((w for w in verbs if not w.endswith("s") or w.endswith("ds")), "")


def _who(pairs: Pairs, verb: frozenset[str]) -> Iterator[frozenset[str]]:
    return (words for keys, words in pairs if keys & verb)


_HAN_VERB: Final = "收购|击败|战胜|打败|执导|导演|设计|创办|创立|流入|流出|雇用|任命|提名|师从|教过|赠给|赠予|卖给|出售给|起诉|指控|批评|支持|反对|影响|翻译|改编|主演|抚养|救起|救出|采访|拜访|邀请|代表|取代|继承|撰写|击沉|隶属于|并入|嫁给|资助"
_HAN_ROLES: Final = lazy(rf"(?:将|把)?({_HAN_VERB})了?([^，。；！？\s]{{0,20}})")
_HAN_STOP: Final = lazy(r"[，。；！？\s]")
_HAN_PASSIVE: Final = lazy(r"(.{1,24})[被由](.{1,16})")
_LONGEST_AGENT: Final = 41
"""Characters before a verb that are looked at."""


def _swapped_han(statement: str, grounds: Grounds) -> Iterator[str]:
    """Chinese clauses whose agent is the object of the same verb in the sources."""
    for verb, agent, object_ in _han_roles(statement):
        for source in grounds.sources:
            for clause in source.sentences[:120]:
                for other, who, whom in _han_roles(clause.text):
                    straight = _pairs(agent, who) + _pairs(object_, whom)
                    crossed = _pairs(agent, whom) + _pairs(object_, who)
                    if other == verb and crossed > straight:
                        yield f"“{agent}”: in the sources it is the other way round"


def _han_roles(text: str) -> Iterator[tuple[str, str, str]]:
    """The verbs of a text, each with who does it and whom it is done to."""
    begin = 0
    for found in _HAN_ROLES.finditer(text):
        before = _HAN_STOP.split(text[max(begin, found.start() - _LONGEST_AGENT) : found.start()])[-1]
        begin = found.end()
        passive = _HAN_PASSIVE.fullmatch(before)
        if passive:
            yield found[1], passive[2], passive[1] + found[2]
        elif before:
            yield found[1], before, found[2]


def _pairs(one: str, other: str) -> int:
    return len({one[at : at + 2] for at in range(len(one) - 1)} & {other[at : at + 2] for at in range(len(other) - 1)})
