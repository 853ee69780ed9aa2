"""Live view of a run on a terminal: the plan as a growing tree, then the answer while being written.

Both are drawn in place while they change. The answer is the first thing that stays on the screen: a plan of several
tasks stands below it, and the plan of a run without an answer stands alone. The event loop itself drives the drawing,
so no thread reads data while events write it.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text
from rich.tree import Tree

from weiwo.app.render.labels import label
from weiwo.app.render.markdown import Markdown
from weiwo.app.render.plan_tree import plan_tree, spinner
from weiwo.app.render.watchers import Watcher
from weiwo.text.citation_marks import seal_marks
from weiwo.text.printable import one_line, printable

_SLOW_CALL = 10.0
"""Mean seconds of a model call from which the foot line shows the mean."""

_FRAME_SECONDS = 0.1

_LEAST_TASKS = 2
"""Least number of tasks of a plan that is drawn. A plan with a single search shows nothing of interest."""


class LiveView(Watcher):
    """Draws a run on a terminal.

    Attributes:
        console: The terminal.
        question: The question as asked.
    """

    def __init__(self, console: Console, question: str, language: str = "en") -> None:
        super().__init__(language)
        self.console = console
        self.question = question
        self._live: Live | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._tree_printed = False

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        super().event(event)
        self.language = str(self.progress.assessed.get("language") or self.language)
        if event.get("type") == "answer_started":
            self._stop()

    async def __aenter__(self) -> Self:
        self._ticker = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
            with suppress(asyncio.CancelledError):
                await self._ticker
        self._stop()
        if not self.progress.writing:
            self.print_plan()

    async def _tick(self) -> None:
        while True:
            if self._live is None:
                self._live = Live(console=self.console, auto_refresh=False, transient=True)
                self._live.start()
            self._live.update(self._frame(), refresh=True)
            await asyncio.sleep(_FRAME_SECONDS)

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def print_plan(self, *, least: int = 1) -> None:
        """Print the final plan, at most once. Does nothing if the plan has fewer than `least` tasks."""
        if len(self.progress.rows) >= least and not self._tree_printed:
            self._tree_printed = True
            self.console.print(self._tree())
            self.console.print()

    def _frame(self) -> RenderableType:
        foot = self._foot()
        if self._tree_printed or self.progress.writing:
            text = printable(self.progress.preview).strip()
            if not text:
                return foot
            # As much of the end of the answer as fits on the screen.
            lines = self.console.render_lines(Markdown(seal_marks({"answer": text})), pad=False, new_lines=True)
            return Group(_Drawn(lines[-(self.console.height - 2) :]), foot)
        if len(self.progress.rows) < _LEAST_TASKS:
            return foot
        tree = self._tree()
        room = self.console.height - 2
        if len(self.console.render_lines(tree, pad=False)) <= room:
            return Group(tree, foot)
        lines = self.console.render_lines(self._tree(brief=True), pad=False, new_lines=True)
        if len(lines) <= room:
            return Group(_Drawn(lines), foot)
        return Group(_Drawn(lines[: max(1, room - 1)]), Text("…", "dim"), foot)

    def _foot(self) -> Text:
        """Return the foot line: current phase, spending so far, and elapsed time."""
        progress, ascii_only = self.progress, self.console.options.ascii_only
        parts = [label(self.language, progress.phase)]
        if progress.sections:
            parts.append(label(self.language, "sections", len(progress.written), len(progress.sections)))
        if progress.calls:
            parts.append(label(self.language, "spent", progress.calls, f"{progress.tokens:,}"))
            if (usual := progress.call_seconds / progress.calls) >= _SLOW_CALL:
                parts.append(label(self.language, "a_call", f"{usual:.0f}"))
        if (seconds := progress.clock() - progress.started) >= 1:
            parts.append(f"{seconds:.0f} s")
        foot = Text.assemble(
            (spinner(progress.clock(), ascii_only=ascii_only), "cyan"),
            f" {parts[0]}",
            ("".join(f"{' | ' if ascii_only else ' · '}{part}" for part in parts[1:]), "dim"),
        )
        foot.truncate(self.console.width, overflow="ellipsis")
        return foot

    def _tree(self, *, brief: bool = False) -> Tree:
        return plan_tree(
            self.progress, self._title(), self.language, ascii_only=self.console.options.ascii_only, brief=brief
        )

    def _title(self) -> Text:
        judged = self.progress.assessed
        title = Text(label(self.language, "plan"), "bold")
        if tasks := len(self.progress.rows):
            title.append(f" · {label(self.language, 'tasks', tasks)}", "not bold dim")
        standalone = one_line(str(judged.get("question") or ""))
        if standalone and standalone != one_line(self.question):
            title.append(f"\n{standalone}", "not bold italic")
        return title


class _Drawn:
    """Lines rendered in advance."""

    def __init__(self, lines: list[list[Segment]]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._lines:
            yield from line
