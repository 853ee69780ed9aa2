"""Why a run failed: one line for its clients, and where, for the log."""

import traceback
from pathlib import Path

from weiwo.state.errors import WeiwoError
from weiwo.tools.printable import one_line
from weiwo.tools.redaction import redacted


def describe_failure(error: Exception) -> str:
    """An error in one line, without what looks like a secret."""
    text = str(error) if isinstance(error, WeiwoError) else f"{type(error).__name__}: {error}"
    return one_line(redacted(text), 500)


def failure_place(error: Exception) -> str:
    """Where code broke, with a space before it; nothing for errors of ours, which say what is wrong.

    A file and a line alone: a traceback's values may be somebody's question.
    """
    frames = [] if isinstance(error, WeiwoError) else traceback.extract_tb(error.__traceback__)[-1:]
    return "".join(f" ({Path(one.filename).name}:{one.lineno})" for one in frames)
