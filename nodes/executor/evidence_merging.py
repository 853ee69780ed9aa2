"""Merging of passages with equal or nearly equal text into one passage.

A syndicated story comes under many addresses, and one page comes as a snippet and then whole. To a reader, and for
counting independent sources, each is one passage: the richer version. Its `also` names the addresses that have all its
numbers, dates and names. A copy that lacks some of them is not counted as a further address. Documents made from one
template are separate sources, however alike: for these, only equal texts are one passage. A passage is compared with
the kept passage, never with a passage merged into it.
"""

from collections.abc import Sequence
from typing import Final

from weiwo.state import Evidence
from weiwo.text.near_duplicates import Known, Told
from weiwo.tools.web.fetching.urls import canonical_url

_FULLER: Final = 1.2
"""Factor by which a copy with the same numbers, dates and names must be longer to replace the kept passage."""

_MOST_ALSO: Final = 12
"""Most further addresses kept for a passage."""


_MOST_OF_A_PAGE: Final = 60
"""Most passages of a page, the latest ones, with which a further passage of the page is compared."""


def merge_passages(old: Sequence[Evidence], new: Sequence[Evidence]) -> list[Evidence]:
    """Return earlier and new passages without repetition, the new ones first, since they answer the latest query.

    Near duplicates, and a text contained in another text of the same page, become a single passage with the better rank
    and score. Its `also` lists the addresses of the copies that have all its numbers, dates and names. It keeps the id
    of the earlier passage unless the new one has more of them, or more words.

    Args:
        old: The earlier passages.
        new: The new passages.
    """
    known_ids = {passage.id for passage in old}
    shelf = _DistinctPassages()
    for passage in (*new, *old):
        shelf.add_passage(passage, known=passage.id in known_ids)
    return shelf.passages


class _DistinctPassages:
    """Passages without repetition, in the order of first appearance, to which passages are added one by one."""

    def __init__(self) -> None:
        self.passages: list[Evidence] = []
        self._told: list[Told] = []
        self._known: list[bool] = []
        self._texts = Known()
        self._place_of_text: list[int] = []
        self._place_of_id: dict[str, int] = {}
        self._pages: dict[str, list[int]] = {}

    def add_passage(self, passage: Evidence, *, known: bool) -> None:
        place = self._place_of_id.get(passage.id)
        if place is not None:
            self.passages[place] = _clean_addresses(self.passages[place].merge_passage(passage))
            return
        told = Told.of(passage.text)
        place = self._place_of_copy(passage, told)
        if place is None:
            # A passage of the same page that contains this passage, or is contained in it.
            others = self._pages.get(canonical_url(passage.source), ())[-_MOST_OF_A_PAGE:]
            place = next((at for at in others if self._told[at].holds(told) or told.holds(self._told[at])), None)
        if place is None:
            place = len(self.passages)
            self.passages.append(_clean_addresses(passage))
            self._told.append(told)
            self._known.append(known)
            self._pages.setdefault(canonical_url(passage.source), []).append(place)
            self._note_text(place)
        else:
            self._join(place, passage, told, known=known)
        self._place_of_id[passage.id] = place

    def _note_text(self, place: int) -> None:
        self._texts.add(self._told[place])
        self._place_of_text.append(place)

    def _place_of_copy(self, passage: Evidence, told: Told) -> int | None:
        """Return the position of a kept passage with nearly the same text, or None.

        If either is a local document, the texts must be equal.
        """
        document = _is_document(passage)
        found = self._texts.find(told, equal=document)
        place = None if found is None else self._place_of_text[found]
        if place is None or document or not _is_document(self.passages[place]):
            return place if place is not None and self._told[place].resembles(told) else None
        return place if self._told[place].equals(told) else None

    def _join(self, place: int, passage: Evidence, told: Told, *, known: bool) -> None:
        main, kept = self.passages[place], self._told[place]
        richer, poorer = len(told.facts) > len(kept.facts), len(told.facts) < len(kept.facts)
        longer, shorter = len(told.words) > _FULLER * len(kept.words), _FULLER * len(told.words) < len(kept.words)
        if richer or (not poorer and (longer or (known and not self._known[place] and not shorter))):
            main, passage = passage, main
            self._told[place], self._known[place] = told, known
            self._note_text(place)
        also = main.also if richer or poorer else (*main.also, passage.source, *passage.also)
        self.passages[place] = _clean_addresses(
            main.merge_passage(passage).model_copy(update={"also": tuple(dict.fromkeys(also))})
        )


def _is_document(passage: Evidence) -> bool:
    """Report whether a passage comes from a local document rather than a web page."""
    return "://" not in passage.source


def _clean_addresses(passage: Evidence) -> Evidence:
    """Return a passage with one address of each other page in its `also`, at most 12."""
    pages = {canonical_url(address): address for address in reversed(passage.also)}
    pages.pop(canonical_url(passage.source), None)
    also = tuple(address for address in passage.also if pages.get(canonical_url(address)) == address)[:_MOST_ALSO]
    return passage if also == passage.also else passage.model_copy(update={"also": also})
