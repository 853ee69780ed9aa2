"""Choice of a tool for a question that one tool call answers better than a search.

A model says so in the call that judges the question. Without a model, a rule chooses a tool if its topic matches the
question, its arguments are in the question, it only reads, and no document mentions the answer.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weiwo.models.context_windows import text_tokens
from weiwo.nodes.shared.planning.expectation import with_expectation
from weiwo.nodes.shared.planning.rule_plan import Choices, ToolCall, build_single_task_plan
from weiwo.nodes.shared.planning.table_request import TABLE_TOOL, list_tables, request_by_model
from weiwo.nodes.shared.question.table_question import asks_table, read_table_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import takes_hops
from weiwo.state import Assessment, JsonValue, Plan, ValueType
from weiwo.state.events import PlannedEvent
from weiwo.state.query import QueryFrame
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.calling.arguments import arguments_fit
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError, embed_in_parallel, load_embedder
from weiwo.tools.selection.clusters import content_words
from weiwo.tools.selection.tool_fit import ToolFit, fit_tool
from weiwo.tools.tool_info import ToolInfo
from weiwo.tools.usage.task_log import LONGEST_QUESTION, read_history

if TYPE_CHECKING:
    from weiwo.tools.selection.tool_index import ToolDocument
    from weiwo.tools.selection.tool_scenes import ToolUse
    from weiwo.tools.selection.vector_cache import VectorCache


@lru_cache(maxsize=2)
def open_vectors(folder: Path, model: Embedder, dimension: int) -> "VectorCache":
    """Open the cache of an embedding model's vectors in a folder."""
    from weiwo.tools.selection.vector_cache import VectorCache  # noqa: PLC0415 - heavy

    embed = partial(embed_in_parallel, model)
    return VectorCache(folder / "tool_vectors.sqlite", f"{model.name} {dimension}", embed)


@lru_cache(maxsize=2)
def _load_model(name: str) -> Embedder:
    return load_embedder(name)


def rank_tools(pool: tuple[str, ...], needs: Sequence[str], services: RunContext) -> list[str]:
    """Return the tools of a pool, best first. With several needs, the best for each come first.

    Blocks with a large pool.

    Args:
        pool: Names of the tools.
        needs: Texts to match tools with, such as the question.
        services: The run's resources.
    """
    from weiwo.tools.selection.tool_index import ToolDocument  # noqa: PLC0415 - heavy, and of no use to few tools
    from weiwo.tools.selection.tool_retriever import build_retriever  # noqa: PLC0415 - the same

    documents = tuple(ToolDocument.of_info(info) for info in services.list_interfaces(pool).values())
    history = read_history(Path(services.settings.home)) if services.settings.telemetry else ()
    wanted = [need for need in dict.fromkeys(needs) if need.strip()]
    rankings = _rank_by_vectors(documents, history, wanted, services)
    if rankings is None:
        retriever = build_retriever(documents, history)
        rankings = [retriever.rank(need) for need in wanted]
    return list(dict.fromkeys(name for names in zip(*rankings, strict=True) for name in names))


def _rank_by_vectors(
    documents: "tuple[ToolDocument, ...]", history: "tuple[ToolUse, ...]", wanted: Sequence[str], services: RunContext
) -> list[list[str]] | None:
    """Return, for each wanted text, the tools ranked with embeddings.

    None if no embedding model is set, some vectors are missing, or the model is down.
    """
    if (name := services.settings.embeddings) is None or not wanted:
        return None
    from weiwo.tools.selection.tool_retriever import build_retriever  # noqa: PLC0415 - heavy
    from weiwo.tools.selection.vector_cache import VectorsMissingError  # noqa: PLC0415 - the same

    try:
        model = _load_model(name)
        vectors = [model.embed_question(need) for need in wanted]
        cache = open_vectors(Path(services.settings.home), model, len(vectors[0]))
        if services.settings.telemetry:  # the question joins the history if its answer is complete
            cache.keep(wanted[0][:LONGEST_QUESTION], vectors[0])
        retriever = build_retriever(documents, history, cache.ready)
    except (EmbeddingError, VectorsMissingError):  # the document search reports a model that is down
        return None
    return [retriever.rank(need, vector) for need, vector in zip(wanted, vectors, strict=True)]


def take_tools(names: Sequence[str], most: int, tokens: int, services: RunContext) -> tuple[str, ...]:
    """Return the first tools within the limits on count and tokens. A tool with a too long description is skipped."""
    taken: list[str] = []
    left = tokens
    for name in dict.fromkeys(names):
        if len(taken) == most or left <= 0:
            break
        size = text_tokens(services.registry.describe((name,)))
        if size <= left:
            taken.append(name)
            left -= size
    return tuple(taken)


_MOST_OFFERED: Final = 5
MOST_TOKENS: Final = 600
"""Most tokens of tool descriptions offered to the model that assesses a question. `_MOST_OFFERED`: most tools."""
_LOOKED_AT: Final = 5
_NO_STEP: Final = frozenset({"small_talk", "writing", "calculation", "chain"})


