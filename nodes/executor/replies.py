"""What a model replies with when it reads passages or analyses findings; `prompt` tells it what each field holds."""

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
    """Quotes of which some are but the words, from whichever passage."""
    if not isinstance(value, list):
        return value
    return [{"passage": 0, "text": quote} if isinstance(quote, str) else quote for quote in value]


Quotes = Annotated[list[QuoteRef], BeforeValidator(_quotes)]


_IMPLIED = re.compile(r"(?:not |un)stated|impl|infer|deduc|deriv|indirect|推|暗|隐", re.IGNORECASE)


def _read_basis(value: Any) -> Any:
    """Whether a value is stated, as models say it."""
    return "implied" if isinstance(value, str) and _IMPLIED.match(value.strip()) else "stated"


class HopReply(Reply):
    """A value found on the way to the one that is wanted."""

    bounds: ClassVar[Mapping[str, int]] = {"quotes": 4}

    question: Line
    value: Annotated[Scalar, WithJsonSchema({"type": "string"})]
    quotes: Quotes = Field(default_factory=list)


class ValueAnswer(Reply):
    """A value with the words that carry it, where that is all that is wanted."""

    bounds: ClassVar[Mapping[str, int]] = {"value": 1000, "quotes": 6, "sentence": 800}

    quotes: Quotes
    value: ReadValue
    confidence: Share = 0.5
    basis: Annotated[Basis, BeforeValidator(_read_basis)] = "stated"
    sentence: Line = ""


class AheadAnswer(ValueAnswer):
    """The value of a task that waits, of one item where it runs for each."""

    task: Line
    item: Line = ""


class RivalValue(Reply):
    """Another value that other passages give."""

    value: Annotated[Scalar | list[Scalar], WithJsonSchema({"type": "string"})]
    quotes: Quotes = Field(default_factory=list)


def _move(value: Any) -> Any:
    """A move by one of its other names."""
    return _MOVES.get(re.sub(r"[\W_]+", "_", value.strip().lower()), value) if isinstance(value, str) else value


Move = Literal["answer", "search", "open", "premise_wrong", "give_up"]
"""What a task does next."""

_MOVES = dict.fromkeys(
    ("wrong_premise", "false_premise", "premise_false", "correct", "correction", "correct_premise"), "premise_wrong"
)


class ReadReply(Reply):
    """What a model makes of the passages: what it saw, what follows, the next move, and what that move needs."""

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
        """One `query`, as models call it, is the first of the queries."""
        if not isinstance(data, dict) or not data.get("query"):
            return data
        named = (data["query"], data.get("queries") or [])
        return {**data, "queries": [query for one in named for query in (one if isinstance(one, list) else [one])]}

    @property
    def found_on_the_way(self) -> Sequence[HopReply]:
        """Values on the way, of a task that has such."""
        return ()

    @property
    def all_queries(self) -> tuple[str, ...]:
        """The queries of a `search` move, each once."""
        lines = (line.strip() for line in self.queries)
        return tuple(dict.fromkeys(line for line in lines if line))


class HopReadReply(ReadReply):
    """The same of a task that takes several look-ups."""

    requested_as: ClassVar[str] = "ReadReply"
    tokens: ClassVar[int] = 1_000

    hops: list[HopReply] = Field(default_factory=list)

    @property
    def found_on_the_way(self) -> Sequence[HopReply]:
        """Values on the way."""
        return self.hops


class AheadReadReply(ReadReply):
    """The same of a task for which others wait."""

    requested_as: ClassVar[str] = "ReadReply"
    bounds: ClassVar[Mapping[str, int]] = {**ReadReply.bounds, "ahead": 40}
    tokens: ClassVar[int] = 3_000

    ahead: list[AheadAnswer] = Field(default_factory=list)


class _BatchAnswer(ValueAnswer):
    """The answer of one task."""

    task: Ordinal


class BatchReadReply(Reply):
    """The answers of several tasks; one whose passages do not answer it has none."""

    sparse: ClassVar[bool] = True
    tokens: ClassVar[int] = 2_500

    answers: list[_BatchAnswer] = Field(default_factory=list)


class FindingReply(Reply):
    """One finding of an analysis."""

    bounds: ClassVar[Mapping[str, int]] = {"text": 1000}

    text: Line
    passages: list[Ordinal] = Field(default_factory=list)


class AnalysisReply(Reply):
    """What an analysis comes to."""

    bounds: ClassVar[Mapping[str, int]] = {"missing": 800}
    tokens: ClassVar[int] = 2000

    findings: list[FindingReply]
    missing: Line = ""
    confidence: Share = 0.8
