"""Feedback on answers, stored on this machine beside the telemetry of the searches."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from weiwo.tools.private_files import make_private_folder

_FILE: Final = "feedback.jsonl"
LONGEST_WORDS: Final = 4_000
_LONGEST_LINE: Final = 50_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's feedback on an answer."""

    at: float  # time of the feedback, in seconds since 1970
    thread_id: str
    run: str  # id of the run that answered; the telemetry of its searches has the same id
    question: str
    good: bool  # whether the answer was good
    words: str = ""  # the person's comment; may be empty


def record_feedback(home: Path, feedback: Feedback) -> None:
    """Append feedback to the file as a JSON line.

    Raises:
        OSError: The file cannot be written.
    """
    make_private_folder(home)
    line = json.dumps(asdict(feedback), ensure_ascii=True).encode() + b"\n"
    handle = os.open(home / _FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, line)  # one write, so that lines of two processes do not mix
    finally:
        os.close(handle)


def read_feedback(home: Path) -> Iterator[dict[str, Any]]:
    """Yield the feedback so far, oldest first, skipping unreadable lines."""
    try:
        file = (home / _FILE).open(encoding="ascii", errors="replace")
    except OSError:
        return
    with file:
        while line := file.readline(_LONGEST_LINE):
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict) and isinstance(said.get("good"), bool):
                yield said


def last_verdicts(feedback: Iterable[Mapping[str, Any]]) -> dict[str, bool]:
    """Return the latest verdict on the answer of each run: True for good, by run id."""
    return {str(said["run"]): bool(said.get("good")) for said in feedback if said.get("run")}
