"""Benchmark of asserted and shown answers without a model: counts and correctness.

    python benchmarks/asserted.py FOLDER… [--json] [--limit N] [--half 0|1] [--gate]

A folder is BEIR-shaped (`corpus.jsonl`, `queries.jsonl` whose rows have `answers`) or has `documents/` and
`questions.jsonl` (rows `_id text language answers type answerable`). Each question goes through the public graph in
this process. Of a type `list` all answers are needed, else one will do. A denial above passages that hold the answer
is a wrong assertion, too. For comparison there is one plain search over the same index: its three best passages, and
of each the sentence that shares most words with the question. Shares of gold on the screen are of the extractive
questions: those whose answer stands in some passage and is not yes or no.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from weiwo import build_graph
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, Language
from weiwo.state.settings import Context
from weiwo.text.language import sentences
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localized_section
from weiwo.text.terms import terms
from weiwo.text.values import coerce
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.evaluation.answer_matching import YES_NO, AnswerText
from weiwo.tools.corpus.loading import load_corpus

FOUND = 10
_DENIALS = ("denied", "none")
SHOWN = 3
MOST_WRONG, MOST_WRONG_OF_ASSERTED = 0.02, 0.05
"""Wrong assertions allowed, as a share of the questions and of what is asserted."""


@dataclass
class Question:
    """A question of a set."""

    text: str
    answers: list[str]
    type: str = ""
    answerable: bool = True
    language: Language = "en"

    def is_answered_by(self, texts: Sequence[str]) -> bool:
        """Report whether the texts together contain the answer."""
        said = AnswerText("\n\n".join(texts))
        return bool(self.answers) and (all if self.type == "list" else any)(map(said.says, self.answers))

    @property
    def boolean(self) -> bool:
        """Report whether the answer is yes or no."""
        return bool(self.answers) and {answer.casefold().strip() for answer in self.answers} <= YES_NO

    def right(self, statement: str) -> bool:
        """Report whether an asserted statement is the answer. Always false for an unanswerable question."""
        if not self.answerable:
            return False
        if self.boolean:
            with suppress(ValueError):
                return coerce(statement, "boolean") == coerce(self.answers[0], "boolean")
        return self.is_answered_by([statement]) and self._named_first(statement)

    def _named_first(self, statement: str) -> bool:
        """Report whether the right choice among the question's options is named before the wrong options."""
        said, offered = AnswerText(statement), AnswerText(self.text)
        if self.boolean or self.type == "list" or not any(map(offered.says, self.answers)):
            return True
        right = min(map(said.first, self.answers))
        named = [AnswerText(subject) for subject in parse_question(self.text, self.language).subjects]
        wrong = [item.text for item in named if not any(map(item.says, self.answers))]
        return all(right <= said.first(item) for item in wrong)


@dataclass
class Score:
    """Counts over a folder, or over all folders."""

    questions: int = 0
    extractive: int = 0
    right: int = 0
    wrong: int = 0
    false_denials: int = 0
    bold: int = 0
    passages: int = 0
    plain_bold: int = 0
    plain_passages: int = 0
    nothing: int = 0
    asserted: Counter[str] = field(default_factory=Counter)
    asserted_right: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Add another folder's counts."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def report(self) -> dict[str, Any]:
        """The figures by name."""
        questions, times = max(self.questions, 1), sorted(self.milliseconds) or [0.0]

        def gold(count: int) -> float:
            return round(count / max(self.extractive, 1), 4)

        return {
            "questions": self.questions,
            "extractive": self.extractive,
            "mechanisms": {
                name: {"asserted": n, "right": self.asserted_right[name]} for name, n in self.asserted.items()
            },
            "statuses": dict(self.statuses),
            "right_asserted": self.right,
            "wrong_asserted": self.wrong,
            "false_denials": self.false_denials,
            "wrong_share": round(self.wrong / questions, 4),
            "wrong_of_asserted": round(self.wrong / max(self.right + self.wrong, 1), 4),
            "gold_in_bold": gold(self.bold),
            "gold_in_passages": gold(self.passages),
            "plain_in_sentences": gold(self.plain_bold),
            "plain_in_passages": gold(self.plain_passages),
            "nothing_on_screen": self.nothing,
            "median_ms": round(median(times), 1),
            "p95_ms": round(times[int(0.95 * (len(times) - 1))], 1),
        }


def read(folder: Path, scratch: Path) -> tuple[Path, list[Question]]:
    """Read the documents and questions of a set.

    Documents that are rows of a file are written to `scratch`.
    """

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines() if line.strip()]

    documents = folder / "documents"
    if not documents.is_dir():
        documents = scratch / folder.name
        documents.mkdir()
        for row in rows("corpus.jsonl"):
            head = f"# {row['title']}\n\n" if row.get("title") else ""
            (documents / f"{row['_id']}.md").write_text(f"{head}{row['text']}\n", encoding="utf-8")
    listed = rows("questions.jsonl" if (folder / "questions.jsonl").exists() else "queries.jsonl")
    return documents, [
        Question(
            row["text"],
            [str(answer) for answer in row.get("answers") or []],
            str(row.get("type") or ""),
            bool(row.get("answerable", True)),
            row.get("language") or detect_language(row["text"]),
        )
        for row in listed
    ]


def plain_sentences(question: str, passages: Sequence[Evidence]) -> Iterator[str]:
    """Yield the sentence with most words of the question for each passage."""
    wanted = set(terms(question))
    for passage in passages:
        said = [passage.text[start:end] for start, end in sentences(passage.text)]
        yield max(said, key=lambda item: len(wanted & set(terms(item))), default="")


