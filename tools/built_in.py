"""Availability of the built-in tools, determined without importing the slow LangChain tools."""

from importlib.util import find_spec
from typing import Final, NamedTuple

from weiwo.state import VALUE_TYPES, Language, ValueType
from weiwo.state.settings import Settings, SettingsError
from weiwo.text.printable import one_line
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.providers.selection import explain_none, select_providers

BUILT_IN_TOOLS: Final[dict[str, tuple[str, tuple[ValueType, ...]]]] = {
    "corpus_search": ("search", VALUE_TYPES),
    "open_document": ("open", VALUE_TYPES),
    "query_table": ("tables", tuple(kind for kind in VALUE_TYPES if kind not in {"passages", "boolean"})),
    "calculator": ("compute", ("number", "boolean", "date")),
    "date_difference": ("dates", ("number",)),
    "web_search": ("search", VALUE_TYPES),
    "read_page": ("open", VALUE_TYPES),
    "extract_page": ("open", VALUE_TYPES),
}
"""The cluster of each built-in tool, and the types of value that a task can get from it."""
BUILT_IN: Final = frozenset(BUILT_IN_TOOLS)
"""Names of the built-in tools. A planner always sees those that are available."""


class Availability(NamedTuple):
    """Availability of a built-in tool."""

    name: str
    cluster: str  # tools with the same cluster have the same function
    why_not: str = ""  # reason why the tool is unavailable, and the remedy; empty if available


def list_built_in(
    settings: Settings, passages: int, language: Language = "en", *, tables: bool = False
) -> list[Availability]:
    """List the built-in tools of a run in registry order, unavailable tools last.

    Tools for web pages are left out if the run may not open any.

    Args:
        settings: The settings of the run.
        passages: Number of passages in the corpus. With 0, the tools for documents are unavailable.
        language: Language of the reasons.
        tables: Whether the corpus has tables. Without tables, `query_table` is left out.

    Raises:
        SettingsError: An entry of `search` or `allow_hosts` cannot be used.
    """
    sources = select_providers(settings)
    documents = settings.searches_documents
    none = "" if passages and documents else explain_empty_corpus(settings, language)
    tools = [
        Availability("corpus_search", "search", none),
        Availability("open_document", "open", none),
        *([Availability("query_table", "tables", explain_no_tables())] if tables and documents else []),
        Availability("calculator", "compute"),
        Availability("date_difference", "dates"),
        Availability("web_search", "search", "" if sources else explain_none(settings, language)),
    ]
    if sources or (settings.web and settings.allow_hosts):
        _require_hosts(settings)
        tools.append(Availability("read_page", "open"))
    tools += [Availability("extract_page", "open") for source in sources if source.name == "tavily"]
    return sorted(tools, key=lambda tool: bool(tool.why_not))


def explain_no_tables() -> str:
    """Return the reason why tables cannot be queried, or an empty string if they can."""
    return "" if find_spec("duckdb") else "needs DuckDB: pip install 'weiwo[tables]'"


def explain_empty_corpus(settings: Settings, language: Language = "en") -> str:
    """Return the reason why a run has no documents to search: the settings exclude them, or they contain no text.

    Call it only if there are none.
    """
    if not settings.searches_documents:
        return "sources 中没有 documents" if language == "zh" else "sources does not include documents"
    paths = one_line(", ".join(settings.corpus))
    if language == "zh":
        return f"{paths} 中没有可读取的文字；请指定有文字的文件或文件夹"
    return f"the corpus {paths} contains no readable text; choose files or folders with text"


def _require_hosts(settings: Settings) -> None:
    """Raise an error if an entry of `settings.allow_hosts` is invalid.

    Raises:
        SettingsError: The message names the entry.
    """
    if not settings.allow_hosts:
        return
    try:
        UrlGuard(allow=settings.allow_hosts)
    except ValueError as error:
        raise SettingsError(f"allow_hosts: {one_line(str(error))}") from None
