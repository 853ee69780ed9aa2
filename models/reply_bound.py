"""Bounds on a reply: the tokens that its request names, the characters and bytes that are taken of it.

A request carries what the run has left for its reply, under the name that the endpoint takes. Servers that speak
OpenAI's protocol know `max_tokens`, OpenAI itself wants `max_completion_tokens`; some refuse one, or a number larger
than their model writes, and that is remembered. What a server makes of it is its own affair, so that a stream is also
counted while it comes, and ends at a limit of the run.
"""

from typing import TYPE_CHECKING, Any, Final

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.errors import Fault, ModelRequestError
from weiwo.models.structured_modes import speaks_openai

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MOST_TOKENS: Final = 32_000
"""Tokens asked for at most; reasoning counts among them."""
MOST_CHARACTERS: Final = 150_000
"""Characters taken of one reply, a report of 50 pages; the rest is left."""
_COMMON, _OPENAIS, _NONE = "max_tokens", "max_completion_tokens", ""


_names: Final = EndpointMemory[str]()
"""The name under which each endpoint takes the bound."""


def bound_name(endpoint: str, model: "BaseChatModel") -> str:
    """The name to bound a reply under, or "" where the endpoint takes none."""
    if not speaks_openai(model):
        return _COMMON if isinstance(getattr(model, _COMMON, None), int) else _NONE
    known = _names.get(endpoint)
    return known if known is not None else _COMMON if getattr(model, "openai_api_base", None) else _OPENAIS


def note_refused_bound(endpoint: str, name: str, fault: Fault) -> None:
    """Remember that an endpoint refused a bound."""
    other = _OPENAIS if name == _COMMON else _COMMON
    _names.put(endpoint, _NONE if fault.kind == "overflow" or endpoint in _names else other)


def most_tokens(model: "BaseChatModel", window: int | None, prompt: int) -> int:
    """Tokens that a model's reply to a prompt can have, as far as is known."""
    told = (getattr(model, "profile", None) or {}).get("max_output_tokens")
    bounds = [n for n in (told, getattr(model, "max_tokens", None)) if isinstance(n, int) and n > 0]
    if window is not None:
        bounds.append(max(1, window - prompt))
    return min([MOST_TOKENS, *bounds])


def bound_arguments(model: "BaseChatModel", runnable: Any, name: str, tokens: int) -> dict[str, Any]:
    """Arguments of a request that carry the bound on its reply.

    Args:
        model: The model.
        runnable: The model as it is asked, perhaps with arguments bound to it.
        name: What the bound is called; "" for none.
        tokens: The bound.
    """
    if not name:
        return {}
    if name == _OPENAIS or not speaks_openai(model):
        return {_COMMON: tokens}  # LangChain's OpenAI client renames it
    bound = getattr(getattr(runnable, "first", runnable), "kwargs", None) or {}  # a sequence opens with the model
    body = {**(getattr(model, "extra_body", None) or {}), **(bound.get("extra_body") or {})}
    return {"extra_body": {**body, _COMMON: tokens}}


def require_bounded(characters: int) -> None:
    """Refuse a reply that is longer than any answer.

    Raises:
        ModelRequestError: It is.
    """
    if characters > MOST_CHARACTERS:
        raise ModelRequestError(Fault("incomplete", f"the reply was longer than {MOST_CHARACTERS:,} characters"))
