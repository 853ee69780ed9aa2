"""Benchmark of forty questions in ten languages, with and without an obedient scripted model.

    python benchmarks/languages.py [--misses] [--json]

Three of four questions of a language are over a document in that language, the fourth over an English one
(`tests/data/languages/questions.toml`). The model finds the passage and writes in the language that its prompt names. A
result with the model is right if the answer is that sentence, in the question's language and complete, and no value was
refused. A result without the model is right if the passage is shown, its type is text, and the language that the
program reports for the question is the question's. Over the English document, three more are counted: whether the
language of the documents is named, in a question that shares a name with them. The exit code is 1 if a question is
missed.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.fake_model import FakeModel
from tests.support.languages import ROWS, WORLD, obeying, write_documents
from weiwo import build_graph
from weiwo.state.settings import Context

_MARK = re.compile(r"\*\*| ?\[\d\]")
KINDS = {
    "with a model": "answered in the question's language, nothing refused",
    "without": "without a model: the passage shown",
    "named": "without a model, over English: the other language named",
}


async def ask(folder: Path, question: str, model: FakeModel | None) -> dict[str, Any]:
    """Return the result of a question over a folder."""
    context = Context(corpus=[str(folder)], web=False, telemetry=False)
    values = await build_graph(models=model).ainvoke({"question": question}, context=context)
    result: dict[str, Any] = values["result"]
    return result


async def judge(language: str, row: dict[str, str]) -> dict[str, bool]:
    """Judge a question and report by kind whether the result is right.

    The third kind exists only for a question over the English document.
    """
    model = obeying(language, row)
    with tempfile.TemporaryDirectory() as place:
        folder = write_documents(Path(place), language, row)
        told, shown = await ask(folder, row["question"], model), await ask(folder, row["question"], None)
    answered = row["answer"].rstrip("。.।") in _MARK.sub("", told["answer"])
    complete = (told["language"], told["status"]) == (language, "complete") and len(model.asked("ReadReply")) <= 1
    held = row["quote"] in _MARK.sub("", shown["answer"]) and shown["language"] == language
    held = held and shown["plan"]["vertices"][0]["ret"] == "text"
    right = {"with a model": answered and complete, "without": held}
    if row["quote"] not in WORLD[language]["document"]:
        right["named"] = any(gap["kind"] == "language" for gap in shown["gaps"])
    return right


async def measure(*, misses: bool) -> dict[str, dict[str, tuple[int, int]]]:
    """Count the right results and all results of each kind, by language."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for language, row in ROWS:
        for kind, right in (await judge(language, row)).items():
            held, of = counts.setdefault(kind, {}).get(language, (0, 0))
            counts[kind][language] = (held + right, of + 1)
            if misses and not right:
                print(f"missed {kind}: {language} {row['question']}", file=sys.stderr)
    return counts


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print the questions that were missed")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"WEIWO_HOME": home, "WEIWO_EMBEDDINGS": ""}
        counts = asyncio.run(measure(misses=options.misses))
    if options.json:
        print(json.dumps(counts))
    else:
        print(f"| | {' | '.join(WORLD)} |\n| {'--- | ' * (len(WORLD) + 1)}".rstrip())
        for kind, by_language in counts.items():
            cells = " | ".join(f"{held} of {of}" for held, of in by_language.values())
            print(f"| {KINDS[kind]} | {cells} |")
    return int(any(held < of for by_language in counts.values() for held, of in by_language.values()))


if __name__ == "__main__":
    sys.exit(main())
