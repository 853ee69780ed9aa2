"""The common English words, by stem: a word outside this list is specific enough to need a source."""

from functools import cache

from weiwo.text.data_files import data_words
from weiwo.text.terms import FUNCTION_WORDS, stem


@cache
def _stems() -> frozenset[str]:
    return data_words("common_words", "stems") | data_words("common_words", "software") | FUNCTION_WORDS


def is_common(word: str) -> bool:
    """Whether an English word, in any letter case and inflection, is common.

    Args:
        word: One word.
    """
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    endings = (plain.removesuffix(ending) for ending in ("", "er", "r", "est", "ly"))
    forms = (*endings, plain.removeprefix("re"), plain.removeprefix("un"))
    return any(form in FUNCTION_WORDS or stem(form) in _stems() for form in forms)
