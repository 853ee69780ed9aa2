"""Chit-chat and writing requests: messages that need no search, told by general cues.

A piece of a message is social if all its words are (`thanks`, `so much`, `你好`). A statement about oneself or the
assistant asks for nothing. A question to the assistant is about "you" and holds no word that is not of small talk or of
assistants ("how do you make bread"). A request to write, rewrite, translate, play or code works on what the user brings
along.
"""

from typing import Final

from weiwo.nodes.shared.question import conversation_cues as cues
from weiwo.nodes.shared.question.lexicon import ESSAY, ESSAY_FACTS, IN_DOCUMENTS, STRONG_FRESH, SUMMED
from weiwo.state.query import Talk
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS

_PIECE: Final = lazy(r"[^,.!?;~…。、\n]+")
_HAN: Final = lazy(f"[{HAN}]")
_TOKENS: Final = lazy(r"[a-z0-9'’-]+")
_KNOWN: Final = cues.FILLER.union(*(known for _, known in cues.SOCIAL))
_OF_ASSISTANTS: Final = _KNOWN | cues.ASSISTANT | FUNCTION_WORDS


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
        after = kind in {"thanks", "farewell"} and len(said) <= 40 and not cues.ASKS.search(text, piece.start())
        if found is None and (after or (kind and said.isascii() and set(_TOKENS.findall(said)) <= cues.FILLER)):
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
    head = marked.split(":", 1)[0]
    facts = SUMMED.search(head) or (ESSAY.search(head) and ESSAY_FACTS.search(head))
    if not facts and any(found.search(bare) for found in cues.WRITES):
        return "writing"
    if cues.ABOUT.search(bare) or _speaks_to_assistant(bare, task):
        return "identity" if cues.IDENTITY.search(bare) else "ability"
    stated = cues.SIGH.sub("", rest)
    stated = stated if "?" in rest else stated.strip(" .!,~")
    return "remark" if any(found.fullmatch(stated) for found in (cues.STATES, cues.STATES_ZH, cues.REMARK_ZH)) else None


def _speaks_to_assistant(bare: str, task: str) -> bool:
    """Whether a message is about the assistant: it says "you", and nothing but words of small talk and of assistants.

    A word more may be what is asked about: an answer about the assistant would then be none, a search costs little.
    """
    if len(task) + 2 < len(bare) or not cues.ADDRESSED.search(bare):
        return False
    if _HAN.search(bare):
        return len(bare) <= 40 and not cues.ANYBODY.search(bare) and not cues.ASKED_TO.search(bare)
    return {said.partition("'")[0] for said in _TOKENS.findall(bare.replace("’", "'"))} <= _OF_ASSISTANTS


def _social(piece: str) -> Talk | None:
    for kind, phrase in cues.PHRASE:
        if phrase.fullmatch(piece):
            return kind
    if piece.isascii() or "’" in piece:
        said = set(_TOKENS.findall(piece.replace("’", "'")))
        for kind, social in cues.SOCIAL:
            if said & social:
                return kind if said <= _KNOWN else None
        return None
    if not cues.SOCIAL_ZH.fullmatch(piece):
        return None
    return next((kind for kind, kernel in cues.KERNELS_ZH if kernel.search(piece)), None)
