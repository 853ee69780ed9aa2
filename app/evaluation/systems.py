"""The systems that are compared: Weiwo, and beside it the plain ones a user would write in an afternoon.

All of them ask the same model and search with the same tool. `extracts` needs no model: the best sentences of one
search. `rag` is one search and one prompt. `react` is LangChain's `create_agent` with the search tool, within the same
limits on calls, tokens and seconds.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from weiwo.app.evaluation.answer import ABSTAINED, SystemAnswer, abstains, strip_citations
from weiwo.app.evaluation.baselines import BaselineSearch, ExtractsBaseline
from weiwo.app.evaluation.calibration import list_values
from weiwo.app.evaluation.question_set import Question
from weiwo.state.settings import Context, Settings
from weiwo.tools.registry import build_registry

System = Callable[[Question], Awaitable[SystemAnswer]]
BASELINES: Final = ("extracts", "rag", "react")
NEED_A_MODEL: Final = frozenset({"rag", "react"})


class WeiwoSystem:
    """Weiwo as it is configured: its public graph, in this process.

    Args:
        context: The options of each run.
    """

    def __init__(self, context: Context) -> None:
        from weiwo.graph import build_graph  # noqa: PLC0415 - heavy

        self._graph: Any = build_graph()
        self._context = context

    async def __call__(self, question: Question) -> SystemAnswer:
        """Answer a question."""
        started = time.perf_counter()
        result = (await self._graph.ainvoke({"question": question.text}, context=self._context))["result"]
        return read_result(result, time.perf_counter() - started)


def read_result(result: Mapping[str, Any], seconds: float) -> SystemAnswer:
    """What a result of Weiwo states and shows, and what it took."""
    usage, claims = result["usage"], result.get("claims") or []
    text = strip_citations(_statement(result))
    outcome = {"complete": "asserted", "partial": "doubtful"}.get(str(result["status"]), ABSTAINED)
    if not _states_anything(result) or abstains(text):
        outcome = ABSTAINED
    return SystemAnswer(
        text=text,
        outcome=outcome,
        shown=tuple(one["text"] for one in result.get("extracts") or []),
        highlighted=tuple(
            one["text"][start:end] for one in result.get("extracts") or [] for start, end in one["highlights"]
        ),
        cited=tuple(dict.fromkeys(one["source"] for one in result.get("citations") or [])),
        claims=claims,
        values=list_values(result),
        confidence=result.get("confidence"),
        level=str(result.get("level") or ""),
        calls=usage["model_calls"],
        tool_calls=usage["tool_calls"],
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cost=usage.get("cost", 0.0),
        seconds=seconds,
    )


def _states_anything(result: Mapping[str, Any]) -> bool:
    """Whether an answer states anything: by rules a source or a calculation carries it; extracts and talk do not."""
    verdicts = {claim["verdict"] for claim in result.get("claims") or []}
    if verdicts - {"uncited"}:
        return True
    return bool(result["usage"]["model_calls"] and (verdicts or not result.get("extracts")))


def _statement(result: Mapping[str, Any]) -> str:
    """What an answer states: its claims, else its text above the passages it quotes."""
    claims = " ".join(str(claim["text"]) for claim in result.get("claims") or [])
    return claims or f"\n{result.get('answer', '')}".partition("\n>")[0]


async def open_systems(names: Sequence[str], context: Context) -> dict[str, System]:
    """Open the systems to compare.

    Args:
        names: "weiwo", and those of `BASELINES`.
        context: The options of each run; the baselines take model, corpus, web and limits from them.

    Raises:
        CorpusError: The corpus cannot be read.
        SettingsError: The settings cannot be used.
        ModelUnavailableError: The model cannot be made.
    """
    systems: dict[str, System] = {"weiwo": WeiwoSystem(context)} if "weiwo" in names else {}
    if not set(names) & set(BASELINES):
        return systems
    settings = Settings.resolve(context)
    registry = await build_registry(settings)
    over_web = settings.web and "web_search" in registry.names()
    search = BaselineSearch(registry, "web_search" if over_web else "corpus_search")
    if "extracts" in names:
        systems["extracts"] = ExtractsBaseline(search)
    if set(names) & NEED_A_MODEL:
        from weiwo.app.evaluation.model_baselines import RagBaseline, ReactBaseline, open_model  # noqa: PLC0415 - heavy

        priced = await open_model(settings)
        if "rag" in names:
            systems["rag"] = RagBaseline(priced, search)
        if "react" in names:
            systems["react"] = ReactBaseline(priced, search, settings.limits)
    return systems
