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
        "remove": CommandEntry(
            "weiwo.app.cli.threads.removal", "Remove threads, with all that is kept of them, for good."
        )
    }


app = typer.Typer()
_threads = typer.Typer(help="List threads, the one that changed last first; remove some.", cls=_ThreadGroup)
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
    limit: Annotated[int, typer.Option("-n", min=1, help="How many at most.")] = 20,
) -> None:
    """List threads, the one that changed last first; remove some."""
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
        hint("there are no threads yet; weiwo ask begins one")


def _print_threads(console: "Console", threads: Sequence[ThreadInfo]) -> None:
    """Print a list of threads, one a line."""
    from rich.cells import set_cell_size  # noqa: PLC0415 - a pipe needs none
    from rich.text import Text  # noqa: PLC0415 - the same

    widest = max((len(one.thread_id) for one in threads), default=0)
    for one in threads:
        line = Text(f"{one.thread_id:<{widest}}  ", no_wrap=True, overflow="ellipsis")
        line.append(f"{one.updated.astimezone():%Y-%m-%d %H:%M}  ", "dim")
        line.append(f"{one.status:<11} ", _STYLES.get(one.status, ""))
        room = console.width - line.cell_len
        question = one_line(one.name or one.question, 500)
        if room >= 20:
            line.append(question)
            console.print(line, no_wrap=True, overflow="ellipsis")
        else:  # a narrow screen: the question on a line of its own
            console.print(line, no_wrap=True, overflow="ellipsis")
            console.print(Text(f"  {set_cell_size(question, console.width - 2).rstrip()}"))


def _plain_threads(threads: Sequence[ThreadInfo]) -> str:
    """A list of threads for a pipe: id, time, status and first question, parted by tabs."""
    return "".join(
        f"{one.thread_id}\t{one.updated.isoformat(timespec='seconds')}\t{one.status}"
        f"\t{one_line(one.name or one.question, 8_000)}\n"
        for one in threads
    )


def _as_json(threads: Sequence[ThreadInfo]) -> dict[str, Any]:
    """A list of threads as one object."""
    return {
        "threads": [
            {
                "thread_id": one.thread_id,
                "updated": one.updated.isoformat(timespec="milliseconds"),
                "status": one.status,
                "name": one.name or one.question,
                "question": one.question,
            }
            for one in threads
        ]
    }
