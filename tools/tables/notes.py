"""Notes on a result: rows and cells of a table that were not counted, and assumptions.

Each note is a kind and the values for the placeholders of its message. Tables and results carry notes as data. They
are formatted for a person or a model in the language of the answer.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from weiwo.state import Language
from weiwo.text.localization import localized_section

_WORDS: Final = localized_section("tables.notes")

Note = Sequence[Any]
"""A note as data: the key of a message in the section `tables.notes`, then the values of the message's placeholders."""


def describe_note(note: Note, language: Language = "en") -> str:
    """Format a note as a sentence."""
    kind, *values = note
    return str(_WORDS[language][kind]).format(*values)


def describe_notes(notes: Iterable[Note], language: Language = "en") -> list[str]:
    """Format notes as sentences, without duplicates."""
    return list(dict.fromkeys(describe_note(note, language) for note in notes))
