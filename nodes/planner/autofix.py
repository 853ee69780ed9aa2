"""Repair of a model's plan where its meaning is obvious.

This saves a call, and every repair is reported. All else is left to the validator (`weiwo.nodes.planner.validator`),
which returns its complaints to the model.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from weiwo.nodes.planner.validator import DATE_ARGUMENTS
from weiwo.nodes.shared.planning.references import FORMULA_TOOLS, list_json_types, resolve_schema_reference
from weiwo.state import REFERENCE, JsonValue, Plan, Task, ValueType, references
from weiwo.state.task import ANALYSE
from weiwo.text.patterns import lazy
from weiwo.tools.tool_info import ToolInfo

_WRITES: Final = lazy(
    r"summar|synthe|writ|answer|final|respon|repl(?:y|ies)|report|compos|conclu|present|output|format|llm|model|"
    r"reason|think|none|null|n/?a$|no[_ -]?tool|总结|回答|写作",
    re.IGNORECASE,
)
"""Names that models invent for a tool that writes the answer."""

_ASKS_DATE: Final = lazy(
    r"\bwhen\b|\b(?:year|date|day)\b|\bborn\b|\bdied\b|何时|何年|什么时候|哪一?[年天日]|年份|日期|生于|出生|去世|逝世",
    re.IGNORECASE,
)
_ASKS_NAME: Final = lazy(r"\b(?:who|whom|whose|where)\b|谁|哪里|何处|哪[一]?[位座个国]|什么地方", re.IGNORECASE)


def autofix_plan(plan: Plan, tools: Mapping[str, ToolInfo], kept: Collection[str] = ()) -> tuple[Plan, tuple[str, ...]]:
    """Return a model's plan with obvious mistakes repaired, and a line for each repair, naming task and field.

    A last task that only writes the answer is dropped. A look-up of text that a calculation uses returns a date or a
    number. An argument that a tool does not take is left out. A literal gets the type of its argument.

    Args:
        plan: The plan.
        tools: The tools by name.
        kept: Ids of finished tasks, which stay unchanged.
    """
    notes: list[str] = []
    plan = _without_writing(plan, tools, kept, notes)
    wanted = _calculated_with(plan)
    tasks = []
    links = list(plan.links)
    for task in plan.tasks:
        mended = task
        if task.tool == ANALYSE and task.args and task.id not in kept:  # references in arguments become links
            links += [(source, task.id) for source in references(task.args) if (source, task.id) not in links]
            notes.append(f"{task.id}.args: left out, {ANALYSE} takes none")
            mended = task.model_copy(update={"args": {}})
            tasks.append(mended)
            continue
        if task.id not in kept:
            mended = _retype_task(task, wanted.get(task.id), notes)
            if task.tool in tools:
                mended = _without_strange_args(mended, tools[task.tool].args_schema, notes)
                mended = _with_literals(mended, tools[task.tool].args_schema, notes)
        tasks.append(mended)
    return plan.model_copy(update={"tasks": tuple(tasks), "links": tuple(dict.fromkeys(links))}), tuple(notes)


def _without_writing(plan: Plan, tools: Collection[str], kept: Collection[str], notes: list[str]) -> Plan:
    while True:
        last = [
            task
            for task in plan.tasks
            if task.tool not in tools
            and task.id in plan.final_ids
            and task.id not in kept
            and _WRITES.search(task.tool)
        ]
        if not last or len(last) == len(plan.tasks):
            return plan
        gone = {task.id for task in last}
        notes += [f"{task.id}: left out, {task.tool!r} is no tool and the Writer writes the answer" for task in last]
        plan = plan.model_copy(
            update={
                "tasks": tuple(task for task in plan.tasks if task.id not in gone),
                "links": tuple(link for link in plan.links if gone.isdisjoint(link)),
            }
        )


def _calculated_with(plan: Plan) -> dict[str, str]:
    """Return the ids of the tasks with values that a calculation uses, each with "date" or "formula"."""
    found: dict[str, str] = {}
    for task in plan.tasks:
        over = set(references(task.for_each))
        for name, value in task.args.items():
            if task.tool in FORMULA_TOOLS:
                found |= {source: "formula" for source in references(value) if source not in {*found, *over}}
            elif name in DATE_ARGUMENTS.get(task.tool, ()) and isinstance(value, str):
                whole = REFERENCE.fullmatch(value.strip())
                if whole and whole[1] not in over:
                    found[whole[1]] = "date"
    return found


def _retype_task(task: Task, used: str | None, notes: list[str]) -> Task:
    """Return a look-up of text that a calculation uses with a date or number as its type. Other tasks stay unchanged.

    Args:
        task: The task.
        used: How a calculation uses it: "date", "formula", or None.
        notes: A line for the repair is appended.
    """
    if used is None or task.ret not in {"text", "list[text]"} or task.tool in {*FORMULA_TOOLS, *DATE_ARGUMENTS}:
        return task
    asks_date = bool(_ASKS_DATE.search(task.description))
    if used == "formula" and not asks_date and _ASKS_NAME.search(task.description):
        return task  # a name cannot be calculated with, whatever it is called
    wanted: ValueType = "date" if used == "date" or asks_date else "number"
    ret: ValueType = wanted if task.ret == "text" else ("list[date]" if wanted == "date" else "list[number]")
    notes.append(f"{task.id}.ret: {task.ret} → {ret}, it is calculated with")
    return task.model_copy(update={"ret": ret})


def _without_strange_args(task: Task, schema: Mapping[str, Any], notes: list[str]) -> Task:
    """Return a task without arguments that its tool does not take.

    Arguments with a reference stay, since they are inputs.
    """
    if schema.get("additionalProperties") not in {None, False}:
        return task
    properties = schema.get("properties", {})
    strange = [name for name, value in task.args.items() if name not in properties and not any(references(value))]
    notes += [f"{task.id}.args.{name}: left out, {task.tool} does not take it" for name in strange]
    return task.model_copy(update={"args": {name: task.args[name] for name in task.args if name not in strange}})


def _with_literals(task: Task, schema: Mapping[str, Any], notes: list[str]) -> Task:
    """Return a task with its literal arguments in the types that the tool expects: "5" as 5. Repairs go to `notes`."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    args: dict[str, JsonValue] = {}
    for name, value in task.args.items():
        if name not in properties or any(references(value)):
            args[name] = value
            continue
        if value is None and name not in required:
            notes.append(f"{task.id}.args.{name}: left out")
            continue
        args[name] = _literal(value, properties[name], schema)
        if args[name] != value or type(args[name]) is not type(value):
            notes.append(f"{task.id}.args.{name}: {_shorten_repr(value)} → {_shorten_repr(args[name])}")
    return task.model_copy(update={"args": args})


