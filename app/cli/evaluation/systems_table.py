"""The tables of experiments: the figures of each system, side by side, with the 95 % intervals of the shares."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from weiwo.app.cli.evaluation.calibration import print_reliability
from weiwo.app.cli.evaluation.words import word
from weiwo.app.evaluation.summary import MEANS, RATES
from weiwo.app.render.figures_table import figures_table

_SHARES: Final = ("right", "right_judged", *RATES[1:])
_MEANS: Final = (*MEANS, "seconds_p50", "seconds_p95", "errors")
_FORMATS: Final = {
    "calls": ".1f",
    "tool_calls": ".1f",
    "effective_citations": ".1f",
    "stale": ".2f",
    "seconds_p50": ".2f",
    "seconds_p95": ".2f",
    "cost": ".4f",
}
"""How means are written; those not named here as whole numbers."""


def print_answers(console: Console, summary: Mapping[str, Any]) -> None:
    """Print a summary of `eval answers`: shares, means a question, then by level and by hops."""
    systems = summary["systems"]
    console.print(word("head_intervals", summary["dataset"], summary["n"]))
    table = compare_systems(systems, ("", *systems), _SHARES, _MEANS)
    for kind in ("by_level", "by_hops"):
        _add_sections(table, systems, kind)
    console.print(table)
    for name, differences in summary["differences"].items():
        if told := differences.get("right"):
            console.print(word("against", name, told["mean"], told["low"], told["high"]), soft_wrap=True)
    verdicts = systems.get("weiwo", {}).get("claims") or {}
    if verdicts:
        console.print(word("claims", ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items())))
    for what, measured in (systems.get("weiwo", {}).get("calibration") or {}).items():
        print_reliability(console, word("confidence_of", what), measured)


def compare_systems(
    systems: Mapping[str, Any],
    heads: Iterable[str],
    shares: Iterable[str],
    means: Iterable[str],
    always: Iterable[str] = (),
) -> Table:
    """A table with a column a system.

    Args:
        systems: The figures of each, by its name.
        heads: What stands above the column of names, and above each system's.
        shares: Figures from 0 to 1, shown where any system has one.
        means: Other figures, shown where any system's is not 0.
        always: Those of them that are shown also then.
    """
    table = figures_table(*heads)
    for name in shares:
        if any(cells := [_share(figures, name) for figures in systems.values()]):
            table.add_row(word(name), *cells)
    for name in means:
        if name in always or any(figures[name] for figures in systems.values()):
            form = _FORMATS.get(name, ",.0f")
            table.add_row(word(name), *(format(float(figures[name]), form) for figures in systems.values()))
    return table


def _add_sections(table: Table, systems: Mapping[str, Any], kind: str) -> None:
    for key in dict.fromkeys(key for figures in systems.values() for key in figures[kind]):
        parts = [figures[kind].get(key) for figures in systems.values()]
        count = next(part["n"] for part in parts if part)
        table.add_row(word(kind, key, count), *("" if part is None else f"{part['right']:.3f}" for part in parts))


def _share(figures: Mapping[str, Any], name: str) -> str:
    value = figures.get(name)
    if value is None:
        return ""
    low, high = figures["intervals"].get(name, (None, None))
    return f"{value:.3f}" if low is None else f"{value:.3f} ({low:.2f}–{high:.2f})"
