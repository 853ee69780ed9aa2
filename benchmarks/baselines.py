"""Baselines of `weiwo eval answers --baseline`: simple systems, each an afternoon's work.

All of them search with Weiwo's own tool, and ask the model of its writer. `extracts` needs no model: it shows the best
sentences of one search. `rag` is one search and one prompt. `react` is LangChain's `create_agent` with the search tool,
within the same limits on calls, tokens and seconds.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import LLMResult
from langchain_core.tools import tool

from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.scoring import ABSTAINED, System, SystemAnswer, _read_citations, abstains, strip_citations
from weiwo.models.context_windows import text_tokens
from weiwo.models.endpoint import resolve_endpoint
from weiwo.models.model_cache import get_chat_model
from weiwo.models.prices import Price, cost_of, price_of
from weiwo.models.reasoning_filter import strip_reasoning
from weiwo.state import Evidence, Limits
from weiwo.state.settings import Settings
from weiwo.text.language import sentences
from weiwo.text.terms import terms
from weiwo.tools.registry import Registry, build_registry

BASELINES: Final = ("extracts", "rag", "react")
NEED_A_MODEL: Final = frozenset({"rag", "react"})
SHOWN: Final = 3
"""Passages that `extracts` shows, as many as Weiwo does without a model."""
RAG_PROMPT: Final = (
    "Answer the question from the numbered passages alone, as briefly as you can. Cite the passages you use as [1]. If"
    " they do not hold the answer, say that you do not know. Answer in the language of the question."
)
REACT_PROMPT: Final = (
    "Answer the question as briefly as you can. Search as often as you need; search for one thing at a time. Cite the"
    " passages you use by their numbers, as [1]. If you cannot find the answer, say that you do not know. Answer in the"
    " language of the question."
)
SPENT: Final = "The budget is spent. Answer with what you have found."


async def open_baselines(names: Sequence[str], settings: Settings) -> dict[str, System]:
    """Open baselines by name, with model, corpus, web and limits from the settings.

    Raises:
        CorpusError: The corpus cannot be read.
        ModelUnavailableError: The model cannot be made.
    """
    registry = await build_registry(settings)
    over_web = settings.web and "web_search" in registry.names()
    search = BaselineSearch(registry, "web_search" if over_web else "corpus_search")
    opened: dict[str, System] = {"extracts": ExtractsBaseline(search)} if "extracts" in names else {}
    if set(names) & NEED_A_MODEL:
        priced = await open_model(settings)
        opened |= {"rag": RagBaseline(priced, search), "react": ReactBaseline(priced, search, settings.limits)}
    return {name: opened[name] for name in names}


class BaselineSearch:
    """Weiwo's own search tool: over the documents, or over the web if requested."""

    def __init__(self, registry: Registry, name: str) -> None:
        self._tool = registry.get(name)

    async def __call__(self, query: str) -> list[Evidence]:
        """Passages for a query, best first."""
        call = {"type": "tool_call", "id": "1", "name": self._tool.name, "args": {"query": query}}
        message = await self._tool.ainvoke(call)
        return [Evidence(**item) for item in message.artifact or ()]


class ExtractsBaseline:
    """Baseline of a single search: for each of the best passages, the sentence closest to the question.

    The sentence shares most words with the question.
    """

    def __init__(self, search: BaselineSearch) -> None:
        self._search = search

    async def __call__(self, question: Question) -> SystemAnswer:
        """Return the passages closest to a question as the answer."""
        started = time.perf_counter()
        found = (await self._search(question.text))[:SHOWN]
        best = _pick_sentences(question.text, found)
        return SystemAnswer(
            text=" ".join(best),
            highlighted=tuple(best),
            shown=tuple(passage.text for passage in found),
            cited=tuple(dict.fromkeys(passage.source for passage in found)),
            tool_calls=1,
            seconds=time.perf_counter() - started,
        )


def _pick_sentences(question: str, passages: Sequence[Evidence]) -> list[str]:
    wanted = set(terms(question))
    said = [[passage.text[start:end] for start, end in sentences(passage.text)] for passage in passages]
    return [max(those, key=lambda item: len(wanted & set(terms(item))), default="") for those in said]


@dataclass(frozen=True)
class PricedModel:
    """A chat model with price and time limit per call, in seconds."""

    model: BaseChatModel
    price: Price | None = None
    seconds: float = 60.0


async def open_model(settings: Settings) -> PricedModel:
    """The model of the writer.

    Raises:
        ModelUnavailableError: None is configured, or it cannot be made.
    """
    endpoint = resolve_endpoint(settings.models.get("writer", ""))
    model = await get_chat_model(endpoint, settings.model_seconds)
    return PricedModel(model, price_of(settings, endpoint.name), settings.model_seconds)


