"""Benchmark of the first screen without a model, over documents of untuned kinds.

    python benchmarks/first_screen.py [FOLDER…] [--held | --open] [--misses] [--json] [--gate]

A folder has `documents/` and `questions.jsonl`: rows `text language kind held`, and `answer`, a regular expression, or
`answerable: false`. Each question goes through the public graph in this process. Its result is printed as the command
prints it, on a terminal of 80 columns. Counted are:

- answers that stand within the first 12 lines that are not blank
- false denials, where `lead` denies what stands in the documents, which are errors whatever is shown below
- answerable questions whose `lead` is neutral, so that nothing says whether the passages answer
- assertions, and how many of them are wrong
- unanswerable questions that are recognised: nothing is asserted, and `lead` is neutral or a denial

`--held` asks the rows that were kept aside, `--open` the others. `--misses` prints them. The last line is a baseline of
40 lines: the sentences of the 12 passages of a search, by the rarity of the words they share with the question, with
their file, title and headings included. It shows how often the answer stands in its first sentence, and among its first
three.
"""

import argparse
import asyncio
import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from weiwo import build_graph
from weiwo.app.cli.documents.corpus import open_corpus
from weiwo.app.render.answer import print_answer
from weiwo.state import Evidence
from weiwo.state.settings import Context, Settings
from weiwo.text.language import sentences
from weiwo.text.terms import terms

SETS: Final = Path(__file__).resolve().parents[1] / "tests/data/first_screen"
LINES: Final = 12
WIDTH: Final = 80
LEAST_SHOWN, LEAST_SAID = 0.70, 0.80
MOST_DENIED: Final = 0.03
MOST_NEUTRAL: Final = 0.25
BASELINE_PASSAGES: Final = 12


@dataclass
class Count:
    """Counts of the benchmark."""

    answerable: int = 0
    shown: int = 0
    somewhere: int = 0
    false_denials: int = 0
    neutral: int = 0
    asserted: int = 0
    asserted_wrong: int = 0
    first: int = 0
    first_three: int = 0
    unanswerable: int = 0
    said: int = 0

    def add(self, other: "Count") -> None:
        """Add another folder's counts."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)

    def report(self) -> dict[str, float]:
        """Return the counts with shares."""
        shares = {
            "shown_share": round(self.shown / max(self.answerable, 1), 3),
            "neutral_share": round(self.neutral / max(self.answerable, 1), 3),
            "said_share": round(self.said / max(self.unanswerable, 1), 3),
        }
        return {**asdict(self), **shares}


def screen_of(result: Mapping[str, Any]) -> list[str]:
    """Return the non-blank lines of an answer as shown on a terminal."""
    page = StringIO()
    print_answer(Console(file=page, width=WIDTH, color_system=None), result)
    return [line.strip() for line in page.getvalue().splitlines() if line.strip()]


def holds(lines: list[str], pattern: str) -> bool:
    """Report whether lines contain an answer, regardless of line breaks."""
    bare = [line.removeprefix("│ ") for line in lines]
    return any(re.search(pattern, joint.join(bare)) for joint in (" ", ""))


def count_row(row: Mapping[str, Any], result: Mapping[str, Any]) -> tuple[Count, list[str]]:
    """Return the counts for a question, with the screen lines."""
    lines = screen_of(result)
    lead = result.get("lead")
    asserted = bool(result.get("asserted"))
    if not row.get("answerable", True):
        said = lead in {"neutral", "denial"} and not asserted
        return Count(unanswerable=1, said=int(said), asserted=int(asserted), asserted_wrong=int(asserted)), lines
    stated = f"\n{result.get('answer', '')}".partition("\n>")[0]
    return Count(
        answerable=1,
        shown=int(holds(lines[:LINES], row["answer"])),
        somewhere=int(holds(lines, row["answer"])),
        false_denials=int(lead == "denial"),
        neutral=int(lead == "neutral"),
        asserted=int(asserted),
        asserted_wrong=int(asserted and not re.search(row["answer"], stated)),
    ), lines


def rank_sentences(question: str, passages: Sequence[Evidence]) -> list[str]:
    """Rank sentences of passages by shared rare words with a question, as a baseline."""
    asked = set(terms(question))
    heads = [set(terms(f"{passage.heading} {Path(passage.source).stem}")) for passage in passages]
    rows = [
        (passage.text[a:b], head)
        for passage, head in zip(passages, heads, strict=True)
        for a, b in sentences(passage.text)
    ]
    spoken = [(text, set(terms(text)) | head) for text, head in rows]
    rarity = {term: math.log(1 + len(spoken) / (1 + sum(term in told for _, told in spoken))) for term in asked}
    spoken.sort(key=lambda item: -sum(rarity[term] for term in asked & item[1]))
    return [text for text, _ in spoken]


def is_miss(count: Count) -> bool:
    """Report whether a question had an undesired result."""
    return count.shown + count.said == 0 or count.false_denials > 0


def rows_of(folder: Path, *, held: bool | None) -> Iterator[dict[str, Any]]:
    """Yield the questions of a folder, all or only the held-out or open part."""
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if held is None or row["held"] is held:
            yield row


async def measure(folder: Path, *, held: bool | None, misses: bool) -> Count:
    """Ask every question of a folder."""
    graph, total = build_graph(), Count()
    context = Context(web=False, corpus=[str(folder / "documents")], telemetry=False)
    corpus = await open_corpus(Settings.resolve(context))
    for row in rows_of(folder, held=held):
        result = (await graph.ainvoke({"question": row["text"]}, context=context))["result"]
        count, lines = count_row(row, result)
        if count.answerable:
            ranked = rank_sentences(row["text"], await corpus.search(row["text"], BASELINE_PASSAGES))
            count.first, count.first_three = (int(holds(ranked[:most], row["answer"])) for most in (1, 3))
        total.add(count)
        if misses and is_miss(count):
            print(
                f"\n### {row['text']}  [{row['kind']}] wanted: {row.get('answer', 'to be told that it is not there')}"
            )
            print("\n".join(f"    {line}" for line in lines[: LINES + 4]))
    return total


async def main(given: argparse.Namespace) -> int:
    """Run the benchmark, print the figures and return the exit code."""
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
            f" {report['false_denials']}; neutral {report['neutral']} ({report['neutral_share']:.3f});"
            f" asserted {report['asserted']}, wrong {report['asserted_wrong']}; unanswerable recognised"
            f" {report['said']}/{report['unanswerable']} ({report['said_share']:.3f}); baseline: first sentence"
            f" {report['first']}, among three {report['first_three']}"
        )
    met = every["shown_share"] >= LEAST_SHOWN and every["said_share"] >= LEAST_SAID
    met = met and every["neutral_share"] <= MOST_NEUTRAL
    met = met and every["false_denials"] <= MOST_DENIED * every["answerable"] and every["shown"] > every["first_three"]
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
