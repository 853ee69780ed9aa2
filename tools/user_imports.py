"""Import of objects of the user's own modules, by name."""

import importlib
import os
import sys
from typing import Any


def import_object(module: str, attribute: str) -> Any:
    """Import what somebody named, from where Python looks and, after that, from the working directory.

    A command that is installed, unlike `python -m`, does not look there by itself.

    Args:
        module: The module.
        attribute: The object in it; dots lead further in.

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