def _shorten_repr(value: JsonValue) -> str:
    return repr(value)[:40]


def _literal(value: JsonValue, expected: Mapping[str, Any], schema: Mapping[str, Any]) -> JsonValue:
    kinds = list_json_types(expected, schema)
    rule: dict[str, Any] = {**resolve_schema_reference(expected, schema)}
    if isinstance(value, str):
        value = _from_words(value, kinds, rule.get("enum", ()))
    elif isinstance(value, float) and value.is_integer() and "integer" in kinds:
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and kinds & {"integer", "number"}:
        bounded: int | float = min(max(value, rule.get("minimum", value)), rule.get("maximum", value))
        return bounded
    if kinds == {"string"} and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kinds == {"array"} and isinstance(value, str | int | float):
        return [value]
    return value


def _from_words(text: str, kinds: Collection[str], choices: Collection[JsonValue]) -> JsonValue:
    plain = text.strip()
    if choices and text not in choices:
        same = [choice for choice in choices if isinstance(choice, str) and _singular(choice) == _singular(plain)]
        return same[0] if len(same) == 1 else text
    if "string" in kinds:
        return text
    if "integer" in kinds and re.fullmatch(r"[+-]?\d{1,9}(?:\.0+)?", plain):
        return int(float(plain))
    if "number" in kinds and re.fullmatch(r"[+-]?\d{1,15}(?:\.\d+)?", plain):
        return float(plain) if "." in plain else int(plain)
    if "boolean" in kinds and plain.lower() in {"true", "false"}:
        return plain.lower() == "true"
    return text


def _singular(word: str) -> str:
    return word.strip().casefold().removesuffix("s")
