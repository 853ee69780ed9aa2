"""Notes on a result: uncounted parts of a table and assumptions.

Each note is a kind and the values that fill its words. Tables and results carry notes as data. They are put into words
for a person or a model in the language of the answer.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from weiwo.state import Language
from weiwo.text.localization import localized_section

_WORDS: Final = localized_section("tables.notes")

Note = Sequence[Any]
"""A kind, which is a key of the section `tables.notes`, then the values of its places."""


def describe_note(note: Note, language: Language = "en") -> str:
    """Put a note into words."""
    kind, *values = note
    return str(_WORDS[language][kind]).format(*values)


def describe_notes(notes: Iterable[Note], language: Language = "en") -> list[str]:
    """Put notes into words, each once."""
    return list(dict.fromkeys(describe_note(note, language) for note in notes))
