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

    model: str | None = Field(
        default=None, description="Chat model as provider:model, such as openai:gpt-5-mini. Unset: rules alone."
    )
    master_model: str | None = Field(default=None, description="Model for the master, if another.")
    planner_model: str | None = Field(default=None, description="Model for the planner, if another.")
    executor_model: str | None = Field(default=None, description="Model that reads passages inside tasks, if another.")
    reflection_model: str | None = Field(default=None, description="Model for reflection, if another.")
    writer_model: str | None = Field(default=None, description="Model for the writer, if another.")
    verifier_model: str | None = Field(
        default=None,
        description="Model that judges the answer's claims against their sources; may be small (default: the writer's).",  # noqa: E501 - one line reads best
    )
    model_seconds: float | None = Field(default=None, gt=0, description="Seconds one model call may take (default 60).")
    context_tokens: int | None = Field(
        default=None,
        ge=2_000,
        description="Tokens of the model's context window. Unset: as known by its name, else 32,000.",
    )
    thinking: str | None = Field(
        default=None,
        pattern=_THINKING,
        description="Switch that keeps a reasoning model from thinking, and after a colon the roles that may think,"
        " such as enable_thinking:planner or reasoning_effort; weiwo setup finds it. Unset: the model decides.",
    )
    depth: Depth | None = Field(
        default=None,
        description="How far to look: sets turns, queries, pages and rounds, unless these are set (default normal).",
    )
    form: Literal["sentence", "list", "table", "report", "code"] | None = Field(
        default=None, description="The form a model writes the answer in. Unset: as the question wants it."
    )
    words: int | None = Field(
        default=None,
        ge=10,
        le=20_000,
        description="About how long the answer of a model is, in words (Chinese: characters).",
    )
    embeddings: str | None = Field(
        default=None, description="Embedding model as provider:model, to find passages by meaning."
    )
    corpus: list[str] | None = Field(
        default=None,
        description="Files, folders, patterns and names of corpora to search, indexed on the fly. Unset: WEIWO_CORPUS,"
        " else what weiwo index made without a name, else the bundled sample.",
    )
    web: bool | None = Field(
        default=None,
        description="Whether the web may be used (default: where a provider is set up; true without a key: DuckDuckGo,"
        " Wikipedia).",
    )
    search: list[str] | None = Field(
        default=None,
        description="Search providers, in the order to ask them, such as searxng, brave@5/1000, tavily+raw. Unset:"
        " those whose keys are set.",
    )
    allow_hosts: list[str] | None = Field(
        default=None,
        description="Hosts and networks of an intranet that may be fetched from, such as wiki.corp or 10.1.0.0/16.",
    )
    site: list[str] | None = Field(default=None, description="Sites whose pages count, such as who.int; others do not.")
    not_site: list[str] | None = Field(default=None, description="Sites whose pages do not count.")
    since: str | None = Field(
        default=None, description="Year, month or day, such as 2025-01: what is known to be older does not count."
    )
    folder: list[str] | None = Field(
        default=None, description="Folders of the documents; those elsewhere do not count, such as docs/2025."
    )
    tools: list[str] | None = Field(default=None, description="Extra LangChain tools as module:attribute.")
    mcp: str | None = Field(default=None, description="File of MCP servers (mcpServers, as desktop clients write it).")
    plan_memory: bool | None = Field(
        default=None, description="Whether plans that led to complete answers are kept and used again (default yes)."
    )
    answer_memory: bool | Literal["renew"] | None = Field(
        default=None,
        description="Whether a question that was answered completely before, and whose sources have not changed, is"
        " answered so again, with the answer's age (default: for weiwo ask); renew: answers anew in its place.",
    )
    procedures: str | None = Field(
        default=None, description="Folder of Markdown procedures: how this house answers questions of a kind."
    )
    allow_tools: list[str] | None = Field(
        default=None, description="Tools that may act (change something) without a person being asked."
    )
    allow_acting: bool | None = Field(
        default=None, description="Whether every tool may act without a person being asked (default no)."
    )
    max_tools: int | None = Field(
        default=None, ge=6, le=1_000, description="Tools that the planner sees; of more, those that fit the question."
    )
    telemetry: bool | None = Field(
        default=None, description="Whether retrieval telemetry is kept on this machine (default yes)."
    )
    approve_plan: bool | None = Field(
        default=None, description="Whether a person approves each plan before it runs (default no)."
    )
    clarify: bool | None = Field(
        default=None,
        description="Whether a person is asked what a question means that can mean several things (default: at a"
        " terminal and of a server's clients). Unasked, the answer says what was assumed.",
    )
    fresh: bool | None = Field(
        default=None, description="Whether tools are called anew even where a recent result is kept (default no)."
    )
    prices: dict[str, tuple[float, float]] | None = Field(
        default=None,
        description="US dollars per million input and output tokens, by provider:model; max_cost counts with them.",
    )
    max_seconds: float | None = Field(
        default=None, gt=0, description="Seconds of work for one answer, waiting for a person excluded."
    )
    max_model_calls: int | None = Field(default=None, ge=0, description="Chat model calls for one answer.")
    max_tool_calls: int | None = Field(default=None, ge=1, description="Tool calls for one answer.")
    max_tokens: int | None = Field(default=None, ge=0, description="Input and output tokens for one answer.")
    max_cost: float | None = Field(default=None, ge=0, description="US dollars for one answer, where prices are known.")
    max_tasks: int | None = Field(default=None, ge=1, description="Tasks in one plan.")
    max_items: int | None = Field(
        default=None, ge=1, description="Instances of one for_each task; more are cut, and that is reported."
    )
    max_replans: int | None = Field(default=None, ge=0, description="Rounds of retrying, replanning or deepening.")
    max_turns: int | None = Field(default=None, ge=1, description="Searches or page openings inside one task.")
    max_queries: int | None = Field(default=None, ge=1, description="Queries sent at once in one search of a task.")
    max_pages: int | None = Field(default=None, ge=0, description="Pages or documents opened in one task.")
    max_parallel: int | None = Field(default=None, ge=1, description="Tasks that work at the same time.")
    tool_seconds: float | None = Field(default=None, gt=0, description="Seconds for one tool call.")
    max_page_bytes: int | None = Field(default=None, ge=1_000, description="Bytes read of one page or document.")


def describe_validation_error(error: ValidationError) -> str:
    """The first complaint of a validation error, as one line that names the field."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "input"
    said, given = first["msg"].removeprefix("Value error, "), first.get("input")
    shown = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    return f"{field}: {said}, got {shown[:60]!r}"
