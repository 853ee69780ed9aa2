"""Probes of a model: speed, an end-to-end question, and the switch to turn off thinking."""

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import httpx

from weiwo.models.local_servers import Client, ServerError, open_client
from weiwo.models.reasoning_filter import has_thoughts
from weiwo.models.request_form import SWITCHES
from weiwo.models.speed import SLOW_CALL
from weiwo.state.limits import NOT_SENT
from weiwo.state.settings import Context
from weiwo.tools.corpus.source_names import find_sample_corpus

_QUESTION: Final = "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?"
"""A question for trying a model. It takes two of the bundled documents to answer."""
_SECONDS: Final = 180
_SUM: Final = "What is 17 + 25? Answer with the number alone."
_REPLY_SECONDS: Final = 90.0
"""Timeout of one reply in seconds."""
_MOST_TOKENS: Final = 400
_LINES: Final = 60
"""Lines of the prompt that measures the reading speed, about 700 tokens."""
_COUNTED: Final = 40
_USUAL_PROMPT: Final = 1_800
_USUAL_REPLY: Final = 250
"""Tokens in the reply of a usual call."""
_QUICK_CALL: Final = 10.0
"""Seconds. A model that needs no more for a usual call gets the usual limits."""
_LONGEST_CALL: Final = 900.0
_LONGEST_RUN: Final = 3_600.0
_LATE: Final = frozenset({"late", "deadline"})
_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True)
class Probe:
    """Result of trying a model on a question."""

    works: bool  # whether more than half of the calls were good
    answer: str
    status: str
    calls: int  # model calls made
    failed: int  # calls without a usable reply, except the late ones
    modes: tuple[str, ...]  # modes of structured output that worked, such as `json_schema`, most used first
    tokens_a_second: float  # tokens of replies per second of calling
    seconds: float  # for the whole answer
    error: str = ""  # the error of the first failed or late call; empty without one
    late: int = 0  # calls without a reply in time
    unsent: int = 0  # calls not made, because a limit was reached or the model was taken for dead


@contextmanager
def environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Context manager for temporarily set environment variables."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def probe_model(settings: Mapping[str, str]) -> Probe:
    """Answer `_QUESTION` from the bundled documents under trial settings. Nothing is stored.

    The trial settings replace the current settings of the same name.
    """
    from weiwo.graph.builder import build_graph  # noqa: PLC0415 - half a second, for a look that asks nothing

    with environment(settings):
        seconds = max(_SECONDS, float(os.environ.get("WEIWO_MAX_SECONDS") or 0))
        context = Context(web=False, telemetry=False, corpus=[str(find_sample_corpus())], max_seconds=seconds)
        values = await build_graph().ainvoke({"question": _QUESTION}, context=context)
    return _judge(values["result"])


def _judge(result: Mapping[str, Any]) -> Probe:
    """Judge a model by the calls of a run. It works if fewer than half of the calls failed."""
    calls = [call for call in result["usage"]["calls"] if call["mode"] != NOT_SENT]
    errors = [call["error"] for call in calls if call["error"]]
    late = sum(call["fault"] in _LATE for call in calls if call["error"])
    modes = [call["mode"] for call in calls if not call["error"] and call["mode"] not in {"", "text"}]
    spent = sum(call["seconds"] for call in calls)
    return Probe(
        works=2 * len(errors) < len(calls),
        answer=result["answer"],
        status=result["status"],
        calls=len(calls),
        failed=len(errors) - late,
        modes=tuple(sorted(set(modes), key=lambda mode: -modes.count(mode))),
        tokens_a_second=sum(call["output_tokens"] for call in calls) / spent if spent else 0.0,
        seconds=result["usage"]["seconds"],
        error=errors[0] if errors else "",
        late=late,
        unsent=len(result["usage"]["calls"]) - len(calls),
    )


