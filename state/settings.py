"""What a caller may set for a run, and how it meets the environment.

A field of `Context`, given for this very run, wins over the environment variable
of the same meaning; what neither sets has a default. `Settings.resolve` is the one
place where the environment is read.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from weiwo.state.client_fields import ClientFieldError, check_client_fields, lower_limits
from weiwo.state.errors import WeiwoError
from weiwo.state.home import home
from weiwo.state.limits import DEPTHS, Depth, Limits
from weiwo.state.query import Form
from weiwo.state.source_filter import SourceFilter, read_folder, read_since, read_site
from weiwo.state.values import Value

_AGENTS = ("master", "planner", "executor", "reflection", "writer")
ROLES = (*_AGENTS, "verifier")
MODEL_FIELDS = frozenset({"model", *(f"{role}_model" for role in ROLES)})


_THINKING = rf"^(enable_thinking|reasoning_effort)(:({'|'.join(ROLES)})(,({'|'.join(ROLES)}))*)?$"
_FLAGS = frozenset({"web", "telemetry", "approve_plan", "clarify", "fresh", "allow_acting", "plan_memory"})
_LISTS = ("tools", "search", "allow_hosts", "allow_tools")
_FILTERS = {"site": "sites", "not_site": "not_sites", "since": "since", "folder": "folders"}
"""The fields that restrict sources, with what they are called in a `SourceFilter`."""
_PLAIN = (
    *(*_FLAGS, "mcp", "procedures", "model_seconds", "embeddings", "prices", "thinking"),
    *("depth", "form", "words", "context_tokens", "max_tools"),
)


class SettingsError(WeiwoError, ValueError):
    """A setting that cannot be used. The message is one line: which, why, what to do."""


_STUDIO_NODES: dict[str, tuple[str, ...]] = {
    "model": _AGENTS,
    **{f"{role}_model": (role,) for role in _AGENTS},
    **dict.fromkeys(("verifier_model", "words"), ("writer",)),
    "form": ("master", "writer"),
    "approve_plan": ("approval",),
    "clarify": ("master",),
    **dict.fromkeys(("max_tasks", "max_tools", "procedures", "plan_memory"), ("planner",)),
    "max_replans": ("reflection",),
    **dict.fromkeys(("max_items", "max_turns", "max_queries", "max_pages", "max_parallel"), ("executor",)),
    **dict.fromkeys(("tool_seconds", "max_page_bytes", "corpus", "web", "search", "fresh"), ("executor",)),
    **dict.fromkeys(_FILTERS, ("executor",)),
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
    max_seconds: float | None = Field(default=None, gt=0, description="Seconds of work for one answer.")
    max_model_calls: int | None = Field(default=None, ge=0, description="Chat model calls for one answer.")
    max_tool_calls: int | None = Field(default=None, ge=1, description="Tool calls for one answer.")
    max_tokens: int | None = Field(default=None, ge=0, description="Input and output tokens for one answer.")
    max_cost: float | None = Field(default=None, ge=0, description="US dollars for one answer, where prices are known.")
    max_tasks: int | None = Field(default=None, ge=1, description="Tasks in one plan.")
    max_items: int | None = Field(default=None, ge=1, description="Instances of one for_each task.")
    max_replans: int | None = Field(default=None, ge=0, description="Rounds of retrying, replanning or deepening.")
    max_turns: int | None = Field(default=None, ge=1, description="Searches or page openings inside one task.")
    max_queries: int | None = Field(default=None, ge=1, description="Queries sent at once in one search of a task.")
    max_pages: int | None = Field(default=None, ge=0, description="Pages or documents opened in one task.")
    max_parallel: int | None = Field(default=None, ge=1, description="Tasks that work at the same time.")
    tool_seconds: float | None = Field(default=None, gt=0, description="Seconds for one tool call.")
    max_page_bytes: int | None = Field(default=None, ge=1_000, description="Bytes read of one page or document.")


class Settings(Value):
    """The settings of a run, all decided.

    Attributes:
        home: Folder of Weiwo's own files (`WEIWO_HOME`, default `~/.weiwo`).
        models: Model name per role, as provider:model; a role without one runs on rules.
        model_seconds: Bound of one model call.
        embeddings: Embedding model as provider:model, if any; without one, character n-grams stand in.
        corpus: Files, folders, patterns and names of corpora to search; empty means the corpus that `weiwo index` makes
            without a name, or the bundled sample where there is none.
        corpus_by_name: Whether each entry of `corpus` must be the name of a corpus, since a server's client gave it.
        web: Whether web search may be used.
        search: Search providers, in the order to ask them; empty: those whose keys are set.
        allow_hosts: Hosts and networks of an intranet that may be fetched from.
        depth: How far to look; `limits` follow from it.
        form: The form of a model's answer, whatever the question says; empty: as the question wants it.
        words: About how long a model's answer is, in words or Chinese characters; 0: as the question wants it.
        context_tokens: Tokens of the model's context window; None: as known by its name, else 32,000.
        filter: The sites, dates and folders that sources are restricted to.
        thinking: Switch that keeps a reasoning model from thinking, and the roles that may think; empty: it decides.
        tools: Extra tools as module:attribute.
        mcp: File of MCP servers, if any.
        procedures: Folder of Markdown procedures, if any.
        plan_memory: Whether plans that led to complete answers are kept and used again.
        allow_tools: Tools that may act without a person being asked.
        allow_acting: Whether every tool may.
        max_tools: How many tools the planner sees; of more, those that fit the question.
        approve_plan: Whether a person approves each plan before it runs.
        clarify: Whether a person is asked what a question means that can mean several things.
        fresh: Whether tools are called anew even where a recent result is kept.
        prices: US dollars per million input and output tokens, by provider:model (`WEIWO_PRICES`, written
            `openai:gpt-5-mini=0.25/2,…`).
        limits: Bounds of the run.
        telemetry: Whether retrieval telemetry is kept on this machine.
        database_url: Postgres for threads (`WEIWO_DATABASE_URL`); SQLite under `home` without one. It may hold a
            password, so it is neither shown nor a field of `Context`, which servers store.
    """

    home: str
    database_url: str | None = Field(default=None, repr=False)
    models: dict[str, str] = Field(default_factory=dict)
    model_seconds: float = 60
    embeddings: str | None = None
    corpus: tuple[str, ...] = ()
    corpus_by_name: bool = False
    web: bool = True
    search: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    depth: Depth = "normal"
    form: Form = ""
    words: int = 0
    context_tokens: int | None = None
    filter: SourceFilter = Field(default_factory=SourceFilter)
    thinking: str = ""
    tools: tuple[str, ...] = ()
    mcp: str | None = None
    procedures: str | None = None
    plan_memory: bool = True
    allow_tools: tuple[str, ...] = ()
    allow_acting: bool = False
    max_tools: int = 16
    approve_plan: bool = False
    clarify: bool = False
    fresh: bool = False
    prices: dict[str, tuple[float, float]] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    telemetry: bool = True

    @classmethod
    def resolve(
        cls, context: Context | None = None, env: Mapping[str, str] | None = None, *, from_client: bool = False
    ) -> "Settings":
        """Merge a run's context over the environment over the defaults.

        Args:
            context: What this run sets.
            env: The environment, if not this process's.
            from_client: Whether a server's client gave the context, and may thus set little (`client_fields`).

        Raises:
            SettingsError: A value is malformed or not the client's to set; the message names the variable or field.
        """
        env = os.environ if env is None else env
        given = {} if context is None else _set_fields(context)
        if from_client:
            try:
                check_client_fields(given, frozenset(Context.model_fields), env)
            except ClientFieldError as error:
                raise SettingsError(str(error)) from None
        operators = _from_environment(env)
        if (defaults := _DEFAULTS.get()) is not None:
            operators |= _set_fields(defaults)
        known = {**operators, **given}
        for field in MODEL_FIELDS & given.keys():
            _check_model(field, given[field])
        default_model = known.get("model")
        models = {role: known.get(f"{role}_model") or default_model for role in ROLES}
        models["verifier"] = known.get("verifier_model") or models["writer"]
        preset = DEPTHS[known.get("depth", "normal")]
        if from_client:
            limits = lower_limits(given, {**preset, **operators})
        else:
            limits = {**preset, **{name: known[name] for name in Limits.model_fields if name in known}}
        rest = {name: known[name] for name in _PLAIN if name in known}
        fields: dict[str, Any] = {
            "clarify": from_client,  # who has a person to ask
            "home": str(home(env)),
            "database_url": env.get("WEIWO_DATABASE_URL") or None,
            "models": {role: name for role, name in models.items() if name},
            "corpus": tuple(known.get("corpus", ())),
            "corpus_by_name": from_client and "corpus" in given,
            **{name: tuple(known.get(name, ())) for name in _LISTS},
            "filter": _filter(operators).narrowed(_filter(given)) if from_client else _filter(known),
            "limits": Limits.model_construct(**limits),
            **rest,
        }
        # Every part was validated as a field of `Context`; doing so again would build the validators of three models.
        return cls.model_construct(**fields)


_DEFAULTS: ContextVar[Context | None] = ContextVar("weiwo_operator_defaults", default=None)


@contextmanager
def operator_defaults(context: Context) -> Iterator[None]:
    """What the operator sets for each run that begins within, over the environment: one user's limits, say."""
    token = _DEFAULTS.set(context)
    try:
        yield
    finally:
        _DEFAULTS.reset(token)


