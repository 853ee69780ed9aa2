"""Watchers of a run: a silent watcher for recording, and a watcher for writing lines."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TextIO

from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import expected_line, procedure_line, row_text
from weiwo.app.render.progress import Progress
from weiwo.text.printable import one_line


class Watcher:
    """Silent observer of a run.

    It is entered before the run and left after it, however the run ends.

    Attributes:
        language: The language of the question, until the run reports it.
        progress: The progress recorded so far.
        on_begin: Called once there is a checkpoint, before any event.
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self.progress = Progress()
        self.on_begin: Callable[[], None] | None = None

    def begin(self) -> None:
        """Record that the run has a checkpoint, and call `on_begin` the first time."""
        if self.on_begin is not None and not self.progress.begun:
            self.on_begin()
        self.progress.begun = True

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        self.progress.apply(event)

    def token(self, text: str) -> None:
        """Take in a piece of the answer."""
        self.progress.answer += text

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Lines(Watcher):
    """Watcher for plain lines, a line per step, for logs and pipes."""

    def __init__(self, stream: TextIO, language: str = "en") -> None:
        super().__init__(language)
        self.stream = stream
        self._told: dict[str, str] = {}  # a resumed run tells again what had finished

    def event(self, event: Mapping[str, Any]) -> None:
        """Apply an event and write a line about the event."""
        remarks = len(self.progress.remarks)
        row = self.progress.apply(event)
        kind = event.get("type")
        if kind == "assessed":
            judged = (event.get(name, "") for name in ("level", "team", "reason"))
            self._write(" · ".join(one_line(str(part)) for part in judged))
        elif kind == "planned":
            followed = procedure_line(self.progress, self.language)
            for thought in [*self.progress.thoughts, *([followed] if followed else [])]:
                if self._told.setdefault(thought, "") == "":
                    self._told[thought] = f"? {one_line(thought)}"
                    self._write(self._told[thought])
            if (expected := self.progress.expected) and self._told.setdefault("expected", "") == "":
                self._told["expected"] = expected_line(expected, self.language)
                self._write(self._told["expected"])
            for planned in self.progress.rows.values():
                self._write(row_text(self.progress, planned, self.language).plain)
        elif kind == "section_finished":
            done, count = len(self.progress.written), len(self.progress.sections)
            told = label(self.language, "sections", done, count)
            self._write(one_line(f"§ {told} · {event.get('title', '')} {event.get('failure', '')}"))
        elif row is not None and kind in {"task_started", "task_finished"}:
            text = row_text(self.progress, row, self.language).plain
            line = f"> {text[2:]}" if kind == "task_started" else text
            if self._told.get(row.task_id) != line:
                self._told[row.task_id] = line
                self._write(line)
        for remark in self.progress.remarks[remarks:]:
            self._write(f"~ {one_line(remark)}")

    def _write(self, line: str) -> None:
        self.stream.write(line + "\n")
        self.stream.flush()
