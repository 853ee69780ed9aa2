"""Habits of small and odd models: what each makes of the reply a good model would have given, for one agent or for all.

A model with a habit is LangChain's OpenAI client over a transport that plays the endpoint, so that requests and replies
are those of the protocol and no socket is opened.
"""

import asyncio
import json
import platform
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
from langchain_openai import ChatOpenAI

from tests.support.openai_server import (
    Handler,
    Json,
    Reply,
    asked_schema,
    error,
    prompt,
    text,
)
from tests.support.personas import good
from tests.support.providers.openai import OPENAI

AGENTS = {
    "AssessmentReply": "master",
    "PlanReply": "planner",
    "ReadReply": "executor",
    "BatchReadReply": "executor",
    "ReflectionReply": "reflection",
    "CoverageReply": "reflection",
}
"""The agent that asks for a schema; what is not here is the writer's, its judge included."""
CHARACTERS_A_TOKEN = 4
platform.processor()  # OpenAI's client asks, by a process; it is remembered
Habit = Callable[[Json, Reply], Reply]
"""From a request and the good reply to it to the reply of such a model."""


def agent_of(request: Json) -> str:
    """The agent that asks."""
    return AGENTS.get(asked_schema(request) or "", "writer")


def _said(reply: Reply) -> str:
    return reply.tool[1] if reply.tool else reply.content or ""


def no_schema(request: Json, reply: Reply) -> Reply:
    """The endpoint refuses response formats and tools."""
    if "response_format" in request or request.get("tools"):
        return error(400, "response_format and tools are not supported")
    return reply


def schema_ignored(request: Json, _: Reply) -> Reply:
    """It takes any request, and answers in prose."""
    if asked_schema(request) is None:
        return text("Well, that depends on how you look at it.")
    return text("I think this question is about two people, and I would look up when each of them was born.")


def thinking(_: Json, reply: Reply) -> Reply:
    """It thinks aloud, with JSON in its thoughts."""
    thoughts = '<think>\nMaybe {"next": "give_up", "decision": "abort"}? No.\n```json\n{"a": 1}\n```\n</think>\n'
    return replace(reply, content=thoughts + _said(reply), tool=None, finish="stop")


def markdown(request: Json, reply: Reply) -> Reply:
    """It wraps JSON in prose and a fence, with a comment and a comma too many."""
    if asked_schema(request) is None:
        return replace(reply, content=f"```markdown\n{_said(reply)}\n```")
    written = json.dumps(json.loads(_said(reply)), ensure_ascii=False, indent=2)
    fenced = f"**Here is the result:**\n\n```json\n{written[:-1].rstrip()},\n}}\n```\n\nLet me know if you need more!"
    return replace(reply, content=fenced, tool=None, finish="stop")


def wrong_language(request: Json, reply: Reply) -> Reply:
    """It writes Chinese whatever it is asked in, values of free text included."""
    if asked_schema(request) is None:
        return text("汉武帝比凯撒年长五十六岁。") if "Findings:" in prompt(request) else text("您好！")
    value = json.loads(_said(reply))
    for name in ("reason", "thought", "missing", "standalone_question"):
        if isinstance(value.get(name), str):
            value[name] = "比较两个人的出生年份"
    return replace(reply, content=json.dumps(value, ensure_ascii=False), tool=None, finish="stop")


def truncated(_: Json, reply: Reply) -> Reply:
    """It is wordy, and cut off after 512 tokens."""
    wordy = "Let us consider this with the greatest care. " * 60
    said = _said(reply)
    whole = f'{{"reason": "{wordy}", {said[1:]}' if said.startswith("{") else f"{said} {wordy}"
    return replace(reply, content=whole[: 512 * CHARACTERS_A_TOKEN], tool=None, finish="length")


def tool_call_as_text(request: Json, reply: Reply) -> Reply:
    """It writes its function calls out; where none is wanted, it makes one up."""
    name = asked_schema(request)
    called = {"name": name or "corpus_search", "arguments": json.loads(_said(reply)) if name else {"query": "born"}}
    return replace(reply, content=f"<tool_call>\n{json.dumps(called)}\n</tool_call>", tool=None, finish="stop")


def thoughts_closed_alone(_: Json, reply: Reply) -> Reply:
    """Its template opens the reasoning, so that the closing tag comes alone."""
    thoughts = 'The user wants {"next": "give_up"}, or does he?\n</think>\n\n'
    return replace(reply, content=thoughts + _said(reply), tool=None, finish="stop")


def template_leaks(_: Json, reply: Reply) -> Reply:
    """It does not stop at the end of its turn, and plays the user's as well."""
    return replace(
        reply, content=f"{_said(reply)}<|im_end|>\n<|im_start|>user\nAnd who else?", tool=None, finish="stop"
    )


def small_window(request: Json, reply: Reply) -> Reply:
    """Its window is small (2,400 tokens, since the questions here are short), and it says so."""
    asked = len(json.dumps(request["messages"])) // CHARACTERS_A_TOKEN
    if asked > 2_400:
        return error(400, f"This model's maximum context length is 2400 tokens, but you requested {asked} tokens.")
    return reply


def slow(_: Json, reply: Reply) -> Reply:
    """It gives two tokens a second."""
    return replace(reply, delay=len(_said(reply)) / CHARACTERS_A_TOKEN / 2)


HABITS: dict[str, Habit] = {
    habit.__name__: habit
    for habit in (
        *(no_schema, schema_ignored, thinking, markdown, wrong_language),
        *(truncated, tool_call_as_text, thoughts_closed_alone, template_leaks, small_window, slow),
    )
}


def habitual(by_agent: dict[str, str]) -> Handler:
    """A good model with a habit in what some agents ask.

    Args:
        by_agent: Names of habits by agent.
    """

    def handler(request: Json) -> Reply:
        reply = good(request)
        name = by_agent.get(agent_of(request))
        return reply if name is None or reply.status != 200 else HABITS[name](request, reply)

    return handler


def open_model(handler: Handler, asked: list[Json]) -> ChatOpenAI:
    """A chat model whose endpoint is a handler.

    Args:
        handler: What it answers.
        asked: A list that receives the bodies of the requests.
    """

    async def answer(request: httpx.Request) -> httpx.Response:
        body: Json = json.loads(request.content)
        asked.append(body)
        reply = handler(body)
        await asyncio.sleep(reply.delay)
        if reply.status != 200:
            return httpx.Response(reply.status, json={"error": {"message": reply.message, "type": "scripted"}})
        if body.get("stream"):
            stream = "".join(event.data for event in OPENAI.events(body, reply)).encode()
            return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=stream)
        return httpx.Response(200, json=OPENAI.whole(body, reply))

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    options: dict[str, Any] = {"http_async_client": client, "max_retries": 0, "stream_usage": True}
    return ChatOpenAI(model="habitual", base_url="http://127.0.0.1:9/v1", api_key="k", **options)  # type: ignore[arg-type]
