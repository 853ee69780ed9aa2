"""How the command fails: one line on standard error, and an exit code. Never a traceback."""

from typing import Final

from weiwo.state.errors import WeiwoError

COMPLETE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
PARTIAL: Final = 3
WAITING: Final = 4
INTERRUPTED: Final = 130
TERMINATED: Final = 143

STATUS_CODES: Final = {"complete": COMPLETE, "extracts": COMPLETE, "partial": PARTIAL, "failed": FAILED}


class CommandError(WeiwoError):
    """Something to tell the user. The message is one line: what; why; what to do.

    Attributes:
        code: The exit code.
    """

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """The command was called in a way it cannot be."""

    def __init__(self, message: str) -> None:
        super().__init__(message, USAGE)


class StoppedError(CommandError):
    """A person stopped the run; what it had finished is kept."""

    def __init__(self, thread_id: str, code: int) -> None:
        super().__init__(f"stopped; what was finished is kept; go on with: weiwo resume {thread_id}", code)


def unknown_thread(thread_id: str) -> UsageError:
    """The error for a thread the database does not have."""
    return UsageError(f"thread {thread_id!r}; the database has no such thread; weiwo threads lists those it has")