class Speed(NamedTuple):
    """Reading and writing speed of a model, in tokens per second."""

    reading: float
    writing: float

    @property
    def call_seconds(self) -> float:
        """Seconds that a usual call takes at this speed."""
        return _USUAL_PROMPT / self.reading + _USUAL_REPLY / self.writing

    def limits(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return longer time limits for a slow model, and the depth `quick` for a very slow one.

        Variables set in `env` are left out. The result is empty for a fast model.
        """
        seconds = self.call_seconds
        if seconds <= _QUICK_CALL:
            return {}
        found = {
            "WEIWO_MODEL_SECONDS": str(_round_up(min(_LONGEST_CALL, max(60.0, 3 * seconds)))),
            "WEIWO_MAX_SECONDS": str(_round_up(min(_LONGEST_RUN, max(120.0, 8 * seconds)))),
        }
        if seconds > SLOW_CALL:
            found["WEIWO_DEPTH"] = "quick"
        return {name: value for name, value in found.items() if not env.get(name)}


def _round_up(seconds: float) -> int:
    return math.ceil(seconds / 30) * 30


async def measure_speed(
    base_url: str, model: str, transport: httpx.AsyncBaseTransport | None = None, env: Mapping[str, str] = os.environ
) -> Speed | None:
    """Measure the reading and writing speed of a model.

    A long prompt with a short reply measures reading. A short prompt with a long reply measures writing.

    Returns:
        The speed, or None if the server gives no reply, or not in time.
    """
    key = env.get("OPENAI_API_KEY", "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    text = f"({time.time_ns()}) " + " ".join(f"Word {n} of a list that means nothing." for n in range(_LINES))
    async with open_client(transport, _REPLY_SECONDS) as http:
        client = Client(http, base_url.rstrip("/"), headers)
        try:
            read, read_seconds = await _time_reply(client, model, f"{text}\nSay: yes", 1)
            wrote, write_seconds = await _time_reply(client, model, "Count from 1 to 60, with commas.", _COUNTED)
        except (ServerError, httpx.HTTPError, OSError, KeyError, TypeError, AttributeError, ValueError):
            return None
    reading = (read.get("prompt_tokens") or len(text) // 4) / read_seconds
    writing = (wrote.get("completion_tokens") or _COUNTED) / write_seconds
    return Speed(reading, writing)


async def _time_reply(client: Client, model: str, prompt: str, tokens: int) -> tuple[dict[str, Any], float]:
    """Return the token usage of a reply, and the time in seconds."""
    messages = [{"role": "user", "content": prompt}]
    began = time.monotonic()
    reply = await client.ask(
        "/chat/completions", {"model": model, "messages": messages, "max_tokens": tokens, "stream": False}
    )
    return reply.get("usage") or {}, max(0.001, time.monotonic() - began)


class _ThinkingSwitch(NamedTuple):
    """Result of `find_switch`: whether a model thinks before it replies, and the switch that stops it."""

    thinks: bool = False  # whether the model reasons unless it is told not to
    switch: str = ""  # the switch that stops it, of `SWITCHES`; empty where none does, or none is needed


async def find_switch(
    base_url: str, model: str, transport: httpx.AsyncBaseTransport | None = None, env: Mapping[str, str] = os.environ
) -> _ThinkingSwitch:
    """Find out whether a model thinks before it replies, and how to turn that off.

    A short question is asked plainly. If the model thinks about it, the question is repeated with each known switch
    until the model does not think.
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
    """Report whether the model thinks before its reply. None if the reply is missing or empty."""
    messages = [{"role": "user", "content": _SUM}]
    asked = {"model": model, "messages": messages, "max_tokens": _MOST_TOKENS, "stream": False, **body}
    try:
        message = (await client.ask("/chat/completions", asked))["choices"][0]["message"]
        content = str(message.get("content") or "")
        reasoning = any(str(message.get(field) or "").strip() for field in _FIELDS)
    except (ServerError, httpx.HTTPError, OSError, KeyError, TypeError, IndexError, AttributeError):
        return None
    if reasoning or has_thoughts(content):
        return True
    return False if content.strip() else None
