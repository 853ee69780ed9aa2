"""Passages of a prompt: parts to leave out if an endpoint rejects the whole.

A prompt is made of instructions and of passages in `<passage n="…">` elements. Passages keep their numbers, so that a
reply to a reduced prompt cites as it would have.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.text.patterns import lazy

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_OPENING: Final = lazy(r'<passage n="(\d{1,4})"([^<>]{0,1000})>\n')
_CLOSING: Final = "\n</passage>"
_ATTRIBUTE: Final = re.compile(r'\b(title|source)="([^"]{0,300})"')


class _Place(NamedTuple):
    number: int
    message: int
    start: int
    end: int
    digest: str
    name: str


@dataclass(frozen=True)
class PromptPassages:
    """Prompt with the positions of its passages.

    Methods take the position of a passage in the text, counted from 0, not the `n` of its element.
    """

    messages: "list[BaseMessage]"
    places: tuple[_Place, ...]

    @classmethod
    def of(cls, messages: "list[BaseMessage]") -> "PromptPassages":
        """Find the passages of a prompt. `places` is empty if the prompt has none."""
        return cls(messages, tuple(_find_places(messages)))

    def name(self, number: int) -> str:
        """Return title and source of a passage, e.g. `“Annual report” (report.pdf)`."""
        return self.places[number].name

    def digest(self, number: int) -> str:
        """Return a hash of the text of a passage."""
        return self.places[number].digest

    def numbers_of(self, digests: Collection[str]) -> list[int]:
        """Return the positions, from 0, of the passages with the given digests."""
        return [number for number, place in enumerate(self.places) if place.digest in digests]

    def without(self, numbers: Collection[int]) -> "list[BaseMessage]":
        """Return the messages of the prompt without the passages at these positions, counted from 0."""
        dropped = [self.places[number] for number in sorted(numbers)]
        if not dropped:
            return self.messages
        messages = list(self.messages)
        for place in reversed(dropped):
            text = str(messages[place.message].content)
            left = text[: place.start] + text[place.end :]
            messages[place.message] = messages[place.message].model_copy(update={"content": left})
        return messages

    def shorten_prompt(self, share: float) -> "list[BaseMessage] | None":
        """Return the messages with only the most relevant passages, up to a share of the passages' text.

        The passages with the lowest `n` are the most relevant. Of four passages of the same length, a share of 0.5
        keeps those with n="1" and n="2". If not even the first fits, its text is cut. Returns None if the prompt has no
        passages.
        """
        room = share * sum(place.end - place.start for place in self.places)
        ranked, kept = sorted(range(len(self.places)), key=lambda index: self.places[index].number), 0
        for index in ranked:
            room -= self.places[index].end - self.places[index].start
            if room < 0:
                break
            kept += 1
        if kept:
            return self.without(ranked[kept:])
        return _cut_passage(PromptPassages.of(self.without(ranked[1:])), share) if ranked else None


def _cut_passage(prompt: PromptPassages, share: float) -> "list[BaseMessage]":
    """Return the messages of a prompt with the text of its only passage cut to a share."""
    place, text = prompt.places[0], str(prompt.messages[prompt.places[0].message].content)
    opening = _OPENING.match(text, place.start)
    start = opening.end() if opening else place.start
    inner = text[start : place.end].removesuffix("\n").removesuffix(_CLOSING)
    cut = inner[: max(1, int(len(inner) * share))]
    left = f"{text[:start]}{cut.rstrip()} …{_CLOSING}\n{text[place.end :]}"
    messages = list(prompt.messages)
    messages[place.message] = messages[place.message].model_copy(update={"content": left})
    return messages


def _find_places(messages: "Sequence[BaseMessage]") -> list[_Place]:
    found = []
    for index, message in enumerate(messages):
        text = message.content
        if not isinstance(text, str):
            continue
        at = 0
        while opening := _OPENING.search(text, at):
            end = text.find(_CLOSING, opening.end())
            if end < 0:
                break
            digest = hashlib.sha256(text[opening.end() : end].encode()).hexdigest()
            told = dict(_ATTRIBUTE.findall(opening[2]))
            name = f"“{told.get('title', '')}” ({told.get('source', '')})"
            at = end + len(_CLOSING)
            at += text.startswith("\n", at)
            found.append(_Place(int(opening[1]), index, opening.start(), at, digest, name))
    return found


async def find_refused(count: int, accepts: Callable[[Collection[int]], Awaitable[bool]]) -> int | None:
    """Find the single item that causes a refusal, by bisection.

    Args:
        count: Number of items.
        accepts: Sends the request without the items at the given positions, and reports whether it is accepted.

    Returns:
        The position of the item from 0, or None if the request is refused whichever single item is left out.
    """
    low, high, last = 0, count, -1
    while high - low > 1:
        middle = (low + high) // 2
        if await accepts(range(low, middle)):
            high = middle
            last = low if middle - low == 1 else -1
        else:
            low = middle
    return low if last == low or await accepts((low,)) else None
