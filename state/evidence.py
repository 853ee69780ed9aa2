"""Evidence (passages), and the task outcomes based on evidence."""

import hashlib
import json
from operator import not_
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from weiwo.state.kinds import DecidedBy, FailureKind, ValueType
from weiwo.state.values import JsonValue, Value


def _is_none(value: object) -> bool:
    return value is None


FILE_DATE: Final = "file_date"
"""Flag of a passage whose document states no date. `date` is then the day on which the file was changed."""
CONTROLS: Final = "controls"
"""Flag of a passage of a short web page with buttons or fields, such as a login or cookie wall."""
UNSCORED: Final = "unscored"
"""Flag of a passage from a store without scores, which returns passages for any query, related or not."""


Address = Annotated[str, Field(json_schema_extra={"minLength": 1})]


class PassageCall(Value):
    """A tool call with a passage as the whole reply.

    The call is then context of the passage.

    Attributes:
        tool: The tool.
        arguments: The arguments of the call.
    """

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)

    def __str__(self) -> str:
        """Return the call in one line, for example `weather(city: Tokyo)`."""
        said = ", ".join(f"{name}: {_in_words(value)}" for name, value in self.arguments.items())
        return f"{self.tool}({said})"


def _in_words(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_in_words(item)}" for name, item in value.items())
    return ", ".join(map(_in_words, value)) if isinstance(value, list) else "" if value is None else str(value)


class Publication(Value):
    """Bibliographic data of a scholarly work. Unknown fields are empty.

    Attributes:
        authors: Names as printed, in order.
        venue: Journal, conference or repository.
        doi: The DOI, without a URL before it.
    """

    authors: tuple[str, ...] = ()
    venue: str = ""
    doi: str = ""


class Evidence(Value):
    """A passage with its source.

    Attributes:
        id: `passage_id` of the text.
        text: The passage.
        source: URL, or file path, that leads a reader to the passage.
        title: Title of the page or document.
        locator: Position within the source, such as "lines 3-7" or "page 2". Empty if the source needs no locator.
        date: ISO date of publication, if known.
        tool: The tool that found the passage.
        task_ids: The tasks that found the passage.
        score: Relevance by the tool's score. Higher is better, and scores are comparable only within one tool.
        rank: Best position among the results, from 1.
        provider: The tool's provider, such as a search engine.
        strategy: The document search strategy that found the passage: `keyword`, `vector` or `hybrid`. Empty if none
            did.
        also: Further URLs of the same text.
        flags: Warnings for readers, such as `instructions` if the text addresses the model.
        superseded_by: Source of a newer version of the same document. Empty if none is known.
        calls: The calls that have the passage as their whole reply. Empty for a search result, which has a source of
            its own.
        document: SHA-256 of the bytes of the document as they were read. Empty for a passage of no indexed document.
        publication: Authors, venue and DOI if the source is a scholarly work.
        headings: Heading path of the passage, outermost first, without the title.
        context: Further known facts that the text does not state, by name: `caption` of the table or figure, and
            `sender`, `recipients`, `copied` and `sent` of a mail. `quoted` names a later mail that quotes the passage.
    """

    id: str
    text: str
    source: str
    title: str = ""
    locator: str = ""
    date: str | None = None
    tool: str = ""
    task_ids: tuple[str, ...] = ()
    score: float = 0.0
    rank: int = Field(1, ge=1)
    provider: str = Field("", exclude_if=not_)
    strategy: str = Field("", exclude_if=not_)
    also: tuple[Address, ...] = Field((), exclude_if=not_)
    flags: tuple[str, ...] = Field((), exclude_if=not_)
    superseded_by: str = Field("", exclude_if=not_)
    calls: tuple[PassageCall, ...] = Field((), exclude_if=not_)
    document: str = Field("", exclude_if=not_)
    publication: Publication | None = Field(None, exclude_if=_is_none)
    headings: tuple[str, ...] = Field((), exclude_if=not_)
    context: dict[str, str] = Field(default_factory=dict, exclude_if=not_)

    @property
    def heading(self) -> str:
        """Return title, headings, context and calls in one line, joined by semicolons and without repetitions.

        An example is "Annual report; Results". Together they stand above the text and say what it is about.
        """
        above = (self.title, *self.headings, *self.context.values(), *map(str, self.calls))
        return "; ".join(dict.fromkeys(filter(None, above)))

    @property
    def is_outdated(self) -> bool:
        """Report whether a newer version, or a mail quoting the passage, is known."""
        return bool(self.superseded_by or self.context.get("quoted"))

    def merge_passage(self, other: "Evidence") -> "Evidence":
        """Return this passage with the origins of another passage merged in: its tasks, URLs and flags.

        The better score and rank are kept. Calls are added only if both passages have the same id, thus the same text.
        """
        new_calls = [call for call in other.calls if call not in self.calls] if other.id == self.id else []
        return self.model_copy(
            update={
                "task_ids": tuple(dict.fromkeys((*self.task_ids, *other.task_ids))),
                "score": max(self.score, other.score),
                "rank": min(self.rank, other.rank),
                "also": tuple(a for a in dict.fromkeys((*self.also, other.source, *other.also)) if a != self.source),
                "flags": tuple(dict.fromkeys((*self.flags, *other.flags))),
                "calls": (*self.calls, *new_calls),
            }
        )


