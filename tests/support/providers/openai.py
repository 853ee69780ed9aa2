"""OpenAI's chat completions, and those of Mistral and DeepSeek, which differ in details."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.support.providers.dialect import Dialect, Event, Json, pieces, sse

if TYPE_CHECKING:
    from tests.support.openai_server import Reply


def usage(reply: "Reply") -> Json:
    """The tokens of a reply."""
    sent, received = reply.usage or (0, 0)
    counts: Json = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    return counts | ({"prompt_tokens_details": {"cached_tokens": reply.cached}} if reply.cached else {})


def _completion(request: Json, kind: str) -> Json:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": request.get("model", "scripted")}


def _call(reply: "Reply") -> list[Json]:
    calls = (reply.tool or ("", ""), *reply.more_tools)
    return [
        {"index": n, "id": f"call_{n + 1}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]


def _mistral_thoughts(words: str) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": words}]}


def _whole(request: Json, reply: "Reply") -> Json:
    message: Json = {"role": "assistant", "content": reply.content}
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    if reply.thoughts:
        message["reasoning_content"] = reply.thoughts
    if reply.tool:
        message["tool_calls"] = _call(reply)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
    completion = _completion(request, "chat.completion") | {"choices": [choice]}
    return completion | ({"usage": usage(reply)} if reply.usage else {})


def _chunk(request: Json, delta: Json, finish: str | None = None, **more: object) -> str:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return sse(_completion(request, "chat.completion.chunk") | {"choices": choices} | more)


def _events(request: Json, reply: "Reply") -> Iterator[Event]:
    yield Event(_chunk(request, {"role": "assistant", "content": ""}))
    if reply.thoughts:
        yield Event(_chunk(request, {"reasoning_content": reply.thoughts}))
    for piece in pieces(reply.content or "", reply.piece):
        yield Event(_chunk(request, {"content": piece}), len(piece))
    if reply.refusal is not None:
        yield Event(_chunk(request, {"refusal": reply.refusal}))
    if reply.tool:
        yield Event(_chunk(request, {"tool_calls": _call(reply)}))
    if reply.finish:
        yield Event(_chunk(request, {}, reply.finish))
    if reply.usage and (request.get("stream_options") or {}).get("include_usage"):
        yield Event(sse(_completion(request, "chat.completion.chunk") | {"choices": [], "usage": usage(reply)}))
    yield Event(sse("[DONE]"))


def _mistral_whole(request: Json, reply: "Reply") -> Json:
    completion = _whole(request, reply)
    message = completion["choices"][0]["message"]
    if thoughts := message.pop("reasoning_content", None):
        message["content"] = [_mistral_thoughts(thoughts), {"type": "text", "text": reply.content}]
    return completion


def _mistral_events(request: Json, reply: "Reply") -> Iterator[Event]:
    yield Event(_chunk(request, {"role": "assistant", "content": ""}))
    if reply.thoughts:
        yield Event(_chunk(request, {"content": [_mistral_thoughts(reply.thoughts)]}))
    for piece in pieces(reply.content or "", reply.piece):
        yield Event(_chunk(request, {"content": piece}), len(piece))
    if reply.finish or reply.tool:
        delta = {"content": ""} | ({"tool_calls": _call(reply)} if reply.tool else {})
        more = {"usage": usage(reply)} if reply.usage else {}
        yield Event(_chunk(request, delta, reply.finish, **more))
    yield Event(sse("[DONE]"))


def _error(_: int, message: str) -> Json:
    return {"error": {"message": message, "type": "scripted", "code": None}}


OPENAI = Dialect(
    name="openai",
    package="langchain_openai",
    model="gpt-5-mini",
    paths=("/chat/completions",),
    environment=lambda url, key: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": key},
    read=lambda body: body,
    whole=_whole,
    events=_events,
    error=_error,
)
DEEPSEEK = Dialect(
    name="deepseek",
    package="langchain_deepseek",
    model="deepseek-chat",
    paths=("/chat/completions",),
    environment=lambda url, key: {"DEEPSEEK_API_BASE": f"{url}/v1", "DEEPSEEK_API_KEY": key},
    read=lambda body: body,
    whole=_whole,
    events=_events,
    error=_error,
)
MISTRAL = Dialect(
    name="mistralai",
    package="langchain_mistralai",
    model="mistral-small-latest",
    paths=("/chat/completions",),
    environment=lambda url, key: {"MISTRAL_BASE_URL": f"{url}/v1", "MISTRAL_API_KEY": key},
    read=lambda body: body,
    whole=_mistral_whole,
    events=_mistral_events,
    error=lambda status, message: {"object": "error", "message": message, "type": "scripted", "code": str(status)},
)
