"""Filter that removes a model's reasoning, tags around the answer, and text after the end of a chat template.

Each family of models marks its reasoning ("thoughts") in its own way, and `_THOUGHTS` lists opening and closing tags.
The chat templates of some servers contain the opening tag, so that a reply has the closing tag alone. A whole reply
shows this. For a stream it must be known before, so it is remembered by endpoint.
"""

import re
from typing import Final

from weiwo.models.endpoint import EndpointMemory

_THOUGHTS: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",  # Claude, prompted models
    "<thought>": "</thought>",  # Gemini by OpenAI's protocol
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<reflection>": "</reflection>",
    "<seed:think>": "</seed:think>",  # Seed-OSS
    "[think]": "[/think]",  # Magistral
    "◁think▷": "◁/think▷",  # Kimi
    "<|channel>thought": "<channel|>",  # Gemma 4
    "<unused94>thought": "<unused95>",  # MedGemma
    "<|start_thinking|>": "<|end_thinking|>",  # Command A
    "<|begin_of_thought|>": "<|end_of_thought|>",  # OpenThinker, Sky-T1
    "<|inner_prefix|>": "<|inner_suffix|>",  # Apertus
    "<|channel|>analysis<|message|>": "<|end|>",  # gpt-oss (harmony)
    "<|channel|>commentary<|message|>": "<|end|>",
    "analysis": "assistantfinal",  # harmony whose tokens a server has taken out
}
"""Closing tags of thoughts by opening tags, in lower case."""
_BARE: Final = "analysis"
"""Opening tag that is also a word. It counts only at the start of a reply, directly followed by a letter."""
_WRAPPERS: Final = {
    "<answer>": "</answer>",
    "<final_answer>": "</final_answer>",
    "<response>": "</response>",
    "<|begin_of_box|>": "<|end_of_box|>",  # GLM
    "<|begin_of_solution|>": "<|end_of_solution|>",
    "<|start_response|>": "<|end_response|>",
    "\\boxed{": "}",
}
"""Closing tags by opening tags around an answer. The tags are removed, and the text in between is kept."""
_NOISE: Final = (
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>final <|constrain|>json<|message|>",
    "<|channel|>final",
    "<|message|>",
)
"""Single tags that are removed."""
_STOPS: Final = (
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|eom_id|>",
    "<|return|>",
)
"""Tokens of chat templates that end a turn. With a wrong template, a server lets them through and continues."""
_QUOTES: Final = "`'\"“「"
_ENDERS: Final = "\n.!?。！？:：>]}▷"
"""Characters that may precede a tag within a reply. Text about such tags mentions them within a sentence instead."""

_OPENERS: Final = tuple(opener for opener in _THOUGHTS if opener != _BARE)
_MARKS: Final = (*_OPENERS, *_WRAPPERS, *_NOISE, *_STOPS)
_ALONE: Final = tuple(sorted({_THOUGHTS[opener] for opener in _OPENERS} - {"<|end|>"}))
"""Closing tags that indicate thoughts even without an opening tag."""


def _one_of(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(marks, key=len, reverse=True))), re.IGNORECASE)


_MARK: Final = _one_of(_MARKS)
_CLOSER_ALONE: Final = re.compile(
    rf"(?<![{_QUOTES}])(?:{_one_of(_ALONE).pattern})|(?:{_one_of(_ALONE).pattern})(?![{_QUOTES}])", re.IGNORECASE
)
"""A closing tag that is not quoted, as it would be in text about tags."""
_OPENER: Final = _one_of(_OPENERS)
_FIRST: Final = frozenset("<[◁\\}")
_LONGEST: Final = max(map(len, _MARKS))
_TAIL: Final = 8
"""Number of characters kept of the text before a tag."""


