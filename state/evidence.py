"""Evidence (passages), and the outcomes of tasks that rest on it."""

import hashlib
import json
from operator import not_
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from weiwo.state.kinds import DecidedBy, FailureKind, ValueType
from weiwo.state.values import JsonValue, Value


def _is_none(value: object) -> bool:
    return value is None


def _is_stated(value: object) -> bool:
    return value == "stated"


FILE_DATE: Final = "file_date"
"""The flag of a passage whose document states no date: the day its file was changed stands in."""
CONTROLS: Final = "controls"
"""The flag of a passage of a short web page with buttons or fields, as walls before articles have."""
UNSCORED: Final = "unscored"
"""The flag of a passage whose store tells no scores: it returns some for any query, related or not."""


_Address = Annotated[str, Field(json_schema_extra={"minLength": 1})]


class PassageCall(Value):
    """A call of a tool that returned a passage as its own words, which the call is then context of.

    Attributes:
        tool: The tool.
        arguments: What it was called with.
    """

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)

    def __str__(self) -> str:
        """The call in one line, such as `weather(city: Tokyo)`."""
        said = ", ".join(f"{name}: {_in_words(value)}" for name, value in self.arguments.items())
        return f"{self.tool}({said})"


def _in_words(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_in_words(one)}" for name, one in value.items())
    return ", ".join(map(_in_words, value)) if isinstance(value, list) else "" if value is None else str(value)


class Publication(Value):
    """Bibliographic particulars of a scholarly work; empty where they are not known.

    Attributes:
        authors: Names as they are printed, in order.
        venue: Journal, conference or repository.
        doi: Its DOI, without an address before it.
    """

    authors: tuple[str, ...] = ()
    venue: str = ""
    doi: str = ""


class Evidence(Value):
    """A passage and where it came from.

    Attributes:
        id: `passage_id` of the text.
        text: The passage.
        source: URL, or file path, that leads a reader to it.
        title: Title of the page or document.
        locator: Place within the source, such as "lines 3-7" or "page 2"; empty if the source is the place.
        date: ISO date of publication, where known.
        tool: The tool that found it.
        task_ids: The tasks that found it.
        score: Relevance as the tool scored it; higher is better, comparable only within one tool.
        rank: Best position at which it was found, from 1.
        provider: Who found it for the tool, such as a search engine.
        strategy: How a search of documents found it: `keyword`, `vector` or `hybrid`; empty where none did.
        also: Further addresses of the same text.
        flags: What readers should beware of, such as `instructions`: it addresses the model.
        superseded_by: Source of a newer version of the same document; empty where none is known.
        calls: The calls that it is the whole reply to; none of what a search found, which has a source of its own.
        document: SHA-256 of the bytes of its document as they were read; empty where it is of none in an index.
        publication: Authors, venue and DOI where the source is a scholarly work.
        headings: The headings it stands under, outermost first, without the title.
        context: What else is known of it that its own words do not say, by name: `caption` of its table or figure; of a
            mail `sender`, `recipients`, `copied` and `sent`.
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
    also: tuple[_Address, ...] = Field((), exclude_if=not_)
    flags: tuple[str, ...] = Field((), exclude_if=not_)
    superseded_by: str = Field("", exclude_if=not_)
    calls: tuple[PassageCall, ...] = Field((), exclude_if=not_)
    document: str = Field("", exclude_if=not_)
    publication: Publication | None = Field(None, exclude_if=_is_none)
    headings: tuple[str, ...] = Field((), exclude_if=not_)
    context: dict[str, str] = Field(default_factory=dict, exclude_if=not_)

    @property
    def heading(self) -> str:
        """Title, headings, context and calls, joined: what stands above its text and tells of what it speaks."""
        above = (self.title, *self.headings, *self.context.values(), *map(str, self.calls))
        return "; ".join(dict.fromkeys(filter(None, above)))

    @property
    def superseded(self) -> bool:
        """Whether something later is known to stand above it: a newer version, or the mail that quotes it."""
        return bool(self.superseded_by or self.context.get("quoted"))

    def merged(self, other: "Evidence") -> "Evidence":
        """This passage with the other's origins added and the better score and rank kept.

        Calls are added where these returned the very same words.
        """
        return self.model_copy(
            update={
                "task_ids": tuple(dict.fromkeys((*self.task_ids, *other.task_ids))),
                "score": max(self.score, other.score),
                "rank": min(self.rank, other.rank),
                "also": tuple(a for a in dict.fromkeys((*self.also, other.source, *other.also)) if a != self.source),
                "flags": tuple(dict.fromkeys((*self.flags, *other.flags))),
                "calls": self._joined_calls(other),
            }
        )

    def _joined_calls(self, other: "Evidence") -> tuple[PassageCall, ...]:
        new = other.calls if other.id == self.id else ()
        return (*self.calls, *(call for call in new if call not in self.calls))


class Quote(Value):
    """Words that occur verbatim in a passage and carry a value.

    Attributes:
        evidence_id: The passage.
        text: The words.
    """

    evidence_id: str
    text: str


Cause = Literal["tool", "query", "source", "plan"]
"""Why a task came to nothing: its tool does not work; its query led to something else; the sources it found speak of
the thing and do not tell, or are gone; its arguments do not fit."""


class Failure(Value):
    """What went wrong with one task.

    Attributes:
        task_id: The task.
        kind: The kind, on which policies act.
        message: One line for people.
        cause: Why, as the monitor judges from what was found; None where it did not.
    """

    task_id: str
    kind: FailureKind
    message: str
    cause: Cause | None = Field(None, exclude_if=_is_none)


Weakness = Literal["implied", "doubted", "disputed"]
"""Why a value is no firm ground: its source does not state it, its reader was unsure, or other sources differ."""


class WeakValue(Value):
    """A value that is no firm ground.

    Attributes:
        task_id: The task.
        weakness: Why.
        carries: Whether other tasks build on it.
    """

    task_id: str
    weakness: Weakness
    carries: bool = False


class Inconsistency(Value):
    """Values that cannot all be right.

    Attributes:
        kind: `order`, an end before its beginning; `rivals`, two values for one thing. Threads of 0.1 may hold `span`,
            `units` and `sum`, which nothing finds any more.
        severity: Whether it is wrong for certain (`error`), or may be meant so (`warning`, of 0.1 alone).
        task_ids: The tasks whose values they are.
        items: Of 0.1 alone: for each of them the item whose value it is.
    """

    kind: Literal["order", "rivals", "span", "units", "sum"]
    severity: Literal["error", "warning"]
    task_ids: tuple[str, ...]
    items: tuple[str, ...] = Field((), exclude_if=not_)


class MonitorReport(Value):
    """What the master's monitor saw in an execution.

    Attributes:
        failures: Every irregularity, in plan order.
        finished: Ids of tasks that came to something: a value, or the correction of a false premise.
        answerable: Whether the plan's final tasks did.
        weak: Values that are no firm ground, in plan order.
        inconsistencies: Values that cannot all be right.
    """

    failures: tuple[Failure, ...] = ()
    finished: tuple[str, ...] = ()
    answerable: bool = False
    weak: tuple[WeakValue, ...] = ()
    inconsistencies: tuple[Inconsistency, ...] = ()


class Rival(Value):
    """A value that other sources give instead.

    Attributes:
        value: The value, of the outcome's type.
        evidence_ids: Passages that give it, best first.
        quotes: The words that carry it.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


