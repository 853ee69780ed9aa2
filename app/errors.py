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
    """A request that cannot work as made. The user has to change it."""


def unknown_thread(thread_id: str) -> MisuseError:
    """Return the error for a thread that is not in the database."""
    return MisuseError(
        f"thread {thread_id!r} does not exist in the database; weiwo threads lists all threads. If "
        "its run was killed before the first step, nothing was saved: ask again"
    )


def model_fault(language: str, fault: str, words: str) -> str:
    """Describe a model's failure for a user.

    In Chinese, the kind of failure is put before the original words, if it is known. In English, the original words are
    enough, and only an overflow adds a remedy.
    """
    return _FAULTS["zh" if language == "zh" else "en"].get(fault, "{}").format(words)


def stop_reason(language: str, reason: str) -> str:
    """Return why a run stopped in words: "max_tokens" is "the token limit was reached".

    A reason without such words is returned with spaces instead of underscores.
    """
    return _STOPS["zh" if language == "zh" else "en"].get(reason) or reason.replace("_", " ")
