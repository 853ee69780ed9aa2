"""Request parameters for chat models besides messages, by endpoint capability.

- The mode of a structured reply, best first: the endpoint decodes against a JSON schema, the model calls a function
  whose parameters are the schema, or the schema is written into the prompt.
- The token limit of a reply (`bound`), from the remaining budget of the run, under the name that the endpoint accepts.
  Servers that speak OpenAI's protocol accept `max_tokens`, OpenAI itself requires `max_completion_tokens`. Some refuse
  one of them, or a number above the model's maximum. Tokens of a stream are also counted as they arrive.
- The switch that disables reasoning: a small local model that reasons before each short structured reply costs minutes
  per question. Chat templates like Qwen3's read `enable_thinking` (vLLM, SGLang, llama.cpp), Ollama reads
  `reasoning_effort`. `weiwo setup` finds out which one a server accepts, and nothing is guessed here.

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
"""Time for which a worse mode is remembered if only an odd reply suggested it, not a refusal by the endpoint."""


@dataclass(frozen=True)
class _KnownMode:
    mode: StructuredMode
    until: float | None


_TELLING: Final = 2
"""Least number of schemas with known modes, to infer the mode of another schema."""


class _ModeMemory:
    """Memory of the structured mode accepted by each endpoint, by schema."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held = EndpointMemory[dict[str, _KnownMode]]()

    def recall_mode(self, endpoint: str, schema: str = "") -> StructuredMode | None:
        """Return the mode in which an endpoint last gave a structured reply for a schema, or None if unknown.

        For a schema that was not requested before, the best mode of the other schemas counts, if at least two are
        known. If "Plan" worked as "json_text" and "Answer" as "function_call", "Outline" gives "function_call". Without
        a schema, one known mode is enough. An uncertain mode is forgotten after `DOUBT_SECONDS`.
        """
        now, held = self._clock(), self._held.get(endpoint) or {}
        modes = {name: value.mode for name, value in held.items() if value.until is None or now <= value.until}
        if own := modes.get(schema) or modes.get(""):
            return own
        telling = len(modes) >= (_TELLING if schema else 1)
        return min(modes.values(), key=MODES.index) if telling else None

    def remember(self, endpoint: str, mode: StructuredMode, schema: str = "", *, certain: bool) -> None:
        """Record the mode accepted by an endpoint for a schema.

        An uncertain record does not replace a valid one of the same mode.

        Args:
            endpoint: Identity of the endpoint.
            mode: The mode.
            schema: Name of the schema. Empty for all schemas.
            certain: Whether the endpoint refused the better modes, or there are none. Else the record expires.
        """
        held = self._held.get(endpoint) or {}
        if certain or schema not in held or self.recall_mode(endpoint, schema) != mode:  # what is certain stays so
            known = _KnownMode(mode, None if certain else self._clock() + DOUBT_SECONDS)
            self._held.remember_fact(endpoint, {**held, schema: known})


mode_memory = _ModeMemory()
"""Modes known to this process."""


def bind_mode(model: "BaseChatModel", mode: StructuredMode, schema: type[BaseModel]) -> "Runnable[Any, Any] | None":
    """Return a runnable that asks a model for a schema in a mode, from messages to the model's raw message.

    For "json_text" it is the model itself, since the schema is in the prompt. Returns None if the model does not
    support the mode.
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
    """Return the keywords of `BOUNDS` that a model's endpoint does not support.

    Local servers that decode by grammar support both, OpenAI only `maxItems`, Azure and the other providers neither.
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
    """Report whether a model's class is known to stream structured replies in every mode."""
    return any(cls.__name__ in _STREAMED for cls in type(model).__mro__)


def _raw(reply: Any) -> Any:
    """Return the message from a reply with `include_raw`."""
    return reply["raw"]


