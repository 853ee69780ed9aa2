"""Reading inside a task: from passages to a typed value with the words that carry it, or what is missing.

With a model, one structured judgement says the value, quotes, confidence, what is missing and the
next move (the searcher of MindSearch, arXiv 2407.20183). Quotes are located in the passages by code: a value
none of whose quotes can be found is not believed. Without a model the extraction rules read.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from models.gateway import ChatModels, ModelFailed
from nodes.passages import DATA_RULE, passage_block
from nodes.quotes import locate, paraphrased
from nodes.replies import Line, Ordinal, Reply, Share
from nodes.rules.read import Reading
from nodes.rules.read import read as read_by_rule
from nodes.services import today
from nodes.strangers import unspoken_of
from state import DecidedBy, Evidence, JsonValue, Language, Quote, ValueType
from text.values import coerce

SYSTEM = f"""You are the Executor of a search system. One task of a larger plan has searched; you read what it found.
{DATA_RULE}
Decide the next move:
- "answer": the passages answer the task. Give `value` in the wanted type and one to three `quotes`: the number of the \
passage and words copied from it exactly, character for character, that carry the value. The value may be \
filled into the queries of other tasks: give a bare name, date or number.
- "search": they don't, and another query may find it. Give `query`: a few keywords unlike the ones tried.
- "open": one passage looks like the right document but is cut off. Give its number in `open`.
- "give_up": they don't, and nothing more is worth trying.
Use only the passages, never your own memory. If passages contradict each other, take the better supported value \
and say so in `missing`. Beware of namesakes: the passage must speak of the very subject asked about.
Write `missing` in the language of the task."""

TYPE_HINTS: dict[ValueType, str] = {
    "text": "text: the shortest exact answer, such as a name; for an open question one or two sentences",
    "number": "number: digits only, in the unit the task asks for",
    "date": 'date: "YYYY", "YYYY-MM" or "YYYY-MM-DD"; years BC are negative, such as "-156"; of an approximate \
date give the year and say "about" in `missing`',
    "boolean": "boolean: true or false",
    "list[text]": "list of short texts",
    "list[number]": "list of numbers",
    "list[date]": 'list of dates ("YYYY", "YYYY-MM-DD"; BC negative)',
    "list[boolean]": "list of true/false",
    "passages": "text: a summary of what the passages say on the task",
}


Scalar = str | int | float | bool
ReadValue = Scalar | list[Scalar]

STRANGER_CONFIDENCE = 0.5
"""The most that is held of a value whose passage does not name what the task asks about."""

_DOUBT: dict[Language, str] = {"en": "the passage does not name {}", "zh": "所引段落没有提到{}"}


class QuoteRef(Reply):
    """Words copied from a numbered passage."""

    passage: Ordinal = Field(
        0, description="Number of the passage.", validation_alias=AliasChoices("passage", "n", "number", "passage_id")
    )
    text: str = Field(
        description="Words copied from it exactly.", validation_alias=AliasChoices("text", "quote", "words")
    )


def _quotes(value: Any) -> Any:
    """Quotes of which some are but the words, from whichever passage."""
    if not isinstance(value, list):
        return value
    return [{"passage": 0, "text": quote} if isinstance(quote, str) else quote for quote in value]


class ReadReply(Reply):
    """What a model makes of the passages."""

    next: Literal["answer", "search", "open", "give_up"]
    value: ReadValue | None = Field(None, description="The answer, in the wanted type.")
    quotes: Annotated[list[QuoteRef], BeforeValidator(_quotes)] = Field(default_factory=list)
    confidence: Share = Field(0.5, description="0 to 1.")
    missing: Line = Field("", description="What is still not known, in one line.")
    query: Line = Field("", description="The next query, if next is search.")
    open: Ordinal = Field(0, description="Number of the passage whose document to open, if next is open.")


class Judgement(BaseModel):
    """What reading came to: a reading, who made it, and the move that follows.

    Attributes:
        reading: The value, or None with what is missing.
        decided_by: A model or the rules.
        move: What to do next where there is no value.
        query: The query of a `search` move.
        source: The document of an `open` move.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)
    reading: Reading
    decided_by: DecidedBy
    move: Literal["answer", "search", "open", "give_up"]
    query: str = ""
    source: str = ""


@dataclass(frozen=True)
class Progress:
    """How far a task has come.

    Attributes:
        whole: The user's question that the task serves.
        tried: Queries already sent.
        turns_left: How often the task may search or open yet.
        nothing_new: Whether the last query brought no passage that was not known.
    """

    whole: str
    tried: Sequence[str]
    turns_left: int
    nothing_new: bool = False

    def told(self) -> str:
        """The turns left, in words for the model."""
        if self.turns_left <= 0:
            turns = "This is the last turn: answer or give up."
        else:
            turns = f"You may search or open {'once' if self.turns_left == 1 else f'{self.turns_left} times'} more."
        return f"The last query brought nothing new. {turns}" if self.nothing_new and len(self.tried) > 1 else turns


