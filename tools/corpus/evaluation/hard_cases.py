"""Hard cases: poorly served questions of live use, exported as a BEIR-shaped set with labels.

A case is hard if nothing was found, if the answer cites nothing of what was found (also because the plan had to
be made anew), or if a person said that the answer was bad. The set holds the whole corpus and, for each question,
the found documents as candidates. A person who knows the documents judges them (`weiwo eval retrieval FOLDER
--label`). A judgement is a line of `qrels.tsv`, 1 for a document that answers and 0 for one that does not. A judged
pair is not asked again, and `weiwo eval retrieval FOLDER --learn` feeds the lines back.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weiwo.text.printable import printable
from weiwo.tools.corpus.evaluation.dataset import (
    DatasetDocument,
    DatasetError,
    read_documents,
    read_lines,
    read_queries,
)
from weiwo.tools.corpus.retrieval.feedback import last_verdicts
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

_CANDIDATES: Final = "candidates.tsv"
_QRELS: Final = "qrels.tsv"
_MOST_CASES: Final = 1_000
_LONGEST: Final = 10_000
"""Maximum number of passages exported of a document."""


@dataclass(frozen=True, slots=True)
class _HardCase:
    """A query with a poor search result or a poor answer."""

    query: str
    reasons: tuple[str, ...]  # at least one of `no_passage`, `not_cited`, `replanned`, `bad_feedback`
    passages: tuple[str, ...]  # ids of the evidence found, best first


def collect_hard_cases(records: Iterable[Mapping[str, Any]], feedback: Iterable[Mapping[str, Any]]) -> list[_HardCase]:
    """Return the hard cases among telemetry records, newest first, at most `_MOST_CASES`, each query once."""
    good = last_verdicts(feedback)
    found: dict[str, _HardCase] = {}
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
            found[query] = _HardCase(query, told, tuple(record["passages"]))
        if len(found) >= _MOST_CASES:
            break
    return list(found.values())


async def export_hard_cases(corpus: IndexedCorpus, cases: Sequence[_HardCase], folder: Path) -> None:
    """Write a set to be labelled: `corpus.jsonl`, `queries.jsonl`, `candidates.tsv`, and a `qrels.tsv` with a header.

    Raises:
        DatasetError: The folder is not empty, or cannot be written.
    """
    try:
        _make_folder(folder)
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
            (folder / _CANDIDATES).open("w", encoding="utf-8") as candidates,
        ):
            candidates.write("query-id\tcorpus-id\trank\n")
            for number, case in enumerate(cases, 1):
                row = {"_id": f"hard-{number}", "text": case.query, "reasons": list(case.reasons)}
                queries.write(json.dumps(row) + "\n")
                found = dict.fromkeys(sources[key] for key in case.passages if key in sources)
                candidates.writelines(f"hard-{number}\t{source}\t{rank}\n" for rank, source in enumerate(found, 1))
        (folder / _QRELS).write_text("query-id\tcorpus-id\tscore\n", encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"{folder}: {error.strerror or error}; choose another folder") from None


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise DatasetError(f"{folder} is not empty; choose another folder")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document found for a question, to be judged by a person."""

    query_id: str
    query: str
    document: DatasetDocument


def read_candidates(folder: Path) -> tuple[list[Candidate], int]:
    """Return the unjudged candidates, question by question, and the number of judged candidates.

    Raises:
        DatasetError: The folder was not made by `export_hard_cases`, or a file is broken.
    """
    if not (folder / _CANDIDATES).is_file():
        raise DatasetError(f"{folder} has no {_CANDIDATES}; create such a folder with weiwo stats --hard FOLDER")
    judged = set(_read_pairs(folder / _QRELS)) if (folder / _QRELS).is_file() else set()
    pairs = list(dict.fromkeys(_read_pairs(folder / _CANDIDATES)))
    left = [pair for pair in pairs if pair not in judged]
    queries = read_queries(folder)
    wanted = {document for _, document in left}
    documents = {document.id: document for document in read_documents(folder) if document.id in wanted}
    found = [
        Candidate(query, queries[query], documents[document])
        for query, document in left
        if query in queries and document in documents
    ]
    return found, len(pairs) - len(left)


def append_judgement(folder: Path, candidate: Candidate, *, answers: bool) -> None:
    """Append a judgement to `qrels.tsv`. A last line that an interruption left incomplete is cut off first.

    Raises:
        DatasetError: The file cannot be written.
    """
    path = folder / _QRELS
    try:
        if (whole := path.read_bytes()) and not whole.endswith(b"\n"):
            os.truncate(path, whole.rfind(b"\n") + 1)
        with path.open("ab") as file:
            file.write(f"{candidate.query_id}\t{candidate.document.id}\t{int(answers)}\n".encode())
    except OSError as error:
        raise DatasetError(f"{path} cannot be written ({error.strerror or error})") from None


def _read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the question id and document id of each line after the header."""
    for number, line in read_lines(path):
        fields = line.rstrip("\r\n").split("\t")
        if number > 1 and len(fields) > 1:
            yield fields[0], fields[1]
