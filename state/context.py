"""Settings of a single run: `Context`, and the layout of the settings in LangGraph Studio."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from weiwo.state.kinds import AGENTS, ROLES, SourceKind, read_language_tag
from weiwo.state.run_limits import Depth
from weiwo.state.source_filter import read_folder, read_since, read_site

_THINKING = rf"^(enable_thinking|reasoning_effort)(:({'|'.join(ROLES)})(,({'|'.join(ROLES)}))*)?$"


@dataclass(frozen=True, slots=True)
class Setting:
    """Metadata of a `Context` field: permission to set the field, and effects of the field.

    Every list of fields is derived from it: environment variables, a server's allow-list, Studio's form, the trust in a
    `.env` file, and the identity of a cached answer.

    Attributes:
        read: Format of the text in `WEIWO_NAME`: `text`, `flag` (on or off), `list` (commas), `paths` (as in `PATH`) or
            `prices`.
        client: Permission of a server's client: `open` to set the field, `never`, or `named` if `WEIWO_CLIENT_FIELDS`
            names it.
        careful: Value that any client may set, since it only restricts. None if there is no such value.
        shapes_answer: Whether another value may lead to another answer, so that a cached answer is valid for one value
            only.
        needs_trust: Whether a `.env` file may set the field only in a folder that the user trusts.
        studio: Nodes of the graph on which Studio shows the field.
    """

    read: Literal["text", "flag", "list", "paths", "prices"] = "text"
    client: Literal["open", "named", "never"] = "named"
    careful: bool | None = None
    shapes_answer: bool = False
    needs_trust: bool = False
    studio: tuple[str, ...] = ()


def _hint_nodes(schema: dict[str, Any]) -> None:
    """Add the key `langgraph_nodes` to fields of the JSON schema of `Context`: the nodes where Studio shows a field."""
    for name, setting in field_settings().items():
        if setting.studio:
            schema["properties"][name]["langgraph_nodes"] = list(setting.studio)


def _unset(description: str, **bounds: Any) -> Any:
    """Declare a field left unset unless a caller sets the field. Studio's form shows the description."""
    return Field(default=None, description=description, **bounds)


def _limit(*studio: str) -> Setting:
    """Return the metadata of a run limit. Clients may lower the limit."""
    return Setting(client="open", shapes_answer=True, studio=studio)


def _model(*studio: str) -> Setting:
    """Return the metadata of the chat model of a role."""
    return Setting(shapes_answer=True, studio=studio)


_FILTER: Final = Setting(read="list", client="open", shapes_answer=True, studio=("executor",))


