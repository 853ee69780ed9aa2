"""Settings of a run, combined from the caller and the environment.

A field of `Context`, given for this very run, takes precedence over the environment variable of the same meaning. A
setting given by neither has a default. `Settings.resolve` is the only place where the environment is read.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.state.environment import SettingsError, check_model, home, read_environment
from weiwo.state.kinds import ROLES, WEB_SOURCES, SourceKind
from weiwo.state.run_limits import DEPTHS, Depth, Limits
from weiwo.state.source_filter import FILTER_FIELDS, SourceFilter

CLIENT_FIELDS: Final = "WEIWO_CLIENT_FIELDS"
_LIMITS: Final = {field.name: field.default for field in fields(Limits)}
MODEL_FIELDS: Final = frozenset({"model", *(f"{role}_model" for role in ROLES)})


def check_client_fields(given: Mapping[str, Any], env: Mapping[str, str]) -> None:
    """Check the fields set by a server's client against an allow-list, closed by default.

    A client may ask, and may be more careful than the operator: depth, form, length, language, lower limits, approval
    by a person, no web, no telemetry, no memory, and sites, dates and folders within the operator's own. The operator
    names any further allowed fields in `WEIWO_CLIENT_FIELDS`. `tools` and `mcp` run code beside the server,
    `procedures` reads its files, `allow_tools` and `allow_acting` consent for a person, so no operator can allow
    them.

    Args:
        given: The fields set by the client.
        env: The server's environment.

    Raises:
        SettingsError: The client set a field that it may not set, or the operator's list names an invalid field.
    """
    from weiwo.state.context import Setting, field_settings

    settings = field_settings()
    widened = _read_widened(env)
    for folder in given.get("folder") or ():
        if str(folder).startswith(("/", "..")) or ":" in str(folder):
            raise SettingsError(
                f"context.folder: {str(folder)[:60]!r} is not a folder of the documents; use a path as shown "
                "in passages"
            )
    for name, value in given.items():
        setting = settings.get(name, Setting())
        if setting.client == "never":
            raise SettingsError(
                f"context.{name} cannot be set by clients, because it runs code, reads files or makes changes "
                f"on the server; the operator can set WEIWO_{name.upper()}"
            )
        restricts = setting.careful is not None and value is setting.careful
        if setting.client != "open" and name not in widened and not restricts:
            raise SettingsError(
                f"context.{name} cannot be set by clients of this server; leave it out, or let the operator "
                f"allow it with {CLIENT_FIELDS}={name}"
            )


def _lower_limits(asked: Mapping[str, Any], allowed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operator's limits, lowered to any smaller limits of the client."""
    limits = {name: allowed.get(name, default) for name, default in _LIMITS.items()}
    for name in limits.keys() & asked.keys():
        limits[name] = asked[name] if limits[name] is None else min(limits[name], asked[name])
    return limits


def _read_widened(env: Mapping[str, str]) -> frozenset[str]:
    """Parse the additional client fields allowed by the operator.

    Raises:
        SettingsError: The operator's list names no field, or a field that no client may set.
    """
    from weiwo.state.context import field_settings

    named = frozenset(part.strip() for part in env.get(CLIENT_FIELDS, "").split(",") if part.strip())
    allowed = {name for name, setting in field_settings().items() if setting.client != "never"}
    if wrong := sorted(named - allowed):
        raise SettingsError(
            f"{CLIENT_FIELDS}: {wrong[0][:60]!r} is not a field that clients can set; see docs/server.md"
        )
    return named


if TYPE_CHECKING:
    from weiwo.state.context import Context, describe_validation_error
    from weiwo.state.query import Form
