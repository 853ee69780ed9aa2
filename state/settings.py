"""The settings of a run: how what a caller sets meets the environment.

A field of `Context`, given for this very run, wins over the environment variable of the same meaning; what neither sets
has a default. `Settings.resolve` is the one place where the environment is read.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.state.client_fields import ClientFieldError, check_client_fields, lower_limits
from weiwo.state.environment import check_model, read_environment
from weiwo.state.home import home
from weiwo.state.run_limits import DEPTHS, Depth, Limits
from weiwo.state.setting_names import FILTER_FIELDS, FLAG_FIELDS, LIST_FIELDS, MODEL_FIELDS, ROLES, SettingsError
from weiwo.state.source_filter import SourceFilter

if TYPE_CHECKING:
    from weiwo.state.context import Context, describe_validation_error
    from weiwo.state.query import Form
else:

    def __getattr__(name: str) -> object:
        """Import what callers set, and how its errors are told, when they are first used: pydantic is heavy."""
        if name not in {"Context", "describe_validation_error"}:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from weiwo.state import context  # noqa: PLC0415 - heavy

        return getattr(context, name)


_PLAIN: Final = (
    *(*FLAG_FIELDS, "mcp", "procedures", "model_seconds", "embeddings", "prices", "thinking"),
    *("depth", "form", "words", "context_tokens", "max_tools"),
)
"""The fields that settings have as they are given."""


@dataclass(frozen=True, kw_only=True)
class Settings:
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
        web_asked_for: Whether that was said, so that providers without a key may be asked.
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
        answer_memory: Whether a question answered completely before is answered so again, with the answer's age, or is
            answered anew and that is kept in its place.
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
    database_url: str | None = field(default=None, repr=False)
    models: dict[str, str] = field(default_factory=dict)
    model_seconds: float = 60
    embeddings: str | None = None
    corpus: tuple[str, ...] = ()
    corpus_by_name: bool = False
    web: bool = True
    web_asked_for: bool = False
    search: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    depth: Depth = "normal"
    form: "Form" = ""
    words: int = 0
    context_tokens: int | None = None
    filter: SourceFilter = field(default_factory=SourceFilter)
    thinking: str = ""
    tools: tuple[str, ...] = ()
    mcp: str | None = None
    procedures: str | None = None
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

    @classmethod
    def resolve(
        cls, context: "Context | None" = None, env: Mapping[str, str] | None = None, *, from_client: bool = False
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
                check_client_fields(given, field_names(), env)
            except ClientFieldError as error:
                raise SettingsError(str(error)) from None
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
            limits = lower_limits(given, {**preset, **operators})
        else:
            limits = {**preset, **{one.name: known[one.name] for one in fields(Limits) if one.name in known}}
        rest = {name: known[name] for name in _PLAIN if name in known}
        decided: dict[str, Any] = {
            "clarify": from_client,  # who has a person to ask
            "home": str(home(env)),
            "web_asked_for": "web" in known,
            "database_url": env.get("WEIWO_DATABASE_URL") or None,
            "models": {role: name for role, name in models.items() if name},
            "corpus": tuple(known.get("corpus", ())),
            "corpus_by_name": from_client and "corpus" in given,
            **{name: tuple(known.get(name, ())) for name in LIST_FIELDS},
            "filter": _filter(operators).narrowed(_filter(given)) if from_client else _filter(known),
            "limits": Limits(**limits),
            **rest,
        }
        return cls(**decided)  # every part was validated as a field of `Context`


_DEFAULTS: "ContextVar[Context | None]" = ContextVar("weiwo_operator_defaults", default=None)


@contextmanager
def operator_defaults(context: "Context") -> Iterator[None]:
    """What the operator sets for each run that begins within, over the environment: one user's limits, say."""
    token = _DEFAULTS.set(context)
    try:
        yield
    finally:
        _DEFAULTS.reset(token)


def _set_fields(context: "Context") -> dict[str, Any]:
    """The fields that a caller set."""
    return {name: value for name in type(context).model_fields if (value := getattr(context, name)) is not None}


def field_names() -> frozenset[str]:
    """The fields of `Context`."""
    from weiwo.state.context import Context  # noqa: PLC0415 - heavy

    return frozenset(Context.model_fields)


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
    "describe_validation_error",
    "field_names",
    "operator_defaults",
]
