"""Clarification: a question back to the user before a search, if a question can mean several things.

The master's model says so, with two to four choices. If it names the usual meaning, or if nobody can be asked, that
meaning is assumed and the answer says so. Otherwise the run waits in LangGraph's `interrupt`, in the forms that plan
approval uses, for a number or for words. The reply becomes part of the question.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import interrupt

from weiwo.nodes.master.prompt import ClarifyReply
from weiwo.nodes.shared.human_in_the_loop.approval_answer import human_in_the_loop
from weiwo.nodes.shared.planning.tool_choice import plan_one_step
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.question.turn import ConversationTurn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Clarification, Language, QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.language import clean
from weiwo.text.localization import localize_message
from weiwo.text.patterns import lazy

REQUEST: Final = "clarify"
"""The `type` of the interrupt's value, by which a client recognises the question."""
FEWEST, MOST = 2, 4
_LONGEST_CHOICE: Final = 120
_LONGEST_REPLY: Final = 500
_NUMBER: Final = lazy(r"[\s(（#第]*(\d|[一二两三四])[\s.)）、。个]*")
_HAN_NUMBERS: Final = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4}

_HOW: Final = localize_message("master.clarify", "how")
_UNCLEAR: Final = localize_message("master.clarify", "unclear")
_MEANT: Final = localize_message("master.clarify", "meant")


def read_clarification(
    asked: ClarifyReply | None, turn: ConversationTurn, services: RunContext
) -> tuple[Clarification | None, str]:
    """Return the clarification to ask, or None, and the meaning to assume, or "". At most one of both is set.

    A person is not asked twice in a row: then the usual or first meaning is assumed.

    Args:
        asked: The clarification suggested by a model, or None.
        turn: The turn, with the conversation before it.
        services: The run's resources.
    """
    if asked is None:
        return None, ""
    choices = [text[:_LONGEST_CHOICE] for choice in asked.choices if (text := safe_note(choice))]
    choices = list({choice.casefold(): choice for choice in choices}.values())[:MOST]
    question, default = safe_note(asked.question), safe_note(asked.default)[:_LONGEST_CHOICE]
    if len(choices) < FEWEST or not question:
        return None, ""
    lately = any(
        isinstance(message, AIMessage) and message.additional_kwargs.get("asks") == REQUEST
        for message in turn.history[-2:]
    )
    if not default and services.settings.clarify and not lately:
        return Clarification(question=question, choices=tuple(choices)), ""
    return None, default or choices[0]


def clarification_message(asked: Clarification) -> AIMessage:
    """Return the clarification as a chat message."""
    return AIMessage(_format_clarification(asked), id=str(uuid4()), additional_kwargs={"asks": REQUEST})


def frame_meaning(frame: QueryFrame, meaning: str) -> QueryFrame:
    """Return a question parsed together with the intended meaning. Wanted form and length stay."""
    meant = parse_question(_MEANT[frame.language].format(frame.question, meaning), frame.language)
    return meant.model_copy(update={"form": frame.form, "words": frame.words})


async def clarify(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Ask for the intended meaning until the reply is clear, and return the update with the clarified question."""
    assessment = state["assessment"]
    asked = assessment.clarification
    if asked is None:  # a state edited by hand; there is nothing to ask
        return {}
    complaints: list[str] = []
    while (
        reply := _read_reply(interrupt(_clarify_request(state, asked, services.language, complaints)), asked)
    ) is None:
        complaints = [_UNCLEAR[services.language]]
    frame = frame_meaning(assessment.frame, reply)
    if assessment.frame.shape == "chain":  # a single task follows the chain
        frame = frame.model_copy(update={"shape": "chain"})
    settled = assessment.model_copy(update={"frame": frame, "clarification": None})
    said = HumanMessage(reply, id=str(uuid4()))
    update: dict[str, Any] = {"assessment": settled, "messages": [said], "asked": said.id, "sketch": {}}
    if settled.level == "moderate":  # the master makes no plan before the clarification
        update["plan"] = await plan_one_step(settled, state["team"].tools, services)
    return update


def _clarify_request(
    state: SearchState, asked: Clarification, language: Language, complaints: list[str]
) -> dict[str, Any]:
    """Return the value of the interrupt: the question, the choices, and instructions for the answer."""
    choices = list(asked.choices)
    return {
        "type": REQUEST,
        "question": state["question"],
        "asks": asked.question,
        "choices": choices,
        "complaints": complaints,
        "how": _HOW[language],
        **human_in_the_loop(
            REQUEST,
            {"question": asked.question, "choices": choices, "reply": choices[0]},
            "\n\n".join([_format_clarification(asked), *complaints, _HOW[language]]),
        ),
    }


def _format_clarification(asked: Clarification) -> str:
    return "\n".join([asked.question, "", *(f"{n}. {choice}" for n, choice in enumerate(asked.choices, 1))])


def _read_reply(answer: object, asked: Clarification) -> str | None:
    """Return the intended meaning from a client's resume value, or None if it is unclear.

    A number is that choice. A mere approval, from a client that shows nothing else, is the first choice. Other words
    are taken as they are.
    """
    if isinstance(answer, bool):
        return asked.choices[0] if answer else None
    if isinstance(answer, int):
        return asked.choices[answer - 1] if 1 <= answer <= len(asked.choices) else None
    if isinstance(answer, str):
        return _read_words(answer, asked)
    if isinstance(answer, list | tuple):
        return _read_reply(answer[0], asked) if len(answer) == 1 and isinstance(answer[0], Mapping) else None
    return _read_object(answer, asked) if isinstance(answer, Mapping) else None


def _read_object(answer: Mapping[Any, Any], asked: Clarification) -> str | None:
    kind = answer.get("type")
    if kind in {"approve", "accept"}:
        return asked.choices[0]
    for key in ("reply", "decisions", "message", "edited_action", "args", "reject"):
        if isinstance(found := answer.get(key), str | int | list | tuple | Mapping) and found:
            return _read_reply(found, asked)
    return None


def _read_words(answer: str, asked: Clarification) -> str | None:
    text = clean(answer)[:_LONGEST_REPLY]
    if number := _NUMBER.fullmatch(text):
        n = _HAN_NUMBERS.get(number[1]) or int(number[1])
        return asked.choices[n - 1] if 1 <= n <= len(asked.choices) else None
    return " ".join(text.split()) if re.search(r"\w", text) else None
