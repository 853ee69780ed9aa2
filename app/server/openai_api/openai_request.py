"""What clients of OpenAI's API ask, as a run: the model's name says how deep to look, the messages what is asked."""

from collections.abc import Mapping
from typing import Any, Final

from weiwo.app.server.errors import RequestError
from weiwo.app.server.runs.run_request import RunRequest

MODELS: Final = {"weiwo": {}, "weiwo-quick": {"depth": "quick"}, "weiwo-deep": {"depth": "deep"}}
"""The models there are, each with the context it stands for."""
_ROLES: Final = {"user": "human", "assistant": "ai"}
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_MOST_MESSAGES: Final = 200


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
    if model not in MODELS:
        raise RequestError(404, f"model {model[:60]!a}; there is none of that name; use {', '.join(MODELS)}")
    if not messages or messages[-1]["type"] != "human" or not messages[-1]["content"].strip():
        raise RequestError(400, "messages; the last is no question of a user; end with one")
    # Who reads along is asked what a question means, once a conversation; a program gets what is assumed.
    person = bool(body.get("stream")) and len(messages) == 1
    asked = {
        "input": {"messages": messages},
        "context": {**MODELS[model], "clarify": person},
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
