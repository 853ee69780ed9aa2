"""OpenAI's Responses API, to which LangChain sends some of its model names."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.support.providers.dialect import Dialect, Event, Json, pieces, sse, wants_schema

if TYPE_CHECKING:
    from tests.support.openai_server import Reply


def _words(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content or ())


def _read(body: Json) -> Json:
    asked = body.get("input") or ()
    asked = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    request: Json = {
        "messages": [{"role": one.get("role", "user"), "content": _words(one.get("content"))} for one in asked],
        "model": body.get("model"),
        "max_tokens": body.get("max_output_tokens"),
    }
    wanted = (body.get("text") or {}).get("format") or {}
    if wanted.get("type") == "json_schema":
        request["response_format"] = wants_schema(wanted["name"], wanted["schema"])
    if tools := body.get("tools"):
        request["tools"] = [{"type": "function", "function": tool} for tool in tools]
    return request


def _items(reply: "Reply") -> list[Json]:
    items: list[Json] = []
    if reply.thoughts:
        summary = [{"type": "summary_text", "text": reply.thoughts}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    content: list[Json] = []
    if reply.content:
        content.append({"type": "output_text", "text": reply.content, "annotations": []})
    if reply.refusal is not None:
        content.append({"type": "refusal", "refusal": reply.refusal})
    if content:
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
    if reply.tool:
        name, arguments = reply.tool
        call = {"call_id": "call_1", "name": name, "arguments": arguments, "status": "completed"}
        items.append({"type": "function_call", "id": "fc_1", **call})
    return items


def _response(body: Json, output: list[Json], status: str, **more: Any) -> Json:
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model"), "status": status}
    rest = {"error": None, "incomplete_details": None, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**head, **rest, "text": body.get("text"), "output": output, **more}


def _whole(body: Json, reply: "Reply") -> Json:
    stop = RESPONSES.stop(reply.finish) or "in_progress"
    sent, received = reply.usage or (0, 0)
    usage = {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": reply.cached},
        "output_tokens": received,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + received,
    }
    more: Json = {"usage": usage} if reply.usage else {}
    if stop not in {"completed", "failed", "cancelled", "in_progress"}:
        more["incomplete_details"] = {"reason": stop}
        stop = "incomplete"
    return _response(body, _items(reply), stop, **more)


def _events(body: Json, reply: "Reply") -> Iterator[Event]:
    numbers = count()

    def event(kind: str, characters: int = 0, **more: Any) -> Event:
        return Event(sse({"type": kind, "sequence_number": next(numbers), **more}, kind), characters)

    yield event("response.created", response=_response(body, [], "in_progress"))
    for index, item in enumerate(_items(reply)):
        empty = {key: value for key, value in item.items() if key not in {"content", "summary", "arguments"}}
        more = {"message": {"content": []}, "reasoning": {"summary": []}, "function_call": {"arguments": ""}}
        yield event("response.output_item.added", output_index=index, item={**empty, **more[item["type"]]})
        place: Json = {"item_id": item["id"], "output_index": index}
        for part, content in enumerate(item.get("content") or ()):
            where = {**place, "content_index": part}
            if content["type"] == "refusal":
                yield event("response.refusal.delta", **where, delta=content["refusal"])
                yield event("response.refusal.done", **where, refusal=content["refusal"])
                continue
            for piece in pieces(content["text"], reply.piece):
                yield event("response.output_text.delta", len(piece), **where, delta=piece, logprobs=[])
            yield event("response.output_text.done", **where, text=content["text"], logprobs=[])
        if item["type"] == "reasoning":
            where = {**place, "summary_index": 0}
            part = {"type": "summary_text", "text": ""}
            yield event("response.reasoning_summary_part.added", **where, part=part)
            yield event("response.reasoning_summary_text.delta", **where, delta=reply.thoughts)
        if item["type"] == "function_call":
            for piece in pieces(item["arguments"], reply.piece):
                yield event("response.function_call_arguments.delta", len(piece), **place, delta=piece)
        yield event("response.output_item.done", output_index=index, item=item)
    if reply.finish:
        response = _whole(body, reply)
        yield event(f"response.{response['status']}", response=response)


RESPONSES = Dialect(
    name="openai_responses",
    package="langchain_openai",
    model="gpt-5-pro",
    paths=("/responses",),
    environment=lambda url, key: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": key},
    read=_read,
    whole=_whole,
    events=_events,
    error=lambda _, message: {"error": {"message": message, "type": "scripted", "code": None}},
    stops={"stop": "completed", "tool_calls": "completed", "length": "max_output_tokens"},
    failure=lambda body: sse(body, "error"),
)
