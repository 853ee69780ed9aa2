"""The question of a turn: taken from the state, and validated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from weiwo.nodes.shared.question.validation import QuestionError, check_question
from weiwo.state.search import SearchState
from weiwo.text.language import clean
from weiwo.text.patterns import lazy

_HISTORY_TURNS = 6
"""Number of latest messages used to understand a follow-up."""


@dataclass(frozen=True)
class ConversationTurn:
    """A question with the conversation before it.

    Attributes:
        question: The user's words, cleaned.
        history: The last messages before the question, oldest first.
        message: The human message with the question. None if it came as `question`.
        earlier: The messages before the history, oldest first.
    """

    question: str
    history: tuple[AnyMessage, ...]
    message: HumanMessage | None
    earlier: tuple[AnyMessage, ...] = ()

    @classmethod
    def of(cls, question: str, before: Sequence[AnyMessage], message: HumanMessage | None) -> "ConversationTurn":
        """Return the turn of a question from all messages before it. Tool calls, including handoffs, are left out.

        Raises:
            QuestionError: The question cannot be asked.
        """
        said = [
            item for item in before if item.text.strip() and not getattr(item, "tool_calls", ()) and item.type != "tool"
        ]
        history, earlier = said[-_HISTORY_TURNS:], said[:-_HISTORY_TURNS]
        return cls(check_question(question), tuple(history), message, tuple(earlier))


def find_current_turn(state: SearchState) -> ConversationTurn:
    """Return the turn to answer: that of the last human message if it is new, else that of `question` in the state.

    A human message that was already taken as a question is not new. Behind a handoff other messages follow: a
    supervisor's tool call, and the tool's reply.

    Raises:
        QuestionError: There is no question, or it cannot be asked.
    """
    messages = state.get("messages", [])
    place = next((n for n in reversed(range(len(messages))) if isinstance(messages[n], HumanMessage)), None)
    last = messages[place] if place is not None else None
    ends = last is not None and last is messages[-1]
    taken = last is not None and last.id == state.get("asked")
    if isinstance(last, HumanMessage) and not taken and (ends or not _asks_anew(state)):
        try:
            return ConversationTurn.of(str(last.text), messages[:place], last)
        except QuestionError:
            if not _asks_anew(state):
                raise  # else the message was refused before, and must not stand in the way of a new question
    at_work = taken and not state.get("result") and not _asks_anew(state)
    history = messages[:place] if ends or at_work else messages
    return ConversationTurn.of(str(state.get("question") or ""), history, None)


def _asks_anew(state: SearchState) -> bool:
    """Report whether `question` differs from the question taken last."""
    asked = state.get("asked")
    taken = next((str(m.text) for m in state.get("messages", []) if asked and m.id == asked), "")
    return clean(str(state.get("question") or "")) != clean(taken)


_LISTING = lazy(r"\n\n(?:Sources|来源):\n\[\d+\] .*\Z", re.DOTALL)
"""List of sources at the end of an answer."""


def without_sources(answer: str) -> str:
    """Return an answer without the list of sources at its end."""
    return _LISTING.sub("", answer)


def format_transcript(history: tuple[AnyMessage, ...]) -> str:
    """Return messages as text for a prompt, a line each: "User: …" and "Weiwo: …", at most 600 characters of each."""
    lines = []
    for message in history:
        who = "User" if isinstance(message, HumanMessage) else "Weiwo" if isinstance(message, AIMessage) else ""
        if who:
            said = without_sources(str(message.text)) if who == "Weiwo" else str(message.text)
            lines.append(f"{who}: {' '.join(said.split())[:600]}")
    return "\n".join(lines)
