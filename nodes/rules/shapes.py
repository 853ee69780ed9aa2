"""The shape of a question: what has to be looked up, in what order, and what is done with the values.

Questions are read by grammar, not by a list of sentences: subject, relation, comparison operator, descriptions that
stand for something to be found. Subjects are put into questions in the user's own words, so that an attribute no
table knows ("Which has more employees, A or B?") still gives good sub-questions. A shape that cannot be read with
certainty falls back to a single look-up: a look-up too few costs an answer, a wrong plan tells a falsehood.
"""

from dataclasses import replace

from nodes.rules.arithmetic import arithmetic
from nodes.rules.forms import LONGEST, SLOT, Kind, Lookup, Masked, Shape, mask, normalize, unmask
from nodes.rules.reading.requests import question_of, unit_wanted
from nodes.rules.shapes_en import read_english
from nodes.rules.shapes_zh import read_chinese
from nodes.rules.talk import talk
from state import Language

__all__ = ["SLOT", "Kind", "Lookup", "Shape", "read_question"]

_END = "?？。. "


def read_question(question: str, language: Language) -> Shape:
    """Read a question into its shape.

    Args:
        question: Any text; control characters and full-width forms are tolerated, braces become parentheses.
        language: The language it is in.

    Returns:
        Its shape; `single` for anything that is not known with certainty. Never raises.
    """
    text = normalize(question)
    kind = talk(text)
    if kind is not None:
        return Shape("writing_help" if kind == "writing_help" else "small_talk", language)
    if formula := arithmetic(text):
        return Shape("arithmetic", language, expression=formula)
    if len(text) > LONGEST or not any(c.isalnum() for c in text):
        return _whole(text, language)
    shape = _read(text, language)
    if _ordered(shape, text):  # a list is better asked for as it stands: "List the works of X"
        bare = _read(question_of(text), language)
        shape = bare if bare.subjects or not shape.lookups[0].ret.startswith("list[") else shape
    if shape.kind == "single" and not shape.subjects:
        return _with_unit(question_of(text), language) or shape
    return shape


def _ordered(shape: Shape, text: str) -> bool:
    """Whether the order to look something up was read as part of what is to be looked up."""
    order = text[: len(text) - len(question_of(text))].casefold().strip()
    words = order.split() if order.isascii() else [*order]
    ends = tuple(order[order.rfind(word) :] for word in words)
    first = shape.lookups[0].hops[0]
    asked = first.question.replace(SLOT, str(first.subject)).casefold()
    return bool(ends) and asked.startswith(ends)


def _read(text: str, language: Language) -> Shape:
    masked = mask(text.replace("’", "'") if language == "en" else text)
    shape = read_english(masked.text) if language == "en" else read_chinese(masked.text)
    if not shape.lookups or any(not lookup.question.strip(" ?？") for lookup in shape.lookups):
        return _whole(text, language)
    if shape.kind == "single" and shape.lookups[0].subject == "":
        return _whole(
            masked.restore(text if not shape.lookups else shape.lookups[0].question), language, shape.lookups[0]
        )
    return _restored(shape, masked)


def _with_unit(text: str, language: Language) -> Shape | None:
    """A question behind which its unit stands, 长江的长度(米): what it asks without it, asked in that unit."""
    _, plain = unit_wanted(text)
    asked, whole = plain.rstrip(_END), text.rstrip(_END)
    if asked == whole:
        return None
    shape = _read(asked, language)
    if not shape.subjects or {lookup.ret for lookup in shape.lookups} != {"number"}:
        return None
    mark = "？" if language == "zh" else "?"
    unit = whole[len(asked) :]
    return replace(
        shape,
        lookups=tuple(replace(one, question=f"{one.question.rstrip(_END)}{unit}{mark}") for one in shape.lookups),
    )


def _whole(text: str, language: Language, lookup: Lookup | None = None) -> Shape:
    """The question as one look-up."""
    ret = lookup.ret if lookup else "text"
    return Shape("single", language, (Lookup(question=text or "?", ret=ret),))


def _restored(shape: Shape, masked: Masked) -> Shape:
    return replace(
        shape,
        lookups=tuple(unmask(lookup, masked) for lookup in shape.lookups),
        subjects=tuple(masked.restore(subject) for subject in shape.subjects),
        attribute=masked.restore(shape.attribute) if shape.attribute else shape.attribute,
        than=masked.restore(shape.than),
        most=masked.restore(shape.most),
        told=masked.restore(shape.told),
        task=masked.restore(shape.task),
    )