class Hop(Value):
    """A value found on the way: what a chain of look-ups asked in between, and what that came to.

    Attributes:
        question: What was asked.
        value: The value, as text.
        evidence_ids: Passages that give it, best first.
        quotes: The words that carry it.
    """

    question: str
    value: str
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]


OutcomeStatus = Literal["succeeded", "empty", "failed", "blocked"]

Basis = Literal["stated", "implied"]
"""Whether the quoted words state a value, or it only follows from them."""


class AheadValue(Value):
    """A value read ahead: what the passages of one task told of a task that waits for it.

    Attributes:
        question: What the waiting task asks, its references filled; by this it knows its own.
        type: The type of the value.
        value: The value.
        evidence_ids: Passages that give it, best first.
        quotes: The words that carry it.
        confidence: 0 to 1.
        sentence: The value in a sentence, where it is told as it is.
    """

    question: str
    type: ValueType
    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]
    confidence: float
    sentence: str = ""


class PassageList(Value):
    """What a call of a tool found, as a digest by content, so that the same call made later shows what has changed.

    Attributes:
        tool: The tool.
        arguments: What it was called with.
        digest: Of the passages found, in any order, and of a value that came with them.
    """

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    digest: str


class OutcomeDetail(Value):
    """Particulars of a value; what does not apply to it has its default, and is left out of its data form.

    Attributes:
        computation: What the tool that worked the value out tells of it, such as `expression`, or `start`, `end`,
            `unit` and `earlier`; None of a value that was read.
        mechanism: The rule that read the value; "" where a model did.
        shown: The value as its passage writes it.
        label: What a record gives the value for: "Wren shuttle – weight".
        unit: The canonical unit of the value.
        approximate: Whether the passage gives the value as a rough one.
        items: Of a `for_each` task, the item that each value belongs to; None of any other.
        missing: Of a `for_each` task, the items without a value.
        set_by_person: Whether a person set the value.
        sentence: The answer to the user's question in one sentence, where the reader gave it with the value; where it
            gave up, what it says instead.
        hops: Of a chain of look-ups, what was found before the value, in order.
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
    """The work of a task: how it came to its value, or to none; defaults are left out of its data form.

    Attributes:
        cached: Whether the tool's reply came from the cache.
        limited: Of a `for_each` task, whether a limit of the run broke some of its items off.
        blocked_by: The task without a value that this one needs.
        gave_up: Whether the model that read saw nothing more worth trying, although it might have gone on, or went
            from look-up to look-up until its turns were used up.
        searches: Tools and queries that a task tried which came to nothing.
        unanswered: Why searches of a task that came to nothing were not answered, or not by all that were asked.
        opened: Pages and documents that were opened, or tried to be.
        unread: Those among them that could not be read.
        ahead: What its passages told of tasks that wait for it.
        found: What each of its calls found.
        asked: What a reader was asked that gave no value, by its words of content.
        seen: Passages that it was shown, the latest.
        kept: Those among them that it wanted to see again.
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


