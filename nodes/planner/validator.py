"""The validator of plans: what a plan must fulfil before it runs.

Every complaint names task and field, so that a model can repair its plan from the words alone. Inside a `for_each`
task, `{{item}}` and a reference to the task with the list both mean the item, and have the item's type.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from weiwo.nodes.shared.planning.references import FORMULA_TOOLS, list_json_types, resolve_schema_reference
from weiwo.state import (
    ITEM,
    REFERENCE,
    Complaint,
    JsonValue,
    Limits,
    Plan,
    PlanFormatError,
    Task,
    ValueType,
    item_type,
    references,
)
from weiwo.state.task import ANALYSE
from weiwo.text.localization import localized_section
from weiwo.text.patterns import lazy
from weiwo.tools.tool_info import ToolInfo

DATE_ARGUMENTS: Final[Mapping[str, frozenset[str]]] = {"date_difference": frozenset({"start", "end"})}
"""Arguments that take a date, or a year as a number, though their schema may call them strings."""

_SAYS: Final = localized_section("planner.validator")
_AGGREGATE: Final = lazy(r"(?:sum|min|max|avg|mean)\s*\(\s*$", re.IGNORECASE)
_STRAY: Final = lazy(r"\{\{|\}\}")
_JSON_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def check_plan(
    plan: Plan, tools: Mapping[str, ToolInfo], limits: Limits, *, given: Collection[str] = ()
) -> list[Complaint]:
    """Return the faults of a plan, in plan order. Empty if the plan is valid.

    Args:
        plan: The plan. A plan needs at least one task.
        tools: The tools that tasks may use, by name.
        limits: The bounds in force.
        given: Ids that may be referred to although they are not in the plan, such as tasks finished earlier. Their
            types are not known, so references to them are not checked for type.
    """
    if not plan.tasks:
        return [_complaint("no_task")]
    faults: list[Complaint] = []
    if len(plan.tasks) > limits.max_tasks:
        faults.append(_complaint("too_many", many=len(plan.tasks), most=limits.max_tasks))
    for task_id, times in Counter(plan.ids).items():
        if times > 1:
            faults.append(_complaint("twice", task=task_id, times=times))
    types: dict[str, ValueType | None] = {**dict.fromkeys(given), **{task.id: task.value_type for task in plan.tasks}}
    for task in plan.tasks:
        faults += _check_task(task, types, tools)
        faults += _check_analysis(task, plan)
    for source, target in plan.links:
        for end in (source, target):
            if end not in types:
                faults.append(_complaint("edge_unknown", source=source, target=target, end=end))
        if source == target:
            faults.append(_complaint("edge_loop", source=source, target=target))
    if not any("refers to itself" in fault or "wait for itself" in fault for fault in faults):
        try:
            plan.order()
        except PlanFormatError as error:
            faults += error.complaints
    return list(dict.fromkeys(faults))


def _complaint(key: str, **values: object) -> Complaint:
    """Return a complaint of the catalogue, in English for models and in Chinese for people."""
    return Complaint(_SAYS["en"][key].format(**values), _SAYS["zh"][key].format(**values))


def _check_task(
    task: Task, types: Mapping[str, ValueType | None], tools: Mapping[str, ToolInfo]
) -> Iterator[Complaint]:
    where = task.id or "a task"
    if task.id == ITEM:
        yield _complaint("reserved", where=where, item=ITEM)
    elif not REFERENCE.fullmatch(f"{{{{{task.id}.ret}}}}"):
        yield _complaint("bad_id", where=where)
    if not task.description.strip():
        yield _complaint("no_description", where=where)
    yield from _check_for_each(task, types)
    for field, value in (("description", task.description), *((f"args.{k}", v) for k, v in task.args.items())):
        yield from _check_references(task, field, value, types)
    tool = tools.get(task.tool)
    if tool is None:
        known = ", ".join(sorted(tools)) or "none available"
        yield _complaint("no_tool", where=where, tool=task.tool, known=known)
        return
    yield from _check_args(task, tool.args_schema, types)
    if (second := task.second_way) is not None:
        yield from (_complaint("alternative", where=where, fault=fault) for fault in _check_task(second, types, tools))
        if not set(second.references) <= set(task.references):
            yield _complaint("alternative_references", where=where)


def _check_analysis(task: Task, plan: Plan) -> Iterator[Complaint]:
    """Yield the faults of an analysis task: it needs other tasks to build on, no arguments, and text as its result."""
    if task.tool != ANALYSE:
        return
    if not plan.upstream(task.id):
        yield _complaint("nothing_to_analyse", task=task.id, analyse=ANALYSE)
    if task.args:
        yield _complaint("analysis_args", task=task.id, analyse=ANALYSE)
    if task.ret not in {"text", "list[text]"}:
        yield _complaint("analysis_ret", task=task.id, analyse=ANALYSE)


def _check_for_each(task: Task, types: Mapping[str, ValueType | None]) -> Iterator[Complaint]:
    if task.for_each is None:
        return
    match = REFERENCE.fullmatch(task.for_each.strip())
    field = f"{task.id}.for_each"
    if match is None:
        yield _complaint("no_reference", field=field, got=task.for_each[:60])
    elif match[1] == task.id:
        yield _complaint("of_itself", field=field)
    elif match[1] not in types:
        yield _complaint("of_nothing", field=field, name=match[1])
    else:
        source = types[match[1]]
        if source is not None and item_type(source) == source:
            yield _complaint("no_list", field=field, name=match[1], source=source)


def _check_references(
    task: Task, field: str, value: JsonValue, types: Mapping[str, ValueType | None]
) -> Iterator[Complaint]:
    for name in references(value):
        if name == ITEM:
            if task.for_each is None:
                yield _complaint("no_item", task=task.id, field=field)
        elif name == task.id:
            yield _complaint("of_itself", field=f"{task.id}.{field}")
        elif name not in types:
            yield _complaint("of_nothing", field=f"{task.id}.{field}", name=name)
    for text in _strings(value):
        if _STRAY.search(REFERENCE.sub("", text)):
            yield _complaint("malformed", task=task.id, field=field)


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _check_args(task: Task, schema: Mapping[str, Any], types: Mapping[str, ValueType | None]) -> Iterator[Complaint]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in task.args:
            yield _complaint("missing", field=f"{task.id}.args.{name}", tool=task.tool)
    for name, value in task.args.items():
        field = f"{task.id}.args.{name}"
        if name not in properties:
            if schema.get("additionalProperties") in (None, False):
                known = ", ".join(properties) or "none"
                yield _complaint("no_argument", field=field, tool=task.tool, known=known)
            continue
        yield from _check_value(task, name, value, properties[name], schema, types)


def _check_value(
    task: Task,
    name: str,
    value: JsonValue,
    expected: Mapping[str, Any],
    schema: Mapping[str, Any],
    types: Mapping[str, ValueType | None],
) -> Iterator[Complaint]:
    field = f"{task.id}.args.{name}"
    whole = REFERENCE.fullmatch(value.strip()) if isinstance(value, str) else None
    if task.tool in FORMULA_TOOLS and isinstance(value, str):
        yield from _check_formula(task, field, value, types)
    elif name in DATE_ARGUMENTS.get(task.tool, ()) and whole:
        source = _type_of(task, whole[1], types)
        if source not in {None, "date", "number"}:
            yield _complaint("no_date", field=field, name=whole[1], source=source)
    elif whole:
        source = _type_of(task, whole[1], types)
        if source is not None and not _reference_fits(source, list_json_types(expected, schema)):
            wanted = " or ".join(sorted(list_json_types(expected, schema)))
            yield _complaint("other_type", field=field, name=whole[1], source=source, tool=task.tool, wanted=wanted)
    else:
        yield from _check_literal(task, field, value, expected, schema)


def _type_of(task: Task, name: str, types: Mapping[str, ValueType | None]) -> ValueType | None:
    """Return the type that a reference has inside a task, or None if it is not known.

    A reference to the list over which the task runs has the item's type.
    """
    over = REFERENCE.fullmatch(task.for_each.strip()) if task.for_each else None
    if over and name in {ITEM, over[1]}:
        source = types.get(over[1])
        return None if source is None else item_type(source)
    return types.get(name)


def _check_formula(task: Task, field: str, value: str, types: Mapping[str, ValueType | None]) -> Iterator[Complaint]:
    for match in REFERENCE.finditer(value):
        source = _type_of(task, match[1], types)
        if source is None or source in {"number", "date"}:
            continue
        if source in {"list[number]", "list[date]"}:
            if not _AGGREGATE.search(value[: match.start()]):
                yield _complaint("list_in_formula", field=field, name=match[1], source=source)
        else:
            yield _complaint("no_number", field=field, name=match[1], source=source)


def _reference_fits(source: ValueType, kinds: frozenset[str]) -> bool:
    if not kinds or "string" in kinds:  # every value can be written out
        return True
    if source == "number":
        return bool(kinds & {"number", "integer"})
    if source == "boolean":
        return "boolean" in kinds
    if source == "passages" or source.startswith("list["):
        return "array" in kinds
    return False


def _check_literal(
    task: Task, field: str, value: JsonValue, expected: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[Complaint]:
    kinds = list_json_types(expected, schema)
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        wanted = " or ".join(sorted(kinds - {"null"}))
        yield _complaint("other_literal", field=field, value=str(value)[:60], wanted=wanted, tool=task.tool)
        return
    allowed = resolve_schema_reference(expected, schema).get("enum")
    if allowed and isinstance(value, str) and not REFERENCE.search(value) and value not in allowed:
        choices = ", ".join(map(str, allowed))
        yield _complaint("no_choice", field=field, value=value[:60], choices=choices)
    if isinstance(value, str) and not value.strip() and field.rsplit(".", 1)[-1] in schema.get("required", ()):
        yield _complaint("empty", field=field, tool=task.tool)


def _is_a(value: JsonValue, kind: str) -> bool:
    if kind in {"number", "integer"} and isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _JSON_TYPES.get(kind, (object,)))
