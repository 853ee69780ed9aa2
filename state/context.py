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
    """Add `langgraph_nodes`, a key read by Studio, to the JSON schema of `Context`."""
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
        """Split at commas, as the command line hands `--sources web,scholarly` over."""
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
        "Chat model as provider:model, such as openai:gpt-5-mini. Unset: rules alone."
    )
    master_model: Annotated[str | None, _model("master")] = _unset("Model for the master, if another.")
    planner_model: Annotated[str | None, _model("planner")] = _unset("Model for the planner, if another.")
    executor_model: Annotated[str | None, _model("executor")] = _unset(
        "Model that reads passages inside tasks, if another."
    )
    reflection_model: Annotated[str | None, _model("reflection")] = _unset("Model for reflection, if another.")
    writer_model: Annotated[str | None, _model("writer")] = _unset("Model for the writer, if another.")
    verifier_model: Annotated[str | None, _model("writer")] = _unset(
        "Model that judges the answer's claims against their sources; may be small (default: the writer's)."
    )
    model_seconds: Annotated[float | None, Setting()] = _unset("Seconds one model call may take (default 60).", gt=0)
    context_tokens: Annotated[int | None, Setting(shapes_answer=True)] = _unset(
        "Tokens of the model's context window. Unset: as known by its name, else 32,000.", ge=2_000
    )
    thinking: Annotated[str | None, Setting(shapes_answer=True)] = _unset(
        "Switch that keeps a reasoning model from thinking, and after a colon the roles that may think, such as"
        " enable_thinking:planner or reasoning_effort; weiwo setup finds it. Unset: the model decides.",
        pattern=_THINKING,
    )
    depth: Annotated[Depth | None, Setting(client="open", shapes_answer=True)] = _unset(
        "How far to look: sets turns, queries, pages and rounds, unless these are set (default normal)."
    )
    form: Annotated[
        Literal["sentence", "list", "table", "report", "code"] | None,
        Setting(client="open", shapes_answer=True, studio=("master", "writer")),
    ] = _unset("The form a model writes the answer in. Unset: as the question wants it.")
    words: Annotated[int | None, Setting(client="open", shapes_answer=True, studio=("writer",))] = _unset(
        "About how long the answer of a model is, in words (Chinese: characters).", ge=10, le=20_000
    )
    language: Annotated[str | None, Setting(client="open", shapes_answer=True, studio=("writer",))] = _unset(
        "The language of the answer as a tag, such as de. Unset: that of the question."
    )
    embeddings: Annotated[str | None, Setting(shapes_answer=True)] = _unset(
        "Embedding model as provider:model, to find passages by meaning."
    )
    reranker: Annotated[str | None, Setting(client="never", shapes_answer=True, needs_trust=True)] = _unset(
        "Model that orders the passages found, as MODEL@ADDRESS of a /rerank endpoint, or @module.attribute."
    )
    corpus: Annotated[list[str] | None, Setting(read="paths", studio=("executor",))] = _unset(
        "Files, folders, patterns and names of corpora to search, indexed on the fly. Unset: WEIWO_CORPUS, else"
        " what weiwo index made without a name, else the bundled sample."
    )
    web: Annotated[bool | None, Setting(read="flag", careful=False, shapes_answer=True, studio=("executor",))] = _unset(
        "Whether the web may be used (default: where a provider is set up; true without a key: DuckDuckGo, Wikipedia)."
    )
    sources: Annotated[list[SourceKind] | None, Setting(read="list", shapes_answer=True, studio=("executor",))] = (
        _unset(
            "What is searched: documents, web, scholarly (papers); what is not named is not. Unset: the documents, and"
            " the web where it is set up.",
            min_length=1,
        )
    )
    search: Annotated[list[str] | None, Setting(read="list", shapes_answer=True, studio=("executor",))] = _unset(
        "Search providers, in the order to ask them, such as searxng, brave@5/1000, tavily+raw. Unset: those"
        " whose keys are set."
    )
    browser: Annotated[bool | None, Setting(read="flag", careful=False, shapes_answer=True, studio=("executor",))] = (
        _unset(
            "Whether a page that is empty without its scripts is opened in an installed Chromium (default: where the"
            " extra browser is installed)."
        )
    )
    allow_hosts: Annotated[list[str] | None, Setting(read="list", shapes_answer=True, needs_trust=True)] = _unset(
        "Hosts and networks of an intranet that may be fetched from, such as wiki.corp or 10.1.0.0/16."
    )
    site: Annotated[list[str] | None, _FILTER] = _unset("Sites whose pages count, such as who.int; others do not.")
    not_site: Annotated[list[str] | None, _FILTER] = _unset("Sites whose pages do not count.")
    since: Annotated[str | None, replace(_FILTER, read="text")] = _unset(
        "Year, month or day, such as 2025-01: what is known to be older does not count."
    )
    folder: Annotated[list[str] | None, _FILTER] = _unset(
        "Folders of the documents; those elsewhere do not count, such as docs/2025."
    )
    tools: Annotated[list[str] | None, Setting(read="list", client="never", shapes_answer=True, needs_trust=True)] = (
        _unset("Extra LangChain tools as module:attribute.")
    )
    mcp: Annotated[str | None, Setting(client="never", shapes_answer=True, needs_trust=True)] = _unset(
        "File of MCP servers (mcpServers, as desktop clients write it)."
    )
    plan_memory: Annotated[bool | None, Setting(read="flag", careful=False, studio=("planner",))] = _unset(
        "Whether plans that led to complete answers are kept and used again (default yes)."
    )
    answer_memory: Annotated[
        bool | Literal["renew"] | None, Setting(read="flag", client="open", studio=("master",))
    ] = _unset(
        "Whether a question that was answered completely before, and whose sources have not changed, is answered"
        " so again, with the answer's age (default: for weiwo ask); renew: answers anew in its place."
    )
    procedures: Annotated[
        str | None, Setting(client="never", shapes_answer=True, needs_trust=True, studio=("planner",))
    ] = _unset("Folder of Markdown procedures: how this house answers questions of a kind.")
    template: Annotated[
        str | None, Setting(client="never", shapes_answer=True, needs_trust=True, studio=("master",))
    ] = _unset("Markdown or Word file whose headings and {{ questions }} the answer fills; each is a part of it.")
    allow_tools: Annotated[list[str] | None, Setting(read="list", client="never", needs_trust=True)] = _unset(
        "Tools that may act (change something) without a person being asked."
    )
    allow_acting: Annotated[bool | None, Setting(read="flag", client="never", needs_trust=True)] = _unset(
        "Whether every tool may act without a person being asked (default no)."
    )
    max_tools: Annotated[int | None, Setting(shapes_answer=True, studio=("planner",))] = _unset(
        "Tools that the planner sees; of more, those that fit the question.", ge=6, le=1_000
    )
    telemetry: Annotated[bool | None, Setting(read="flag", careful=False)] = _unset(
        "Whether retrieval telemetry is kept on this machine (default yes)."
    )
    approve_plan: Annotated[bool | None, Setting(read="flag", careful=True, studio=("approval",))] = _unset(
        "Whether a person approves each plan before it runs (default no)."
    )
    clarify: Annotated[bool | None, Setting(read="flag", client="open", studio=("master",))] = _unset(
        "Whether a person is asked what a question means that can mean several things (default: at a terminal and"
        " of a server's clients). Unasked, the answer says what was assumed."
    )
    fresh: Annotated[bool | None, Setting(read="flag", studio=("executor",))] = _unset(
        "Whether tools are called anew even where a recent result is kept (default no)."
    )
    prices: Annotated[dict[str, tuple[float, float]] | None, Setting(read="prices")] = _unset(
        "US dollars per million input and output tokens, by provider:model; max_cost counts with them."
    )
    max_seconds: Annotated[float | None, _limit()] = _unset(
        "Seconds of work for one answer, waiting for a person excluded.", gt=0
    )
    max_model_calls: Annotated[int | None, _limit()] = _unset("Chat model calls for one answer.", ge=0)
    max_tool_calls: Annotated[int | None, _limit()] = _unset("Tool calls for one answer.", ge=1)
    max_tokens: Annotated[int | None, _limit()] = _unset("Input and output tokens for one answer.", ge=0)
    max_cost: Annotated[float | None, _limit()] = _unset("US dollars for one answer, where prices are known.", ge=0)
    max_tasks: Annotated[int | None, _limit("planner")] = _unset("Tasks in one plan.", ge=1)
    max_items: Annotated[int | None, _limit("executor")] = _unset(
        "Instances of one for_each task; more are cut, and that is reported.", ge=1
    )
    max_replans: Annotated[int | None, _limit("reflection")] = _unset(
        "Rounds of retrying, replanning or deepening.", ge=0
    )
    max_turns: Annotated[int | None, _limit("executor")] = _unset("Searches or page openings inside one task.", ge=1)
    max_queries: Annotated[int | None, _limit("executor")] = _unset(
        "Queries sent at once in one search of a task.", ge=1
    )
    max_pages: Annotated[int | None, _limit("executor")] = _unset("Pages or documents opened in one task.", ge=0)
    max_parallel: Annotated[int | None, _limit("executor")] = _unset("Tasks that work at the same time.", ge=1)
    tool_seconds: Annotated[float | None, _limit("executor")] = _unset("Seconds for one tool call.", gt=0)
    max_page_bytes: Annotated[int | None, _limit("executor")] = _unset("Bytes read of one page or document.", ge=1_000)


def field_settings() -> Mapping[str, Setting]:
    """Return the metadata of every field of `Context`."""
    return {
        name: next(entry for entry in info.metadata if isinstance(entry, Setting))
        for name, info in Context.model_fields.items()
    }


def describe_validation_error(error: ValidationError) -> str:
    """Return the first message of a validation error, as a line naming the field."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "input"
    said, given = first["msg"].removeprefix("Value error, "), first.get("input")
    shown = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    return f"{field}: {said}, got {shown[:60]!r}"
