"""The tool registry of a run: tools and their metadata, substitutes, and reasons for missing tools.

Substitutes share a functional cluster, after the dynamic capability boundary of the AI Search Paradigm (arXiv
2506.17188, section 4.1). The registry does not choose tools for a plan.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from weiwo.state import VALUE_TYPES, JsonValue, Language
from weiwo.state.settings import Settings, SettingsError
from weiwo.text.printable import one_line
from weiwo.tools.built_in import BUILT_IN_TOOLS, explain_empty_corpus, explain_no_tables
from weiwo.tools.calling.arguments import arguments_fit, schema_of
from weiwo.tools.calling.injection import takes_injected
from weiwo.tools.calling.substitutes import map_arguments
from weiwo.tools.compute.calculator import Calculator
from weiwo.tools.compute.date_difference import DateDifference
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.retrieval.reranker import reranker_of
from weiwo.tools.corpus.tools import CorpusSearch, OpenDocument
from weiwo.tools.mcp.toolset import load_mcp_tools
from weiwo.tools.selection.clusters import Documentation, clusters_of
from weiwo.tools.tables.catalog import open_catalog
from weiwo.tools.tables.query_table import QueryTable
from weiwo.tools.tool_info import ToolInfo, describe_tool
from weiwo.tools.user_tools import load_named_tools
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.providers.health import ConfiguredProvider
from weiwo.tools.web.providers.selection import explain_none
from weiwo.tools.web.web_search import WebSearch

_CHEAP: Final = frozenset({"corpus_search", "open_document", "query_table", "calculator", "date_difference"})
_CACHE_SECONDS: Final = 300.0
"""Lifetime of cached results of tools without `cache_seconds` in their metadata."""


class Registry:
    """Registry of tools by name. Unavailable tools have metadata but cannot be fetched.

    Args:
        tools: The available tools.
        missing: Metadata of unavailable tools.
        corpus: The documents of the run.
        problems: Messages about tools that could not be loaded, by language.
    """

    def __init__(
        self,
        tools: Iterable[BaseTool],
        missing: Iterable[ToolInfo] = (),
        corpus: Corpus | None = None,
        problems: Sequence[Mapping[Language, str]] = (),
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        infos = [_describe_made(tool) for tool in self._tools.values()]
        infos += [info for info in missing if info.name not in self._tools]
        said = (Documentation.of(i.name, i.description, i.args_schema, i.cluster, i.server) for i in infos)
        clusters = clusters_of(tuple(said))
        self._infos = {info.name: replace(info, cluster=clusters[info.name]) for info in infos}
        self.corpus = corpus
        """The documents that `corpus_search` searches, or None."""
        self.problems = tuple(problems)
        """Messages about tools that could not be loaded, such as a server that is down, by language."""

    def infos(self) -> tuple[ToolInfo, ...]:
        """Return the metadata of every tool, with unavailable tools last."""
        return tuple(self._infos.values())

    def names(self) -> tuple[str, ...]:
        """Return the names of the tools available for calls."""
        return tuple(self._tools)

    def get(self, name: str) -> BaseTool:
        """Return an available tool by name.

        Raises:
            KeyError: No available tool has that name.
        """
        return self._tools[name]

    def info(self, name: str) -> ToolInfo:
        """Return the metadata of a tool, available or not.

        Raises:
            KeyError: No tool has that name.
        """
        return self._infos[name]

    def add_notes(self, notes: Mapping[str, str]) -> None:
        """Add notes to the metadata, by tool name. Unknown names are skipped.

        A note tells a planner how to call the tool, as learned from earlier calls.
        """
        for name, note in notes.items():
            if name in self._infos:
                self._infos[name] = replace(self._infos[name], note=note)

    def substitutes(self, name: str, args: Mapping[str, JsonValue]) -> dict[str, dict[str, JsonValue]]:
        """Find available tools that can replace a call.

        Returns:
            The arguments for each substitute, by its name and with its argument names. Substitutes are of the same
            cluster, and tools that keep more of the arguments come first. A tool that acts has no substitutes and is
            never a substitute.
        """
        given = self._infos.get(name)
        if given is None or given.acts:
            return {}
        found: dict[str, dict[str, JsonValue]] = {}
        for other, tool in self._tools.items():
            info = self._infos[other]
            if other == name or info.cluster != given.cluster or info.acts:
                continue
            other_args = map_arguments(args, given.args_schema, info.args_schema, info.cluster)
            if other_args is None or not arguments_fit(tool, other_args):
                continue
            # A web page is not among the documents.
            if other != "open_document" or not str(other_args.get("source")).startswith(("http://", "https://")):
                found[other] = other_args
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def describe(self, names: Iterable[str]) -> str:
        """Describe tools and arguments for a planner's prompt, in a few lines each.

        Unknown names are left out.
        """
        return "\n".join(describe_tool(self._infos[name]) for name in names if name in self._infos)


async def build_registry(settings: Settings, extra: Sequence[BaseTool] = ()) -> Registry:
    """Set up the tools of a run. The corpus, tools made by factories and MCP connections are cached in the process.

    Args:
        settings: The run's settings.
        extra: Further tools, as objects. An extra tool with the name of a built-in tool replaces it. A tool of an MCP
            server does not.

    Raises:
        CorpusError: The corpus cannot be read. The message is one line.
        SettingsError: An entry of `settings.tools`, `mcp`, `search` or `allow_hosts` cannot be used. The
            message names it.
    """
    corpus = await load_corpus(settings.corpus, settings=settings)
    built_in, missing = await asyncio.to_thread(_build_own_tools, settings, corpus)
    named = await load_named_tools(settings.tools) if settings.tools else []
    ours = [*built_in, *named, *extra]
    if not settings.mcp:
        return Registry(ours, missing, corpus)
    names = {*BUILT_IN_TOOLS, *(tool.name for tool in ours)}
    outside = await load_mcp_tools(settings.mcp, names, settings.limits.max_seconds)
    return Registry([*ours, *outside.tools], missing, corpus, outside.problems)


def _build_own_tools(settings: Settings, corpus: Corpus) -> tuple[list[BaseTool], list[ToolInfo]]:
    tools: list[BaseTool] = []
    missing: list[ToolInfo] = []
    over_corpus: list[BaseTool] = [
        CorpusSearch(corpus=corpus, within=settings.filter, reranker=reranker_of(settings.reranker)),
        OpenDocument(corpus=corpus, within=settings.filter),
    ]
    has_documents = bool(corpus.size) and settings.searches_documents
    if has_documents:
        tools += over_corpus
    else:
        missing += [_describe_made(tool, explain_empty_corpus(settings)) for tool in over_corpus]
    if has_documents and open_catalog(corpus).has_tables():
        asks = QueryTable(corpus=corpus, within=settings.filter)
        if why_not := explain_no_tables():
            missing.append(_describe_made(asks, why_not))
        else:
            tools.append(asks)
    tools += [Calculator(), DateDifference()]
    search = WebSearch.from_settings(settings)
    if search is None:
        missing.append(_describe_missing(WebSearch, explain_none(settings)))
    else:
        tools.append(search)
    if search is not None or (settings.web and settings.allow_hosts):
        tools += _build_page_readers(settings, () if search is None else search.sources)
    return tools, missing


def _build_page_readers(settings: Settings, sources: Sequence[ConfiguredProvider]) -> list[BaseTool]:
    from weiwo.tools.web.fetching.browser import explain_no_browser  # noqa: PLC0415 - the same
    from weiwo.tools.web.read_page import ExtractPage, ReadPage  # noqa: PLC0415 - slow to import, for the web alone

    try:
        guard = UrlGuard(allow=settings.allow_hosts)
    except ValueError as error:
        raise SettingsError(f"allow_hosts: {one_line(str(error))}") from None
    seconds = 0.4 * settings.limits.tool_seconds  # a fetch may take less than a call, so that a second one fits in
    bounds: dict[str, Any] = {"guard": guard, "seconds": seconds, "max_bytes": settings.limits.max_page_bytes}
    bounds["within"] = settings.filter
    tavily = [ExtractPage(source=source, **bounds) for source in sources if source.name == "tavily"]
    browser = settings.browser and not explain_no_browser()
    return [ReadPage(browser=browser, **bounds), *tavily]


def _describe_made(tool: BaseTool, why_not: str = "") -> ToolInfo:
    known_of = tool.metadata or {}
    stated, kept = known_of.get("cluster"), known_of.get("cache_seconds")
    cluster, returns = BUILT_IN_TOOLS.get(tool.name, ("", VALUE_TYPES))  # without a cluster it is found by likeness
    cluster = stated if isinstance(stated, str) and stated else cluster
    known = isinstance(kept, int | float) and not isinstance(kept, bool) and kept >= 0
    seconds = float(kept) if known else 0.0 if tool.name in _CHEAP else _CACHE_SECONDS  # type: ignore[arg-type]
    acts, injected = may_act(tool), takes_injected(tool)
    claims = known_of.get("annotations")
    if not cluster and isinstance(claims, Mapping) and claims.get("open_world_hint") is False:
        cluster = f"own:{tool.name}"  # it works on what its server alone has: another's data are no substitute
    return ToolInfo(
        tool.name,
        tool.description,
        schema_of(tool),
        f"acts:{tool.name}" if acts else cluster,
        not why_not,
        why_not,
        returns,
        0.0 if acts or injected else seconds,
        acts=acts,
        injected=injected,
        server=str(known_of.get("server") or ""),
        idempotent=known_of.get("idempotent") is True,
        always_ask=known_of.get("always_ask") is True,
    )


def may_act(tool: BaseTool) -> bool:
    """Report whether a tool may change something outside the run, judging by its metadata.

    `acts` or `read_only` in the metadata decide, else its MCP annotations. A LangChain tool without either is assumed
    to be read-only, as search and retriever tools are. A tool that came from an MCP server through LangChain's own
    adapter acts unless it is declared read-only, as in MCP.
    """
    known = tool.metadata or {}
    if isinstance(stated := known.get("acts"), bool):
        return stated
    if isinstance(stated := known.get("read_only", known.get("readOnlyHint")), bool):
        return not stated
    if isinstance(mcp := known.get("mcp"), Mapping):
        described = mcp.get("tool")
        claims = described.get("annotations") if isinstance(described, Mapping) else None
        return not (isinstance(claims, Mapping) and claims.get("read_only_hint", claims.get("readOnlyHint")) is True)
    return False


def _describe_missing(kind: type[BaseTool], why_not: str) -> ToolInfo:
    """Return the metadata of an unavailable built-in tool, from its class alone."""
    name, description, arguments = (
        kind.model_fields[field].default for field in ("name", "description", "args_schema")
    )
    cluster, returns = BUILT_IN_TOOLS[name]
    return ToolInfo(
        name, description, _schema_of_model(arguments), cluster, available=False, why_not=why_not, returns=returns
    )


@cache
def _schema_of_model(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return `properties` and `required` of the JSON schema of an argument model.

    The result is cached, because each node of a run asks for it and creating it takes milliseconds.
    """
    schema = arguments.model_json_schema()
    return {"properties": schema["properties"], "required": schema.get("required", [])}


