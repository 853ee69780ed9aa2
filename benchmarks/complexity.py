"""Benchmark of the static complexity score, compared with the weights printed in the paper.

    python benchmarks/complexity.py [FILE…]

It measures how well the score finds a question's level. Each FILE holds one JSON object a line with `question`,
`language` and `level`. Without a file, the labelled questions of the tests are used. The baseline is the sketch of
arXiv 2506.17188 over the same features, without question words: 0.1 length + 0.2 entities + 0.2 comparison + 0.15
calculation + 0.15 steps, of 0.8.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

from weiwo.nodes.master.complexity import classify_level, compute_static_score, extract_static_features  # noqa: E402
from weiwo.nodes.shared.question.parser import parse_question  # noqa: E402

LEVELS: Final = ("simple", "moderate", "complex")
PAPER: Final = {
    "length": 0.1,
    "entities": 0.2,
    "comparison": 0.2,
    "calculation": 0.15,
    "multi_step": 0.15,
}

Score = Callable[[dict[str, float]], float]
Row = tuple[str, str, dict[str, float]]
"""Language, level and features of a question."""


def paper_score(features: dict[str, float]) -> float:
    """Return the score as printed in the paper."""
    return sum(weight * features[name] for name, weight in PAPER.items()) / sum(PAPER.values())


def read(path: Path) -> list[Row]:
    """Language, level and features of each line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        (row["language"], row["level"], extract_static_features(parse_question(row["question"], row["language"])))
        for row in rows
    ]


def report(title: str, rows: list[Row], score: Score) -> None:
    """Print a confusion matrix and the accuracy per language."""
    counts = Counter((level, classify_level(score(features))) for _, level, features in rows)
    print(f"\n{title}\n{'labelled':>12} | {' '.join(f'{level:>9}' for level in LEVELS)}")
    for level in LEVELS:
        print(f"{level:>12} | {' '.join(f'{counts[level, given]:>9}' for given in LEVELS)}")
    for language in ("en", "zh", "all"):
        of_it = [row for row in rows if language in {row[0], "all"}]
        right = sum(classify_level(score(features)) == level for _, level, features in of_it)
        if of_it:
            print(f"{language:>12} | {right}/{len(of_it)} = {right / len(of_it):.3f}")


def main() -> None:
    """Print both judges for every file."""
    for path in [Path(name) for name in sys.argv[1:]] or [ROOT / "tests/data/questions.jsonl"]:
        rows = read(path)
        print(f"{path.name}: {len(rows)} questions")
        report("Weiwo", rows, compute_static_score)
        report("the paper's sketch", rows, paper_score)


if __name__ == "__main__":
    main()
