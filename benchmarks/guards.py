"""Regression guards: benchmark figures, each compared with a goal and a regression bound.

    python benchmarks/guards.py [FOLDER…]

Without a FOLDER `tests/data` is measured, and the invented world of `thrift.py`. A FOLDER is a public set, as
`asserted.py` and `retrieval.py` read it. `tests/baseline.toml` holds the figures of a named commit and the goals. The
bound is the commit's figure less its own noise: the standard deviation over bootstrap samples of its rows, at least one
row. The exit code is 1 if a figure is beyond its bound. A missed goal is printed and fails nothing. Wall-clock times
are not guarded.
"""

import json
import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import pstdev
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "tests/data"
BASELINE: Final = ROOT / "tests/baseline.toml"
SAMPLES: Final = 1_000


class Guard(NamedTuple):
    """A baseline figure. If `most` is set, lower is better. `rows` is the number of questions."""

    figure: float
    rows: int
    most: bool = False
    goal: float | None = None

    @property
    def noise(self) -> float:
        """Standard deviation of the figure over bootstrap samples of the rows, at least a single row.

        A share of a whole is drawn again row by row. A ratio of sums, whose rows are not kept, counts one row alone.
        """
        if self.most:
            return (self.figure or 1.0) / self.rows
        drawn = random.Random(0)  # noqa: S311 - the same samples each time
        hits = round(self.figure * self.rows)
        shares = [sum(drawn.randrange(self.rows) < hits for _ in range(self.rows)) / self.rows for _ in range(SAMPLES)]
        return max(pstdev(shares), 1 / self.rows)

    @property
    def bound(self) -> float:
        """Worst figure still within the regression bound."""
        return self.figure + self.noise if self.most else self.figure - self.noise

    def holds(self, found: float) -> bool:
        """Tell whether a figure is within the bound."""
        return found <= self.bound if self.most else found >= self.bound

    def reaches_goal(self, found: float) -> bool:
        """Report whether a figure reaches the goal. Always true without a goal."""
        if self.goal is None:
            return True
        return found <= self.goal if self.most else found >= self.goal


def read_guards() -> dict[str, Guard]:
    """Read the guards of `tests/baseline.toml` by name."""
    return {name: Guard(**row) for name, row in tomllib.loads(BASELINE.read_text("utf-8"))["guards"].items()}


def describe(name: str, found: float, guard: Guard | None) -> str:
    """Format a row: verdict, name, figure, bound, goal."""
    if guard is None:
        return f"{'new':9} {name:40} {found:6.3f}"
    sign = "<=" if guard.most else ">="
    goal = "" if guard.goal is None else f"   goal {sign} {guard.goal:.3f}"
    missed = "" if guard.reaches_goal(found) else " (not reached)"
    verdict = "held" if guard.holds(found) else "WORSE"
    return f"{verdict:9} {name:40} {found:6.3f}   bound {sign} {guard.bound:.3f}{goal}{missed}"


def run(script: str, *arguments: str | Path) -> str:
    """Run a benchmark and return the standard output."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - our own


def check_assertions(folders: list[Path]) -> Iterator[tuple[str, float]]:
    """Yield the share of wrong assertions and of gold answers on the screen, without a model."""
    reports: dict[str, dict[str, Any]] = json.loads(run("asserted.py", DATA / "asserted", *folders, "--json"))
    yield "wrong assertions, of all questions", reports.pop("all")["wrong_share"]
    for name, report in reports.items():
        yield f"{name}: gold in bold", report["gold_in_bold"]
        yield f"{name}: gold in passages", report["gold_in_passages"]


def check_levels() -> Iterator[tuple[str, float]]:
    """Yield the share of questions with the level found by the static score."""
    printed = run("complexity.py", DATA / "levels.jsonl")
    found = re.search(r"^Weiwo\n.*?^ +all \| \S+ = ([\d.]+)$", printed, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError("complexity.py prints no share of all questions")
    yield "levels found", float(found[1])


def check_claims() -> Iterator[tuple[str, float]]:
    """Yield the shares of true claims passed and of false claims caught by code alone."""
    for name in ("blind", "fresh"):
        figures = json.loads(run("claims.py", DATA / f"claims_{name}.jsonl", "--json"))
        yield f"claims, {name}: true passed", figures["true_passed"]
        yield f"claims, {name}: false caught", figures["false_caught"]


def check_retrieval(folders: list[Path]) -> Iterator[tuple[str, float]]:
    """Yield recall at 5 of the default search."""
    for line in run("retrieval.py", *folders).splitlines() if folders else ():
        columns = line.split()
        if columns[1:2] == ["default"]:
            yield f"{columns[0]}: recall at 5", float(columns[4])


def check_thrift() -> Iterator[tuple[str, float]]:
    """Yield calls and prompt tokens by kind of question, as ratios to a baseline.

    The baseline is a loop. For tables and reports it is one prompt with the whole folder.
    """
    for kind, other, shares in re.findall(r"(\S+) beside (loop|prompt): (.*)", run("thrift.py")):
        if (other == "prompt") == (kind in {"table", "report"}):
            for what, share in re.findall(r"(calls|prompt) ([\d.]+) x", shares):
                yield f"thrift, {kind}: {what}", float(share)


def main() -> int:
    """Print every row. Returns 1 if a figure is beyond the bound."""
    folders = [Path(name) for name in sys.argv[1:]]
    guards = read_guards()
    held = True
    checks = (check_assertions(folders), check_levels(), check_claims(), check_retrieval(folders), check_thrift())
    for name, found in (row for check in checks for row in check):
        guard = guards.get(name)
        print(describe(name, found, guard), flush=True)
        held &= guard is None or guard.holds(found)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
