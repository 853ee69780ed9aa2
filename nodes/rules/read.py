"""Reading a typed value out of passages by rule: what a task does with its passages where no model is configured.

The question is taken apart (`asked`), the sentences that speak about its subject are found (`standing`), values of the
wanted sort are taken from them where the relation puts them (`slots`, `locations`, `quantities`, `statements`,
`nearby`), and the best supported one is returned with the sentence that carries it. Where the subject does not occur,
or nothing says what is asked of it, nothing is returned: a wrong value flows into every task behind this one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from nodes.rules.reading.asked import Asked, analyse
from nodes.rules.reading.candidates import choose
from nodes.rules.reading.checks import checked
from nodes.rules.reading.leads import lead
from nodes.rules.reading.plain import read_plain
from nodes.rules.reading.quantities import dates, numbers
from nodes.rules.reading.results import Reading, nothing, same_date, typed, whole_passages, with_value
from nodes.rules.reading.standing import View, views
from nodes.rules.reading.subject import Subject
from nodes.rules.reading.texts import read_text
from nodes.rules.reading.wants import asks_year
from nodes.rules.words import coverage, terms
from state import Evidence, Language, ValueType, item_type
from text.dates import PartialDate

__all__ = ["Reading", "read"]

LONGEST_PASSAGE: Final = 120_000
"""Characters of one passage that are read."""

MOST_PASSAGES: Final = 40
"""Passages that are read, best first."""


def read(description: str, ret: ValueType, passages: Sequence[Evidence], language: Language) -> Reading:
    """Read the answer to a question out of passages.

    CPU-bound: milliseconds for paragraphs, up to about a second for passages of 100 kB; call it through
    `asyncio.to_thread`.

    Args:
        description: A natural question, or a request as planners write them: "birth year of Julius Caesar", "Find the
            height of X (in metres)", 查找鲁迅的生年.
        ret: The type of the value. For `passages` it is the texts of the passages that hold at least half of the
            question's words.
        passages: The passages, best first.
        language: The language of the question; `missing` is written in it.

    Returns:
        The value with the sentences that carry it, or None for the value with what is missing.
    """
    given = [_clipped(passage) for passage in passages[:MOST_PASSAGES] if passage.text.strip()]
    asked = analyse(description, ret)
    if ret == "number" and asks_year(asked.text):
        return _year(read(description, "date", passages, language))
    if not given:
        return nothing(asked, language, found_subject=False)
    if ret == "passages":
        return whole_passages(asked, given, language)
    if ret == "text" and (definition := lead(asked.text, given)):
        return definition
    if asked.kind == "date" and ret == "text" and (rule := read_plain(asked, given, ret)):
        return rule  # "When is homework due?" asks for a rule, not for a day in history
    found, spoken_of = _about_subject(asked, given, ret)
    if found is None and item_type(ret) != "boolean":
        found = read_plain(asked, given, ret)
    return found or nothing(asked, language, found_subject=spoken_of)


def _year(read_date: Reading) -> Reading:
    """A date's year as a number, negative before our era: planners type years so."""
    if not isinstance(read_date.value, str):
        return read_date
    return replace(read_date, value=PartialDate.from_iso(read_date.value).year)


def _about_subject(asked: Asked, given: Sequence[Evidence], ret: ValueType) -> tuple[Reading | None, bool]:
    """What is read in sentences about the question's subject, and whether there are any."""
    subjects = asked.subjects or (asked.text,)
    for text in subjects:
        subject = Subject(text)
        seen = list(views(subject, given))
        # What is asked about comes first; a lesser name alone, such as that of an event, is another question.
        if not seen or (text != subjects[0] and not _speaks_of(subjects[0], seen)):
            continue
        return _read(asked, subject, seen, ret), True
    return None, False


def _speaks_of(subject: str, seen: Sequence[View]) -> bool:
    wanted = set(terms(subject))
    return any(coverage(wanted, {*view.terms, *terms(view.title)}) >= 0.6 for view in seen)


def _clipped(passage: Evidence) -> Evidence:
    if len(passage.text) <= LONGEST_PASSAGE:
        return passage
    return passage.model_copy(update={"text": passage.text[:LONGEST_PASSAGE]})


def _read(asked: Asked, subject: Subject, seen: Sequence[View], ret: ValueType) -> Reading | None:
    item = item_type(ret)
    if item == "boolean":
        answer = checked(asked, subject, seen)
        if answer is None:
            return None
        value, candidate = answer
        return with_value([value] if ret != item else value, [candidate], candidate.score)
    if item == "date":
        return typed(asked, choose(dates(asked, seen), same_date), ret)
    if item == "number":
        return typed(asked, choose(numbers(asked, seen), lambda one, other: one == other), ret)
    return read_text(asked, subject, seen, ret)
