"""BEIR datasets: documents, questions, and relevance judgements.

`corpus.jsonl` (`_id title text`) is read line by line, so that its size does not matter. Questions and judgements, in
`queries.jsonl` (`_id text`) and `qrels.tsv` or `qrels/test.tsv` (question, document, score), are held in memory.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from weiwo.text.printable import one_line, printable
from weiwo.tools.corpus.base import CorpusError

_LONGEST_LINE: Final = 50_000_000
_DEMO: Final = Path(__file__).parent / "demo"
"""107 pages of an operations wiki, English and Chinese, and 48 labelled queries: identifiers, mixed, natural."""
_CORPUS: Final = "corpus.jsonl"
_QUERIES: Final = "queries.jsonl"
_QRELS: Final = ("qrels.tsv", "qrels/test.tsv")


class DatasetError(CorpusError):
    """Error for a folder without a usable set.

    The message is one line: the object, the cause, the fix.
    """


class DatasetDocument(NamedTuple):
    """A document of the set. The title may be empty."""

    id: str
    title: str
    text: str


class _DatasetQuestion(NamedTuple):
    """A judged question of the set."""

    id: str
    text: str
    relevant: dict[str, int]  # gain of each relevant document, by document id
    row: Mapping[str, Any] = MappingProxyType({})  # the question's object in `queries.jsonl`


def locate_dataset(name: str) -> Path:
    """Return the folder of a set. `demo` is the bundled set, unless the current folder has a set `demo`."""
    path = Path(name).expanduser()
    return _DEMO if name == _DEMO.name and not (path / _CORPUS).is_file() else path


class Dataset:
    """A BEIR-shaped set on disk."""

    def __init__(self, folder: Path) -> None:
        """Read the questions and judgements of a set. Questions without a relevant document are left out.

        Raises:
            DatasetError: The folder or a file is missing, or a line is broken. The message names file and line.
        """
        self.folder = folder
        self.name = folder.resolve().name
        if not folder.is_dir():
            raise DatasetError(f"{folder} does not exist; give a folder with {_CORPUS}, {_QUERIES} and {_QRELS[0]}")
        qrels = next((folder / name for name in _QRELS if (folder / name).is_file()), None)
        missing = [name for name in (_CORPUS, _QUERIES) if not (folder / name).is_file()]
        if qrels is None:
            missing.append(" or ".join(_QRELS))
        if missing or qrels is None:
            raise DatasetError(f"{folder} has no {' and '.join(missing)}; give a BEIR-shaped folder")
        judged = _read_judgements(qrels)
        self.questions = [
            _DatasetQuestion(found["_id"], found["text"], judged[found["_id"]], found)
            for _, found in _read_objects(folder / _QUERIES)
            if found["_id"] in judged
        ]
        if not self.questions:
            raise DatasetError(f"{qrels} judges none of the questions in {_QUERIES}; check that the ids match")

    def documents(self) -> Iterator[DatasetDocument]:
        """Yield the documents in order, as `read_documents` does."""
        return read_documents(self.folder)

    def digest(self) -> str:
        """Return a hash of `corpus.jsonl`: the first 16 hex digits of its SHA-256.

        Raises:
            DatasetError: The file cannot be read.
        """
        path = self.folder / _CORPUS
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()[:16]
        except OSError as error:
            raise DatasetError(f"{path} cannot be read ({error.strerror})") from None

    def questions_digest(self) -> str:
        """Return a hash of the judged questions and their judgements, 16 hex digits."""
        whole = json.dumps([list(question[:3]) for question in self.questions], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()[:16]


def read_documents(folder: Path) -> Iterator[DatasetDocument]:
    """Yield the documents of a set, in order.

    Raises:
        DatasetError: A line is broken, two documents have the same id, or there is no document.
    """
    path, seen = folder / _CORPUS, set[int]()
    for at, found in _read_objects(path):
        mark = hash(found["_id"])
        if mark in seen:
            raise DatasetError(f"{path}, line {at}: duplicate document {one_line(found['_id'], 60)!r}; keep one")
        seen.add(mark)
        yield DatasetDocument(found["_id"], found.get("title") or "", found["text"])
    if not seen:
        raise DatasetError(f"{path} contains no document")


def read_queries(folder: Path) -> dict[str, str]:
    """Return the text of each question of a set, by id, judged or not."""
    return {found["_id"]: found["text"] for _, found in _read_objects(folder / _QUERIES)}


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a UTF-8 file, numbered from 1.

    Raises:
        DatasetError: The file is not UTF-8 text or cannot be read, or a line is too long.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if len(line) == _LONGEST_LINE:
                    raise DatasetError(f"{path}, line {number}: longer than {_LONGEST_LINE:,} characters; split it")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DatasetError(f"{path} is not UTF-8 text; convert it") from None


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON lines file with line numbers.

    Raises:
        DatasetError: A line is not a JSON object, or the file cannot be read.
    """
    for number, line in read_lines(path):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DatasetError(f"{path}, line {number}: not a JSON object; correct the line")
        yield number, found


def _read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, found in read_json_lines(path):
        if isinstance(found.get("_id"), int):
            found["_id"] = str(found["_id"])
        if not (
            isinstance(found.get("_id"), str)
            and found["_id"] == printable(found["_id"]) != ""
            and isinstance(found.get("text"), str)
            and isinstance(found.get("title") or "", str)
        ):
            raise DatasetError(f'{path}, line {number}: not an object with "_id" and "text"; correct the line')
        yield number, found


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Return the gain of each relevant document, by question id and document id. A header line is skipped."""
    found: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        fields = line.rstrip("\r\n").split("\t")
        try:
            question, document, gain = fields[0], fields[1], int(float(fields[2]))
        except (IndexError, ValueError, OverflowError):
            if number == 1:
                continue
            raise DatasetError(
                f"{path}, line {number}: must be question, document and score, separated by tabs; correct the line"
            ) from None
        if gain > 0:
            found.setdefault(question, {})[document] = gain
    if not found:
        raise DatasetError(f"{path} judges no document relevant; its lines must be question, document, score")
    return found