async def list_tools(settings: Settings, language: Language = "en") -> dict[str, Any]:
    """Return the `tools`, the MCP `servers` and the `problems` of a run as JSON data.

    In each tool, `asks` says whether a person is asked before a call.
    """
    registry = await build_registry(settings)
    servers = []
    if settings.mcp:
        servers = [_server(connection, language) for connection in (await load_mcp_tools(settings.mcp)).connections]
    asks = {
        info.name
        for info in registry.infos()
        if info.acts and (info.always_ask or not (settings.allow_acting or info.name in settings.allow_tools))
    }
    tools = [_tool(info, registry, asks=info.name in asks) for info in registry.infos()]
    return {"tools": tools, "servers": servers, "problems": [problem[language] for problem in registry.problems]}


def _tool(info: ToolInfo, registry: Any, *, asks: bool) -> dict[str, Any]:
    metadata = (registry.get(info.name).metadata or {}) if info.available else {}
    return {
        "name": info.name,
        "description": info.description,
        "arguments": info.args_schema,
        "cluster": info.cluster,
        "available": info.available,
        "why_not": info.why_not,
        "server": info.server,
        "acts": info.acts,
        "asks": asks,
        "annotations": metadata.get("annotations", {}),
    }


def _server(connection: Any, language: Language) -> dict[str, Any]:
    return {
        "name": connection.server.name,
        "transport": connection.server.transport,
        "address": connection.server.address,
        "trusted": connection.server.trusted,
        "health": connection.health,
        "why": connection.why[language] if connection.why else "",
        "protocol": connection.version,
        "starts": connection.starts,
        "tools": len(connection.definitions),
    }
