"""What a caller may set for one run: the fields of `Context`, and where LangGraph Studio shows them."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from weiwo.state.environment import AGENTS, FILTER_FIELDS, ROLES
from weiwo.state.run_limits import Depth
from weiwo.state.source_filter import read_folder, read_since, read_site

_THINKING = rf"^(enable_thinking|reasoning_effort)(:({'|'.join(ROLES)})(,({'|'.join(ROLES)}))*)?$"

_STUDIO_NODES: dict[str, tuple[str, ...]] = {
    "model": AGENTS,
    **{f"{role}_model": (role,) for role in AGENTS},
    **dict.fromkeys(("verifier_model", "words"), ("writer",)),
    "form": ("master", "writer"),
    "approve_plan": ("approval",),
    **dict.fromkeys(("clarify", "answer_memory"), ("master",)),
    **dict.fromkeys(("max_tasks", "max_tools", "procedures", "plan_memory"), ("planner",)),
    "max_replans": ("reflection",),
    **dict.fromkeys(("max_items", "max_turns", "max_queries", "max_pages", "max_parallel"), ("executor",)),
    **dict.fromkeys(("tool_seconds", "max_page_bytes", "corpus", "web", "search", "fresh"), ("executor",)),
    **dict.fromkeys(FILTER_FIELDS, ("executor",)),
}
"""The nodes on which Studio shows a field."""


def _hint_nodes(schema: dict[str, Any]) -> None:
    for field, nodes in _STUDIO_NODES.items():
        schema["properties"][field]["langgraph_nodes"] = list(nodes)


def _unset(description: str, **bounds: Any) -> Any:
    """A field that is unset unless a caller gives it; the description is what Studio's form shows."""
    return Field(default=None, description=description, **bounds)


