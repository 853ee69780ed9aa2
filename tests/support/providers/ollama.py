"""Ollama's own API."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.support.providers.dialect import Dialect, Event, Json, pieces, wants_schema

if TYPE_CHECKING:
    from tests.support.openai_server import Reply

LOADING = "load"
"""The reason to stop of a reply without a word: the model was loaded, and nothing else."""


def _read(body: Json) -> Json:
    options = body.get("options") or {}
    request: Json = {"messages": body["messages"], "model": body["model"], "max_tokens": options.get("num_predict")}
    if isinstance(schema := body.get("format"), dict):
        request["response_format"] = wants_schema(schema.get("title") or "", schema)
    if tools := body.get("tools"):
        request["tools"] = tools
    return request


def _head(body: Json) -> Json:
    return {"model": body["model"], "created_at": "2026-01-02T03:04:05.678Z"}


def _end(reply: "Reply") -> Json:
    sent, received = reply.usage or (0, 0)
    counts = {"total_duration": 5, "load_duration": 1, "prompt_eval_count": sent, "eval_count": received}
    return {"done": True, "done_reason": OLLAMA.stop(reply.finish), **(counts if reply.usage else {})}


def _call(reply: "Reply") -> list[Json]:
    return [{"function": {"name": reply.tool[0], "arguments": json.loads(reply.tool[1])}}] if reply.tool else []


def _whole(body: Json, reply: "Reply") -> Json:
    message: Json = {"role": "assistant", "content": reply.content or ""}
    if reply.thoughts:
        message["thinking"] = reply.thoughts
    if calls := _call(reply):
        message["tool_calls"] = calls
    return {**_head(body), "message": message, **_end(reply)}


def _line(body: Json, message: Json, end: Json) -> str:
    return json.dumps({**_head(body), "message": {"role": "assistant", "content": "", **message}, **end}) + "\n"


def _events(body: Json, reply: "Reply") -> Iterator[Event]:
    going = {"done": False}
    if reply.thoughts:
        yield Event(_line(body, {"thinking": reply.thoughts}, going))
    for piece in pieces(reply.content or "", reply.piece):
        yield Event(_line(body, {"content": piece}, going), len(piece))
    if calls := _call(reply):
        yield Event(_line(body, {"tool_calls": calls}, going))
    if reply.finish:
        yield Event(_line(body, {}, _end(reply)))


OLLAMA = Dialect(
    name="ollama",
    package="langchain_ollama",
    model="qwen3:8b",
    paths=("/api/chat",),
    environment=lambda url, _: {"OLLAMA_HOST": url},
    read=_read,
    whole=_whole,
    events=_events,
    error=lambda _, message: {"error": message},
    stops={"tool_calls": "stop"},
    stream_type="application/x-ndjson",
    failure=lambda body: json.dumps(body) + "\n",
)
