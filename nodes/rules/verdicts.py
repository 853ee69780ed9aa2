"""What calculations come to, in sentences: who is older and by how much, which is the tallest, how old somebody was.

Winners are found by code from the typed values, never taken from the words of a passage.
"""

import re
from collections.abc import Sequence
from typing import Final

from nodes.rules.amounts import approximate, shown, unit_of, with_unit
from nodes.rules.arithmetic import worded
from nodes.rules.english import capitalized
from nodes.rules.facts import Book, Sentence
from nodes.rules.figures import age, figured
from nodes.rules.forms import LIFESPAN, Shape
from nodes.rules.ranked import Operand, cites_of, mixed_units, operands_of, tied, winner_first
from nodes.rules.shapes import read_question
from nodes.rules.wordings import event_en, listed, noun_zh, plural
from state import REFERENCE, Outcome, Task, references
from text.numbers import format_number


def verdict(book: Book, task: Task, shape: Shape) -> Sentence | None:
    """The sentence that tells the result of a calculation; None where no safe one can be built."""
    result = book.usable(task.id)
    sources = list(dict.fromkeys(references([task.args.get(name, "") for name in ("start", "end", "expression")])))
    sources = [name for name in sources if name in book.plan.ids]
    if result is None:
        return None
    if task.id not in book.plan.final_ids:
        # A step on the way, such as a life span, is told as what it was asked as.
        shape = read_question(book.asked(task), book.language)
    operands = operands_of(book, sources, shape) if sources else None
    cites = cites_of(book, operands or [])
    if operands and (shape.date or (len(operands) == 1 and unit_of(result) == "age")):
        text = age(shape, operands[0].name, result, book.language)
        return Sentence(text, cites, (task.id,)) if text else _plain(book, task, result, cites)
    if not operands or len(operands) < 2:
        return _plain(book, task, result, cites, shape)
    if mixed_units(operands):
        return None
    text = told_of_all(book, shape, operands, result)
    return Sentence(text, cites, (task.id,)) if text else _plain(book, task, result, cites)


def told_of_all(book: Book, shape: Shape, operands: list[Operand], result: Outcome) -> str | None:
    """What a calculation over things tells of them; None where no safe sentence can be built."""
    if shape.kind in {"ratio", "percentage", "sum", "average"}:
        return _figured(book, shape, operands, result)
    if shape.kind == "age_at" or (unit_of(result) == "age" and shape.attribute != LIFESPAN):
        return age(shape, operands[0].name, result, book.language)
    return (_zh if book.language == "zh" else _en)(book, shape, operands, result)


def _figured(book: Book, shape: Shape, operands: list[Operand], result: Outcome) -> str | None:
    value, keys = result.value, [operand.key for operand in operands]
    if isinstance(value, bool) or not isinstance(value, int | float) or value == 0:
        return None  # a share too small to be written says nothing
    numbers = [key for key in keys if isinstance(key, float)]
    if len(numbers) != len(keys):
        return None
    amount, rounded = _amount(result, operands, book), any(approximate(operand.outcome) for operand in operands)
    if shape.kind in {"ratio", "percentage"}:
        amount = format_number(round(value, 6), book.language)
        exact = numbers[0] / numbers[-1] * (100 if shape.kind == "percentage" else 1) if numbers[-1] else value
        rounded = rounded or abs(exact - value) > 1e-9
    names = [operand.name for operand in operands]
    return figured(shape, names, amount, rounded=rounded, language=book.language)


def _plain(book: Book, task: Task, result: Outcome, cites: tuple[str, ...], shape: Shape | None = None) -> Sentence:
    amount = _amount(result, [], book)
    if shape and shape.kind == "arithmetic" and (said := worded(task.description, amount, book.language)):
        return Sentence(said, cites, (task.id,))
    expression = task.args.get("expression")
    if isinstance(expression, str) and not REFERENCE.search(expression):
        return Sentence(f"{expression} = {amount}{'.' if book.language == 'en' else '。'}", cites, (task.id,))
    if book.language == "zh":
        return Sentence(f"计算结果是{amount}。", cites, (task.id,))
    return Sentence(f"The result of the calculation is {amount}.", cites, (task.id,))


