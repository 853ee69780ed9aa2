"""OpenAI's chat completions and models, for Open WebUI and the `openai` client.

The name of the model sets the depth of the search. The messages contain the question.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.engine import backend_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.openai_api.answers import CORRECTED, AnswerSteps, ProtocolAnswer, follow_answer
from weiwo.app.server.openai_api.chat_templates import find_task, read_attached, unwrap_question
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.wire import HEARTBEAT, EventStream, cancel_on_leave, dump, read_json, reply
from weiwo.state.kinds import read_language_tag

_MODELS: Final = {"weiwo": {}, "weiwo-quick": {"depth": "quick"}, "weiwo-deep": {"depth": "deep"}}
"""Model names, each with the settings of the run."""
_ROLES: Final = {"user": "human", "assistant": "ai", "system": "system", "developer": "system"}
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_MOST_MESSAGES: Final = 200
_BEGUN: Final = int(time.time())
_Handler = Callable[[Request], Awaitable[Response]]


def openai_errors(handler: _Handler) -> _Handler:
    """Wrap a route to report errors in the form of OpenAI's API."""

    async def handle_request(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestError as error:
            kind = "invalid_request_error" if error.status < 500 else "server_error"
            told = {"message": error.detail, "type": kind, "param": None, "code": None}
            return reply({"error": told}, error.status, error.headers)

    return handle_request


@openai_errors
async def models(_: Request) -> Response:
    """List the models: a single system with different search depths."""
    return reply({"object": "list", "data": [_model(name) for name in _MODELS]})


@openai_errors
async def model(request: Request) -> Response:
    """Return a model."""
    return reply(_model(_read_model(request.path_params)))


@openai_errors
async def completions(request: Request) -> Response:
    """Answer the last message of a conversation."""
    body = await read_json(request)
    backend, name = backend_of(request), _read_model(body)
    messages = read_messages(body.get("messages"))
    task = next((find_task(item["content"]) for item in reversed(messages) if item["type"] == "human"), None)
    if task is None:
        run = await backend.begin(request, read_run(body, messages, kept=bool(body.get("store"))))
        answers, leave = follow_answer(backend, run), lambda: backend.leave(run)
        head = _head(run.run_id, run.created, name)
    else:
        _refuse_options(body, any_format=True)
        said = task.read_reply(await backend.ask_model(request, "chat_task", task.prompt)) or task.answer_by_rule()
        answers, leave = _yield_answer(ProtocolAnswer(said)), _do_nothing
        head = _head(str(uuid4()), time.time(), name)
    if body.get("stream"):
        options = body.get("stream_options") or {}
        usage = isinstance(options, dict) and bool(options.get("include_usage"))
        return EventStream(cancel_on_leave(_chunks(answers, head, usage=usage), leave))
    answer = await whole(answers)
    if answer.error:
        raise RequestError(500, answer.error)
    message = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": _annotations(answer)}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return reply({**head, "choices": [choice], "usage": _usage(answer), **_sources(answer)})


def _read_model(body: Mapping[str, Any]) -> str:
    """Return the model named by a request.

    Raises:
        RequestError: There is no model of that name.
    """
    model = str(body.get("model") or "weiwo")
    if model not in _MODELS:
        raise RequestError(404, f"model {model[:60]!a} does not exist; use {', '.join(_MODELS)}")
    return model


def _refuse_options(body: Mapping[str, Any], *, any_format: bool) -> None:
    """Raise an error for options that this server cannot follow: several answers, forced tool calls, JSON output.

    Args:
        body: The request's body, of either API.
        any_format: Whether any `response_format` is accepted, as for side tasks, whose prompt states the format.

    Raises:
        RequestError: An option is not supported.
    """
    if (body.get("n") or 1) != 1:
        raise RequestError(400, "n must be 1")
    if body.get("tool_choice") not in (None, "auto", "none"):
        raise RequestError(400, "tool_choice must be auto or none, because this server calls no tools of clients")
    given = body.get("text")
    form = body.get("response_format") or (given.get("format") if isinstance(given, Mapping) else None) or {}
    if not any_format and (not isinstance(form, Mapping) or form.get("type", "text") != "text"):
        told = "response_format: answers are Markdown; leave it out, or use /runs/wait for the whole result as JSON"
        raise RequestError(400, told)


def _read_language(body: Mapping[str, Any]) -> str:
    """Return the language of the answer, empty for the language of the question.

    Clients send it beside OpenAI's own fields.

    Raises:
        RequestError: The value is no language tag.
    """
    said = body.get("language") or ""
    try:
        return read_language_tag(str(said)) if said else ""
    except ValueError as error:
        raise RequestError(400, f"language: {str(said)[:40]!r} {error}") from None


def read_run(body: Mapping[str, Any], messages: list[dict[str, str]], *, kept: bool) -> RunRequest:
    """Build the run for a conversation, from the options of a request of either API.

    Args:
        body: The request's body.
        messages: The conversation, as returned by `read_messages`.
        kept: Whether the thread is kept after the run.

    Raises:
        RequestError: There is no such model, or nothing is asked.
    """
    _refuse_options(body, any_format=False)
    turns = [
        {**message, "content": unwrap_question(message["content"])}
        for message in messages
        if message["type"] != "system"
    ]
    if not turns or turns[-1]["type"] != "human" or not turns[-1]["content"].strip():
        raise RequestError(400, "messages must end with a question of the user")
    # Streaming means that a person reads along, who may be asked back once a conversation. A program is not asked.
    person = bool(body.get("stream")) and len(turns) == 1
    asked = {
        "input": {"messages": turns},
        "context": {**_MODELS[_read_model(body)], "clarify": person, "language": _read_language(body)},
        "stream_mode": ["custom", "values", "messages-tuple"],
        "on_completion": "keep" if kept else "delete",
    }
    texts = [message["content"] for message in messages if message["type"] == "system"]
    texts += [message["content"] for message in messages if message["type"] == "human"][-1:]
    return RunRequest.of(asked, stateless=True).model_copy(update={"attached": read_attached(texts)})


def read_messages(given: Any) -> list[dict[str, str]]:
    """Convert a conversation for the graph.

    Messages of users and assistants are kept. System messages are kept for the documents they contain.

    Args:
        given: Messages of the chat completions API, items of the responses API, or the question alone.

    Raises:
        RequestError: The conversation is malformed, or contains content other than text.
    """
    if isinstance(given, str):
        return [{"type": "human", "content": given}]
    if not isinstance(given, list) or len(given) > _MOST_MESSAGES:
        raise RequestError(400, f"messages must be a list of up to {_MOST_MESSAGES}, each with role and content")
    messages = []
    for item in given:
        if not isinstance(item, Mapping):
            raise RequestError(400, "messages: each message must be an object with role and content")
        kind = _ROLES.get(str(item.get("role")))
        if kind is None:  # replies of tools are none of the conversation
            continue
        if text := _text(item.get("content")):
            messages.append({"type": kind, "content": text})
    return messages


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
            raise RequestError(400, "messages: only text is supported; leave out images, sound and files")
    return "\n".join(str(part.get("text", "")) for part in parts)


async def whole(answers: AnswerSteps) -> ProtocolAnswer:
    """Wait for a run to end, and return the answer."""
    return [answer async for answer in answers if isinstance(answer, ProtocolAnswer)][-1]


async def _yield_answer(answer: ProtocolAnswer) -> AnswerSteps:
    yield answer


async def _do_nothing() -> None:
    """Do nothing, because no run can be cancelled."""


def rest(answer: ProtocolAnswer, streamed: str) -> str:
    """Return the text to send after the streamed text, so that the client has the checked answer.

    After "Rome is" the answer "Rome is old." gives " old.". If the check changed text already sent, the whole answer
    follows under the heading "Corrected after checking:".
    """
    if answer.text.startswith(streamed):
        return answer.text[len(streamed) :]
    return f"\n\n---\n\n{CORRECTED[answer.language]}\n\n{answer.text}"


async def _chunks(answers: AnswerSteps, head: Mapping[str, Any], *, usage: bool) -> AsyncIterator[bytes]:
    """Yield an answer as server-sent chunks of a chat completion."""
    head, streamed = {**head, "object": "chat.completion.chunk"}, ""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return b"data: " + dump({**head, "choices": [choice], **more}) + b"\n\n"

    yield chunk({"role": "assistant", "content": ""})
    async for answer in answers:
        if isinstance(answer, ProtocolAnswer):
            if answer.error:
                error = {"message": answer.error, "type": "server_error", "param": None, "code": None}
                yield b"data: " + dump({"error": error}) + b"\n\n"
                return
            if more := rest(answer, streamed):
                yield chunk({"content": more})
            annotations = _annotations(answer, len(streamed) + len(more) - len(answer.text))
            yield chunk({"annotations": annotations}, "stop", **_sources(answer))
            if usage:
                yield b"data: " + dump({**head, "choices": [], "usage": _usage(answer)}) + b"\n\n"
        elif answer.kind == "text":
            streamed += answer.text
            yield chunk({"content": answer.text})
        elif answer.kind == "progress":
            yield chunk({"reasoning_content": f"{answer.text}\n"})
        else:
            yield HEARTBEAT
    yield b"data: [DONE]\n\n"


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _BEGUN, "owned_by": "weiwo"}


def _head(number: str, created: float, name: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": int(created), "model": name}


def _annotations(answer: ProtocolAnswer, offset: int = 0) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": annotation} for annotation in answer.annotations(offset)]


def _usage(answer: ProtocolAnswer) -> dict[str, int]:
    given, made = answer.usage
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _sources(answer: ProtocolAnswer) -> dict[str, Any]:
    """Return the numbered sources for clients with a source list, and the parts of the question."""
    names = ("n", "title", "source", "quote")
    return {
        "citations": [str(citation["source"]) for citation in answer.citations],
        "sources": [{name: citation.get(name) for name in names} for citation in answer.citations],
        "weiwo": {"status": answer.status, "lead": answer.lead, "parts": list(answer.parts)},
    }