async def judge(
    question: str,
    ret: ValueType,
    passages: Sequence[Evidence],
    language: Language,
    models: ChatModels,
    progress: Progress,
) -> Judgement:
    """Read passages for one task.

    Args:
        question: The task, its references filled.
        ret: The wanted type.
        passages: What was found so far, best first.
        language: The question's language.
        models: The chat models; the executor's is asked if there is one.
        progress: How far the task has come.
    """
    unreadable: list[str] = []
    if passages and models.configured("executor"):
        try:
            return await _by_model(question, ret, passages, language, models, progress, unreadable=unreadable)
        except ModelFailed:
            pass  # the call is in the trace with its error; the rules read instead
    reading = await asyncio.to_thread(read_by_rule, question, ret, passages, language)
    if reading.value is None and unreadable:
        reading = replace(reading, missing=unreadable[-1])  # what was said says more than "nothing found"
    return Judgement(reading=reading, decided_by="rule", move="give_up" if reading.value is None else "answer")


async def _by_model(
    question: str,
    ret: ValueType,
    passages: Sequence[Evidence],
    language: Language,
    models: ChatModels,
    progress: Progress,
    *,
    unreadable: list[str],
) -> Judgement:
    """The model's judgement; a value it gave that cannot be read as the wanted type is told in `unreadable`."""
    queries = "; ".join(query for query in progress.tried if query)
    prompt = (
        f"Today: {today()}\nQuestion of the user: {progress.whole}\nTask: {question}\nWanted: {TYPE_HINTS[ret]}\n"
        f"Queries tried: {queries or 'none'}\n{progress.told()}\n\n{passage_block(passages)}"
    )
    objected = False

    def check(reply: ReadReply) -> str | None:
        nonlocal objected
        try:
            objection = _objection(reply, question, ret, passages, strangers=not objected)
        except ValueError as error:
            unreadable.append(str(error))
            objection = f"value: {error}; wanted: {TYPE_HINTS[ret]}"
        objected = objected or objection is not None
        return objection

    messages = [SystemMessage(SYSTEM), HumanMessage(prompt)]
    reply = await models.structured("executor", "read", messages, ReadReply, check=check)
    if reply.next == "answer" and reply.value is not None:
        value = _coerced(reply.value, ret)
        quotes = _located(reply, passages, value, ret)
        stranger = unspoken_of(question, _quoted(quotes, passages))
        doubt = _DOUBT[language].format(stranger) if stranger else ""
        reading = Reading(
            value=value,
            evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
            quotes=tuple(quotes),
            confidence=min(STRANGER_CONFIDENCE if stranger else 1.0, max(0.0, reply.confidence)),
            detail={},
            missing="; ".join(words for words in (doubt, reply.missing) if words),
        )
        return Judgement(reading=reading, decided_by="model", move="answer")
    nothing = Reading(value=None, evidence_ids=(), quotes=(), confidence=0.0, detail={}, missing=reply.missing)
    source = passages[reply.open - 1].source if reply.next == "open" and 0 < reply.open <= len(passages) else ""
    move = "give_up" if reply.next == "answer" else reply.next
    return Judgement(reading=nothing, decided_by="model", move=move, query=reply.query.strip(), source=source)


def _objection(
    reply: ReadReply, question: str, ret: ValueType, passages: Sequence[Evidence], *, strangers: bool
) -> str | None:
    """Why a reply cannot be used, in words for the model; None if it can. ValueError: its value is not of the type.

    Args:
        reply: What the model said.
        question: The task, its references filled.
        ret: The wanted type.
        passages: What it has read.
        strangers: Whether to object to quotes about something else than the task names.
    """
    if reply.next == "search" and not reply.query.strip():
        return 'next is "search" but query is empty'
    if reply.next == "open" and not 0 < reply.open <= len(passages):
        return f'next is "open" but open is {reply.open}; there are passages 1 to {len(passages)}'
    if reply.next != "answer":
        return None
    if reply.value is None:
        return 'next is "answer" but value is missing'
    value = _coerced(reply.value, ret)
    quotes = _located(reply, passages, value, ret)
    if not quotes:
        return "none of the quotes occurs verbatim in the passage it names; copy the words exactly"
    stranger = unspoken_of(question, _quoted(quotes, passages)) if strangers else None
    if stranger:
        return f"the quoted passage does not speak of {stranger}; quote one that does, else search or give up"
    return None


def _quoted(quotes: Sequence[Quote], passages: Sequence[Evidence]) -> list[Evidence]:
    cited = {quote.evidence_id for quote in quotes}
    return [passage for passage in passages if passage.id in cited]


def _coerced(value: ReadValue, ret: ValueType) -> JsonValue:
    if ret == "passages":
        return [str(value)]
    return coerce(value, ret)


def _located(reply: ReadReply, passages: Sequence[Evidence], value: JsonValue, ret: ValueType) -> list[Quote]:
    """The quotes that occur in the passages they name (or, misnumbered, in another), in the passage's own spelling.

    For one that occurs in none, the sentence it paraphrases is taken, if that holds the value.
    """
    found = []
    for ref in reply.quotes:
        named = passages[ref.passage - 1 : ref.passage] if ref.passage > 0 else []
        places = (*named, *passages)
        spans = ((passage, locate(ref.text, passage.text)) for passage in places)
        told = ((passage, paraphrased(ref.text, passage.text, value, ret)) for passage in (named or passages))
        for passage, span in (*spans, *told):
            if span:
                found.append(Quote(evidence_id=passage.id, text=passage.text[span[0] : span[1]]))
                break
    return found
