"""OpenAI's chat completions and models, as Open WebUI and the `openai` client use them.

The model's name says how deep to look, the messages what is asked.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.backend import Backend, backend_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.openai_api.answers import CORRECTED, ProtocolAnswer, follow_answer
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.records import RunRecord
from weiwo.app.server.wire import HEARTBEAT, EventStream, cancelling, dump, read_json, reply

_MODELS: Final = {"weiwo": {}, "weiwo-quick": {"depth": "quick"}, "weiwo-deep": {"depth": "deep"}}
"""The models there are, each with the context it stands for."""
_ROLES: Final = {"user": "human", "assistant": "ai"}
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_MOST_MESSAGES: Final = 200
_BEGUN: Final = int(time.time())
_Handler = Callable[[Request], Awaitable[Response]]


def openai_errors(handler: _Handler) -> _Handler:
    """The same route, with errors as OpenAI's clients read them."""

    async def handled(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestError as error:
            return _error_response(error)

    return handled


def _error_response(error: RequestError) -> Response:
    """An error as OpenAI's API writes it."""
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    told = {"message": error.detail, "type": kind, "param": None, "code": None}
    return reply({"error": told}, error.status, error.headers)


@openai_errors
async def models(_: Request) -> Response:
    """The models there are: one system, looking more or less deeply."""
    return reply({"object": "list", "data": [_model(name) for name in _MODELS]})


@openai_errors
async def model(request: Request) -> Response:
    """One of them."""
    name = request.path_params["model"]
    if name not in _MODELS:
        raise RequestError(404, f"model {name[:60]!a}; there is none of that name; use {', '.join(_MODELS)}")
    return reply(_model(name))


@openai_errors
async def completions(request: Request) -> Response:
    """Answer the last message of a conversation."""
    body = await read_json(request)
    backend = backend_of(request)
    wanted = read_run(body, read_messages(body.get("messages")), kept=bool(body.get("store")))
    run = await backend.begin(request, wanted)
    name = str(body.get("model") or "weiwo")
    if body.get("stream"):
        options = body.get("stream_options") or {}
        usage = isinstance(options, dict) and bool(options.get("include_usage"))
        return EventStream(cancelling(_chunks(backend, run, name, usage=usage), lambda: backend.leave(run)))
    answer = await whole(backend, run)
    if answer.error:
        raise RequestError(500, answer.error)
    annotations = [{"type": "url_citation", "url_citation": one} for one in answer.annotations()]
    message = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": annotations}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = _head(run, name, "chat.completion")
    return reply({**head, "choices": [choice], "usage": _usage(answer), **_sources(answer)})


def read_run(body: Mapping[str, Any], messages: list[dict[str, str]], *, kept: bool) -> RunRequest:
    """The run that answers.

    Args:
        body: The request's body; its `model` counts here.
        messages: The conversation.
        kept: Whether its thread is kept.

    Raises:
        RequestError: There is no such model, or nothing is asked.
    """
    model = str(body.get("model") or "weiwo")
    if model not in _MODELS:
        raise RequestError(404, f"model {model[:60]!a}; there is none of that name; use {', '.join(_MODELS)}")
    if not messages or messages[-1]["type"] != "human" or not messages[-1]["content"].strip():
        raise RequestError(400, "messages; the last is no question of a user; end with one")
    # Who reads along is asked what a question means, once a conversation; a program gets what is assumed.
    person = bool(body.get("stream")) and len(messages) == 1
    asked = {
        "input": {"messages": messages},
        "context": {**_MODELS[model], "clarify": person},
        "stream_mode": ["custom", "values", "messages-tuple"],
        "on_completion": "keep" if kept else "delete",
    }
    return RunRequest.of(asked, stateless=True)


def read_messages(given: Any) -> list[dict[str, str]]:
    """A conversation as the graph takes it: what users and assistants said.

    Args:
        given: Messages of the chat completions API, items of the responses API, or the question alone.

    Raises:
        RequestError: It is malformed, or holds what is no text.
    """
    if isinstance(given, str):
        return [{"type": "human", "content": given}]
    if not isinstance(given, list) or len(given) > _MOST_MESSAGES:
        raise RequestError(400, f"messages; give a list of up to {_MOST_MESSAGES}, each with role and content")
    messages = []
    for one in given:
        if not isinstance(one, Mapping):
            raise RequestError(400, "messages; one of them is no object; give role and content")
        kind = _ROLES.get(str(one.get("role")))
        if kind is None:  # instructions of a system and replies of tools are none of the conversation
            continue
        if text := _text(one.get("content")):
            messages.append({"type": kind, "content": text})
    return messages


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
            raise RequestError(400, "messages; only text is read; leave images, sound and files out")
    return "\n".join(str(part.get("text", "")) for part in parts)


async def whole(backend: Backend, run: RunRecord) -> ProtocolAnswer:
    """What a run comes to."""
    return [one async for one in follow_answer(backend, run) if isinstance(one, ProtocolAnswer)][-1]


def rest(answer: ProtocolAnswer, streamed: str) -> str:
    """What is to follow the text that was streamed, so that the reader ends with the answer as it was checked."""
    if answer.text.startswith(streamed):
        return answer.text[len(streamed) :]
    return f"\n\n---\n\n{CORRECTED[answer.language]}\n\n{answer.text}"


async def _chunks(backend: Backend, run: RunRecord, name: str, *, usage: bool) -> AsyncIterator[bytes]:
    """The answer in pieces."""
    head, streamed = _head(run, name, "chat.completion.chunk"), ""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return b"data: " + dump({**head, "choices": [choice], **more}) + b"\n\n"

    yield chunk({"role": "assistant", "content": ""})
    async for one in follow_answer(backend, run):
        if isinstance(one, ProtocolAnswer):
            if one.error:
                error = {"message": one.error, "type": "server_error", "param": None, "code": None}
                yield b"data: " + dump({"error": error}) + b"\n\n"
                return
            if more := rest(one, streamed):
                yield chunk({"content": more})
            annotations = [{"type": "url_citation", "url_citation": found} for found in one.annotations()]
            yield chunk({"annotations": annotations}, "stop", **_sources(one))
            if usage:
                yield b"data: " + dump({**head, "choices": [], "usage": _usage(one)}) + b"\n\n"
        elif one.kind == "text":
            streamed += one.text
            yield chunk({"content": one.text})
        elif one.kind == "progress":
            yield chunk({"reasoning_content": f"{one.text}\n"})
        else:
            yield HEARTBEAT
    yield b"data: [DONE]\n\n"


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _BEGUN, "owned_by": "weiwo"}


def _head(run: RunRecord, name: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{run.run_id}", "object": kind, "created": int(run.created), "model": name}


def _usage(answer: ProtocolAnswer) -> dict[str, int]:
    given, made = answer.usage
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _sources(answer: ProtocolAnswer) -> dict[str, Any]:
    """The sources, numbered, for clients that show a list of them."""
    names = ("n", "title", "source", "quote")
    return {
        "citations": [str(one["source"]) for one in answer.citations],
        "sources": [{name: one.get(name) for name in names} for one in answer.citations],
    }
