"""Objects of the user's own modules, imported by name: tools, loaders, stores, rerankers.

Imports no LangChain, so that a command which may load such an object starts without it.
"""

import importlib
import inspect
import os
import sys
from collections.abc import Sequence
from typing import Any, get_args, get_origin, get_type_hints


def import_object(module: str, attribute: str) -> Any:
    """Import an object by name from the Python path or, failing that, the working directory.

    The working directory is appended to `sys.path`, because an installed command, unlike `python -m`, does not search
    it.

    Args:
        module: Name of the module, such as "my_tools.web".
        attribute: Name in the module, with dots for attributes of attributes.

    Raises:
        Exception: Raised by the import of the module. AttributeError if the module has no such object.
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
    """Return what an imported name stands for: the result of calling a factory, or any other object unchanged.

    A factory is a class of one of the kinds, or a function annotated to return objects of a kind. Any other callable is
    returned uncalled, so that a name in settings cannot call arbitrary functions (`os:abort`).

    Raises:
        Exception: Raised by the factory.
    """
    return found() if makes_object(found, kinds) else found


def makes_object(found: Any, kinds: tuple[type, ...]) -> bool:
    """Report whether an object is a factory: a class of one of the kinds, or a function annotated to return them."""
    if isinstance(found, type):
        return issubclass(found, kinds)
    return inspect.isfunction(found) and _tells_kind(_read_return(found), kinds)


def _read_return(function: Any) -> Any:
    """Return the return annotation of a function, or None if missing or unresolvable."""
    try:
        return get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):  # annotations that only type checkers can follow
        return None


def _tells_kind(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Report whether a return annotation is a class of one of the kinds, or a list or tuple of these.

    With the kind `BaseTool`, `list[BaseTool]` is one, and `int` is not.
    """
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        inner = [part for part in get_args(annotation) if part is not ...]
        return bool(inner) and all(_tells_kind(part, kinds) for part in inner)
    return isinstance(annotation, type) and issubclass(annotation, kinds)
