"""Standard output and standard error: terminal detection, and output of JSON and lines."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.errors import AppError
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from rich.console import Console

# JSON escapes C0 controls only; the rest of what a terminal may obey or hide is escaped here, which changes no value.
_UNSAFE: Final = lazy("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


YES: Final = frozenset({"y", "yes", "是", "好", "可以", "对", "要", "记住"})
NO: Final = frozenset({"n", "no", "否", "不", "不要", "不是"})
"""Accepted answers to a yes-or-no question, in English and Chinese."""


def is_terminal() -> bool:
    """Report whether standard output is a terminal with drawing support."""
    return sys.stdout.isatty() and os.environ.get("TERM", "").lower() not in {"dumb", "unknown"}


def can_ask() -> bool:
    """Report whether a person at the terminal can be asked."""
    return is_terminal() and sys.stdin.isatty()


def terminal() -> "Console":
    """Return the console for standard output, with colours and drawing if that is a terminal."""
    return _console()


def page() -> "Console":
    """Return the console for formatted text without colours, to a pipe or a file."""
    return _console(force_terminal=False, color_system=None, width=100)


def _console(**options: Any) -> "Console":
    """Create a console for literal text: no markup, no emoji codes, no automatic colours."""
    from rich.console import Console  # noqa: PLC0415 - plain text needs none

    return Console(markup=False, emoji=False, highlight=False, **options)


def screen() -> "Console":
    """Return the console that fits standard output: `terminal`, or `page` for a pipe."""
    return terminal() if is_terminal() else page()


def prepare() -> None:
    """Replace characters missing from the output's encoding instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def write(text: str) -> None:
    """Write to standard output.

    Raises:
        BrokenPipeError: The reader has closed the pipe.
        AppError: The output cannot be written.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise AppError(f"cannot write to standard output: {error.strerror or error}; redirect it elsewhere") from None


def write_json(value: Any, indent: int | None = 2) -> None:
    """Write a JSON object to standard output, on a single line if no indent is given."""
    encoding = sys.stdout.encoding or ""
    text = json.dumps(value, ensure_ascii=not encoding.lower().startswith("utf"), indent=indent)
    write(_UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


def say(message: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"weiwo: {one_line(message, 1_000)}\n")
    sys.stderr.flush()


def hint(message: str) -> None:
    """Write an informational line to standard error, dim on a terminal."""
    if sys.stderr.isatty():
        _console(stderr=True, soft_wrap=True).print(one_line(message, 1_000), style="dim")
    else:
        sys.stderr.write(one_line(message, 1_000) + "\n")
        sys.stderr.flush()
