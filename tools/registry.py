"""The tools of a run: which there are, what each takes, which can stand in for which, and why one is missing.

Substitutes share a functional cluster, after the dynamic capability boundary of the AI Search Paradigm (arXiv
2506.17188, section 4.1). The registry has no opinion about plans.
"""

import asyncio
import importlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.tools import BaseTool

from state import VALUE_TYPES, ValueType
from state.settings import Settings, SettingsError
from tools.arguments import schema_of
from tools.corpus import Corpus, load_corpus
from tools.failures import redacted
from tools.printable import one_line

_BUILT_IN: Final[dict[str, tuple[str, tuple[ValueType, ...]]]] = {
    "corpus_search": ("search", VALUE_TYPES),
    "open_document": ("open", VALUE_TYPES),
    "calculator": ("compute", ("number", "boolean", "date")),
    "date_difference": ("dates", ("number",)),
    "web_search": ("search", VALUE_TYPES),
}
_LONGEST_DESCRIPTION: Final = 400


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What is known of a tool without calling it.

    Attributes:
        name: Its name, by which tasks bind to it.
        description: What it does, for a planner.
        args_schema: Its arguments as JSON schema: `properties` and `required`.
        cluster: Tools of one cluster do the same kind of thing: "search", "open", "compute", "dates", or "other:NAME".
        available: Whether it can be called.
        why_not: Why it cannot, and what would change that; empty if it can.
        returns: The types of value a task can get from it.
    """

    name: str
    description: str
    args_schema: dict[str, Any]
    cluster: str
    available: bool
    why_not: str
    returns: tuple[ValueType, ...]


class Registry:
    """Tools by name. Those that are not available are listed, and cannot be had."""

    def __init__(
        self, tools: Iterable[BaseTool], missing: Iterable[ToolInfo] = (), corpus: Corpus | None = None
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._infos = {name: _info(tool) for name, tool in self._tools.items()}
        self._infos |= {info.name: info for info in missing if info.name not in self._tools}
        self.corpus = corpus
        """The documents that `corpus_search` searches, if any are loaded."""

    def infos(self) -> tuple[ToolInfo, ...]:
        """Every tool, the unavailable ones last."""
        return tuple(self._infos.values())

    def names(self) -> tuple[str, ...]:
        """The tools that can be called."""
        return tuple(self._tools)

    def get(self, name: str) -> BaseTool:
        """A tool that can be called.

        Raises:
            KeyError: There is none of that name.
        """
        return self._tools[name]

    def info(self, name: str) -> ToolInfo:
        """What is known of a tool, available or not.

        Raises:
            KeyError: There is none of that name.
        """
        return self._infos[name]

    def substitutes(self, name: str) -> tuple[str, ...]:
        """Available tools of the same cluster that need no argument which this one does not have."""
        given = self._infos.get(name)
        if given is None:
            return ()
        arguments = set(given.args_schema["properties"])
        return tuple(
            other
            for other in self._tools
            if other != name
            and self._infos[other].cluster == given.cluster
            and arguments >= set(self._infos[other].args_schema["required"])
        )

    def describe(self, names: Iterable[str]) -> str:
        """Tools with their arguments, a few lines each, for a planner's prompt; unknown names are left out."""
        return "\n".join(_described(self._infos[name]) for name in names if name in self._infos)


async def build_registry(settings: Settings, extra: Sequence[BaseTool] = ()) -> Registry:
    """Set up the tools of a run. What is slow to set up is kept in the process.

    Args:
        settings: The run's settings; corpus, web and tools count here.
        extra: Further tools, as objects. One named like a built-in tool replaces it.

    Raises:
        CorpusError: The corpus cannot be read; one line.
        SettingsError: An entry of `settings.tools` cannot be loaded; the message names it.
    """
    corpus = await load_corpus(settings.corpus, max_bytes=settings.limits.max_page_bytes)
    built_in, missing = await asyncio.to_thread(_built_in, settings, corpus)
    named = await asyncio.to_thread(_named, settings.tools)
    return Registry([*built_in, *named, *extra], missing, corpus)


