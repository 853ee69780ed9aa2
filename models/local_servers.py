"""Model servers on this machine: discovery, models, and the actual context window of each model.

Four servers are looked for at their usual ports, each by its own protocol, since OpenAI's protocol does not report the
window: Ollama serves 4,096 tokens of context by default, LM Studio the window chosen when a model was loaded.
"""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx

from weiwo.models.parameters import parse_billions
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line

REPLY_SECONDS: Final = 4.0
"""Timeout of one reply."""
MOST_BYTES: Final = 4_000_000
_MOST_MODELS: Final = 60
_OLLAMA_CONTEXT: Final = 4_096
"""Ollama's default context window in tokens."""
_NUM_CTX: Final = re.compile(r"^num_ctx\s+(\d{1,9})", re.MULTILINE)
_NO_CHAT: Final = re.compile(r"embed|rerank|whisper|tts|(?:^|[-_/])(?:bge|gte|e5|clip)(?:[-_]|$)", re.IGNORECASE)
_EMBEDS: Final = re.compile(r"embed|minilm|(?:^|[-_/])(?:bge|gte|e5)(?:[-_]|$)(?!.*rerank)", re.IGNORECASE)
_LISTENS: Final = (httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError)
"""Exceptions that occur only if a server accepted the connection."""


class ServerError(WeiwoError):
    """An invalid or unsuccessful response of a server. The message gives the details.

    Attributes:
        status: HTTP status of the response.
    """

    def __init__(self, message: str, status: int = 200) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class LocalModel:
    """A model offered by a server."""

    name: str  # name at the server
    billions: float | None = None  # number of parameters in billions; None if unknown
    bytes: int | None = None  # size on disk; None if unknown
    trained: int | None = None  # context window of the model in tokens; None if unknown
    served: int | None = None  # context window that the server provides, in tokens; None if unknown
    chats: bool = True  # whether it is a chat model, not an embedding or other model
    tools: bool | None = None  # whether it supports tool calls; None if unknown
    quantization: str = ""  # such as Q4_K_M; empty if unknown

    @property
    def embeds(self) -> bool:
        """Report whether the model embeds texts, judged by name."""
        return not self.chats and bool(_EMBEDS.search(self.name))


@dataclass(frozen=True)
class ServerProblem:
    """A reason why a server cannot be used.

    Attributes:
        kind: `no_model`: the server has no models. `silent`: no connection or no reply in time. `broken_off`: the
            connection ended within the reply. `refused`: an error or a reply in an unknown format.
        detail: The message of a refusal, or the name of the exception.
        inside: Whether this process runs in a container, where `localhost` is not the machine.
    """

    kind: Literal["no_model", "silent", "broken_off", "refused"]
    detail: str = ""
    inside: bool = False


@dataclass(frozen=True)
class FoundServer:
    """Model server that was found, or named by the user and not usable."""

    kind: str  # `Ollama`, `LM Studio`, `llama.cpp`, `vLLM`, or `OpenAI-compatible` for any other
    root: str  # address without a path
    models: tuple[LocalModel, ...] = ()
    problem: ServerProblem | None = None  # reason why the server cannot be used, if any

    @property
    def base_url(self) -> str:
        """Base URL for OpenAI's protocol."""
        return f"{self.root}/v1"


@dataclass(frozen=True)
class Client:
    """Client of a server, with a limit on the size of replies."""

    http: httpx.AsyncClient
    root: str  # address of the server
    headers: Mapping[str, str] = field(default_factory=dict)

    async def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request and return the parsed JSON reply: a GET, or a POST if there is a body.

        Raises:
            ServerError: The reply is an error, larger than `MOST_BYTES`, or not JSON.
            httpx.HTTPError: The server did not answer.
        """
        method = "GET" if body is None else "POST"
        async with self.http.stream(method, f"{self.root}{path}", json=body, headers=dict(self.headers)) as reply:
            if not reply.is_success:
                raise ServerError(f"{path} returned {reply.status_code}", reply.status_code)
            read = bytearray()
            async for part in reply.aiter_bytes():
                read += part
                if len(read) > MOST_BYTES:
                    raise ServerError(f"{path} returned more than {MOST_BYTES:,} bytes")
        try:
            return json.loads(read)
        except (ValueError, RecursionError):
            raise ServerError(f"the response of {path} is not JSON") from None


@dataclass(frozen=True)
class Place:
    """Possible address of a server."""

    root: str  # address without a path
    kinds: tuple[str, ...]  # kinds of server to try, in order
    named: bool = False  # whether the user named the address, so that problems are reported
    headers: Mapping[str, str] = field(default_factory=dict)  # sent with each request


def open_client(transport: httpx.AsyncBaseTransport | None, seconds: float) -> httpx.AsyncClient:
    """Create a client without proxies and redirects, to reach no server except the named address."""
    return httpx.AsyncClient(transport=transport, timeout=seconds, trust_env=False, follow_redirects=False)


def in_container() -> bool:
    """Report whether this process runs in a container. In a container `localhost` is not the host machine."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


