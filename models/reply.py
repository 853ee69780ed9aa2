"""Parsing of a chat model's reply: the contained value, or the errors."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from weiwo.models.coercion import SchemaMismatchError, coerce_reply
from weiwo.models.json_reader import parse_json
from weiwo.models.reasoning_filter import has_thoughts
from weiwo.models.stop_reasons import stop_kind

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)
_ReplyVerdict = Literal["good", "invalid", "cut", "prose", "refused"]

_LONGEST_LINE = 200
_CUT_WORDS = "it was cut off at the length limit; send a shorter one"
_BROKEN_WORDS = "it broke off before its end"


@dataclass(frozen=True)
class ParsedReply(Generic[T]):
    """Result of parsing a reply."""

    # `good`; `invalid` (JSON that does not fit the schema or check); `cut` (the reply ended early); `prose` (no JSON
    # object); `refused` (the model or a filter declined).
    verdict: _ReplyVerdict
    value: T | None = None  # set if `good`, or if `cut` and the part that came is valid
    words: str = ""  # error for the model, when it is asked to correct the reply
    structural: bool = False  # whether a field is missing, unknown or of another type


def parse_reply(message: "BaseMessage", schema: type[T], check: Callable[[T], str | None] | None) -> ParsedReply[T]:
    """Parse a reply, and check it against a schema and then by the caller's `check`.

    Args:
        message: The reply.
        schema: The wanted type.
        check: Returns the error in a value that fits the schema, as an instruction to the model, or None.
    """
    kind = stop_kind(message)
    if kind == "declined":
        return ParsedReply("refused")
    reading = _parse_content(message, schema, check)
    if kind in {"ended", "unreported"}:  # the session has judged one that reports no reason
        return reading
    return ParsedReply("cut", reading.value, reading.words or (_CUT_WORDS if kind == "cut" else _BROKEN_WORDS))


def _parse_content(message: "BaseMessage", schema: type[T], check: Callable[[T], str | None] | None) -> ParsedReply[T]:
    """Parse the content of a reply as if complete, regardless of the stop reason."""
    try:
        payload = _payload(message)
    except ValueError:
        return ParsedReply("prose", words="there was no JSON object in it")
    try:
        value = coerce_reply(payload, schema)
    except SchemaMismatchError as misfit:
        if not any(isinstance(item, dict) for item in (payload if isinstance(payload, list) else [payload])):
            return ParsedReply("prose", words="there was no JSON object in it")  # such as "[1]", a citation
        return ParsedReply("invalid", words=misfit.words, structural=misfit.structural)
    if complaint := check(value) if check else None:
        return ParsedReply("invalid", words=complaint)
    return ParsedReply("good", value)


def is_empty(message: "BaseMessage") -> bool:
    """Report whether a reply is empty: no text, and no call."""
    return not (
        message_text(message).strip()
        or getattr(message, "tool_calls", None)
        or getattr(message, "invalid_tool_calls", None)
    )


def message_text(message: "BaseMessage") -> str:
    """Return the text of a message, with content blocks joined, and without blocks of reasoning."""
    return str(message.text)


def sent_text(message: "BaseMessage") -> str:
    """Return the output of a model as text: the text, else the arguments of the function call as JSON."""
    text = message_text(message)
    if text.strip():
        return text
    if pieces := getattr(message, "tool_call_chunks", None):
        return "".join(piece.get("args") or "" for piece in pieces)
    for call in getattr(message, "tool_calls", None) or []:
        return json.dumps(call["args"], ensure_ascii=False)
    for call in getattr(message, "invalid_tool_calls", None) or []:
        return str(call.get("args") or "")
    return ""


def shows_thoughts(message: "BaseMessage") -> bool:
    """Report whether a reply contains reasoning: in separate fields, blocks, tags or token counts."""
    more, usage = message.additional_kwargs, getattr(message, "usage_metadata", None) or {}
    blocks = message.content if isinstance(message.content, list) else ()
    return (
        any(more.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
        or any(isinstance(block, dict) and block.get("type") in {"thinking", "reasoning"} for block in blocks)
        or bool((usage.get("output_token_details") or {}).get("reasoning"))
        or has_thoughts(message_text(message))
    )


def reported_tokens(message: "BaseMessage | None") -> tuple[int, int]:
    """Return the numbers of input and output tokens reported with a message, 0 if not reported."""
    usage = getattr(message, "usage_metadata", None) or {}
    return max(0, int(usage.get("input_tokens") or 0)), max(0, int(usage.get("output_tokens") or 0))


def cached_tokens(message: "BaseMessage | None") -> int:
    """Return the number of input tokens that the provider read from its cache, as reported, else 0."""
    usage = getattr(message, "usage_metadata", None) or {}
    return max(0, int((usage.get("input_token_details") or {}).get("cache_read") or 0))


def _payload(message: "BaseMessage") -> Any:
    """Return the arguments of the function call if present, else the JSON in the text.

    Raises:
        ValueError: There is neither.
    """
    for piece in getattr(message, "tool_call_chunks", None) or []:
        return parse_json(piece.get("args") or "")  # LangChain would complete a partial value
    for call in getattr(message, "tool_calls", None) or []:
        return call["args"]
    for call in getattr(message, "invalid_tool_calls", None) or []:
        return parse_json(call.get("args") or "")
    return parse_json(message_text(message))


def clip_line(words: str) -> str:
    """Put a text on one line of at most 200 characters, for the trace. A longer line ends with "…"."""
    line = re.sub(r"\s+", " ", words).strip()
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
