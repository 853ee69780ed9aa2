"""What goes wrong, as whoever uses Weiwo is told it: errors of one line, and why an answer is not complete.

Exit codes are the command's business.
"""

from typing import Final

from weiwo.state.errors import WeiwoError
from weiwo.text.localization import localized_section

_STOPS: Final = localized_section("errors.stops")
_FAULTS: Final = localized_section("errors.faults")


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


def model_fault(language: str, fault: str, words: str) -> str:
    """Why a model gave nothing: in Chinese its kind, where that is known, and the words themselves."""
    return _FAULTS["zh" if language == "zh" else "en"].get(fault, "{}").format(words)


def stop_reason(language: str, reason: str) -> str:
    """A stop reason in words."""
    return _STOPS["zh" if language == "zh" else "en"].get(reason) or reason.replace("_", " ")
