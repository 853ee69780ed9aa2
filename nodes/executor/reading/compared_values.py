"""Comparison of values found on the way: which thing wins by code, held against what a model concludes."""

from collections.abc import Sequence
from typing import Final

from weiwo.state import Hop
from weiwo.state.query import QueryFrame, Shape
from weiwo.text.dates import find_dates
from weiwo.text.language import fold
from weiwo.text.numbers import find_numbers, to_base

COMPARED: Final[frozenset[Shape]] = frozenset({"comparison", "same"})
"""Shapes of questions whose look-ups stand side by side."""


def find_other_winner(frame: QueryFrame, hops: Sequence[Hop], value: object) -> str | None:
    """The thing that wins a comparison by the values found, where a model names another.

    Returns:
        The subject; None where code cannot tell: a value is missing, not of the kind, or as large as another.
    """
    said = fold(str(value))
    subjects = {fold(subject): subject for subject in frame.subjects}
    named = [key for key in subjects if key in said]
    if not frame.direction or len(named) != 1 or len(subjects) < 2:
        return None
    found = {
        key: [m for hop in hops if _is_about(hop, key, subjects) for m in _measures(hop, frame)] for key in subjects
    }
    kinds = {kind for measures in found.values() for kind, _ in measures}
    if len(kinds) != 1 or any(len(measures) != 1 for measures in found.values()):
        return None
    values = {key: measures[0][1] for key, measures in found.items()}
    best = (min if frame.direction == "least" else max)(values.values())
    winners = [key for key, measure in values.items() if measure == best]
    return subjects[winners[0]] if len(winners) == 1 and winners != named else None


def _is_about(hop: Hop, key: str, subjects: dict[str, str]) -> bool:
    """Whether a value is that of a subject and of no other: by its question."""
    asked = fold(hop.question)
    return [other for other in subjects if other in asked] == [key]


def _measures(hop: Hop, frame: QueryFrame) -> list[tuple[str, float]]:
    """The years or the quantities that a value holds, each with its kind."""
    if frame.answer_type in {"date", "year"}:
        return [("date", float(span.date.year)) for span in find_dates(hop.value) if span.until is None]
    if frame.answer_type not in {"number", "quantity"}:
        return []
    spans = find_numbers(hop.value)
    return [(base[1], base[0]) if (base := to_base(span)) else ("", float(span.value)) for span in spans]