async def find_servers(
    env: Mapping[str, str] = os.environ, transport: httpx.AsyncBaseTransport | None = None
) -> list[FoundServer]:
    """Find the model servers at the usual ports of this machine, and those named by variables, which come first.

    A server that the user named, or that accepted the connection, is included with its problem if it is not usable.

    Args:
        env: Variables. `OPENAI_BASE_URL` and `OLLAMA_HOST` name further servers.
        transport: Replaces the network in tests.
    """
    async with open_client(transport, REPLY_SECONDS) as http:
        found = await asyncio.gather(*(_look(http, place) for place in _list_places(env)))
    servers: dict[str, FoundServer] = {}
    for server in found:
        if server is not None:
            servers.setdefault(server.root, server)
    return list(servers.values())


def _list_places(env: Mapping[str, str]) -> list[Place]:
    """List the addresses to search: those named by variables, then the usual ports."""
    places = []
    if base := env.get("OPENAI_BASE_URL", "").strip().rstrip("/"):
        key = env.get("OPENAI_API_KEY", "").strip()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        places.append(Place(base.removesuffix("/v1"), tuple(_READERS), named=True, headers=headers))
    if named := env.get("OLLAMA_HOST", "").strip():
        places.append(Place(_ollama_root(named), ("Ollama",), named=True))
    for host in ["127.0.0.1", *(["host.docker.internal"] if in_container() else [])]:
        for kind, port in (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000)):
            places.append(Place(f"http://{host}:{port}", (kind, "OpenAI-compatible")))
    return places


def _ollama_root(named: str) -> str:
    """Return the address of the server in `OLLAMA_HOST`, which is a host, host:port or a URL.

    0.0.0.0 is an address to listen on, and becomes 127.0.0.1.
    """
    parts = urlsplit(named if "://" in named else f"http://{named}")
    host = parts.hostname or "127.0.0.1"
    try:
        port = parts.port or 11434
    except ValueError:
        port = 11434
    host = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - it is not bound here
    return f"{parts.scheme or 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


async def _look(http: httpx.AsyncClient, place: Place) -> FoundServer | None:
    """Probe an address for each of its kinds of server, and return the server.

    Returns None if nothing listens at an address that the user did not name, or it is no model server.
    """
    client, message = Client(http, place.root, place.headers), ""
    for kind in place.kinds:
        try:
            models = tuple(model for model in await _READERS[kind](client) if model.name)[:_MOST_MODELS]
        except ServerError as error:
            message = str(error)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            reported = place.named or isinstance(error, _LISTENS)
            return FoundServer(kind, place.root, problem=_silence(error)) if reported else None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            message = "its response has an unexpected format"
        else:
            return FoundServer(kind, place.root, models, None if models else ServerProblem("no_model"))
    return FoundServer(place.kinds[-1], place.root, problem=ServerProblem("refused", message)) if place.named else None


def _silence(error: Exception) -> ServerProblem:
    """Describe the exception of a request without a reply."""
    name = type(error).__name__
    if isinstance(error, httpx.ReadError | httpx.RemoteProtocolError):
        return ServerProblem("broken_off", name)
    return ServerProblem("silent", name, inside=in_container() and not isinstance(error, _LISTENS))


async def _read_ollama(client: Client) -> list[LocalModel]:
    listed = (await client.ask("/api/tags"))["models"][:_MOST_MODELS]
    return list(await asyncio.gather(*(_ollama_model(client, row) for row in listed)))


