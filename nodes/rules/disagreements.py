"""Where sources disagree, in one sentence: who gives what. Each part cites its own source and is checked against it."""

import re
from collections.abc import Iterator
from typing import Final

from nodes.rules.amounts import unit_of, written
from nodes.rules.facts import Book, Sentence
from state import JsonValue, Outcome, Task
from text.language import fold

_LONGEST_TITLE: Final = 60
_MOST_CITED: Final = 2
_BREAKS: Final = re.compile(r"[.?!;:。？！；：\[\]“”《》\n]")
"""What would end the sentence, or be taken for a mark, inside a title."""


def disagreement(book: Book, task: Task) -> Iterator[Sentence]:
    """What other sources give instead of the value of a task, after what gives the value.

    Args:
        book: The plan that ran.
        task: One of its tasks.
    """
    outcome = book.usable(task.id)
    if outcome is None:
        return
    said = [
        (shown, rival.evidence_ids[:_MOST_CITED])
        for rival in outcome.rivals
        if (shown := _shown(book, outcome, rival.value))
    ]
    own = _shown(book, outcome, outcome.value)
    if not said or not own:
        return
    halves = [(own, book.cited(outcome)), *said]
    titles = [_title(book, ids) for _, ids in halves]
    named = len({fold(title) for title in titles}) == len(titles) and all(titles)
    english = book.language == "en"
    for n, ((value, ids), title) in enumerate(zip(halves, titles, strict=True)):
        several = (n == 0 and outcome.support > 1) or len(ids) > 1
        who = _who(title if named and not several else "", n, several=several, english=english)
        opening = ("Sources disagree: " if english else "资料说法不一：") if n == 0 else ""
        end = ("." if english else "。") if n == len(halves) - 1 else (";" if english else "；")
        yield Sentence(f"{opening}{who}{value}{end}", ids)


def _who(title: str, n: int, *, several: bool, english: bool) -> str:
    if english:
        if title:
            return f"“{title}” gives "
        if several:
            return "several give " if n == 0 else "others give "
        return "one gives " if n == 0 else "another gives "
    if title:
        return f"《{title}》给出的是"
    if several:
        return "多份资料给出的是" if n == 0 else "另有多份给出的是"
    return "一份资料给出的是" if n == 0 else "另一份给出的是"


def _shown(book: Book, outcome: Outcome, value: JsonValue) -> str:
    return " ".join(written(value, outcome.type, book.language, unit_of(outcome)).split()).rstrip("。.")


def _title(book: Book, evidence_ids: tuple[str, ...]) -> str:
    """The title of the source, where it can stand in a sentence."""
    passage = book.evidence.get(evidence_ids[0]) if evidence_ids else None
    title = " ".join(passage.title.split()).strip("《》“”\"' ") if passage else ""
    return title if len(title) <= _LONGEST_TITLE and not _BREAKS.search(title) else ""
