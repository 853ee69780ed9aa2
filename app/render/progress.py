"""Progress of a run, accumulated from events: the plan and the state of each task.

The command's live view, its lines on a pipe and `weiwo show` all draw from this. Events are read leniently, since
another version may have written them. Renderers have to make their text safe.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from weiwo.state import REFERENCE
from weiwo.text.patterns import lazy

_RowState = Literal["waiting", "running", "succeeded", "empty", "failed", "blocked", "unknown"]
_STATES: Final = frozenset({"succeeded", "empty", "failed", "blocked"})
_INSTANCE: Final = lazy(r"(.*)\[(\d+)\]", re.DOTALL)
_HOP: Final = lazy(r"(.*)\.(\d+)", re.DOTALL)
"""Id of an intermediate finding in a chain of look-ups: `task_1.2` is the second finding of `task_1`."""
_FILLED: Final = 40


@dataclass
class Row:
    """A task, or an instance of a `for_each` task.

    Attributes:
        task_id: Its id.
        description: The question of the task, references included.
        planned_tool: The tool the plan binds it to.
        state: Its state. `unknown` if its own end was not reported but its parent has ended.
        tool: The tool at work, or the one that gave the value.
        value: Its value, for people.
        reason: Why it has no value.
        note: A remark for the reader.
        attempts: Tool calls made.
        seconds: How long it worked.
        started: When it began, on the monotonic clock.
        decided_by: Who read the value.
        for_each: Whether it runs once per item.
        asks: The query for its tool, references included.
        ret: The type of its value.
        upstream: Ids of the tasks it builds on.
        thought: Why the planner wants it.
        parent: The task whose finding raised it. Empty if none is named.
        instances: By position, from 1. For a chain of look-ups, the findings on its way.
    """

    task_id: str
    description: str = ""
    planned_tool: str = ""
    state: _RowState = "waiting"
    tool: str = ""
    value: str = ""
    reason: str = ""
    note: str = ""
    attempts: int = 0
    seconds: float = 0.0
    started: float | None = None
    decided_by: str = ""
    for_each: bool = False
    asks: str = ""
    ret: str = ""
    upstream: tuple[str, ...] = ()
    thought: str = ""
    parent: str = ""
    instances: dict[int, "Row"] = field(default_factory=dict)


class Progress:
    """Progress of a run so far.

    Attributes:
        begun: Whether the graph has begun, so that there is a checkpoint.
        assessed: The `assessed` event, once received.
        rows: The tasks of the plan in force, in plan order.
        remarks: Decisions of reflection and repairs by the planner, oldest first.
        proposed: Whether the plan waits for a person's approval.
        writing: Whether the answer has begun.
        answer: The answer as far as it was streamed.
        sections: Titles of a report's sections, in order. Empty if the answer is not a report.
        written: The texts of the sections written so far.
        thought: The planner's reason for the plan in force.
        procedure: Title of the procedure that the plan in force follows.
        departure: The point at which the plan departs from the procedure.
        expected: The expected effort for the question.
        calls: Number of model calls that have ended.
        tokens: Tokens of these calls, prompts and replies.
        call_seconds: Seconds of these calls.
        started: Start of watching, on the monotonic clock.
        extending: Whether reflection wants more than the plan in force holds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.begun = False
        self.assessed: dict[str, Any] = {}
        self.rows: dict[str, Row] = {}
        self.remarks: list[str] = []
        self.proposed = False
        self.writing = False
        self.answer = ""
        self.sections: list[str] = []
        self.written: list[str] = []
        self.thought = self.procedure = self.departure = ""
        self.expected: dict[str, Any] = {}
        self.calls = self.tokens = 0
        self.call_seconds = 0.0
        self.started = clock()
        self.extending = False

    @property
    def phase(self) -> Literal["thinking", "planning", "working", "reviewing", "extending", "writing"]:
        """Current phase of the run.

        "writing" once the answer has begun, "extending" while reflection wants further tasks, "reviewing" when all
        tasks have ended, "working" while tasks run. Before there is a plan: "thinking" until the question is assessed,
        then "planning" if it is complex.
        """
        if self.writing:
            return "writing"
        if not self.rows:
            level = self.assessed.get("level")
            return "planning" if level == "complex" else "working" if level else "thinking"
        if self.extending:
            return "extending"
        return "reviewing" if all(row.state in _STATES for row in self.rows.values()) else "working"

    def apply(self, event: Mapping[str, Any]) -> Row | None:
        """Apply an event, and return the affected row, if any."""
        match event.get("type"):
            case "assessed":
                self.assessed = dict(event)
            case "planned":
                self.extending = False
                self._apply_plan(event.get("plan") or {})
                if note := event.get("note"):
                    self._remark(str(note))
            case "waiting":
                self.proposed = True
            case "model_called":
                self.calls += 1
                self.tokens += int(event.get("input_tokens") or 0) + int(event.get("output_tokens") or 0)
                self.call_seconds += float(event.get("seconds") or 0)
            case "task_started" | "task_progress":
                self.extending = self.extending and event.get("type") != "task_started"
                return self._update_row(event)
            case "task_finished":
                return self._finish_task(event)
            case "reflected":
                self.extending = event.get("decision") in {"retry", "replan", "deepen"}
                if event.get("decision") != "finish":
                    self._remark(f"{event.get('decision', '')}: {event.get('reason', '')}")
            case "answer_started":
                self.writing = True
            case "outlined" | "section_finished":
                self._note_section(event)
        return None

    def _note_section(self, event: Mapping[str, Any]) -> None:
        if event.get("type") == "outlined":
            self.sections, self.written = [str(title) for title in event.get("sections") or ()], []
        else:
            self.written.append(str(event.get("text") or ""))

    @property
    def preview(self) -> str:
        """Text of the answer so far: the streamed text, or else the finished sections of a report."""
        sections = zip(self.sections, self.written, strict=False)
        return self.answer or "\n\n".join(f"## {title}\n\n{text}" for title, text in sections)

    def describe(self, row: Row) -> str:
        """Return a task's description with references replaced by known values of tasks."""
        return self.fill(row.description)

    def fill(self, text: str) -> str:
        """Return a text of the plan with references replaced by the values of tasks.

        `age of {{task_1.ret}}` becomes `age of Ann Lee`. A task without a value so far appears as its id, `age of
        ‹task_1›`. Values are cut to 40 characters.
        """

        def fill(match: re.Match[str]) -> str:
            source = self.rows.get(match[1])
            if source is None or source.state != "succeeded" or not source.value:
                return f"‹{match[1]}›"
            return source.value if len(source.value) <= _FILLED else source.value[: _FILLED - 1] + "…"

        return REFERENCE.sub(fill, text)

    @property
    def thoughts(self) -> list[str]:
        """Reasons given by the planner for the current plan and each task, a line each."""
        said = [("plan", self.thought), *((row.task_id, row.thought) for row in self.rows.values())]
        return [f"{name}: {thought}" for name, thought in said if thought]

    def _remark(self, remark: str) -> None:
        if remark not in self.remarks:
            self.remarks.append(remark)

    def _apply_plan(self, plan: Mapping[str, Any]) -> None:
        """Apply a new plan or a new revision. Unchanged tasks keep their state."""
        self.thought = str(plan.get("thought") or "")
        self.expected = dict(plan.get("expected") or {})
        self.procedure, self.departure = str(plan.get("procedure") or ""), str(plan.get("departure") or "")
        upstream: dict[str, list[str]] = {}
        for edge in plan.get("edges") or ():
            upstream.setdefault(edge[1], []).append(edge[0])
        rows = {}
        for vertex in plan.get("vertices") or ():
            row = self.rows.get(vertex["id"], Row(vertex["id"]))
            same = row.description in {"", vertex.get("description", "")}
            row = row if same else Row(vertex["id"])
            row.description = vertex.get("description") or vertex["id"]
            row.planned_tool = vertex.get("tool_binding", "")
            row.for_each = bool(vertex.get("for_each"))
            row.thought = str(vertex.get("thought") or "")
            row.parent = str(vertex.get("parent") or "")
            args = vertex.get("args")
            row.asks = ", ".join(map(str, args.values())) if isinstance(args, Mapping) else ""
            row.ret = str(vertex.get("ret") or "")
            row.upstream = tuple(upstream.get(row.task_id, ()))
            rows[row.task_id] = row
        self.rows = rows

    def _row(self, task_id: str) -> Row:
        """Return the row of a task or an instance. A missing row is created.

        `task_1[2]` is the second instance of task_1, which is then marked as `for_each`, and `task_1.2` the second
        finding of a chain of look-ups.
        """
        if task_id not in self.rows and (match := _INSTANCE.fullmatch(task_id)) and match[1] in self.rows:
            parent = self.rows[match[1]]
            parent.for_each = True
            return parent.instances.setdefault(int(match[2]), Row(task_id, planned_tool=parent.planned_tool))
        if task_id not in self.rows and (match := _HOP.fullmatch(task_id)) and match[1] in self.rows:
            return self.rows[match[1]].instances.setdefault(int(match[2]), Row(task_id))
        return self.rows.setdefault(task_id, Row(task_id))

    def _update_row(self, event: Mapping[str, Any]) -> Row | None:
        if (task_id := str(event.get("task_id", ""))) in {"", "plan", "tools"}:  # of no task
            if note := event.get("note"):
                self._remark(str(note))
            return None
        row = self._row(task_id)
        match = _INSTANCE.fullmatch(task_id)
        if match and match[1] in self.rows:
            self._run(self.rows[match[1]])
            # The first text among the arguments tells an instance from its siblings.
            args = event.get("args")
            values = args.values() if isinstance(args, Mapping) else ()
            subject = next((value for value in values if isinstance(value, str) and value), "")
            row.description = subject or row.description or str(event.get("description", ""))
        else:
            row.description = row.description or str(event.get("description", ""))
        if "turn" in event or event.get("type") == "task_started":
            self._run(row)
            row.attempts = int(event.get("turn") or 1)
            row.tool = str(event.get("tool", "")) or row.tool
        row.note = str(event.get("note", "")) or row.note
        return row

    def _run(self, row: Row) -> None:
        if row.state != "running":
            row.state, row.started = "running", self.clock()
            row.value = row.reason = row.note = ""

    def _finish_task(self, event: Mapping[str, Any]) -> Row:
        row = self._row(str(event.get("task_id", "")))
        status = event.get("status")
        row.state = status if status in _STATES else "unknown"
        row.value = str(event.get("value") or "")
        row.reason = str(event.get("failure") or "")
        row.note = str(event.get("note") or "")
        row.tool = str(event.get("tool") or row.tool)
        row.attempts = int(event.get("attempts") or 0)
        row.seconds = float(event.get("seconds") or 0.0)
        row.decided_by = str(event.get("decided_by") or "")
        for instance in row.instances.values():
            if instance.state == "running":
                instance.state = "unknown"
        return row
