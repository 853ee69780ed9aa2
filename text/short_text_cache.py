"""Bounded cache of what is found in short texts.

The nodes of a run read the same question, passage and sentence again and again, each for a purpose of its own: of 430
requests for the words of a text, in a question of three tasks, 46 are about different texts.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, TypeVar, cast

_Find = TypeVar("_Find", bound=Callable[..., list[Any]])

_LONGEST: Final = 1_500
"""Maximum length, in characters, of a text whose items are cached. A passage is shorter."""
_KEPT: Final = 256


def cache_short_texts(find: _Find) -> _Find:
    """Decorate a function that finds items in a text, to cache the result for texts of up to `_LONGEST` characters.

    The text is the function's first argument, and all arguments are positional. Each call returns a list of its own.
    The items in the lists are shared between calls and must not be changed.
    """

    @lru_cache(maxsize=_KEPT)
    def find_once(text: str, *args: Any) -> tuple[Any, ...]:
        return tuple(find(text, *args))

    @wraps(find)
    def find_cached(text: str, *args: Any) -> list[Any]:
        if len(text) > _LONGEST:
            return find(text, *args)
        return list(find_once(text, *args))

    return cast("_Find", find_cached)
