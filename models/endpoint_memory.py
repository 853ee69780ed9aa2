"""What the process remembers of model endpoints: facts that every run would otherwise have to learn anew.

Agents are opened anew for every node, and ask before their model has been made. No list of models stands here; it
would be wrong within months.
"""

from typing import Final, Generic, TypeVar

V = TypeVar("V")

MAX_REMEMBERED: Final = 1_024
"""Endpoints remembered of each kind of fact; the oldest gives way."""

_memories: Final[list["EndpointMemory[object]"]] = []


class EndpointMemory(Generic[V]):
    """One kind of fact by endpoint (provider, model and base URL)."""

    def __init__(self) -> None:
        self._facts: dict[str, V] = {}
        _memories.append(self)  # type: ignore[arg-type] # only ever cleared through the list

    def __contains__(self, endpoint: str) -> bool:
        """Whether the fact is known of an endpoint."""
        return endpoint in self._facts

    def get(self, endpoint: str) -> V | None:
        """The fact; None where it is not known."""
        return self._facts.get(endpoint)

    def put(self, endpoint: str, fact: V) -> None:
        """Remember the fact."""
        while endpoint not in self._facts and len(self._facts) >= MAX_REMEMBERED:
            del self._facts[next(iter(self._facts))]
        self._facts[endpoint] = fact

    def drop(self, endpoint: str) -> None:
        """Forget the fact about one endpoint, if it is known."""
        self._facts.pop(endpoint, None)

    def forget(self) -> None:
        """Start anew."""
        self._facts.clear()


def forget_endpoints() -> None:
    """Start anew: forget every fact about every endpoint."""
    for memory in _memories:
        memory.forget()
