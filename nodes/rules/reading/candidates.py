"""Candidate values of one reading, and the choice among them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from nodes.rules.reading.standing import View
from state import JsonValue
from text.language import fold
from tools.web.urls import site_of

LOWEST: Final = 0.45
"""A candidate that scores less is not reported: inventing is worse than finding nothing."""


NEARLY: Final = 0.95
"""Share of the best score from which the number of sources decides."""


@dataclass(frozen=True)
class Candidate:
    """A value found in a sentence.

    Attributes:
        value: The value in its data form.
        score: How surely it answers the question, 0 to 1.
        view: The sentence it stands in.
        start: Where it stands in the sentence.
        end: Its end.
        detail: Particulars, such as the unit.
    """

    value: JsonValue
    score: float
    view: View
    start: int
    end: int
    detail: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The value as the passage writes it."""
        return self.view.sentence[self.start : self.end]


Group = tuple[float, list[Candidate]]
"""Candidates that are one value, the best first, with their joint score."""


def same_text(one: JsonValue, other: JsonValue) -> bool:
    """Whether two texts are one value: equal when folded, or one the longer form of the other."""
    a, b = fold(str(one)), fold(str(other))
    if a == b:
        return True
    short, long_ = sorted((a, b), key=len)
    return len(short) >= 3 and (long_.endswith(" " + short) or long_.startswith(short + ","))


def choose(candidates: Iterable[Candidate], same: Callable[[JsonValue, JsonValue], bool]) -> list[Group]:
    """Group candidates that are one value, and put the groups in order.

    Sources that agree support each other, and an earlier passage counts a little more than a later one. Of groups with
    nearly equal scores, the one of most sources comes first.

    Args:
        candidates: What was found.
        same: Whether two values are one.

    Returns:
        Groups with their score, best first; in each the best candidate first.
    """
    ordered = sorted(candidates, key=lambda c: (-_ranked(c), c.view.place, c.view.start, c.start))
    groups: list[list[Candidate]] = []
    for candidate in ordered[:400]:
        for group in groups:
            if same(group[0].value, candidate.value):
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    scored = [(_support(group), group) for group in groups]
    least = NEARLY * max((score for score, _ in scored), default=0.0)
    scored.sort(key=lambda pair: (-_voices(pair[1]) if pair[0] >= least else 0, -pair[0]))
    return scored


def _ranked(candidate: Candidate) -> float:
    return candidate.score * (1 - 0.015 * min(candidate.view.place, 12))


def _voices(group: Sequence[Candidate]) -> int:
    return len({site_of(candidate.view.passage.source) for candidate in group})


def _support(group: Sequence[Candidate]) -> float:
    """The best score, raised by each further source that agrees."""
    best: dict[str, float] = {}
    for candidate in group:
        key = site_of(candidate.view.passage.source)
        best[key] = max(best.get(key, 0.0), _ranked(candidate))
    first, *others = sorted(best.values(), reverse=True)
    total = first
    for score in others:
        total += (1 - total) * 0.25 * score
    return min(1.0, total)
