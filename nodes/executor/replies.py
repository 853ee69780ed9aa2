"""Reply schemas for a model reading passages or analysing findings.

`prompt` explains each field to the model.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AliasChoices, BeforeValidator, Field, WithJsonSchema, model_validator

from weiwo.nodes.executor.prompt import ZERO_TO_ONE
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply, Share
from weiwo.state.evidence import Basis

Scalar = str | int | float | bool
_ONE: Final = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
ReadValue = Annotated[
    Scalar | list[Scalar], WithJsonSchema({"anyOf": [*_ONE, {"type": "array", "items": {"anyOf": _ONE}}]})
]


class QuoteRef(Reply):
    """Words copied from a numbered passage."""

    bounds: ClassVar[Mapping[str, int]] = {"text": 1000}

    passage: Ordinal = Field(0, validation_alias=AliasChoices("passage", "n", "number", "passage_id"))
    text: str = Field(validation_alias=AliasChoices("text", "quote", "words"))


def _quotes(value: Any) -> Any:
    """Return quotes with bare texts turned into objects: "a" into {"passage": 0, "text": "a"}. Else unchanged."""
    if not isinstance(value, list):
        return value
    return [{"passage": 0, "text": quote} if isinstance(quote, str) else quote for quote in value]


Quotes = Annotated[list[QuoteRef], BeforeValidator(_quotes)]


_IMPLIED = re.compile(r"(?:not |un)stated|impl|infer|deduc|deriv|indirect|推|暗|隐", re.IGNORECASE)


def _read_basis(value: Any) -> Any:
    """Return "implied" for a model's word like "inferred" or "not stated", else "stated"."""
    return "implied" if isinstance(value, str) and _IMPLIED.match(value.strip()) else "stated"


class HopReply(Reply):
    """Intermediate value of a chain or comparison, as given by a model.

    Attributes:
        question: What the value answers.
        value: The value.
        quotes: The quotes that have it.
    """

    bounds: ClassVar[Mapping[str, int]] = {"quotes": 4}

    question: Line
    value: Annotated[Scalar, WithJsonSchema({"type": "string"})]
    quotes: Quotes = Field(default_factory=list)


class ValueAnswer(Reply):
    """Value with supporting quotes, without a next move."""

    bounds: ClassVar[Mapping[str, int]] = {"value": 1000, "quotes": 6, "sentence": 800}

    quotes: Quotes
    value: ReadValue
    confidence: Share = 0.5
    basis: Annotated[Basis, BeforeValidator(_read_basis)] = "stated"
    sentence: Line = ""


class AheadAnswer(ValueAnswer):
    """Value that a model gives for a task that waits for the one it reads.

    Attributes:
        task: Id of the waiting task.
        item: The item, if the task runs for each item of a list. Else empty.
    """

    task: Line
    item: Line = ""


class RivalValue(Reply):
    """Different value that other passages give."""

    value: Annotated[Scalar | list[Scalar], WithJsonSchema({"type": "string"})]
    quotes: Quotes = Field(default_factory=list)


def _move(value: Any) -> Any:
    """Return a model's other name for a step as the usual one: "Wrong premise" as "premise_wrong". Else unchanged."""
    return _MOVES.get(re.sub(r"[\W_]+", "_", value.strip().lower()), value) if isinstance(value, str) else value


Move = Literal["answer", "search", "open", "premise_wrong", "give_up"]
"""Next step of a task, as chosen by the model. "premise_wrong" corrects what the question assumes."""

_MOVES = dict.fromkeys(
    ("wrong_premise", "false_premise", "premise_false", "correct", "correction", "correct_premise"), "premise_wrong"
)


class ReadReply(Reply):
    """Model's reply about the passages: quotes, value and the next step, with the data that the step needs.

    `prompt.SYSTEM` explains each field.
    """

    bounds: ClassVar[Mapping[str, int]] = {
        "value": 1000,
        "quotes": 8,
        "others": 6,
        "sentence": 800,
        "queries": 6,
        "keep": 20,
    }

    sparse: ClassVar[bool] = True
    thinks: ClassVar[Sequence[str]] = ("quotes", "sentence", "value", "next")

    quotes: Quotes = Field(default_factory=list)
    sentence: Line = ""
    value: ReadValue | None = None
    next: Annotated[Move, BeforeValidator(_move)]
    confidence: Share = Field(0.5, description=ZERO_TO_ONE)
    basis: Annotated[Basis, BeforeValidator(_read_basis)] = "stated"
    others: list[RivalValue] = Field(default_factory=list)
    missing: Line = ""
    queries: list[str] = Field(default_factory=list)
    passage: Ordinal = Field(0, validation_alias=AliasChoices("passage", "open"))
    keep: list[Ordinal] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _one_query(cls, data: Any) -> Any:
        """Accept `query`, as some models write, by putting it before the `queries`."""
        if not isinstance(data, dict) or not data.get("query"):
            return data
        named = (data["query"], data.get("queries") or [])
        return {**data, "queries": [query for item in named for query in (item if isinstance(item, list) else [item])]}

    @property
    def found_on_the_way(self) -> Sequence[HopReply]:
        """Intermediate values. Empty unless the task has several look-ups."""
        return ()

    @property
    def all_queries(self) -> tuple[str, ...]:
        """The queries of a `search` move, each once."""
        lines = (line.strip() for line in self.queries)
        return tuple(dict.fromkeys(line for line in lines if line))


class HopReadReply(ReadReply):
    """Reply about the passages of a task with several look-ups."""

    requested_as: ClassVar[str] = "ReadReply"
    tokens: ClassVar[int] = 1_000

    hops: list[HopReply] = Field(default_factory=list)

    @property
    def found_on_the_way(self) -> Sequence[HopReply]:
        """Intermediate values of the reply."""
        return self.hops


class AheadReadReply(ReadReply):
    """Reply about the passages of a task for which other tasks wait."""

    requested_as: ClassVar[str] = "ReadReply"
    bounds: ClassVar[Mapping[str, int]] = {**ReadReply.bounds, "ahead": 40}
    tokens: ClassVar[int] = 3_000

    ahead: list[AheadAnswer] = Field(default_factory=list)


class AheadHopReadReply(HopReadReply, AheadReadReply):
    """Reply about the passages of a task with several look-ups, for which other tasks wait."""

    bounds: ClassVar[Mapping[str, int]] = AheadReadReply.bounds
    tokens: ClassVar[int] = AheadReadReply.tokens


class _BatchAnswer(ValueAnswer):
    """Answer of a single task in a batch."""

    task: Ordinal


class BatchReadReply(Reply):
    """Answers of several tasks. A task that the passages do not answer is left out."""

    sparse: ClassVar[bool] = True
    tokens: ClassVar[int] = 2_500

    answers: list[_BatchAnswer] = Field(default_factory=list)


class FindingReply(Reply):
    """Finding of an analysis."""

    bounds: ClassVar[Mapping[str, int]] = {"text": 1000}

    text: Line
    passages: list[Ordinal] = Field(default_factory=list)


class AnalysisReply(Reply):
    """Result of an analysis."""

    bounds: ClassVar[Mapping[str, int]] = {"missing": 800}
    tokens: ClassVar[int] = 2000

    findings: list[FindingReply]
    missing: Line = ""
    confidence: Share = 0.8
