"""The master: reads the conversation, judges how much work a question needs, and sets up the team."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Overwrite

from weiwo.nodes.master.assessment import assess_question
from weiwo.nodes.master.clarify import clarification_message
from weiwo.nodes.memory.reuse import EarlierAnswer, recall_answer
from weiwo.nodes.memory.thread_memory import recall_sources
from weiwo.nodes.memory.wishes import read_wishes
from weiwo.nodes.shared.planning.plan_rules import document_languages
from weiwo.nodes.shared.planning.tool_choice import plan_one_step
from weiwo.nodes.shared.question.turn import ConversationTurn, find_current_turn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import TEAMS
from weiwo.state import Assessment, TeamConfig
from weiwo.state.events import PLANNING, AssessedEvent, FinishedEvent, TaskProgressEvent
from weiwo.state.events import TOOLS as TOOLS_PROGRESS
from weiwo.state.kinds import Language
from weiwo.state.search import SearchState
from weiwo.text.language_detection import detect_language, guess_language, resolve_language
from weiwo.text.localization import localize_message

_HURRIES: Final = localize_message("master.node", "hurries")
"""Note shown if model calls are so slow that a quick search is made."""


async def master(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Open a turn and return its state: the assessed question, the team, and no trace of the question before.

    Raises:
        QuestionError: There is no question, or it cannot be asked.
    """
    turn = find_current_turn(state)
    asked_in = await _find_language(turn, services)
    services = replace(services, asked_in=asked_in, language=services.settings.language or asked_in)
    for problem in services.registry.problems:
        services.emit(TaskProgressEvent(task_id=TOOLS_PROGRESS, note=problem[services.language]))
    if services.slow_call:
        told = _HURRIES[services.language].format(services.slow_call)
        services.emit(TaskProgressEvent(task_id=PLANNING, note=told))
    wishes = await read_wishes(services.memory) if services.with_model else []
    if (earlier := await recall_answer(turn, wishes, services)) is not None:
        return _give_again(*earlier, turn, wishes, services)
    assessment, sketch, choices = await assess_question(turn, services, wishes)
    strategy = assessment.strategy or services.strategy
    services = replace(services, assessed=strategy)
    team = _configure_team(assessment, services)
    _tell_assessed(assessment, team, services)
    asked = assessment.clarification
    clear = strategy.plan == "one_task" and asked is None
    plan = await plan_one_step(assessment, team.tools, services, choices) if clear else None
    update = _open_turn(turn, assessment, team, wishes)
    update["messages"] += [clarification_message(asked)] if asked is not None else []
    # Sources cited in earlier turns may be cited again, but not in a creative text.
    frame = assessment.frame
    cites = frame.shape != "writing" and turn.history and services.models.has_decision_model("writer")
    cited = recall_sources(turn, frame.question) if cites else {}
    sketch = sketch if strategy.plan == "graph" else {}
    return {**update, "plan": plan, "sketch": sketch, "evidence": Overwrite(cited)}


async def _find_language(turn: ConversationTurn, services: RunContext) -> Language:
    """Return the language of a question.

    If it is too short to tell, that of the conversation, else of the documents.
    """
    guess = guess_language(turn.question)
    if guess.sure:
        return guess.language
    asked = [
        detect_language(str(message.text)) for message in reversed(turn.history) if isinstance(message, HumanMessage)
    ]
    return resolve_language(turn.question, asked, await asyncio.to_thread(document_languages, services))


def _open_turn(
    turn: ConversationTurn, assessment: Assessment, team: TeamConfig, wishes: Sequence[str]
) -> dict[str, Any]:
    """Return the state at the beginning of a turn, with the question and without old state."""
    message = turn.message or HumanMessage(turn.question, id=str(uuid4()))
    return {
        "question": turn.question,
        "messages": [message],
        "asked": message.id or "",
        "assessment": assessment,
        "wishes": list(wishes),
        "team": team,
        "plan": None,
        "sketch": {},
        "revisions": [],
        "outcomes": Overwrite({}),
        "evidence": Overwrite({}),
        "reflections": Overwrite([]),
        "ledger": None,
        "result": {},
    }


def _give_again(
    earlier: EarlierAnswer,
    found: dict[str, Any],
    turn: ConversationTurn,
    wishes: Sequence[str],
    services: RunContext,
) -> dict[str, Any]:
    """Return the state of a turn that gives a stored answer again, without a search.

    Args:
        earlier: The stored answer.
        found: Its `plan`, `outcomes` and `evidence`.
        turn: The turn.
        wishes: The user's standing wishes.
        services: The run's resources.
    """
    result, team = earlier.result, _configure_team(earlier.assessment, services)
    _tell_assessed(earlier.assessment, team, services)
    told = ("status", "stop_reason", "from_thread", "answered_at")
    services.emit(FinishedEvent(**{name: result[name] for name in told}))
    update = _open_turn(turn, earlier.assessment, team, wishes)
    update["messages"] += [AIMessage(earlier.message, additional_kwargs={"citations": result["citations"]})]
    whole = {name: Overwrite(found[name]) for name in ("outcomes", "evidence")}
    return {**update, **whole, "plan": found["plan"], "result": result}


def _tell_assessed(assessment: Assessment, team: TeamConfig, services: RunContext) -> None:
    services.emit(
        AssessedEvent(
            question=assessment.question,
            language=assessment.language,
            level=assessment.level,
            team=team.name,
            score=round(assessment.score, 3),
            reason=assessment.reason,
            decided_by=assessment.decided_by,
            tools=list(team.tools),
            models=dict(services.settings.models),
        )
    )


def _configure_team(assessment: Assessment, services: RunContext) -> TeamConfig:
    """Return the team for an assessed question: agents, tools, limits and expected model calls."""
    team = TEAMS[assessment.level]
    return TeamConfig(
        name=team.name,
        agents=team.agents,
        tools=() if assessment.level == "simple" else services.registry.names(),
        limits=services.settings.limits,
        expected_model_calls=team.model_calls if services.with_model else 0,
    )
