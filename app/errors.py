"""User-facing errors: messages of a single line, and the reasons for an incomplete answer.

Exit codes are defined by the command.
"""

from typing import Final

from weiwo.state.errors import WeiwoError
from weiwo.text.localization import localized_section

_STOPS: Final = localized_section("errors.stops")
_FAULTS: Final = localized_section("errors.faults")


class AppError(WeiwoError):
    """An error reported to the user. The message is a single line: problem, reason and remedy."""


class MisuseError(AppError):
    """Invalid use: the request is impossible in this form and has to be changed."""


def unknown_thread(thread_id: str) -> MisuseError:
    """The error for a thread the database does not have."""
    return MisuseError(
        f"thread {thread_id!r} does not exist in the database; weiwo threads lists all threads. If "
        "its run was killed before the first step, nothing was saved: ask again"
    )


def model_fault(language: str, fault: str, words: str) -> str:
    """Describe a model's failure: in Chinese the kind, if known, and the original words."""
    return _FAULTS["zh" if language == "zh" else "en"].get(fault, "{}").format(words)


def stop_reason(language: str, reason: str) -> str:
    """A stop reason in words."""
    return _STOPS["zh" if language == "zh" else "en"].get(reason) or reason.replace("_", " ")
