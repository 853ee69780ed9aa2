"""The few words the command puts around an answer, in the answer's language."""

import os
from collections.abc import Callable, Mapping
from typing import Final

from weiwo.state.kinds import Language
from weiwo.text.localization import localized_section
from weiwo.text.patterns import lazy

_COUNTS: Final = frozenset({"calls", "takes", "unknown", "spent", "model_calls", "stood_in", "tasks"})
_ONE: Final = lazy(r"\b1 ((?:(?:tool|model) )?(?:call|task|time|token))s\b")
"""A count of one in English."""
_PLACE: Final = lazy(r"\b(line|page|row|slide)s? (\d+(?:-\d+)?)(, )?")
_PLACES_ZH: Final = {"line": "行", "page": "页", "row": "行", "slide": "张幻灯片"}
_WORDS: Final = localized_section("render.labels")


def system_language(env: Mapping[str, str] | None = None) -> Language:
    """Return the language of this machine's user: Chinese in a Chinese locale, else English.

    It is used if no question determines the language.
    """
    env = os.environ if env is None else env
    named = next((env[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(name)), "")
    return "zh" if named.startswith("zh") else "en"


def in_system_language(words: Mapping[Language, Mapping[str, str]]) -> Callable[..., str]:
    """Return a function that looks a phrase up in the language of this machine's user.

    The function takes the name of a phrase and the values for its placeholders, as `say("saved", path)`.

    Args:
        words: The phrases by language and name.
    """

    def say(name: str, *values: object) -> str:
        return words[system_language()][name].format(*values)

    return say


def describe_place(language: str, locator: str) -> str:
    """Return a place within a source in words of a language: "lines 3-9" as 第 3-9 行 in Chinese, else unchanged."""
    if language != "zh":
        return locator
    found = _PLACE.sub(lambda m: f"第 {m[2]} {_PLACES_ZH[m[1]]}{'，' if m[3] else ''}", locator)
    return f"工作表 {found.removeprefix('sheet ')}" if found.startswith("sheet ") else found


def label(language: str, name: str, *values: object) -> str:
    """Return a word or phrase in a language, with the values filled in. English is used for unsupported languages."""
    told = _WORDS["zh" if language == "zh" else "en"][name].format(*values)
    return _ONE.sub(r"1 \1", told) if name in _COUNTS else told