def _is_untraced(trace: TaskTrace) -> bool:
    """Whether nothing is known of the work of a task."""
    return trace == TaskTrace()


class Finding(Value):
    """One finding of an analysis.

    Attributes:
        text: What was found, a statement that stands on its own.
        evidence_ids: The passages it rests on.
    """

    text: str
    evidence_ids: tuple[str, ...]


_VALUE_ONLY_OF_SUCCESS: Final[dict[str, JsonValue]] = {
    "if": {"properties": {"status": {"not": {"const": "succeeded"}}}},
    "then": {"properties": {"value": {"type": "null"}}},
}


class Outcome(Value):
    """What a task came to.

    Attributes:
        task_id: The task.
        status: `succeeded`; `empty`, searched but not found; `failed`, the tool did not work;
            `blocked`, something upstream has no value.
        value: The typed value in its data form; None unless succeeded.
        type: The value's type.
        evidence_ids: Passages the value rests on, best first.
        quotes: The words that carry the value.
        tool: The tool that gave it, a substitute included.
        attempts: Tool calls made.
        seconds: Wall time of the work, waiting for upstream excluded.
        decided_by: Who read the value out of the passages.
        confidence: 0 to 1, as the reader saw it.
        detail: Particulars of the value.
        trace: How the task came to it, or to none.
        failure: What went wrong, unless succeeded.
        note: Something a reader should know, such as a list that was cut.
        support: Independent sources that give the value; 0 where they were not counted.
        rivals: What other sources give instead.
        basis: Whether its quotes state the value or imply it.
        premise: What the task takes for granted and its sources deny, in one line; the value is then the correction,
            a text. Empty where nothing was denied.
        digest: Digest of the value and its quotes as the executor stored them; empty where it stored none.
        findings: What its value is made of, each with its passages: of an analysis, and of a `for_each` task whose
            items were told in a sentence each.
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
    trace: TaskTrace = Field(default_factory=TaskTrace, exclude_if=_is_untraced)
    failure: Failure | None = None
    note: str = ""
    support: int = Field(0, ge=0, exclude_if=not_)
    rivals: tuple[Rival, ...] = Field((), exclude_if=not_)
    basis: Basis = Field("stated", exclude_if=_is_stated)
    premise: str = Field("", exclude_if=not_)
    digest: str = Field("", exclude_if=not_)
    findings: tuple[Finding, ...] = Field((), exclude_if=not_)

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_form(cls, given: Any) -> Any:
        """Read threads saved before the trace stood apart from the detail; 0.1 also noted the tools that were slow."""
        detail = given.get("detail") if isinstance(given, dict) else None
        if not isinstance(detail, dict):
            return given
        moved = {key: value for key, value in detail.items() if key in TaskTrace.model_fields}
        left = {key: value for key, value in detail.items() if key not in moved and key != "slow"}
        return {**given, "detail": left, **({"trace": moved} if moved else {})}

    def seal(self) -> Self:
        """Return the outcome with the digest of its value and quotes, by which a later edit is seen."""
        quotes = [[quote.evidence_id, quote.text] for quote in self.quotes]
        held = json.dumps([self.value, quotes], sort_keys=True, ensure_ascii=False)
        return self.model_copy(update={"digest": hashlib.sha256(held.encode()).hexdigest()[:16]})

    @property
    def usable(self) -> bool:
        """Whether another task can build on it."""
        return self.status == "succeeded" and not self.premise

    @property
    def answers(self) -> bool:
        """Whether it says something about what was asked: a value, or the correction of a false premise."""
        return self.status == "succeeded"

    @property
    def computed(self) -> bool:
        """Whether a tool worked the value out, rather than a reader finding it in a passage."""
        return self.detail.computation is not None