else:

    def __getattr__(name: str) -> object:
        """Import `Context` and `describe_validation_error` on first use, because pydantic is heavy."""
        if name not in {"Context", "describe_validation_error"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from weiwo.state import context

        return getattr(context, name)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Resolved settings of a run. `Context` describes the meaning of each field.

    Attributes:
        home: Folder of Weiwo's own files (`WEIWO_HOME`, default `~/.weiwo`).
        database_url: Postgres for threads (`WEIWO_DATABASE_URL`), by default SQLite under `home`. It may hold a
            password, so it is neither shown nor a field of `Context`, which servers store.
        models: Model name per role, as provider:model. A role without a model runs on rules.
        corpus: Empty means the corpus that `weiwo index` makes without a name, or the bundled sample.
        corpus_by_name: Whether each entry of `corpus` must be the name of a corpus, since a server's client gave it.
        sources: The kinds of source searched. Empty means the documents, and the web if `web` allows it.
        web_asked_for: Whether `web` was set explicitly, so that providers without a key may be asked.
        form: Empty means the form that suits the question. `words` of 0 means the same for the length.
        language: Tag of the language to answer in. Empty means the language of the question.
        filter: The sites, dates and folders that sources are restricted to.
        prices: Format of `WEIWO_PRICES`: `openai:gpt-5-mini=0.25/2,…`.
        limits: Limits of the run. `depth` sets the limits that are not set explicitly.
    """

    home: str
    database_url: str | None = field(default=None, repr=False)
    models: dict[str, str] = field(default_factory=dict)
    model_seconds: float = 60
    embeddings: str | None = None
    reranker: str | None = None
    corpus: tuple[str, ...] = ()
    corpus_by_name: bool = False
    web: bool = True
    web_asked_for: bool = False
    sources: tuple[SourceKind, ...] = ()
    search: tuple[str, ...] = ()
    browser: bool = True
    allow_hosts: tuple[str, ...] = ()
    depth: Depth = "normal"
    form: "Form" = ""
    words: int = 0
    language: str = ""
    context_tokens: int | None = None
    filter: SourceFilter = field(default_factory=SourceFilter)
    thinking: str = ""
    tools: tuple[str, ...] = ()
    mcp: str | None = None
    procedures: str | None = None
    template: str | None = None
    plan_memory: bool = True
    answer_memory: bool | Literal["renew"] = False
    allow_tools: tuple[str, ...] = ()
    allow_acting: bool = False
    max_tools: int = 16
    approve_plan: bool = False
    clarify: bool = False
    fresh: bool = False
    prices: dict[str, tuple[float, float]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    telemetry: bool = True

    @property
    def searches_documents(self) -> bool:
        """Report whether the documents are among the sources."""
        return not self.sources or "documents" in self.sources

    @classmethod
    def resolve(
        cls, context: "Context | None" = None, env: Mapping[str, str] | None = None, *, from_client: bool = False
    ) -> "Settings":
        """Merge a run's context over the environment over the defaults.

        Args:
            context: What this run sets.
            env: The environment, if not this process's.
            from_client: Whether a server's client gave the context, and may thus set little (`check_client_fields`).

        Raises:
            SettingsError: A value is malformed or not the client's to set; the message names the variable or field.
        """
        env = os.environ if env is None else env
        given = {} if context is None else _set_fields(context)
        if from_client:
            check_client_fields(given, env)
        operators = read_environment(env)
        if (defaults := _DEFAULTS.get()) is not None:
            operators |= _set_fields(defaults)
        known = {**operators, **given}
        for name in MODEL_FIELDS & given.keys():
            check_model(name, given[name])
        default_model = known.get("model")
        models = {role: known.get(f"{role}_model") or default_model for role in ROLES}
        models["verifier"] = known.get("verifier_model") or models["writer"]
        preset = DEPTHS[known.get("depth", "normal")]
        if from_client:
            limits = _lower_limits(given, {**preset, **operators})
        else:
            limits = {**preset, **{item.name: known[item.name] for item in fields(Limits) if item.name in known}}
        own = known.keys() & {entry.name for entry in fields(cls)}
        named = known.get("sources", ())
        if named and WEB_SOURCES.issuperset(named) and not known.get("web", True):
            raise SettingsError("sources names only the web, which is switched off; allow the web or add documents")
        rest = {name: tuple(known[name]) if isinstance(known[name], list) else known[name] for name in own}
        decided: dict[str, Any] = {
            "clarify": from_client,  # a client has a person who can be asked
            "home": str(home(env)),
            "web_asked_for": "web" in known or not WEB_SOURCES.isdisjoint(named),
            "database_url": env.get("WEIWO_DATABASE_URL") or None,
            "models": {role: name for role, name in models.items() if name},
            "corpus_by_name": from_client and "corpus" in given,
            "filter": _filter(operators).add_restriction(_filter(given)) if from_client else _filter(known),
            "limits": Limits(**limits),
            **rest,
            "web": known.get("web", True) and not (named and WEB_SOURCES.isdisjoint(named)),
        }
        return cls(**decided)  # every part was validated as a field of `Context`


_DEFAULTS: "ContextVar[Context | None]" = ContextVar("weiwo_operator_defaults", default=None)


@contextmanager
def operator_defaults(context: "Context") -> Iterator[None]:
    """Context manager setting an operator's defaults for each run started within.

    The defaults override the environment, for example with one user's limits.
    """
    token = _DEFAULTS.set(context)
    try:
        yield
    finally:
        _DEFAULTS.reset(token)


def _set_fields(context: "Context") -> dict[str, Any]:
    """Return the fields set by a caller: all that are not None."""
    return {name: value for name in type(context).model_fields if (value := getattr(context, name)) is not None}


def field_names() -> frozenset[str]:
    """The fields of `Context`."""
    from weiwo.state.context import Context

    return frozenset(Context.model_fields)


def answer_settings() -> tuple[str, ...]:
    """Return the names of the attributes of `Settings` that may change an answer, sorted.

    An answer is given again only if they are unchanged. Fields of `Context` such as `site` or `max_tokens` count under
    the attribute that holds them: "filter", "limits" or "models".
    """
    from weiwo.state.context import field_settings

    own, limits = {entry.name for entry in fields(Settings)}, {entry.name for entry in fields(Limits)}
    shaping = [name for name, setting in field_settings().items() if setting.shapes_answer]
    groups = dict.fromkeys(MODEL_FIELDS, "models") | dict.fromkeys(FILTER_FIELDS, "filter")
    groups |= dict.fromkeys(limits, "limits") | {name: name for name in own}
    return tuple(sorted({groups[name] for name in shaping}))


def _filter(fields: Mapping[str, Any]) -> SourceFilter:
    given: dict[str, Any] = {name: fields[field] for field, name in FILTER_FIELDS.items() if field in fields}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return SourceFilter(**given)  # validated as fields of `Context`, as all of `Settings` is


__all__ = [
    "MODEL_FIELDS",
    "ROLES",
    "Context",
    "Settings",
    "SettingsError",
    "answer_settings",
    "describe_validation_error",
    "field_names",
    "operator_defaults",
]
