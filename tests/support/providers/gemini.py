"""The Gemini API."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.support.providers.dialect import Dialect, Event, Json, pieces, sse, wants_schema

if TYPE_CHECKING:
    from tests.support.openai_server import Reply

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
BLOCKED = "blocked:"
"""Begins a reason to stop that is one for which the prompt itself is blocked, such as `blocked:PROHIBITED_CONTENT`."""


def _read(body: Json) -> Json:
    contents = [body["systemInstruction"], *body["contents"]] if body.get("systemInstruction") else body["contents"]
    roles = {"model": "assistant", "user": "user"}
    messages = [
        {
            "role": roles.get(content.get("role") or "system", "system"),
            "content": "".join(part.get("text") or "" for part in content.get("parts") or ()),
        }
        for content in contents
    ]
    config = body.get("generationConfig") or {}
    request: Json = {"messages": messages, "max_tokens": config.get("maxOutputTokens")}
    if schema := config.get("responseJsonSchema") or config.get("responseSchema"):
        request["response_format"] = wants_schema(schema.get("title") or "", schema)
    if tools := body.get("tools"):
        request["tools"] = [
            {"type": "function", "function": {"name": one["name"], "parameters": one.get("parameters")}}
            for tool in tools
            for one in tool.get("functionDeclarations") or ()
        ]
    return request


def _usage(reply: "Reply", share: float = 1.0) -> Json:
    sent, received = reply.usage or (0, 0)
    received = max(1, int(received * share))
    usage = {"promptTokenCount": sent, "candidatesTokenCount": received, "totalTokenCount": sent + received}
    return usage | ({"cachedContentTokenCount": reply.cached} if reply.cached else {})


def _part(reply: "Reply", parts: list[Json], stop: str | None, share: float = 1.0) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if stop:
        candidate["finishReason"] = stop
    usage = {"usageMetadata": _usage(reply, share)} if reply.usage else {}
    return {"candidates": [candidate], **usage, "modelVersion": "gemini-2.5-flash", "responseId": "x"}


def _blocked(reply: "Reply") -> Json | None:
    if not (reply.finish or "").startswith(BLOCKED):
        return None
    feedback = {"blockReason": reply.finish.removeprefix(BLOCKED), "safetyRatings": []}
    return {"promptFeedback": feedback, "usageMetadata": {"promptTokenCount": 11, "totalTokenCount": 11}}


def _call(reply: "Reply") -> list[Json]:
    return [{"functionCall": {"name": reply.tool[0], "args": json.loads(reply.tool[1])}}] if reply.tool else []


def _whole(_: Json, reply: "Reply") -> Json:
    thoughts = [{"text": reply.thoughts, "thought": True}] if reply.thoughts else []
    text = [{"text": reply.content}] if reply.content else []
    return _blocked(reply) or _part(reply, [*thoughts, *text, *_call(reply)], GEMINI.stop(reply.finish))


def _events(_: Json, reply: "Reply") -> Iterator[Event]:
    if blocked := _blocked(reply):
        yield Event(sse(blocked))
        return
    if reply.thoughts:
        yield Event(sse(_part(reply, [{"text": reply.thoughts, "thought": True}], None, 0.1)))
    said, content = 0, reply.content or ""
    for piece in pieces(content, reply.piece):
        said += len(piece)
        yield Event(sse(_part(reply, [{"text": piece}], None, said / len(content) / 2)), len(piece))
    yield Event(sse(_part(reply, _call(reply) or [{"text": ""}], GEMINI.stop(reply.finish))))


def _error(status: int, message: str) -> Json:
    return {"error": {"code": status, "message": message, "status": _STATUSES.get(status, "UNKNOWN")}}


GEMINI = Dialect(
    name="google_genai",
    package="langchain_google_genai",
    model="gemini-2.5-flash",
    paths=(":generateContent", ":streamGenerateContent?alt=sse"),
    environment=lambda url, key: {"GOOGLE_GEMINI_BASE_URL": url, "GOOGLE_API_KEY": key},
    read=_read,
    whole=_whole,
    events=_events,
    error=_error,
    stops={"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP", "content_filter": "SAFETY"},
)
