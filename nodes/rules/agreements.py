"""What the values of look-ups tell where nothing was calculated: whether they agree, and who wins."""

from collections.abc import Sequence
from dataclasses import replace

from nodes.rules.amounts import shown
from nodes.rules.facts import Book, Sentence
from nodes.rules.forms import Shape
from nodes.rules.ranked import cites_of, mixed_units, operands_of, winner_first
from nodes.rules.verdicts import alike, told_of_all
from nodes.rules.wordings import listed
from state import Outcome
from text.language import fold


def agreement(book: Book, task_ids: Sequence[str], shape: Shape) -> Sentence | None:
    """Whether what was asked of all holds for all, or is the same for all, from the values themselves."""
    operands = operands_of(book, task_ids, shape)
    if not operands or len(operands) < 2:
        return None
    names = [operand.name for operand in operands]
    cites = cites_of(book, operands)
    if shape.kind == "both":
        if not all(isinstance(operand.outcome.value, bool) for operand in operands):
            return None
        # Whom it does not hold for is left to the passages: a denial is not in them word for word.
        failing = any(operand.outcome.value is False for operand in operands)
        cites = () if failing else cites
        if book.language == "zh":
            text = "不，并非都是这样。" if failing else f"是的，{'和'.join(names)}都是这样。"
        else:
            all_of = f"both {listed(names, 'en')}" if len(names) == 2 else listed(names, "en")
            text = (
                ("No, not both of them." if len(names) == 2 else "No, not all of them.")
                if failing
                else f"Yes, it is true of {all_of}."
            )
        return Sentence(text, cites)
    values = [shown(operand.outcome, book.language) for operand in operands]
    same = len({fold(value).removeprefix("the ") for value in values}) == 1
    if book.language == "zh":
        each = "，".join(f"{name}是{value}" for name, value in zip(names, values, strict=True))
        joined = f"{'和'.join(names)}的{shape.attribute}"
        text = f"是的，{joined}相同，都是{values[0]}。" if same else f"不，并不相同：{each}。"
    elif same:
        text = f"Yes, it is the same {shape.attribute} for {listed(names, 'en')}: {values[0]}."
    else:
        each = "; ".join(f"{value} for {name}" for name, value in zip(names, values, strict=True))
        text = f"No, they differ: {each}."
    return Sentence(text, cites)


def ranking(book: Book, task_ids: Sequence[str], shape: Shape) -> Sentence | None:
    """Who wins where no calculation was in the plan: told from the values, without a figure of its own."""
    operands = operands_of(book, task_ids, shape)
    if not operands or len(operands) < 2 or mixed_units(operands) or not alike(shape):
        return None
    ordered = winner_first(operands, shape.direction or "less")
    if ordered is None:
        return None
    stand_in = Outcome(task_id="", status="succeeded", value=0, type="number", detail={"expression": "max"})
    text = told_of_all(book, replace(shape, difference=False), operands, stand_in)
    return Sentence(text, cites_of(book, operands)) if text else None
