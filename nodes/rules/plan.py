"""Plans made by rule: the shape of a question turned into typed tasks that hand their values on.

Every look-up is one task on the search tool, asked in the question's language; a look-up about something that has to
be found first refers to the task that finds it. Where the shape asks for it a calculation ends the plan, so that what
is compared is compared by code.
"""

from collections.abc import Collection
from typing import Final

from nodes.rules.forms import LIFESPAN, SLOT, Lookup, Shape, normalize
from nodes.rules.keywords import LONGEST, keywords
from nodes.rules.mend import repair
from nodes.rules.search_tools import search_tool
from nodes.rules.shapes import read_question
from nodes.rules.talk import talk
from nodes.rules.wordings import computed
from state import JsonValue, Language, Plan, Task, ValueType

__all__ = ["repair", "rule_plan", "single_task_plan"]

CALCULATOR: Final = "calculator"
DATE_DIFFERENCE: Final = "date_difference"
_MOST_LIVES: Final = 5
"""Life spans that are compared: each takes three tasks."""
_BIRTH_AND_DEATH: Final[dict[Language, tuple[Lookup, Lookup]]] = {
    "en": (Lookup(f"When was {SLOT} born?", "date", "", "born"), Lookup(f"When did {SLOT} die?", "date", "", "died")),
    "zh": (
        Lookup(f"{SLOT}是哪一年出生的？", "date", "", "born"),
        Lookup(f"{SLOT}是哪一年去世的？", "date", "", "died"),
    ),
}
_COMPUTED: Final = frozenset(
    {"comparison", "difference", "superlative", "same", "age_at", "ratio", "percentage", "sum", "average"}
)
_UNITS: Final = {"day": "days", "天": "days", "日": "days", "month": "months", "个月": "months", "月": "months"}


def rule_plan(question: str, language: Language, tools: Collection[str], revision: int = 0) -> Plan:
    """Plan a question by its shape.

    Args:
        question: The question, any text.
        language: The language its tasks are asked in.
        tools: Names of the tools at hand; calculations are left out where their tool is not among them.
        revision: The plan's revision.

    Returns:
        A plan of at least one task; one search where the shape is not known.
    """
    shape = read_question(question, language)
    builder = _Builder(language, tools)
    if shape.kind == "arithmetic" and CALCULATOR in tools:
        builder.add(_described(question, language), CALCULATOR, {"expression": shape.expression}, "number")
    elif shape.kind == "each":
        builder.every(*shape.lookups)
    elif shape.lookups:
        lives = len(shape.lookups) <= _MOST_LIVES and DATE_DIFFERENCE in tools
        found = [
            builder.life(lookup) if lives and lookup.relation == LIFESPAN else builder.look_up(lookup)
            for lookup in shape.lookups
        ]
        _compute(builder, shape, found, language)
    if not builder.tasks:
        return single_task_plan(question, language, tools).model_copy(update={"revision": revision})
    return Plan(tasks=tuple(builder.tasks), revision=revision)


def single_task_plan(question: str, language: Language, tools: Collection[str]) -> Plan:
    """The plan of a question that one search answers, asked as it stands but for its politeness."""
    shape = read_question(question, language)
    builder = _Builder(language, tools)
    if shape.kind == "arithmetic" and CALCULATOR in tools:
        builder.add(_described(question, language), CALCULATOR, {"expression": shape.expression}, "number")
    elif shape.kind == "single" and shape.lookups:
        builder.look_up(shape.lookups[0])
    else:
        text = normalize(question) or "?"
        ret: ValueType = "text" if talk(text) or not shape.lookups or shape.kind != "chain" else shape.lookups[0].ret
        builder.add(text, builder.search, {"query": keywords(text, language) or text[:LONGEST]}, ret)
    return Plan(tasks=tuple(builder.tasks))


def _described(question: str, language: Language) -> str:
    text = normalize(question)
    return text or ("What is the result?" if language == "en" else "结果是多少？")


