"""Tool ranking: the tools of a pool that fit what is wanted, and as many of them as a prompt has room for."""

from collections.abc import Sequence
from pathlib import Path

from weiwo.models.token_estimate import text_tokens
from weiwo.nodes.shared.run_context import RunContext


def rank_tools(pool: tuple[str, ...], needs: Sequence[str], services: RunContext) -> list[str]:
    """The tools of a pool, those that fit best first; those for several needs in turn. A large pool takes a moment."""
    from weiwo.tools.retrieval.tool_index import ToolDocument  # noqa: PLC0415 - heavy, and of no use to few tools
    from weiwo.tools.retrieval.tool_retriever import build_retriever  # noqa: PLC0415 - the same
    from weiwo.tools.retrieval.usage_history import read_history  # noqa: PLC0415 - the same

    documents = tuple(ToolDocument.of_info(info) for info in services.list_interfaces(pool).values())
    history = read_history(Path(services.settings.home)) if services.settings.telemetry else ()
    retriever = build_retriever(documents, history)
    rankings = [retriever.rank(need) for need in dict.fromkeys(needs) if need.strip()]
    return list(dict.fromkeys(name for names in zip(*rankings, strict=True) for name in names))


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