class Quote(Value):
    """A verbatim quote from a passage, supporting a value.

    Attributes:
        evidence_id: The passage.
        text: The words.
    """

    evidence_id: str
    text: str


Cause = Literal["tool", "query", "source", "plan"]
"""Why a task has no value. `tool`: the tool does not work. `query`: the query found something else. `source`: the
sources found are on the subject but do not give the value, or are gone. `plan`: the arguments do not fit."""


class Failure(Value):
    """The failure of a task.

    Attributes:
        task_id: The task.
        kind: The kind of failure, used by policies.
        message: One line for people.
        cause: The cause as judged by the monitor from what was found. None if it did not judge.
    """

    task_id: str
    kind: FailureKind
    message: str
    cause: Cause | None = Field(None, exclude_if=_is_none)


Weakness = Literal["implied", "doubted", "disputed"]
"""Why a value is not reliable. `implied`: its source does not state it. `doubted`: the model or rule that read it was
unsure. `disputed`: other sources give another value."""


class WeakValue(Value):
    """An unreliable value.

    Attributes:
        task_id: The task.
        weakness: The reason.
        carries: Whether other tasks depend on the value.
    """

    task_id: str
    weakness: Weakness
    carries: bool = False


class Inconsistency(Value):
    """Contradicting values.

    Attributes:
        kind: `order`, an end before its beginning, or `rivals`, two values for one thing. Threads of 0.1 may hold
            `span`, `units` and `sum`, which are no longer produced.
        severity: Whether the contradiction is certain (`error`) or may be intended (`warning`, of 0.1 alone).
        task_ids: The tasks with these values.
        items: Of 0.1 alone: the item of each value.
    """

    kind: Literal["order", "rivals", "span", "units", "sum"]
    severity: Literal["error", "warning"]
    task_ids: tuple[str, ...]
    items: tuple[str, ...] = Field((), exclude_if=not_)


class MonitorReport(Value):
    """Report of the master's monitor on an execution.

    Attributes:
        failures: Every irregularity, in plan order.
        finished: Ids of tasks with a result: a value, or the correction of a false premise.
        answerable: Whether the plan's final tasks have a result.
        weak: Unreliable values, in plan order.
        inconsistencies: Values that contradict each other.
    """

    failures: tuple[Failure, ...] = ()
    finished: tuple[str, ...] = ()
    answerable: bool = False
    weak: tuple[WeakValue, ...] = ()
    inconsistencies: tuple[Inconsistency, ...] = ()


