"""Anthropic's Messages API."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.support.providers.dialect import Dialect, Event, Json, pieces, sse, wants_schema

if TYPE_CHECKING:
    from tests.support.openai_server import Reply

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def _read(body: Json) -> Json:
    messages = list(body.get("messages") or ())
    system = body.get("system")
    if system:
        words = system if isinstance(system, str) else "".join(block.get("text", "") for block in system)
        messages.insert(0, {"role": "system", "content": words})
    request: Json = {"messages": messages, "model": body.get("model"), "max_tokens": body.get("max_tokens")}
    if schema := ((body.get("output_config") or {}).get("format") or {}).get("schema"):
        request["response_format"] = wants_schema(schema.get("title") or "", schema)
    if tools := body.get("tools"):
        request["tools"] = [
            {"type": "function", "function": {"name": tool["name"], "parameters": tool.get("input_schema")}}
            for tool in tools
        ]
    return request


def _usage(reply: "Reply") -> Json:
    sent, received = reply.usage or (0, 0)
    return {
        "input_tokens": sent - reply.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reply.cached,
        "output_tokens": received,
    }


def _blocks(reply: "Reply") -> list[Json]:
    blocks: list[Json] = []
    if reply.thoughts:
        blocks.append({"type": "thinking", "thinking": reply.thoughts, "signature": "EqQB"})
    if reply.content:
        blocks.append({"type": "text", "text": reply.content})
    if reply.tool:
        name, arguments = reply.tool
        blocks.append({"type": "tool_use", "id": "toolu_01", "name": name, "input": json.loads(arguments)})
    return blocks


def _message(body: Json, content: list[Json], stop: str | None, usage: Json) -> Json:
    head = {"id": "msg_01", "type": "message", "role": "assistant", "model": body.get("model")}
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _whole(body: Json, reply: "Reply") -> Json:
    return _message(body, _blocks(reply), ANTHROPIC.stop(reply.finish), _usage(reply))


def _event(event: Json) -> str:
    return sse(event, event["type"])


def _events(body: Json, reply: "Reply") -> Iterator[Event]:
    start = _message(body, [], None, {**_usage(reply), "output_tokens": 1})
    yield Event(_event({"type": "message_start", "message": start}))
    yield Event(_event({"type": "ping"}))
    for index, block in enumerate(_blocks(reply)):
        place = {"index": index}
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in pieces(reply.tool[1], reply.piece)]
        elif block["type"] == "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"], 20)]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        else:
            empty = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"], reply.piece)]
        yield Event(_event({"type": "content_block_start", **place, "content_block": empty}))
        for delta in deltas:
            said = delta.get("text") or delta.get("partial_json") or ""
            yield Event(_event({"type": "content_block_delta", **place, "delta": delta}), len(said))
        yield Event(_event({"type": "content_block_stop", **place}))
    if stop := ANTHROPIC.stop(reply.finish):
        delta = {"stop_reason": stop, "stop_sequence": None}
        yield Event(_event({"type": "message_delta", "delta": delta, "usage": _usage(reply)}))
        yield Event(_event({"type": "message_stop"}))


def _error(status: int, message: str) -> Json:
    kind = _TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_01"}


ANTHROPIC = Dialect(
    name="anthropic",
    package="langchain_anthropic",
    model="claude-haiku-4-5",
    paths=("/v1/messages",),
    environment=lambda url, key: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_URL": url, "ANTHROPIC_API_KEY": key},
    read=_read,
    whole=_whole,
    events=_events,
    error=_error,
    stops={"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"},
    failure=lambda body: sse(body, "error"),
)