def read_statement(result: dict[str, Any]) -> str:
    """Return the assertion of an answer: the checked claims, or else the text above the quoted passages."""
    claims = " ".join(str(claim["text"]) for claim in result.get("claims") or [])
    return claims or f"\n{result.get('answer', '')}".partition("\n>")[0]


def denies(answer: str) -> bool:
    """Report whether an answer denies any occurrence, in either language."""
    leads = (words[lead] for words in localized_section("writer.rule_answer.leads").values() for lead in _DENIALS)
    patterns = (re.sub(r"\\\{\w*\\\}", ".{1,200}?", re.escape(lead)) for lead in leads)
    return any(re.search(pattern, " ".join(answer.split())) for pattern in patterns)


async def ask(graph: Any, question: Question, corpus: Corpus, context: Context, score: Score) -> None:
    """Ask a question, and count the result."""
    started = time.perf_counter()
    result = (await graph.ainvoke({"question": question.text}, context=context))["result"]
    score.milliseconds.append((time.perf_counter() - started) * 1e3)
    found = await corpus.search(question.text, FOUND)
    shown = result.get("extracts") or []
    asserted = list(result.get("asserted") or [])
    score.questions += 1
    score.statuses[str(result.get("status"))] += 1
    denied = question.answerable and denies(str(result.get("answer", "")))
    if denied and question.is_answered_by([item["text"] for item in shown]):  # what is said of the sources is false
        score.wrong += 1
        score.false_denials += 1
    score.nothing += not shown and not asserted and question.type != "small_talk"
    if asserted:
        right = question.right(read_statement(result))
        score.right += right
        score.wrong += not right
        for name in dict.fromkeys(asserted):
            score.asserted[name] += 1
            score.asserted_right[name] += right
    if question.answerable and not question.boolean and await _extractive(question, corpus):
        score.extractive += 1
        score.bold += question.is_answered_by(
            [item["text"][start:end] for item in shown for start, end in item["highlights"]]
        )
        score.passages += question.is_answered_by([item["text"] for item in shown])
        score.plain_bold += question.is_answered_by(list(plain_sentences(question.text, found[:SHOWN])))
        score.plain_passages += question.is_answered_by([passage.text for passage in found[:SHOWN]])


_whole: dict[int, AnswerText] = {}


async def _extractive(question: Question, corpus: Corpus) -> bool:
    """Report whether the answer occurs in the corpus."""
    if id(corpus) not in _whole:
        opened = [await corpus.open(source, "", 10_000) for source in corpus.documents]
        _whole[id(corpus)] = AnswerText("\n\n".join(passage.text for found in opened for passage in found))
    said = map(_whole[id(corpus)].says, question.answers)
    return all(said) if question.type == "list" else any(said)


async def measure(folder: Path, scratch: Path, limit: int | None, half: int | None) -> Score:
    """Ask every question of a folder."""
    documents, questions = await asyncio.to_thread(read, folder, scratch)
    chosen = (questions if half is None else questions[half::2])[:limit]
    context = Context(web=False, corpus=[str(documents)], telemetry=False)
    corpus = await load_corpus((str(documents),))
    graph, score = build_graph(), Score()
    for question in chosen[:2]:  # warm-up
        await ask(graph, question, corpus, context, Score())
    for question in chosen:
        await ask(graph, question, corpus, context, score)
    return score


def print_report(name: str, report: dict[str, Any]) -> None:
    """Print a folder's figures."""
    print(f"\n{name}: {report['questions']} questions, {report['extractive']} extractive; {report['statuses']}")
    for mechanism, counts in sorted(report["mechanisms"].items()):
        print(f"  {mechanism:<32}{counts['right']:>4} right of {counts['asserted']}")
    print(
        f"  asserted: {report['right_asserted']} right, {report['wrong_asserted']} wrong"
        f" ({report['wrong_share']:.1%} of the questions, {report['wrong_of_asserted']:.1%} of what is asserted),"
        f" of these {report['false_denials']} denials of what is on the screen"
    )
    print(
        f"  gold in bold {report['gold_in_bold']:.3f} (plain search {report['plain_in_sentences']:.3f}), in passages"
        f" {report['gold_in_passages']:.3f} ({report['plain_in_passages']:.3f});"
        f" nothing on screen {report['nothing_on_screen']};"
        f" median {report['median_ms']} ms, p95 {report['p95_ms']} ms"
    )


async def main(given: argparse.Namespace) -> int:
    """Run the benchmark, print the figures and return the exit code."""
    total, reports = Score(), {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        os.environ["WEIWO_HOME"] = str(Path(scratch) / "home")
        for folder in given.folders:
            score = await measure(folder, Path(scratch), given.limit, given.half)
            reports[folder.name] = score.report()
            total.add(score)
    reports["all"] = every = total.report()
    if given.json:
        print(json.dumps(reports, ensure_ascii=False))
    for name, report in () if given.json else reports.items():
        print_report(name, report)
    over = every["wrong_share"] > MOST_WRONG or every["wrong_of_asserted"] > MOST_WRONG_OF_ASSERTED
    return int(given.gate and over)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--limit", type=int, help="questions of each folder at most")
    parser.add_argument("--half", type=int, choices=(0, 1), help="even (0) or odd (1) rows alone")
    parser.add_argument("--gate", action="store_true", help="exit with 1 where too much is wrong")
    sys.exit(asyncio.run(main(parser.parse_args())))
