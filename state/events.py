"""Stream events of a run, with a model per event.

LangGraph's stream mode `custom` carries them. On the wire each event is one JSON object with a `type`, and unset fields
are left out. The command, the page and any other client draw from these events alone.

    assessed → planned → task_started → task_progress… → task_finished → reflected → answer_started → finished

Between the last two, a report sends its outline and its sections: outlined → section_finished…

A simple question has no plan, no tasks and no reflection. After a reflection that continues, more plans and tasks
follow. A reflection that replaces a task arrives, with its plan, while others run. Tasks run in parallel, so their
events interleave, but the events of one task arrive in order. `model_called` may come anywhere between, and
`tools_found` before a plan. A resumed run sends again what had finished.
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, TypeAdapter

from weiwo.state.answer import Decision, Status
from weiwo.state.assessment import Level, TeamName
from weiwo.state.evidence import OutcomeStatus
from weiwo.state.kinds import DecidedBy, FailureKind, Language, PlannedBy
from weiwo.state.plan import Plan
from weiwo.state.values import JsonValue, Value

PLANNING = "plan"
"""The `task_id` of a progress note by the planner instead of a task."""
TOOLS = "tools"
"""The `task_id` of a note on tools that are not available in a run."""


class EventBase(Value):
    """Base class of all events."""

    type: str

    def to_json(self) -> dict[str, Any]:
        """Return the event in wire format: the type, and every field given."""
        return {"type": self.type, **self.model_dump(mode="json", exclude_unset=True)}


class AssessedEvent(EventBase):
    """Event: the master has assessed the question.

    Attributes:
        question: The standalone question.
        language: The language of the answer.
        level: The complexity, as a level.
        team: The team configured for the question.
        score: The complexity, 0 to 1.
        reason: The reason for the assessment, in one line.
        decided_by: `model` if a model took part, else `rule`.
        tools: Names of the tools that tasks may use.
        models: Names of the models in use, by role.
    """

    type: Literal["assessed"] = "assessed"
    question: str
    language: Language
    level: Level
    team: TeamName
    score: float
    reason: str
    decided_by: DecidedBy
    tools: list[str]
    models: dict[str, str]


class ToolsFoundEvent(EventBase):
    """Event: the planner is shown a selection of tools from a large pool.

    The pool is too large to show whole.

    Attributes:
        needs: The texts that the tools were searched by: the question and what is missing, or what a model said it
            needs.
        tools: The tools shown, or shown in addition.
        pool: Number of tools in the pool.
    """

    type: Literal["tools_found"] = "tools_found"
    needs: list[str]
    tools: list[str]
    pool: int


class PlannedEvent(EventBase):
    """Event: a plan, or a new revision of the plan, is in force.

    Attributes:
        plan: The plan in its interchange form, with the planner's `thought` on the plan and its tasks if it gave one.
        decided_by: The author of the plan.
        note: The reason for keeping the old plan, if it was kept. Else left out.
    """

    type: Literal["planned"] = "planned"
    plan: dict[str, JsonValue]
    decided_by: Literal[PlannedBy, "person"]
    note: str = ""

    @classmethod
    def of(cls, plan: Plan, note: str = "", *, by_person: bool = False) -> Self:
        """Return the event announcing a plan.

        Args:
            plan: The plan in force from now on.
            note: The reason for keeping the old plan, if it was kept.
            by_person: Whether a person edited the plan.
        """
        more = {"note": note} if note else {}
        return cls(plan=plan.to_json(), decided_by="person" if by_person else plan.decided_by, **more)


class TaskStartedEvent(EventBase):
    """Event: a task makes its first call.

    Attributes:
        task_id: The task, or its instance for one item as `task[2]`.
        description: The information the task is to find, references unfilled.
        turn: Always 1, the first call.
        tool: The tool called.
        args: The arguments of the call, references filled.
        item: The item, for an instance. Else left out.
    """

    type: Literal["task_started"] = "task_started"
    task_id: str
    description: str
    turn: int
    tool: str
    args: dict[str, JsonValue]
    item: JsonValue = None


class TaskProgressEvent(EventBase):
    """Event: a task makes another call, or adds a note.

    For a further call, `turn`, `tool` and `args` are present.

    Attributes:
        task_id: The task or instance, `PLANNING` for a note of the planner, or `TOOLS` for a note on tools.
        description: As in the start event.
        turn: Number of this search or opening, from 1.
        tool: The tool called, or the tool that the note is about.
        args: The arguments of the call.
        item: The item, for an instance.
        cached: True if the result came from the cache of an earlier call.
        note: One line for people.
    """

    type: Literal["task_progress"] = "task_progress"
    task_id: str
    description: str = ""
    turn: int = 0
    tool: str = ""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    item: JsonValue = None
    cached: bool = False
    note: str = ""


class TaskFinishedEvent(EventBase):
    """Event: a task, or an instance of a task, has an outcome.

    Attributes:
        task_id: The task or instance.
        status: The status of the outcome.
        value: The value for people, cut to 300 characters. Empty if there is no value.
        tool: The tool that gave the value.
        attempts: Tool calls made.
        seconds: Working time of the task.
        decided_by: The reader of the value.
        failure: The reason for a missing value, in one line. Else empty.
        failure_kind: The kind of that failure. Else empty.
        note: A note that a reader should know. Else empty.
        cached: Whether the results came from the cache of earlier calls.
    """

    LONGEST_VALUE: ClassVar[int] = 300

    type: Literal["task_finished"] = "task_finished"
    task_id: str
    status: OutcomeStatus
    value: str
    tool: str
    attempts: int
    seconds: float
    decided_by: DecidedBy
    failure: str
    failure_kind: FailureKind | Literal[""] = ""
    note: str
    cached: bool


class ModelCalledEvent(EventBase):
    """Event: a call of a chat model has ended.

    Attributes:
        role: The agent that called.
        purpose: The purpose of the call, as in `ModelCall.purpose`.
        model: The model's name.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        seconds: Duration of the call.
    """

    type: Literal["model_called"] = "model_called"
    role: str
    purpose: str
    model: str
    input_tokens: int
    output_tokens: int
    seconds: float = 0.0


class ReflectedEvent(EventBase):
    """Event: reflection has reviewed an execution, or a task of a running execution.

    Attributes:
        decision: The next step.
        reason: The reason, in one line.
        decided_by: A model or a rule.
        task_ids: The tasks concerned.
    """

    type: Literal["reflected"] = "reflected"
    decision: Decision
    reason: str
    decided_by: DecidedBy
    task_ids: list[str]


class AnswerStartedEvent(EventBase):
    """Event: the writer starts.

    Tokens of the answer follow in the stream mode `messages`.

    Attributes:
        decided_by: The writer.
        left_out: Number of passages that did not fit into the writer's prompt. Left out without a model.
        cut: Number of passages shown in part. Left out without a model.
    """

    type: Literal["answer_started"] = "answer_started"
    decided_by: DecidedBy
    left_out: int = 0
    cut: int = 0


class OutlinedEvent(EventBase):
    """Event: a report has an outline, and the sections are written in parallel.

    Attributes:
        title: The title of the report.
        sections: The titles of its sections, in order.
        note: The reason for a shorter report, or for no report at all. Else left out.
    """

    type: Literal["outlined"] = "outlined"
    title: str = ""
    sections: list[str]
    note: str = ""


class SectionFinishedEvent(EventBase):
    """Event: a section of a report is written and checked.

    The events follow the order of the sections.

    Attributes:
        number: Number of the section, from 1.
        title: Title of the section.
        text: The Markdown without citation marks. Numbers are assigned when the report is assembled.
        words: The length, in words (English) or characters (Chinese).
        unverified: Number of claims that could not be verified.
        failure: The reason if the section ends early or is empty. Else left out.
    """

    type: Literal["section_finished"] = "section_finished"
    number: int
    title: str
    text: str
    words: int
    unverified: int
    failure: str = ""


class FinishedEvent(EventBase):
    """Event: the run has finished, with the result in the state.

    Attributes:
        status: The completeness of the answer.
        stop_reason: The reason for stopping there.
        from_thread: The thread of an earlier answer to the same question, if that answer is given again. Else left out.
        answered_at: Time of that earlier answer, ISO 8601 (UTC). Else left out.
    """

    type: Literal["finished"] = "finished"
    status: Status
    stop_reason: str
    from_thread: str = ""
    answered_at: str = ""


Event = Annotated[
    AssessedEvent
    | ToolsFoundEvent
    | PlannedEvent
    | TaskStartedEvent
    | TaskProgressEvent
    | TaskFinishedEvent
    | ModelCalledEvent
    | ReflectedEvent
    | AnswerStartedEvent
    | OutlinedEvent
    | SectionFinishedEvent
    | FinishedEvent,
    Field(discriminator="type"),
]
"""Any event, told apart by its `type`."""

Emit = Callable[[EventBase], None]
"""Function that sends an event to the clients of the stream."""

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def parse_event(data: object) -> Event:
    """Parse an event received over the wire.

    Raises:
        pydantic.ValidationError: The data is no event that this version sends.
    """
    return _EVENT.validate_python(data)
