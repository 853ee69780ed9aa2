"""Which other values contradict the best one: of another document, as well supported, about the same thing."""

import math
from collections.abc import Sequence
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate, Group
from text.dates import PartialDate
from text.units import to_si

NEARLY: Final = 0.9
"""Share of the best value's score from which another value stands against it."""

_MOST: Final = 2
_LOOSE: Final = 0.05
_LOOSE_YEARS: Final = 2


def rivals(asked: Asked, groups: Sequence[Group], best: Candidate) -> list[Candidate]:
    """Candidates that give another value than the best with nearly as good reason.

    Args:
        asked: The question.
        groups: Groups of candidates, best first; `best` is of the first.
        best: The value that was chosen.

    Returns:
        At most two, best first. None is of a document that also gives the best value, or of the best value's own; none
        is a rounding, or a vaguer form, of the best value.
    """
    score, agreeing = groups[0]
    settled = {best.view.passage.source, *(c.view.passage.source for c in agreeing)}
    found = []
    for total, group in groups[1:5]:
        if total < NEARLY * score or any(c.view.passage.source in settled for c in group):
            continue
        other = group[0]
        if _of_the_same(asked, other) and not any(_vaguer(other, known) for known in (best, agreeing[0])):
            found.append(other)
    return found[:_MOST]


def _of_the_same(asked: Asked, other: Candidate) -> bool:
    """Whether the sentence names the subject, or goes on about it on its own page, and says what is asked of it."""
    view = other.view
    if view.titled < 0.6 or view.about < 0.85 or not (view.mentions or view.carried):
        return False
    if asked.relation is not None:
        bracketed = asked.relation.life is not None and other.start > 0
        return bracketed or asked.relation.cues.search(view.sentence) is not None
    return set(asked.words) <= view.terms | {*asked.subjects}


def _vaguer(one: Candidate, other: Candidate) -> bool:
    """Whether two values are one, stated to different precision."""
    about = bool(one.detail.get("approximate") or other.detail.get("approximate"))
    if isinstance(one.value, str) and isinstance(other.value, str):
        try:
            a, b = PartialDate.from_iso(one.value), PartialDate.from_iso(other.value)
        except ValueError:
            return False
        return a.contains(b) or b.contains(a) or (about and abs(a.astronomical - b.astronomical) <= _LOOSE_YEARS)
    if isinstance(one.value, int | float) and isinstance(other.value, int | float):
        x, y = _figure(one), _figure(other)
        return _rounds(x, y) or _rounds(y, x) or (about and abs(x - y) <= _LOOSE * max(abs(x), abs(y)))
    return False


def _figure(candidate: Candidate) -> float:
    value, unit = candidate.value, candidate.detail.get("unit")
    figure = float(value) if isinstance(value, int | float) else math.nan
    base = to_si(figure, unit) if isinstance(unit, str) else None
    return base[0] if base else figure


def _rounds(exact: float, coarse: float) -> bool:
    """Whether a figure of at least two digits is another, rounded."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)
