"""Stop reasons: a reply is complete only if the provider says that the model ended it.

Each provider's API has its own words for stop reasons. They form a single table, since servers with OpenAI's API may
pass on the words of another provider. A reply with an unknown or missing reason counts as incomplete. LangChain's
classes accept a stream that breaks off without a reason as complete (all of langchain-anthropic 1.7.10, -google-genai
4.4.3, -mistralai 1.1.6, -ollama 1.1.0, -deepseek 1.1.1 and -openai 1.7.4).

Some servers and classes never report a reason, which is learned by endpoint. Hosted providers must report one with
every reply. A local server with OpenAI's API must do so once it has reported one. Until then, its replies without a
reason are refused twice and accepted afterwards.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.models.endpoint import EndpointMemory, is_local
from weiwo.models.errors import Fault, ModelRequestError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

StopKind = Literal["ended", "cut", "declined", "overloaded", "broken", "unreported"]
"""End of a reply: by the model itself, at the length limit, declined by the model or a filter, because the provider was
overloaded, for any other reason, or without a reported reason."""

_FORMS: Final[Mapping[str, Mapping[StopKind, str]]] = {
    "openai": {
        "ended": "stop tool_calls function_call",
        "cut": "length",
        "declined": "content_filter",
    },
    "responses": {"ended": "completed", "cut": "max_output_tokens", "declined": "content_filter"},
    "anthropic": {
        "ended": "end_turn stop_sequence tool_use",
        "cut": "max_tokens model_context_window_exceeded",
        "declined": "refusal",
    },
    "gemini": {
        "ended": "STOP",
        "cut": "MAX_TOKENS",
        "declined": "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII JAILBREAK MODEL_ARMOR LANGUAGE"
        " IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION",
    },
    "mistral": {"ended": "stop tool_calls", "cut": "length model_length"},
    "ollama": {"ended": "stop", "cut": "length"},
    "deepseek": {
        "ended": "stop tool_calls",
        "cut": "length",
        "declined": "content_filter",
        "overloaded": "insufficient_system_resource",
    },
    "bedrock": {
        "ended": "end_turn stop_sequence tool_use",
        "cut": "max_tokens model_context_window_exceeded",
        "declined": "guardrail_intervened content_filtered",
    },
    "cohere": {"ended": "COMPLETE STOP_SEQUENCE TOOL_CALL", "cut": "MAX_TOKENS", "declined": "ERROR_TOXIC"},
    "zhipu": {
        "ended": "stop tool_calls",
        "cut": "length model_context_window_exceeded",
        "declined": "sensitive",
        "overloaded": "network_error",
    },
    "hugging face": {"ended": "stop eos eos_token stop_sequence", "cut": "length"},
}
"""Stop reasons of each provider's API, from its reference."""
_KINDS: Final = {
    word.lower(): kind for form in _FORMS.values() for kind, words in form.items() for word in words.split()
}
_KEYS: Final = ("finish_reason", "stop_reason", "done_reason", "stopReason")
_ALWAYS_TELL: Final = frozenset({"ChatAnthropic", "ChatGoogleGenerativeAI", "ChatMistralAI", "ChatOllama"})
"""LangChain's classes of providers that report a reason with every reply."""
_TELLING: Final = 2
"""Number of replies without a reason after which an endpoint counts as not reporting reasons."""
_CODE: Final = re.compile(r"\w{1,40}")

_reported: Final = EndpointMemory[None]()
"""Endpoints that have reported a reason."""
_unreported: Final = EndpointMemory[int]()
"""Number of replies without a reason, by endpoint."""


def stop_reason(message: "BaseMessage") -> str | None:
    """Return the stop reason of a reply, from the metadata of any provider, or None if not reported."""
    told: Mapping[str, Any] = message.response_metadata
    for key in _KEYS:
        if reason := told.get(key):
            return _word(reason)
    if blocked := _block_reason(message):
        reason = _word(blocked)
        return reason if _KINDS.get(reason.lower()) == "declined" else "content_filter"
    # The Responses API reports a status instead of a finish reason.
    if (status := told.get("status")) and told.get("object") == "response":
        incomplete = (told.get("incomplete_details") or {}).get("reason")
        return _word(incomplete if status == "incomplete" and incomplete else status)
    return None