@dataclass
class _Spending(AsyncCallbackHandler):
    """Counter of the calls and tokens of a model.

    If the endpoint reports no tokens, an upper estimate from the text is used.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    _prompts: dict[UUID, int] = field(default_factory=dict)

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - LangChain names them
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **more: Any,  # noqa: ARG002 - the same
    ) -> None:
        self.calls += 1
        self._prompts[run_id] = sum(text_tokens(str(item.text)) for those in messages for item in those)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:  # noqa: ARG002 - the same
        estimate = self._prompts.pop(run_id, 0)
        for generation in (item for those in response.generations for item in those):
            message = getattr(generation, "message", None)
            usage = getattr(message, "usage_metadata", None) or {}
            self.input_tokens += usage.get("input_tokens") or estimate
            self.output_tokens += usage.get("output_tokens") or text_tokens(generation.text)


class RagBaseline:
    """Baseline of a single search and a single prompt."""

    def __init__(self, priced: PricedModel, search: BaselineSearch) -> None:
        self._priced, self._search = priced, search

    async def __call__(self, question: Question) -> SystemAnswer:
        """Answer a question from the passages of a single search."""
        started, spending = time.perf_counter(), _Spending()
        found = await self._search(question.text)
        prompt = f"{_format_passages(found, 1) or 'No passage was found.'}\n\nQuestion: {question.text}"
        async with asyncio.timeout(self._priced.seconds):
            reply = await self._priced.model.ainvoke(
                [("system", RAG_PROMPT), ("human", prompt)], config={"callbacks": [spending]}
            )
        taken = time.perf_counter() - started
        return _make_answer(reply, [item.source for item in found], spending, self._priced, (1, taken))


class ReactBaseline:
    """Baseline of LangChain's agent with the search tool, within Weiwo's limits."""

    def __init__(self, priced: PricedModel, search: BaselineSearch, limits: Limits) -> None:
        self._priced, self._search, self._limits = priced, search, limits

    async def __call__(self, question: Question) -> SystemAnswer:
        """Answer a question by searching as often as the model wants."""
        started, spending = time.perf_counter(), _Spending()
        sources: list[str] = []
        searches = 0

        @tool
        async def search(query: str) -> str:
            """Search the documents for passages about something."""
            nonlocal searches
            if spending.input_tokens + spending.output_tokens >= self._limits.max_tokens:
                return SPENT
            searches += 1
            found = await self._search(query)
            text = _format_passages(found, len(sources) + 1)
            sources.extend(item.source for item in found)
            return text or "Nothing matches."

        calls = max(1, self._limits.max_model_calls)
        agent: Any = create_agent(
            self._priced.model,
            [search],
            system_prompt=REACT_PROMPT,
            middleware=[ModelCallLimitMiddleware(run_limit=calls)],
        )
        reply: BaseMessage = AIMessage("")
        with suppress(TimeoutError):  # what took too long has no answer
            async with asyncio.timeout(self._limits.max_seconds):
                done = await agent.ainvoke(
                    {"messages": [("human", question.text)]},
                    config={"callbacks": [spending], "recursion_limit": 4 * calls + 10},
                )
                reply = done["messages"][-1] if spending.calls < calls else _last_words(done["messages"])
        return _make_answer(reply, sources, spending, self._priced, (searches, time.perf_counter() - started))


def _last_words(messages: Sequence[BaseMessage]) -> BaseMessage:
    """Return the last message of the model itself.

    The middleware adds a message that says the limit was reached, which is skipped.
    """
    own = [
        message
        for message in messages
        if isinstance(message, AIMessage) and message.response_metadata.get("finish_reason")
    ]
    return own[-1] if own else messages[-1]


def _format_passages(found: Sequence[Evidence], first: int) -> str:
    return "\n\n".join(f"[{n}] {evidence.title}\n{evidence.text}" for n, evidence in enumerate(found, first))


def _make_answer(
    reply: BaseMessage, sources: Sequence[str], spending: _Spending, priced: PricedModel, took: tuple[int, float]
) -> SystemAnswer:
    """Convert a model's reply to an answer. Any text except a refusal counts as asserted."""
    text = strip_reasoning(str(reply.text)).strip()
    cited = [sources[number - 1] for number in _read_citations(text) if 0 < number <= len(sources)]
    stated = strip_citations(text)
    return SystemAnswer(
        text=stated,
        outcome=ABSTAINED if abstains(stated) else "asserted",
        cited=tuple(dict.fromkeys(cited)),
        calls=spending.calls,
        tool_calls=took[0],
        input_tokens=spending.input_tokens,
        output_tokens=spending.output_tokens,
        cost=cost_of(priced.price, spending.input_tokens, spending.output_tokens),
        seconds=took[1],
    )
