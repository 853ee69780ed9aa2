"""The group `weiwo memory`: what a user said holds for all their questions is listed; its commands come when named."""

from typing import ClassVar

import typer

from weiwo.app.cli.command_group import LazyGroup, Place
from weiwo.app.cli.memory.access import print_entries, with_memory, word
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, write_json
from weiwo.app.render.labels import system_language
from weiwo.app.session.memory_listing import describe_left_watches, wish_as_json
from weiwo.nodes.memory import wishes
from weiwo.nodes.memory.memory_store import MemoryStore


class _MemoryGroup(LazyGroup):
    """Commands on what is remembered."""

    places: ClassVar = {
        "add": Place("memory.wishes", "Remember something for all later questions."),
        "forget": Place("memory.wishes", "Forget one of your wishes, or all."),
        "answers": Place("memory.wishes", "List the earlier answers that are given again, or forget them."),
        "plans": Place("memory.plans", "List, show, pin and forget the plans that are remembered."),
        "procedures": Place(
            "memory.procedures", "List the procedures that plans are made by, or those a question calls for."
        ),
    }


app = typer.Typer()
_memory = typer.Typer(help="What is remembered: wishes, answers, plans, procedures.", cls=_MemoryGroup)
app.add_typer(_memory, name="memory")


@_memory.callback(invoke_without_command=True)
def list_wishes(context: typer.Context, *, json: Json = False) -> None:
    """What is remembered: wishes, answers, plans, procedures."""
    if context.invoked_subcommand is not None:
        return

    async def read(memory: MemoryStore) -> tuple[list[dict[str, str]], str]:
        found = [wish_as_json(one) for one in await wishes.list_wishes(memory)]
        return found, await describe_left_watches(memory, system_language())

    found, left = with_memory(read)
    if left:
        hint(left)
    if json:
        write_json({"memory": found})
        return
    entries = [(one["key"], one["text"], one["since"]) for one in found]
    print_entries(entries, word("no_wishes"), indent=10)
