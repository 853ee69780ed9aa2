"""Thread memory: a long conversation condensed for a prompt, with sources for follow-ups.

The sources are kept so that a follow-up can cite them. The last messages are given unchanged. Each earlier turn is
reduced to its question, the first claim of its answer and the citations. Turns that the new question calls for are
given, and the latest turns. A prompt is therefore as long after sixty turns as after ten, and no model is asked for it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from pydantic import ValidationError

from weiwo.nodes.memory.recall import PhraseIndex
from weiwo.nodes.shared.prompting.passage_prompt import flag_injections, quote_as_data
from weiwo.nodes.shared.question.turn import ConversationTurn, format_transcript, without_sources
from weiwo.state import Citation, Evidence, passage_id
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import sentences

CONVERSATION: Final = "conversation"
"""Value of `Evidence.tool` for a passage cited in an earlier turn of the conversation."""
_MOST_TOLD: Final = 6
"""Most earlier turns in a prompt, in condensed form."""
_LATEST: Final = 2
"""Number of these turns that are the latest ones. The others are those nearest to the question."""
_MOST_CITED: Final = 3
"""Most earlier turns with sources that a follow-up may cite, and most sources of each."""
FITS_FROM: Final = 0.3
"""Least score of an earlier turn, against a question, from which its sources are recalled."""
_MOST_TURNS: Final = 200
_LONGEST_QUESTION: Final = 160
_LONGEST_CLAIM: Final = 200
_LONGEST_SOURCE: Final = 80
_LONGEST_QUOTE: Final = 600


class _CondensedTurn(NamedTuple):
    """Turn of a conversation in condensed form.

    Attributes:
        n: Number in the conversation, from 1.
        question: The question.
        claim: The first claim of the answer.
        citations: The citations of the answer.
    """

    n: int
    question: str
    claim: str
    citations: tuple[Citation, ...]

    @property
    def line(self) -> str:
        """The turn as one line of a prompt."""
        sources = ", ".join(
            dict.fromkeys(quote_as_data(citation.title, _LONGEST_SOURCE) for citation in self.citations[:2])
        )
        question = quote_as_data(self.question, _LONGEST_QUESTION)
        return f"{self.n}. {question} → {self.claim or '…'}" + (f" [{sources}]" if sources else "")


def _condense_turns(messages: Sequence[AnyMessage]) -> list[_CondensedTurn]:
    """Condense the turns of a conversation, oldest first, at most the last 200."""
    return list(_condense(messages))[-_MOST_TURNS:]


def format_conversation(turn: ConversationTurn) -> str:
    """Return the conversation before a question for a prompt. The last messages stay unchanged.

    Of the turns before those, the latest two and up to four that are like the question are given, one line each.
    """
    turns, recent = _condense_turns(turn.earlier), format_transcript(turn.history)
    if not turns:
        return recent
    called = [
        item.number for item in PhraseIndex([(entry.question, entry.claim) for entry in turns]).rank(turn.question)
    ]
    latest = range(len(turns))[-_LATEST:]
    told = sorted({*latest, *[n for n in called if n not in latest][: _MOST_TOLD - _LATEST]})
    return "\n".join([f"Earlier, {len(turns)} turns, of which:", *(turns[n].line for n in told), "Last:", recent])


def recall_sources(turn: ConversationTurn, question: str) -> dict[str, Evidence]:
    """Return the passages that earlier turns like the question cite, by id. Each has the cited words as its text.

    Args:
        turn: The turn, with the conversation before it.
        question: The question, which may be rewritten.
    """
    turns = [item for item in _condense_turns((*turn.earlier, *turn.history)) if item.citations]
    index = PhraseIndex([(item.question, item.claim) for item in turns])
    cited = [
        citation
        for n in index.recall(question, _MOST_CITED, FITS_FROM)
        for citation in turns[n].citations[:_MOST_CITED]
    ]
    passages = [
        Evidence(
            id=passage_id(words := item.quote[:_LONGEST_QUOTE]),
            text=words,
            source=item.source,
            title=item.title,
            locator=item.locator,
            tool=CONVERSATION,
        )
        for item in cited
    ]
    return {passage.id: passage for passage in flag_injections(passages)}


def _condense(messages: Sequence[AnyMessage]) -> Iterator[_CondensedTurn]:
    asked, answered, n = "", AIMessage(""), 0
    for message in (*messages, HumanMessage("")):
        if isinstance(message, HumanMessage):
            if asked:
                n += 1
                yield _CondensedTurn(n, asked, _first_claim(answered), tuple(_citations(answered)))
            asked, answered = " ".join(str(message.text).split()), AIMessage("")
        elif isinstance(message, AIMessage):
            answered = message


def _first_claim(answer: AIMessage) -> str:
    """Return the first meaningful sentence of an answer, without citation marks."""
    text = clean_marks(without_sources(str(answer.text)), ())
    said = (" ".join(text[start:end].split()) for start, end in sentences(text[:4_000]))
    return quote_as_data(next((item for item in said if any(map(str.isalnum, item))), ""), _LONGEST_CLAIM)


def _citations(answer: AIMessage) -> Iterator[Citation]:
    """Yield the passages cited by an answer, except calculations."""
    listed: Any = answer.additional_kwargs.get("citations")
    for item in listed if isinstance(listed, list) else ():
        try:
            citation = Citation.model_validate({name: item[name] for name in Citation.model_fields if name in item})
        except (ValidationError, TypeError):  # a client may have put it there
            continue
        if citation.quote and not citation.source.startswith("task:"):
            yield citation
