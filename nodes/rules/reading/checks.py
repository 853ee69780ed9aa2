"""Yes or no: by reading the value a question supposes, or else by finding the statement it asks about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate, choose, same_text
from nodes.rules.reading.locations import locations
from nodes.rules.reading.quantities import dates
from nodes.rules.reading.results import same_date
from nodes.rules.reading.standing import View
from nodes.rules.reading.statements import verdict
from nodes.rules.reading.subject import Subject
from text.dates import find_dates
from text.language import fold

SURE: Final = 0.6
"""Confidence from which a reading may contradict what a question supposes."""


def checked(asked: Asked, subject: Subject, seen: Sequence[View]) -> tuple[bool, Candidate] | None:
    """Whether what a yes/no question supposes is so.

    Args:
        asked: The question.
        subject: Its subject.
        seen: The sentences about it.

    Returns:
        The answer with what it rests on; None where the passages don't speak of it.
    """
    return _by_value(asked, subject, seen) or verdict(asked, seen)


def _by_value(asked: Asked, subject: Subject, seen: Sequence[View]) -> tuple[bool, Candidate] | None:
    """Whether "Was S born in X?" holds, by reading where or when S was born: there is one answer only."""
    if asked.relation is None or asked.relation.life is None:
        return None
    claimed = find_dates(asked.text)
    if claimed:
        found = choose(dates(replace(asked, words=(), years=()), seen), same_date)
        if not found or found[0][0] < SURE:
            return None
        return same_date(claimed[0].date.iso(), found[0][1][0].value), found[0][1][0]
    supposed = [name for name in asked.subjects[1:] if not any(c.isdigit() for c in name)]
    found = choose(locations(replace(asked, kind="place", words=()), subject, seen), same_text) if supposed else []
    if not found or found[0][0] < SURE:
        return None
    said = [fold(candidate.view.sentence) for candidate in found[0][1]]
    return any(fold(name) in sentence for name in supposed for sentence in said), found[0][1][0]
