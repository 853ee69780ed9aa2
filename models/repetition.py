"""Detection of a reply that repeats itself: small models loop, and go on until their window is full."""

from typing import Final

_READ: Final = 4_000
"""Characters of the end that are looked at."""
_KEY: Final = 24
"""Characters whose last occurrence before tells the period."""
_TIMES: Final = 5
"""So often the same, and it is a loop."""
_LEAST: Final = 300
"""Characters that the loop has to have gone on for."""
_EVERY: Final = 80
"""Characters after which it is looked at again."""


class RepetitionWatch:
    """Watches a reply as it comes."""

    def __init__(self) -> None:
        self._tail = ""
        self._new = 0

    def feed(self, delta: str) -> bool:
        """Whether the reply has come to repeat itself with what is new."""
        self._new += len(delta)
        self._tail += delta
        if self._new < _EVERY:
            return False
        self._new, self._tail = 0, self._tail[-_READ:]
        return _repeats(self._tail)


def _repeats(text: str) -> bool:
    """Whether the end of a text is the same words over and over, or nothing but blanks."""
    if len(text) < _LEAST:
        return False
    if not text[-_LEAST:].strip():
        return True
    before = text.rfind(text[-_KEY:], 0, -1)
    if before < 0:
        return False
    period = len(text) - _KEY - before
    length = max(_LEAST, period * _TIMES)
    unit = text[-period:]
    if length > len(text) or not any(char.isalpha() for char in unit):
        return False  # a rule of dashes or dots is no loop
    return text[-length:] == (unit * (length // period + 1))[-length:]
