"""The table of `weiwo eval answers`: the figures of each system, side by side."""

from collections.abc import Mapping
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table

from weiwo.app.cli.evaluation.calibration import print_reliability

_RATES: Final = {
    "right": "right",
    "right_judged": "right, judged",
    "f1": "F1",
    "wrong_asserted": "wrong, asserted",
    "wrong_doubtful": "wrong, marked doubtful",
    "on_screen": "gold on the screen",
    "in_bold": "gold in bold or in the answer",
    "gold_cited": "gold documents cited",
    "citation_precision": "citations of gold documents",
}
_MEANS: Final = {
    "calls": "model calls",
    "tool_calls": "tool calls",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "cost": "US dollars",
    "seconds_p50": "seconds, p50",
    "seconds_p95": "seconds, p95",
    "errors": "errors",
}


def print_answers(console: Console, summary: Mapping[str, Any]) -> None:
    """Print a summary: rates with their 95 % intervals, means a question, then by level and by hops."""
    systems = summary["systems"]
    console.print(f"{summary['dataset']}: {summary['n']:,} questions; 95 % intervals in brackets")
    table = _make_table(systems)
    for name, title in _RATES.items():
        cells = [_rate(figures, name) for figures in systems.values()]
        if any(cells):
            table.add_row(title, *cells)
    for name, title in _MEANS.items():
        if any(figures[name] for figures in systems.values()):
            table.add_row(title, *(_mean(figures[name], name) for figures in systems.values()))
    for kind in ("by_level", "by_hops"):
        _add_sections(table, systems, kind)
    console.print(table)
    for name, differences in summary["differences"].items():
        if told := differences.get("right"):
            console.print(
                f"weiwo against {name}, right: {told['mean']:+.3f} ({told['low']:+.3f} to {told['high']:+.3f})",
                soft_wrap=True,
            )
    verdicts = systems.get("weiwo", {}).get("claims") or {}
    if verdicts:
        console.print("claims of weiwo: " + ", ".join(f"{n:,} {verdict}" for verdict, n in verdicts.items()))
    for what, measured in (systems.get("weiwo", {}).get("calibration") or {}).items():
        print_reliability(console, f"confidence of weiwo's {what}", measured)


def _make_table(systems: Mapping[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in systems:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _add_sections(table: Table, systems: Mapping[str, Any], kind: str) -> None:
    for key in dict.fromkeys(key for figures in systems.values() for key in figures[kind]):
        parts = [figures[kind].get(key) for figures in systems.values()]
        count = next(part["n"] for part in parts if part)
        title = f"right: {key}" if kind == "by_level" else f"right: {key} hops"
        table.add_row(f"{title} ({count:,})", *("" if part is None else f"{part['right']:.3f}" for part in parts))


def _rate(figures: Mapping[str, Any], name: str) -> str:
    value = figures.get(name)
    if value is None:
        return ""
    low, high = figures["intervals"].get(name, (None, None))
    return f"{value:.3f}" if low is None else f"{value:.3f} ({low:.2f}–{high:.2f})"


def _mean(value: float, name: str) -> str:
    if name in {"calls", "tool_calls"}:
        return f"{value:.1f}"
    if name == "cost":
        return f"{value:.4f}"
    return f"{value:.2f}" if name.startswith("seconds") else f"{value:,.0f}"
