"""The plan's validator: what a plan must satisfy before it runs.

Every complaint names task and field, so that a model can repair its plan from the words alone. Inside a `for_each`
task `{{item}}`, and equally a reference to the very task it iterates over, mean the item and have the item's type.
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
from weiwo.text.patterns import lazy
from weiwo.tools.tool_info import ToolInfo

DATE_ARGUMENTS: Final[Mapping[str, frozenset[str]]] = {"date_difference": frozenset({"start", "end"})}
"""Arguments that take a date, or a year as a number, though their schema may call them strings."""

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
    """Say everything that is wrong with a plan.

    Args:
        plan: The plan; one task is a plan, none is not.
        tools: The tools that tasks may bind to, by name.
        limits: The bounds in force.
        given: Ids that may be referred to although they are not in the plan, such as tasks finished earlier; their
            types are not known, so references to them are not checked for type.

    Returns:
        One message per fault, in plan order; empty means valid.
    """
    if not plan.tasks:
        return [Complaint("vertices: the plan has no task", "vertices：计划中没有任务")]
    faults: list[Complaint] = []
    if len(plan.tasks) > limits.max_tasks:
        many, most = len(plan.tasks), limits.max_tasks
        said = f"vertices：共有 {many} 个任务，最多允许 {most} 个；请减少任务"
        faults.append(Complaint(f"vertices: {many} tasks, at most {most} are allowed; plan fewer", said))
    for task_id, times in Counter(plan.ids).items():
        if times > 1:
            said = f"{task_id}.id：有 {times} 个任务使用；请各用一个编号"
            faults.append(Complaint(f"{task_id}.id: used by {times} tasks; give each its own", said))
    types: dict[str, ValueType | None] = {**dict.fromkeys(given), **{task.id: task.value_type for task in plan.tasks}}
    for task in plan.tasks:
        faults += _check_task(task, types, tools)
        faults += _check_analysis(task, plan)
    for source, target in plan.links:
        for end in (source, target):
            if end not in types:
                said = f"edges：[{source}, {target}] 中的任务 {end!r} 不存在"
                faults.append(Complaint(f"edges: [{source}, {target}] names the unknown task {end!r}", said))
        if source == target:
            said = f"edges：[{source}, {target}] 让任务等待自己"
            faults.append(Complaint(f"edges: [{source}, {target}] makes a task wait for itself", said))
    if not any("refers to itself" in fault or "wait for itself" in fault for fault in faults):
        try:
            plan.order()
        except PlanFormatError as error:
            faults += error.complaints
    return list(dict.fromkeys(faults))


def _check_task(
    task: Task, types: Mapping[str, ValueType | None], tools: Mapping[str, ToolInfo]
) -> Iterator[Complaint]:
    where = task.id or "a task"
    if task.id == ITEM:
        yield Complaint(
            f'{where}.id: "{ITEM}" is reserved for the current item of for_each; rename the task',
            f"{where}.id：“{ITEM}”专指 for_each 的当前项；请改名",
        )
    elif not REFERENCE.fullmatch(f"{{{{{task.id}.ret}}}}"):
        yield Complaint(
            f"{where}.id: cannot be referred to; use letters, digits and underscores",
            f"{where}.id：无法被引用；请用字母、数字和下划线",
        )
    if not task.description.strip():
        said = f"{where}.description：为空；请写明要查什么"
        yield Complaint(f"{where}.description: empty; say what is to be found out", said)
    yield from _check_for_each(task, types)
    for field, value in (("description", task.description), *((f"args.{k}", v) for k, v in task.args.items())):
        yield from _check_references(task, field, value, types)
    tool = tools.get(task.tool)
    if tool is None:
        known = ", ".join(sorted(tools)) or "none available"
        said = f"{where}.tool_binding：没有工具 {task.tool!r}；请用 {known} 之一"
        yield Complaint(f"{where}.tool_binding: unknown tool {task.tool!r}; use one of {known}", said)
        return
    yield from _check_args(task, tool.args_schema, types)


def _check_analysis(task: Task, plan: Plan) -> Iterator[Complaint]:
    """An analysis works over what other tasks found, and gives statements."""
    if task.tool != ANALYSE:
        return
    if not plan.upstream(task.id):
        yield Complaint(
            f"{task.id}.description: {ANALYSE} has nothing to work on; refer to tasks, as {{{{task_1.ret}}}}",
            f"{task.id}.description：{ANALYSE} 没有可分析的内容；请引用任务，例如 {{{{task_1.ret}}}}",
        )
    if task.args:
        yield Complaint(
            f"{task.id}.args: {ANALYSE} takes none; say in description what is to be analysed",
            f"{task.id}.args：{ANALYSE} 不带参数；请在 description 中写明要分析什么",
        )
    if task.ret not in {"text", "list[text]"}:
        yield Complaint(
            f"{task.id}.ret: {ANALYSE} gives text or list[text]", f"{task.id}.ret：{ANALYSE} 只返回 text 或 list[text]"
        )


def _check_for_each(task: Task, types: Mapping[str, ValueType | None]) -> Iterator[Complaint]:
    if task.for_each is None:
        return
    match = REFERENCE.fullmatch(task.for_each.strip())
    field = f"{task.id}.for_each"
    if match is None:
        got = repr(task.for_each[:60])
        said = f"{field}：应为一个引用，例如 {{{{task_1.ret}}}}，而不是 {got}"
        yield Complaint(f"{field}: expected one reference such as {{{{task_1.ret}}}}, got {got}", said)
    elif match[1] == task.id:
        yield _of_itself(field)
    elif match[1] not in types:
        yield _of_nothing(field, match[1])
    else:
        source = types[match[1]]
        if source is not None and item_type(source) == source:
            yield Complaint(
                f"{field}: {match[1]} returns {source}, not a list; make its ret a list or drop for_each",
                f"{field}：{match[1]} 返回 {source}，不是列表；请把它的 ret 改为列表，或去掉 for_each",
            )


def _of_itself(field: str) -> Complaint:
    return Complaint(f"{field}: refers to itself", f"{field}：引用了自己")


def _of_nothing(field: str, name: str) -> Complaint:
    return Complaint(f"{field}: refers to the unknown task {name!r}", f"{field}：引用的任务 {name!r} 不存在")


def _check_references(
    task: Task, field: str, value: JsonValue, types: Mapping[str, ValueType | None]
) -> Iterator[Complaint]:
    for name in references(value):
        if name == ITEM:
            if task.for_each is None:
                said = f"{task.id}.{field}：{{{{item}}}} 只在有 for_each 的任务中有意义"
                yield Complaint(f"{task.id}.{field}: {{{{item}}}} has a meaning only in a task with for_each", said)
        elif name == task.id:
            yield _of_itself(f"{task.id}.{field}")
        elif name not in types:
            yield _of_nothing(f"{task.id}.{field}", name)
    for text in _strings(value):
        if _STRAY.search(REFERENCE.sub("", text)):
            said = f"{task.id}.{field}：引用的写法不对；应写作 {{{{task_1.ret}}}}"
            yield Complaint(f"{task.id}.{field}: a reference is malformed; write {{{{task_1.ret}}}}", said)


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
            field = f"{task.id}.args.{name}"
            yield Complaint(f"{field}: missing; {task.tool} needs it", f"{field}：缺少；{task.tool} 需要它")
    for name, value in task.args.items():
        field = f"{task.id}.args.{name}"
        if name not in properties:
            if schema.get("additionalProperties") in (None, False):
                known = ", ".join(properties) or "none"
                said = f"{field}：{task.tool} 没有这个参数；它的参数是 {known}"
                yield Complaint(f"{field}: {task.tool} has no such argument; it takes {known}", said)
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
            yield Complaint(
                f"{field}: {whole[1]} returns {source}; a date is needed, or a year as a number; make its ret date",
                f"{field}：{whole[1]} 返回 {source}；这里需要日期，或以数字表示的年份；请把它的 ret 改为 date",
            )
    elif whole:
        source = _type_of(task, whole[1], types)
        if source is not None and not _reference_fits(source, list_json_types(expected, schema)):
            wanted = " or ".join(sorted(list_json_types(expected, schema)))
            yield Complaint(
                f"{field}: {whole[1]} returns {source}, but {task.tool} takes {wanted} here",
                f"{field}：{whole[1]} 返回 {source}，而 {task.tool} 在这里要 {wanted}",
            )
    else:
        yield from _check_literal(task, field, value, expected, schema)


def _type_of(task: Task, name: str, types: Mapping[str, ValueType | None]) -> ValueType | None:
    """The type a reference has inside a task: the item's, for what it iterates over; None where it is not known."""
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
                yield Complaint(
                    f"{field}: {match[1]} returns {source}, a list; in a formula it may only stand inside "
                    "sum(), min(), max() or avg()",
                    f"{field}：{match[1]} 返回列表 {source}；在算式中只能放在 sum()、min()、max() 或 avg() 里",
                )
        else:
            yield Complaint(
                f"{field}: {match[1]} returns {source}, which cannot be calculated with; make its ret number or date",
                f"{field}：{match[1]} 返回 {source}，不能参与计算；请把它的 ret 改为 number 或 date",
            )


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
        shown = repr(str(value)[:60])
        said = f"{field}：{shown} 不是 {wanted}，而 {task.tool} 在这里要它"
        yield Complaint(f"{field}: {shown} is not a {wanted}, which {task.tool} takes here", said)
        return
    allowed = resolve_schema_reference(expected, schema).get("enum")
    if allowed and isinstance(value, str) and not REFERENCE.search(value) and value not in allowed:
        choices = ", ".join(map(str, allowed))
        said = f"{field}：{value[:60]!r} 不在 {choices} 之中"
        yield Complaint(f"{field}: {value[:60]!r} is not one of {choices}", said)
    if isinstance(value, str) and not value.strip() and field.rsplit(".", 1)[-1] in schema.get("required", ()):
        yield Complaint(f"{field}: empty; {task.tool} needs it", f"{field}：为空；{task.tool} 需要它")


def _is_a(value: JsonValue, kind: str) -> bool:
    if kind in {"number", "integer"} and isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _JSON_TYPES.get(kind, (object,)))
