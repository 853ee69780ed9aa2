"""Progress told on standard error: one line, drawn in place on a terminal, a new one now and then elsewhere."""

import sys
import time
from typing import TYPE_CHECKING, Final

from weiwo.app.cli.output import hint

if TYPE_CHECKING:
    from weiwo.tools.corpus.evaluation.dataset_index import StageListener

REDRAW_SECONDS: Final = 0.2
LINE_SECONDS: Final = 5.0


class ProgressLine:
    """A line of progress.

    Args:
        in_place: Whether a terminal's line is drawn over; else it is told now and then there, too.
    """

    def __init__(self, *, in_place: bool = True) -> None:
        self._drawn = in_place and sys.stderr.isatty()
        self._told = time.monotonic()

    def is_due(self) -> bool:
        """Whether it is time to tell again; if so, it counts as told."""
        due = time.monotonic() - self._told >= (REDRAW_SECONDS if self._drawn else LINE_SECONDS)
        self._told = time.monotonic() if due else self._told
        return due

    def tell(self, line: str, *, last: bool = False) -> None:
        """Tell a line; the last one stays."""
        if self._drawn:
            sys.stderr.write(f"\r\033[K{line}" + "\n" * last)
            sys.stderr.flush()
        else:
            hint(line)

    def clear(self) -> None:
        """Leave nothing on a terminal."""
        if self._drawn:
            sys.stderr.write("\r\033[K")


def tell_stages() -> "StageListener":
    """A listener that tells how far each stage of a longer work is."""
    progress = ProgressLine()

    def tell(what: str, done: int, total: int) -> None:
        if done == total:
            progress.clear()
        elif progress.is_due():
            progress.tell(f"{what}: {done:,}" + (f" of {total:,}" if total else ""))

    return tell
