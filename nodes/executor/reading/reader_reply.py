"""What a model makes of a task's passages: its reply, what can be wrong with it, and what it comes to.

Numbers in a reply are those of the passages as they were shown. Quotes are looked for in the whole passages behind
them: a value none of whose quotes can be found is not believed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AliasChoices, BeforeValidator, Field, WithJsonSchema, model_validator

from weiwo.nodes.executor.reading.compared_values import COMPARED, find_other_winner
from weiwo.nodes.executor.reading.entity_check import find_unmentioned_name
from weiwo.nodes.executor.reading.quotes import find_paraphrase, locate_quote
from weiwo.nodes.shared.prompting.input_guard import find_rejection, normalize_line, safe_note
from weiwo.nodes.shared.prompting.reply_types import Line, Ordinal, Reply, Share
from weiwo.state import Evidence, Hop, JsonValue, Quote, Rival, ValueType
from weiwo.state.evidence import Basis
from weiwo.state.query import QueryFrame
from weiwo.text.values import coerce

TYPE_HINTS: dict[ValueType, str] = {
    "text": "text: the shortest exact answer, such as a name; for an open question one or two sentences",
    "number": "number: digits only, in the unit the task asks for, else in that of the passage",
    "date": 'date: "YYYY", "YYYY-MM" or "YYYY-MM-DD"; years BC are negative, such as "-156"; of an approximate \
date the year',
    "boolean": "boolean: true or false",
    "list[text]": "list of short texts",
    "list[number]": "list of numbers",
    "list[date]": 'list of dates ("YYYY", "YYYY-MM-DD"; BC negative)',
    "list[boolean]": "list of true/false",
    "passages": "text: a summary of what the passages say on the task",
}


MOST_HOPS = 6
"""Values found on the way that are kept of a chain."""

Scalar = str | int | float | bool
_ONE: Final = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]
ReadValue = Annotated[
    Scalar | list[Scalar], WithJsonSchema({"anyOf": [*_ONE, {"type": "array", "items": {"anyOf": _ONE}}]})
]


class QuoteRef(Reply):
    """Words copied from a numbered passage."""

    passage: Ordinal = Field(0, validation_alias=AliasChoices("passage", "n", "number", "passage_id"))
    text: str = Field(validation_alias=AliasChoices("text", "quote", "words"))


def _quotes(value: Any) -> Any:
    """Quotes of which some are but the words, from whichever passage."""
    if not isinstance(value, list):
        return value
    return [{"passage": 0, "text": quote} if isinstance(quote, str) else quote for quote in value]


Quotes = Annotated[list[QuoteRef], BeforeValidator(_quotes)]


_IMPLIED = re.compile(r"(?:not |un)stated|impl|infer|deduc|deriv|indirect|推|暗|隐", re.IGNORECASE)


def read_basis(value: Any) -> Any:
    """Whether a value is stated, as models say it."""
    return "implied" if isinstance(value, str) and _IMPLIED.match(value.strip()) else "stated"


class HopReply(Reply):
    """A value found on the way to the one that is wanted."""

    question: Line
    value: Annotated[Scalar, WithJsonSchema({"type": "string"})]
    quotes: Quotes = Field(default_factory=list)


class ValueAnswer(Reply):
    """A value with the words that carry it, where that is all that is wanted."""

    value: ReadValue
    quotes: Quotes
    confidence: Share = 0.5
    basis: Annotated[Basis, BeforeValidator(read_basis)] = "stated"
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
    """What a model makes of the passages: the next move, and the fields it needs (the prompt says which)."""

    sparse: ClassVar[bool] = True

    next: Annotated[Move, BeforeValidator(_move)]
    value: ReadValue | None = None
    quotes: Quotes = Field(default_factory=list)
    confidence: Share = Field(0.5, description="0 to 1")
    basis: Annotated[Basis, BeforeValidator(read_basis)] = "stated"
    others: list[RivalValue] = Field(default_factory=list)
    sentence: Line = ""
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

    hops: list[HopReply] = Field(default_factory=list)

    @property
    def found_on_the_way(self) -> Sequence[HopReply]:
        """Values on the way."""
        return self.hops


class AheadReadReply(ReadReply):
    """The same of a task for which others wait."""

    requested_as: ClassVar[str] = "ReadReply"

    ahead: list[AheadAnswer] = Field(default_factory=list)


@dataclass(frozen=True)
class ShownPassages:
    """Passages a model was shown, and what it was asked; its replies are checked against them.

    Attributes:
        frame: The task, its references filled.
        ret: The wanted type.
        passages: The passages it was shown, whole, in the order of their numbers.
        known: All that the task found, those it was shown in earlier turns among them.
        hops: Of a task that takes several look-ups, what earlier turns found on the way.
    """

    frame: QueryFrame
    ret: ValueType
    passages: Sequence[Evidence]
    known: Sequence[Evidence] = ()
    hops: Sequence[Hop] = ()

    def read_value(self, reply: ReadReply) -> JsonValue:
        """The value of a reply in the wanted type; of a correction, its words.

        Raises:
            ValueError: It cannot be read as that.
        """
        if reply.value is None:
            return None
        return str(coerce(reply.value, "text")) if reply.next == "premise_wrong" else self._coerced(reply.value)

    def locate_quotes(self, reply: ReadReply) -> list[Quote]:
        """The quotes of a reply that occur in the passages."""
        return self._located(reply.quotes, self.read_value(reply), self.value_type(reply))

    def value_type(self, reply: ReadReply) -> ValueType:
        """The type of a reply's value: the wanted one, or text, of a correction."""
        return "text" if reply.next == "premise_wrong" else self.ret

    def find_unmentioned_name(self, quotes: Iterable[Quote], value: object) -> str | None:
        """The name the task asks about, if no quoted passage has it nor any value on the way there."""
        cited = {quote.evidence_id for quote in quotes}
        if self._side_by_side:
            cited.update(key for hop in self.hops for key in hop.evidence_ids)
        everything = (*self.passages, *self.known)
        asked = " ".join((self.frame.question, *(hop.value for hop in self.hops)))
        return find_unmentioned_name(asked, [p for p in everything if p.id in cited], everything, str(value))

    def after_hops(self, reply: ReadReply) -> "ShownPassages":
        """The same, with the values that a reply found on the way added, each once; those without a quote are none."""
        known = {self._identity(hop) for hop in self.hops}
        hops = list(self.hops)
        for said in reply.found_on_the_way[:MOST_HOPS]:
            value, question = normalize_line(str(said.value)), safe_note(said.question)
            quotes = self._located(said.quotes, value, "text")
            if not quotes or not value or find_rejection(value, "text"):
                continue
            ids = tuple(dict.fromkeys(quote.evidence_id for quote in quotes))
            hop = Hop(question=question, value=value, evidence_ids=ids, quotes=tuple(quotes))
            if self._identity(hop) not in known:
                known.add(self._identity(hop))
                hops.append(hop)
        return replace(self, hops=tuple(hops[:MOST_HOPS]))

    @property
    def _side_by_side(self) -> bool:
        """Whether the look-ups are those of a comparison: each is of a thing that the task names."""
        return self.frame.shape in COMPARED

    def _identity(self, hop: Hop) -> tuple[object, ...]:
        """What tells a value on the way from another; two things that are compared may have the same."""
        return (hop.value.casefold(), hop.evidence_ids if self._side_by_side else ())

    def list_rivals(self, reply: ReadReply) -> list[Rival]:
        """The other values of a reply that are of the wanted type and have a quote that occurs."""
        found = []
        for other in reply.others:
            try:
                value = self._coerced(other.value)
            except ValueError:
                continue
            quotes = self._located(other.quotes, value, self.ret)
            ids = tuple(dict.fromkeys(quote.evidence_id for quote in quotes))
            if quotes and value != self.read_value(reply) and find_rejection(value, self.ret) is None:
                found.append(Rival(value=value, evidence_ids=ids, quotes=tuple(quotes)))
        return found

    def opened_passage(self, reply: ReadReply) -> Evidence | None:
        """The passage whose page or document a reply wants to open."""
        return self.passages[reply.passage - 1] if 0 < reply.passage <= len(self.passages) else None

    def kept_passages(self, reply: ReadReply) -> tuple[str, ...]:
        """Ids of the passages that a reply wants to see again."""
        return tuple(self.passages[n - 1].id for n in dict.fromkeys(reply.keep) if 0 < n <= len(self.passages))

    def find_objection(self, reply: ReadReply, *, strangers: bool) -> str | None:
        """Why a reply cannot be used, in words for the model; None if it can.

        `strangers`: whether to object to quotes about something else than the task names.

        Raises:
            ValueError: Its value is not of the wanted type.
        """
        if reply.next == "search" and not reply.all_queries:
            return 'next is "search" but queries is empty'
        if reply.next == "open" and self.opened_passage(reply) is None:
            return f'next is "open" but passage is {reply.passage}; there are passages 1 to {len(self.passages)}'
        if reply.next not in {"answer", "premise_wrong"}:
            return None
        if reply.value is None:
            return f'next is "{reply.next}" but value is missing'
        if (why := find_rejection(self.read_value(reply), self.value_type(reply))) is not None:
            return why
        return self._find_conclusion_fault(reply) or self._find_quote_fault(reply, strangers=strangers)

    def _find_conclusion_fault(self, reply: ReadReply) -> str | None:
        """What is wrong with what a comparison is said to come to, as far as code can compare."""
        other = find_other_winner(self.frame, self.hops, reply.value) if self._side_by_side else None
        return f"by the values found it is {other}; compare them again" if other else None

    def _find_quote_fault(self, reply: ReadReply, *, strangers: bool) -> str | None:
        """What is wrong with the quotes of an answer; what is compared may rest on those of the values on the way."""
        quotes = self.locate_quotes(reply)
        if not quotes and not (self._side_by_side and self.hops):
            return "none of the quotes occurs verbatim in the passage it names; copy the words exactly"
        if strangers and (stranger := self.find_unmentioned_name(quotes, reply.value)):
            return f"the quoted passage does not speak of {stranger}; quote one that does, else search or give up"
        return None

    def _coerced(self, value: ReadValue) -> JsonValue:
        return [str(value)] if self.ret == "passages" else coerce(value, self.ret)

    def _located(self, quotes: Iterable[QuoteRef], value: JsonValue, type_: ValueType) -> list[Quote]:
        """The quotes that occur in the passages they name (or, misnumbered, in another), in the passage's own spelling.

        For one that occurs in none, the sentence it paraphrases is taken, if that holds the value.
        """
        found = []
        for ref in quotes:
            named = self.passages[ref.passage - 1 : ref.passage] if ref.passage > 0 else []
            places = (*named, *self.passages, *self.known)
            spans = ((passage, locate_quote(ref.text, passage.text)) for passage in places)
            told = (
                (passage, find_paraphrase(ref.text, passage.text, value, type_)) for passage in (named or self.passages)
            )
            for passage, span in (*spans, *told):
                if span:
                    found.append(Quote(evidence_id=passage.id, text=passage.text[span[0] : span[1]]))
                    break
        return found
