"""Errors told to whoever uses Weiwo, by the command or the server: one line. Exit codes are the command's business."""

from weiwo.state.errors import WeiwoError


class AppError(WeiwoError):
    """Something to tell the user. The message is one line: what; why; what to do."""


class MisuseError(AppError):
    """What was asked for cannot be; it has to be asked for otherwise."""


def unknown_thread(thread_id: str) -> MisuseError:
    """The error for a thread the database does not have."""
    return MisuseError(
        f"thread {thread_id!r}; the database has no such thread; weiwo threads lists those it has; of a run that was"
        " killed before its first step nothing is kept: ask again"
    )
