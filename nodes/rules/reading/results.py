"""From weighed candidates to a reading: the best value in its type, its sentences, and who contradicts it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import LOWEST, Candidate, Group
from nodes.rules.words import coverage, terms
from state import Evidence, JsonValue, Language, Quote, Rival, ValueType
from text.dates import PartialDate

ENOUGH: Final = 0.5
"""Share of the question's words a passage needs to be handed on whole."""


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        value: The value in its type's data form, or None.
        evidence_ids: The passages it rests on, best first.
        quotes: The sentences that carry it, verbatim.
        confidence: 0 to 1.
        detail: Particulars: `unit`, `approximate`, `shown` (the value as the passage writes it).
        missing: What was not found, in one line; empty if something was.
        direct: Whether the rules found the value in a sentence that names the subject, or goes on about it on its own
            page, and says what is asked of it.
        support: Independent sources that give the value; 0 where they were not counted.
        rivals: What other sources give instead.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    confidence: float = 0.0
    detail: dict[str, JsonValue] = field(default_factory=dict)
    missing: str = ""
    direct: bool = False
    support: int = 0
    rivals: tuple[Rival, ...] = ()


def same_date(one: JsonValue, other: JsonValue) -> bool:
    """Whether two ISO dates are one date, given to different precision."""
    a, b = PartialDate.from_iso(str(one)), PartialDate.from_iso(str(other))
    return a.contains(b) or b.contains(a)


def typed(
    asked: Asked, groups: Sequence[Group], ret: ValueType, *, shown: bool = False, joined: bool = False
) -> Reading | None:
    """The best of grouped candidates as a reading.

    Args:
        asked: The question.
        groups: Groups from `candidates.choose`, best first.
        ret: The wanted type; a list takes all values that stand beside the best.
        shown: Whether the value is the passage's words rather than the data.
        joined: Whether "A and B" may be the value.

    Returns:
        The reading, or None where the best is not good enough.
    """
    if not groups or groups[0][0] < LOWEST:
        return None
    score, group = groups[0]
    beside = 0.6 * score if ret.startswith("list[") else LOWEST
    groups = [(s, g) for s, g in groups if s >= LOWEST or (s >= beside and g[0].view == group[0].view)]
    best = _sharpest(group)
    if ret.startswith("list["):
        return _listed(groups, best, ret, shown=shown)
    value: JsonValue = best.shown if shown else best.value
    if joined and not shown:
        value = _coordinated(best, groups)
    detail = dict(best.detail)
    if best.start != best.end and best.shown != value:
        detail["shown"] = best.shown
    # Whoever cites the reading takes its first passages.
    second = next((c for c in group if c.view.passage.source != best.view.passage.source), best)
    reading = with_value(value, [best, second, *group], group[0].score, detail)
    return replace(reading, direct=_is_direct(asked, best))


def _is_direct(asked: Asked, found: Candidate) -> bool:
    view = found.view
    if view.titled < 0.6 or view.about < 0.85 or not (view.mentions or view.carried):
        return False
    if asked.relation is not None:
        bracketed = asked.relation.life is not None and found.start > 0
        return bracketed or asked.relation.cues.search(view.sentence) is not None
    return set(asked.words) <= view.terms | {*asked.subjects}


def _sharpest(group: Sequence[Candidate]) -> Candidate:
    """Of candidates that are one value, the most precise of the well supported: the day before the year."""
    top = group[0].score
    near = [c for c in group if c.score >= 0.8 * top]
    if all(isinstance(c.value, str) and re.fullmatch(r"-?\d+(?:-\d\d){0,2}", c.value) for c in near):
        return max(near, key=lambda c: (str(c.value).lstrip("-").count("-"), c.score))
    return group[0]


def _coordinated(best: Candidate, groups: Sequence[Group]) -> JsonValue:
    """The words "A and B" of the passage, where the sentence of the best names further values beside it."""
    mates = [
        c
        for score, group in groups[1:]
        for c in group
        if c.view == best.view and c.end > c.start and score >= 0.8 * groups[0][0]
    ]
    start, end = best.start, best.end
    if start == end:
        return best.value
    changed = True
    while changed:
        changed = False
        for mate in mates:
            gap = best.view.sentence[min(end, mate.end) : max(start, mate.start)]
            if (mate.start >= end or mate.end <= start) and re.fullmatch(
                r"[,、\"“”》《]? ?(?:and |& |和|与|及|以及)?[\"“《]?", gap
            ):
                start, end = min(start, mate.start), max(end, mate.end)
                changed = True
    return best.view.sentence[start:end] if (start, end) != (best.start, best.end) else best.value


def _listed(groups: Sequence[Group], best: Candidate, ret: ValueType, *, shown: bool) -> Reading:
    """All values of the best sentence, and those that other sentences give with nearly as good reason."""
    top = groups[0][0]
    kept = [
        (score, group)
        for score, group in groups
        if score >= 0.75 * top or any(c.view == best.view and c.score >= 0.6 * best.score for c in group)
    ]
    members = [_sharpest(group) for _, group in kept]
    members.sort(key=lambda c: (c.view.place, c.view.start, c.start))
    values: list[JsonValue] = list(
        dict.fromkeys(str(c.shown if shown else c.value) if ret == "list[text]" else c.value for c in members)
    )
    return with_value(values, [best, *members], top, dict(best.detail))


def with_value(
    value: JsonValue, found: Sequence[Candidate], confidence: float, detail: dict[str, JsonValue] | None = None
) -> Reading:
    """A reading of a value that rests on candidates, the best first."""
    quotes = tuple(dict.fromkeys((c.view.passage.id, c.view.sentence) for c in found))[:4]
    return Reading(
        value=value,
        evidence_ids=tuple(dict.fromkeys(c.view.passage.id for c in found))[:4],
        quotes=tuple(Quote(evidence_id=passage, text=text) for passage, text in quotes),
        confidence=round(min(1.0, confidence), 3),
        detail=detail or {},
    )


def whole_passages(asked: Asked, given: Sequence[Evidence], language: Language) -> Reading:
    """The texts of the passages that hold at least half of the question's words, in their order."""
    kept = []
    for passage in given:
        share = coverage(asked.all_words, {*terms(passage.title), *terms(passage.text)})
        if share >= ENOUGH:
            kept.append((share, passage))
    if not kept:
        return nothing(asked, language, found_subject=False)
    return Reading(
        value=[passage.text for _, passage in kept],
        evidence_ids=tuple(passage.id for _, passage in kept),
        confidence=round(max(share for share, _ in kept), 3),
    )


def nothing(asked: Asked, language: Language, *, found_subject: bool) -> Reading:
    """A reading without a value, which says what the passages lack."""
    about = asked.subjects[0] if asked.subjects else asked.text
    if found_subject:
        missing = f"资料中没有回答：{asked.text}" if language == "zh" else f"the passages do not answer: {asked.text}"
    else:
        missing = f"资料中没有提到{about}" if language == "zh" else f"no passage speaks of {about}"
    return Reading(value=None, missing=missing[:200])
