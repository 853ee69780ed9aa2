"""OpenAI's chat completions and models, as Open WebUI and the `openai` client use them.

The model's name says how deep to look, the messages what is asked.
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
from weiwo.app.server.wire import HEARTBEAT, EventStream, cancelling, dump, read_json, reply
from weiwo.state.kinds import read_language_tag

_MODELS: Final = {"weiwo": {}, "weiwo-quick": {"depth": "quick"}, "weiwo-deep": {"depth": "deep"}}
"""The models there are, each with the context it stands for."""
_ROLES: Final = {"user": "human", "assistant": "ai", "system": "system", "developer": "system"}
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
    return reply(_model(_read_model(request.path_params)))


@openai_errors
async def completions(request: Request) -> Response:
    """Answer the last message of a conversation."""
    body = await read_json(request)
    backend, name = backend_of(request), _read_model(body)
    messages = read_messages(body.get("messages"))
    task = next((find_task(one["content"]) for one in reversed(messages) if one["type"] == "human"), None)
    if task is None:
        run = await backend.begin(request, read_run(body, messages, kept=bool(body.get("store"))))
        answers, leave = follow_answer(backend, run), lambda: backend.leave(run)
        head = _head(run.run_id, run.created, name)
    else:
        _refuse_options(body, any_format=True)
        said = task.read_reply(await backend.ask_model(request, "chat_task", task.prompt)) or task.answer_by_rule()
        answers, leave = _given(ProtocolAnswer(said)), _nothing
        head = _head(str(uuid4()), time.time(), name)
    if body.get("stream"):
        options = body.get("stream_options") or {}
        usage = isinstance(options, dict) and bool(options.get("include_usage"))
        return EventStream(cancelling(_chunks(answers, head, usage=usage), leave))
    answer = await whole(answers)
    if answer.error:
        raise RequestError(500, answer.error)
    message = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": _annotations(answer)}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return reply({**head, "choices": [choice], "usage": _usage(answer), **_sources(answer)})


def _read_model(body: Mapping[str, Any]) -> str:
    """The model that a request names.

    Raises:
        RequestError: There is none of that name.
    """
    model = str(body.get("model") or "weiwo")
    if model not in _MODELS:
        raise RequestError(404, f"model {model[:60]!a}; there is none of that name; use {', '.join(_MODELS)}")
    return model


def _refuse_options(body: Mapping[str, Any], *, any_format: bool) -> None:
    """See that no option is set that would have to change the answer and does not.

    Args:
        body: The request's body, of either API.
        any_format: Whether the form of the answer is asked for in the prompt, too.

    Raises:
        RequestError: One is.
    """
    if (body.get("n") or 1) != 1:
        raise RequestError(400, "n; one answer is given; leave it out, or send 1")
    if body.get("tool_choice") not in (None, "auto", "none"):
        raise RequestError(400, "tool_choice; no tool of a client's is called; leave it out, or send auto or none")
    given = body.get("text")
    form = body.get("response_format") or (given.get("format") if isinstance(given, Mapping) else None) or {}
    if not any_format and (not isinstance(form, Mapping) or form.get("type", "text") != "text"):
        told = "answers are Markdown; leave it out, or ask /runs/wait for the whole result as JSON"
        raise RequestError(400, f"response_format; {told}")


def _read_language(body: Mapping[str, Any]) -> str:
    """The language to answer in, which clients send beside OpenAI's own fields; empty: that of the question.

    Raises:
        RequestError: It is no tag of a language.
    """
    said = body.get("language") or ""
    try:
        return read_language_tag(str(said)) if said else ""
    except ValueError as error:
        raise RequestError(400, f"language; {str(said)[:40]!r} {error}") from None


def read_run(body: Mapping[str, Any], messages: list[dict[str, str]], *, kept: bool) -> RunRequest:
    """The run that answers a conversation, by the options of a request of either API.

    Raises:
        RequestError: There is no such model, or nothing is asked.
    """
    _refuse_options(body, any_format=False)
    turns = [{**one, "content": unwrap_question(one["content"])} for one in messages if one["type"] != "system"]
    if not turns or turns[-1]["type"] != "human" or not turns[-1]["content"].strip():
        raise RequestError(400, "messages; the last is no question of a user; end with one")
    # Who reads along is asked what a question means, once a conversation; a program gets what is assumed.
    person = bool(body.get("stream")) and len(turns) == 1
    asked = {
        "input": {"messages": turns},
        "context": {**_MODELS[_read_model(body)], "clarify": person, "language": _read_language(body)},
        "stream_mode": ["custom", "values", "messages-tuple"],
        "on_completion": "keep" if kept else "delete",
    }
    texts = [one["content"] for one in messages if one["type"] == "system"]
    texts += [one["content"] for one in messages if one["type"] == "human"][-1:]
    return RunRequest.of(asked, stateless=True).model_copy(update={"attached": read_attached(texts)})


def read_messages(given: Any) -> list[dict[str, str]]:
    """A conversation as the graph takes it: what users and assistants said; and of a system what it brings to read.

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
        if kind is None:  # replies of tools are none of the conversation
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


async def whole(answers: AnswerSteps) -> ProtocolAnswer:
    """What a run comes to."""
    return [one async for one in answers if isinstance(one, ProtocolAnswer)][-1]


async def _given(answer: ProtocolAnswer) -> AnswerSteps:
    yield answer


async def _nothing() -> None:
    """There is no run to cancel."""


def rest(answer: ProtocolAnswer, streamed: str) -> str:
    """What is to follow the text that was streamed, so that the reader ends with the answer as it was checked."""
    if answer.text.startswith(streamed):
        return answer.text[len(streamed) :]
    return f"\n\n---\n\n{CORRECTED[answer.language]}\n\n{answer.text}"


async def _chunks(answers: AnswerSteps, head: Mapping[str, Any], *, usage: bool) -> AsyncIterator[bytes]:
    """The answer in pieces."""
    head, streamed = {**head, "object": "chat.completion.chunk"}, ""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return b"data: " + dump({**head, "choices": [choice], **more}) + b"\n\n"

    yield chunk({"role": "assistant", "content": ""})
    async for one in answers:
        if isinstance(one, ProtocolAnswer):
            if one.error:
                error = {"message": one.error, "type": "server_error", "param": None, "code": None}
                yield b"data: " + dump({"error": error}) + b"\n\n"
                return
            if more := rest(one, streamed):
                yield chunk({"content": more})
            annotations = _annotations(one, len(streamed) + len(more) - len(one.text))
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


def _head(number: str, created: float, name: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": int(created), "model": name}


def _annotations(answer: ProtocolAnswer, offset: int = 0) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": one} for one in answer.annotations(offset)]


def _usage(answer: ProtocolAnswer) -> dict[str, int]:
    given, made = answer.usage
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _sources(answer: ProtocolAnswer) -> dict[str, Any]:
    """The sources, numbered, for clients that show a list of them, and the parts of the question."""
    names = ("n", "title", "source", "quote")
    return {
        "citations": [str(one["source"]) for one in answer.citations],
        "sources": [{name: one.get(name) for name in names} for one in answer.citations],
        "weiwo": {"status": answer.status, "lead": answer.lead, "parts": list(answer.parts)},
    }
