"""Cache of chat models, created on first request and kept as long as the event loop lives.

An HTTP client belongs to the event loop it first ran on, but LangChain shares one per base URL across loops. Here every
loop has clients of its own. They are closed when the loop shuts down, by the only hook that asyncio has: an
asynchronous generator that was started on the loop is closed with it.

Replies are limited in size, and no redirect to another origin is followed. A redirect would send the prompt, and with
some statuses the key, to a host that nobody configured.
"""

import asyncio
import re
import sys
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from weiwo.models.endpoint import Endpoint, resolve_endpoint
from weiwo.models.errors import Fault, ModelRequestError, ModelUnavailableError, classify_fault

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


CONNECT_SECONDS: Final = 10.0
MOST_BYTES: Final = 2_000_000
"""Limit of a reply that is not streamed."""
_MOST_STREAMED: Final = 40_000_000
"""Limit of a stream in bytes. Each token comes in an event of some hundred bytes."""
_MOST_OF_A_LINE: Final = 1_000_000
"""Limit of a line of a stream in bytes."""
_MOST_OF_AN_ERROR: Final = 4_000
"""Limit of an error's text in characters."""
_OPENAI_CLIENTS: Final = frozenset({"openai", "deepseek"})
"""Providers whose LangChain class uses OpenAI's client."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass
class _LoopClients:
    """Models and clients of an event loop."""

    loop: asyncio.AbstractEventLoop
    models: dict[tuple[str, str, float], "BaseChatModel"] = field(default_factory=dict)
    clients: list[Any] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    closer: AsyncGenerator[None, None] | None = None


_by_loop: dict[int, _LoopClients] = {}


async def get_chat_model(endpoint: Endpoint, seconds: float) -> "BaseChatModel":
    """Return the chat model of an endpoint, created once per event loop.

    The temperature is left to the provider, since reasoning models refuse the parameter.

    Args:
        endpoint: The endpoint.
        seconds: Time limit of a request.

    Raises:
        ModelUnavailableError: The package is not installed, or the model cannot be set up. The message is one line
            without secrets.
    """
    kept = await _clients_of_this_loop()
    key = (endpoint.name, endpoint.key_hash, seconds)
    async with kept.lock:
        if key not in kept.models:
            own = endpoint.provider in _OPENAI_CLIENTS
            client = await asyncio.to_thread(_http_client, seconds) if own else None
            if client is not None:
                kept.clients.append(client)
            kept.models[key] = await asyncio.to_thread(make_model, endpoint, seconds, client)
        return kept.models[key]


async def _clients_of_this_loop() -> _LoopClients:
    loop = asyncio.get_running_loop()
    kept = _by_loop.get(id(loop))
    if kept is None:
        for other in [other for other in _by_loop.values() if other.loop.is_closed()]:
            _by_loop.pop(id(other.loop), None)
        kept = _by_loop[id(loop)] = _LoopClients(loop)
        kept.closer = _close_with_loop(kept)
        await anext(kept.closer)
    return kept


async def _close_with_loop(kept: _LoopClients) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        _by_loop.pop(id(kept.loop), None)
        for client in kept.clients:
            await client.aclose()


def _http_client(seconds: float) -> Any:
    """Create an HTTP client for OpenAI's client, or return None if that package is not installed.

    Blocking: reads certificates from disk.
    """
    try:
        import openai  # noqa: PLC0415 - heavy
    except ImportError:
        return None  # `make_model` says so in words
    return openai.DefaultAsyncHttpxClient(
        timeout=openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
        # An uncompressed reply allows counting its bytes as they arrive.
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_check_response]},
    )


async def _check_response(response: Any) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise ModelRequestError(Fault("malformed", "the reply is compressed, which was not requested"))
    if response.is_redirect and not _same_origin(str(response.request.url), response.headers["location"]):
        raise ModelRequestError(
            Fault("denied", "the endpoint redirects to another host, which is not allowed; check the base URL")
        )
    streamed = any(kind in response.headers.get("content-type", "") for kind in ("event-stream", "ndjson"))
    response.stream = _bounded_stream(type(response).__module__.partition(".")[0])(response.stream, streamed)


async def _check_ollama(response: Any) -> None:
    """Check a response of Ollama, and classify an error while its headers are available.

    Ollama's client keeps only the text and status of an error, not the Retry-After header.

    Raises:
        ModelRequestError: The response is an error, compressed, or a redirect to another host.
    """
    if response.status_code >= 400:
        import httpx  # noqa: PLC0415 - heavy

        await response.aread()
        said = response.text[:_MOST_OF_AN_ERROR]
        raise ModelRequestError(
            classify_fault(httpx.HTTPStatusError(said, request=response.request, response=response))
        )
    await _check_response(response)


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
    """Return a class of byte streams with limited size, for httpx or its successor, whichever the client uses."""
    base: Any = sys.modules[package].AsyncByteStream

    class BoundedStream(base):  # type: ignore[misc]
        """Bytes of a reply as received. Raises a `ModelRequestError` above the limit."""

        def __init__(self, inner: Any, streamed: bool) -> None:  # noqa: FBT001 - private, one caller
            self._inner = inner
            self._most = _MOST_STREAMED if streamed else MOST_BYTES
            self._longest = _MOST_OF_A_LINE if streamed else MOST_BYTES

        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = line = 0
            async for chunk in self._inner:
                total += len(chunk)
                line = len(chunk) - chunk.rfind(b"\n") - 1 if b"\n" in chunk else line + len(chunk)
                if total > self._most or line > self._longest:
                    raise ModelRequestError(Fault("malformed", "the reply is larger than any answer"))
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    return BoundedStream


def make_model(endpoint: Endpoint, seconds: float, client: Any) -> "BaseChatModel":
    """Create a chat model. Blocking: imports take a second.

    Args:
        endpoint: The endpoint.
        seconds: Time limit of a request.
        client: HTTP client for providers that use OpenAI's client, else None.

    Raises:
        ModelUnavailableError: The provider is unknown, the package is not installed, or the key is missing.
    """
    # The session itself asks again: each attempt is a call of the run's budget.
    options: dict[str, Any] = {"timeout": seconds, "max_retries": 0}
    if endpoint.own:
        options["api_key"] = endpoint.api_key
    if endpoint.provider in _OPENAI_CLIENTS:
        # The client warns about replies that the structured modes handle.
        warnings.filterwarnings("ignore", message=".*OpenAI's structured output feature")
        options |= {"http_async_client": client, "stream_usage": True, "stream_chunk_timeout": seconds}
    if endpoint.provider == "ollama":
        options["async_client_kwargs"] = {
            "timeout": seconds,
            "follow_redirects": False,
            # An uncompressed reply allows counting its bytes as they arrive.
            "headers": {"accept-encoding": "identity"},
            "event_hooks": {"response": [_check_ollama]},
        }
    if endpoint.provider == "openai":
        options["api_key"] = endpoint.api_key
        if endpoint.base_url:
            # Some model names would make the client call /responses, which only OpenAI itself has.
            options |= {"base_url": endpoint.base_url, "use_responses_api": False}
    try:
        from langchain.chat_models import init_chat_model  # noqa: PLC0415 - heavy

        return _init(init_chat_model, endpoint.name, options)
    except ImportError as error:
        package = re.search(r"pip install ([\w.-]+)", str(error))
        name = package[1] if package else f"langchain-{endpoint.provider.replace('_', '-')}"
        raise ModelUnavailableError(
            f"{endpoint.name}: the package {name} is not installed; run pip install {name}"
        ) from None
    except Exception as error:  # noqa: BLE001 - each provider raises its own, with keys and values in the text
        if any(said in str(error) for said in ("Unsupported provider", "infer model provider")):
            raise ModelUnavailableError(
                f"{endpoint.name}: the provider {endpoint.provider!r} is unknown; use one that LangChain's"
                " init_chat_model knows, such as openai, anthropic, google_genai or ollama"
            ) from None
        raise ModelUnavailableError(
            f"{endpoint.name} cannot be set up ({type(error).__name__}); check its name and its key, "
            f"usually {endpoint.provider.upper()}_API_KEY"
        ) from None


def find_setup_trouble(names: Iterable[str]) -> str:
    """Return the error of the first model that cannot be set up, as a line, or an empty string.

    The call blocks, because it imports packages. OpenAI models are checked for a key only.

    Args:
        names: Models as `provider:model`.
    """
    for name in dict.fromkeys(names):
        try:
            endpoint = resolve_endpoint(name)
            if endpoint.provider != "openai":
                make_model(endpoint, 1.0, None)
        except ModelUnavailableError as error:
            return str(error)
    return ""


def _init(make: Any, name: str, options: dict[str, Any]) -> "BaseChatModel":
    """Create a model with the options, or without any if the class refuses them.

    The deadline of a call holds anyway. If the options contain a user's key, the error is raised instead, because the
    model would use the environment's key.
    """
    try:
        model: BaseChatModel = make(name, **options)
    except (TypeError, ValueError):
        if "api_key" in options:
            raise
        model = make(name)
    return _leave_sampling(model)


_SAMPLING: Final = ("temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "repeat_penalty", "seed")


_SAMPLES: Final = frozenset({"ChatGoogleGenerativeAI", "ChatMistralAI"})
"""LangChain classes that set a temperature of 0.7 by default. They leave out parameters that are None."""


def _leave_sampling(model: "BaseChatModel") -> "BaseChatModel":
    """Return the model without sampling parameters that only its LangChain class has set.

    The provider's defaults are the recommended values, and reasoning models refuse such parameters.
    """
    if type(model).__name__ not in _SAMPLES:
        return model
    own = {name: None for name in _SAMPLING if name not in model.model_fields_set and getattr(model, name, None)}
    return model.model_copy(update=own) if own else model
