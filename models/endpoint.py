"""The endpoint of a model: provider, model, base URL, key, remembered facts, circuit breaker.

The environment or the run's user gives it. Agents are opened anew for every node and ask before their model has been
made, so facts about an endpoint are remembered for the process. An endpoint that is down costs a run two waits.
"""

import hashlib
import ipaddress
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from weiwo.models.errors import ModelCallError, ModelUnavailableError
from weiwo.state.circuit_breaker import BreakerRegistry, CircuitBreaker

_PLACEHOLDER_KEY = "none"
"""Sent to a local server that needs no key; the client refuses to start without one."""

_OWN_KEY: Final[ContextVar[str]] = ContextVar("own_key", default="")


@contextmanager
def own_key(key: str) -> Iterator[None]:
    """Context manager using a user's own key for models in place of the environment's.

    An empty key changes nothing.
    """
    token = _OWN_KEY.set(key)
    try:
        yield
    finally:
        _OWN_KEY.reset(token)


@dataclass(frozen=True)
class Endpoint:
    """A model and the endpoint serving the model."""

    name: str  # the model as configured, `provider:model`
    provider: str  # the part before the colon
    base_url: str = ""  # `OPENAI_BASE_URL` for OpenAI-compatible endpoints, else ""
    # The key, for those and where it is a user's own. Never shown.
    api_key: str = field(default="", repr=False)
    instance: int = 0  # tells models apart that were made elsewhere and share a name
    # Whether the key is a user's own: what is learned with it, as that it is refused, counts for nobody else.
    own: bool = False

    @property
    def identity(self) -> str:
        """Return the key for memories of endpoint behaviour. The key holds no secret."""
        return f"{self._place} {self.key_hash[:12]}" if self.own else self._place

    @property
    def _place(self) -> str:
        if not self.base_url:
            return f"{self.name} {self.instance}" if self.instance else self.name
        host = urlsplit(self.base_url)
        return f"{self.name} {host.hostname or ''}:{host.port or ''}{host.path}"

    @property
    def key_hash(self) -> str:
        """Return a digest of the key and the base URL. The URL may carry a key too."""
        return hashlib.sha256(f"{self.base_url}\0{self.api_key}".encode()).hexdigest()


def resolve_endpoint(name: str, env: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint of a model named `provider:model`, by `env`, else by this process's and the user's own key.

    Raises:
        ModelUnavailableError: The name has no provider, the base URL is none, or a key is missing.
    """
    key = _OWN_KEY.get() if env is None else ""
    env = os.environ if env is None else env
    provider, colon, model = name.partition(":")
    if not (provider and colon and model):
        raise ModelUnavailableError(f"model {name!r} has no provider; use provider:model, such as openai:{name}")
    if provider != "openai":
        return Endpoint(name, provider, api_key=key, own=bool(key))
    base_url = (env.get("OPENAI_BASE_URL") or env.get("OPENAI_API_BASE") or "").strip()
    api_key = key or (env.get("OPENAI_API_KEY") or "").strip()
    if base_url and not _is_http(base_url):
        raise ModelUnavailableError(
            f"{name}: OPENAI_BASE_URL is not an http(s) address; use one such as http://localhost:8000/v1"
        )
    if not api_key and not (base_url and is_local(base_url)):
        raise ModelUnavailableError(
            f"{name}: OPENAI_API_KEY is not set; set it, or OPENAI_BASE_URL to a server on this machine or network"
        )
    return Endpoint(name, provider, base_url, api_key or _PLACEHOLDER_KEY, own=bool(key))


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # Reading the port raises ValueError if it is not a number.
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def is_local(url: str) -> bool:
    """Report whether a URL points to this machine or a private network, judged by name alone."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
    return address.is_private or address.is_loopback or address.is_link_local


V = TypeVar("V")

_MAX_REMEMBERED: Final = 1_024
"""Endpoints remembered of each kind of fact; the oldest gives way."""

_memories: Final[list["EndpointMemory[Any]"]] = []


class EndpointMemory(dict[str, V]):
    """Memory of a kind of fact by endpoint (provider, model and base URL).

    The size is bounded as long as facts are added with `put`.
    """

    def __init__(self) -> None:
        super().__init__()
        _memories.append(self)

    def remember_fact(self, endpoint: str, fact: V) -> None:
        """Remember the fact."""
        while endpoint not in self and len(self) >= _MAX_REMEMBERED:
            del self[next(iter(self))]
        self[endpoint] = fact


def _forget_endpoints() -> None:
    """Start anew: forget every fact about every endpoint."""
    for memory in _memories:
        memory.clear()


_THRESHOLD: Final = 2
"""Failures in a row after which an endpoint is taken to be down."""
_COOLING_SECONDS: Final = 60.0
"""After this long one call is let through to see whether the endpoint is back."""
_MAX_BREAKERS: Final = 256
"""Breakers remembered; beyond that the ones not used for longest are forgotten."""


class EndpointBreaker:
    """Health of a model endpoint as seen by a run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._circuit = CircuitBreaker(_THRESHOLD, _COOLING_SECONDS, _COOLING_SECONDS, clock)
        self._words = ""

    def admit(self, call: object) -> None:
        """Admit a call, including all attempts.

        Raises:
            ModelCallError: The endpoint is down as far as this run knows.
        """
        if not self._circuit.admit(call):
            raise ModelCallError(f"the model endpoint does not answer ({self._words})")

    def record_success(self, call: object) -> None:
        """The endpoint answered."""
        self._circuit.record_success(call)

    def record_failure(self, call: object, words: str, *, hopeless: bool = False) -> None:
        """Record an unanswered call. With `hopeless`, a second attempt is pointless."""
        if self._circuit.record_failure(call, opens=hopeless) is not None:
            self._words = words

    def release_call(self, call: object) -> None:
        """Release an ended call, successful or not."""
        self._circuit.release_call(call)


_breakers: Final = BreakerRegistry(lambda _: EndpointBreaker(), _MAX_BREAKERS)


def endpoint_breaker(run: str, endpoint: str) -> EndpointBreaker:
    """The breaker of an endpoint in a run."""
    return _breakers.get(run, endpoint)
