"""The modes of getting a structured reply, and which each endpoint takes.

Best first: the endpoint decodes against a JSON schema; the model calls a
function whose parameters are the schema; the schema is written into the prompt.
Which an endpoint takes is a fact about it and not about a run, so it is
remembered for the process.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.schema import json_schema, schema_name

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


class ModeMemory:
    """Which mode each endpoint takes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held = EndpointMemory[_KnownMode]()

    def known(self, endpoint: str) -> StructuredMode | None:
        """The mode that the endpoint last took; None if it has not been seen, or only in doubt and long ago."""
        held = self._held.get(endpoint)
        if held is None or (held.until is not None and self._clock() > held.until):
            return None
        return held.mode

    def remember(self, endpoint: str, mode: StructuredMode, *, certain: bool) -> None:
        """Remember which mode an endpoint took.

        Args:
            endpoint: Provider, model and base URL.
            mode: The mode.
            certain: It refused the better ones, or there are none.
        """
        if certain or self.known(endpoint) != mode:  # what is certain already stays so
            self._held.put(endpoint, _KnownMode(mode, None if certain else self._clock() + DOUBT_SECONDS))


mode_memory = ModeMemory()
"""The memory of this process."""


def bind_mode(model: "BaseChatModel", mode: StructuredMode, schema: type[BaseModel]) -> "Runnable[Any, Any] | None":
    """The model asked in a mode: a runnable from messages to the raw message, or None if it has no such mode."""
    if mode == "json_text":
        return model
    name = schema_name(schema)
    parameters, strict = json_schema(schema)
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


def speaks_openai(model: "BaseChatModel") -> bool:
    """Whether the model's requests are those of the OpenAI client."""
    return any(cls.__name__ == "BaseChatOpenAI" for cls in type(model).__mro__)


def _raw(reply: Any) -> Any:
    """The message, from a reply with `include_raw`."""
    return reply["raw"]


def _bind_other(model: "BaseChatModel", mode: StructuredMode, schema: dict[str, Any]) -> "Runnable[Any, Any] | None":
    """The same through the provider's own LangChain class, which knows its dialect."""
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415 - heavy
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415 - heavy

    plain = type(model).with_structured_output is BaseChatModel.with_structured_output
    if mode == "json_schema" and plain:
        return None  # the base class knows function calls only, whatever method it is given
    method = "json_schema" if mode == "json_schema" else "function_calling"
    try:
        bound = model.with_structured_output(schema, include_raw=True, method=method)
    except (NotImplementedError, TypeError, ValueError):
        return None
    return bound | RunnableLambda(_raw)
