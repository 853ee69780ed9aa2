"""A smaller prompt for an endpoint that did not take the whole: half of it, or all but the passage it declines."""

from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.models.endpoint import EndpointMemory
from weiwo.models.errors import Fault
from weiwo.models.prompt_passages import PromptPassages, find_refused

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_LEAST_TO_HALVE: Final = 1_000
"""Tokens of a prompt from which a refusal may be due to its size."""
_HALF: Final = 0.5
_LEAST_TO_LEAVE: Final = 2
"""Passages of a prompt from which one may be left out."""
_declined: Final = EndpointMemory[frozenset[str]]()
"""Digests of passages that an endpoint's filter declines."""


class ReducedPrompt(NamedTuple):
    """A smaller prompt.

    Attributes:
        messages: The prompt.
        left_out: Title and source of the passage that the endpoint's filter declines; empty if it is shorter.
    """

    messages: "list[BaseMessage]"
    left_out: str = ""


def drop_declined(identity: str, messages: "list[BaseMessage]") -> "list[BaseMessage]":
    """The prompt without passages that the filter of the endpoint with this identity is known to decline."""
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
    """Reduce a prompt that was not taken; None where nothing smaller is worth a try.

    Args:
        identity: The endpoint's.
        fault: Why the prompt was not taken.
        messages: The prompt.
        tokens: Its size.
        accepts: Ask the endpoint whether its filter takes a prompt, with a request for a word at most.
        known: Whether the endpoint is known to take this form of request, so that it must be the prompt.
    """
    if fault.kind != "overflow" and not (fault.prompt or (known and fault.may_be_size)):
        return None
    passages = PromptPassages.of(messages)
    if fault.prompt:
        return await _leave_declined(identity, passages, accepts)
    if tokens <= _LEAST_TO_HALVE:
        return None
    shorter = passages.shortened(min(_HALF, _HALF * (fault.window or tokens) / tokens))
    return None if shorter is None else ReducedPrompt(shorter)


async def _leave_declined(
    identity: str, passages: PromptPassages, accepts: "Callable[[list[BaseMessage]], Awaitable[bool]]"
) -> ReducedPrompt | None:
    """The prompt without the one passage that a filter declines; None if it is not one passage."""
    count = len(passages.places)

    async def accepts_without(left_out: Collection[int]) -> bool:
        return await accepts(passages.without(left_out))

    found = await find_refused(count, accepts_without) if count >= _LEAST_TO_LEAVE else None
    if found is None:
        return None
    _declined.put(identity, _declined.get(identity, frozenset()) | {passages.digest(found)})
    return ReducedPrompt(passages.without((found,)), passages.name(found))
