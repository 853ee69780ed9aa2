"""The result of a run: a JSON object with the answer and all supporting data.

It is the same for command, server and Python.
"""

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables.config import ensure_config

from weiwo.nodes.memory.reuse import learn_plan
from weiwo.nodes.shared.planning.expectation import record_rest
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.prompt import current_outcomes
from weiwo.state import Answer, Block, Extract, Usage
from weiwo.state.ledger import Ledger
from weiwo.state.result import Result, Review
from weiwo.state.search import SearchState
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.corpus.retrieval import telemetry
from weiwo.tools.usage.task_log import record_use


def build_message(spoken: AIMessage, answer: Answer, result: Mapping[str, Any]) -> AIMessage:
    """Return the chat message of an answer: its text, citations, and token usage.

    If LangChain is set to give standard content blocks (`LC_OUTPUT_VERSION=v1`), the text carries its citations as
    annotations, each at its mark.
    """
    usage, text = result["usage"], str(spoken.content)
    tokens = (int(usage["input_tokens"]), int(usage["output_tokens"]))
    blocks = {"type": "text", "text": text, "annotations": _annotations(text, answer)}
    standard = os.environ.get("LC_OUTPUT_VERSION") == "v1"
    return AIMessage(
        content=[blocks] if standard else text,
        id=spoken.id,
        additional_kwargs={"citations": result["citations"]},
        response_metadata={"output_version": "v1"} if standard else {},
        usage_metadata=UsageMetadata(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)),
    )


def _annotations(text: str, answer: Answer) -> list[dict[str, Any]]:
    """Return a LangChain citation for each citation mark of the answer. The list of sources below it has none.

    Args:
        text: The streamed text, with the list of sources.
        answer: The answer.
    """
    known = {citation.n: citation for citation in answer.citations}
    begin = max(text.find(answer.text), 0)
    return [
        {
            "type": "citation",
            "url": cited.source,
            "title": cited.title,
            "cited_text": cited.quote,
            "start_index": begin + mark.start,
            "end_index": begin + mark.end,
        }
        for mark in answer.marks
        if (cited := known.get(mark.n)) is not None
    ]


def build_result(
    state: SearchState,
    answer: Answer,
    services: RunContext,
    *,
    blocks: Iterable[Block] = (),
    extracts: Iterable[Extract] = (),
    asserted: Iterable[str] = (),
    confidence: float | None = None,
    checked: bool = True,
) -> Result:
    """Return the result made of the state and the answer.

    Args:
        state: The state of the run.
        answer: The answer.
        services: The budget.
        blocks: The Markdown blocks of the answer.
        extracts: The passages shown in the answer.
        asserted: Mechanisms of the rules that assert something in the answer.
        confidence: The probability that the passages hold the answer, or None.
        checked: Whether all claims were judged that had to be.
    """
    ledger = state.get("ledger") or Ledger()
    assessment, plan, question = state["assessment"], state.get("plan"), state["question"]
    return Result(
        question=question,
        standalone=assessment.question if assessment.question != question else "",
        language=assessment.language,
        status=answer.status,
        stop_reason=answer.stop_reason,
        level=assessment.level,
        team=state["team"].name,
        answer=answer.text,
        marks=answer.marks,
        citations=answer.citations,
        claims=answer.claims,
        preferences=tuple(state.get("wishes", ())),
        lead=ledger.lead or "neutral",
        parts=ledger.parts,
        gaps=ledger.gaps,
        plan=plan.form if plan is not None else None,
        outcomes={
            key: outcome.model_copy(update={"seconds": round(outcome.seconds, 4)})
            for key, outcome in current_outcomes(state).items()
        },
        evidence=tuple(state.get("evidence", {}).values()),
        reflections=tuple(
            Review(decision=past.decision, reason=past.reason, decided_by=past.decided_by)
            for past in state.get("reflections", ())
        ),
        usage=state.get("usage", Usage()) + services.budget.delta(),
        thread_id=str(ensure_config().get("configurable", {}).get("thread_id") or ""),
        extracts=tuple(extracts),
        confidence=confidence,
        asserted=tuple(asserted),
        notices=answer.notices,
        blocks=tuple(blocks),
        checked=checked,
    )


async def learn_from_answer(state: SearchState, answer: Answer, services: RunContext, *, asserts: bool) -> None:
    """Store what later questions can learn from an answer: cited passages, tools used, the plan and its cost.

    Args:
        state: The state of the run.
        answer: The answer.
        services: The settings and stores.
        asserts: Whether the answer asserts anything. Passages shown only because they are close are not stored as
            cited.
    """
    if answer.status != "extracts":
        replanned = any(reflection.decision == "replan" for reflection in state.get("reflections", []))
        cited = [citation.evidence_id for citation in answer.citations] if asserts else []
        telemetry.label_citations(services.run, cited, replanned=replanned)
    if answer.status == "complete" and services.settings.telemetry:
        await asyncio.to_thread(_learn_tools, state, services)
    await learn_plan(state, answer.status, services)
    await record_rest(state, services)


def _learn_tools(state: SearchState, services: RunContext) -> None:
    """Store which tools answered this question together, except built-in tools. Nothing if there are none."""
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    tasks = plan.tasks if plan is not None else ()
    used = {task.tool for task in tasks if task.id in outcomes and outcomes[task.id].answers} - BUILT_IN
    if used:
        record_use(Path(services.settings.home), state["assessment"].question, used)
