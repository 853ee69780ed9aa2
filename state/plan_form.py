"""Parse the interchange form of a plan, as written by people and models.

Unambiguous variants are accepted: a type with a remark (`string (name)`), a reference by another of its names
(`{{task_1.output}}`, `{task_1.ret}`), a bare id to iterate over. Everything else is a complaint, and a complaint about
one task does not hide errors in the next.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Self

from weiwo.state.kinds import VALUE_TYPES, Language, ValueType
from weiwo.state.task import REFERENCE, Alternative, Task
from weiwo.state.values import JsonValue

_TYPE_ALIASES: dict[str, ValueType] = {
    "string": "text",
    "str": "text",
    "entity": "text",
    "name": "text",
    "int": "number",
    "integer": "number",
    "float": "number",
    "double": "number",
    "numeric": "number",
    "year": "date",
    "datetime": "date",
    "bool": "boolean",
    "documents": "passages",
    "list": "list[text]",
    "array": "list[text]",
}
_LONGEST_THOUGHT = 600
"""Characters kept of the thought behind a plan or a task."""

# Blanks are single ones, of which `parse_type` sees to it.
_LIST_FORM = re.compile(r"^(?:list|array) ?(?:of |[\[<(] ?)(\w+?)s? ?[\])>]?$|^(\w+)\[\]$")
_OPTIONAL = re.compile(r"^(?:optional|nullable) ?[\[<(] ?(.*?) ?[\])>]$")
_OR_NOTHING = re.compile(r" ?(?:\||\bor\b) ?(?:null|none|undefined)\b|\b(?:null|none|undefined) ?(?:\||\bor\b) ?")
_REMARK = re.compile(r" ?\([^()]*\)|(?: ?[:;,，：；（]| - ).*$")
_OTHERWISE = re.compile(
    r"\{\{\s*(?P<double>[^{}\s.]+)\.(?:result|output|value)\s*\}\}"
    r"|(?<![{$])\{\s*(?P<single>[^{}\s.]+)\.(?:ret|result|output)\s*\}(?!\})"
)
_BARE = re.compile(r"\{?\s*(?P<id>[^{}\s.\[\]]+)(?P<suffix>\.(?:ret|result|output))?\s*\}?")
_ID = re.compile(r"[^{}\s.\[\]]{1,60}")
_NUMBERED = re.compile(r"task_?\d\w*", re.IGNORECASE)


class Complaint(str):
    """An error in a plan, naming task and field, in English for models and logs.

    People may read it in Chinese.

    Attributes:
        chinese: The same text in Chinese.
    """

    __slots__ = ("chinese",)

    chinese: str

    def __new__(cls, english: str, chinese: str) -> Self:
        """Make a complaint from its English and its Chinese text."""
        made = super().__new__(cls, english)
        made.chinese = chinese
        return made

    def render_text(self, language: Language) -> str:
        """Return the Chinese text for Chinese, else the English text."""
        return self.chinese if language == "zh" else str(self)


def parse_type(text: str) -> ValueType | None:
    """Parse a return type as written by models, or return None if the text is no type.

    "string" gives "text", "list of numbers" gives "list[number]", and "date (year)" gives "date".
    """
    name = _OR_NOTHING.sub("", " ".join(text.lower().split())).strip()
    name = _OPTIONAL.sub(r"\1", name)
    return _type(name) or _type(_REMARK.sub("", name).strip())


def _type(name: str) -> ValueType | None:
    if name in VALUE_TYPES:
        return name
    if name in _TYPE_ALIASES:
        return _TYPE_ALIASES[name]
    if match := _LIST_FORM.match(name):
        name_within = match[1] or match[2]
        inner = _TYPE_ALIASES.get(name_within, name_within)
        listed = f"list[{inner}]"
        if listed in VALUE_TYPES:
            return listed
    return None


def read_tasks(vertices: object, complaints: list[Complaint]) -> tuple[tuple[Task, ...], frozenset[str]]:
    """Return the readable tasks of a plan, and the ids of the unreadable tasks.

    The errors of the unreadable tasks are added to `complaints`.

    Args:
        vertices: The `vertices` of the interchange form.
        complaints: List to which the errors are added.
    """
    if not isinstance(vertices, list) or not vertices:
        said = "vertices：应为至少含一个任务的列表"
        complaints.append(Complaint("vertices: expected a list with at least one task", said))
        return (), frozenset()
    known = frozenset(_id(vertex) for vertex in vertices) - {""}
    tasks: list[Task] = []
    broken: set[str] = set()
    for position, vertex in enumerate(vertices, 1):
        before = len(complaints)
        task = _task(vertex, position, known, complaints)
        if task is None or len(complaints) > before:
            broken.add(_id(vertex))
        else:
            tasks.append(task)
    return tuple(tasks), frozenset(broken - {""})


def _id(vertex: object) -> str:
    return str(vertex.get("id") or "").strip() if isinstance(vertex, Mapping) else ""


def _task(vertex: object, position: int, known: Collection[str], complaints: list[Complaint]) -> Task | None:
    if not isinstance(vertex, Mapping):
        complaints.append(Complaint(f"vertices[{position}]: expected an object", f"vertices[{position}]：应为对象"))
        return None
    task_id = _id(vertex)
    where = task_id or f"vertices[{position}]"
    if not task_id:
        complaints.append(Complaint(f"{where}.id: missing", f"{where}.id：缺少编号"))
    binding = vertex.get("tool_binding", vertex.get("tool"))
    if isinstance(binding, Mapping):
        binding = binding.get("name")
    if not isinstance(binding, str) or not binding.strip():
        said = f"{where}.tool_binding：没有工具；请指定一个"
        complaints.append(Complaint(f"{where}.tool_binding: missing; name one tool", said))
        binding = ""
    args = vertex.get("args") or {}
    if not isinstance(args, Mapping):
        said = f"{where}.args：应为由参数名和值组成的对象"
        complaints.append(Complaint(f"{where}.args: expected an object of argument names and values", said))
        args = {}
    ret = vertex.get("ret") or "text"
    if isinstance(ret, Mapping):
        ret = ret.get("type", "")
    type_ = parse_type(str(ret))
    if type_ is None:
        shown, known_types = repr(str(ret)[:60]), ", ".join(VALUE_TYPES)
        said = f"{where}.ret：{shown} 不是一种类型；请用 {known_types} 之一"
        complaints.append(Complaint(f"{where}.ret: {shown} is not a type; use one of {known_types}", said))
    for_each = _for_each(vertex.get("for_each") or None, known)
    if for_each == "":
        said = f"{where}.for_each：应为一个引用，例如 {{{{task_1.ret}}}}"
        complaints.append(Complaint(f"{where}.for_each: expected one reference such as {{{{task_1.ret}}}}", said))
    return Task(
        id=task_id,
        description=str(_referring(str(vertex.get("description") or "").strip())),
        tool=binding.strip(),
        args={str(name): _referring(value) for name, value in args.items()},
        ret=type_ or "text",
        for_each=for_each or None,
        thought=read_thought(vertex),
        parent=_parent(vertex.get("parent")),
        is_answer=vertex.get("is_answer") is True,
        alternative=_alternative(vertex.get("alternative")),
    )


def _alternative(written: object) -> Alternative | None:
    """Return the alternative call of a task, or None if no tool is named."""
    if not isinstance(written, Mapping):
        return None
    tool, args = written.get("tool_binding", written.get("tool")), written.get("args")
    if not isinstance(tool, str) or not tool.strip():
        return None
    given = args.items() if isinstance(args, Mapping) else ()
    return Alternative(tool=tool.strip(), args={str(name): _referring(value) for name, value in given})


def read_thought(data: Mapping[str, object], name: str = "thought") -> str:
    """Return the thought of a plan or task, or another named remark, on one line of at most 600 characters.

    The line is empty if there is no remark.
    """
    thought = data.get(name)
    return " ".join(thought.split())[:_LONGEST_THOUGHT] if isinstance(thought, str) else ""


def _parent(written: object) -> str:
    """Return the id of a task's parent, or an empty string if none is readable.

    `task_1` and `{{task_1.ret}}` both give `task_1`. The parent need not be in this plan, as it may be of an earlier
    one.
    """
    text = str(_referring(written.strip())) if isinstance(written, str) else ""
    named = REFERENCE.fullmatch(text)
    name = named[1] if named else text
    return name if _ID.fullmatch(name) else ""


def _for_each(written: object, known: Collection[str]) -> str | None:
    """Return the reference to the list over which a task runs, None if absent, or an empty string if unreadable.

    `{{task_1.ret}}` and `task_1` both give `{{task_1.ret}}`.

    Args:
        written: The value of `for_each` as written.
        known: Ids of the tasks of the plan.
    """
    if written is None:
        return None
    text = str(_referring(written.strip())) if isinstance(written, str) else ""
    if REFERENCE.fullmatch(text):
        return text
    bare = _BARE.fullmatch(text)
    if bare and (bare["suffix"] or bare["id"] in known or _NUMBERED.fullmatch(bare["id"])):
        return f"{{{{{bare['id']}.ret}}}}"
    return ""


def _referring(value: JsonValue) -> JsonValue:
    """Return a JSON value with every reference in the standard form: `{task_1.output}` becomes `{{task_1.ret}}`."""
    if isinstance(value, str):
        return _OTHERWISE.sub(lambda match: f"{{{{{match['double'] or match['single']}.ret}}}}", value)
    if isinstance(value, Mapping):
        return {key: _referring(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_referring(inner) for inner in value]
    return value


def read_links(edges: object, complaints: list[Complaint]) -> Iterator[tuple[str, str]]:
    """Yield the readable declared edges.

    An error is added to `complaints` for each unreadable edge.
    """
    if edges is None:
        return
    if not isinstance(edges, list):
        complaints.append(Complaint("edges: expected a list of [from, to]", "edges：应为 [from, to] 的列表"))
        return
    for position, edge in enumerate(edges, 1):
        if isinstance(edge, Mapping):
            edge = [edge.get("from", edge.get("source")), edge.get("to", edge.get("target"))]  # noqa: PLW2901
        if (
            not isinstance(edge, list | tuple)
            or len(edge) != 2
            or not all(isinstance(end, str) and end for end in edge)
        ):
            said = f"edges[{position}]：应为 [from, to]"
            complaints.append(Complaint(f"edges[{position}]: expected [from, to]", said))
        else:
            yield edge[0], edge[1]
