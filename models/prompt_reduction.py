"""Reduction of a rejected prompt, to half of its passages or without a passage that a content filter declines."""

from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.errors import Fault
from weiwo.models.prompt_passages import PromptPassages, find_refused

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_LEAST_TO_HALVE: Final = 1_000
"""Size of a prompt in tokens up to which a refusal is not due to its size."""
_HALF: Final = 0.5
_LEAST_TO_LEAVE: Final = 2
"""Least number of passages that a prompt must have for one of them to be left out."""
_declined: Final = EndpointMemory[frozenset[str]]()
"""Hashes of passages that an endpoint's content filter declined."""


class ReducedPrompt(NamedTuple):
    """Prompt reduced after a rejection.

    Attributes:
        messages: The reduced prompt.
        left_out: Title and source of the removed passage, if a content filter declined it. Empty if the prompt was
            shortened.
    """

    messages: "list[BaseMessage]"
    left_out: str = ""


def drop_declined(identity: str, messages: "list[BaseMessage]") -> "list[BaseMessage]":
    """Return the prompt without passages that the endpoint's content filter has declined before.

    Args:
        identity: Identity of the endpoint.
        messages: The prompt.
    """
    declined = _declined.get(identity)
    passages = PromptPassages.of(messages) if declined else None
    return passages.without(passages.numbers_of(declined)) if passages and declined else messages


async def reduce_prompt(
    identity: str,
    fault: Fault,
    messages: "list[BaseMessage]",
    tokens: int,
    accepts: "Callable[[list[BaseMessage]], Awaitable[bool]]",
    *,
    known: bool = True,
) -> ReducedPrompt | None:
    """Reduce a rejected prompt.

    Args:
        identity: Identity of the endpoint.
        fault: The reason for the rejection.
        messages: The prompt.
        tokens: Size of the prompt.
        accepts: Sends a prompt with a minimal reply limit, and reports whether the endpoint's filter accepts it.
        known: Whether the endpoint is known to accept this form of request, so that the prompt must be the cause.

    Returns:
        The reduced prompt, or None if the prompt is not the cause or cannot be reduced.
    """
    if fault.kind != "overflow" and not (fault.prompt or (known and fault.may_be_size)):
        return None
    passages = PromptPassages.of(messages)
    if fault.prompt:
        return await _leave_declined(identity, passages, accepts)
    if tokens <= _LEAST_TO_HALVE:
        return None
    shorter = passages.shorten_prompt(min(_HALF, _HALF * (fault.window or tokens) / tokens))
    return None if shorter is None else ReducedPrompt(shorter)


async def _leave_declined(
    identity: str, passages: PromptPassages, accepts: "Callable[[list[BaseMessage]], Awaitable[bool]]"
) -> ReducedPrompt | None:
    """Find the passage that a content filter declines, remember it, and return the prompt without it.

    Returns None if no single passage is the cause.
    """
    count = len(passages.places)

    async def accepts_without(left_out: Collection[int]) -> bool:
        return await accepts(passages.without(left_out))

    found = await find_refused(count, accepts_without) if count >= _LEAST_TO_LEAVE else None
    if found is None:
        return None
    _declined.remember_fact(identity, _declined.get(identity, frozenset()) | {passages.digest(found)})
    return ReducedPrompt(passages.without((found,)), passages.name(found))
