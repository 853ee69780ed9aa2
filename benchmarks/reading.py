"""How well the rule reader reads: answered share, accuracy of what it answers, and how often it invents.

    python benchmarks/reading.py FOLDER…

A folder holds `queries.jsonl` (`_id text answers`, optionally a `decomposition` into sub-questions), `corpus.jsonl`
(`_id title text`) and `qrels.tsv`, as the BEIR sets do. Each question is read twice: over its supporting passages mixed
with distractors, then over distractors alone, where every answer is invented. Distractors are the passages that share
most words with the question and hold none of the answers. Of decompositions, the single-hop questions are read, which
are those without a reference such as #1. The baseline takes the first name, number or date of the first passage.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nodes.rules.read import read
from nodes.rules.reading.asked import analyse
from nodes.rules.words import terms
from state import Evidence, ValueType, passage_id
from text.dates import find_dates
from text.language import detect_language, fold
from text.names import names
from text.numbers import find_numbers

DISTRACTORS = 4
TYPES: dict[str, ValueType] = {"date": "date", "number": "number"}


@dataclass
class Item:
    """A question with its gold answers and supporting passages."""

    question: str
    answers: list[str]
    gold: list[str]


@dataclass
class Tally:
    """Counts over one folder."""

    asked: int = 0
    answered: int = 0
    exact: int = 0
    contained: int = 0
    invented: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """One row of the printed table."""
        answered = max(1, self.answered)
        asked = max(1, self.asked)
        return (
            f"{name:28} {self.asked:5} {self.answered / asked:9.2f} {self.exact / answered:7.2f} "
            f"{self.contained / answered:10.2f} {self.contained / asked:8.2f} {self.invented / asked:9.2f} "
            f"{1000 * self.seconds / asked:7.1f}"
        )


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def items(folder: Path) -> Iterator[Item]:
    """The questions of a folder."""
    gold: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if int(score) > 0:
            gold.setdefault(query, []).append(passage)
    for query in records(folder / "queries.jsonl"):
        support = gold.get(query["_id"], [])
        hops = query.get("decomposition")
        if hops:
            for hop in hops:
                if "#" not in hop["question"]:
                    yield Item(hop["question"], [hop["answer"]], support)
        else:
            yield Item(query["text"], query["answers"], support)


def plain(text: str) -> str:
    """Text as answers are compared: folded, without articles and punctuation."""
    return " ".join(w for w in re.findall(r"\w+", fold(text)) if w not in {"the", "a", "an", "in", "under"})


def right(value: object, answers: Sequence[str]) -> tuple[bool, bool]:
    """Whether a value equals a gold answer, and whether it contains one (or, being a number or date, means one)."""
    shown = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    mine = plain(shown)
    exact = any(plain(a) == mine for a in answers)
    if exact or any(plain(a) and plain(a) in mine for a in answers):
        return exact, True
    for answer in answers:
        if isinstance(value, int | float) and any(
            abs(span.value - value) <= 0.005 * abs(value) for span in find_numbers(answer)
        ):
            return True, True
        if any(shown.startswith(span.date.iso()) for span in find_dates(answer)):
            return True, True
        day = re.search(r"(\d{1,2})月(\d{1,2})日", answer)
        if day and shown.endswith(f"-{int(day[1]):02}-{int(day[2]):02}"):
            return True, True
    return False, False


def kind_of(question: str) -> ValueType:
    """The type a plan would give the question."""
    if re.search(r"哪些|都有谁|有谁", question):
        return "list[text]"
    return TYPES.get(analyse(question, "text").kind or "", "text")


def first_thing(passages: Sequence[Evidence], type_: ValueType) -> object:
    """The baseline: the first date, number or name of the first passage."""
    text = passages[0].text
    if type_ == "date":
        return next((span.date.iso() for span in find_dates(text)), None)
    if type_ == "number":
        return next((span.value for span in find_numbers(text)), None)
    return next((name.text for name in names(text)), None)


def measure(folder: Path, *, limit: int) -> tuple[Tally, Tally, list[str]]:
    """Read every question of a folder with the rules and with the baseline; also the wrong answers, for inspection."""
    corpus = {
        row["_id"]: Evidence(
            id=passage_id(row["text"]), text=row["text"], source=row["_id"], title=row.get("title", "")
        )
        for row in records(folder / "corpus.jsonl")
        if row["text"].strip()
    }
    bags = {key: frozenset(terms(f"{p.title} {p.text}")) for key, p in corpus.items()}
    rules, baseline, notes = Tally(), Tally(), []
    for item in list(items(folder))[:limit]:
        language = detect_language(item.question)
        type_ = kind_of(item.question)
        wanted = set(terms(item.question))
        near = sorted(bags, key=lambda key: (-len(wanted & bags[key]), key))
        others = [
            corpus[key]
            for key in near
            if key not in item.gold and not any(plain(a) in plain(corpus[key].text) for a in item.answers)
        ][: DISTRACTORS + 1]
        support = [corpus[key] for key in item.gold if key in corpus][:6]
        mixed = [passage for pair in zip(support, others, strict=False) for passage in pair]
        mixed += [p for p in (*support, *others[:DISTRACTORS]) if p not in mixed]
        began = time.perf_counter()
        reading = read(item.question, type_, mixed, language)
        rules.seconds += time.perf_counter() - began
        invented = read(item.question, type_, others, language)
        outcomes = ((rules, reading.value), (baseline, first_thing(mixed, type_)))
        for tally, found in outcomes:
            tally.asked += 1
            if found is not None:
                exact, contained = right(found, item.answers)
                tally.answered += 1
                tally.exact += exact
                tally.contained += contained
        rules.invented += invented.value is not None
        baseline.invented += first_thing(others, type_) is not None
        good = reading.value is not None and right(reading.value, item.answers)[1]
        mark = "ok  " if good else ("none" if reading.value is None else "BAD ")
        notes.append(f"{mark} {item.question} | {item.answers} | {reading.value!r:.120} {reading.confidence}")
        if invented.value is not None:
            words = invented.quotes[0].text[:160] if invented.quotes else ""
            notes.append(f"INV  {item.question} | {invented.value!r:.100} {invented.confidence} | {words}")
    return rules, baseline, notes


def main() -> None:
    """Read the arguments, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=10_000, help="questions of each folder")
    parser.add_argument("--show", action="store_true", help="print every question with what was read")
    arguments = parser.parse_args()
    print(
        f"{'':28} {'asked':>5} {'answered':>9} {'exact':>7} {'contained':>10} {'of all':>8} {'invented':>9} {'ms':>7}"
    )
    for folder in arguments.folders:
        rules, baseline, notes = measure(folder, limit=arguments.limit)
        print(rules.line(f"{folder.name}: rules"))
        print(baseline.line(f"{folder.name}: first thing"))
        if arguments.show:
            print("\n".join(notes))


if __name__ == "__main__":
    main()
