"""Message catalogue: user-facing messages by language, from `text/locale/{en,zh}.toml`.

A section is a table of the file, named after the module that uses it (`[shared.gaps]`). A catalogue is read when one of
its messages is first needed, and only the requested sections are parsed, because TOML is slow and commands start often.

An answer may be in any language. The program's own messages in it are English if the language has no catalogue.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from weiwo.state.kinds import LOCALES, Language, Locale, message_locale
from weiwo.text.patterns import lazy

_FOLDER: Final = Path(__file__).parent / "locale"
_HEADER: Final = lazy(r"(?m)^\[([\w.]+)\]$")


def localized_section(section: str) -> Mapping[Language, Mapping[str, str]]:
    """Return the messages of a section, by language and then by key. The section is parsed on first access."""
    return cast("Mapping[Language, Mapping[str, str]]", _ByLanguage(section))


def localize_message(section: str, key: str) -> Mapping[Language, str]:
    """Return a message of a section, by language."""
    return cast("Mapping[Language, str]", _ByLanguage(section, key))


def localized_phrases(section: str, key: str) -> Mapping[Language, tuple[str, ...]]:
    """Return a list of phrases, the entry `key` of a section, by language."""
    return cast("Mapping[Language, tuple[str, ...]]", _ByLanguage(section, key))


_T = TypeVar("_T")


class ByLocale(dict[Language, _T]):
    """Dictionary of values by language, which returns the value of English for a language without a catalogue."""

    def __missing__(self, language: Language) -> _T:
        return self[message_locale(language)]


def sections(language: Locale) -> tuple[str, ...]:
    """Return the names of the sections of a language's catalogue."""
    return tuple(_texts(language))


class _ByLanguage(Mapping[Language, Any]):
    """Mapping from language to the messages of a section, or to the message of one key, parsed on access."""

    def __init__(self, section: str, key: str | None = None) -> None:
        self._section, self._key = section, key

    def __getitem__(self, language: Language) -> Any:
        table = _section(message_locale(language), self._section)
        return table if self._key is None else table[self._key]

    def __iter__(self) -> Iterator[Language]:
        return iter(LOCALES)

    def __len__(self) -> int:
        return len(LOCALES)


@cache
def _texts(language: Locale) -> dict[str, str]:
    """Return the unparsed text of each section of a catalogue, by the section's name."""
    text = (_FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    _, *parts = _HEADER.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def _section(language: Locale, section: str) -> Mapping[str, Any]:
    table = tomllib.loads(_texts(language)[section])
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
