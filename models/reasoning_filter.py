"""A filter of reasoning: where it opens a reply in `<think>` tags, it is kept out of the text."""

from typing import Literal

_OPEN, _CLOSE = "<think>", "</think>"


class ReasoningFilter:
    """Passes on text deltas except a leading `<think>…</think>`, also when the tags come in pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._state: Literal["start", "thinking", "after", "text"] = "start"

    def feed(self, delta: str) -> str:
        """The part of what came so far that is not reasoning and was not given out yet."""
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
                self._held = self._held[-len(_CLOSE) :]
                return ""
            self._held, self._state = rest, "after"
        text = self._held.lstrip()  # blank lines set the reply off from the reasoning
        return self._release(text) if text else ""

    def end(self) -> str:
        """What was held back at the start and turned out to be text."""
        return self._release(self._held) if self._state == "start" else ""

    def _release(self, text: str) -> str:
        self._held, self._state = "", "text"
        return text


def strip_reasoning(text: str) -> str:
    """A whole reply without its leading reasoning."""
    thinking = ReasoningFilter()
    return thinking.feed(text) + thinking.end()
