"""Reading inside a task: from passages to a typed value with the words that carry it, or what is missing.

With a model, one structured judgement says the value, quotes, confidence, what is missing and the
next move (the searcher of MindSearch, arXiv 2407.20183). Quotes are located in the passages by code: a value
none of whose quotes can be found is not believed. Without a model the extraction rules read.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Literal

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field

from models.gateway import ChatModels, ModelFailed
from nodes.passages import DATA_RULE, passage_block
from nodes.replies import Reply
from nodes.rules.read import Reading
from nodes.rules.read import read as read_by_rule
from nodes.services import today
from state import DecidedBy, Evidence, JsonValue, Language, Quote, ValueType
from text.language import HAN
from text.values import coerce

SYSTEM = f"""You are the Executor of a search system. One task of a larger plan has searched; you read what it found.
{DATA_RULE}
Decide the next move:
- "answer": the passages answer the task. Give `value` in the wanted type and one to three `quotes`: the number of the \
passage and words copied from it exactly, character for character, that carry the value.
- "search": they don't, and another query may find it. Give `query`: a few keywords unlike the ones tried.
- "open": one passage looks like the right document but is cut off. Give its number in `open`.
- "give_up": they don't, and nothing more is worth trying.
Use only the passages, never your own memory. If passages contradict each other, take the better supported value \
and say so in `missing`. Beware of namesakes: the passage must speak of the very subject asked about."""

TYPE_HINTS: dict[ValueType, str] = {
    "text": "text: the shortest exact answer, such as a name; for an open question one or two sentences",
    "number": "number: digits only, in the unit the task asks for",
    "date": 'date: "YYYY", "YYYY-MM" or "YYYY-MM-DD"; years BC are negative, such as "-156"',
    "boolean": "boolean: true or false",
    "list[text]": "list of short texts",
    "list[number]": "list of numbers",
    "list[date]": 'list of dates ("YYYY", "YYYY-MM-DD"; BC negative)',
    "list[boolean]": "list of true/false",
    "passages": "text: a summary of what the passages say on the task",
}


Scalar = str | int | float | bool
ReadValue = Scalar | list[Scalar]

MAX_QUOTE_WORDS = 400
"""Words of a quote that are looked for."""


class QuoteRef(Reply):
    """Words copied from a numbered passage."""

    passage: int = Field(description="Number of the passage.")
    text: str = Field(description="Words copied from it exactly.")


class ReadReply(Reply):
    """What a model makes of the passages."""

    next: Literal["answer", "search", "open", "give_up"]
    value: ReadValue | None = Field(None, description="The answer, in the wanted type.")
    quotes: list[QuoteRef] = Field(default_factory=list)
    confidence: float = Field(0.5, description="0 to 1.")
    missing: str = Field("", description="What is still not known, in one line.")
    query: str = Field("", description="The next query, if next is search.")
    open: int = Field(0, description="Number of the passage whose document to open, if next is open.")


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


async def judge(
    question: str,
    ret: ValueType,
    passages: Sequence[Evidence],
    language: Language,
    models: ChatModels,
    *,
    whole: str,
    tried: Sequence[str],
    last: bool,
) -> Judgement:
    """Read passages for one task.

    Args:
        question: The task, its references filled.
        ret: The wanted type.
        passages: What was found so far, best first.
        language: The question's language.
        models: The chat models; the executor's is asked if there is one.
        whole: The user's question that the task serves.
        tried: Queries already sent.
        last: Whether this is the task's last turn.
    """
    if passages and models.configured("executor"):
        try:
            return await _by_model(question, ret, passages, models, whole=whole, tried=tried, last=last)
        except ModelFailed:
            pass  # the call is in the trace with its error; the rules read instead
    reading = await asyncio.to_thread(read_by_rule, question, ret, passages, language)
    return Judgement(reading=reading, decided_by="rule", move="give_up" if reading.value is None else "answer")


async def _by_model(
    question: str,
    ret: ValueType,
    passages: Sequence[Evidence],
    models: ChatModels,
    *,
    whole: str,
    tried: Sequence[str],
    last: bool,
) -> Judgement:
    prompt = (
        f"Today: {today()}\nQuestion of the user: {whole}\nTask: {question}\nWanted: {TYPE_HINTS[ret]}\n"
        f"Queries tried: {'; '.join(tried) or 'none'}\n"
        f"{'This is the last turn: answer or give up.' if last else 'You may search or open once more.'}\n\n"
        f"{passage_block(passages)}"
    )

    def check(reply: ReadReply) -> str | None:
        return _objection(reply, ret, passages)

    messages = [SystemMessage(SYSTEM), HumanMessage(prompt)]
    reply = await models.structured("executor", "read", messages, ReadReply, check=check)
    quotes = _located(reply, passages)
    if reply.next == "answer" and reply.value is not None:
        reading = Reading(
            value=_coerced(reply.value, ret),
            evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
            quotes=tuple(quotes),
            confidence=min(1.0, max(0.0, reply.confidence)),
            detail={},
            missing=reply.missing,
        )
        return Judgement(reading=reading, decided_by="model", move="answer")
    nothing = Reading(value=None, evidence_ids=(), quotes=(), confidence=0.0, detail={}, missing=reply.missing)
    source = passages[reply.open - 1].source if reply.next == "open" and 0 < reply.open <= len(passages) else ""
    move = "give_up" if reply.next == "answer" else reply.next
    return Judgement(reading=nothing, decided_by="model", move=move, query=reply.query.strip(), source=source)


def _objection(reply: ReadReply, ret: ValueType, passages: Sequence[Evidence]) -> str | None:
    """Why a reply cannot be used, in words for the model; None if it can."""
    if reply.next == "search" and not reply.query.strip():
        return 'next is "search" but query is empty'
    if reply.next == "open" and not 0 < reply.open <= len(passages):
        return f'next is "open" but open is {reply.open}; there are passages 1 to {len(passages)}'
    if reply.next != "answer":
        return None
    if reply.value is None:
        return 'next is "answer" but value is missing'
    try:
        _coerced(reply.value, ret)
    except ValueError as error:
        return f"value: {error}; wanted: {TYPE_HINTS[ret]}"
    if not _located(reply, passages):
        return "none of the quotes occurs verbatim in the passage it names; copy the words exactly"
    return None


def _coerced(value: ReadValue, ret: ValueType) -> JsonValue:
    if ret == "passages":
        return [str(value)]
    return coerce(value, ret)


def _located(reply: ReadReply, passages: Sequence[Evidence]) -> list[Quote]:
    """The quotes that occur in the passages they name (or, misnumbered, in another), in the passage's own spelling."""
    found = []
    for ref in reply.quotes:
        named = passages[ref.passage - 1 : ref.passage] if ref.passage > 0 else []
        for passage in (*named, *passages):
            if span := locate(ref.text, passage.text):
                found.append(Quote(evidence_id=passage.id, text=passage.text[span[0] : span[1]]))
                break
    return found


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, letting case, spacing and typographic quotes differ; None if nowhere.

    It stands there as words of its own: "5" does not occur in "1956". Of a very long quote its beginning is looked for.
    """
    copied = quote.replace("<\\", "<").strip().strip("\"'“”‘’…. \n")  # as `as_data` showed it
    words = re.findall(r"\w+|[^\w\s]", copied)[:MAX_QUOTE_WORDS]
    if not words:
        return None
    pattern = r"\s*".join(r"[\"'“”‘’´`]" if word in "\"'“”‘’´`" else re.escape(word) for word in words)
    match = re.search(_edge(words[0][0], "<") + pattern + _edge(words[-1][-1], ""), text, re.IGNORECASE)
    return match.span() if match else None


def _edge(character: str, behind: Literal["<", ""]) -> str:
    """What must not stand beside the first or last character of a quote: more of the same word or number."""
    if not character.isalnum() or re.match(f"[{HAN}]", character):
        return ""
    longer = f"(?{behind}![^\\W_{HAN}])"
    if not character.isdigit():
        return longer
    return longer + (r"(?<![0-9][.,])" if behind else r"(?![.,][0-9])")