class _Builder:
    """Collects tasks; the same look-up asked twice is one task."""

    def __init__(self, language: Language, tools: Collection[str]) -> None:
        self.tasks: list[Task] = []
        self.language: Language = language
        self.search = search_tool(tools)
        self.tools = tools
        self._known: dict[Lookup, str] = {}

    def add(
        self, description: str, tool: str, args: dict[str, JsonValue], ret: ValueType, for_each: str | None = None
    ) -> str:
        task_id = f"task_{len(self.tasks) + 1}"
        self.tasks.append(Task(id=task_id, description=description, tool=tool, args=args, ret=ret, for_each=for_each))
        return task_id

    def look_up(self, lookup: Lookup) -> str:
        if lookup not in self._known:
            self._known[lookup] = self._ask(lookup, self._named(lookup.subject))
        return self._known[lookup]

    def life(self, lookup: Lookup) -> str:
        """How long somebody lived, from birth to death."""
        if lookup not in self._known:
            start, end = (self.look_up(one.about(lookup.subject)) for one in _BIRTH_AND_DEATH[self.language])
            named = self._named(lookup.subject)
            args: dict[str, JsonValue] = {"start": f"{{{{{start}.ret}}}}", "end": f"{{{{{end}.ret}}}}", "unit": "age"}
            description = lookup.question.replace(SLOT, named)
            self._known[lookup] = self.add(description, DATE_DIFFERENCE, args, "number")
        return self._known[lookup]

    def _named(self, subject: str | Lookup) -> str:
        return subject if isinstance(subject, str) else f"{{{{{self.look_up(subject)}.ret}}}}"

    def every(self, items: Lookup, asked: Lookup) -> None:
        source = self.look_up(items)
        self._ask(asked, "{{item}}", for_each=f"{{{{{source}.ret}}}}")

    def _ask(self, lookup: Lookup, named: str, for_each: str | None = None) -> str:
        description = lookup.question.replace(SLOT, named)
        query = keywords(lookup.question, self.language).replace(SLOT, named)
        return self.add(description, self.search, {"query": query[:LONGEST] or named[:LONGEST]}, lookup.ret, for_each)


def _compute(builder: _Builder, shape: Shape, found: list[str], language: Language) -> None:
    """The calculation that ends a plan, if the shape asks for one and its tool is there."""
    references = [f"{{{{{task_id}.ret}}}}" for task_id in found]
    if shape.date and DATE_DIFFERENCE in builder.tools:
        at: dict[str, JsonValue] = {"start": references[0], "end": shape.date, "unit": "age"}
        builder.add(computed(shape, language), DATE_DIFFERENCE, at, "number")
        return
    if len(set(found)) < 2 or shape.kind not in _COMPUTED:
        return
    kinds = {lookup.ret for lookup in shape.lookups}
    if kinds == {"date"} and len(found) == 2 and shape.kind != "same" and DATE_DIFFERENCE in builder.tools:
        unit = "age" if shape.kind == "age_at" else _UNITS.get(shape.unit.rstrip("s"), "years")
        args: dict[str, JsonValue] = {"start": references[0], "end": references[1], "unit": unit}
        builder.add(computed(shape, language), DATE_DIFFERENCE, args, "number")
    elif kinds in ({"date"}, {"number"}) and CALCULATOR in builder.tools:
        expression, ret = _expression(shape, references, dates=kinds == {"date"})
        builder.add(computed(shape, language), CALCULATOR, {"expression": expression}, ret)


def _expression(shape: Shape, references: list[str], *, dates: bool) -> tuple[str, ValueType]:
    if shape.kind == "same":
        # Two days of one year are different dates, so years are compared by their difference.
        return (
            f"{references[0]} - {references[1]} == 0" if dates else f"{references[0]} == {references[1]}"
        ), "boolean"
    if shape.kind in {"sum", "average"}:
        # Joined by hand, for a formula takes references to numbers, not to lists of them.
        added = " + ".join(references)
        return (f"({added}) / {len(references)}" if shape.kind == "average" else added), "number"
    if shape.kind in {"ratio", "percentage"}:
        share = f"{references[0]} / {references[1]}"
        return f"round({share}{' * 100' if shape.kind == 'percentage' else ''}, 2)", "number"
    if shape.kind in {"difference", "age_at"} and len(references) == 2:
        return f"{references[0]} - {references[1]}", "number"
    best = "min" if shape.direction == "less" else "max"
    return f"{best}({', '.join(references)})", "date" if dates else "number"
