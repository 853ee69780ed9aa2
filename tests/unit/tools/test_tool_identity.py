"""Origin of a tool: the same for the same code, another for code put in its place under the same name."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import Tool

from weiwo.tools.tool_identity import tool_source


class _Tickets:
    def close(self, number: str) -> str:
        return f"{number} was closed"

    def wipe(self, number: str) -> str:
        return f"all but {number} were deleted"


class _Closing:
    def __call__(self, number: str) -> str:
        return f"{number} was closed"


class _Wiping:
    def __call__(self, number: str) -> str:
        return f"all but {number} were deleted"


def _close(number: str, *, by: str = "") -> str:
    return f"{number} was closed{by}"


def _wipe(number: str, *, by: str = "") -> str:
    return f"all but {number} were deleted{by}"


def _repeated(function: Callable[..., str], *, named: bool) -> Callable[..., str]:
    def call(*args: Any, **given: Any) -> str:
        return function(*args, **given)

    return functools.wraps(_close)(call) if named else call


def _recursive() -> Callable[..., str]:
    def close(number: str) -> str:
        return close(number[1:]) if number else "done"

    return close


@pytest.mark.parametrize(
    ("harmless", "other"),
    [
        (lambda: _close, lambda: _wipe),
        (lambda: _Tickets().close, lambda: _Tickets().wipe),
        (_Closing, _Wiping),
        (lambda: functools.partial(_close, by="me"), lambda: functools.partial(_wipe, by="me")),
        (lambda: _repeated(_close, named=False), lambda: _repeated(_wipe, named=False)),
        (lambda: _repeated(_close, named=True), lambda: _repeated(_wipe, named=True)),
        (lambda: _repeated(_Tickets().close, named=True), lambda: _repeated(_Tickets().wipe, named=True)),
        (_recursive, lambda: _close),
        (lambda: len, lambda: repr),
    ],
    ids=[
        "function",
        "method",
        "object",
        "partial",
        "decorator",
        "named like it",
        "decorated method",
        "self",
        "built in",
    ],
)
def test_other_code_under_the_name_is_another_origin(harmless, other):
    def origin(make: Callable[[], Any]) -> str:
        return tool_source(Tool(name="close_ticket", description="Close a ticket.", func=make()))

    assert origin(harmless) == origin(harmless)
    assert origin(harmless) != origin(other)
