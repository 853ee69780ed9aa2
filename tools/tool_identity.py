"""Identity of a tool beyond its name.

By its identity, a tool is recognized as the one that a person approved, or that made a cached result.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, Final
from uuid import uuid4
from weakref import finalize

from langchain_core.tools import BaseTool

_EMPTY_CELL: Final = CellType()
_objects: Final[dict[int, str]] = {}


def tool_identity(tool: BaseTool) -> str:
    """Return the key by which a tool's cached results are shared between runs and processes.

    The key is the `identity` in the tool's metadata, or a hash of its code if it is a plain function of a module.
    Anything else that a tool holds (a client, a closure) cannot be compared, so the key of such a tool is unique to the
    object.
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
    """Return a text that says where a tool comes from: the MCP server and definition, or the code.

    It is the same in every process until the tool is replaced or its code is edited. It includes functions that a
    closure holds, such as a decorated function, but no other contents of a closure or an object.
    """
    stated = (tool.metadata or {}).get("identity")
    if isinstance(stated, str):
        return stated
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    if function is None:
        kind = type(tool)
        function = kind._arun if kind._arun is not BaseTool._arun else kind._run  # noqa: SLF001 - LangChain's own names
    return _describe_callable(function, set())


def hash_call(name: str, source: str, schema: Mapping[str, Any], args: Mapping[str, Any]) -> str:
    """Return a hash of a call as shown to a person.

    The tool's name, origin (`tool_source`) and schema, and the arguments.
    """
    text = json.dumps([name, source, schema, args], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _describe_callable(function: Any, seen: set[int]) -> str:
    """Describe the code behind a callable: a function, a bound method, a partial function or an object."""
    if id(function) in seen:
        return ""
    seen.add(id(function))
    if isinstance(function, partial):
        return f"partial:{_describe_callable(function.func, seen)}"
    if isinstance(function, MethodType):
        owner = type(function.__self__)
        return f"{owner.__module__}:{owner.__qualname__}:{_describe_callable(function.__func__, seen)}"
    if not isinstance(function, FunctionType | BuiltinFunctionType):
        function = getattr(type(function), "__call__", function)  # noqa: B004 - its code, and not only that it has any
    cells = getattr(function, "__closure__", None) or ()
    held = [cell.cell_contents for cell in cells if cell != _EMPTY_CELL]
    inner = [_describe_callable(item, seen) for item in held if isinstance(item, FunctionType | MethodType | partial)]
    return ":".join([_describe_function(function), *inner])


def _describe_function(function: Any) -> str:
    code = getattr(function, "__code__", None)
    digest = _digest(code) if isinstance(code, CodeType) else ""
    return f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}:{digest}"


def _digest(code: CodeType) -> str:
    """Hash a function's code. The hash is the same in every process until the code is edited."""
    constants = [_describe_constant(const) for const in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, constants)).encode()).hexdigest()


def _describe_constant(constant: object) -> str:
    if isinstance(constant, CodeType):
        return _digest(constant)
    if isinstance(constant, frozenset):  # its order differs from process to process
        return repr(sorted(map(repr, constant)))
    return repr(constant)
