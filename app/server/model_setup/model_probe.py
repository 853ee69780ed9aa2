"""Probes of a model: one question asked end to end, and which switch of its server stops its thinking."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx

from weiwo.app.server.model_setup.servers import Client, ServerError, open_client
from weiwo.models.request_form import SWITCHES
from weiwo.state.settings import Context
from weiwo.tools.corpus.source_names import find_sample_corpus

_QUESTION: Final = "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
_SECONDS: Final = 180
_SUM: Final = "What is 17 + 25? Answer with the number alone."
_REPLY_SECONDS: Final = 90.0
"""How long one reply may take; what takes longer is not waited for."""
_MOST_TOKENS: Final = 400
_MARK: Final = re.compile(r"<(?:think|thinking|reasoning)>|</think", re.IGNORECASE)
_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True)
class Probe:
    """What asking came to.

    Attributes:
        works: Whether the model answered at least one call.
        answer: The answer.
        status: Its status.
        calls: Model calls made.
        failed: Those that gave nothing.
        modes: How structured replies were had, such as `json_schema`, most used first.
        tokens_a_second: Tokens of replies per second of calling.
        seconds: For the whole answer.
        error: Why calls gave nothing; empty where they did.
    """

    works: bool
    answer: str
    status: str
    calls: int
    failed: int
    modes: tuple[str, ...]
    tokens_a_second: float
    seconds: float
    error: str = ""


async def probe_model(settings: Mapping[str, str]) -> Probe:
    """Ask `_QUESTION` of the bundled documents under some settings; nothing is kept.

    Args:
        settings: The variables to try, over those in force.
    """
    from weiwo.graph.builder import build_graph  # noqa: PLC0415 - half a second, for a look that asks nothing

    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        context = Context(web=False, telemetry=False, corpus=[str(find_sample_corpus())], max_seconds=_SECONDS)
        values = await build_graph().ainvoke({"question": _QUESTION}, context=context)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    result = values["result"]
    calls = result["usage"]["calls"]
    errors = [call["error"] for call in calls if call["error"]]
    modes = [call["mode"] for call in calls if not call["error"] and call["mode"] not in {"", "text"}]
    spent = sum(call["seconds"] for call in calls)
    return Probe(
        works=len(errors) < len(calls),
        answer=result["answer"],
        status=result["status"],
        calls=len(calls),
        failed=len(errors),
        modes=tuple(sorted(set(modes), key=lambda mode: -modes.count(mode))),
        tokens_a_second=sum(call["output_tokens"] for call in calls) / spent if spent else 0.0,
        seconds=result["usage"]["seconds"],
        error=errors[0] if errors else "",
    )


class _ThinkingSwitch(NamedTuple):
    """What was found.

    Attributes:
        thinks: Whether the model reasons unless it is told not to.
        switch: The switch that stops it, of `SWITCHES`; empty where none does, or none is needed.
    """

    thinks: bool = False
    switch: str = ""


async def find_switch(
    base_url: str, model: str, transport: httpx.AsyncBaseTransport | None = None, env: Mapping[str, str] = os.environ
) -> _ThinkingSwitch:
    """Ask one short question as it is and, if the model thinks about it, with each switch until one works.

    Args:
        base_url: Where the server speaks OpenAI's protocol.
        model: The model's name there.
        transport: What carries the requests, if not the network.
        env: Where the key is, if the server wants one.
    """
    key = env.get("OPENAI_API_KEY", "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with open_client(transport, _REPLY_SECONDS) as http:
        client = Client(http, base_url.rstrip("/"), headers)
        if await _thinks(client, model, {}) is not True:
            return _ThinkingSwitch()
        for name, body in SWITCHES.items():
            if await _thinks(client, model, body) is False:
                return _ThinkingSwitch(thinks=True, switch=name)
    return _ThinkingSwitch(thinks=True)


async def _thinks(client: Client, model: str, body: Mapping[str, Any]) -> bool | None:
    """Whether the model reasons in its reply; None where there is none, or it is empty."""
    messages = [{"role": "user", "content": _SUM}]
    asked = {"model": model, "messages": messages, "max_tokens": _MOST_TOKENS, "stream": False, **body}
    try:
        message = (await client.ask("/chat/completions", asked))["choices"][0]["message"]
        content = str(message.get("content") or "")
        reasoning = any(str(message.get(field) or "").strip() for field in _FIELDS)
    except (ServerError, httpx.HTTPError, OSError, KeyError, TypeError, IndexError, AttributeError):
        return None
    if reasoning or _MARK.search(content):
        return True
    return False if content.strip() else None
