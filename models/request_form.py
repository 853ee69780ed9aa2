"""Request parameters for chat models besides messages, by endpoint capability.

- The mode of a structured reply, best first: the endpoint decodes against a JSON schema, the model calls a function
  whose parameters are the schema, or the schema is written into the prompt.
- The bound of a reply: the remaining budget of the run, under the name that the endpoint accepts. Servers that speak
  OpenAI's protocol know `max_tokens`, OpenAI itself wants `max_completion_tokens`. Some refuse one, or a number larger
  than their model writes. A stream is also counted while it comes, and ends at a limit of the run.
- The switch that keeps a reasoning model from thinking: a small local model that reasons before each short typed reply
  costs minutes a question. Templates of Qwen3 and its kin read `enable_thinking` (vLLM, SGLang, llama.cpp), Ollama
  reads `reasoning_effort`. `weiwo setup` asks which one a server accepts, and nothing is guessed here.

Endpoint capabilities are facts about the endpoint and not about a run, so they are remembered for the process.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel

from weiwo.models.endpoint import EndpointMemory, is_local
from weiwo.models.errors import Fault
from weiwo.models.schema import BOUNDS, json_schema, schema_name

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable


StructuredMode = Literal["json_schema", "function_call", "json_text"]
MODES: tuple[StructuredMode, ...] = ("json_schema", "function_call", "json_text")

DOUBT_SECONDS = 900.0
"""How long a step down is remembered that the endpoint did not ask for, but one odd reply suggested."""


@dataclass(frozen=True)
class _KnownMode:
    mode: StructuredMode
    until: float | None


_TELLING: Final = 2
"""Schemas whose modes tell which one a further schema gets: one alone may be of a kind that the endpoint refuses."""


class _ModeMemory:
    """Memory of the structured mode accepted by each endpoint, by schema."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held = EndpointMemory[dict[str, _KnownMode]]()

    def recall_mode(self, endpoint: str, schema: str = "") -> StructuredMode | None:
        """Return the mode last accepted by the endpoint for a schema.

        Returns None if no mode was seen, or only a doubtful one long ago. For a schema not yet requested it is the best
        of the modes of other schemas, if there are several.
        """
        now, held = self._clock(), self._held.get(endpoint) or {}
        modes = {name: value.mode for name, value in held.items() if value.until is None or now <= value.until}
        if own := modes.get(schema) or modes.get(""):
            return own
        telling = len(modes) >= (_TELLING if schema else 1)
        return min(modes.values(), key=MODES.index) if telling else None

    def remember(self, endpoint: str, mode: StructuredMode, schema: str = "", *, certain: bool) -> None:
        """Record the mode accepted by an endpoint.

        The mode is `certain` if the endpoint refused the better modes, or there are none.
        """
        held = self._held.get(endpoint) or {}
        if certain or schema not in held or self.recall_mode(endpoint, schema) != mode:  # what is certain stays so
            known = _KnownMode(mode, None if certain else self._clock() + DOUBT_SECONDS)
            self._held.remember_fact(endpoint, {**held, schema: known})


mode_memory = _ModeMemory()
"""The memory of this process."""


def bind_mode(model: "BaseChatModel", mode: StructuredMode, schema: type[BaseModel]) -> "Runnable[Any, Any] | None":
    """Bind a model to a mode: return a runnable from messages to the raw message.

    Returns None if the model has no such mode.
    """
    if mode == "json_text":
        return model
    name = schema_name(schema)
    parameters, strict = json_schema(schema, _unknown_bounds(model))
    description = (schema.__doc__ or name).strip().partition("\n\n")[0]
    if speaks_openai(model):
        if mode == "function_call":
            function = {"name": name, "description": description, "parameters": parameters}
            return model.bind_tools([{"type": "function", "function": function}], tool_choice=name)
        response_format = {
            "type": "json_schema",
            "json_schema": {"name": name, "schema": parameters, "strict": strict},
        }
        if getattr(model, "use_responses_api", None):
            return model.bind(response_format=response_format)
        # Given as `response_format` the client would parse the reply itself and raise on anything
        # odd, so that nothing is left to repair. Put into the body, the reply comes as it is.
        own = getattr(model, "extra_body", None) or {}
        return model.bind(extra_body={**own, "response_format": response_format})
    return _bind_other(model, mode, {**parameters, "title": name, "description": description})


