"""The probe of thinking: whether a model reasons before it answers, and which switch of its server stops that."""

import os
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import httpx

from weiwo.app.cli.setup.servers import Client, ServerError
from weiwo.models.thinking import SWITCHES

QUESTION: Final = "What is 17 + 25? Answer with the number alone."
SECONDS: Final = 90.0
"""How long one reply may take; what takes longer is not waited for."""
MOST_TOKENS: Final = 400
_MARK: Final = re.compile(r"<(?:think|thinking|reasoning)>|</think", re.IGNORECASE)
_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")


class ThinkingSwitch(NamedTuple):
    """What was found.

    Attributes:
        thinks: Whether the model reasons unless it is told not to.
        switch: The switch that stops it, of `SWITCHES`; empty where none does, or none is needed.
    """

    thinks: bool = False
    switch: str = ""


async def find_switch(
    base_url: str, model: str, transport: httpx.AsyncBaseTransport | None = None, env: Mapping[str, str] = os.environ
) -> ThinkingSwitch:
    """Ask one short question as it is and, if the model thinks about it, with each switch until one works.

    Args:
        base_url: Where the server speaks OpenAI's protocol.
        model: The model's name there.
        transport: What carries the requests, if not the network.
        env: Where the key is, if the server wants one.
    """
    key = env.get("OPENAI_API_KEY", "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx.AsyncClient(transport=transport, timeout=SECONDS, trust_env=False, follow_redirects=False) as http:
        client = Client(http, base_url.rstrip("/"), headers)
        if await _thinks(client, model, {}) is not True:
            return ThinkingSwitch()
        for name, body in SWITCHES.items():
            if await _thinks(client, model, body) is False:
                return ThinkingSwitch(thinks=True, switch=name)
    return ThinkingSwitch(thinks=True)


async def _thinks(client: Client, model: str, body: Mapping[str, Any]) -> bool | None:
    """Whether the model reasons in its reply; None where there is none, or it is empty."""
    messages = [{"role": "user", "content": QUESTION}]
    asked = {"model": model, "messages": messages, "max_tokens": MOST_TOKENS, "stream": False, **body}
    try:
        message = (await client.ask("/chat/completions", asked))["choices"][0]["message"]
        content = str(message.get("content") or "")
        reasoning = any(str(message.get(field) or "").strip() for field in _FIELDS)
    except (ServerError, httpx.HTTPError, OSError, KeyError, TypeError, IndexError, AttributeError):
        return None
    if reasoning or _MARK.search(content):
        return True
    return False if content.strip() else None