def _built_in(settings: Settings, corpus: Corpus) -> tuple[list[BaseTool], list[ToolInfo]]:
    from tools.calculator import Calculator  # noqa: PLC0415  # tools are imported where they are needed: start-up is quick
    from tools.corpus_tools import CorpusSearch, OpenDocument  # noqa: PLC0415  # the same
    from tools.date_difference import DateDifference  # noqa: PLC0415  # the same
    from tools.web_search import WebSearch, WebSearchArguments  # noqa: PLC0415  # the same

    tools: list[BaseTool] = []
    missing: list[ToolInfo] = []
    over_corpus: list[BaseTool] = [CorpusSearch(corpus=corpus), OpenDocument(corpus=corpus)]
    if corpus.size:
        tools += over_corpus
    else:
        paths = ", ".join(settings.corpus)
        why = f"the corpus {one_line(paths)} holds no .md or .txt text; name files or folders that do"
        missing += [_info(tool, why) for tool in over_corpus]
    tools += [Calculator(), DateDifference()]
    web = WebSearch.from_environment()
    if web is not None and settings.web:
        tools.append(web)
    else:
        why = "no TAVILY_API_KEY is set" if settings.web else "web search is switched off for this run"
        schema = WebSearchArguments.model_json_schema()
        description = str(WebSearch.model_fields["description"].default)
        missing.append(_unavailable("web_search", description, schema, why))
    return tools, missing


def _named(entries: Iterable[str]) -> list[BaseTool]:
    """The tools that settings name as `module:attribute`."""
    return [tool for entry in entries for tool in _loaded(entry)]


def _loaded(entry: str) -> list[BaseTool]:
    module, _, attribute = entry.partition(":")
    if not (module.strip() and attribute.strip()):
        raise SettingsError(
            f"tools: {one_line(entry, 100)!r} is not module:attribute; write it so, as in my_tools:search"
        )
    try:
        found: Any = importlib.import_module(module.strip())
        for part in attribute.strip().split("."):
            found = getattr(found, part)
        if not isinstance(found, BaseTool | list | tuple) and callable(found):
            found = found()
    except (Exception, SystemExit) as error:  # whatever the user's module does wrong
        said = one_line(redacted(f"{type(error).__name__}: {error}"), 200)
        raise SettingsError(f"tools: {one_line(entry, 100)!r} cannot be loaded: {said}") from error
    tools = list(found) if isinstance(found, list | tuple) else [found]
    if not tools or not all(isinstance(tool, BaseTool) for tool in tools):
        kind = type(found).__name__
        raise SettingsError(
            f"tools: {one_line(entry, 100)!r} is a {kind}; it must be a LangChain tool or a list of them"
        )
    return tools


def _info(tool: BaseTool, why_not: str = "") -> ToolInfo:
    cluster, returns = _BUILT_IN.get(tool.name, (f"other:{tool.name}", VALUE_TYPES))
    own = (tool.metadata or {}).get("cluster")
    cluster = own if isinstance(own, str) and own else cluster
    return ToolInfo(tool.name, tool.description, schema_of(tool), cluster, not why_not, why_not, returns)


def _unavailable(name: str, description: str, schema: Mapping[str, Any], why_not: str) -> ToolInfo:
    cluster, returns = _BUILT_IN[name]
    arguments = {"properties": schema["properties"], "required": schema.get("required", [])}
    return ToolInfo(name, description, arguments, cluster, False, why_not, returns)  # noqa: FBT003  # `available`


def _described(info: ToolInfo) -> str:
    properties: Mapping[str, Any] = info.args_schema["properties"]
    required = set(info.args_schema["required"])
    signature = ", ".join(_argument(name, schema, name in required) for name, schema in properties.items())
    lines = [f"- {info.name}({signature}): {one_line(info.description, _LONGEST_DESCRIPTION)}"]
    lines += [
        f"    {name}: {one_line(str(schema['description']), _LONGEST_DESCRIPTION)}"
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and schema.get("description")
    ]
    return "\n".join(lines)


def _argument(name: str, schema: Any, required: bool) -> str:  # noqa: FBT001  # private, one caller
    kind = _kind(schema)
    if required:
        return f"{name}: {kind}"
    default = schema.get("default") if isinstance(schema, Mapping) else None
    return f"{name}?: {kind}" + ("" if default in (None, "") else f" = {json.dumps(default, ensure_ascii=False)}")


def _kind(schema: Any) -> str:
    """A JSON schema's type in a few words."""
    if not isinstance(schema, Mapping):
        return "any"
    if "enum" in schema:
        return "|".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    if options := schema.get("anyOf"):
        return "|".join(dict.fromkeys(_kind(option) for option in options if option.get("type") != "null"))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    kind = schema.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)
