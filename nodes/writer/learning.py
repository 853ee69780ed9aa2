"""What is learned from an answer: what the retrievals behind it were worth, which tools and which plan led to it."""

import asyncio
from pathlib import Path

from weiwo.nodes.memory.reuse import learn_plan
from weiwo.nodes.shared.planning.expectation import record_rest
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Answer
from weiwo.state.search import SearchState
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.corpus.retrieval import telemetry
from weiwo.tools.selection.usage_history import record_use


async def learn_from_answer(state: SearchState, answer: Answer, services: RunContext, *, asserts: bool) -> None:
    """Keep what an answer teaches for later questions.

    Args:
        state: What the run came to.
        answer: The answer.
        services: The settings, and where it is kept.
        asserts: Whether the answer asserts anything: passages shown for being near are no citations.
    """
    if answer.status != "extracts":
        replanned = any(one.decision == "replan" for one in state.get("reflections", []))
        cited = [one.evidence_id for one in answer.citations] if asserts else []
        telemetry.label_citations(services.run, cited, replanned=replanned)
    if answer.status == "complete" and services.settings.telemetry:
        await asyncio.to_thread(_learn_tools, state, services)
    await learn_plan(state, answer.status, services)
    await record_rest(state, services)


def _learn_tools(state: SearchState, services: RunContext) -> None:
    """Keep which tools, beside the built-in ones, answered this question together."""
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    tasks = plan.tasks if plan is not None else ()
    used = {task.tool for task in tasks if task.id in outcomes and outcomes[task.id].answers} - BUILT_IN
    if used:
        record_use(Path(services.settings.home), state["assessment"].question, used)
