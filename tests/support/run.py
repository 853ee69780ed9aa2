"""Executions of plans over tools made for tests."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.store.base import BaseStore

from models.budget import Budget
from models.gateway import ChatModels
from nodes.executor import Work
from nodes.services import Services
from nodes.slots import Slots
from state import Evidence, Language, Limits, Usage, passage_id
from state.settings import Settings
from tools.calculator import Calculator
from tools.calls import ToolCalls
from tools.date_difference import DateDifference
from tools.registry import Registry
from tools.run import Backoff


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
) -> Services:
    """Services over these tools and the two that calculate, without a model unless one is given."""
    settings = Settings(home="/nonexistent", limits=limits or Limits(), fresh=fresh)
    registry = Registry([*tools, Calculator(), DateDifference()])
    run = uuid4().hex
    budget = Budget(settings.limits, Usage())
    roles = ("master", "planner", "executor", "reflection", "writer")
    return Services(
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
        ),
        models=ChatModels(settings, budget, given=dict.fromkeys(roles, model) if model else {}),
        budget=budget,
        emit=(events if events is not None else []).append,
        language=language,
    )


def work(run: Services, question: str = "?", parallel: int = 8) -> Work:
    """What the tasks of one execution share."""
    return Work(run, Slots(parallel), question, run.registry.names())
