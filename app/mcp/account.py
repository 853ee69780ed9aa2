"""The account that a question to the MCP server is put down to: whose settings count, and what they may spend."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from weiwo.state.settings import Context, operator_defaults

NOBODY_ASKED = {"approve_plan": False, "allow_acting": False, "allow_tools": []}
"""What counts for every run behind the MCP server, where no person can be asked."""


class Account(Protocol):
    """Whoever asks."""

    async def open(self, asked: Context, *, question: bool) -> AbstractContextManager[None]:
        """Within this their settings count.

        Args:
            asked: What the client set.
            question: Whether a question is asked, which is counted.

        Raises:
            WeiwoError: They have nothing left to spend on it.
        """

    async def count(self, event: Mapping[str, Any]) -> None:
        """Count what a stream event of a run tells to be spent."""


class OwnAccount:
    """Whoever started the server: nothing is counted.

    Args:
        context: What they set for every run.
    """

    def __init__(self, context: Context) -> None:
        self._context = context.model_copy(update=NOBODY_ASKED)

    async def open(self, asked: Context, *, question: bool) -> AbstractContextManager[None]:  # noqa: ARG002 - the protocol has them
        """Within this their settings count."""
        return operator_defaults(self._context)

    async def count(self, event: Mapping[str, Any]) -> None:
        """Count nothing."""
