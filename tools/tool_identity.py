"""Identity of a tool beside its name: whether a call made now is of the tool that a person, or a cache, knew."""

import hashlib
import json
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any, Final
from uuid import uuid4
from weakref import finalize

from langchain_core.tools import BaseTool

_objects: Final[dict[int, str]] = {}


def tool_identity(tool: BaseTool) -> str:
    """Key under which results of a tool may be shared between runs and processes.

    What its metadata state as `identity`, else its code where it is a plain function of a module. Whatever else it
    holds (a client, a closure) cannot be compared, so that such a tool is only ever equal to itself.
    """
    stated = (tool.metadata or {}).get("identity")
    if isinstance(stated, str):
        return stated
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    if isinstance(function, FunctionType) and not function.__closure__:
        defaults = f"{function.__defaults__!r}:{function.__kwdefaults__!r}"
        return f"{_describe_function(function)}:{defaults}"
    if id(tool) not in _objects:
        _objects[id(tool)] = uuid4().hex
        finalize(tool, _objects.pop, id(tool), None).atexit = False
    return _objects[id(tool)]


def tool_source(tool: BaseTool) -> str:
    """Origin of a tool: its MCP server and definition, or the code that it runs.

    The same in every process until somebody replaces the tool or edits its code. What a closure or an object holds is
    not part of it.
    """
    stated = (tool.metadata or {}).get("identity")
    if isinstance(stated, str):
        return stated
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    if not isinstance(function, FunctionType):
        kind = type(tool)
        function = kind._arun if kind._arun is not BaseTool._arun else kind._run  # noqa: SLF001 - LangChain's own names
    return _describe_function(function)


def hash_call(name: str, source: str, schema: Mapping[str, Any], args: Mapping[str, Any]) -> str:
    """Hash of a call as a person is shown it: the tool's name, origin and schema, and the arguments."""
    text = json.dumps([name, source, schema, args], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _describe_function(function: Any) -> str:
    code = getattr(function, "__code__", None)
    digest = _digest(code) if isinstance(code, CodeType) else ""
    return f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}:{digest}"


def _digest(code: CodeType) -> str:
    """Hash of what a function does, the same in every process until somebody edits it."""
    constants = [_describe_constant(one) for one in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, constants)).encode()).hexdigest()


def _describe_constant(constant: object) -> str:
    if isinstance(constant, CodeType):
        return _digest(constant)
    if isinstance(constant, frozenset):  # its order differs from process to process
        return repr(sorted(map(repr, constant)))
    return repr(constant)
