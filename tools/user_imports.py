"""Import of objects of the user's own modules, by name. Nothing is called that does not say it makes what is sought."""

import importlib
import inspect
import os
import sys
from collections.abc import Sequence
from typing import Any, get_args, get_origin, get_type_hints


def import_object(module: str, attribute: str) -> Any:
    """Import what somebody named, from where Python looks and, after that, from the working directory.

    A command that is installed, unlike `python -m`, does not look there by itself.

    Raises:
        Exception: Whatever the import of the module raises; AttributeError: it has no such object.
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
    """What was imported, or what it makes: a class of one of the kinds, or a function annotated to return some.

    Any other callable is given back uncalled: whoever may name an object may not call it (`os:abort`).

    Raises:
        Exception: Whatever the function raises.
    """
    return found() if makes_object(found, kinds) else found


def makes_object(found: Any, kinds: tuple[type, ...]) -> bool:
    """Whether what was imported makes an object: a class of a kind, or a function annotated to return some."""
    if isinstance(found, type):
        return issubclass(found, kinds)
    return inspect.isfunction(found) and _tells_kind(_read_return(found), kinds)


def _read_return(function: Any) -> Any:
    """What a function is annotated to return, if that can be told."""
    try:
        return get_type_hints(function).get("return")
    except (NameError, TypeError, AttributeError):  # annotations that only type checkers can follow
        return None


def _tells_kind(annotation: Any, kinds: tuple[type, ...]) -> bool:
    """Whether an annotation is one of the kinds, or a list or tuple of them."""
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        inner = [part for part in get_args(annotation) if part is not ...]
        return bool(inner) and all(_tells_kind(part, kinds) for part in inner)
    return isinstance(annotation, type) and issubclass(annotation, kinds)