async def _ollama_model(client: Client, row: Mapping[str, Any]) -> LocalModel:
    name, details = _text(row.get("model") or row.get("name")), row.get("details") or {}
    try:
        shown = await client.ask("/api/show", {"model": name})
    except (ServerError, httpx.HTTPError):
        shown = {}
    info, able = shown.get("model_info") or {}, shown.get("capabilities") or []
    asked = _NUM_CTX.search(str(shown.get("parameters") or ""))
    return LocalModel(
        name,
        billions=parse_billions(details.get("parameter_size")) or parse_billions(name),
        bytes=_whole(row.get("size")),
        trained=next((_whole(value) for key, value in info.items() if str(key).endswith(".context_length")), None),
        served=int(asked[1]) if asked else _OLLAMA_CONTEXT,
        chats="completion" in able if able else not _NO_CHAT.search(name),
        tools="tools" in able if able else None,
        quantization=_text(details.get("quantization_level")),
    )


async def _read_lm_studio(client: Client) -> list[LocalModel]:
    return [
        LocalModel(
            _text(row["id"]),
            billions=parse_billions(row["id"]),
            trained=_whole(row.get("max_context_length")),
            served=_whole(row.get("loaded_context_length")),
            chats=row["type"] in {"llm", "vlm"},
            tools="tool_use" in row["capabilities"] if row.get("capabilities") else None,
            quantization=_text(row.get("quantization")),
        )
        for row in (await client.ask("/api/v0/models"))["data"]
    ]


async def _read_llama_cpp(client: Client) -> list[LocalModel]:
    served = _whole((await client.ask("/props"))["default_generation_settings"].get("n_ctx"))
    return [
        replace(_listed_model(row, row.get("meta") or {}), served=served)
        for row in (await client.ask("/v1/models"))["data"]
    ]


async def _read_vllm(client: Client) -> list[LocalModel]:
    listed = (await client.ask("/v1/models"))["data"]
    if not any(row.get("owned_by") == "vllm" for row in listed):
        raise ServerError("it is another server")
    return [_listed_model(row, {}) for row in listed]


async def _read_any(client: Client) -> list[LocalModel]:
    return [_listed_model(row, {}) for row in (await client.ask("/v1/models"))["data"]]


def _listed_model(row: Mapping[str, Any], meta: Mapping[str, Any]) -> LocalModel:
    """Read a model from an entry of an OpenAI-compatible server's list.

    Args:
        row: The entry. vLLM adds the context window as `max_model_len`.
        meta: Further facts, as given by llama.cpp. Empty for other servers.
    """
    name, window, count = _text(row["id"]), _whole(row.get("max_model_len")), _whole(meta.get("n_params"))
    return LocalModel(
        name,
        billions=count / 1e9 if count else parse_billions(name),
        bytes=_whole(meta.get("size")),
        trained=_whole(meta.get("n_ctx_train")) or window,
        served=window,
        chats=not _NO_CHAT.search(name),
    )


_READERS: Final[dict[str, Callable[[Client], Awaitable[list[LocalModel]]]]] = {
    "Ollama": _read_ollama,
    "LM Studio": _read_lm_studio,
    "llama.cpp": _read_llama_cpp,
    "vLLM": _read_vllm,
    "OpenAI-compatible": _read_any,
}


async def widen_ollama(root: str, model: str, tokens: int, transport: httpx.AsyncBaseTransport | None = None) -> str:
    """Create a variant `weiwo-NAME` of an Ollama model with a larger context window, and return its name.

    The variant shares the weights of the model.

    Args:
        root: Address of Ollama.
        model: Name of the model.
        tokens: Size of the window.
        transport: Replaces the network in tests.

    Raises:
        ServerError: Ollama refuses.
        httpx.HTTPError: Ollama does not answer.
    """
    base, _, tag = model.partition(":")
    name = f"weiwo-{base.rpartition('/')[2]}:{tag or 'latest'}"
    async with open_client(transport, 60) as http:
        body = {"model": name, "from": model, "parameters": {"num_ctx": tokens}, "stream": False}
        reply = await Client(http, root).ask("/api/create", body)
    if not isinstance(reply, dict) or reply.get("error"):
        raise ServerError(one_line(str(reply), 200))
    return name


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _text(value: object) -> str:
    return one_line(value, 200) if isinstance(value, str) else ""
