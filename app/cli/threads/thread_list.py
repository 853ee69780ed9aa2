"""`weiwo threads`: threads listed for a terminal, a pipe and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

import typer

from weiwo.app.cli.lazy_group import CommandEntry, LazyGroup
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, is_terminal, terminal, write, write_json
from weiwo.app.cli.session import read_threads
from weiwo.graph.persistence.threads import ThreadInfo
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from rich.console import Console


class _ThreadGroup(LazyGroup):
    """Commands on threads."""

    places: ClassVar = {
        "remove": CommandEntry("weiwo.app.cli.threads.removal", "Remove threads and all related data permanently.")
    }


app = typer.Typer()
_threads = typer.Typer(help="List threads, latest change first, or remove threads.", cls=_ThreadGroup)
app.add_typer(_threads, name="threads")

_STYLES: Final = {
    "complete": "green",
    "extracts": "green",
    "partial": "yellow",
    "unsourced": "yellow",
    "failed": "red",
    "interrupted": "cyan",
    "waiting": "cyan",
}


@_threads.callback(invoke_without_command=True)
def list_threads(
    context: typer.Context,
    *,
    json: Json = False,
    limit: Annotated[int, typer.Option("-n", min=1, help="The maximum number of threads.")] = 20,
) -> None:
    """List threads, latest change first, or remove threads."""
    if context.invoked_subcommand is not None:
        return
    found = read_threads(limit)
    if json:
        write_json(_as_json(found))
    elif is_terminal():
        _print_threads(terminal(), found)
    else:
        write(_plain_threads(found))
    if not found and not json:
        hint("there are no threads yet; start one with weiwo ask")


def _print_threads(console: "Console", threads: Sequence[ThreadInfo]) -> None:
    """Print a list of threads, each on a line."""
    from rich.cells import set_cell_size  # noqa: PLC0415 - a pipe needs none
    from rich.text import Text  # noqa: PLC0415 - the same

    widest = max((len(thread.thread_id) for thread in threads), default=0)
    for item in threads:
        line = Text(f"{item.thread_id:<{widest}}  ", no_wrap=True, overflow="ellipsis")
        line.append(f"{item.updated.astimezone():%Y-%m-%d %H:%M}  ", "dim")
        line.append(f"{item.status:<11} ", _STYLES.get(item.status, ""))
        room = console.width - line.cell_len
        question = one_line(item.name or item.question, 500)
        if room >= 20:
            line.append(question)
            console.print(line, no_wrap=True, overflow="ellipsis")
        else:  # a narrow screen: the question on a line of its own
            console.print(line, no_wrap=True, overflow="ellipsis")
            console.print(Text(f"  {set_cell_size(question, console.width - 2).rstrip()}"))


def _plain_threads(threads: Sequence[ThreadInfo]) -> str:
    """Format threads for a pipe, a line each: id, time, status, and name or first question, separated by tabs."""
    return "".join(
        f"{thread.thread_id}\t{thread.updated.isoformat(timespec='seconds')}\t{thread.status}"
        f"\t{one_line(thread.name or thread.question, 8_000)}\n"
        for thread in threads
    )


def _as_json(threads: Sequence[ThreadInfo]) -> dict[str, Any]:
    """Return a list of threads as a single object."""
    return {
        "threads": [
            {
                "thread_id": thread.thread_id,
                "updated": thread.updated.isoformat(timespec="milliseconds"),
                "status": thread.status,
                "name": thread.name or thread.question,
                "question": thread.question,
            }
            for thread in threads
        ]
    }
