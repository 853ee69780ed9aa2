"""Chit-chat and writing requests: messages without a need for search.

They are recognized by closed sets of words. A message is about the assistant, or about the user, if it says so and
holds no word outside of small talk. One further word may be the subject of a question: an answer about the assistant
would then be wrong, and a search costs little. A request to write, rewrite, translate, play or code works on the user's
own material, and asks for nothing else. The words are in `text/data/conversation.toml`.
"""

import re
from typing import Final

from weiwo.nodes.shared.question.lexicon import FORM_ASIDE
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
    """Return a pattern that matches texts of nothing but the given Chinese words and punctuation."""
    spelt = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    return lazy(rf"(?:{spelt}|[,。.!?~、…\s])++")


_KINDS: Final[tuple[Talk, ...]] = ("thanks", "farewell", "greeting", "remark")
_SOCIAL: Final = {kind: _words(kind) for kind in _KINDS}
_KERNELS_ZH: Final = {kind: data_pattern("conversation", "kernels_zh", kind) for kind in _KINDS}
_KNOWN: Final = _words("filler").union(*_SOCIAL.values())
"""Social words, and fillers beside them in small talk."""
_OF_TALK: Final = _KNOWN.union(_words("assistant"), FUNCTION_WORDS)
"""Words of English small talk with or about the assistant, or about oneself. Any other word makes it a question."""
_OF_ONESELF: Final = _words("of_oneself")
_ASKING: Final = _words("asking")
_ONLY_SOCIAL_ZH: Final = _only(_words("social_zh"))
_OF_TALK_ZH: Final = _only(_words("social_zh") | _words("assistant_zh"))
_TO_ASSISTANT: Final = _cue("to_assistant")
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
_NEEDS_SOURCES: Final = _cue("needs_sources")
_FACTS: Final = _cue("facts")
_PIECE: Final = lazy(r"(?:[^,.!?;~…。、\n]|(?<=\d)\.(?=\d))+")
_HAN: Final = lazy(f"[{HAN}]")
_TOKENS: Final = lazy(r"[a-z0-9'-]+")
_QUOTED: Final = lazy(r"[\"“「《][^\"“「《”」》]{0,200}[\"”」》]|(?<!\w)'[^']{0,200}'(?!\w)")


def without_greeting(text: str) -> tuple[str, Talk | None]:
    """Return the text from the first piece that is more than a social phrase, and the kind of the phrase before it.

    "hello, who built acme?" gives "who built acme?" and "greeting". The text is empty if nothing else is said, the kind
    None without a phrase.

    Args:
        text: Lower-case, half-width text.
    """
    kind: Talk | None = None
    for piece in _PIECE.finditer(text):
        said = piece[0].strip()
        found = _social(said) if said else kind
        after = kind in {"thanks", "farewell"} and len(said) <= 40 and not _ASKS.search(text, piece.start())
        idle = after or (kind and _is_talk(said) and not _ASKS.search(said))
        if said and found is None and not idle:
            return text[piece.start() :].strip(), kind
        kind = found if found and (kind is None or found in {"thanks", "farewell"}) else kind
    return "", kind


def talk_of(text: str, marked: str, rest: str) -> Talk | None:
    """Return the kind of conversation that a message is, beyond greetings. None if it asks about the world.

    Args:
        text: The message in lower case.
        marked: The same with `N` for each name.
        rest: The message without frames of politeness, in lower case.
    """
    task = re.split(r"[:\n]", text, maxsplit=1)[0].strip(" ?.!,~")
    if _NEEDS_SOURCES.search(task):
        return None
    if _asks_to_write(task, marked.split(":", 1)[0]):
        return "writing"
    bare, stated = text.strip(" ?.!,~"), rest.strip(" .!,~")
    if _TO_ASSISTANT.search(bare) and _is_talk(bare):
        return "identity" if _IDENTITY.search(bare) else "ability"
    if _PASTIME.search(bare):
        return "remark"
    words = set(_tokens(stated))
    if "?" not in rest and words & _OF_ONESELF and words <= _OF_TALK - _ASKING:
        return "remark"
    stands = _STATED.fullmatch(stated) or (_HAN.search(stated) and _is_talk(stated))
    return "remark" if stands and not _ASKS.search(rest) else None


def _asks_to_write(task: str, marked: str) -> bool:
    """Report whether a message asks for writing or code, and for no facts."""
    if _FACTS.search(marked) or _ASKS_BESIDES.search(_QUOTED.sub(" it ", task)):
        return False
    task = FORM_ASIDE.sub("", task)  # "in two sentences" is no sentence to be written
    return bool(_WRITING.search(task) or _BROUGHT.search(task))


def _is_talk(said: str) -> bool:
    """Report whether a text has no words but those of small talk or about assistants."""
    return bool(_OF_TALK_ZH.fullmatch(said)) if _HAN.search(said) else set(_tokens(said)) <= _OF_TALK


def _tokens(text: str) -> list[str]:
    return _TOKENS.findall(text.replace("’", "'"))


def _social(piece: str) -> Talk | None:
    """Return the kind of social phrase that a piece of a message is, like "thanks". None if it says more."""
    if _HOW_IT_GOES.fullmatch(piece):
        return "greeting"
    if _HAN.search(piece):
        only = _ONLY_SOCIAL_ZH.fullmatch(piece)
        return next((kind for kind, kernel in _KERNELS_ZH.items() if only and kernel.search(piece)), None)
    said = set(_tokens(piece))
    return next((kind for kind, social in _SOCIAL.items() if said & social and said <= _KNOWN), None)
