"""Hard cases: the questions of live use that retrieval served badly, written as a BEIR-shaped set to be labelled.

A case is hard where nothing was found, where the answer cites nothing of what was found (also because the plan had to
be made anew), or where a person said that the answer was bad. The set holds the whole corpus and, for each question,
the documents that were found as candidates; who knows the documents judges them (`weiwo eval label`), and
`weiwo eval retrieval FOLDER --learn` feeds them back.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weiwo.tools.corpus.evaluation.dataset import DatasetError
from weiwo.tools.corpus.retrieval.feedback import last_verdicts
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.printable import printable

CANDIDATES: Final = "candidates.tsv"
QRELS: Final = "qrels.tsv"
MOST_CASES: Final = 1_000
_LONGEST: Final = 10_000
"""Passages of one document."""


@dataclass(frozen=True, slots=True)
class HardCase:
    """A question that was served badly.

    Attributes:
        query: What was looked for.
        reasons: Of `no_passage`, `not_cited`, `replanned`, `bad_feedback`, those that hold.
        passages: The evidence ids that were found, best first.
    """

    query: str
    reasons: tuple[str, ...]
    passages: tuple[str, ...]


def collect_hard_cases(records: Iterable[Mapping[str, Any]], feedback: Iterable[Mapping[str, Any]]) -> list[HardCase]:
    """The hard cases among telemetry records, the newest `MOST_CASES` first, each query once.

    Args:
        records: The records, oldest first.
        feedback: What people said of answers, oldest first.
    """
    good = last_verdicts(feedback)
    found: dict[str, HardCase] = {}
    for record in reversed(list(records)):
        query = " ".join(printable(str(record.get("query") or "")).split())
        if not query or record.get("error") or query in found:
            continue
        reasons = {
            "no_passage": not record["passages"],
            "not_cited": record["passages"] and record["cited"] == [],
            "replanned": record.get("replanned", False) and not record["cited"],
            "bad_feedback": good.get(record["run"]) is False,
        }
        told = tuple(name for name, holds in reasons.items() if holds)
        if told:
            found[query] = HardCase(query, told, tuple(record["passages"]))
        if len(found) >= MOST_CASES:
            break
    return list(found.values())


async def export_hard_cases(corpus: IndexedCorpus, cases: Sequence[HardCase], folder: Path) -> None:
    """Write a set to be labelled: `corpus.jsonl`, `queries.jsonl`, `candidates.tsv` and a `qrels.tsv` without a line.

    Raises:
        DatasetError: The folder holds something, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - nothing else runs in the loop of this command
        if any(folder.iterdir()):  # noqa: ASYNC240 - the same
            raise DatasetError(f"{folder}: it is not empty; name another folder")
        sources: dict[str, str] = {}
        with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
            for source in corpus.documents:
                passages = await corpus.open(source, "", _LONGEST)
                sources |= {passage.id: source for passage in passages}
                text = "\n\n".join(passage.text for passage in passages)
                title = passages[0].title if passages else ""
                out.write(json.dumps({"_id": source, "title": title, "text": text}) + "\n")
        with (
            (folder / "queries.jsonl").open("w", encoding="utf-8") as queries,
            (folder / CANDIDATES).open("w", encoding="utf-8") as candidates,
        ):
            candidates.write("query-id\tcorpus-id\trank\n")
            for number, case in enumerate(cases, 1):
                row = {"_id": f"hard-{number}", "text": case.query, "reasons": list(case.reasons)}
                queries.write(json.dumps(row) + "\n")
                found = dict.fromkeys(sources[key] for key in case.passages if key in sources)
                candidates.writelines(f"hard-{number}\t{source}\t{rank}\n" for rank, source in enumerate(found, 1))
        (folder / QRELS).write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"{folder}: {error.strerror or error}; name another folder") from None