def blocks_prompt(message: "BaseMessage") -> bool:
    """Report whether the prompt itself was blocked, as Gemini's replies state."""
    return bool(_block_reason(message))


def _block_reason(message: "BaseMessage") -> object:
    return (message.response_metadata.get("prompt_feedback") or {}).get("block_reason")


def _word(reason: object) -> str:
    return str(getattr(reason, "name", reason))


def stop_kind(message: "BaseMessage") -> StopKind:
    """Classify the end of a fully received reply, e.g. "ended" or "cut"."""
    return "declined" if refuses(message) else kind_of(stop_reason(message))


def kind_of(reason: str | None) -> StopKind:
    """Classify a stop reason. None gives "unreported", and an unknown reason "broken"."""
    return "unreported" if reason is None else _KINDS.get(reason.lower(), "broken")


def refuses(message: "BaseMessage") -> bool:
    """Report whether a reply is the model's refusal, in a field or a block of the reply."""
    if message.additional_kwargs.get("refusal"):
        return True
    blocks = message.content if isinstance(message.content, list) else ()
    return any(isinstance(block, dict) and block.get("type") == "refusal" for block in blocks)


def always_tells(model: "BaseChatModel") -> bool:
    """Report whether a model's endpoint must give a stop reason with every reply.

    A server on this network with OpenAI's API need not.
    """
    names = {cls.__name__ for cls in type(model).__mro__}
    base_url = str(getattr(model, "openai_api_base", None) or "")
    hosted = "BaseChatOpenAI" in names and not (base_url and is_local(base_url))
    return hosted or bool(names & _ALWAYS_TELL)


def accepts_unreported(endpoint: str, model: "BaseChatModel") -> bool:
    """Decide whether a reply without a stop reason counts as complete, and count the replies without one.

    Accepted are replies of endpoints that have never reported a reason: from the third reply on with OpenAI's client,
    at once with other classes.
    """
    if always_tells(model) or endpoint in _reported:
        return False
    _unreported.remember_fact(endpoint, seen := _unreported.get(endpoint, 0) + 1)
    speaks_openai = any(cls.__name__ == "BaseChatOpenAI" for cls in type(model).__mro__)
    return not speaks_openai or seen > _TELLING


def note_reported(endpoint: str) -> None:
    """Record that an endpoint reports stop reasons."""
    _reported.remember_fact(endpoint, None)


def require_end(kind: StopKind, reason: str | None, *, empty: bool = False, prompt: bool = False) -> None:
    """Raise an error for a reply that is empty, or was not ended by the model.

    Args:
        kind: Kind of the reply's end.
        reason: Stop reason as reported, for the message.
        empty: Whether the reply is empty.
        prompt: Whether a filter blocked the prompt.

    Raises:
        ModelRequestError: `incomplete`, `declined`, `busy` or `empty`.
    """
    told = f" ({reason})" if reason and _CODE.fullmatch(reason) else ""
    faults: dict[StopKind, Fault] = {
        "cut": Fault("incomplete", "the reply was cut off at the model's length limit", cut=True),
        "declined": Fault("declined", f"the model or a content filter declined{told}", prompt=prompt),
        "overloaded": Fault("busy", f"the model endpoint is overloaded{told}"),
        "broken": Fault("incomplete", f"the model did not end its reply{told}"),
        "unreported": Fault("empty", "the reply was empty") if empty else Fault("incomplete", "the reply broke off"),
    }
    if (fault := faults.get(kind)) is not None:
        raise ModelRequestError(fault)
    if empty:
        raise ModelRequestError(Fault("empty", "the reply was empty"))
