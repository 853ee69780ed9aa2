"""Extraction losses: content of a document not read, by kind, number and place.

A reader adds a `Loss` to its `Part`. It is stored with the document, listed by `weiwo index` and `weiwo corpora`, and
reported in an answer that uses the document. The kinds are the keys of the section `corpus.losses` of the catalogue.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from weiwo.state import Language
from weiwo.text.localization import localize_message, localized_section

_WORDS: Final = localized_section("corpus.losses")
_BETWEEN: Final = localize_message("corpus.losses.list", "between")
_MOST_PLACES: Final = 8
_MOST_KEPT: Final = 200
_LONGEST_PLACE: Final = 80


@dataclass(frozen=True, slots=True)
class Loss:
    """Content of a document missing from the passages."""

    kind: str  # a key of the section `corpus.losses`; the message of `other` consists of the places alone
    count: int = 1  # number of pages, cells, sheets or lines lost
    places: tuple[str, ...] = ()  # page numbers, sheet names or the like; there may be fewer than `count`


def count_places(kind: str, places: Iterable[object]) -> list[Loss]:
    """Return the loss of some places as a list of one, or an empty list without places.

    `count_places("pages_unreadable", [3, 7])` → `[Loss("pages_unreadable", 2, ("3", "7"))]`.
    """
    named = [str(place)[:_LONGEST_PLACE] for place in places]
    return [Loss(kind, len(named), tuple(named[:_MOST_KEPT]))] if named else []


def describe_losses(losses: Iterable[Loss], language: Language = "en") -> str:
    """Describe losses in a line for people. Without losses, the line is empty."""
    phrases: list[str] = []
    for loss in losses:
        words: str | tuple[str, ...] = _WORDS[language].get(loss.kind, "{places}")
        phrase = words if isinstance(words, str) else words[loss.count != 1]
        runs = list(_join_runs(loss.places))
        shown = _BETWEEN[language].join(runs[:_MOST_PLACES]) + ("…" if len(runs) > _MOST_PLACES else "")
        phrases.append(phrase.format(count=f"{loss.count:,}", places=shown))
    return "; ".join(phrases)


def _join_runs(places: tuple[str, ...]) -> Iterator[str]:
    """Yield the places, with three or more consecutive numbers joined: "2", "3", "4", "9" → "2-4", "9"."""
    at = 0
    while at < len(places):
        end = at
        while end + 1 < len(places) and _follows(places[end], places[end + 1]):
            end += 1
        if end - at >= 2:
            yield f"{places[at]}-{places[end]}"
        else:
            yield from places[at : end + 1]
        at = end + 1


def _follows(text: str, other: str) -> bool:
    return text.isdecimal() and other.isdecimal() and int(other) == int(text) + 1


def encode_losses(losses: Iterable[Loss]) -> str:
    """Encode the extraction losses of a document as JSON, or as an empty string if there is no loss."""
    rows = [[loss.kind, loss.count, list(loss.places)] for loss in losses]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def decode_losses(text: str) -> tuple[Loss, ...]:
    """Decode losses from the text of `encode_losses`."""
    return tuple(Loss(kind, count, tuple(places)) for kind, count, places in json.loads(text)) if text else ()
