"""Tool ranking: the tools of a pool that fit what is wanted, and as many of them as a prompt has room for."""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from weiwo.models.context_windows import text_tokens
from weiwo.nodes.shared.run_context import RunContext

if TYPE_CHECKING:
    from weiwo.tools.corpus.index.embedding_models import Embedder
    from weiwo.tools.selection.tool_index import ToolDocument
    from weiwo.tools.selection.tool_scenes import ToolUse
    from weiwo.tools.selection.vector_cache import VectorCache


@lru_cache(maxsize=2)
def open_vectors(folder: Path, model: "Embedder", dimension: int) -> "VectorCache":
    """The cache of a model's vectors in a folder."""
    from weiwo.tools.corpus.index.embedding_models import embed_in_parallel  # noqa: PLC0415 - heavy
    from weiwo.tools.selection.vector_cache import VectorCache  # noqa: PLC0415 - the same

    embed = partial(embed_in_parallel, model)
    return VectorCache(folder / "tool_vectors.sqlite", f"{model.name} {dimension}", embed)


@lru_cache(maxsize=2)
def _load_model(name: str) -> "Embedder":
    from weiwo.tools.corpus.index.embedding_models import load_embedder  # noqa: PLC0415 - heavy

    return load_embedder(name)


def rank_tools(pool: tuple[str, ...], needs: Sequence[str], services: RunContext) -> list[str]:
    """The tools of a pool, those that fit best first; those for several needs in turn. A large pool takes a moment."""
    from weiwo.tools.selection.tool_index import ToolDocument  # noqa: PLC0415 - heavy, and of no use to few tools
    from weiwo.tools.selection.tool_retriever import build_retriever  # noqa: PLC0415 - the same
    from weiwo.tools.selection.usage_history import read_history  # noqa: PLC0415 - the same

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
    """The rankings with embeddings; None where there are none, not all yet, or their model is down."""
    if (name := services.settings.embeddings) is None or not wanted:
        return None
    from weiwo.tools.corpus.index.embedding_models import EmbeddingError  # noqa: PLC0415 - heavy
    from weiwo.tools.selection.tool_retriever import build_retriever  # noqa: PLC0415 - the same
    from weiwo.tools.selection.usage_history import LONGEST_QUESTION  # noqa: PLC0415 - the same
    from weiwo.tools.selection.vector_cache import VectorsMissingError  # noqa: PLC0415 - the same

    try:
        model = _load_model(name)
        vectors = [model.embed_question(need) for need in wanted]
        cache = open_vectors(Path(services.settings.home), model, len(vectors[0]))
        if services.settings.telemetry:  # where its answer is complete, the question will be of the history
            cache.keep(wanted[0][:LONGEST_QUESTION], vectors[0])
        retriever = build_retriever(documents, history, cache.ready)
    except (EmbeddingError, VectorsMissingError):  # a search of the documents tells of a model that is down
        return None
    return [retriever.rank(need, vector) for need, vector in zip(wanted, vectors, strict=True)]


def take_tools(names: Sequence[str], most: int, tokens: int, services: RunContext) -> tuple[str, ...]:
    """The first of these, as many as may be, that fit the tokens; one that is too long leaves its place to the next."""
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
