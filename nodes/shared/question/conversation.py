"""Chit-chat and writing requests: messages that need no search, told by closed sets of words.

A message is about the assistant, or about oneself, if it says so and holds no word that is not of small talk; a word
more may be what is asked about: an answer about the assistant would then be none, a search costs little. A request to
write, rewrite, translate, play or code works on what the user brings along, and asks for nothing besides.
"""

from typing import Final

from weiwo.nodes.shared.question import conversation_cues as cues
from weiwo.nodes.shared.question.lexicon import ESSAY, ESSAY_FACTS, FORM_ASIDE, IN_DOCUMENTS, STRONG_FRESH, SUMMED
from weiwo.state.query import Talk
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy

_PIECE: Final = lazy(r"(?:[^,.!?;~…。、\n]|(?<=\d)\.(?=\d))+")
_HAN: Final = lazy(f"[{HAN}]")
_TOKENS: Final = lazy(r"[a-z0-9'-]+")
_QUOTED: Final = lazy(r"[\"“「《][^\"“「《”」》]{0,200}[\"”」》]|(?<!\w)'[^']{0,200}'(?!\w)")
_KNOWN: Final = cues.FILLER.union(*(known for _, known in cues.SOCIAL))
_LONGEST_ZH: Final = 40
"""Characters of a Chinese message about the assistant."""


def without_greeting(text: str) -> tuple[str, Talk | None]:
    """The text from its first piece on that is more than a social phrase.

    Args:
        text: Lower-case, half-width text.

    Returns:
        The rest, empty where nothing else is said, and what kind of phrase stood before it.
    """
    kind: Talk | None = None
    for piece in _PIECE.finditer(text):
        if not (said := piece.group().strip()):
            continue
        found = _social(said)
        talk = not _HAN.search(said) and set(_tokens(said)) <= cues.OF_TALK - cues.ASKING
        only = talk and not cues.ASKS.search(said)
        after = kind in {"thanks", "farewell"} and len(said) <= 40 and not cues.ASKS.search(text, piece.start())
        if found is None and kind and (after or only):
            continue
        if found is None:
            return text[piece.start() :].strip(), kind
        kind = found if kind is None or found in {"thanks", "farewell"} else kind
    return "", kind


def talk_of(text: str, marked: str, rest: str) -> Talk | None:
    """What kind of conversation a message is, beyond greetings; None where it asks about the world.

    Args:
        text: The message in lower case.
        marked: The same with `N` for each name.
        rest: The message without frames of politeness, in lower case.
    """
    task = text.split(":", 1)[0].split("\n", 1)[0]
    if IN_DOCUMENTS.search(task) or STRONG_FRESH.search(task):
        return None
    bare = text.strip(" ?.!,~")
    if _asks_to_write(task.strip(" ?.!,~"), marked.split(":", 1)[0]):
        return "writing"
    if len(task) + 2 >= len(bare) and _speaks_to_assistant(bare):
        return "identity" if cues.IDENTITY.search(bare) else "ability"
    stated = rest.strip(" .!,~")
    asks = cues.ASKS.search(stated) is not None
    remark = cues.PASTIME.search(bare) or (cues.STATED.fullmatch(stated) and not asks)
    return "remark" if remark or ("?" not in rest and _is_about_oneself(stated, asks=asks)) else None


def _is_about_oneself(stated: str, *, asks: bool) -> bool:
    """Whether a statement holds no word that is not of small talk, an English one "I" or "my" besides."""
    said = set(_tokens(stated))
    own = bool(said & cues.OF_ONESELF) and said <= cues.OF_TALK - cues.ASKING
    return own or (not asks and cues.OF_TALK_ZH.fullmatch(stated) is not None)


def _asks_to_write(task: str, marked: str) -> bool:
    """Whether a message asks to write or to code, and for no facts."""
    facts = SUMMED.search(marked) or (ESSAY.search(marked) and ESSAY_FACTS.search(marked))
    if facts or cues.ASKS_BESIDES.search(_QUOTED.sub(" it ", task)):
        return False
    task = FORM_ASIDE.sub("", task)  # "in two sentences" is no sentence to be written
    return bool(cues.WRITING.search(task) or cues.BROUGHT.search(task))


def _speaks_to_assistant(bare: str) -> bool:
    """Whether a message is about the assistant: it says "you", and no word that is not of small talk or assistants."""
    if _HAN.search(bare):
        addressed = len(bare) <= _LONGEST_ZH and cues.TO_ASSISTANT_ZH.search(bare)
        return bool(addressed and cues.OF_TALK_ZH.fullmatch(bare))
    said = set(_tokens(bare))
    return said <= cues.OF_TALK and bool(said & cues.TO_ASSISTANT or cues.THIS_TOOL.search(bare))


def _tokens(text: str) -> list[str]:
    return _TOKENS.findall(text.replace("’", "'"))


def _social(piece: str) -> Talk | None:
    if cues.HOW_IT_GOES.fullmatch(piece):
        return "greeting"
    if not _HAN.search(piece):
        said = set(_tokens(piece))
        return next((kind for kind, social in cues.SOCIAL if said & social and said <= _KNOWN), None)
    if not cues.ONLY_SOCIAL_ZH.fullmatch(piece):
        return None
    return next((kind for kind, kernel in cues.KERNELS_ZH if kernel.search(piece)), None)
