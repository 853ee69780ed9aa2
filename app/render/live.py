"""The run on a terminal: the plan as a tree that fills in, then the answer as it is written.

Each is drawn in place while it changes and printed once when it is final, so that what remains on the screen
is what a reader scrolls back to. The event loop itself drives the drawing: no thread reads what events write.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import plan_tree, spinner
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.tools.printable import one_line, printable

_FRAME_SECONDS = 0.1


class LiveView:
    """Draws a run on a terminal.

    Attributes:
        console: The terminal.
        question: The question as asked.
        language: Its language, until the run tells.
        progress: The run so far.
    """

    def __init__(self, console: Console, question: str, language: str = "en") -> None:
        self.console = console
        self.question = question
        self.language = language
        self.progress = Progress()
        self._live: Live | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._tree_printed = False

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        self.progress.apply(event)
        self.language = str(self.progress.assessed.get("language") or self.language)
        if event.get("type") == "answer_started":
            self._print_tree()

    def token(self, text: str) -> None:
        """Take in a piece of the answer."""
        self.progress.answer += text

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
        self._print_tree()
        self._stop()

    async def _tick(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(_FRAME_SECONDS)

    def _draw(self) -> None:
        if self._live is None:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(self._frame(), refresh=True)

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _print_tree(self) -> None:
        """The plan as it ended, for good."""
        self._stop()
        if self.progress.rows and not self._tree_printed:
            self._tree_printed = True
            self.console.print(self._tree())
            self.console.print()

    def _frame(self) -> RenderableType:
        ascii_only = self.console.options.ascii_only
        mark = spinner(self.progress.clock(), ascii_only=ascii_only)
        if self._tree_printed or self.progress.writing:
            return self._answer_so_far(mark)
        if not self.progress.rows:
            phase = "planning" if self.progress.assessed.get("level") == "complex" else "thinking"
            if self.progress.assessed and phase == "thinking":
                phase = "working"
            return Text.assemble((mark, "cyan"), f" {label(self.language, phase)}")
        tree = self._tree()
        room = self.console.height - 1
        if len(self.console.render_lines(tree, pad=False)) <= room:
            return tree
        tree = self._tree(brief=True)
        lines = self.console.render_lines(tree, pad=False)
        return tree if len(lines) <= room else Group(*_cut(tree, self.console, room))

    def _tree(self, *, brief: bool = False) -> Tree:
        return plan_tree(
            self.progress, self._title(), self.language, ascii_only=self.console.options.ascii_only, brief=brief
        )

    def _title(self) -> Text:
        judged = self.progress.assessed
        title = Text(label(self.language, "plan"), "bold")
        parts = [str(judged.get(name) or "") for name in ("level", "team")]
        said = " · ".join(one_line(part, 60) for part in parts if part)
        if said:
            title.append(f" · {said}", "not bold dim")
        standalone = one_line(str(judged.get("question") or ""))
        if standalone and standalone != one_line(self.question):
            title.append(f"\n{standalone}", "not bold italic")
        return title

    def _answer_so_far(self, mark: str) -> RenderableType:
        """The end of what has been written, as much as the screen holds."""
        heading = Text.assemble((mark, "cyan"), f" {label(self.language, 'writing')}")
        text = printable(self.progress.answer).strip()
        if not text:
            return heading
        lines = Flow(Text(text)).lines(self.console.width)
        return Group(*lines[-(self.console.height - 2) :], heading)


def _cut(tree: Tree, console: Console, room: int) -> list[RenderableType]:
    """The first lines of a tree that does not fit even in brief."""
    with console.capture() as captured:
        console.print(tree)
    lines = captured.get().splitlines()[: max(1, room - 1)]
    return [*(Text.from_ansi(line) for line in lines), Text("…", "dim")]
