"""A filter of what is no part of a reply: leading reasoning in `<think>` tags, and what follows a chat template's end.

Templates of some servers open the reasoning themselves, so that the closing tag comes alone. That shows in a whole
reply; of a stream it must be known before, so it is remembered by endpoint.
"""

from typing import Final, Literal

from weiwo.models.endpoint import EndpointMemory

_OPEN, _CLOSE = "<think>", "</think>"
_STOPS: Final = (
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|eom_id|>",
)
"""Tokens of chat templates that end a turn; a server whose template is wrong lets them through, and goes on."""
_QUOTES: Final = "`'\"“「"


class ReasoningFilter:
    """Passes on text deltas except a leading `<think>…</think>` and all from a template's end on, in pieces or not.

    Args:
        opened: The reasoning has begun already: its closing tag will come alone.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""
        self._opened = opened
        self._state: Literal["start", "thinking", "after", "text"] = "thinking" if opened else "start"
        self._ending = _TemplateEnd()

    def feed(self, delta: str) -> str:
        """The part of what came so far that is not reasoning and was not given out yet."""
        return self._ending.feed(self._without_reasoning(delta))

    def end(self) -> str:
        """What was held back and turned out to be text."""
        unclosed = self._state == "thinking" and self._opened  # it did not think this time
        rest = self._release(self._held) if self._state == "start" or unclosed else ""
        return self._ending.feed(rest) + self._ending.end()

    def _without_reasoning(self, delta: str) -> str:
        if self._state == "text":
            return delta
        self._held += delta
        if self._state == "start":
            head = self._held.lstrip()
            if len(head) < len(_OPEN) and _OPEN.startswith(head):
                return ""
            if not head.startswith(_OPEN):
                return self._release(self._held)
            self._state = "thinking"
        if self._state == "thinking":
            _, closed, rest = self._held.partition(_CLOSE)
            if not closed:
                if not self._opened:
                    self._held = self._held[-len(_CLOSE) :]
                return ""
            self._held, self._state = rest, "after"
        text = self._held.lstrip()  # blank lines set the reply off from the reasoning
        return self._release(text) if text else ""

    def _release(self, text: str) -> str:
        self._held, self._state = "", "text"
        return text


class _TemplateEnd:
    """Passes on text up to a token that ends a turn; one that stands in quotation marks is what the text is about."""

    def __init__(self) -> None:
        self._held = ""
        self._last = ""
        self._over = False

    def feed(self, delta: str) -> str:
        if self._over or not delta:
            return ""
        if "<" not in delta and not self._held:
            self._last = delta[-1]
            return delta
        text, self._held = self._held + delta, ""
        at, given = text.find("<|"), 0
        while at >= 0 and not self._over:
            quoted = (text[at - 1] if at else self._last) in _QUOTES and (at or self._last)
            if not quoted and text.startswith(_STOPS, at):
                self._over, given = True, at
            at = text.find("<|", at + 1)
        if not self._over:
            given = len(text) - self._count_held(text)
            self._held = text[given:]
        self._last = text[given - 1] if given else self._last
        return text[:given]

    def end(self) -> str:
        rest, self._held = self._held, ""
        return rest

    def _count_held(self, text: str) -> int:
        """How many characters at the end may be the beginning of a token."""
        at = text.rfind("<", max(0, len(text) - max(map(len, _STOPS))))
        return len(text) - at if at >= 0 and any(stop.startswith(text[at:]) for stop in _STOPS) else 0


def strip_reasoning(text: str) -> str:
    """A whole reply without its leading reasoning."""
    thinking = ReasoningFilter(opened=_closes_alone(text))
    return thinking.feed(text) + thinking.end()


def _closes_alone(text: str) -> bool:
    """Whether a reply closes reasoning that it has not opened."""
    head, closed, _ = text.partition(_CLOSE)
    return bool(closed) and _OPEN not in head


_opened: Final = EndpointMemory[None]()
"""Endpoints that open the reasoning in their template."""


def notice_opening(endpoint: str, text: str) -> None:
    """Remember what a whole reply shows: that it closes what it did not open, or that it opens it."""
    if _closes_alone(text):
        _opened.put(endpoint, None)
    elif text.lstrip().startswith(_OPEN):
        _opened.drop(endpoint)


def opens_reasoning(endpoint: str) -> bool:
    """Whether the next stream of an endpoint is to be taken for begun with reasoning."""
    return endpoint in _opened
