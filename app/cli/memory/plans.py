"""`weiwo memory plans`: the plans that are remembered, listed, shown, pinned and forgotten."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from rich.text import Text

from weiwo.app.cli.memory.access import (
    AnyKey,
    Everything,
    Key,
    find_key,
    forget_command,
    print_entries,
    tell,
    with_memory,
    word,
)
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, page, write_json
from weiwo.app.cli.text_parameters import TextCommand, TextGroup
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.memory_listing import plan_as_json
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.reuse import PlanTemplate, list_templates, mark_bad, set_pinned
from weiwo.state.plan import Plan
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

app = typer.Typer()
_plans = typer.Typer(help="List, show, pin and forget the plans that are remembered.", cls=TextGroup)
app.add_typer(_plans, name="plans")

_LISTING: Final = "weiwo memory plans"
_WORDS: Final = localized_section("cli.plans")


@_plans.callback(invoke_without_command=True)
def _list_plans(context: typer.Context, *, json: Json = False) -> None:
    """List, show, pin and forget the plans that are remembered."""
    if context.invoked_subcommand is not None:
        return
    found = with_memory(list_templates)
    if json:
        write_json({"plans": [plan_as_json(one) for one in found]})
        return
    entries = [(one.key, one.wording, _fared(one)) for one in found]
    print_entries(entries, word("no_plans"), indent=14)


@_plans.command(cls=TextCommand)
def show(key: Key, *, json: Json = False) -> None:
    """Show a remembered plan: its wording, tasks, and how it fared."""
    one = with_memory(lambda memory: _find(memory, key))
    if json:
        write_json(plan_as_json(one))
        return
    console = page()
    console.print(Flow(Text(one.key, "bold").append(f"  {one_line(one.wording, 400)}", "not bold"), indent=14))
    for task in Plan.from_json(one.plan).tasks:
        args = ", ".join(f"{name}: {value}" for name, value in task.args.items())
        call = f"{task.id}: {task.description} · {task.tool}({args}) → {task.ret}"
        console.print(Flow(Text(f"  {one_line(call, 600)}"), indent=4))
    console.print(Flow(Text(f"  {_fared(one)} · {one.model_calls} model calls · {one.seconds} s", "dim"), indent=4))


@_plans.command(cls=TextCommand)
def pin(
    key: Key, *, undo: Annotated[bool, typer.Option("--undo", help="Unpin it.")] = False, json: Json = False
) -> None:
    """Keep a plan, and use it for questions of its wording whatever happens."""

    async def work(memory: MemoryStore) -> PlanTemplate:
        one = await _find(memory, key)
        await set_pinned(memory, one, pinned=not undo)
        return await _find(memory, one.key)

    one = with_memory(work)
    done = word("pinned" if one.pinned else "unpinned", one.key)
    tell({"key": one.key, "pinned": one.pinned}, done, as_json=json)


@_plans.command(cls=TextCommand)
def forget(key: AnyKey = None, *, everything: Everything = False, json: Json = False) -> None:
    """Forget a plan, or all of them."""
    forget_command(("plans",), key, _LISTING, everything=everything, as_json=json)


def mark_run_bad(run: str) -> None:
    """Use the plan of a run no more, since its answer was bad."""
    if with_memory(lambda memory: mark_bad(memory, run)):
        hint(word("bad_plan"))


async def _find(memory: MemoryStore, key: str) -> PlanTemplate:
    known = {one.key: one for one in await list_templates(memory)}
    return known[find_key(list(known), key, _LISTING)]


def _fared(one: PlanTemplate) -> str:
    words = _WORDS[one.language]
    day = datetime.fromtimestamp(one.at, UTC).date().isoformat()
    parts = [words["fared"].format(one.wins, one.losses), words["last"].format(day)]
    parts += [words["pinned"]] if one.pinned else []
    return " · ".join([*parts, words["bad"]] if one.bad else parts)