def _unknown_bounds(model: "BaseChatModel") -> frozenset[str]:
    """Return the schema keywords for length bounds unsupported by an endpoint.

    Servers that decode by grammar know both, OpenAI knows lists only, Azure and the other providers neither.
    """
    name, base_url = type(model).__name__, str(getattr(model, "openai_api_base", None) or "")
    if name == "ChatOllama" or (base_url and speaks_openai(model) and is_local(base_url)):
        return frozenset()
    return frozenset({"maxLength"}) if name == "ChatOpenAI" else BOUNDS


def speaks_openai(model: "BaseChatModel") -> bool:
    """Report whether the model's requests are made by the OpenAI client."""
    return any(cls.__name__ == "BaseChatOpenAI" for cls in type(model).__mro__)


_STREAMED: Final = frozenset(
    {"BaseChatOpenAI", "ChatAnthropic", "ChatGoogleGenerativeAI", "ChatMistralAI", "ChatOllama"}
)


def can_stream(model: "BaseChatModel") -> bool:
    """Report whether structured replies of a model's class can be streamed.

    Each listed class was tested in every mode.
    """
    return any(cls.__name__ in _STREAMED for cls in type(model).__mro__)


def _raw(reply: Any) -> Any:
    """The message, from a reply with `include_raw`."""
    return reply["raw"]


def _bind_other(model: "BaseChatModel", mode: StructuredMode, schema: dict[str, Any]) -> "Runnable[Any, Any] | None":
    """Bind a mode through the provider's own LangChain class and dialect.

    Where it is known, only the bound model is used. With `include_raw` the arguments of a call are dropped, nothing
    streams, and LangChain parses each reply in threads, for nothing.
    """
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415 - heavy
    from langchain_core.runnables import RunnableBinding, RunnableLambda, RunnableParallel  # noqa: PLC0415 - heavy

    plain = type(model).with_structured_output is BaseChatModel.with_structured_output
    if mode == "json_schema" and plain:
        # `BaseChatModel.with_structured_output` ignores the method and always uses function calls.
        return None
    method = "json_schema" if mode == "json_schema" else "function_calling"
    try:
        if not can_stream(model):
            parsing = model.with_structured_output(schema, include_raw=True, method=method)
            first = getattr(parsing, "first", None)
            bound = first.steps__.get("raw") if isinstance(first, RunnableParallel) else None
            if not isinstance(bound, RunnableBinding):
                return bound or parsing | RunnableLambda(_raw)
        else:
            bound = getattr(model.with_structured_output(schema, method=method), "first", None)
    except (NotImplementedError, TypeError, ValueError):
        return None
    if not isinstance(bound, RunnableBinding):
        return None
    sent = {name: value for name, value in bound.kwargs.items() if name != "ls_structured_output_format"}
    return bound.model_copy(update={"kwargs": sent})


MOST_TOKENS: Final = 32_000
"""Tokens asked for at most; reasoning counts among them."""
_COMMON, _OPENAIS, _NONE = "max_tokens", "max_completion_tokens", ""


_names: Final = EndpointMemory[str]()
"""The name under which each endpoint takes the bound."""


_FIELDS: Final = ("max_tokens", "max_output_tokens", "num_predict", "max_completion_tokens", "max_new_tokens")
"""Fields of LangChain's classes that bound a reply: of Anthropic and Mistral, Gemini, Ollama, and others."""


def bound_name(endpoint: str, model: "BaseChatModel") -> str:
    """Return the name of the reply bound, or "" if the endpoint accepts no bound.

    It is a request parameter if the model speaks OpenAI's form, else a field of the model's class.
    """
    if (known := _names.get(endpoint)) is not None:
        return known
    if not speaks_openai(model):
        return _bound_field(model)
    return _OPENAIS if speaks_responses(model) or not getattr(model, "openai_api_base", None) else _COMMON


