"""The things a calculation compares: what they are called, what they came to, and how they are ordered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.rules.amounts import shown, unit_of
from nodes.rules.facts import Book, proper
from nodes.rules.forms import Shape
from nodes.rules.shapes import read_question
from state import REFERENCE, Outcome, Task
from text.dates import PartialDate


@dataclass(frozen=True)
class Operand:
    """One of the things compared: what it is called, and its value."""

    name: str
    outcome: Outcome

    @property
    def key(self) -> PartialDate | float | None:
        """What it is ordered by; None where it cannot be ordered."""
        value = self.outcome.value
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return float(value)
        if self.outcome.type == "date" and isinstance(value, str):
            try:
                return PartialDate.from_iso(value)
            except ValueError:
                return None
        return None


def operands_of(book: Book, task_ids: Sequence[str], shape: Shape) -> list[Operand] | None:
    """The things the tasks are about; None where one has no value."""
    found = []
    for position, task_id in enumerate(task_ids):
        outcome = book.usable(task_id)
        if outcome is None:
            return None
        name = _name(book, book.plan.task(task_id), shape, position if len(shape.subjects) == len(task_ids) else None)
        found.append(Operand(name, outcome))
    return found


def _name(book: Book, task: Task, shape: Shape, position: int | None) -> str:
    """What a look-up is about: the value it was handed, else the subject as the question names it."""
    handed = [match[1] for match in REFERENCE.finditer(task.description)]
    outcome = book.usable(handed[0]) if handed else None
    if outcome is not None:
        return shown(outcome, book.language)
    if position is not None:
        return proper(shape.subjects[position], book.evidence)
    inner = read_question(task.description, book.language)
    if inner.subjects:
        return proper(inner.subjects[0], book.evidence)
    question = book.asked(task).rstrip("?？")
    match = re.fullmatch(r"When (?:was|did) (?P<s>.+?) (?:\w+)|How \w+ (?:is|was) (?P<d>.+)", question)
    if match:
        return match["s"] or match["d"]
    zh = re.match(r"(?P<s>.+?)(?:是哪|是什么时候|有多|在哪|的.{1,6}是|哪一?年|什么时候|出生|生于|去世|成立)", question)
    return zh["s"] if zh else question


def cites_of(book: Book, operands: Sequence[Operand]) -> tuple[str, ...]:
    """The passages that things compared rest on, the best of each."""
    return tuple(dict.fromkeys(key for operand in operands for key in book.cited(operand.outcome)[:1]))


def mixed_units(operands: Sequence[Operand]) -> bool:
    """Whether numbers of different units were put into one formula, so that its result means nothing."""
    units = {unit_of(operand.outcome) for operand in operands if operand.outcome.type == "number"}
    return len(units) > 1


def winner_first(operands: Sequence[Operand], direction: str | None) -> list[Operand] | None:
    """The things ordered so that the winner comes first; None where two of the values leave the order open."""
    keys = [operand.key for operand in operands]
    if any(key is None for key in keys) or len({type(key) for key in keys}) != 1:
        return None
    ordered = sorted(operands, key=lambda operand: operand.key, reverse=direction == "greater")  # type: ignore[arg-type,return-value]  # keys are of one ordered type
    first, second = ordered[0].key, ordered[1].key
    if isinstance(first, float) and isinstance(second, float) and abs(first - second) <= _doubt(ordered[:2]):
        return None
    if isinstance(first, PartialDate) and isinstance(second, PartialDate):
        if first.contains(second) or second.contains(first):
            return None
    elif first == second:
        return None
    return ordered


def _doubt(operands: Sequence[Operand]) -> float:
    """By how much two values may be nearer than they look: an age out of years alone may be one less."""
    return float(any(operand.outcome.detail.get("exact", True) is False for operand in operands))


def tied(operands: Sequence[Operand]) -> bool:
    """Whether all values are the same."""
    return len({str(operand.key) for operand in operands}) == 1
