"""How well the static score finds a question's level, beside the weights the paper prints.

    python benchmarks/complexity.py [FILE…]

Each FILE holds one JSON object a line with `question`, `language` and `level`; without one, the labelled questions of
the tests are used. The baseline is the sketch of arXiv 2506.17188 over the same features: 0.1 length + 0.2 question
words + 0.2 entities + 0.2 comparison + 0.15 calculation + 0.15 steps.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from nodes.complexity import level_of, static_features, static_score  # noqa: E402 - runs from any directory

LEVELS: Final = ("simple", "moderate", "complex")
PAPER: Final = {
    "length": 0.1,
    "question_words": 0.2,
    "entities": 0.2,
    "comparison": 0.2,
    "calculation": 0.15,
    "multi_step": 0.15,
}

Score = Callable[[dict[str, float]], float]


def paper_score(features: dict[str, float]) -> float:
    """The score as the paper prints it."""
    return sum(weight * features[name] for name, weight in PAPER.items())


def read(path: Path) -> list[tuple[str, str, str]]:
    """Question, language and level of each line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(row["question"], row["language"], row["level"]) for row in rows]


def report(title: str, rows: list[tuple[str, str, str]], score: Score) -> None:
    """Print one confusion matrix and the accuracy per language."""
    counts = Counter((level, level_of(score(static_features(question)))) for question, _, level in rows)
    print(f"\n{title}\n{'labelled':>12} | {' '.join(f'{level:>9}' for level in LEVELS)}")
    for level in LEVELS:
        print(f"{level:>12} | {' '.join(f'{counts[level, given]:>9}' for given in LEVELS)}")
    for language in ("en", "zh", "all"):
        of_it = [row for row in rows if language in {row[1], "all"}]
        right = sum(level_of(score(static_features(question))) == level for question, _, level in of_it)
        if of_it:
            print(f"{language:>12} | {right}/{len(of_it)} = {right / len(of_it):.3f}")


def main() -> None:
    """Print both judges for every file."""
    for path in [Path(name) for name in sys.argv[1:]] or [ROOT / "tests/data/questions.jsonl"]:
        rows = read(path)
        print(f"{path.name}: {len(rows)} questions")
        report("Weiwo", rows, static_score)
        report("the paper's sketch", rows, paper_score)


if __name__ == "__main__":
    main()