def _bound_field(model: "BaseChatModel") -> str:
    return next((name for name in _FIELDS if name in type(model).model_fields), _NONE)


def speaks_responses(model: "BaseChatModel") -> bool:
    """Report whether a model's requests go to OpenAI's Responses API."""
    return speaks_openai(model) and bool(getattr(model, "use_responses_api", None))


def note_refused_bound(endpoint: str, model: "BaseChatModel", name: str, fault: Fault) -> None:
    """Record a reply bound refused by an endpoint."""
    other = _OPENAIS if name == _COMMON else _COMMON
    last = fault.kind == "overflow" or endpoint in _names or not speaks_openai(model) or speaks_responses(model)
    _names.remember_fact(endpoint, _NONE if last else other)


_THINKING: Final = 16_000
"""Tokens allowed for thoughts beside a reply, where the model may think."""
_thinks: Final = EndpointMemory[bool]()
"""Whether each endpoint's replies showed thoughts."""


def notice_thoughts(endpoint: str, *, seen: bool) -> None:
    """Record whether a reply of an endpoint showed thoughts. A single positive is permanent."""
    _thinks.remember_fact(endpoint, seen or bool(_thinks.get(endpoint)))


def thinking_allowance(endpoint: str) -> int:
    """Return the tokens to allow for thoughts, or 0 after a reply without thoughts."""
    return _THINKING if _thinks.get(endpoint) is not False else 0


def most_tokens(model: "BaseChatModel", window: int | None, prompt: int) -> int:
    """Return the maximum tokens of a model's reply to a prompt, as far as is known."""
    told = (getattr(model, "profile", None) or {}).get("max_output_tokens")
    own = getattr(model, _bound_field(model) or _COMMON, None)
    bounds = [n for n in (told, own) if isinstance(n, int) and n > 0]
    if window is not None:
        bounds.append(max(1, window - prompt))
    return min([MOST_TOKENS, *bounds])


def bind_bound(
    model: "BaseChatModel", runnable: Any, name: str, tokens: int
) -> "tuple[Runnable[Any, Any], dict[str, Any]]":
    """Bind a reply bound under a name, and return the runnable and the request arguments.

    LangChain's classes of other providers have names of their own for the bound, and some drop it from the arguments of
    a call. For these it is set on the model itself.
    """
    if not name:
        return runnable, {}
    if not speaks_openai(model):
        bounded = model.model_copy(update={name: tokens})
        if runnable is model:
            return bounded, {}
        inner = getattr(runnable, "bound", None)
        return (runnable.model_copy(update={"bound": bounded}), {}) if inner is model else (runnable, {name: tokens})
    if name == _OPENAIS:
        return runnable, {_COMMON: tokens}  # LangChain's OpenAI client renames it
    bound = getattr(runnable, "kwargs", None) or {}
    body = {**(getattr(model, "extra_body", None) or {}), **(bound.get("extra_body") or {})}
    return runnable, {"extra_body": {**body, _COMMON: tokens}}


SWITCHES: Final[Mapping[str, Mapping[str, Any]]] = {
    "enable_thinking": {"chat_template_kwargs": {"enable_thinking": False}},
    "reasoning_effort": {"reasoning_effort": "none"},
}
"""What a request holds, beside the rest, that switches thinking off; by name."""


def set_thinking(model: "BaseChatModel", setting: str, role: str) -> "BaseChatModel":
    """Return the model with thinking switched off for a role.

    The setting is `SWITCH` or `SWITCH:ROLE,ROLE`, with the roles that may think. An empty setting changes nothing.
    """
    switch, _, thinkers = setting.partition(":")
    if switch not in SWITCHES or role in thinkers.split(",") or not speaks_openai(model):
        return model
    body = {**(getattr(model, "extra_body", None) or {}), **SWITCHES[switch]}
    return model.model_copy(update={"extra_body": body})
