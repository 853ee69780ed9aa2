"""An experiment: questions asked of systems, with a row of results each, in a resumable folder.

The folder holds `config.json` (the questions, the systems and the settings), `results.jsonl` (a row per question and
system, appended as it comes) and `summary.json` (rebuilt from the rows). A killed experiment continues from the folder.
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
from weiwo.text.printable import one_line, redact_secrets

_CONFIG: Final = "config.json"
_RESULTS: Final = "results.jsonl"
_SUMMARY: Final = "summary.json"
_FREE: Final = frozenset({"kind", "same", "started", "limit", "weiwo"})
"""Fields of `config.json` that may differ when an experiment is resumed."""
_STAMP: Final = 22
_log: Final = logging.getLogger(__name__)
_FAILURES_IN_A_ROW: Final = 5
"""Questions that fail one after another before an experiment stops: something is down."""

Listener = Callable[[int, int, Sequence[Mapping[str, Any]]], None]
"""Progress listener: called with the number of questions done, their total, and the rows so far."""
_Score = Callable[[Question, SystemAnswer], Awaitable[Mapping[str, Any]]]
"""The figures of an answer: the fields of its row."""


class ExperimentError(WeiwoError):
    """An unusable folder of results, or an experiment forced to stop. The message is a single line."""


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
        """Create an experiment in a new or empty folder.

        Raises:
            ExperimentError: The folder is not empty, or cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise ExperimentError(f"{folder} is not empty; continue it with --resume, or choose another --output")
            (folder / _CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise ExperimentError(f"{folder}: {error.strerror or error}; choose another --output") from None
        return cls(folder, config)

    @classmethod
    def resume(cls, folder: Path, config: Mapping[str, Any]) -> "Experiment":
        """Resume the experiment in a folder, or create an experiment in a folder without results.

        Raises:
            ExperimentError: The folder's experiment had other questions, systems or settings, or cannot be read.
        """
        if not (folder / _CONFIG).exists():
            return cls.create(folder, config)
        found = cls.open(folder)
        if found.config["same"] != config["same"]:
            different = [key for key, value in config.items() if found.config.get(key) != value]
            told = ", ".join(key for key in different if key not in _FREE)
            raise ExperimentError(f"{folder} was made with another {told}; use the same, or another --output")
        return found

    @classmethod
    def find(cls, parent: Path, config: Mapping[str, Any]) -> "Experiment":
        """Find the latest experiment below a folder that has the same questions, systems and settings.

        Raises:
            ExperimentError: There is none.
        """
        for folder in sorted(parent.glob("*"), key=lambda path: path.name[-_STAMP:], reverse=True):
            if (folder / _CONFIG).exists() and (found := cls.open(folder)).config["same"] == config["same"]:
                return found
        raise ExperimentError("--resume: there are no results for this set and these settings; remove --resume")

    @classmethod
    def open(cls, folder: Path) -> "Experiment":
        """Open an existing experiment.

        Raises:
            ExperimentError: The folder holds no readable experiment.
        """
        try:
            config = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ExperimentError(f"{folder} has no readable {_CONFIG}, so there is nothing to continue") from None
        if not isinstance(config, dict) or not {"dataset", "same"} <= config.keys():
            raise ExperimentError(f"{folder}: its {_CONFIG} was not written by weiwo eval answers")
        return cls(folder, config)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows so far, without a truncated last line.

        The last line can be cut short by a kill.
        """
        return list(_read_rows(self.folder / _RESULTS))

    def latest_rows(self) -> list[dict[str, Any]]:
        """Return the rows so far, only the last row of each question and system.

        A question that failed is asked again, and then has several rows.
        """
        return list({(row["question"], row["system"]): row for row in self.rows()}.values())

    def summary(self, summarize: Callable[[str, Sequence[Mapping[str, Any]]], dict[str, Any]]) -> dict[str, Any]:
        """Return the summary of the rows so far, and write it to the folder.

        Args:
            summarize: Makes the summary from the name of the question set and the rows.

        Raises:
            ExperimentError: The summary cannot be written.
        """
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
        """Ask the unanswered questions. Failed questions are asked again.

        Args:
            questions: The questions, in order.
            systems: The systems to ask, by name.
            score: Scores an answer.
            tell: Called with the progress.

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
                        raise ExperimentError(f"{failures} questions failed in a row; last error: {row['error']}")
                tell(at, len(questions), rows)


def describe_experiment(same: Mapping[str, Any], **free: Any) -> dict[str, Any]:
    """Return the contents of `config.json`.

    Args:
        same: The settings that must be equal for an experiment to be resumed. Their hash is stored as `same`.
        free: Fields that may differ.
    """
    whole = json.dumps(same, sort_keys=True, ensure_ascii=False)
    return {
        **same,
        **free,
        "kind": "answers",
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "same": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def name_folder(parent: Path, dataset: str) -> Path:
    """Return the path of a new folder of results, named after the question set and the time. It is not created."""
    return parent / f"{dataset}-{datetime.now(UTC).strftime('%Y%m%d-%H%M%S-%f')}"


async def _ask(question: Question, name: str, system: System, score: _Score) -> dict[str, Any]:
    """Ask a system a question and return a result row. An exception is recorded as the row's error."""
    try:
        answer = await system(question)
    except Exception as error:  # noqa: BLE001 - a system that fails on a question has failed on that question
        _log.warning(
            "%s, question %s: %s", name, question.id, redact_secrets("".join(traceback.format_exception(error)))
        )
        answer = SystemAnswer(error=one_line(redact_secrets(f"{type(error).__name__}: {error}"), 300))
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
    """Open the file for appending, after removing an incomplete last line."""
    try:
        if path.exists():
            whole = path.read_bytes()
            if whole and not whole.endswith(b"\n"):
                os.truncate(path, whole.rfind(b"\n") + 1)
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise ExperimentError(f"{path}: {error.strerror or error}; choose another --output") from None
