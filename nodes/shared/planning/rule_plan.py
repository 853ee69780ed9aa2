"""Plans by rule: a parsed question as linked, typed tasks.

"Who is older, Ada Lovelace or Alan Turing?" gives a search for each birth and a calculation over both. Every part of
the question is one task on the search tool. If dates or numbers are compared or subtracted, a calculation ends the
plan, so that code does it. A question that was not split is one search.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from weiwo.nodes.shared.question.arithmetic import today
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import JsonValue, Language, Plan, Task, ValueType
from weiwo.state.query import AnswerType, QueryFrame
from weiwo.text.data_files import data_pattern
from weiwo.text.language import fold, questions_of, sentences
from weiwo.text.periods import list_other_names
from weiwo.tools.selection.clusters import searches_one_kind

_CALCULATOR: Final = "calculator"
_DATE_DIFFERENCE: Final = "date_difference"
_NEWEST: Final = data_pattern("question", "patterns", "newest")
_MOST_ALIKE: Final = 24
"""Number of passages searched for if the question asks for the newest version, which may be any of many like it."""
_SEARCH_TOOLS: Final = ("corpus_search", "web_search")
"""The user's own documents come before the web."""

LONGEST_QUERY: Final = 300
"""Most characters of a query. The end of a longer question is left out of the search, not of the reading."""

VALUE_TYPES: Final[Mapping[AnswerType, ValueType]] = {
    "date": "date",
    "year": "date",
    "number": "number",
    "quantity": "number",
    "boolean": "boolean",
    "list": "list[text]",
}
"""Return type of a look-up task by the expected answer type. All other answer types give text."""

_COMPUTED: Final = frozenset({"comparison", "difference"})
_DATE_UNITS: Final = frozenset({"years", "age", "months", "days"})


class ToolCall(NamedTuple):
    """A tool call that answers a question.

    Attributes:
        tool: The tool.
        args: The arguments.
    """

    tool: str
    args: dict[str, JsonValue]


Choices = Mapping[str, ToolCall]
"""Calls chosen in place of a search, by the text of the question that each answers."""


def choose_search_tool(tools: Collection[str]) -> str:
    """Return the tool for a look-up: the corpus, else the web, else any search tool.

    A search tool is recognized by its name. Without any, the corpus tool is returned although it is not set up.
    """
    return next(iter(list_searches(tools)), _SEARCH_TOOLS[0])


def list_searches(tools: Collection[str]) -> list[str]:
    """Return the search tools, documents first, then the web.

    Tools for a single kind of thing, like flights, are left out.

    A tool with "search" in its name counts as a search tool.
    """
    named = (name for name in sorted(tools) if "search" in name and not searches_one_kind(name))
    return list(dict.fromkeys(name for name in (*_SEARCH_TOOLS, *named) if name in tools))


def build_rule_plan(
    frame: QueryFrame, tools: Collection[str], *, max_tasks: int, choices: Choices = MappingProxyType({})
) -> Plan:
    """Return the plan of a parsed question, with at least one task.

    If the question was not split, it is a single search.

    Args:
        frame: The parsed question.
        tools: The available tools.
        max_tasks: Most tasks. A plan with more becomes one search and is `curtailed`.
        choices: Calls chosen in place of a search.
    """
    builder = _PlanBuilder(tools, choices)
    builder.add(frame)
    if len(builder.tasks) > max_tasks:
        return build_single_task_plan(frame, tools, choices=choices).model_copy(update={"curtailed": True})
    return Plan(tasks=tuple(builder.tasks))


def build_single_task_plan(
    frame: QueryFrame,
    tools: Collection[str],
    ret: ValueType | None = None,
    choices: Choices = MappingProxyType({}),
) -> Plan:
    """Return a plan of a single task: a chosen call, a calculation, or a search.

    Args:
        frame: The parsed question.
        tools: The available tools.
        ret: The type of the value. None to derive it from the question.
        choices: Calls chosen in place of a search.
    """
    builder = _PlanBuilder(tools, choices)
    if frame.expression and _CALCULATOR in tools:
        builder.add(frame)
    else:
        builder.look_up(frame, ret)
    return Plan(tasks=tuple(builder.tasks))


def frame_task(task: Task, language: Language) -> QueryFrame:
    """Return the parsed question of a task. If it is missing, as in plans from a file, the description is parsed."""
    return task.frame or parse_question(task.description or str(task.args.get("query", "")), language)


def add_frames(plan: Plan, language: Language) -> Plan:
    """Return the plan with the parsed question stored in each task, so that descriptions are parsed only once."""
    return plan.model_copy(
        update={"tasks": tuple(t.model_copy(update={"frame": frame_task(t, language)}) for t in plan.tasks)}
    )