class Context(BaseModel):
    """Configuration of a run, and the source of LangGraph Studio's form.

    Unset fields come from `WEIWO_*`. An empty string counts as unset, because forms send an empty string for each field
    left alone. Unknown fields are ignored, because AG-UI and CopilotKit pass a run's whole `configurable`, `thread_id`
    included.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True, json_schema_extra=_hint_nodes)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if v != ""} if isinstance(data, Mapping) else data

    @field_validator("language", mode="after")
    @classmethod
    def _read_language(cls, said: str | None) -> str | None:
        return read_language_tag(said) if said else None

    @field_validator("sources", mode="before")
    @classmethod
    def _split_sources(cls, kinds: Any) -> Any:
        """Split each entry at commas: the command line's `["web,scholarly"]` becomes `["web", "scholarly"]`."""
        return [part.strip() for kind in kinds for part in str(kind).split(",")] if isinstance(kinds, list) else kinds

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

    model: Annotated[str | None, _model(*AGENTS)] = _unset(
        "Chat model as provider:model, such as openai:gpt-5-mini. Unset: rules only."
    )
    master_model: Annotated[str | None, _model("master")] = _unset("Model for the master, if different.")
    planner_model: Annotated[str | None, _model("planner")] = _unset("Model for the planner, if different.")
    executor_model: Annotated[str | None, _model("executor")] = _unset(
        "Model that reads passages inside tasks, if different."
    )
    reflection_model: Annotated[str | None, _model("reflection")] = _unset("Model for reflection, if different.")
    writer_model: Annotated[str | None, _model("writer")] = _unset("Model for the writer, if different.")
    verifier_model: Annotated[str | None, _model("writer")] = _unset(
        "Model that checks the answer's claims against their sources; may be small (default: the writer's)."
    )
    model_seconds: Annotated[float | None, Setting()] = _unset("Maximum seconds per model call (default 60).", gt=0)
    context_tokens: Annotated[int | None, Setting(shapes_answer=True)] = _unset(
        "Tokens of the model's context window. Unset: the known value for its name, else 32,000.", ge=2_000
    )
    thinking: Annotated[str | None, Setting(shapes_answer=True)] = _unset(
        "Switch that turns off the thinking of a reasoning model, with the roles that may think "
        "after a colon, such as enable_thinking:planner or reasoning_effort; weiwo setup finds it. "
        "Unset: the model decides.",
        pattern=_THINKING,
    )
    depth: Annotated[Depth | None, Setting(client="open", shapes_answer=True)] = _unset(
        "Search depth: sets turns, queries, pages and rounds, unless these are set (default normal)."
    )
    form: Annotated[
        Literal["sentence", "list", "table", "report", "code"] | None,
        Setting(client="open", shapes_answer=True, studio=("master", "writer")),
    ] = _unset("Form of the answer written by a model. Unset: as the question requires.")
    words: Annotated[int | None, Setting(client="open", shapes_answer=True, studio=("writer",))] = _unset(
        "Approximate length of a model's answer, in words (Chinese: characters).", ge=10, le=20_000
    )
    language: Annotated[str | None, Setting(client="open", shapes_answer=True, studio=("writer",))] = _unset(
        "Language of the answer as a tag, such as de. Unset: the language of the question."
    )
    embeddings: Annotated[str | None, Setting(shapes_answer=True)] = _unset(
        "Embedding model as provider:model, to find passages by meaning."
    )
    reranker: Annotated[str | None, Setting(client="never", shapes_answer=True, needs_trust=True)] = _unset(
        "Model that ranks the passages found, as MODEL@ADDRESS of a /rerank endpoint, or @module.attribute."
    )
    corpus: Annotated[list[str] | None, Setting(read="paths", studio=("executor",))] = _unset(
        "Files, folders, patterns and names of corpora to search, indexed on the fly. Unset: WEIWO_CORPUS, else"
        " what weiwo index made without a name, else the bundled sample."
    )
    web: Annotated[bool | None, Setting(read="flag", careful=False, shapes_answer=True, studio=("executor",))] = _unset(
        "Whether the web may be used (default: if a provider is configured; true without a key: DuckDuckGo, Wikipedia)."
    )
    sources: Annotated[list[SourceKind] | None, Setting(read="list", shapes_answer=True, studio=("executor",))] = (
        _unset(
            "Sources to search: documents, web, scholarly (papers). Unset: the documents, and the web if configured.",
            min_length=1,
        )
    )
    search: Annotated[list[str] | None, Setting(read="list", shapes_answer=True, studio=("executor",))] = _unset(
        "Search providers in order of use, such as searxng, brave@5/1000, tavily+raw. Unset: the "
        "providers whose keys are set."
    )
    browser: Annotated[bool | None, Setting(read="flag", careful=False, shapes_answer=True, studio=("executor",))] = (
        _unset(
            "Whether pages that need JavaScript are opened in an installed Chromium (default: if the "
            "extra browser is installed)."
        )
    )
    allow_hosts: Annotated[list[str] | None, Setting(read="list", shapes_answer=True, needs_trust=True)] = _unset(
        "Intranet hosts and networks that may be fetched, such as wiki.corp or 10.1.0.0/16."
    )
    site: Annotated[list[str] | None, _FILTER] = _unset("Use only pages of these sites, such as who.int.")
    not_site: Annotated[list[str] | None, _FILTER] = _unset("Use no pages of these sites.")
    since: Annotated[str | None, replace(_FILTER, read="text")] = _unset(
        "Year, month or day, such as 2025-01: use nothing known to be older."
    )
    folder: Annotated[list[str] | None, _FILTER] = _unset("Use only documents in these folders, such as docs/2025.")
    tools: Annotated[list[str] | None, Setting(read="list", client="never", shapes_answer=True, needs_trust=True)] = (
        _unset("Extra LangChain tools as module:attribute.")
    )
    mcp: Annotated[str | None, Setting(client="never", shapes_answer=True, needs_trust=True)] = _unset(
        "File of MCP servers (mcpServers, in the format of desktop clients)."
    )
    plan_memory: Annotated[bool | None, Setting(read="flag", careful=False, studio=("planner",))] = _unset(
        "Whether plans that led to complete answers are saved and reused (default yes)."
    )
    answer_memory: Annotated[
        bool | Literal["renew"] | None, Setting(read="flag", client="open", studio=("master",))
    ] = _unset(
        "Whether a completely answered question whose sources have not changed gets the same answer "
        "again, with its age (default: for weiwo ask); renew: replaces it with a new answer."
    )
    procedures: Annotated[
        str | None, Setting(client="never", shapes_answer=True, needs_trust=True, studio=("planner",))
    ] = _unset("Folder of Markdown procedures for answering certain kinds of questions.")
    template: Annotated[
        str | None, Setting(client="never", shapes_answer=True, needs_trust=True, studio=("master",))
    ] = _unset("Markdown or Word file whose headings and {{ questions }} the answer fills; each is a part of it.")
    allow_tools: Annotated[list[str] | None, Setting(read="list", client="never", needs_trust=True)] = _unset(
        "Tools that may make changes without asking the user."
    )
    allow_acting: Annotated[bool | None, Setting(read="flag", client="never", needs_trust=True)] = _unset(
        "Whether every tool may make changes without asking the user (default no)."
    )
    max_tools: Annotated[int | None, Setting(shapes_answer=True, studio=("planner",))] = _unset(
        "Number of tools shown to the planner; if there are more, the best matches.", ge=6, le=1_000
    )
    telemetry: Annotated[bool | None, Setting(read="flag", careful=False)] = _unset(
        "Whether retrieval telemetry is recorded on this machine (default yes)."
    )
    approve_plan: Annotated[bool | None, Setting(read="flag", careful=True, studio=("approval",))] = _unset(
        "Whether the user approves each plan before it runs (default no)."
    )
    clarify: Annotated[bool | None, Setting(read="flag", client="open", studio=("master",))] = _unset(
        "Whether the user is asked about an ambiguous question (default: at a terminal and for a "
        "server's clients). If not, the answer says what was assumed."
    )
    fresh: Annotated[bool | None, Setting(read="flag", studio=("executor",))] = _unset(
        "Whether tools are called again even if a recent result is saved (default no)."
    )
    prices: Annotated[dict[str, tuple[float, float]] | None, Setting(read="prices")] = _unset(
        "US dollars per million input and output tokens, by provider:model; used for max_cost."
    )
    max_seconds: Annotated[float | None, _limit()] = _unset(
        "Seconds of work for one answer, not counting waits for the user.", gt=0
    )
    max_model_calls: Annotated[int | None, _limit()] = _unset("Chat model calls for one answer.", ge=0)
    max_tool_calls: Annotated[int | None, _limit()] = _unset("Tool calls for one answer.", ge=1)
    max_tokens: Annotated[int | None, _limit()] = _unset("Input and output tokens for one answer.", ge=0)
    max_cost: Annotated[float | None, _limit()] = _unset("US dollars for one answer, if prices are known.", ge=0)
    max_tasks: Annotated[int | None, _limit("planner")] = _unset("Tasks in one plan.", ge=1)
    max_items: Annotated[int | None, _limit("executor")] = _unset(
        "Instances of one for_each task; more are skipped, which is reported.", ge=1
    )
    max_replans: Annotated[int | None, _limit("reflection")] = _unset(
        "Rounds of retrying, replanning or deepening.", ge=0
    )
    max_turns: Annotated[int | None, _limit("executor")] = _unset("Searches or page openings inside one task.", ge=1)
    max_queries: Annotated[int | None, _limit("executor")] = _unset(
        "Queries sent at once in one search of a task.", ge=1
    )
    max_pages: Annotated[int | None, _limit("executor")] = _unset("Pages or documents opened in one task.", ge=0)
    max_parallel: Annotated[int | None, _limit("executor")] = _unset("Tasks that run at the same time.", ge=1)
    tool_seconds: Annotated[float | None, _limit("executor")] = _unset("Seconds for one tool call.", gt=0)
    max_page_bytes: Annotated[int | None, _limit("executor")] = _unset("Bytes read of one page or document.", ge=1_000)


def field_settings() -> Mapping[str, Setting]:
    """Return the metadata of every field of `Context`."""
    return {
        name: next(entry for entry in info.metadata if isinstance(entry, Setting))
        for name, info in Context.model_fields.items()
    }


def describe_validation_error(error: ValidationError) -> str:
    """Return the first message of a validation error as a line: `words: Input should be …, got '3'`."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "input"
    said, given = first["msg"].removeprefix("Value error, "), first.get("input")
    shown = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    return f"{field}: {said}, got {shown[:60]!r}"
