"""Standing wishes: statements of a user about all questions, e.g. "I work in euros".

They are stored only at the user's word: by a command, or after the terminal has asked about something that was typed
there. No node of the graph writes them, so that nothing on a page can become a wish.
"""

import hashlib
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.state.errors import WeiwoError
from weiwo.text.data_files import data_pattern
from weiwo.text.language import clean
from weiwo.text.patterns import lazy

LONGEST_WISH: Final = 300
"""Most characters of a wish."""
_MOST_GIVEN: Final = 20
"""Most wishes given to a run, latest first."""
_FEWEST: Final = 4

_SENTENCE: Final = lazy(r"[^.!?。！？；;\n]+(?:\.(?=\w)[^.!?。！？；;\n]+)*[.!?。！？；;]?")
_ASKED: Final = data_pattern("memory", "wishes", "asked")
_LASTING: Final = data_pattern("memory", "wishes", "lasting")
_ASKS: Final = data_pattern("memory", "wishes", "asks")
_END: Final = " .。!！;；,，"

_HEAD: Final = """Standing wishes of the user, in their own words. Follow those that concern this question; where the \
question itself says otherwise, follow the question."""


class WishError(WeiwoError, ValueError):
    """Error raised if a wish cannot be stored.

    The message is one line with the reason and the remedy.
    """


class Wish(NamedTuple):
    """Stored wish.

    Attributes:
        key: The key of the wish.
        text: The user's words.
        at: Time of storing, in seconds since 1970.
    """

    key: str
    text: str
    at: float


class FoundWish(NamedTuple):
    """Possible standing wish in a message.

    Attributes:
        text: The words of the wish.
        requested: Whether the message asks to remember them.
        alone: Whether the message has no other sentence.
    """

    text: str
    requested: bool
    alone: bool


def find_wish(message: str) -> FoundWish | None:
    """Return the first standing wish in a user's message, or None.

    It is a sentence that asks to remember something, or one that says what always holds, and no question.
    """
    sentences = [found[0].strip() for found in _SENTENCE.finditer(message[:4_000])]
    sentences = [item for item in sentences if item.strip(_END)]
    for sentence in sentences:
        asked = _ASKED.match(sentence)
        said = sentence[asked.end() :] if asked else sentence
        if _ASKS.search(said) or not (asked or _LASTING.match(said)):
            continue
        text = said.strip(_END)
        if _FEWEST <= len(text) <= LONGEST_WISH:
            return FoundWish(text, asked is not None, len(sentences) == 1)
    return None


async def add_wish(memory: MemoryStore, text: str) -> Wish:
    """Store a wish. An already stored wish is stored only once.

    Raises:
        WishError: The wish is empty or too long, or the store does not take it.
    """
    said = " ".join(clean(text).split())
    if not said or len(said) > LONGEST_WISH:
        raise WishError(f"the wish has {len(said)} characters; use 1 to {LONGEST_WISH}")
    wish = Wish(hashlib.sha256(said.casefold().encode()).hexdigest()[:8], said, time.time())
    if not await memory.store_entry("wishes", wish.key, {"text": said, "at": wish.at}):
        raise WishError("the store cannot be written; see weiwo doctor")
    return wish


async def list_wishes(memory: MemoryStore) -> list[Wish]:
    """List the stored wishes, latest first."""
    found = []
    for entry in await memory.list("wishes"):
        text, at = entry.value.get("text"), entry.value.get("at")
        if isinstance(text, str) and isinstance(at, int | float):
            found.append(Wish(entry.key, text[:LONGEST_WISH], float(at)))
    return sorted(found, key=lambda item: -item.at)


async def read_wishes(memory: MemoryStore | None) -> list[str]:
    """Return the texts of the wishes for a run. Empty without a memory."""
    return [wish.text for wish in (await list_wishes(memory))[:_MOST_GIVEN]] if memory is not None else []


def format_wishes(wishes: Sequence[str]) -> str:
    """Format wishes as a paragraph of a prompt. Empty without wishes."""
    if not wishes:
        return ""
    lines = [f"- {quote_as_data(wish, LONGEST_WISH)}" for wish in wishes[:_MOST_GIVEN]]
    return "\n".join([_HEAD, "<wishes>", *lines, "</wishes>"])