def search_query(frame: QueryFrame) -> str:
    """Return the search query of a question, with other names of a quarter or fiscal year ("Q1 2024 first quarter").

    For a long brief, the query is its questions, else its first sentence.
    """
    # A Chinese question's characters are searched for in pairs, so what only asks would count as words.
    text = (frame.search if frame.language == "zh" else "") or frame.question
    if len(text) <= LONGEST_QUERY:
        return " ".join((text, *list_other_names(fold(text))))
    first = frame.question[slice(*next(iter(sentences(frame.question)), (0, LONGEST_QUERY)))]
    return questions_of(frame.question, LONGEST_QUERY) or first[:LONGEST_QUERY]


class _PlanBuilder:
    """Builder of the tasks of a plan. Equal look-ups become a single task."""

    def __init__(self, tools: Collection[str], choices: Choices) -> None:
        self.tasks: list[Task] = []
        self._tools = tools
        self._choices = choices
        self._known: dict[str, str] = {}

    def add(self, frame: QueryFrame) -> str:
        """Add the tasks of a frame and return the id of the last one, which gives the frame's value."""
        if frame.question in self._known:
            return self._known[frame.question]
        if " .. " in frame.expression and _DATE_DIFFERENCE in self._tools:
            start, _, end = frame.expression.partition(" .. ")
            return self._append(frame, _DATE_DIFFERENCE, {"start": start, "end": end, "unit": frame.unit}, "number")
        if frame.expression and _CALCULATOR in self._tools:
            return self._append(frame, _CALCULATOR, {"expression": frame.expression}, "number")
        if not frame.parts:
            return self.look_up(frame)
        tasks, known = list(self.tasks), dict(self._known)
        ids = [self.add(part) for part in frame.parts]
        if computed := self._compute(frame, ids):
            return computed
        if frame.shape == "several":
            return ids[-1]
        # Without a calculation, searching the parts finds less than searching the whole question.
        self.tasks, self._known = tasks, known
        return self.look_up(frame)

    def look_up(self, frame: QueryFrame, ret: ValueType | None = None) -> str:
        """Add the call chosen for a question, else a search, and return the id of the task."""
        named = frame.shape == "comparison"  # the answer is one of the things, not the measure
        ret = ret or ("text" if named else VALUE_TYPES.get(frame.answer_type, "text"))
        chosen = self._choices.get(frame.question)
        if chosen is not None and chosen.tool in self._tools:
            return self._append(frame, chosen.tool, chosen.args, _type_of_request(chosen) or ret)
        tool, args = choose_search_tool(self._tools), dict[str, JsonValue](query=search_query(frame))
        if tool == "corpus_search" and _NEWEST.search(frame.question):
            args["k"] = _MOST_ALIKE
        return self._append(frame, tool, args, ret)

    def _append(self, frame: QueryFrame, tool: str, args: dict[str, JsonValue], ret: ValueType) -> str:
        task_id = f"task_{len(self.tasks) + 1}"
        self.tasks.append(Task(id=task_id, description=frame.question, tool=tool, args=args, ret=ret, frame=frame))
        self._known[frame.question] = task_id
        return task_id

    def _compute(self, frame: QueryFrame, ids: Sequence[str]) -> str | None:
        """Add the calculation over the parts of a question, and return its id. None if no calculation is possible.

        Args:
            frame: The question.
            ids: Ids of the tasks for its parts.
        """
        values = [f"{{{{{task_id}.ret}}}}" for task_id in ids]
        types = {task.ret for task in self.tasks if task.id in ids}
        if frame.unit == "age" and len(ids) == 1 and types == {"date"} and _DATE_DIFFERENCE in self._tools:
            until: dict[str, JsonValue] = {"start": values[0], "end": today(), "unit": "age"}
            return self._append(frame, _DATE_DIFFERENCE, until, "number")
        if frame.shape not in _COMPUTED or len(set(ids)) < 2 or types not in ({"date"}, {"number"}):
            return None
        if types == {"date"} and len(ids) == 2 and _DATE_DIFFERENCE in self._tools:
            aged = frame.relation == "lifespan" or len(frame.subjects) == 1
            unit = (
                "age" if aged and frame.unit in {"", "years"} else frame.unit if frame.unit in _DATE_UNITS else "years"
            )
            args: dict[str, JsonValue] = {"start": values[0], "end": values[1], "unit": unit}
            return self._append(frame, _DATE_DIFFERENCE, args, "number")
        if _CALCULATOR not in self._tools:
            return None
        if len(values) == 2:
            return self._append(frame, _CALCULATOR, {"expression": f"{values[0]} - {values[1]}"}, "number")
        best = "min" if frame.direction == "least" else "max"
        ret: ValueType = "date" if types == {"date"} else "number"
        return self._append(frame, _CALCULATOR, {"expression": f"{best}({', '.join(values)})"}, ret)


def _type_of_request(call: ToolCall) -> ValueType | None:
    """Return the type of a table request's value: "number" for a single figure, else "list[text]".

    None for another tool.
    """
    if call.tool != "query_table":
        return None
    measures = call.args.get("measures")
    has_one_measure = isinstance(measures, list) and len(measures) == 1
    return "number" if has_one_measure and not call.args.get("group_by") else "list[text]"
