"""Chit-chat and writing requests: messages that need no search, told by closed sets of words.

A message is about the assistant, or about oneself, if it says so and holds no word that is not of small talk; a word
more may be what is asked about: an answer about the assistant would then be none, a search costs little. A request to
write, rewrite, translate, play or code works on what the user brings along, and asks for nothing besides. The words are
`text/data/conversation.toml`.
"""

import re
from typing import Final

from weiwo.nodes.shared.question.lexicon import FORM_ASIDE, question_pattern
from weiwo.state.query import Talk
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS


def _words(name: str) -> frozenset[str]:
    return data_words("conversation", "words", name)


def _cue(name: str) -> re.Pattern[str]:
    return data_pattern("conversation", "patterns", name)


def _only(known: frozenset[str]) -> re.Pattern[str]:
    """Nothing but these Chinese words; the longest is read first, and what was read is not read again."""
    spelt = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    return lazy(rf"(?:{spelt}|[,。.!?~、…\s])++")


_KINDS: Final[tuple[Talk, ...]] = ("thanks", "farewell", "greeting", "remark")
_SOCIAL: Final[dict[Talk, frozenset[str]]] = {kind: _words(kind) for kind in _KINDS}
_KERNELS_ZH: Final = {kind: data_pattern("conversation", "kernels_zh", kind) for kind in _SOCIAL}
_FILLER: Final = _words("filler")
"""What stands beside a social word in a piece of small talk."""
_KNOWN: Final = _FILLER.union(*_SOCIAL.values())
_ASKING: Final = _words("asking")
_OF_TALK: Final = _KNOWN.union(_words("assistant"), FUNCTION_WORDS)
"""All words of an English message to or about the assistant, or about oneself; one more asks about the world."""
_TO_ASSISTANT: Final = _words("to_assistant")
_OF_ONESELF: Final = _words("of_oneself")
_SOCIAL_ZH: Final = _words("social_zh")
_ONLY_SOCIAL_ZH: Final = _only(_SOCIAL_ZH)
_OF_TALK_ZH: Final = _only(_SOCIAL_ZH | _words("assistant_zh"))
_TO_ASSISTANT_ZH: Final = _cue("to_assistant_zh")
_THIS_TOOL: Final = _cue("this_tool")
_HOW_IT_GOES: Final = _cue("how_it_goes")
_IDENTITY: Final = _cue("identity")
_PASTIME: Final = _cue("pastime")
"""Entertainment asked of the assistant."""
_STATED: Final = _cue("stated")
"""A statement about oneself."""
_WRITING: Final = _cue("writing")
_BROUGHT: Final = _cue("brought")
"""Code the user brings along."""
_ASKS: Final = _cue("asks")
_ASKS_BESIDES: Final = _cue("asks_besides")
"""A question besides what is to be written."""
_STRONG_FRESH: Final = question_pattern("strong_fresh")
"""What even a request to write needs from outside."""
_IN_DOCUMENTS: Final = question_pattern("in_documents")
"""What makes a request to write one about documents."""
_SUMMED: Final = question_pattern("summed")
"""What a request to write needs facts for."""
_ESSAY: Final = question_pattern("essay")
_ESSAY_FACTS: Final = question_pattern("essay_facts")
_PIECE: Final = lazy(r"(?:[^,.!?;~…。、\n]|(?<=\d)\.(?=\d))+")
_HAN: Final = lazy(f"[{HAN}]")
_TOKENS: Final = lazy(r"[a-z0-9'-]+")
_QUOTED: Final = lazy(r"[\"“「《][^\"“「《”」》]{0,200}[\"”」》]|(?<!\w)'[^']{0,200}'(?!\w)")
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
        talk = not _HAN.search(said) and set(_tokens(said)) <= _OF_TALK - _ASKING
        only = talk and not _ASKS.search(said)
        after = kind in {"thanks", "farewell"} and len(said) <= 40 and not _ASKS.search(text, piece.start())
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
    if _IN_DOCUMENTS.search(task) or _STRONG_FRESH.search(task):
        return None
    bare = text.strip(" ?.!,~")
    if _asks_to_write(task.strip(" ?.!,~"), marked.split(":", 1)[0]):
        return "writing"
    if len(task) + 2 >= len(bare) and _speaks_to_assistant(bare):
        return "identity" if _IDENTITY.search(bare) else "ability"
    stated = rest.strip(" .!,~")
    asks = _ASKS.search(stated) is not None
    remark = _PASTIME.search(bare) or (_STATED.fullmatch(stated) and not asks)
    return "remark" if remark or ("?" not in rest and _is_about_oneself(stated, asks=asks)) else None


def _is_about_oneself(stated: str, *, asks: bool) -> bool:
    """Whether a statement holds no word that is not of small talk, an English one "I" or "my" besides."""
    said = set(_tokens(stated))
    own = bool(said & _OF_ONESELF) and said <= _OF_TALK - _ASKING
    return own or (not asks and _OF_TALK_ZH.fullmatch(stated) is not None)


def _asks_to_write(task: str, marked: str) -> bool:
    """Whether a message asks to write or to code, and for no facts."""
    facts = _SUMMED.search(marked) or (_ESSAY.search(marked) and _ESSAY_FACTS.search(marked))
    if facts or _ASKS_BESIDES.search(_QUOTED.sub(" it ", task)):
        return False
    task = FORM_ASIDE.sub("", task)  # "in two sentences" is no sentence to be written
    return bool(_WRITING.search(task) or _BROUGHT.search(task))


def _speaks_to_assistant(bare: str) -> bool:
    """Whether a message is about the assistant: it says "you", and no word that is not of small talk or assistants."""
    if _HAN.search(bare):
        addressed = len(bare) <= _LONGEST_ZH and _TO_ASSISTANT_ZH.search(bare)
        return bool(addressed and _OF_TALK_ZH.fullmatch(bare))
    said = set(_tokens(bare))
    return said <= _OF_TALK and bool(said & _TO_ASSISTANT or _THIS_TOOL.search(bare))


def _tokens(text: str) -> list[str]:
    return _TOKENS.findall(text.replace("’", "'"))


def _social(piece: str) -> Talk | None:
    if _HOW_IT_GOES.fullmatch(piece):
        return "greeting"
    if not _HAN.search(piece):
        said = set(_tokens(piece))
        return next((kind for kind, social in _SOCIAL.items() if said & social and said <= _KNOWN), None)
    if not _ONLY_SOCIAL_ZH.fullmatch(piece):
        return None
    return next((kind for kind, kernel in _KERNELS_ZH.items() if kernel.search(piece)), None)
