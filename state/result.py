"""The result of a question, as returned by `weiwo ask --json`, the server and Python.

This is the only definition. `app/result.schema.json` and the page's `result.ts` are generated from it (`make
result-schema`), and a test fails if they differ. Their descriptions come from the attribute sections of the classes.
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


class Review(Output):
    """A decision of reflection, which reviews the tasks during a run.

    Attributes:
        decision: The next step of the run.
        reason: The reason, in one line.
        decided_by: A model or a rule.
    """

    decision: Decision
    reason: str
    decided_by: DecidedBy


class ChangedValue(Output):
    """A value changed between runs, as found by `weiwo refresh`.

    Attributes:
        task: The task.
        question: The question of the task.
        old: The earlier value. Empty if there was none.
        new: The value now. Empty if there is no value any more.
        source: The first source of the new value.
    """

    task: str
    question: str
    old: str
    new: str
    source: str


class Refresh(Output):
    """A search repeated because the sources had changed.

    Attributes:
        at: Time of the refresh, ISO 8601 (UTC).
        changes: The values that changed.
    """

    at: str
    changes: tuple[ChangedValue, ...]


class Result(Output):
    """An answer with everything behind it.

    Attributes:
        question: The question, as asked.
        standalone: The standalone question, if it differs.
        language: The language of the answer, as a tag such as de.
        status: Whether every part is answered (`complete`), passages are shown (`extracts`), something is missing or
            not supported (`partial`), a model answered from its own knowledge (`unsourced`), or there is no answer
            (`failed`).
        stop_reason: `finished`, or the reason for an incomplete answer.
        level: The complexity that the master judged.
        team: The team of agents configured for the question.
        answer: The answer, with citation marks such as [1].
        marks: The citation marks, in order. Other brackets in the answer belong to its sources. Version 0.1 wrote none.
        citations: The numbered sources.
        claims: The sentences, list items and table cells of the answer, checked against what they cite.
        preferences: The user's statements that hold for all their questions.
        lead: The opening of the answer: an assertion, or a sentence of a source that says most of the question, or
            passages without a word on whether they answer, or a statement that the documents hold nothing on the
            subject.
        parts: The parts of the question, each with its outcome.
        gaps: The open points of the answer, and unreliable values that it is based on.
        plan: The plan in force. Null if the writer answered alone.
        outcomes: The outcome of each task, by task id.
        evidence: The passages found.
        reflections: The reflections, in order.
        usage: Calls, tokens, cost and time.
        thread_id: The thread. Empty if the run had none.
        extracts: The closest passages, shown if no model answers: the sources' own words.
        confidence: Probability that the extracts hold the answer, if nothing is asserted.
        asserted: Mechanisms of the rules that assert something in the answer, such as `comparison:date`.
        notices: Notes for the reader beside the answer, a line each, shown below its sources.
        blocks: The answer as a document: its blocks in order.
        checked: Whether the answer was checked. False if a model was to judge it and did not, or if a quick search
            asks no model.
        from_thread: The thread of an earlier answer to the same question, if that answer is given again.
        answered_at: Time of that earlier answer, ISO 8601 (UTC).
        refreshed: The refresh that brought this answer, and the values that changed by it.
        files: Files the answer was written to, as absolute paths, if `--output` asked for any.
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
    citations: tuple[Citation, ...]
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
        """Return the result as JSON values, without fields internal to the run."""
        return self.model_dump(mode="json", by_alias=True, exclude=_INTERNAL_FIELDS)


INTERNAL: Final[dict[str, tuple[str, ...]]] = {
    "outcomes": ("task_id", "digest"),
    "evidence": ("rank", "headings", "context"),
    "parts": ("task_ids",),
}
"""Fields of the values in a result that are not handed out."""
_INTERNAL_FIELDS: Final = {name: {"__all__": set(fields)} for name, fields in INTERNAL.items()}


class PlanRequest(Output):
    """Output printed instead of a result while a plan waits for a person's approval.

    Attributes:
        thread_id: The thread.
        question: The question, as asked.
        plan: The plan.
        finished: Values, for people, of the tasks that need not run again, by task id.
        note: A further note on the plan for the person. Empty if there is none.
        how: The commands that continue.
    """

    thread_id: str
    status: Literal["waiting"]
    question: _Text
    plan: PlanForm
    finished: dict[str, str]
    note: str
    how: str


class ReplyRequest(Output):
    """Output printed instead of a result while an ambiguous question waits for a reply.

    Attributes:
        thread_id: The thread.
        question: The question, as asked.
        clarify: The clarifying question.
        choices: The possible meanings.
        how: The command that continues.
    """

    thread_id: str
    status: Literal["waiting"]
    asks: Literal["clarify"]
    question: str
    clarify: str
    choices: Annotated[tuple[str, ...], Field(min_length=2, max_length=4)]
    how: str


class ConsentRequest(Output):
    """Output printed instead of a result while a tool call waits for approval.

    The tool may change something.

    Attributes:
        thread_id: The thread.
        question: The question of the calling task.
        task: The task.
        tool: The tool.
        server: The MCP server of the tool. Empty for any other tool.
        arguments: The arguments of the call.
        hash: Digest of the tool and the arguments, for which an approval is valid.
        how: The commands that continue.
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
    """Schema of `Result` for a field holding a result as JSON values."""

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Give the schema of the model in place of the field's own."""
        Result.model_rebuild()
        return handler(Result.__pydantic_core_schema__)
