"""Amounts: the figures of an outcome with the unit they are in, so that values of several tasks can be compared.

A rule's reader tells the unit. A model's gives the figure alone: its unit is the one that stands behind the very same
figure in its quotes, else the one its task asks for. Where neither tells, it is not known.
"""

from collections.abc import Sequence
from typing import NamedTuple

from weiwo.state import Outcome, Task
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.units import to_si, unit_after

_ASKED_UNIT = lazy(r"[,，(（]?\s?(?:\bin|以)\s?([^\s,，()（）?？][^,，()（）?？]{0,30})[)）]?[\s?？.。]{0,3}$")


class Amount(NamedTuple):
    """A figure and what it counts.

    Attributes:
        value: The figure.
        unit: The canonical unit; empty where none is known.
    """

    value: float
    unit: str = ""


def read_amounts(task: Task, outcome: Outcome) -> tuple[Amount, ...]:
    """The figures of a number or of a list of numbers; empty where the value is neither."""
    values = outcome.value if isinstance(outcome.value, list) else [outcome.value]
    figures = [float(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(figures) != len(values):
        return ()
    asked = split_asked_unit(task.description)[1]
    return tuple(Amount(one, outcome.detail.unit or _quoted_unit(one, outcome) or asked) for one in figures)


def split_asked_unit(question: str) -> tuple[str, str]:
    """A question without the unit that it asks for at its end, and that unit; empty where it names none."""
    found = _ASKED_UNIT.search(question)
    unit = unit_after(f" {found[1]}", 0) if found else None
    return (question[: found.start()], unit[0]) if found and unit else (question, "")


def with_one_unit(amounts: Sequence[Amount]) -> list[Amount]:
    """Amounts in one unit, where their units differ and can be converted; else as they are."""
    if len({one.unit for one in amounts}) == 1:
        return list(amounts)
    return [Amount(*found) if (found := to_si(one.value, one.unit)) else one for one in amounts]


def _quoted_unit(figure: float, outcome: Outcome) -> str:
    spans = [one for quote in outcome.quotes for one in find_numbers(quote.text) if one.value == figure]
    units = {one.unit or "" for one in spans}
    return units.pop() if len(units) == 1 else ""
