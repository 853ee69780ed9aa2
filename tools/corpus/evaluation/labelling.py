"""Labelling: the candidates of hard cases that nobody has judged yet, and a line for each judgement.

A judgement is a line of `qrels.tsv`, 1 for a document that answers and 0 for one that does not; sets are read as ever,
and what has a line is not asked again.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weiwo.tools.corpus.evaluation.dataset import (
    DatasetDocument,
    DatasetError,
    read_documents,
    read_lines,
    read_queries,
)
from weiwo.tools.corpus.evaluation.hard_cases import CANDIDATES, QRELS


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that was found for a question.

    Attributes:
        query_id: The question's id in the set.
        query: The question.
        document: The document.
    """

    query_id: str
    query: str
    document: DatasetDocument


def read_candidates(folder: Path) -> tuple[list[Candidate], int]:
    """The candidates that are not judged yet, question by question, and how many are.

    Raises:
        DatasetError: The folder is no export of hard cases, or broken.
    """
    if not (folder / CANDIDATES).is_file():
        raise DatasetError(f"{folder}: it holds no {CANDIDATES}; weiwo telemetry --hard FOLDER writes such a folder")
    judged = set(_read_pairs(folder / QRELS)) if (folder / QRELS).is_file() else set()
    pairs = list(dict.fromkeys(_read_pairs(folder / CANDIDATES)))
    left = [pair for pair in pairs if pair not in judged]
    queries = read_queries(folder)
    wanted = {document for _, document in left}
    documents = {one.id: one for one in read_documents(folder) if one.id in wanted}
    found = [
        Candidate(query, queries[query], documents[document])
        for query, document in left
        if query in queries and document in documents
    ]
    return found, len(pairs) - len(left)


def append_judgement(folder: Path, candidate: Candidate, *, answers: bool) -> None:
    """Write a judgement down, behind the last whole line.

    Raises:
        DatasetError: It cannot be written.
    """
    path = folder / QRELS
    try:
        if (whole := path.read_bytes()) and not whole.endswith(b"\n"):
            os.truncate(path, whole.rfind(b"\n") + 1)
        with path.open("ab") as file:
            file.write(f"{candidate.query_id}\t{candidate.document.id}\t{int(answers)}\n".encode())
    except OSError as error:
        raise DatasetError(f"{path}: it cannot be written ({error.strerror or error})") from None


def _read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Question and document of each line but the heading."""
    for number, line in read_lines(path):
        fields = line.rstrip("\r\n").split("\t")
        if number > 1 and len(fields) > 1:
            yield fields[0], fields[1]
