"""A run whose seconds begin to count at some moment of a test, however long the machine takes to come to it."""

import time
from collections.abc import Callable
from functools import partial

import pytest

from weiwo.graph import run_context
from weiwo.models.budget import Budget


def count_from(begun: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the budgets of runs spend no second until this is so.

    Args:
        begun: Whether the moment has come; once it has, it stays so.
        monkeypatch: Whose end ends it.
    """
    since: list[float] = []

    def clock() -> float:
        if not begun():
            return 0.0
        now = time.monotonic()
        since[:] = since or [now]
        return now - since[0]

    monkeypatch.setattr(run_context, "Budget", partial(Budget, clock=clock))
