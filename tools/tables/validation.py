"""Validation of a request: the names and values in it held against the tables, with the nearest where one is wrong."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Any, Final

from weiwo.tools.printable import one_line
from weiwo.tools.tables.columns import fold_value

_SHOWN: Final = 12
_LONGEST: Final = 400


class RequestError(ValueError):
    """A request that cannot be run. The message is one line: what is wrong, and what there is."""


def find_name(wanted: str, names: Sequence[str], what: str) -> int:
    """The place of a name among names, compared without case, width, blanks and marks.

    Raises:
        RequestError: There is none, or several; the nearest are named.
    """
    keys = [_key(name) for name in names]
    if keys.count(_key(wanted)) == 1:
        return keys.index(_key(wanted))
    exact = [at for at, name in enumerate(names) if name == wanted]
    if len(exact) == 1:
        return exact[0]
    near = sorted(range(len(names)), key=lambda at: -SequenceMatcher(None, _key(wanted)[:100], keys[at][:100]).ratio())
    nearest = f"; the nearest is `{names[near[0]]}`" if near else ""
    raise RequestError(one_line(f"no {what} `{wanted}`{nearest}. There are: {_list_names(names)}", _LONGEST))


def _list_names(names: Iterable[str]) -> str:
    """Some names in one line."""
    known = list(names)
    more = f", … ({len(known)} in all)" if len(known) > _SHOWN else ""
    return ", ".join(known[:_SHOWN]) + more


def unknown_value(column: str, value: str, known: Sequence[Any]) -> RequestError:
    """The error of a value that no row has: the nearest, or all where they are few."""
    texts = [str(one) for one in known]
    near = get_close_matches(fold_value(value), texts[:5_000], 5, 0.5) if len(texts) > _SHOWN else texts
    has = f"`{column}` has: {_list_names(near)}" if near else f"`{column}` has {len(texts):,} other values"
    return RequestError(one_line(f"no row has `{column}` = '{value}'; {has}", _LONGEST))


def _key(name: str) -> str:
    return "".join(c for c in fold_value(name) if c.isalnum())
