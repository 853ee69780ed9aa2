"""Standing wishes: what a user said holds for all their questions, such as "I work in euros".

They are kept only at their user's word: by a command, or after the terminal has asked about something that was typed
there. No node of the graph writes them, so that nothing a page says can become one.
"""

import hashlib
import re
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.state.errors import WeiwoError
from weiwo.text.language import clean
from weiwo.text.patterns import lazy

LONGEST_WISH: Final = 300
"""Characters of one wish."""
MOST_GIVEN: Final = 20
"""Wishes that a run is given, the latest first."""
_FEWEST: Final = 4

_SENTENCE: Final = lazy(r"[^.!?。！？；;\n]+(?:\.(?=\w)[^.!?。！？；;\n]+)*[.!?。！？；;]?")
_ASKED: Final = lazy(
    r"(?:please |can you |could you )?(?:remember|keep in mind|note|memorize)(?: that|,|:)? +"
    r"(?=(?:i|we|my|our|to|always|never|only|all)\b)"
    r"|(?:请|帮我|麻烦)?(?:你)?(?:记住|记得|记下|牢记)[，,：: ]*",
    re.IGNORECASE,
)
"""What asks to remember what follows it."""
_LASTING: Final = lazy(
    r"(?:please )?(?:always|never|from now on|in (?:the )?future|going forward|by default|every time)\b"
    r"|for all (?:my|our) "
    r"|(?:i|we) (?:always |only |mostly |usually )?(?:work|live|count|think|trust|accept|prefer|use|calculate)\b"
    r"|(?:i|we) (?:only|never|always) (?:want|read|need|take|cite)\b"
    r"|(?:only|just) (?:use|cite|accept|trust|quote)\b|(?:only )?peer-reviewed (?:sources|papers)"
    r"|(?:my|our) (?:currency|units?|time ?zone|country|native language|language|company|employer|field|role|budget)"
    r" (?:is|are)\b"
    r"|以后|今后|往后|从现在(?:起|开始)|默认|一律|每次都|始终|永远"
    r"|(?:我|我们)(?:平时|一般|总是|通常)?(?:只|都)?(?:用|要|看|信|接受|习惯|偏好|喜欢用|以)"
    r"|(?:我|我们)(?:住|在.{1,20}(?:工作|上班|生活))"
    r"|(?:请)?只(?:用|引用|采用|接受|要|看)|(?:请)?(?:不要|别)(?:再)?(?:用|引用)",
    re.IGNORECASE,
)
"""How a sentence begins that says what holds from now on."""
_ASKS: Final = lazy(r"[?？]$|(?:吗|呢|么)[。.!！]?$|什么|多少|哪|谁|几[个年月天]|怎[么样]|为何|如何")
_END: Final = " .。!！;；,，"

_HEAD: Final = """Standing wishes of the user, in their own words. Follow those that concern this question; where the \
question itself says otherwise, follow the question."""


class WishError(WeiwoError, ValueError):
    """A wish cannot be kept. One line: why, what to do."""


class Wish(NamedTuple):
    """A wish as it is kept.

    Attributes:
        key: Its identity.
        text: The user's words.
        at: When it was kept, in seconds since 1970.
    """

    key: str
    text: str
    at: float


class FoundWish(NamedTuple):
    """Words of a message that sound as if they should last.

    Attributes:
        text: The words.
        requested: Whether the message asks to remember them.
        alone: Whether they are all it says.
    """

    text: str
    requested: bool
    alone: bool


def find_wish(message: str) -> FoundWish | None:
    """The first sentence of a user's message that says what is to hold from now on; None where none does."""
    sentences = [found[0].strip() for found in _SENTENCE.finditer(message[:4_000])]
    sentences = [one for one in sentences if one.strip(_END)]
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
    """Keep a wish; one that is kept already is kept once.

    Raises:
        WishError: It is empty or too long, or the store does not take it.
    """
    said = " ".join(clean(text).split())
    if not said or len(said) > LONGEST_WISH:
        raise WishError(f"the wish has {len(said)} characters; say it in 1 to {LONGEST_WISH}")
    wish = Wish(hashlib.sha256(said.casefold().encode()).hexdigest()[:8], said, time.time())
    if not await memory.put("wishes", wish.key, {"text": said, "at": wish.at}):
        raise WishError("the store cannot be written; see weiwo doctor")
    return wish


async def list_wishes(memory: MemoryStore) -> list[Wish]:
    """The wishes that are kept, the latest first."""
    found = []
    for entry in await memory.list("wishes"):
        text, at = entry.value.get("text"), entry.value.get("at")
        if isinstance(text, str) and isinstance(at, int | float):
            found.append(Wish(entry.key, text[:LONGEST_WISH], float(at)))
    return sorted(found, key=lambda one: -one.at)


async def read_wishes(memory: MemoryStore | None) -> list[str]:
    """What a run is given; nothing without a memory."""
    return [one.text for one in (await list_wishes(memory))[:MOST_GIVEN]] if memory is not None else []


def format_wishes(wishes: Sequence[str]) -> str:
    """The wishes as a paragraph of a prompt; empty where there are none."""
    if not wishes:
        return ""
    lines = [f"- {quote_as_data(wish, LONGEST_WISH)}" for wish in wishes[:MOST_GIVEN]]
    return "\n".join([_HEAD, "<wishes>", *lines, "</wishes>"])
