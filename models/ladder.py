"""The ladder of ways to get a structured reply, and at which rung each endpoint holds.

Rungs, best first: the endpoint decodes against a JSON schema; the model calls a
function whose parameters are the schema; the schema is written into the prompt.
Where an endpoint holds is a fact about it and not about a run, so it is
remembered for the process.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from models.schema import json_schema, schema_name

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable

Rung = Literal["json_schema", "function_call", "json_text"]
RUNGS: tuple[Rung, ...] = ("json_schema", "function_call", "json_text")

DOUBT_SECONDS = 900.0
"""How long a step down is remembered that the endpoint did not ask for, but one odd reply suggested."""

MAX_REMEMBERED = 1024
"""Endpoints remembered; the oldest gives way."""


@dataclass(frozen=True)
class _Held:
    rung: Rung
    until: float | None


class RungMemory:
    """At which rung each endpoint holds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[str, _Held] = {}

    def known(self, endpoint: str) -> Rung | None:
        """The rung at which the endpoint last held, or None if it has not been seen, or only in doubt and long ago."""
        held = self._held.get(endpoint)
        if held is None or (held.until is not None and self._clock() > held.until):
            return None
        return held.rung

    def holds(self, endpoint: str, rung: Rung, *, certain: bool) -> None:
        """Remember where an endpoint held.

        Args:
            endpoint: Provider, model and base URL.
            rung: The rung.
            certain: It refused the rungs above, or there are none.
        """
        if certain or self.known(endpoint) != rung:  # what is certain already stays so
            while len(self._held) >= MAX_REMEMBERED:
                del self._held[next(iter(self._held))]
            self._held[endpoint] = _Held(rung, None if certain else self._clock() + DOUBT_SECONDS)

    def forget(self) -> None:
        """Start anew."""
        self._held.clear()


rungs = RungMemory()
"""The memory of this process."""


def bind(model: "BaseChatModel", rung: Rung, schema: type[BaseModel]) -> "Runnable[Any, Any] | None":
    """The model asked at a rung: a runnable from messages to the raw message, or None if it has no such rung."""
    if rung == "json_text":
        return model
    name = schema_name(schema)
    parameters, strict = json_schema(schema)
    description = (schema.__doc__ or name).strip().partition("\n\n")[0]
    if speaks_openai(model):
        if rung == "function_call":
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
        return model.bind(extra_body={"response_format": response_format})
    return _bind_other(model, rung, {**parameters, "title": name, "description": description})


def speaks_openai(model: "BaseChatModel") -> bool:
    """Whether the model's requests are those of the OpenAI client."""
    return any(cls.__name__ == "BaseChatOpenAI" for cls in type(model).__mro__)


def _raw(reply: Any) -> Any:
    """The message, from a reply with `include_raw`."""
    return reply["raw"]


def _bind_other(model: "BaseChatModel", rung: Rung, schema: dict[str, Any]) -> "Runnable[Any, Any] | None":
    """The same through the provider's own LangChain class, which knows its dialect."""
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415 - heavy
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415 - heavy

    plain = type(model).with_structured_output is BaseChatModel.with_structured_output
    if rung == "json_schema" and plain:
        return None  # the base class knows function calls only, whatever method it is given
    method = "json_schema" if rung == "json_schema" else "function_calling"
    try:
        bound = model.with_structured_output(schema, include_raw=True, method=method)
    except (NotImplementedError, TypeError, ValueError):
        return None
    return bound | RunnableLambda(_raw)
