"""The endpoint of a model: provider, model, base URL, key, remembered facts, circuit breaker.

The endpoint comes from the environment, the key from there or from the run's user. Each node of the graph creates its
models anew, so facts about an endpoint are remembered for the process. The circuit breaker opens after two failed
calls.
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
"""API key sent to a local server that needs none, because the client requires a key."""

_OWN_KEY: Final[ContextVar[str]] = ContextVar("own_key", default="")


@contextmanager
def own_key(key: str) -> Iterator[None]:
    """Context manager that uses a user's own API key for models instead of the environment's.

    Within it, an empty key selects the environment's.
    """
    token = _OWN_KEY.set(key)
    try:
        yield
    finally:
        _OWN_KEY.reset(token)


@dataclass(frozen=True)
class Endpoint:
    """Model and the server that serves it."""

    name: str  # the model as configured, `provider:model`
    provider: str  # the part before the colon
    base_url: str = ""  # for OpenAI-compatible endpoints; empty for the provider's default
    # For OpenAI-compatible endpoints, or a user's own key. Empty if the client reads the environment.
    api_key: str = field(default="", repr=False)
    instance: int = 0  # distinguishes model objects of the same name that were passed in
    # Whether the key is a user's own. Facts learned with it, such as a refusal, are kept apart from those of others.
    own: bool = False

    @property
    def identity(self) -> str:
        """Return the key under which facts about the endpoint are remembered. It contains no secret."""
        return f"{self._place} {self.key_hash[:12]}" if self.own else self._place

    @property
    def _place(self) -> str:
        if not self.base_url:
            return f"{self.name} {self.instance}" if self.instance else self.name
        host = urlsplit(self.base_url)
        return f"{self.name} {host.hostname or ''}:{host.port or ''}{host.path}"

    @property
    def key_hash(self) -> str:
        """Return a hash of the API key and the base URL, which may contain a key too."""
        return hashlib.sha256(f"{self.base_url}\0{self.api_key}".encode()).hexdigest()


def resolve_endpoint(name: str, env: Mapping[str, str] | None = None) -> Endpoint:
    """Return the endpoint of a model.

    Args:
        name: Name of the model, `provider:model`.
        env: Variables in place of the environment. Then a key set by `own_key` is ignored.

    Raises:
        ModelUnavailableError: The name has no provider, the base URL is invalid, or a key is missing.
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
    """Report whether a URL points to this machine or a private network, judged by the host without DNS."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
    return address.is_private or address.is_loopback or address.is_link_local


V = TypeVar("V")

_MAX_REMEMBERED: Final = 1_024
"""Limit of the endpoints remembered for each kind of fact. The oldest is dropped."""

_memories: Final[list["EndpointMemory[Any]"]] = []


class EndpointMemory(dict[str, V]):
    """Facts of a kind by identity of the endpoint, for this process.

    The size is limited as long as facts are added with `remember_fact`.
    """

    def __init__(self) -> None:
        super().__init__()
        _memories.append(self)

    def remember_fact(self, endpoint: str, fact: V) -> None:
        """Store the fact of an endpoint, replacing an earlier one. May drop the oldest endpoint."""
        while endpoint not in self and len(self) >= _MAX_REMEMBERED:
            del self[next(iter(self))]
        self[endpoint] = fact


def _forget_endpoints() -> None:
    """Forget every fact about every endpoint."""
    for memory in _memories:
        memory.clear()


_THRESHOLD: Final = 2
"""Failed calls in a row after which the breaker opens."""
_COOLING_SECONDS: Final = 60.0
"""Time after which an open breaker admits a trial call."""
_MAX_BREAKERS: Final = 256
"""Limit of the breakers kept. The least recently used are dropped."""


class EndpointBreaker:
    """Circuit breaker of a model endpoint within a run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._circuit = CircuitBreaker(_THRESHOLD, _COOLING_SECONDS, _COOLING_SECONDS, clock)
        self._words = ""

    def admit(self, call: object) -> None:
        """Admit a call with all its attempts, or raise an error if the breaker is open.

        Args:
            call: Identity of the call, the same in the other methods.

        Raises:
            ModelCallError: The breaker is open.
        """
        if not self._circuit.admit(call):
            raise ModelCallError(f"the model endpoint does not answer ({self._words})")

    def record_success(self, call: object) -> None:
        """Record a call that the endpoint answered."""
        self._circuit.record_success(call)

    def record_failure(self, call: object, words: str, *, hopeless: bool = False) -> None:
        """Record a call that the endpoint failed to answer.

        Args:
            call: Identity of the call.
            words: Reason of the failure, for the error of later calls.
            hopeless: Open the breaker at once, as after a refused key.
        """
        if self._circuit.record_failure(call, opens=hopeless) is not None:
            self._words = words

    def release_call(self, call: object) -> None:
        """Release a call that has ended, so that another trial call may pass."""
        self._circuit.release_call(call)


_breakers: Final = BreakerRegistry(lambda _: EndpointBreaker(), _MAX_BREAKERS)


def endpoint_breaker(run: str, endpoint: str) -> EndpointBreaker:
    """Return the breaker of an endpoint in a run, the same for all callers in this process."""
    return _breakers.get(run, endpoint)
