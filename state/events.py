"""Stream events: what a run tells its watchers while it goes on, one model per event.

They are what LangGraph's stream mode `custom` carries: on the wire each is one JSON object with a `type`, and a field
that was not given is left out. The command, the page and any other client draw from these alone.

    assessed → planned → task_started → task_progress… → task_finished → reflected → answer_started → finished

Between the last two a report tells of its outline and its sections: outlined → section_finished…

A simple question has neither plan nor tasks nor a look back; after a look back that goes on, more plans and tasks
follow. One that replaces a task comes, with its plan, while others run. Tasks run side by side, so that their events
interleave; of one task they come in order. `model_called` may come anywhere between, and before a plan
`tools_found`. A resumed run tells again what had finished.
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
"""The `task_id` of progress that is the planner's and no task's."""
TOOLS = "tools"
"""That of notes on tools a run goes without."""


class EventBase(Value):
    """What all events share."""

    type: str

    def to_json(self) -> dict[str, Any]:
        """The event as it goes over the wire: its type, and every field that was given."""
        return {"type": self.type, **self.model_dump(mode="json", exclude_unset=True)}


class AssessedEvent(EventBase):
    """The master has judged the question.

    Attributes:
        question: The question as it stands on its own.
        language: The language of the answer.
        level: How much machinery it gets.
        team: The team set up for it.
        score: Its complexity, 0 to 1.
        reason: Why, in one line.
        decided_by: Whether a model took part.
        tools: Names of the tools at hand.
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
    """The planner is shown some tools of a pool too large to show whole.

    Attributes:
        needs: What they were looked for by: the question and what is missing, or what a model said it needs.
        tools: Those it is shown, or is shown besides.
        pool: How many there are.
    """

    type: Literal["tools_found"] = "tools_found"
    needs: list[str]
    tools: list[str]
    pool: int


class PlannedEvent(EventBase):
    """There is a plan, or a new revision of it.

    Attributes:
        plan: The plan in its interchange form, with the `thought` behind it and its tasks where its planner said one.
        decided_by: Who made it.
        note: Why it is still the old one, where it is; else left out.
    """

    type: Literal["planned"] = "planned"
    plan: dict[str, JsonValue]
    decided_by: Literal[PlannedBy, "person"]
    note: str = ""

    @classmethod
    def of(cls, plan: Plan, note: str = "", *, by_person: bool = False) -> Self:
        """The event that tells of a plan.

        Args:
            plan: The plan in force from now on.
            note: Why it is still the old one, if it is.
            by_person: Whether a person edited it.
        """
        more = {"note": note} if note else {}
        return cls(plan=plan.to_json(), decided_by="person" if by_person else plan.decided_by, **more)


class TaskStartedEvent(EventBase):
    """A task makes its first call.

    Attributes:
        task_id: The task, or its instance for one item as `task[2]`.
        description: What it is to find out, references unfilled.
        turn: 1.
        tool: The tool it calls.
        args: The arguments of the call, references filled.
        item: The item, of an instance; else left out.
    """

    type: Literal["task_started"] = "task_started"
    task_id: str
    description: str
    turn: int
    tool: str
    args: dict[str, JsonValue]
    item: JsonValue = None


class TaskProgressEvent(EventBase):
    """A task goes on: it makes a further call (then `turn`, `tool` and `args` are there), or something is to be noted.

    Attributes:
        task_id: The task or instance; `PLANNING` where the planner has something to note, `TOOLS` where it is on tools.
        description: As when it started.
        turn: Which search or opening this is, from 1.
        tool: The tool it calls, or that the note is about.
        args: The arguments of the call.
        item: The item, of an instance.
        cached: True where the result was kept from an earlier call.
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
    """A task, or an instance of one, has its outcome.

    Attributes:
        task_id: The task or instance.
        status: What it came to.
        value: Its value for people, cut to 300 characters; empty where it has none.
        tool: The tool that gave it.
        attempts: Tool calls made.
        seconds: Time it worked.
        decided_by: Who read the value.
        failure: Why it has none, in one line; else empty.
        failure_kind: The kind of that failure; else empty.
        note: Something a reader should know; else empty.
        cached: Whether its results were kept from earlier calls.
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
    """A call of a chat model has ended.

    Attributes:
        role: Whose call it was.
        purpose: What for.
        model: The model's name.
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply.
        seconds: What it took.
    """

    type: Literal["model_called"] = "model_called"
    role: str
    purpose: str
    model: str
    input_tokens: int
    output_tokens: int
    seconds: float = 0.0


class ReflectedEvent(EventBase):
    """Reflection has looked back at an execution, or, while it goes on, at one task of it.

    Attributes:
        decision: How it goes on.
        reason: Why, in one line.
        decided_by: A model or a rule.
        task_ids: The tasks concerned.
    """

    type: Literal["reflected"] = "reflected"
    decision: Decision
    reason: str
    decided_by: DecidedBy
    task_ids: list[str]


class AnswerStartedEvent(EventBase):
    """The writer begins; tokens of the answer follow in the stream mode `messages`.

    Attributes:
        decided_by: Who writes.
        left_out: Passages that the writer's prompt had no room for; left out without a model.
        cut: Passages that it shows in part; likewise.
    """

    type: Literal["answer_started"] = "answer_started"
    decided_by: DecidedBy
    left_out: int = 0
    cut: int = 0


class OutlinedEvent(EventBase):
    """A report has its outline; its sections are written side by side.

    Attributes:
        title: The title of the report.
        sections: The titles of its sections, in order.
        note: Why it is shorter than it would be, or no report at all; else left out.
    """

    type: Literal["outlined"] = "outlined"
    title: str = ""
    sections: list[str]
    note: str = ""


class SectionFinishedEvent(EventBase):
    """A section of a report is written and checked; told in the order of the sections.

    Attributes:
        number: Which section, from 1.
        title: Its title.
        text: Its Markdown, citation marks taken out: numbers are given when the report is put together.
        words: Its length, in words (English) or characters (Chinese).
        unverified: How many of its claims could not be verified.
        failure: Why it ends early, or is empty; else left out.
    """

    type: Literal["section_finished"] = "section_finished"
    number: int
    title: str
    text: str
    words: int
    unverified: int
    failure: str = ""


class FinishedEvent(EventBase):
    """The answer is complete as far as it goes; the result is in the state.

    Attributes:
        status: How far that is.
        stop_reason: Why not further.
        from_thread: The thread of an earlier answer to the same question that is given again; else left out.
        answered_at: When that was answered, ISO 8601 (UTC); else left out.
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
"""Sends one event to whoever watches the run."""

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def parse_event(data: object) -> Event:
    """Read an event that came over the wire.

    Raises:
        pydantic.ValidationError: It is none of those that this version sends.
    """
    return _EVENT.validate_python(data)
