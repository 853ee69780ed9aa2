"""Whether passages speak of the very subject that a question names, or of a stranger."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from weiwo.state import Evidence
from weiwo.text.language import HAN, detect_language, fold
from weiwo.text.names import names
from weiwo.text.patterns import lazy

_COMMON = lazy(
    r"the|of|and|for|in|on|at|to|an?|de|la|le|du|von|van|der|den|di|da|emperor|empress|king|queen|president|prince|"
    r"princess|sir|saint|st|lord|lady|pope|prime|minister|professor|doctor|dr|mrs?|ms"
)
"""Words of names that many have in common."""

LEAST_DOCUMENTS: Final = 4
"""Documents of a folder that must have been found before they say what the folder is about."""
SAME_SUBJECT: Final = 0.8
"""Share of them that name a subject where the folder is about it."""


def find_unmentioned_name(question: str, passages: Sequence[Evidence], known: Sequence[Evidence] = ()) -> str | None:
    """The name that a question asks about, if no passage has any of its names; None if one has, or none is named.

    A passage has the names of its document, since a document rarely repeats what it is about: its title, the names of
    its file and folders, and what other passages of it say. Where nearly all documents found of a folder name the
    subject, so does the folder. Passages in another script write names otherwise, and are not judged.

    Args:
        question: What is asked.
        passages: The passages to judge.
        known: Other passages that were found, of whatever documents.
    """
    named = [name.text for name in names(question)]
    language = detect_language(question)
    if not named or not passages or any(detect_language(passage.text) != language for passage in passages):
        return None
    parts = [[*_parts(name)] for name in named]
    documents = {passage.source for passage in passages}
    told = [*passages, *(other for other in known if other.source in documents)]
    if _is_named(parts, told) or any(_is_about(folder, parts, known) for folder in {_folder(one) for one in passages}):
        return None
    return named[0]


def _is_named(names_parts: Sequence[Sequence[str]], passages: Sequence[Evidence]) -> bool:
    """Whether passages, their titles and sources included, have a part of any of the names."""
    said = fold(" ".join(f"{passage.title} {passage.source} {passage.text}" for passage in passages))
    words = set(re.findall(f"[^\\W_{HAN}]+", said))
    return any(
        not parts or any(part in said if re.match(f"[{HAN}]", part) else part in words for part in parts)
        for parts in names_parts
    )


def _is_about(folder: str, names_parts: Sequence[Sequence[str]], known: Sequence[Evidence]) -> bool:
    """Whether nearly all documents found of a folder have a part of any of the names."""
    documents: dict[str, list[Evidence]] = {}
    for passage in known:
        if folder and _folder(passage) == folder:
            documents.setdefault(passage.source, []).append(passage)
    naming = sum(_is_named(names_parts, passages) for passages in documents.values())
    return len(documents) >= LEAST_DOCUMENTS and naming >= SAME_SUBJECT * len(documents)


def _folder(passage: Evidence) -> str:
    """The folder of a document at hand; nothing for a page of the web, whose neighbours say nothing of it."""
    return "" if "://" in passage.source else passage.source.rpartition("/")[0] or "."


def _parts(name: str) -> Iterator[str]:
    """What of a name would tell that somebody speaks of its bearer."""
    for word in re.findall(f"[{HAN}]+|[^\\W_{HAN}]+", fold(name)):
        if re.match(f"[{HAN}]", word):
            yield word[:2] if len(word) > 1 else word
        elif not _COMMON.fullmatch(word) and (len(word) > 1 or word.isdigit()):
            yield word
