"""Progress on standard error: a bar or a line redrawn in place on a terminal, else a new line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from weiwo.app.cli.documents.corpus import span
from weiwo.app.cli.output import hint

if TYPE_CHECKING:
    from weiwo.tools.corpus.evaluation.dataset_index import StageListener
    from weiwo.tools.corpus.ingestion.ingestion_report import IngestProgress

_REDRAW_SECONDS: Final = 0.2
_LINE_SECONDS: Final = 5.0


class ProgressLine:
    """Progress line on standard error.

    Args:
        in_place: Redraw one line on a terminal. If false, or without a terminal, print a new line every five seconds.
    """

    def __init__(self, *, in_place: bool = True) -> None:
        self._drawn = in_place and sys.stderr.isatty()
        self._told = time.monotonic()

    def is_due(self) -> bool:
        """Report whether enough time has passed for the next progress line. If so, the time starts again."""
        due = time.monotonic() - self._told >= (_REDRAW_SECONDS if self._drawn else _LINE_SECONDS)
        self._told = time.monotonic() if due else self._told
        return due

    def tell(self, line: str, *, last: bool = False) -> None:
        """Show a progress line. The last line stays on the screen."""
        if self._drawn:
            sys.stderr.write(f"\r\033[K{line}" + "\n" * last)
            sys.stderr.flush()
        else:
            hint(line)

    def clear(self) -> None:
        """Erase the progress line on a terminal."""
        if self._drawn:
            sys.stderr.write("\r\033[K")


def tell_stages() -> "StageListener":
    """Return a function that shows the progress of each stage, as in "embedding: 20 of 90"."""
    progress = ProgressLine()

    def tell(what: str, done: int, total: int) -> None:
        if done == total:
            progress.clear()
        elif progress.is_due():
            progress.tell(f"{what}: {done:,}" + (f" of {total:,}" if total else ""))

    return tell


@contextmanager
def show_ingestion(*, silent: bool) -> Iterator[Callable[["IngestProgress"], None] | None]:
    """Show progress on standard error: a bar on a terminal, a line now and then elsewhere.

    Yields the callback that receives the progress, or None if `silent` is set.
    """
    if silent:
        yield None
    elif sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task("indexing", total=None, files="", rate="")
            yield _make_bar_callback(bar, task)
    else:
        yield _make_line_callback()


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[files]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True, markup=False, emoji=False, highlight=False),
        transient=True,
    )


def _make_bar_callback(bar: Progress, task: Any) -> Callable[["IngestProgress"], None]:
    started = time.monotonic()

    def draw(now: "IngestProgress") -> None:
        rate = now.passages / max(time.monotonic() - started, 0.001)
        bar.update(
            task,
            total=now.bytes_total or 1,
            completed=now.bytes if now.bytes_total else 1,
            files=f"{now.files:,}/{now.files_total:,} files, {now.amount}",
            rate=f"{rate:,.0f} passages/s",
        )

    return draw


def _make_line_callback() -> Callable[["IngestProgress"], None]:
    started, progress = time.monotonic(), ProgressLine(in_place=False)

    def tell(now: "IngestProgress") -> None:
        if not now.bytes or not progress.is_due():
            return
        passed = time.monotonic() - started
        left = passed * (now.bytes_total - now.bytes) / now.bytes
        progress.tell(
            f"{now.files:,} of {now.files_total:,} files, {now.amount}, {now.passages:,} passages,"
            f" {now.passages / passed:,.0f} a second, about {span(left)} left"
        )

    return tell
