"""Model size: the parameter count, from the name or from a server on the local network.

A model of up to three billion parameters answers a plain question over passages as well as with any elaborate prompt,
and gets worse with each judgement, plan or JSON asked for. So rules replace such a model
(`ChatModels.has_decision_model`), and only the writer asks it a plain question (`ChatModels.answers_plainly`). If
neither name nor server gives the size, the replies decide: a model is small if two of its first three are unusable.
"""

import asyncio
import json
import os
import re
from typing import Any, Final

from weiwo.models.endpoint import Endpoint, EndpointMemory, is_local

_SMALL: Final = 3.5
"""Billions of parameters below which a model is small. Models called 3B have up to 3.3."""
_MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Exceptions raised by reading a reply of another format."""
_SECONDS: Final = 2.0
_MOST_BYTES: Final = 1_000_000
_REPLIES: Final = 3
"""Number of the first replies by which a model of unknown size is judged."""
_UNUSABLE: Final = 2
"""Number of unusable replies among these that make the model small."""
_BILLIONS: Final = re.compile(
    r"(?<![a-z0-9.])(?:(\d{1,2})x)?e?(\d{1,4}(?:\.\d{1,3})?)\s?([bm])(?![a-z0-9])", re.IGNORECASE
)

_sizes: Final = EndpointMemory[float]()
"""Billions of parameters by endpoint, 0 if unknown."""
_replies: Final = EndpointMemory[tuple[bool, ...]]()
"""Whether each of the first replies was usable, by endpoint, for models of unknown size."""


def parse_billions(name: object) -> float | None:
    """Parse the number of parameters in billions from a model name, or return None.

    "qwen3:8b" gives 8, "135M" 0.135, "8x7b" 56 and "30b-a3b" 30.
    """
    found = [
        int(match[1] or 1) * float(match[2]) / (1 if match[3].lower() == "b" else 1_000)
        for match in _BILLIONS.finditer(str(name or "")[:300])
    ]
    return max(found, default=None)


async def learn_size(where: Endpoint) -> None:
    """Record the size of an endpoint's model once, from its name or else by asking a server on this network."""
    if where.identity in _sizes:
        return
    billions = parse_billions(where.name.partition(":")[2])
    if billions is None and (root := _find_server(where)):
        billions = await _ask_server(where, root)
    _sizes.remember_fact(where.identity, billions or 0.0)


def is_small(where: Endpoint) -> bool:
    """Report whether an endpoint's model is small: by recorded size, else by name, else by its first replies."""
    billions = _sizes.get(where.identity)
    if billions is None:
        billions = parse_billions(where.name.partition(":")[2])
    return is_small_size(billions) if billions else (_replies.get(where.identity) or ()).count(False) >= _UNUSABLE


def is_small_size(billions: float) -> bool:
    """Report whether a number of parameters, in billions, is that of a small model. 0 means unknown."""
    return 0 < billions < _SMALL


def note_reply(where: Endpoint, *, usable: bool) -> None:
    """Record whether a reply was usable, for the first three replies of a model on this network. Others are ignored."""
    before = _replies.get(where.identity) or ()
    if len(before) < _REPLIES and _find_server(where):
        _replies.remember_fact(where.identity, (*before, usable))


def _find_server(where: Endpoint) -> str:
    """Return the OpenAI-compatible URL of an endpoint on this network, else an empty string.

    An Ollama model without `OLLAMA_HOST` gives `http://127.0.0.1:11434/v1`.
    """
    if where.provider == "ollama":
        host = os.environ.get("OLLAMA_HOST", "").strip() or "127.0.0.1:11434"
        return f"{host if '://' in host else f'http://{host}'}/v1"
    return where.base_url.rstrip("/") if where.base_url and is_local(where.base_url) else ""


async def _ask_server(where: Endpoint, root: str) -> float | None:
    """Ask llama.cpp (`n_params`) or Ollama (`parameter_size`) for the number of parameters.

    Returns the number in billions, or None if the server does not answer or gives none.
    """
    import httpx  # noqa: PLC0415 - heavy

    model = where.name.partition(":")[2]
    headers = {"Authorization": f"Bearer {where.api_key}"}
    try:
        async with (
            asyncio.timeout(_SECONDS),
            httpx.AsyncClient(trust_env=False, follow_redirects=False, headers=headers, timeout=_SECONDS) as http,
        ):
            listed = await _read_json(http, "GET", f"{root}/models", None)
            rows = [row for row in listed["data"] if isinstance(row, dict)]
            own = [row for row in rows if row.get("id") == model] or rows[: len(rows) == 1]
            for row in own:
                if isinstance(count := (row.get("meta") or {}).get("n_params"), int) and count > 0:
                    return count / 1e9
            if any(row.get("owned_by") in {"library", "ollama"} for row in rows):
                shown = await _read_json(http, "POST", f"{root.removesuffix('/v1')}/api/show", {"model": model})
                return parse_billions(shown["details"]["parameter_size"])
    except (httpx.HTTPError, httpx.InvalidURL, OSError, *_MALFORMED):
        return None
    return None


async def _read_json(http: Any, method: str, url: str, body: object) -> Any:
    """Send a request and return the parsed JSON reply.

    Raises:
        ValueError: The reply is too long, or not JSON.
        httpx.HTTPError: The server did not answer, or with an error.
    """
    read = bytearray()
    async with http.stream(method, url, json=body) as reply:
        reply.raise_for_status()
        async for part in reply.aiter_bytes():
            read += part
            if len(read) > _MOST_BYTES:
                raise ValueError("the reply is too long")
    return json.loads(read)
