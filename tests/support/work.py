"""Work measured by counting, since how long it takes depends on what else the machine does."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any
from unittest import mock

from weiwo.text import short_text_cache


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs in this thread. What C does (regular expressions, say) is not counted."""
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def assert_linear(call: Callable[[str], object], piece: str, longest: int = 100_000, short: int = 1_000) -> None:
    """Check that a function of a text takes work in proportion to its length.

    Four times the text may run five times the lines. What is not counted is checked by a longest text: had a regular
    expression quadratic work to do on it, the test would not end.

    Args:
        call: The function.
        piece: What the text repeats.
        longest: Characters of the longest text.
        short: Characters of the shorter of the two texts that are compared; enough to fill what the function fills.
    """

    def lines(size: int) -> int:
        text = (piece * size)[:size]
        return lines_run(lambda: call(text))

    with mock.patch.object(short_text_cache, "_LONGEST", -1):  # what a short text holds is found anew
        lines(short - 1)  # fills the other caches, with another text
        small, large = lines(short), lines(4 * short)
    assert large <= 5 * small + 500, f"{small} lines for {short} characters, {large} for {4 * short}"
    call((piece * longest)[:longest])