def _amount(result: Outcome, operands: Sequence[Operand], book: Book) -> str:
    value = result.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return shown(result, book.language)
    size = round(abs(value), 6) if operands else value
    unit = unit_of(result) or (unit_of(operands[0].outcome) if operands else "")
    if unit == "age" and len(operands) > 1:
        unit = "years"  # how much longer a life was is no age
    return with_unit(format_number(size, book.language), size, unit, book.language)


_EN_UNITS: Final = {"years": "years", "age": "years", "months": "months", "days": "days"}


def _en(book: Book, shape: Shape, operands: list[Operand], result: Outcome) -> str | None:
    names = [operand.name for operand in operands]
    if shape.kind == "same" or isinstance(result.value, bool):
        agreed = result.value is True
        what = f"the same {shape.attribute}" if shape.attribute else "the same"
        everyone = listed(names, "en")
        return f"{'Yes' if agreed else 'No'}, {everyone} {'have' if agreed else 'do not have'} {what}."
    amount = _amount(result, operands, book)
    is_difference = (
        result.tool == "date_difference"
        or unit_of(result) in _EN_UNITS
        or " - " in str(result.detail.get("expression", " - "))
    )
    ordered = winner_first(operands, shape.direction or "less")
    if len(operands) == 2 and shape.than and alike(shape):
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
        return f"Of {listed(names, 'en')}, {ordered[0].name} {shape.most}."
    if len(operands) == 2 and is_difference:
        return _en_difference(shape, names, amount, timed=unit_of(result) in _EN_UNITS)
    return None


def _en_difference(shape: Shape, names: list[str], amount: str, *, timed: bool) -> str:
    events = [event_en(lookup) for lookup in shape.lookups]
    if timed and len(events) == len(names) and all(events):
        if len(set(events)) == 1:
            return f"The {plural(events[0])} of {listed(names, 'en')} are {amount} apart."
        return f"There are {amount} between the {events[0]} of {names[0]} and the {events[1]} of {names[1]}."
    noun = shape.attribute or ""
    if noun and alike(shape) and not timed:
        if re.fullmatch(r"[a-z]+", noun) and not noun.endswith("s"):
            return f"The {noun} difference between {names[0]} and {names[1]} is {amount}."
        return f"The difference in {noun} between {names[0]} and {names[1]} is {amount}."
    if noun and alike(shape):
        return f"The difference between {names[0]} and {names[1]} is {amount}."
    return f"There are {amount} between the two." if timed else f"The difference is {amount}."


def _inside(statement: str) -> str:
    """A sentence continued after "Yes,": its article in lower case."""
    return re.sub(r"^The ", "the ", statement)


def alike(shape: Shape) -> bool:
    """Whether the same was asked of all, so that the values can be ranked."""
    return len({lookup.relation or lookup.question for lookup in shape.lookups}) == 1


def _zh(book: Book, shape: Shape, operands: list[Operand], result: Outcome) -> str | None:
    names = [operand.name for operand in operands]
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
    if len(operands) == 2 and shape.than and alike(shape):
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
        nouns = [noun_zh(lookup) for lookup in shape.lookups]
        if len(nouns) == len(names) and all(nouns) and len(set(nouns)) > 1:
            return f"{names[0]}的{nouns[0]}和{names[1]}的{nouns[1]}相差{amount}。"
        of_what = f"的{nouns[0]}" if nouns and nouns[0] and len(nouns) == len(names) else ""
        return f"{names[0]}和{names[1]}{of_what}相差{amount}。" if alike(shape) else f"两者相差{amount}。"
    return None


_COUNTS: Final = "零一二三四五六七八九十"


def _zh_by(verb: str) -> str:
    return (
        verb
        if verb
        in {
            "大",
            "小",
            "高",
            "矮",
            "低",
            "长",
            "短",
            "重",
            "轻",
            "深",
            "宽",
            "早",
            "晚",
            "多",
            "少",
            "快",
            "慢",
            "贵",
            "多活",
            "少活",
        }
        else "相差"
    )
