"""Tools from the user's own modules, named in settings as `module:attribute`.

A factory runs once per process.
"""

import asyncio
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, get_args, get_origin, get_type_hints

from langchain_core.tools import BaseTool

from weiwo.state.settings import SettingsError
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.calling.singleflight import SingleFlight


def import_object(module: str, attribute: str) -> Any:
    """Import an object by name from the Python path or, failing that, the working directory.

    An installed command, unlike `python -m`, does not look in the working directory by itself.

    Raises:
        Exception: Whatever the import of the module raises. AttributeError if the module has no such object.
    """
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        here = os.getcwd()  # noqa: PTH109 - an entry of sys.path is a string
        if error.name != module.partition(".")[0] or here in sys.path:
            raise
        sys.path.append(here)
        importlib.invalidate_caches()
        found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def make_object(found: Any, kinds: tuple[type, ...]) -> Any:
    """Return the imported object, or the result of calling an object factory.

    A factory is a class of one of the kinds, or a function annotated to return some. Any other callable is returned
    uncalled: whoever may name an object may not call it (`os:abort`).

    Raises:
        Exception: Whatever the function raises.
    """
    return found() if _makes_object(found, kinds) else found


def _makes_object(found: Any, kinds: tuple[type, ...]) -> bool:
    """Report whether an imported object is an object factory.

    A factory is a class of one of the kinds, or a function annotated to return some.
    """
    if isinstance(found, type):
        return issubclass(found, kinds)
    return inspect.isfunction(found) and _tells_kind(_read_return(found), kinds)


def _read_return(function: Any) -> Any:
    """Return the return annotation of a function.

    Returns None if unknown.
    """
    try:
        return get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):  # annotations that only type checkers can follow
        return None


def _tells_kind(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Report whether an annotation names a kind, or a list or tuple of kinds."""
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        inner = [part for part in get_args(annotation) if part is not ...]
        return bool(inner) and all(_tells_kind(part, kinds) for part in inner)
    return isinstance(annotation, type) and issubclass(annotation, kinds)


_made: Final[dict[Callable[..., Any], list[BaseTool]]] = {}
"""What factories made: connections they opened are opened once, however many runs use them."""
_making: Final[SingleFlight[list[BaseTool]]] = SingleFlight()


async def load_named_tools(entries: Iterable[str]) -> list[BaseTool]:
    """Load the tools named in the settings.

    Raises:
        SettingsError: An entry cannot be loaded, or is not a tool. The message names it.
    """
    return [tool for entry in entries for tool in await _load_tools(entry)]


async def _load_tools(entry: str) -> list[BaseTool]:
    module, _, attribute = entry.partition(":")
    shown = repr(one_line(entry, 100))
    if not (module.strip() and attribute.strip()):
        raise SettingsError(f"tools: {shown} is not module:attribute; use the form my_tools:search")
    try:
        found = await asyncio.to_thread(import_object, module.strip(), attribute.strip())
        if not _makes_object(found, (BaseTool,)):
            return _check_tools(found, shown)
        return _made.get(found) or await _making.run(found, lambda: _make_tools(found, shown))
    except SettingsError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's module does wrong
        said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
        raise SettingsError(
            f"tools: {shown} cannot be loaded: {said}; correct it, or add its folder to PYTHONPATH"
        ) from error


async def _make_tools(factory: Callable[..., Any], shown: str) -> list[BaseTool]:
    """Run a tool factory and return the tools.

    An async factory runs on the loop of the run, where its connections will be used.
    """
    made = factory() if inspect.iscoroutinefunction(factory) else await asyncio.to_thread(factory)
    _made[factory] = _check_tools(await made if inspect.isawaitable(made) else made, shown)
    return _made[factory]


def _check_tools(found: Any, shown: str) -> list[BaseTool]:
    tools = list(found) if isinstance(found, list | tuple) else [found]
    if not tools or not all(isinstance(tool, BaseTool) for tool in tools):
        raise SettingsError(
            f"tools: {shown} is a {type(found).__name__}; it must be a LangChain tool, a list of tools, "
            "or a function annotated to return one of these"
        )
    return tools
