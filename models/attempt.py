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
"""Limit of a reply in characters, a report of 50 pages. A longer reply is an error."""
_HASTE = 0.5
"""Share of the run's remaining time that a call may take, so that later steps have time too."""
_HASTE_OF_WRITER = 0.8
"""Share of the remaining time that a call of the writer may take."""


@dataclass(frozen=True)
class CallDeadline:
    """Time limit of a call, including all attempts and pauses."""

    seconds: float  # from `began`
    last: bool = False  # whether the run's time for work ends at this deadline
    began: float = field(default_factory=time.monotonic)  # start of the call, by `time.monotonic`

    @classmethod
    def of(cls, role: str, seconds: float, budget: Budget, needed: float = 0.0) -> "CallDeadline":
        """Return the deadline of a role for a call starting now.

        The writer may take up to 80% of the run's remaining time. Any other role may take half of it, or up to 80% if a
        slow endpoint needs more than half, and never the time reserved for writing (10% of the run). With 100 s left of
        a run of 100 s and a limit of 60 s, the planner gets 50 s and the writer 60 s.

        Args:
            role: The calling role.
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
        """Return the fault of a call past the deadline.

        Args:
            what: The missing thing, for the message.
            slow: Whether a part of the reply came.
        """
        if self.last:
            return Fault("deadline", DEADLINE)
        return Fault("late", f"no {what} within {self.seconds:.3g} s", slow=slow)


@dataclass
class Attempt:
    """State of an attempt in progress."""

    deadline: CallDeadline
    number: int  # number of earlier attempts of the call
    room: Reservation  # tokens and cost reserved in the budget
    prompt: int  # estimated tokens of the prompt
    most: int = MOST_TOKENS  # token limit of the reply, without reasoning
    began: bool = False  # whether any part of a reply has come
    bound: str = ""  # name of the request's parameter that limits the reply's tokens; empty if it has none
    cached: int = 0  # prompt tokens that the provider read from its cache
    first: float = 0.0  # seconds until the first part of the reply
    characters: int = 0  # characters of the reply so far
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
        """Return the number of uncached prompt tokens, as reported or else as estimated."""
        return max(0, (self._input or self.prompt) - self.cached)

    @property
    def reply_tokens(self) -> int:
        """Number of tokens of the reply so far, as reported or else as estimated."""
        return self._output or self._seen

    def take(self, message: "BaseMessage", *, totals: bool) -> None:
        """Count a reply, or a chunk of a reply.

        Args:
            message: The reply or chunk.
            totals: Whether each chunk reports the tokens of the whole reply so far, as OpenAI-like servers do.

        Raises:
            ModelRequestError: `incomplete`, if the reply exceeds `_MOST_CHARACTERS`.
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
        """Return the input and output tokens to charge to the run's budget, as reported or else as estimated.

        Both are 0 if no part of a reply came, because the provider then charges nothing. It may have charged the prompt
        all the same if the caller left, or the fault is `late`, `deadline` or `limit`, so the tokens count in these
        cases.

        Args:
            fault: Fault of the attempt, if it failed.
            left: Whether the caller was cancelled before the end, so that the provider may have charged tokens.
        """
        if not (self.began or left or (fault is not None and fault.kind in {"late", "deadline", "limit"})):
            return 0, 0
        return self._input or self.prompt, self.reply_tokens


_READ: Final = 4_000
"""Number of characters at the end of the reply that are searched for a loop."""
_KEY: Final = 24
"""Length of the text at the end of the reply; the distance to its previous occurrence is the period of the loop."""
_TIMES: Final = 5
"""Least number of repetitions of a loop."""
_LEAST: Final = 300
"""Least length of a loop in characters."""
_EVERY: Final = 80
"""Number of new characters after which the end is searched again."""


class RepetitionWatch:
    """Detector of endless repetition in a streamed reply, which small models continue until their window is full."""

    def __init__(self) -> None:
        self._tail = ""
        self._new = 0

    def feed(self, delta: str) -> bool:
        """Add new text, and report whether the end of the reply is a loop. Checks every 80 characters."""
        self._new += len(delta)
        self._tail += delta
        if self._new < _EVERY:
            return False
        self._new, self._tail = 0, self._tail[-_READ:]
        return _repeats(self._tail)


def _repeats(text: str) -> bool:
    """Report whether the end of a text is a loop of the same words, or only blanks.

    A loop is a text that ends with at least five repetitions and 300 characters of them. A line of dashes is no loop.
    """
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