class ReasoningFilter:
    """Stream filter that removes a model's thoughts, tags around the answer, and text after the end of a turn.

    The text `<think>Hm.</think><answer>Paris</answer>` gives `Paris`.

    Args:
        opened: Whether the text starts within thoughts, without an opening tag.
    """

    def __init__(self, *, opened: bool = False) -> None:
        self._held = ""
        self._tail = ""
        self._given = False
        self._over = False
        self._after_thought = False
        self._searched = 0
        self._open: re.Pattern[str] | None = _CLOSER_ALONE if opened else None
        self._doubtful = opened
        self._wrapped: list[str] = []

    def feed(self, delta: str) -> str:
        """Add new text of the stream, and return the text that certainly belongs to the reply.

        Empty if nothing is certain yet. Text that may be the start of a tag ("<th") is held back until more text
        decides.
        """
        if self._over or not delta:
            return ""
        waiting = self._open or self._held or self._wrapped or self._after_thought
        # Fast path: nearly all deltas are plain text.
        if self._given and not waiting and _FIRST.isdisjoint(delta):
            self._tail = (self._tail + delta)[-_TAIL:]
            return delta
        self._held += delta
        return self._pass_on(last=False)

    def break_off(self) -> str:
        """Return the text held back when a stream fails, or an empty string within thoughts."""
        return "" if self._open else self._pass_on(last=True)

    def end(self) -> str:
        """Return the text held back at the end of a stream.

        Thoughts without a closing tag are dropped, unless it was uncertain that they were thoughts.
        """
        text = ""
        if self._open and not self._doubtful:
            # The reply ended within its thoughts, which are never shown.
            self._held = ""
        elif self._open:
            self._open = None
            stop = next((match for match in _MARK.finditer(self._held) if self._stops(match)), None)
            text = self._held[: stop.start()] if stop else self._held
            self._held = ""
        return text + self._pass_on(last=True)

    def _pass_on(self, *, last: bool) -> str:
        given: list[str] = []
        while not self._over:
            if self._open:
                if not self._close():
                    break
                continue
            if self._after_thought:
                # Models separate the reply from the thoughts by blank lines.
                self._held = self._held.lstrip()
                if not self._held:
                    break
                self._after_thought = False
            if not self._given and not last and self._may_open_bare():
                break
            mark = self._next_mark()
            if mark is None:
                upto = len(self._held) if last else self._count_certain()
                given.append(self._release(upto))
                break
            before = self._release(mark.start())
            # Blanks before a mark at the start of the reply are dropped.
            given.append(before if self._given else "")
            self._take(self._held[: mark.end() - mark.start()])
        return "".join(given)

    def _next_mark(self) -> re.Match[str] | None:
        if not self._given:
            bare = re.match(rf"\s*(?={_BARE}[^\W_])", self._held)
            if bare:
                return re.compile(_BARE).match(self._held, bare.end())
        closer = self._wrapped[-1] if self._wrapped else ""
        pattern = _one_of((*_MARKS, closer)) if closer else _MARK
        return next((match for match in pattern.finditer(self._held) if self._counts(match)), None)

    def _counts(self, mark: re.Match[str]) -> bool:
        """Report whether a found tag is markup, not a mention in the text, by the characters before it.

        In "Done.<think>" the tag is markup, in "write `<think>` first" it is not.
        """
        name = mark[0].lower()
        if self._wrapped and name == self._wrapped[-1]:
            return True
        if name in _STOPS:
            return self._stops(mark)
        before = self._tail + self._held[: mark.start()]
        if not before.strip():
            return True
        if before[-1] in _QUOTES:
            return False
        return name == "\\boxed{" or (before.rstrip(" \t") or "\n")[-1] in _ENDERS

    def _stops(self, mark: re.Match[str]) -> bool:
        before = (self._tail + self._held[: mark.start()])[-1:]
        return mark[0].lower() in _STOPS and not (before and before in _QUOTES)

    def _take(self, found: str) -> None:
        """Remove a tag at the start of the held text, and change the state accordingly."""
        name = found.lower()
        if name in _STOPS:
            self._over, self._held = True, ""
            return
        if name in _THOUGHTS:
            self._open = _one_of((_THOUGHTS[name],))
            self._doubtful = self._given or name == _BARE
            self._searched = len(found)
            if self._doubtful:
                return
        elif name in _WRAPPERS:
            self._wrapped.append(_WRAPPERS[name])
        elif self._wrapped and name == self._wrapped[-1]:
            self._wrapped.pop()
        self._held = self._held[len(found) :]
        self._searched = 0

    def _close(self) -> bool:
        """Drop the open thoughts if their closing tag is in the held text, and report whether it is."""
        assert self._open is not None  # noqa: S101 - asked for only then
        found = self._open.search(self._held, self._searched)
        if found and self._open is _CLOSER_ALONE and found.end() == len(self._held):
            quoted = found.start() and self._held[found.start() - 1] in _QUOTES
            found = None if quoted else found  # the next character decides whether the tag is quoted
        if found is None:
            self._searched = max(self._searched, len(self._held) - _LONGEST)
            if not self._doubtful:
                self._held, self._searched = self._held[self._searched :], 0
            return False
        self._held = self._held[found.end() :]
        self._open, self._searched, self._after_thought = None, 0, True
        return True

    def _may_open_bare(self) -> bool:
        """Report whether the text so far is blank, or may still become the tag `_BARE`, as "ana" may."""
        head = self._held.lstrip()
        return not head or (len(head) > 2 and _BARE.startswith(head))

    def _count_certain(self) -> int:
        """Return the number of held characters that cannot be part of a tag or of leading blanks."""
        certain = len(self._held)
        for at in range(max(0, len(self._held) - _LONGEST), len(self._held)):
            tail = self._held[at:].lower()
            if tail[0] in _FIRST and any(mark.startswith(tail) for mark in (*_MARKS, *self._wrapped)):
                certain = at
                break
        return certain if self._given or self._held[:certain].strip() else 0

    def _release(self, upto: int) -> str:
        text, self._held = self._held[:upto], self._held[upto:]
        self._given = self._given or bool(text.strip())
        self._tail = (self._tail + text)[-_TAIL:]
        return text


def strip_reasoning(text: str) -> str:
    """Remove thoughts, tags around the answer, and text after the end of a turn from a whole reply.

    `<think>Hm.</think>Paris.` gives `Paris.`, and so does `Hm.</think>Paris.`.
    """
    thinking = ReasoningFilter(opened=_closes_alone(text))
    return thinking.feed(text) + thinking.end()


def _closes_alone(text: str) -> bool:
    """Report whether a reply has a closing tag of thoughts without an opening tag before."""
    closed = _CLOSER_ALONE.search(text)
    return closed is not None and _OPENER.search(text, 0, closed.start()) is None


def has_thoughts(text: str) -> bool:
    """Report whether a reply begins with thoughts, with or without an opening tag."""
    return _closes_alone(text) or _OPENER.match(text.lstrip()) is not None


_opened: Final = EndpointMemory[None]()
"""Endpoints with the opening tag in their chat template."""


def notice_opening(endpoint: str, text: str) -> None:
    """Learn from a whole reply whether an endpoint's replies start within thoughts, without an opening tag.

    A reply with only a closing tag records it, a reply that starts with an opening tag undoes it, and any other reply
    changes nothing.
    """
    if _closes_alone(text):
        _opened.remember_fact(endpoint, None)
    elif _OPENER.match(text.lstrip()):
        _opened.pop(endpoint, None)


def opens_reasoning(endpoint: str) -> bool:
    """Report whether replies of an endpoint are known to start within thoughts, without an opening tag."""
    return endpoint in _opened
