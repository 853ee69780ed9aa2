"""The Retry-After header: for how long a server wants to be left alone (RFC 9110, 10.2.3)."""

import email.utils
import time
from collections.abc import Mapping
from typing import Final

_LONGEST_WAIT: Final = 3_600.0
"""Maximum wait in seconds. A longer delay in a header counts as this one."""


def parse_retry_after(header: str | None, unit: float = 1.0) -> float | None:
    """Parse a Retry-After header into seconds, between 0 and an hour, or None if unreadable.

    Args:
        header: The text of the header, a number of units or a date.
        unit: Seconds in a unit.
    """
    given = (header or "").strip()
    try:
        seconds = float(given) * unit
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else None  # noqa: PLR0124 - tells NaN


def retry_after_of(error: BaseException) -> float | None:
    """Return the retry delay in seconds that a failed HTTP request's response asks for, or None.

    The exceptions of httpx, requests and openai are supported. OpenAI's `retry-after-ms`, in milliseconds, takes
    precedence because it is finer.
    """
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    finer = parse_retry_after(headers.get("retry-after-ms"), 0.001)
    return parse_retry_after(headers.get("retry-after")) if finer is None else finer
