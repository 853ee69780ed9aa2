"""Executions of plans over tools made for tests."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.store.base import BaseStore

from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.executor.resources import PriorityLimiter, TaskResources
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Language, Limits, Usage, passage_id
from weiwo.state.events import parse_event
from weiwo.state.settings import Settings
from weiwo.tools.calling.invoke import Backoff
from weiwo.tools.calling.tool_calls import ToolCalls, _Recorder
from weiwo.tools.compute.calculator import Calculator
from weiwo.tools.compute.date_difference import DateDifference
from weiwo.tools.registry import Registry


def search_tool(
    find: Callable[[str], str | Exception | None], name: str = "corpus_search", delay: float = 0.0
) -> BaseTool:
    """A search tool: a query finds one passage, nothing, or fails. Its `calls` metadata lists the queries."""
    calls: list[str] = []

    async def run(query: str, k: int = 8) -> tuple[str, list[dict[str, Any]]]:  # noqa: ARG001 - the interface has it
        calls.append(query)
        await asyncio.sleep(delay)
        text = find(query)
        if isinstance(text, Exception):
            raise text
        if text is None:
            return "nothing", []
        passage = Evidence(id=passage_id(text), text=text, source="s.md", title=text.split(" ")[0])
        return text, [passage.model_dump(mode="json")]

    tool = StructuredTool.from_function(
        coroutine=run, name=name, description="Finds passages.", response_format="content_and_artifact"
    )
    tool.metadata = {"calls": calls, "cluster": "search", "cache_seconds": 0}
    return tool


def services(
    *tools: BaseTool,
    limits: Limits | None = None,
    language: Language = "en",
    model: BaseChatModel | None = None,
    events: list[dict[str, Any]] | None = None,
    store: BaseStore | None = None,
    fresh: bool = False,
    record: _Recorder | None = None,
) -> RunContext:
    """RunContext over these tools and the two that calculate, without a model unless one is given."""
    settings = Settings(home="/nonexistent", limits=limits or Limits(), fresh=fresh)
    registry = Registry([*tools, Calculator(), DateDifference()])
    run = uuid4().hex
    budget = Budget(settings.limits, Usage())
    roles = ("master", "planner", "executor", "reflection", "writer")
    return RunContext(
        run=run,
        settings=settings,
        registry=registry,
        calls=ToolCalls(
            run,
            registry,
            store,
            seconds=settings.limits.tool_seconds,
            max_bytes=settings.limits.max_page_bytes,
            fresh=fresh,
            backoff=Backoff(first=0.01),
            record=record,
        ),
        models=ChatModels(settings, budget, given=dict.fromkeys(roles, model) if model else {}),
        budget=budget,
        emit=lambda event: None if events is None else events.append(parse_event(event.to_json()).to_json()),
        language=language,
    )


def work(run: RunContext, question: str = "?", parallel: int = 8) -> TaskResources:
    """What the tasks of one execution share."""
    return TaskResources(run, PriorityLimiter(parallel), parse_question(question, run.language), run.registry.names())
