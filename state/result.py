"""The result of a question: the one definition of what `weiwo ask --json`, the server and Python hand out.

`app/result.schema.json` and the page's `result.ts` are generated from it (`make result-schema`), and a test fails where
they differ. Descriptions in them are the attribute sections of the classes.
"""

from operator import not_
from typing import Annotated, Any, Final, Literal

from pydantic import Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from weiwo.state.answer import Block, Citation, Claim, Decision, Extract, Gap, Mark, Status
from weiwo.state.assessment import Level, TeamName
from weiwo.state.evidence import Evidence, Outcome
from weiwo.state.kinds import DecidedBy
from weiwo.state.ledger import Lead, QuestionPart
from weiwo.state.limits import Usage
from weiwo.state.plan import PlanForm
from weiwo.state.values import JsonValue, Output

_Text = Annotated[str, Field(min_length=1)]


def _is_none(value: object) -> bool:
    return value is None


class CitedSource(Citation):
    """A numbered source, with its other addresses.

    Attributes:
        also: Further addresses of the same text.
    """

    also: tuple[_Text, ...] = Field((), exclude_if=not_, json_schema_extra={"uniqueItems": True})


class Review(Output):
    """A look back of reflection.

    Attributes:
        decision: What it decided.
        reason: Why, in one line.
        decided_by: A model or a rule.
    """

    decision: Decision
    reason: str
    decided_by: DecidedBy


class ChangedValue(Output):
    """A value that `weiwo refresh` found changed.

    Attributes:
        task: The task.
        question: What the task asks.
        old: The earlier value; empty where there was none.
        new: The value now; empty where there is none any more.
        source: The first source of the new value.
    """

    task: str
    question: str
    old: str
    new: str
    source: str


class Refresh(Output):
    """A search made again since its sources had changed.

    Attributes:
        at: When, ISO 8601 (UTC).
        changes: The values that changed.
    """

    at: str
    changes: tuple[ChangedValue, ...]


class Result(Output):
    """An answer and everything behind it.

    Attributes:
        question: The question, as asked.
        standalone: The question as it stands alone, where that differs.
        language: The language of the answer, as a tag such as de.
        status: Whether every part is answered (`complete`), passages are shown (`extracts`), something is missing or
            not supported (`partial`), a model answered from its own knowledge (`unsourced`), or nothing came of it.
        stop_reason: `finished`, or why the answer is not complete.
        level: The complexity that the master judged.
        team: The agents at work.
        answer: The answer, with citation marks such as [1].
        marks: Its citation marks, in order: other brackets in it are its sources' own. Version 0.1 wrote none.
        citations: The numbered sources.
        claims: The sentences, list items and table cells of the answer, checked against what they cite.
        preferences: What the user said holds for all their questions.
        lead: What the answer begins with: an assertion, or a sentence of a source that says most of the question;
            passages, without a word on whether they answer; or a statement that the documents hold nothing on the
            subject.
        parts: The parts of the question, each with its outcome.
        gaps: What the answer leaves open, and values it rests on that are no firm ground.
        plan: The plan in force; null where the writer answered alone.
        outcomes: The outcome of each task, by task id.
        evidence: The passages found.
        reflections: The looks back, in order.
        usage: Calls, tokens, cost and time.
        thread_id: The thread; empty where the run had none.
        extracts: The closest passages, shown where no model answers: the sources' own words.
        confidence: How probable it is that the extracts hold the answer; where nothing is asserted.
        asserted: Mechanisms of the rules that assert something in the answer, such as `comparison:date`.
        notices: What a reader should know beside the answer, a line each; shown below its sources.
        blocks: The answer as a document: its blocks in order.
        checked: Whether what is told was checked: false where a model was to judge it and did not, or a quick search
            asks none.
        from_thread: The thread of an earlier answer to the same question that is given again.
        answered_at: When that was answered, ISO 8601 (UTC).
        refreshed: The refresh that brought this answer, and the values that changed by it.
        files: Files the answer was written to, absolute paths; where `--output` asked for any.
    """

    question: _Text
    standalone: str = Field("", exclude_if=not_)
    language: str = Field(pattern="^[a-z]{2,3}$")
    status: Status
    stop_reason: _Text
    level: Level
    team: TeamName
    answer: str
    marks: tuple[Mark, ...]
    citations: tuple[CitedSource, ...]
    claims: tuple[Claim, ...]
    preferences: tuple[str, ...] = Field((), exclude_if=not_, serialization_alias="wishes")
    lead: Lead
    parts: tuple[QuestionPart, ...]
    gaps: tuple[Gap, ...]
    plan: PlanForm | None
    outcomes: dict[str, Outcome]
    evidence: tuple[Evidence, ...]
    reflections: tuple[Review, ...]
    usage: Usage
    thread_id: str
    extracts: tuple[Extract, ...]
    confidence: float | None = Field(None, ge=0, le=1, exclude_if=_is_none)
    asserted: tuple[str, ...]
    notices: tuple[str, ...] = ()
    blocks: tuple[Block, ...]
    checked: bool
    from_thread: str = Field("", exclude_if=not_)
    answered_at: str = Field("", exclude_if=not_)
    refreshed: Refresh | None = Field(None, exclude_if=_is_none)
    files: tuple[_Text, ...] = Field((), exclude_if=not_)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values, without what only the run needs."""
        return self.model_dump(mode="json", by_alias=True, exclude=_INTERNAL_FIELDS)


INTERNAL: Final[dict[str, tuple[str, ...]]] = {
    "outcomes": ("task_id", "digest"),
    "evidence": ("rank", "headings", "context"),
    "parts": ("task_ids",),
}
"""Fields of the values in a result that are not handed out."""
_INTERNAL_FIELDS: Final = {name: {"__all__": set(fields)} for name, fields in INTERNAL.items()}


class PlanRequest(Output):
    """Printed instead of a result while a plan waits for a person's approval.

    Attributes:
        thread_id: The thread.
        question: The question, as asked.
        plan: The plan.
        finished: Values, for people, of its tasks that need not run again.
        note: What else a person should know of the plan.
        how: The commands that go on with it.
    """

    thread_id: str
    status: Literal["waiting"]
    question: _Text
    plan: PlanForm
    finished: dict[str, str]
    note: str
    how: str


class ReplyRequest(Output):
    """Printed instead of a result while a question that can mean several things waits for a reply.

    Attributes:
        thread_id: The thread.
        question: The question, as asked.
        clarify: What is asked back.
        choices: What it can mean.
        how: The command that goes on with it.
    """

    thread_id: str
    status: Literal["waiting"]
    asks: Literal["clarify"]
    question: str
    clarify: str
    choices: Annotated[tuple[str, ...], Field(min_length=2, max_length=4)]
    how: str


class ConsentRequest(Output):
    """Printed instead of a result while a tool that may change something waits to be allowed.

    Attributes:
        thread_id: The thread.
        question: What the task that calls it asks.
        task: The task.
        tool: The tool.
        server: The MCP server it is of; empty for any other.
        arguments: The arguments of the call.
        hash: Digest of the tool and the arguments: what an answer holds for.
        how: The commands that go on with it.
    """

    thread_id: str
    status: Literal["waiting"]
    asks: Literal["allow_tool"]
    question: str
    task: str
    tool: str
    server: str
    arguments: dict[str, JsonValue]
    hash: str
    how: str


class ResultSchema:
    """The JSON schema of `Result` for a field that holds it as JSON values."""

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Give the schema of the model in place of the field's own."""
        Result.model_rebuild()
        return handler(Result.__pydantic_core_schema__)
