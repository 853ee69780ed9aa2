"""An experiment: questions asked of systems, a row of results each, in a folder from which a killed one goes on.

The folder holds `config.json` (what was asked, of what, with which settings), `results.jsonl` (a row a question and
system, appended as it comes) and `summary.json` (made anew from the rows).
"""

import hashlib
import json
import logging
import os
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.scoring import System, SystemAnswer
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line, redacted

_CONFIG: Final = "config.json"
_RESULTS: Final = "results.jsonl"
_SUMMARY: Final = "summary.json"
_FREE: Final = frozenset({"kind", "same", "started", "limit", "weiwo"})
"""What two experiments that go on from each other may differ in."""
_STAMP: Final = 22
_log: Final = logging.getLogger(__name__)
_FAILURES_IN_A_ROW: Final = 5
"""Questions that fail one after another before an experiment stops: something is down."""

Listener = Callable[[int, int, Sequence[Mapping[str, Any]]], None]
"""Told how many questions are done, of how many, and the rows so far."""
_Score = Callable[[Question, SystemAnswer], Awaitable[Mapping[str, Any]]]
"""The figures of an answer: the fields of its row."""


class ExperimentError(WeiwoError):
    """A folder of results that cannot be used, or an experiment that must stop. The message is one line."""


@dataclass(frozen=True)
class Experiment:
    """A folder of results.

    Attributes:
        folder: Where it is.
        config: What `config.json` says.
    """

    folder: Path
    config: Mapping[str, Any]

    @classmethod
    def create(cls, folder: Path, config: Mapping[str, Any]) -> "Experiment":
        """Begin one in a folder that is new or empty."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise ExperimentError(f"{folder}: it is not empty; give --resume to go on with it, or another --output")
            (folder / _CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise ExperimentError(f"{folder}: {error.strerror or error}; choose another --output") from None
        return cls(folder, config)

    @classmethod
    def resume(cls, folder: Path, config: Mapping[str, Any]) -> "Experiment":
        """Go on with one in a folder, which must agree in what has to be the same; begin one there if there is none."""
        if not (folder / _CONFIG).exists():
            return cls.create(folder, config)
        found = cls.open(folder)
        if found.config["same"] != config["same"]:
            different = [key for key, value in config.items() if found.config.get(key) != value]
            told = ", ".join(key for key in different if key not in _FREE)
            raise ExperimentError(f"{folder}: it was made with another {told}; give the same, or another --output")
        return found

    @classmethod
    def find(cls, parent: Path, config: Mapping[str, Any]) -> "Experiment":
        """The latest one below a folder that can be gone on with."""
        for folder in sorted(parent.glob("*"), key=lambda one: one.name[-_STAMP:], reverse=True):
            if (folder / _CONFIG).exists() and (found := cls.open(folder)).config["same"] == config["same"]:
                return found
        raise ExperimentError("--resume: there are no results of this set with these settings; leave it out")

    @classmethod
    def open(cls, folder: Path) -> "Experiment":
        """Open one that was begun."""
        try:
            config = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ExperimentError(f"{folder}: it holds no {_CONFIG} that can be read; nothing to go on with") from None
        if not isinstance(config, dict) or not {"dataset", "same"} <= config.keys():
            raise ExperimentError(f"{folder}: its {_CONFIG} is not one of weiwo eval answers")
        return cls(folder, config)

    def rows(self) -> list[dict[str, Any]]:
        """The rows so far; a last line that a kill cut short is left out."""
        return list(_read_rows(self.folder / _RESULTS))

    def latest_rows(self) -> list[dict[str, Any]]:
        """The rows so far, the last of each question and system."""
        return list({(row["question"], row["system"]): row for row in self.rows()}.values())

    def summary(self, summarize: Callable[[str, Sequence[Mapping[str, Any]]], dict[str, Any]]) -> dict[str, Any]:
        """The summary of the rows so far, written beside them as well."""
        found = summarize(str(self.config["dataset"]), self.latest_rows())
        try:
            (self.folder / _SUMMARY).write_text(
                json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
            )
        except OSError as error:
            raise ExperimentError(f"{self.folder}: {error.strerror or error}") from None
        return found

    async def run(
        self, questions: Sequence[Question], systems: Mapping[str, System], score: _Score, tell: Listener
    ) -> None:
        """Ask what has not been asked yet; a question that failed is asked again.

        Args:
            questions: The questions, in order.
            systems: Whom to ask, by name.
            score: Scores an answer.
            tell: Told of the progress.

        Raises:
            ExperimentError: Several questions failed one after another, or a row cannot be written.
        """
        rows = self.rows()
        done = {(row["question"], row["system"]) for row in rows if not row["error"]}
        failures = 0
        with _open_for_appending(self.folder / _RESULTS) as out:
            for at, question in enumerate(questions, 1):
                for name, system in systems.items():
                    if (question.id, name) in done:
                        continue
                    row = await _ask(question, name, system, score)
                    rows.append(row)
                    try:
                        out.write(json.dumps(row, ensure_ascii=False) + "\n")
                        out.flush()
                    except OSError as error:
                        raise ExperimentError(f"{self.folder / _RESULTS}: {error.strerror or error}") from None
                    failures = failures + 1 if row["error"] else 0
                    if failures >= _FAILURES_IN_A_ROW:
                        raise ExperimentError(f"{failures} questions failed in a row, the last with: {row['error']}")
                tell(at, len(questions), rows)


def describe_experiment(same: Mapping[str, Any], **free: Any) -> dict[str, Any]:
    """What `config.json` says; experiments go on from each other where `same` agrees."""
    whole = json.dumps(same, sort_keys=True, ensure_ascii=False)
    return {
        **same,
        **free,
        "kind": "answers",
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "same": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def name_folder(parent: Path, dataset: str) -> Path:
    """A new folder of results, named by set and time."""
    return parent / f"{dataset}-{datetime.now(UTC).strftime('%Y%m%d-%H%M%S-%f')}"


async def _ask(question: Question, name: str, system: System, score: _Score) -> dict[str, Any]:
    """One row: whatever a system raises is its error."""
    try:
        answer = await system(question)
    except Exception as error:  # noqa: BLE001 - a system that fails on a question has failed on that question
        _log.warning("%s, question %s: %s", name, question.id, redacted("".join(traceback.format_exception(error))))
        answer = SystemAnswer(error=one_line(redacted(f"{type(error).__name__}: {error}"), 300))
    return {"question": question.id, "system": name, "asked": question.text, **await score(question, answer)}


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and {"question", "system", "error"} <= row.keys():
                yield row


def _open_for_appending(path: Path) -> Any:
    """The file, at the end of its last whole line."""
    try:
        if path.exists():
            whole = path.read_bytes()
            if whole and not whole.endswith(b"\n"):
                os.truncate(path, whole.rfind(b"\n") + 1)
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise ExperimentError(f"{path}: {error.strerror or error}; choose another --output") from None
