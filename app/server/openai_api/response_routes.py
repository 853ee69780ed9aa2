"""OpenAI's responses API, for the `openai` client.

A stored response is a thread, and can be continued.
"""

from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.records import UNDER_WAY, RunRecord
from weiwo.app.server.engine import Backend, backend_of
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.openai_api.answers import ProtocolAnswer, follow_answer
from weiwo.app.server.openai_api.chat_routes import openai_errors, read_messages, read_run, whole
from weiwo.app.server.wire import HEARTBEAT, EventStream, cancel_on_leave, dump, read_json, reply, sse

_PREFIX: Final = "resp_"
_BEFORE: Final = "previous_response_id"


@openai_errors
async def create(request: Request) -> Response:
    """Answer a question, on the thread of an earlier response if named."""
    body, backend = await read_json(request), backend_of(request)
    before = await _load_run(request, str(body[_BEFORE])) if body.get(_BEFORE) else None
    kept = bool(body.get("store", True))
    if before is not None and not kept:
        raise RequestError(400, "store: a continued response is always stored; leave it out")
    if body.get("background"):
        raise RequestError(400, "background is not supported; use /threads/…/runs, or stream the response")
    wanted = read_run(body, read_messages(body.get("input")), kept=kept)
    if before is not None:
        wanted = wanted.model_copy(update={"metadata": {_BEFORE: f"{_PREFIX}{before.run_id}"}})
    run = await backend.begin(request, wanted, before.thread_id if before else "")
    name = str(body.get("model") or "weiwo")
    if body.get("stream"):
        return EventStream(cancel_on_leave(_events(backend, run, name), lambda: backend.leave(run)))
    return reply(_response(run, name, await whole(follow_answer(backend, run))))


@openai_errors
async def get(request: Request) -> Response:
    """Return a stored response."""
    backend, run = backend_of(request), await _load_run(request, request.path_params["response_id"])
    if run.status in UNDER_WAY:
        return reply(_response(run, "weiwo", None))
    answer = await whole(follow_answer(backend, run))
    if answer.error and not run.error and run.status == "success":  # its events are not kept any more
        raise not_found("response", request.path_params["response_id"])
    return reply(_response(run, "weiwo", answer))


async def _load_run(request: Request, response_id: str) -> RunRecord:
    """Return the run with the id of a response, `resp_…`.

    Raises:
        RequestError: The response does not exist, or belongs to another user.
    """
    if not response_id.startswith(_PREFIX):
        raise not_found("response", response_id)
    return await backend_of(request).stored_run(request, response_id.removeprefix(_PREFIX))


async def _events(backend: Backend, run: RunRecord, name: str) -> AsyncIterator[bytes]:
    """Yield an answer as server-sent events of the responses API."""
    number = -1
    place = {"item_id": _item_id(run), "output_index": 0, "content_index": 0}

    def event(kind: str, **more: Any) -> bytes:
        nonlocal number
        number += 1
        return sse(kind, dump({"type": kind, "sequence_number": number, **more}))

    begun = _response(run, name, None)
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    item = _item(run, None)
    yield event("response.output_item.added", output_index=0, item=item)
    empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    yield event("response.content_part.added", part=empty, **place)
    streamed = ""
    async for entry in follow_answer(backend, run):
        if isinstance(entry, ProtocolAnswer):
            done = _response(run, name, entry)
            if entry.error:
                yield event("response.failed", response=done)
                return
            if entry.text.startswith(streamed) and (more := entry.text[len(streamed) :]):
                yield event("response.output_text.delta", delta=more, logprobs=[], **place)
            whole_item = _item(run, entry)
            part = whole_item["content"][0]
            for at, annotation in enumerate(part["annotations"]):
                yield event(
                    "response.output_text.annotation.added", annotation=annotation, annotation_index=at, **place
                )
            yield event("response.output_text.done", text=entry.text, logprobs=[], **place)
            yield event("response.content_part.done", part=part, **place)
            yield event("response.output_item.done", output_index=0, item=whole_item)
            yield event("response.completed", response=done)
        elif entry.kind == "text":
            streamed += entry.text
            yield event("response.output_text.delta", delta=entry.text, logprobs=[], **place)
        else:
            yield HEARTBEAT


def _item_id(run: RunRecord) -> str:
    return f"msg_{run.run_id}"


def _item(run: RunRecord, answer: ProtocolAnswer | None) -> dict[str, Any]:
    """Return the message of a response. An unfinished message has no content."""
    content = []
    if answer is not None:
        annotations = [{"type": "url_citation", **annotation} for annotation in answer.annotations()]
        content = [{"type": "output_text", "text": answer.text, "annotations": annotations, "logprobs": []}]
    status = "in_progress" if answer is None else "completed"
    return {"type": "message", "id": _item_id(run), "role": "assistant", "status": status, "content": content}


def _response(run: RunRecord, name: str, answer: ProtocolAnswer | None) -> dict[str, Any]:
    """Return a response, with the status in progress if unanswered."""
    given, made = answer.usage if answer else (0, 0)
    usage = {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + made,
    }
    failed = answer is not None and bool(answer.error)
    return {
        "id": f"{_PREFIX}{run.run_id}",
        "object": "response",
        "created_at": int(run.created),
        "status": "in_progress" if answer is None else "failed" if failed else "completed",
        "model": name,
        "output": [] if answer is None or failed else [_item(run, answer)],
        "error": {"code": "server_error", "message": answer.error} if answer and failed else None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {"thread_id": run.thread_id},
        _BEFORE: run.request.get("metadata", {}).get(_BEFORE),
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "temperature": None,
        "top_p": None,
        "usage": None if answer is None else usage,
    }