class Rival(Value):
    """A conflicting value from other sources.

    Attributes:
        value: The value, of the outcome's type.
        evidence_ids: Passages that give the value, best first.
        quotes: The words that support the value.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


class Hop(Value):
    """An intermediate value of a multi-hop search.

    It holds a question asked along the chain of look-ups, and the result.

    Attributes:
        question: The question asked.
        value: The value, as text.
        evidence_ids: Passages that give the value, best first.
        quotes: The words that support the value.
    """

    question: str
    value: str
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


OutcomeStatus = Literal["succeeded", "empty", "failed", "blocked"]

Basis = Literal["stated", "implied"]
"""Whether the quoted words state a value, or it only follows from them."""


class AheadValue(Value):
    """A value read ahead for a waiting task, from the passages of the task in progress.

    Attributes:
        question: The question of the waiting task, its references filled. The task recognises its own value by it.
        type: The type of the value.
        value: The value.
        evidence_ids: Passages that give the value, best first.
        quotes: The words that support the value.
        confidence: 0 to 1.
        sentence: The value in a sentence, if it is presented as it is.
    """

    question: str
    type: ValueType
    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]
    confidence: float
    sentence: str = ""


class PassageList(Value):
    """Content digest of the results of a tool call.

    Comparing it with the digest of the same call made later shows what has changed.

    Attributes:
        tool: The tool.
        arguments: The arguments of the call.
        digest: Digest of the passages found, in any order, and of a value that came with them.
    """

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    digest: str


class OutcomeDetail(Value):
    """Details of a value.

    A field that does not apply has its default and is left out of the serialised form.

    Attributes:
        computation: Details from the tool that computed the value, such as `expression`, or `start`, `end`, `unit` and
            `earlier`. None for a value that was read.
        mechanism: The rule that read the value. "" if a model did.
        shown: The value as written in its passage.
        label: The label of the value in a record: "Wren shuttle – weight".
        unit: The canonical unit of the value.
        approximate: Whether the passage gives the value as approximate.
        items: For a `for_each` task, the item that each value belongs to. None for any other task.
        missing: For a `for_each` task, the items without a value.
        set_by_person: Whether a person set the value.
        sentence: The answer to the user's question in one sentence, if the reader gave it with the value. If the reader
            gave up, the sentence it gave instead.
        hops: For a chain of look-ups, the values found before the final value, in order.
    """

    computation: dict[str, JsonValue] | None = Field(None, exclude_if=_is_none)
    mechanism: str = Field("", exclude_if=not_)
    shown: str = Field("", exclude_if=not_)
    label: str = Field("", exclude_if=not_)
    unit: str = Field("", exclude_if=not_)
    approximate: bool = Field(default=False, exclude_if=not_)
    items: tuple[JsonValue, ...] | None = Field(None, exclude_if=_is_none)
    missing: tuple[str, ...] = Field((), exclude_if=not_)
    set_by_person: bool = Field(default=False, exclude_if=not_)
    sentence: str = Field("", exclude_if=not_)
    hops: tuple[Hop, ...] = Field((), exclude_if=not_)


class TaskTrace(Value):
    """Trace of a task's work towards a value. Default fields are omitted when serialised.

    Attributes:
        cached: Whether the tool's reply came from the cache.
        limited: For a `for_each` task, whether a limit of the run cancelled some of its items.
        blocked_by: The task without a value that this task needs.
        gave_up: Whether the reading model saw nothing more worth trying, although it might have gone on, or went
            from look-up to look-up until its turns were used up.
        searches: Tools and queries that a task tried without a result.
        unanswered: Reasons why fruitless searches of the task got no reply, or not a reply from all engines asked.
        opened: Pages and documents that were opened, or tried.
        unread: Pages and documents among them that could not be read.
        ahead: Values found in the task's passages for tasks that wait for it.
        found: Results of each call.
        asked: Content words of the question for which the passages in `seen` gave no value.
        seen: Ids of the passages shown to the model or rule that reads for the task, the latest ones.
        kept: Ids of the passages among them that it asked to see again.
    """

    cached: bool = Field(default=False, exclude_if=not_)
    limited: bool = Field(default=False, exclude_if=not_)
    blocked_by: str = Field("", exclude_if=not_)
    gave_up: bool = Field(default=False, exclude_if=not_)
    searches: tuple[tuple[str, str], ...] = Field((), exclude_if=not_)
    unanswered: tuple[str, ...] = Field((), exclude_if=not_)
    opened: tuple[str, ...] = Field((), exclude_if=not_)
    unread: tuple[str, ...] = Field((), exclude_if=not_)
    ahead: tuple[AheadValue, ...] = Field((), exclude_if=not_)
    found: tuple[PassageList, ...] = Field((), exclude_if=not_)
    asked: str = Field("", exclude_if=not_)
    seen: tuple[str, ...] = Field((), exclude_if=not_)
    kept: tuple[str, ...] = Field((), exclude_if=not_)


class Finding(Value):
    """A finding of an analysis.

    Attributes:
        text: The finding, as a standalone statement.
        evidence_ids: The passages that support it.
    """

    text: str
    evidence_ids: tuple[str, ...]


_VALUE_ONLY_OF_SUCCESS: Final[dict[str, JsonValue]] = {
    "if": {"properties": {"status": {"not": {"const": "succeeded"}}}},
    "then": {"properties": {"value": {"type": "null"}}},
}


class Outcome(Value):
    """Outcome of a task.

    Attributes:
        task_id: The task.
        status: `succeeded`, `empty` (searched but not found), `failed` (the tool did not work) or
            `blocked` (an upstream task has no value).
        value: The typed value in its data form. None unless succeeded.
        type: The value's type.
        evidence_ids: Passages that support the value, best first.
        quotes: The words that support the value.
        tool: The tool that gave the value, a substitute included.
        attempts: Tool calls made.
        seconds: Wall time of the work, waiting for upstream excluded.
        decided_by: The reader of the value in the passages.
        confidence: 0 to 1, as judged by the reader.
        detail: Details of the value.
        trace: The trace of the task's work, with or without a value.
        failure: The failure, unless succeeded.
        note: A note that a reader should know, such as a list that was cut.
        support: Number of independent sources that give the value. 0 if they were not counted.
        rivals: Conflicting values from other sources.
        basis: Whether the quotes state the value or imply it.
        premise: An assumption of the task that its sources deny, in one line. The value is then the correction,
            a text. Empty if nothing was denied.
        digest: Digest of the value and its quotes as stored by the executor. Empty if it stored none.
        findings: The findings that make up the value, each with its passages: for an analysis, and for a `for_each`
            task with items reported in a sentence each.
    """

    model_config = ConfigDict(json_schema_extra=_VALUE_ONLY_OF_SUCCESS)

    task_id: str
    status: OutcomeStatus
    value: JsonValue = None
    type: ValueType = "text"
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    tool: str = ""
    attempts: int = 0
    seconds: float = 0.0
    decided_by: DecidedBy = "rule"
    confidence: float = Field(1.0, ge=0, le=1)
    detail: OutcomeDetail = Field(default_factory=OutcomeDetail)
    trace: TaskTrace = Field(default_factory=TaskTrace, exclude_if=lambda trace: trace == TaskTrace())
    failure: Failure | None = None
    note: str = ""
    support: int = Field(0, ge=0, exclude_if=not_)
    rivals: tuple[Rival, ...] = Field((), exclude_if=not_)
    basis: Basis = Field("stated", exclude_if=lambda basis: basis == "stated")
    premise: str = Field("", exclude_if=not_)
    digest: str = Field("", exclude_if=not_)
    findings: tuple[Finding, ...] = Field((), exclude_if=not_)

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_form(cls, given: Any) -> Any:
        """Read threads saved before the trace was separated from the detail.

        Threads of 0.1 also recorded slow tools, which are dropped.
        """
        detail = given.get("detail") if isinstance(given, dict) else None
        if not isinstance(detail, dict):
            return given
        moved = {key: value for key, value in detail.items() if key in TaskTrace.model_fields}
        left = {key: value for key, value in detail.items() if key not in moved and key != "slow"}
        return {**given, "detail": left, **({"trace": moved} if moved else {})}

    def seal(self) -> Self:
        """Return the outcome with the digest of the value and quotes, by which later edits are detected."""
        quotes = [[quote.evidence_id, quote.text] for quote in self.quotes]
        held = json.dumps([self.value, quotes], sort_keys=True, ensure_ascii=False)
        return self.model_copy(update={"digest": hashlib.sha256(held.encode()).hexdigest()[:16]})

    @property
    def usable(self) -> bool:
        """Report whether another task can build on the outcome: it succeeded, and no false premise was corrected."""
        return self.status == "succeeded" and not self.premise

    @property
    def answers(self) -> bool:
        """Report whether the outcome is "succeeded": it has a value, or the correction of a false premise."""
        return self.status == "succeeded"

    @property
    def is_computed(self) -> bool:
        """Report whether a tool computed the value, rather than a reader finding the value in a passage."""
        return self.detail.computation is not None
