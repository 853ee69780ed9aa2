"""How often a rule-only run answers right, by shape of question and language.

    python benchmarks/answers.py [QUESTIONS.jsonl [CORPUS…]] [--show]

Each line of QUESTIONS has `question`, `language`, `shape`, `answers` (one of which must occur, or all if `all` is
true; none for an unanswerable question, which must end `partial` and cite nothing for it). Beside it, in the same
run, what one search with the whole question and the best sentence of the best passage would have said.
"""

import asyncio
import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from graph import graph
from nodes.rules.words import coverage, terms
from state.settings import Context
from text.language import fold, sentences
from tools.corpus import load_corpus

ROOT = Path(__file__).parents[1]


def contains(answer: str, wanted: str) -> bool:
    """Whether an answer says it; a number only as a whole number."""
    edge = r"(?<![\d.,])" if wanted[:1].isdigit() else ""
    end = r"(?![\d]|[.,]\d)" if wanted[-1:].isdigit() else ""
    return re.search(edge + re.escape(fold(wanted)) + end, fold(answer)) is not None


def right(item: dict[str, Any], answer: str, status: str) -> bool:
    """Whether an answer is what the question's line asks for."""
    if item["shape"] == "unanswerable":
        return status == "partial"
    if item["shape"] == "simple":
        return status == "complete"
    plain = re.sub(r"\s?\[\d+\]", "", answer)
    first = re.split(r"(?<=[.。!?])\s|。", plain)[0]
    text = first if item["shape"] in {"comparison", "superlative"} else plain
    said = [contains(text, wanted) for wanted in item["answers"]]
    return all(said) if item.get("all") else any(said)


async def one_search(question: str, corpus: Any) -> str:
    """The baseline: the sentence of the best passage that shares most words with the question."""
    found = await corpus.search(question, 1)
    if not found:
        return ""
    text, wanted = found[0].text, set(terms(question))
    return max((text[a:b] for a, b in sentences(text)), key=lambda said: coverage(wanted, set(terms(said))), default="")


async def main(items: list[dict[str, Any]], corpus_paths: list[str], *, show: bool) -> None:
    """Ask everything and print the table."""
    corpus = await load_corpus(tuple(corpus_paths))
    score: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    levels = 0
    started = time.perf_counter()
    for item in items:
        context = Context(web=False, corpus=corpus_paths or None)
        result = (await graph.ainvoke({"question": item["question"]}, context=context))["result"]
        ok = right(item, result["answer"], result["status"])
        levels += item.get("level") == result["level"]
        base = right(item, await one_search(item["question"], corpus), "complete")
        score[item["shape"], item["language"]].append((ok, base))
        if show and not ok:
            print(f"- {item['question']}\n  wanted {item['answers']}, {result['status']}: {result['answer']}")
    seconds = time.perf_counter() - started
    print(f"{'shape':14}{'language':10}{'right':>8}{'of':>5}{'one search':>12}")
    for (shape, language), pairs in sorted(score.items()):
        print(f"{shape:14}{language:10}{sum(a for a, _ in pairs):8}{len(pairs):5}{sum(b for _, b in pairs):12}")
    every = [pair for pairs in score.values() for pair in pairs]
    print(f"{'all':14}{'':10}{sum(a for a, _ in every):8}{len(every):5}{sum(b for _, b in every):12}")
    print(f"levels right: {levels} of {len(items)}; {1000 * seconds / len(items):.0f} ms a question")


if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--show"]
    questions = Path(names[0]) if names else ROOT / "tests" / "data" / "corpus_questions.jsonl"
    lines = [json.loads(line) for line in questions.read_text().splitlines()]
    asyncio.run(main(lines, names[1:], show="--show" in sys.argv))