def _set_fields(context: Context) -> dict[str, Any]:
    """The fields that a caller set."""
    return {name: value for name in Context.model_fields if (value := getattr(context, name)) is not None}


def _filter(fields: Mapping[str, Any]) -> SourceFilter:
    given = {name: fields[field] for field, name in _FILTERS.items() if field in fields}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    # Validated as fields of `Context`, as all of `Settings` is.
    return SourceFilter.model_construct(**{**given, **lists})


def describe_validation_error(error: ValidationError) -> str:
    """The first complaint of a validation error, as one line that names the field."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "input"
    said = first["msg"].removeprefix("Value error, ")
    return f"{field}: {said}, got {str(first.get('input'))[:60]!r}"


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """The `Context` fields that `WEIWO_*` variables set, each checked alone so that an error can name it."""
    found: dict[str, Any] = {}
    for field in Context.model_fields:
        name = f"WEIWO_{field.upper()}"
        text = env.get(name, "").strip()
        if not text:
            continue
        if field == "corpus":
            value: Any = [part for part in text.split(os.pathsep) if part]
        elif field in (*_LISTS, "site", "not_site", "folder"):
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif field == "prices":
            value = _prices(name, text)
        elif field in _FLAGS:
            value = _flag(name, text)
        else:
            value = text
        try:
            found[field] = getattr(Context.model_validate({field: value}), field)
        except ValidationError as error:
            raise SettingsError(f"{name}: {describe_validation_error(error)}; correct or unset it") from None
        if field in MODEL_FIELDS:
            _check_model(name, text)
    return found


def _check_model(name: str, model: str) -> None:
    provider, _, rest = model.partition(":")
    if not (provider and rest):
        raise SettingsError(f"{name}: {model!r} is not provider:model; write, say, openai:gpt-5-mini")


def _prices(name: str, text: str) -> dict[str, tuple[float, float]]:
    """Read `openai:gpt-5-mini=0.25/2,other:model=1/4`."""
    prices = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, equals, amounts = entry.rpartition("=")
        per_input, slash, per_output = amounts.partition("/")
        try:
            pair = (float(per_input), float(per_output))
        except ValueError:
            pair = (-1.0, -1.0)
        if not (equals and slash and ":" in model and min(pair) >= 0 and max(pair) < float("inf")):
            raise SettingsError(
                f"{name}: {entry[:60]!r} is no price; write provider:model=input/output, US dollars per million"
                " tokens, such as openai:gpt-5-mini=0.25/2"
            )
        prices[model.strip()] = pair
    return prices


def _flag(name: str, text: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise SettingsError(f"{name}: {text!r} is neither on nor off; use one of these")
