"""Access of a command to the memory of the local user, with printing and deletion of entries."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint, page, write_json
from weiwo.app.cli.session import database_url
from weiwo.app.render.labels import in_system_language
from weiwo.app.render.text_wrapping import Flow
from weiwo.graph.persistence.store import open_store
from weiwo.nodes.memory.memory_store import Kind, MemoryStore, local_user
from weiwo.state.settings import Settings
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

T = TypeVar("T")

Key = Annotated[str, typer.Argument(metavar="KEY", help="As shown in the list, or its first characters.")]
AnyKey = Annotated[str | None, typer.Argument(metavar="KEY", help="As shown in the list, or its first characters.")]
Everything = Annotated[bool, typer.Option("--all", help="Forget all.")]

word: Final = in_system_language(localized_section("cli.memory"))
"""Return a phrase by its name, with the values filled in."""


def with_memory(work: Callable[[MemoryStore], Awaitable[T]]) -> T:
    """Open the memory, call a function with it, close it, and return the function's result.

    Raises:
        CommandError: The memory cannot be used.
    """
    settings = Settings.resolve()

    async def inside() -> T:
        async with open_store(settings, database_url(), hint) as store:
            if store is None:
                raise CommandError(word("no_store"))
            return await work(MemoryStore(store, local_user(settings)))

    return run_to_end(inside())


def find_key(keys: list[str], given: str, listing: str) -> str:
    """Return the only key that begins with the given text.

    Args:
        keys: All keys.
        given: The beginning of a key.
        listing: The command that lists the keys, named in the error.

    Raises:
        UsageError: No key or several keys begin like this.
    """
    found = [key for key in keys if given and key.startswith(given)]
    if len(found) != 1:
        raise UsageError(word("several", given) if found else word("no_key", given, listing))
    return found[0]


def forget(kinds: Sequence[Kind], key: str | None, listing: str) -> list[str]:
    """Delete the entry with a key prefix, or all entries of given kinds, and return the deleted keys.

    Args:
        kinds: The kinds.
        key: The prefix of the key. None deletes all.
        listing: The command that lists the keys there are.

    Raises:
        UsageError: No key or several keys have the prefix.
    """

    async def work(memory: MemoryStore) -> list[str]:
        known = {entry.key: kind for kind in kinds for entry in await memory.list(kind)}
        gone = list(known) if key is None else [find_key(list(known), key, listing)]
        for item in gone:
            await memory.delete(known[item], item)
        return gone

    return with_memory(work)


def forget_command(kinds: Sequence[Kind], key: str | None, listing: str, *, everything: bool, as_json: bool) -> None:
    """Delete entries as by `forget`, and print the deleted keys.

    Raises:
        UsageError: Neither a key nor `everything` was given, or both, or not exactly one key has the prefix.
    """
    if (key is None) is not everything:
        raise UsageError(word("key_or_all", listing.removeprefix("weiwo ")))
    gone = forget(kinds, key, listing)
    told = word("forgotten", ", ".join(gone)) if gone else word("none_forgotten")
    tell({"forgotten": gone}, told, as_json=as_json)


def tell(value: dict[str, Any], line: str, *, as_json: bool) -> None:
    """Print the result of an action, as a JSON object or on a line."""
    if as_json:
        write_json(value)
    else:
        hint(line)


def print_entries(entries: Sequence[tuple[str, str, str]], none: str, *, indent: int) -> None:
    """Print memory entries, each on a line: key, text, and further details.

    Args:
        entries: The key, text and details of each entry.
        none: The message if there are no entries.
        indent: Indentation of the further lines of an entry.
    """
    console = page()
    for key, words, more in entries:
        line = Text(key, "bold").append(f"  {one_line(words, 500)}", "not bold")
        console.print(Flow(line.append(f"  {more}", "dim"), indent=indent))
    if not entries:
        hint(none)
