"""Tools from the user's own modules, named in settings as `module:attribute`.

The attribute is a LangChain tool, a list of tools, or a factory for these. A factory runs once per process.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from langchain_core.tools import BaseTool

from weiwo.state.settings import SettingsError
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.calling.singleflight import SingleFlight
from weiwo.tools.named_objects import import_object, makes_object

_made: Final[dict[Callable[..., Any], list[BaseTool]]] = {}
"""Tools by the factory that made them, so that the factory's connections are opened only once per process."""
_making: Final[SingleFlight[list[BaseTool]]] = SingleFlight()


async def load_named_tools(entries: Iterable[str]) -> list[BaseTool]:
    """Load the tools named in the settings, each as `module:attribute`.

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
        if not makes_object(found, (BaseTool,)):
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
