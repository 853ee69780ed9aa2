"""What a person sees first, without a model, over documents of kinds that nothing was tuned for.

    python benchmarks/first_screen.py [FOLDER…] [--held | --open] [--misses] [--json] [--gate]

A folder has `documents/` and `questions.jsonl`: rows `text language kind held`, and `answer`, a regular expression, or
`answerable: false`. Each question goes through the public graph in this process; its result is printed as the command
prints it, on a terminal of 80 columns. Counted are: answers that stand within the first 12 lines that are not blank;
denials ("occurs nowhere") above an answer that is on the screen; unanswerable questions that are said to be so, by a
denial or by words of doubt. `--held` asks the rows that were kept aside, `--open` the others; `--misses` prints them.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from weiwo import build_graph
from weiwo.app.render.answer import print_answer
from weiwo.state.settings import Context
from weiwo.text.localization import localized_section

SETS: Final = Path(__file__).resolve().parents[1] / "tests/data/first_screen"
LINES: Final = 12
WIDTH: Final = 80
LEAST_SHOWN, LEAST_SAID = 0.70, 0.80
DENIALS: Final = ("nearest", "partly", "none")
DOUBTS: Final = ("doubted",)
_LEADS: Final = localized_section("writer.rule_answer.leads")


def says(text: str, leads: tuple[str, ...]) -> bool:
    """Whether a text holds one of the writer's opening words, whatever they are filled with."""
    flat = " ".join(text.split())
    patterns = (re.escape(words[lead]) for words in _LEADS.values() for lead in leads if lead in words)
    return any(re.search(re.sub(r"\\\{\w*\\\}", ".{1,200}?", pattern), flat) for pattern in patterns)


@dataclass
class Count:
    """What was counted."""

    answerable: int = 0
    shown: int = 0
    somewhere: int = 0
    false_denials: int = 0
    doubted: int = 0
    unanswerable: int = 0
    said: int = 0

    def add(self, other: "Count") -> None:
        """Add another folder's counts."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)

    def report(self) -> dict[str, float]:
        """The counts and their shares."""
        shares = {
            "shown_share": round(self.shown / max(self.answerable, 1), 3),
            "said_share": round(self.said / max(self.unanswerable, 1), 3),
        }
        return {**asdict(self), **shares}


def screen_of(result: Mapping[str, Any]) -> list[str]:
    """The lines of an answer that are not blank, as a terminal shows them."""
    page = StringIO()
    print_answer(Console(file=page, width=WIDTH, color_system=None), result)
    return [line.strip() for line in page.getvalue().splitlines() if line.strip()]


def holds(lines: list[str], pattern: str) -> bool:
    """Whether lines hold an answer, wherever they are broken."""
    bare = [line.removeprefix("│ ") for line in lines]
    return any(re.search(pattern, joint.join(bare)) for joint in (" ", ""))


def count_row(row: Mapping[str, Any], result: Mapping[str, Any]) -> tuple[Count, list[str]]:
    """What one question adds, and its screen."""
    lines = screen_of(result)
    text = " ".join(lines)
    denied, doubted = says(text, DENIALS) or says("".join(lines), DENIALS), says(text, DOUBTS)
    if not row.get("answerable", True):
        return Count(unanswerable=1, said=int(denied or doubted or says("".join(lines), DOUBTS))), lines
    somewhere = holds(lines, row["answer"])
    return Count(
        answerable=1,
        shown=int(holds(lines[:LINES], row["answer"])),
        somewhere=int(somewhere),
        false_denials=int(somewhere and denied),
        doubted=int(somewhere and doubted),
    ), lines


def is_miss(count: Count) -> bool:
    """Whether a question did not come out as it should."""
    return count.shown + count.said == 0 or count.false_denials > 0


def rows_of(folder: Path, *, held: bool | None) -> Iterator[dict[str, Any]]:
    """The questions of a folder, all or one part of them."""
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if held is None or row["held"] is held:
            yield row


async def measure(folder: Path, *, held: bool | None, misses: bool) -> Count:
    """Ask every question of a folder."""
    graph, total = build_graph(), Count()
    context = Context(web=False, corpus=[str(folder / "documents")], telemetry=False)
    for row in rows_of(folder, held=held):
        result = (await graph.ainvoke({"question": row["text"]}, context=context))["result"]
        count, lines = count_row(row, result)
        total.add(count)
        if misses and is_miss(count):
            print(
                f"\n### {row['text']}  [{row['kind']}] wanted: {row.get('answer', 'to be told that it is not there')}"
            )
            print("\n".join(f"    {line}" for line in lines[: LINES + 4]))
    return total


async def main(given: argparse.Namespace) -> int:
    """Measure and print; the exit code."""
    held = True if given.held else False if given.open else None
    reports, total = {}, Count()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        os.environ["WEIWO_HOME"] = str(Path(scratch) / "home")
        for folder in given.folders or sorted(path for path in SETS.iterdir() if path.is_dir()):
            count = await measure(folder, held=held, misses=given.misses)
            reports[folder.name] = count.report()
            total.add(count)
    reports["all"] = every = total.report()
    if given.json:
        print(json.dumps(reports))
    for name, report in () if given.json else reports.items():
        print(
            f"{name:<10} answer in the first {LINES} lines {report['shown']}/{report['answerable']}"
            f" ({report['shown_share']:.3f}), on the screen {report['somewhere']}; denied though there"
            f" {report['false_denials']}, doubted though there {report['doubted']}; unanswerable said to be so"
            f" {report['said']}/{report['unanswerable']} ({report['said_share']:.3f})"
        )
    met = every["shown_share"] >= LEAST_SHOWN and every["said_share"] >= LEAST_SAID and not every["false_denials"]
    return int(given.gate and not met)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--held", action="store_true", help="only the rows kept aside")
    parser.add_argument("--open", action="store_true", help="only the others")
    parser.add_argument("--misses", action="store_true", help="print what did not come out, with its screen")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--gate", action="store_true", help="exit with 1 where a bound is not met")
    sys.exit(asyncio.run(main(parser.parse_args())))