def _bind_other(model: "BaseChatModel", mode: StructuredMode, schema: dict[str, Any]) -> "Runnable[Any, Any] | None":
    """Bind a mode by the `with_structured_output` of the provider's LangChain class.

    Only the bound model is taken from the resulting chain, if possible, without LangChain's parser: with `include_raw`
    the arguments of a call are dropped, nothing streams, and each reply is parsed in threads. Returns None if the class
    does not support the mode.
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
"""Upper limit of a reply in tokens, including reasoning."""
_COMMON, _OPENAIS, _NONE = "max_tokens", "max_completion_tokens", ""


_names: Final = EndpointMemory[str]()
"""Name of the parameter by which each endpoint accepts a token limit of the reply."""


_FIELDS: Final = ("max_tokens", "max_output_tokens", "num_predict", "max_completion_tokens", "max_new_tokens")
"""Fields of LangChain's classes for the token limit of a reply: Anthropic and Mistral, Gemini, Ollama, and others."""


def bound_name(endpoint: str, model: "BaseChatModel") -> str:
    """Return the name by which an endpoint accepts a token limit of the reply, or "" if it accepts none.

    The name is a request parameter for models with OpenAI's client, else a field of the model's class.
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
    """Record that an endpoint refused the token limit of a reply.

    The next request uses OpenAI's other name, or no limit if that was refused too or does not apply.

    Args:
        endpoint: Identity of the endpoint.
        model: The chat model.
        name: Name of the refused parameter.
        fault: The refusal.
    """
    other = _OPENAIS if name == _COMMON else _COMMON
    last = fault.kind == "overflow" or endpoint in _names or not speaks_openai(model) or speaks_responses(model)
    _names.remember_fact(endpoint, _NONE if last else other)


_THINKING: Final = 16_000
"""Tokens allowed for reasoning in addition to the reply."""
_thinks: Final = EndpointMemory[bool]()
"""Whether a reply of each endpoint contained reasoning."""


def notice_thoughts(endpoint: str, *, seen: bool) -> None:
    """Record whether a reply of an endpoint contained reasoning. Once seen, it stays recorded."""
    _thinks.remember_fact(endpoint, seen or bool(_thinks.get(endpoint)))


def thinking_allowance(endpoint: str) -> int:
    """Return the tokens to allow for reasoning: 0 if there were replies and none contained any, else 16,000."""
    return _THINKING if _thinks.get(endpoint) is not False else 0


def most_tokens(model: "BaseChatModel", window: int | None, prompt: int) -> int:
    """Return the largest reply in tokens that a model can give to a prompt, as far as is known. At most 32,000.

    Args:
        model: The chat model, which may have a limit of its own.
        window: Context window in tokens, if known.
        prompt: Tokens of the prompt.
    """
    told = (getattr(model, "profile", None) or {}).get("max_output_tokens")
    own = getattr(model, _bound_field(model) or _COMMON, None)
    bounds = [n for n in (told, own) if isinstance(n, int) and n > 0]
    if window is not None:
        bounds.append(max(1, window - prompt))
    return min([MOST_TOKENS, *bounds])


def bind_bound(
    model: "BaseChatModel", runnable: Any, name: str, tokens: int
) -> "tuple[Runnable[Any, Any], dict[str, Any]]":
    """Limit the tokens of a reply.

    Some of LangChain's classes drop the limit from the arguments of a call, so it is set as a field of the model,
    except with OpenAI's client.

    Args:
        model: The chat model.
        runnable: The model bound to a mode, or the model itself.
        name: Name of the limit, as given by `bound_name`. Empty for no limit.
        tokens: The limit.

    Returns:
        The runnable to call, and the keyword arguments for the call.
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
"""Request parameters that disable reasoning, by the name of the switch."""


def set_thinking(model: "BaseChatModel", setting: str, role: str) -> "BaseChatModel":
    """Return the model with reasoning disabled for a role, if the setting says so.

    Args:
        model: The chat model. Only models with OpenAI's client are changed.
        setting: `SWITCH` or `SWITCH:ROLE,ROLE`, a key of `SWITCHES` and the roles that may reason. Empty for no change.
        role: The role.
    """
    switch, _, thinkers = setting.partition(":")
    if switch not in SWITCHES or role in thinkers.split(",") or not speaks_openai(model):
        return model
    body = {**(getattr(model, "extra_body", None) or {}), **SWITCHES[switch]}
    return model.model_copy(update={"extra_body": body})
