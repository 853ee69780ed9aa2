"""A model call attempt in progress: deadline, result so far, and repetition check."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from weiwo.models.budget import DEADLINE, Budget, Reservation
from weiwo.models.context_windows import text_tokens
from weiwo.models.errors import Fault, ModelRequestError
from weiwo.models.reply import cached_tokens, reported_tokens, sent_text
from weiwo.models.request_form import MOST_TOKENS

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_WRITER = "writer"
_MOST_CHARACTERS: Final = 150_000
"""Characters taken of one reply, a report of 50 pages; the rest is left."""
_HASTE = 0.5
"""The share of the time left that one call may take: what follows it needs some too."""
_HASTE_OF_WRITER = 0.8
"""The same for the writer, whom only its own rules follow."""


@dataclass(frozen=True)
class CallDeadline:
    """Time limit of a call, including all attempts and pauses."""

    seconds: float  # that long
    last: bool = False  # the run's time for work ends with it
    began: float = field(default_factory=time.monotonic)  # when it began, on the clock of `time.monotonic`

    @classmethod
    def of(cls, role: str, seconds: float, budget: Budget, needed: float = 0.0) -> "CallDeadline":
        """Return the deadline of a role for a call starting now.

        Args:
            role: The calling role. The writer may use the time that all other roles must leave to it.
            seconds: The configured limit.
            budget: The remaining budget of the run.
            needed: The seconds that a slow endpoint needs for the call, used instead of a smaller limit.
        """
        left = budget.remaining_seconds()
        if role == _WRITER:
            return cls(min(max(seconds, needed), left * _HASTE_OF_WRITER))
        work = budget.work_seconds()
        bound = min(max(seconds, needed), max(left * _HASTE, min(needed, left * _HASTE_OF_WRITER)), work)
        return cls(bound, last=bound == work)

    @property
    def seconds_left(self) -> float:
        """Return the remaining seconds, never negative."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    def overdue(self, what: str = "reply", *, slow: bool = False) -> Fault:
        """Return the fault of a call past the deadline, `slow` if a part of the reply came."""
        if self.last:
            return Fault("deadline", DEADLINE)
        return Fault("late", f"no {what} within {self.seconds:.3g} s", slow=slow)


@dataclass
class Attempt:
    """State of an attempt in progress."""

    deadline: CallDeadline  # until when it may take
    number: int  # how many were made before it
    room: Reservation  # what was set aside for it
    prompt: int  # tokens of its prompt, estimated
    most: int = MOST_TOKENS  # tokens that its reply may have, thoughts apart
    began: bool = False  # whether any part of a reply has come
    bound: str = ""  # the name under which its request bounds the reply, or ""
    cached: int = 0  # tokens of its prompt that the provider had kept from an earlier one
    first: float = 0.0  # seconds to the first part of its reply
    characters: int = 0  # of what was sent so far
    _started: float = field(default_factory=time.monotonic)
    _input: int = 0
    _output: int = 0
    _seen: int = 0

    @property
    def seconds(self) -> float:
        """Return the seconds since the attempt was sent."""
        return time.monotonic() - self._started

    @property
    def read(self) -> int:
        """Return the uncached prompt tokens, as reported or else as estimated."""
        return max(0, (self._input or self.prompt) - self.cached)

    @property
    def reply_tokens(self) -> int:
        """Tokens of the reply so far: as reported, else as estimated."""
        return self._output or self._seen

    def take(self, message: "BaseMessage", *, totals: bool) -> None:
        """Count a reply, or a chunk of a reply.

        With `totals`, each chunk reports the tokens of the whole so far, as OpenAI-like servers do.

        Raises:
            ModelRequestError: The reply is longer than any answer.
        """
        self.first = self.first or self.seconds
        self.began = True
        text = sent_text(message)
        self.characters += len(text)
        self._seen += text_tokens(text)
        sent, received = reported_tokens(message)
        self.cached = max(self.cached, cached_tokens(message))
        if totals:
            self._input, self._output = max(self._input, sent), max(self._output, received)
        else:
            self._input, self._output = self._input + sent, self._output + received
        if self.characters > _MOST_CHARACTERS:
            raise ModelRequestError(Fault("incomplete", f"the reply is longer than {_MOST_CHARACTERS:,} characters"))

    def spent(self, fault: Fault | None, *, left: bool) -> tuple[int, int]:
        """Return the input and output tokens, reported or estimated.

        Both are 0 if no reply came and the caller did not leave (`left`) before the end.
        """
        if not (self.began or left or (fault is not None and fault.kind in {"late", "deadline", "limit"})):
            return 0, 0
        return self._input or self.prompt, self.reply_tokens


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
    """Watch for repetition in a streamed reply.

    Small models loop, and continue until their window is full.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._new = 0

    def feed(self, delta: str) -> bool:
        """Add new text and report whether the reply repeats."""
        self._new += len(delta)
        self._tail += delta
        if self._new < _EVERY:
            return False
        self._new, self._tail = 0, self._tail[-_READ:]
        return _repeats(self._tail)


def _repeats(text: str) -> bool:
    """Report whether the end of a text repeats the same words, or is only blanks."""
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
        # A line of dashes or dots is legitimate repetition.
        return False
    return text[-length:] == (unit * (length // period + 1))[-length:]