class Context(BaseModel):
    """Configuration of one run; LangGraph Studio draws its form from this. Whatever is unset comes from `WEIWO_*`.

    An empty text is unset: forms send one for each field that was left alone. Fields it does not know are ignored:
    AG-UI and CopilotKit hand a run's whole `configurable` over, `thread_id` included.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True, json_schema_extra=_hint_nodes)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if v != ""} if isinstance(data, Mapping) else data

    @field_validator("site", "not_site", mode="after")
    @classmethod
    def _read_sites(cls, sites: list[str] | None) -> list[str] | None:
        return [read_site(site) for site in sites] if sites else None

    @field_validator("since", mode="after")
    @classmethod
    def _read_since(cls, since: str | None) -> str | None:
        return read_since(since) if since else None

    @field_validator("folder", mode="after")
    @classmethod
    def _read_folders(cls, folders: list[str] | None) -> list[str] | None:
        return [read_folder(folder) for folder in folders] if folders else None

    model: str | None = _unset("Chat model as provider:model, such as openai:gpt-5-mini. Unset: rules alone.")
    master_model: str | None = _unset("Model for the master, if another.")
    planner_model: str | None = _unset("Model for the planner, if another.")
    executor_model: str | None = _unset("Model that reads passages inside tasks, if another.")
    reflection_model: str | None = _unset("Model for reflection, if another.")
    writer_model: str | None = _unset("Model for the writer, if another.")
    verifier_model: str | None = _unset(
        "Model that judges the answer's claims against their sources; may be small (default: the writer's)."
    )
    model_seconds: float | None = _unset("Seconds one model call may take (default 60).", gt=0)
    context_tokens: int | None = _unset(
        "Tokens of the model's context window. Unset: as known by its name, else 32,000.", ge=2_000
    )
    thinking: str | None = _unset(
        "Switch that keeps a reasoning model from thinking, and after a colon the roles that may think, such as"
        " enable_thinking:planner or reasoning_effort; weiwo setup finds it. Unset: the model decides.",
        pattern=_THINKING,
    )
    depth: Depth | None = _unset(
        "How far to look: sets turns, queries, pages and rounds, unless these are set (default normal)."
    )
    form: Literal["sentence", "list", "table", "report", "code"] | None = _unset(
        "The form a model writes the answer in. Unset: as the question wants it."
    )
    words: int | None = _unset(
        "About how long the answer of a model is, in words (Chinese: characters).", ge=10, le=20_000
    )
    embeddings: str | None = _unset("Embedding model as provider:model, to find passages by meaning.")
    corpus: list[str] | None = _unset(
        "Files, folders, patterns and names of corpora to search, indexed on the fly. Unset: WEIWO_CORPUS, else"
        " what weiwo index made without a name, else the bundled sample."
    )
    web: bool | None = _unset(
        "Whether the web may be used (default: where a provider is set up; true without a key: DuckDuckGo, Wikipedia)."
    )
    search: list[str] | None = _unset(
        "Search providers, in the order to ask them, such as searxng, brave@5/1000, tavily+raw. Unset: those"
        " whose keys are set."
    )
    allow_hosts: list[str] | None = _unset(
        "Hosts and networks of an intranet that may be fetched from, such as wiki.corp or 10.1.0.0/16."
    )
    site: list[str] | None = _unset("Sites whose pages count, such as who.int; others do not.")
    not_site: list[str] | None = _unset("Sites whose pages do not count.")
    since: str | None = _unset("Year, month or day, such as 2025-01: what is known to be older does not count.")
    folder: list[str] | None = _unset("Folders of the documents; those elsewhere do not count, such as docs/2025.")
    tools: list[str] | None = _unset("Extra LangChain tools as module:attribute.")
    mcp: str | None = _unset("File of MCP servers (mcpServers, as desktop clients write it).")
    plan_memory: bool | None = _unset(
        "Whether plans that led to complete answers are kept and used again (default yes)."
    )
    answer_memory: bool | Literal["renew"] | None = _unset(
        "Whether a question that was answered completely before, and whose sources have not changed, is answered"
        " so again, with the answer's age (default: for weiwo ask); renew: answers anew in its place."
    )
    procedures: str | None = _unset("Folder of Markdown procedures: how this house answers questions of a kind.")
    allow_tools: list[str] | None = _unset("Tools that may act (change something) without a person being asked.")
    allow_acting: bool | None = _unset("Whether every tool may act without a person being asked (default no).")
    max_tools: int | None = _unset("Tools that the planner sees; of more, those that fit the question.", ge=6, le=1_000)
    telemetry: bool | None = _unset("Whether retrieval telemetry is kept on this machine (default yes).")
    approve_plan: bool | None = _unset("Whether a person approves each plan before it runs (default no).")
    clarify: bool | None = _unset(
        "Whether a person is asked what a question means that can mean several things (default: at a terminal and"
        " of a server's clients). Unasked, the answer says what was assumed."
    )
    fresh: bool | None = _unset("Whether tools are called anew even where a recent result is kept (default no).")
    prices: dict[str, tuple[float, float]] | None = _unset(
        "US dollars per million input and output tokens, by provider:model; max_cost counts with them."
    )
    max_seconds: float | None = _unset("Seconds of work for one answer, waiting for a person excluded.", gt=0)
    max_model_calls: int | None = _unset("Chat model calls for one answer.", ge=0)
    max_tool_calls: int | None = _unset("Tool calls for one answer.", ge=1)
    max_tokens: int | None = _unset("Input and output tokens for one answer.", ge=0)
    max_cost: float | None = _unset("US dollars for one answer, where prices are known.", ge=0)
    max_tasks: int | None = _unset("Tasks in one plan.", ge=1)
    max_items: int | None = _unset("Instances of one for_each task; more are cut, and that is reported.", ge=1)
    max_replans: int | None = _unset("Rounds of retrying, replanning or deepening.", ge=0)
    max_turns: int | None = _unset("Searches or page openings inside one task.", ge=1)
    max_queries: int | None = _unset("Queries sent at once in one search of a task.", ge=1)
    max_pages: int | None = _unset("Pages or documents opened in one task.", ge=0)
    max_parallel: int | None = _unset("Tasks that work at the same time.", ge=1)
    tool_seconds: float | None = _unset("Seconds for one tool call.", gt=0)
    max_page_bytes: int | None = _unset("Bytes read of one page or document.", ge=1_000)


def describe_validation_error(error: ValidationError) -> str:
    """The first complaint of a validation error, as one line that names the field."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "input"
    said, given = first["msg"].removeprefix("Value error, "), first.get("input")
    shown = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    return f"{field}: {said}, got {shown[:60]!r}"
