"""What calculations come to, in sentences: who is older and by how much, which is the tallest, whether they agree.

Winners are found by code from the typed values, never taken from the words of a passage.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from nodes.rules.amounts import shown, unit_name, unit_of, with_unit
from nodes.rules.english import capitalized
from nodes.rules.facts import Book, Sentence, proper
from nodes.rules.forms import Shape
from nodes.rules.shapes import read_question
from state import REFERENCE, Outcome, Task, references
from text.dates import PartialDate
from text.language import fold
from text.numbers import format_number


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


def verdict(book: Book, task: Task, shape: Shape) -> Sentence | None:
    """The sentence that tells the result of a calculation; None where no safe one can be built."""
    result = book.usable(task.id)
    sources = list(dict.fromkeys(references([task.args.get(name, "") for name in ("start", "end", "expression")])))
    sources = [name for name in sources if name in book.plan.ids]
    if result is None:
        return None
    operands = operands_of(book, sources, shape) if sources else None
    cites = _cites(book, operands or [])
    if not operands or len(operands) < 2:
        return _plain(book, task, result, cites)
    if _mixed_units(operands):
        return None
    text = (_zh if book.language == "zh" else _en)(book, shape, operands, result)
    return Sentence(text, cites, (task.id,)) if text else _plain(book, task, result, cites)


def _cites(book: Book, operands: Sequence[Operand]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for operand in operands for key in book.cited(operand.outcome)[:1]))


def _mixed_units(operands: Sequence[Operand]) -> bool:
    """Whether numbers of different units were put into one formula, so that its result means nothing."""
    units = {unit_of(operand.outcome) for operand in operands if operand.outcome.type == "number"}
    return len(units) > 1


def _plain(book: Book, task: Task, result: Outcome, cites: tuple[str, ...]) -> Sentence:
    amount = _amount(result, [], book)
    expression = task.args.get("expression")
    if isinstance(expression, str) and not REFERENCE.search(expression):
        return Sentence(f"{expression} = {amount}{'.' if book.language == 'en' else '。'}", cites, (task.id,))
    if book.language == "zh":
        return Sentence(f"计算结果是{amount}。", cites, (task.id,))
    return Sentence(f"The result of the calculation is {amount}.", cites, (task.id,))


def winner_first(operands: Sequence[Operand], direction: str | None) -> list[Operand] | None:
    """The things ordered so that the winner comes first; None where two of the values leave the order open."""
    keys = [operand.key for operand in operands]
    if any(key is None for key in keys) or len({type(key) for key in keys}) != 1:
        return None
    ordered = sorted(operands, key=lambda operand: operand.key, reverse=direction == "greater")  # type: ignore[arg-type,return-value]  # keys are of one ordered type
    first, second = ordered[0].key, ordered[1].key
    if isinstance(first, PartialDate) and isinstance(second, PartialDate):
        if first.contains(second) or second.contains(first):
            return None
    elif first == second:
        return None
    return ordered


def tied(operands: Sequence[Operand]) -> bool:
    """Whether all values are the same."""
    return len({str(operand.key) for operand in operands}) == 1


def _amount(result: Outcome, operands: Sequence[Operand], book: Book) -> str:
    value = result.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return shown(result, book.language)
    size = round(abs(value), 6) if operands else value
    unit = unit_of(result) or (unit_of(operands[0].outcome) if operands else "")
    return with_unit(format_number(size, book.language), size, unit, book.language)


_EN_UNITS: Final = {"years": "years", "age": "years", "months": "months", "days": "days"}


def _en(  # noqa: PLR0911 - one sentence for each shape of question
    book: Book, shape: Shape, operands: list[Operand], result: Outcome
) -> str | None:
    names = [operand.name for operand in operands]
    if shape.kind == "age_at" or unit_of(result) == "age":
        return _en_age(operands, result)
    if shape.kind == "same" or isinstance(result.value, bool):
        agreed = result.value is True
        what = f"the same {shape.attribute}" if shape.attribute else "the same"
        listed = _listed(names)
        return f"{'Yes' if agreed else 'No'}, {listed} {'have' if agreed else 'do not have'} {what}."
    amount = _amount(result, operands, book)
    is_difference = (
        result.tool == "date_difference"
        or unit_of(result) in _EN_UNITS
        or " - " in str(result.detail.get("expression", " - "))
    )
    ordered = winner_first(operands, shape.direction or "less")
    if len(operands) == 2 and shape.than and _alike(shape):
        if ordered is None:
            if shape.kind == "difference" and result.value == 0 and tied(operands):
                return f"There is no difference between {names[0]} and {names[1]}."
            return f"The dates found do not tell whether {names[0]} or {names[1]} {shape.most}." if shape.most else None
        best, other = ordered[0].name, ordered[1].name
        by = (
            f", by {amount}"
            if is_difference and (shape.difference or shape.kind == "comparison") and result.value != 0
            else ""
        )
        statement = f"{best} {shape.than} {other}{by}."
        if shape.asks == "whether":
            yes = best == names[0]
            return f"Yes, {_inside(statement)}" if yes else f"No, {_inside(statement)}"
        return capitalized(statement)
    if len(operands) > 2 and shape.most and ordered:
        return f"Of {_listed(names)}, {ordered[0].name} {shape.most}."
    if len(operands) == 2 and is_difference:
        if shape.attribute and _alike(shape):
            return f"The difference between {names[0]} and {names[1]} is {amount}."
        return (
            f"There are {amount} between the two." if unit_of(result) in _EN_UNITS else f"The difference is {amount}."
        )
    return None


def _inside(statement: str) -> str:
    """A sentence continued after "Yes,": its article in lower case."""
    return re.sub(r"^The ", "the ", statement)


def _alike(shape: Shape) -> bool:
    """Whether the same was asked of all, so that the values can be ranked."""
    return len({lookup.relation or lookup.question for lookup in shape.lookups}) == 1


def _en_age(operands: list[Operand], result: Outcome) -> str | None:
    value = result.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    years = f"{format_number(value, 'en')} {unit_name('age', value, 'en')}"
    exact = "" if result.detail.get("exact", True) is not False else "about "
    return capitalized(f"{operands[0].name} was {exact}{years} old at the time.")


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _zh(  # noqa: PLR0911 - one sentence for each shape of question
    book: Book, shape: Shape, operands: list[Operand], result: Outcome
) -> str | None:
    names = [operand.name for operand in operands]
    if shape.kind == "age_at" or unit_of(result) == "age":
        value = result.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        exact = "" if result.detail.get("exact", True) is not False else "大约"
        return f"{names[0]}当时{exact}{format_number(value, 'zh')}岁。"
    if shape.kind == "same" or isinstance(result.value, bool):
        agreed = result.value is True
        what = f"{'、'.join(names)}的{shape.attribute or '值'}"
        return f"是的，{what}相同。" if agreed else f"不，{what}不同。"
    ordered = winner_first(operands, shape.direction or "less")
    is_difference = (
        result.tool == "date_difference"
        or unit_of(result) in _EN_UNITS
        or " - " in str(result.detail.get("expression", " - "))
    )
    amount = _amount(result, operands, book)
    if shape.by in {"大", "小"} and unit_of(result) == "years":
        amount = f"{amount.removesuffix('年')}岁"
    if len(operands) == 2 and shape.than and _alike(shape):
        if ordered is None:
            if result.value == 0 and tied(operands):
                return f"{names[0]}和{names[1]}没有差别。"
            return f"仅凭找到的日期无法确定{names[0]}和{names[1]}的先后。"
        best, other = ordered[0].name, ordered[1].name
        statement = shape.than.replace("〈a〉", best).replace("〈b〉", other)
        by = f"，{_zh_by(shape.by)}{amount}" if is_difference and result.value != 0 else ""
        lead = ("是的，" if best == names[0] else "不，") if shape.asks == "whether" else ""
        return f"{lead}{statement}{by}。"
    if len(operands) > 2 and shape.most and ordered:
        count = _COUNTS[len(names)] if len(names) < len(_COUNTS) else "多"
        return f"{count}者之中，{shape.most.replace('〈a〉', ordered[0].name)}。"
    if len(operands) == 2 and is_difference:
        return f"{names[0]}和{names[1]}相差{amount}。" if _alike(shape) else f"两者相差{amount}。"
    return None


_COUNTS: Final = "零一二三四五六七八九十"


def _zh_by(verb: str) -> str:
    return (
        verb
        if verb
        in {"大", "小", "高", "矮", "低", "长", "短", "重", "轻", "深", "宽", "早", "晚", "多", "少", "快", "慢", "贵"}
        else "相差"
    )


def agreement(book: Book, task_ids: Sequence[str], shape: Shape) -> Sentence | None:
    """Whether what was asked of all holds for all, or is the same for all, from the values themselves."""
    operands = operands_of(book, task_ids, shape)
    if not operands or len(operands) < 2:
        return None
    names = [operand.name for operand in operands]
    cites = _cites(book, operands)
    if shape.kind == "both":
        if not all(isinstance(operand.outcome.value, bool) for operand in operands):
            return None
        # Whom it does not hold for is left to the passages: a denial is not in them word for word.
        failing = any(operand.outcome.value is False for operand in operands)
        cites = () if failing else cites
        if book.language == "zh":
            text = "不，并非都是这样。" if failing else f"是的，{'和'.join(names)}都是这样。"
        else:
            all_of = f"both {_listed(names)}" if len(names) == 2 else _listed(names)
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
        text = f"Yes, it is the same {shape.attribute} for {_listed(names)}: {values[0]}."
    else:
        each = "; ".join(f"{value} for {name}" for name, value in zip(names, values, strict=True))
        text = f"No, they differ: {each}."
    return Sentence(text, cites)


def ranking(book: Book, task_ids: Sequence[str], shape: Shape) -> Sentence | None:
    """Who wins where no calculation was in the plan: told from the values, without a figure of its own."""
    operands = operands_of(book, task_ids, shape)
    if not operands or len(operands) < 2 or _mixed_units(operands) or not _alike(shape):
        return None
    ordered = winner_first(operands, shape.direction or "less")
    if ordered is None:
        return None
    stand_in = Outcome(task_id="", status="succeeded", value=0, type="number", detail={"expression": "max"})
    text = (_zh if book.language == "zh" else _en)(book, replace(shape, difference=False), operands, stand_in)
    return Sentence(text, _cites(book, operands)) if text else None
