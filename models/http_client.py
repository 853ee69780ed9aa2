"""The HTTP client of model endpoints: bounded replies, and no redirect to another origin.

A redirect would take the prompt, and with some statuses the key, to a host that nobody configured.
"""

import sys
from collections.abc import AsyncIterator
from functools import cache
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from weiwo.models.errors import Fault, ModelRequestError

CONNECT_SECONDS: Final = 10.0
MOST_BYTES: Final = 2_000_000
"""Bytes of a reply that comes whole."""
MOST_STREAMED: Final = 40_000_000
"""Bytes of a stream: each token comes in an event of some hundred bytes."""
MOST_OF_A_LINE: Final = 1_000_000
"""Bytes of one line of a stream."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def make_client(seconds: float) -> Any:
    """A client for one event loop. In a thread: it reads certificates from disk."""
    import openai  # noqa: PLC0415 - heavy

    return openai.DefaultAsyncHttpxClient(
        timeout=openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        headers={"accept-encoding": "identity"},  # so that bytes are counted as they will be read
        event_hooks={"response": [_check_response]},
    )


async def _check_response(response: Any) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise ModelRequestError(Fault("malformed", "the reply was compressed, which was not asked for"))
    if response.is_redirect and not _same_origin(str(response.request.url), response.headers["location"]):
        raise ModelRequestError(
            Fault("denied", "the endpoint redirects to another host, which is not followed; check the base URL")
        )
    streamed = "event-stream" in response.headers.get("content-type", "")
    response.stream = _bounded_stream(type(response).__module__.partition(".")[0])(response.stream, streamed)


def _same_origin(url: str, location: str) -> bool:
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, location))
        return (here.scheme, here.hostname, _port(here)) == (there.scheme, there.hostname, _port(there))
    except ValueError:
        return False


def _port(parts: SplitResult) -> int | None:
    return parts.port or _DEFAULT_PORTS.get(parts.scheme)


@cache
def _bounded_stream(package: str) -> Any:
    """The class of bounded streams for the HTTP package that OpenAI's client is built on: httpx, or its successor."""
    base: Any = sys.modules[package].AsyncByteStream

    class BoundedStream(base):  # type: ignore[misc]
        """A reply's bytes as they arrive, up to a bound."""

        def __init__(self, inner: Any, streamed: bool) -> None:  # noqa: FBT001 - private, one caller
            self._inner = inner
            self._most = MOST_STREAMED if streamed else MOST_BYTES
            self._longest = MOST_OF_A_LINE if streamed else MOST_BYTES

        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = line = 0
            async for chunk in self._inner:
                total += len(chunk)
                line = len(chunk) - chunk.rfind(b"\n") - 1 if b"\n" in chunk else line + len(chunk)
                if total > self._most or line > self._longest:
                    raise ModelRequestError(Fault("malformed", "the reply was larger than any answer"))
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    return BoundedStream
