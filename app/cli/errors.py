"""Errors of the command: a single line on standard error and an exit code, never a traceback."""

from typing import Final

from weiwo.app.errors import AppError

COMPLETE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
PARTIAL: Final = 3
WAITING: Final = 4
INTERRUPTED: Final = 130
TERMINATED: Final = 143

STATUS_CODES: Final = {
    "complete": COMPLETE,
    "extracts": COMPLETE,
    "partial": PARTIAL,
    "unsourced": PARTIAL,
    "failed": FAILED,
}


class CommandError(AppError):
    """An error for ending the command with a specific exit code.

    Attributes:
        code: The exit code.
    """

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """Invalid usage of the command."""

    def __init__(self, message: str) -> None:
        super().__init__(message, USAGE)


class StoppedError(CommandError):
    """A run was stopped by the user. Finished work is kept."""

    def __init__(self, thread_id: str, code: int) -> None:
        super().__init__(f"stopped; finished work is saved; to continue, run weiwo resume {thread_id}", code)
