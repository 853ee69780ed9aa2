"""The guards: what may not get worse while the house gets smaller, each figure beside its bound.

    python benchmarks/guards.py [FOLDER…]

Without a FOLDER what stands in `tests/data` is measured, and the invented world of `thrift.py`; a FOLDER is a public
set, as `asserted.py` and `retrieval.py` read it. Each row says whether its bound holds; the exit code is 1 where one
does not. A public set without a bound here is printed with none.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "tests/data"
MOST_WRONG: Final = 0.01
"""Wrong assertions, as a share of the questions of all sets."""
LEAST_LEVELS: Final = 0.87
CLAIMS: Final = {"blind": (0.90, 0.45), "fresh": (0.90, 0.60)}
"""Of true claims the share that code passes, of false ones that it catches, at least."""
ALLOWANCE: Final = 0.005
SHOWN: Final[dict[str, tuple[float, float]]] = {
    "asserted": (0.848, 0.932),
    "hotpotqa-dev": (0.802, 0.868),
    "musique-dev": (0.390, 0.430),
    "rgb-zh-dev": (0.942, 0.967),
}
"""The gold answer in bold and in the passages shown, as measured on 25 November 2026; `ALLOWANCE` below is allowed."""
FOUND: Final[dict[str, float]] = {"hotpotqa-dev": 0.940, "musique-dev": 0.655, "rgb-zh-dev": 0.459}
"""Recall at 5 of the search that a user gets, the same."""


class Guard(NamedTuple):
    """A figure and its bound."""

    name: str
    found: float
    bound: float | None = None
    most: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is on the right side of its bound."""
        if self.bound is None:
            return True
        return self.found <= self.bound if self.most else self.found >= self.bound

    def describe(self) -> str:
        """One row."""
        if self.bound is None:
            return f"{'no bound':8} {self.name:44} {self.found:.3f}"
        sign = "at most" if self.most else "at least"
        return f"{'held' if self.holds else 'MISSED':8} {self.name:44} {self.found:.3f} ({sign} {self.bound:.3f})"


def run(script: str, *arguments: str | Path) -> str:
    """What a benchmark prints."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - our own


def check_assertions(folders: list[Path]) -> Iterator[Guard]:
    """What is asserted wrongly and what is on the screen, without a model."""
    reports: dict[str, dict[str, Any]] = json.loads(run("asserted.py", DATA / "asserted", *folders, "--json"))
    yield Guard("wrong assertions, of all questions", reports.pop("all")["wrong_share"], MOST_WRONG, most=True)
    for name, report in reports.items():
        bounds = SHOWN.get(name, (None, None))
        for figure, bound in zip(("gold_in_bold", "gold_in_passages"), bounds, strict=True):
            words = f"{name}: {figure.replace('_', ' ')}"
            yield Guard(words, report[figure], None if bound is None else bound - ALLOWANCE)


def check_levels() -> Iterator[Guard]:
    """How often the static score finds a question's level."""
    printed = run("complexity.py", DATA / "levels.jsonl")
    found = re.search(r"^Weiwo\n.*?^ +all \| \S+ = ([\d.]+)$", printed, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError("complexity.py prints no share of all questions")
    yield Guard("levels found", float(found[1]), LEAST_LEVELS)


def check_claims() -> Iterator[Guard]:
    """What code alone passes of true claims and catches of false ones."""
    for name, bounds in CLAIMS.items():
        figures = json.loads(run("claims.py", DATA / f"claims_{name}.jsonl", "--json"))
        for figure, bound in zip(("true_passed", "false_caught"), bounds, strict=True):
            yield Guard(f"claims, {name}: {figure.replace('_', ' ')}", figures[figure], bound)


def check_retrieval(folders: list[Path]) -> Iterator[Guard]:
    """How much of what is relevant search finds."""
    for line in run("retrieval.py", *folders).splitlines() if folders else ():
        columns = line.split()
        if columns[1:2] == ["default"]:
            bound = FOUND.get(columns[0])
            words = f"{columns[0]}: recall at 5"
            yield Guard(words, float(columns[4]), None if bound is None else bound - ALLOWANCE)


def check_thrift() -> Iterator[Guard]:
    """Calls, prompt tokens and wall time beside a ReAct loop."""
    kind = ""
    for line in run("thrift.py").splitlines():
        kind = line.split()[0] if "ReAct" in line.split()[1:2] else kind
        for what, share, goal in re.findall(r"(\w+) ([\d.]+) x \(at most ([\d.]+):", line):
            yield Guard(f"thrift, {kind}: {what} beside ReAct", float(share), float(goal), most=True)


def main() -> int:
    """Print every row; 1 where a bound does not hold."""
    folders = [Path(name) for name in sys.argv[1:]]
    held = True
    checks = (check_assertions(folders), check_levels(), check_claims(), check_retrieval(folders), check_thrift())
    for guard in (guard for check in checks for guard in check):
        print(guard.describe(), flush=True)
        held &= guard.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