async def choose_tools(frames: Sequence[QueryFrame], services: RunContext) -> Choices:
    """Return the tool calls that rules choose for questions, by question.

    A call is chosen if a tool fits the question and no document has its words.
    """
    chosen = {}
    for frame in frames:
        found = _find_call(frame, services)
        if found is not None and not await _has_document(frame, services):
            chosen[frame.question] = found
    return chosen


async def choose_tables(frames: Sequence[QueryFrame], services: RunContext) -> Choices:
    """Return the table requests that rules read from questions, by question.

    A reading that leaves a word unused is rejected if a passage has all words of the question. If a model is set up,
    every reading that assumes or skips a word is left to the model.
    """
    asked = [frame for frame in frames if asks_table(frame.question)]
    tables = await list_tables(services) if asked else []
    chosen = {}
    for frame in asked:
        args = read_table_question(frame.question, tables)
        if args is None or ({"assumed", "unused"} & args.keys() and services.models.has_decision_model("planner")):
            continue
        if "unused" not in args or not await _has_document(frame, services):
            chosen[frame.question] = ToolCall(TABLE_TOOL, args)
    return chosen


async def plan_one_step(
    assessment: Assessment, tools: Sequence[str], services: RunContext, choices: Choices | None = None
) -> Plan:
    """Return the plan of a single task for a question, and emit its event.

    Args:
        assessment: The assessed question.
        tools: The available tools.
        services: The run's resources.
        choices: The calls chosen by a model. None to choose tools by rule.
    """
    choices = await choose_tools([assessment.frame], services) if choices is None else choices
    tabled = await choose_tables([assessment.frame], services)  # requests proved by rules take precedence
    if not tabled and (request := await request_by_model(assessment.frame.question, services)) is not None:
        tabled = {assessment.frame.question: request}
    choices = {**choices, **tabled}
    hops = takes_hops(services.strategy)  # rules can hardly tell the type of their value
    ret: ValueType | None = "passages" if services.strategy.searcher == "folder" else "text" if hops else None
    plan = build_single_task_plan(assessment.frame, tools, ret, choices)
    plan = await with_expectation(plan, assessment.level, services)
    services.emit(PlannedEvent.of(plan))
    return plan


async def offer_tools(question: str, services: RunContext) -> str:
    """Return the prompt text that offers a few tools for a question. Empty if there are only built-in tools."""
    others = [info.name for info in _list_others(services)]
    if len(others) > _MOST_OFFERED:
        ranked = await asyncio.to_thread(rank_tools, services.registry.names(), [question], services)
        others = [name for name in ranked if name in others]
    return services.registry.describe(take_tools(others, _MOST_OFFERED, MOST_TOKENS, services))


def read_choice(tool: str, args: Mapping[str, JsonValue], frame: QueryFrame, services: RunContext) -> ToolCall | None:
    """Return the call chosen by a model, or None if the tool does not exist or has no fitting arguments.

    Arguments that do not fit the tool are read from the question instead.
    """
    name = tool.strip()
    if name not in {info.name for info in _list_others(services)}:
        return None
    if arguments_fit(services.registry.get(name), args):
        return ToolCall(name, dict(args))
    fit = fit_tool(frame, services.registry.info(name))
    return None if fit is None else _build_fitting_call(name, fit, services)


def _list_others(services: RunContext) -> list[ToolInfo]:
    return [info for info in services.registry.infos() if info.available and info.name not in BUILT_IN]


def _find_call(frame: QueryFrame, services: RunContext) -> ToolCall | None:
    if frame.shape in _NO_STEP or frame.local or frame.sources:
        return None
    fits = [
        (fit, info)
        for info in _list_others(services)
        if not info.acts
        and (fit := fit_tool(frame, info)) is not None
        and _build_fitting_call(info.name, fit, services)
    ]
    best = max((fit[:2] for fit, _ in fits), default=None)
    ahead = [(fit, info) for fit, info in fits if fit[:2] == best]
    if len({info.cluster for _, info in ahead}) != 1:  # several that do different things: the words do not tell
        return None
    fit, info = ahead[0]
    return ToolCall(info.name, fit.args)


def _build_fitting_call(name: str, fit: ToolFit, services: RunContext) -> ToolCall | None:
    return ToolCall(name, fit.args) if arguments_fit(services.registry.get(name), fit.args) else None


async def _has_document(frame: QueryFrame, services: RunContext) -> bool:
    """Report whether a passage with its title has every word of the question.

    True also if the search fails, so that the plan searches and reports the failure.
    """
    corpus = services.registry.corpus
    if corpus is None or not corpus.size:
        return False
    said = frame.search or frame.question
    try:
        passages = await corpus.search(said, _LOOKED_AT, within=services.settings.filter)
    except CorpusError:
        return True  # the search that the plan makes will say what is wrong
    wanted = content_words(said)
    return any(wanted <= content_words(f"{passage.title}\n{passage.text}") for passage in passages)
