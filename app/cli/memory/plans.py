"""`weiwo memory plans`: lists, shows, pins and deletes remembered plans."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from rich.text import Text

from weiwo.app.cli.help_command import PanelCommand, PanelGroup
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
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.memory_listing import plan_as_json
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.memory.reuse import PlanTemplate, list_templates, mark_bad, set_pinned
from weiwo.state.plan import Plan
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

app = typer.Typer()
_plans = typer.Typer(help="List, show, pin and forget remembered plans.", cls=PanelGroup)
app.add_typer(_plans, name="plans")

_LISTING: Final = "weiwo memory plans"
_WORDS: Final = localized_section("cli.plans")


@_plans.callback(invoke_without_command=True)
def _list_plans(context: typer.Context, *, json: Json = False) -> None:
    """List, show, pin and forget remembered plans."""
    if context.invoked_subcommand is not None:
        return
    found = with_memory(list_templates)
    if json:
        write_json({"plans": [plan_as_json(item) for item in found]})
        return
    entries = [(item.key, item.wording, _describe_record(item)) for item in found]
    print_entries(entries, word("no_plans"), indent=14)


@_plans.command(cls=PanelCommand)
def show(key: Key, *, json: Json = False) -> None:
    """Show a remembered plan: wording, tasks and results of past use."""
    template = with_memory(lambda memory: _find(memory, key))
    if json:
        write_json(plan_as_json(template))
        return
    console = page()
    console.print(
        Flow(Text(template.key, "bold").append(f"  {one_line(template.wording, 400)}", "not bold"), indent=14)
    )
    for task in Plan.from_json(template.plan).tasks:
        args = ", ".join(f"{name}: {value}" for name, value in task.args.items())
        call = f"{task.id}: {task.description} · {task.tool}({args}) → {task.ret}"
        console.print(Flow(Text(f"  {one_line(call, 600)}"), indent=4))
    console.print(
        Flow(
            Text(f"  {_describe_record(template)} · {template.model_calls} model calls · {template.seconds} s", "dim"),
            indent=4,
        )
    )


@_plans.command(cls=PanelCommand)
def pin(
    key: Key, *, undo: Annotated[bool, typer.Option("--undo", help="Unpin it.")] = False, json: Json = False
) -> None:
    """Pin a plan for all questions of the same wording."""

    async def work(memory: MemoryStore) -> PlanTemplate:
        template = await _find(memory, key)
        await set_pinned(memory, template, pinned=not undo)
        return await _find(memory, template.key)

    entry = with_memory(work)
    done = word("pinned" if entry.pinned else "unpinned", entry.key)
    tell({"key": entry.key, "pinned": entry.pinned}, done, as_json=json)


@_plans.command(cls=PanelCommand)
def forget(key: AnyKey = None, *, everything: Everything = False, json: Json = False) -> None:
    """Forget a plan, or all plans."""
    forget_command(("plans",), key, _LISTING, everything=everything, as_json=json)


def mark_run_bad(run: str) -> None:
    """Stop reusing the plan of a run, because its answer was rated as bad."""
    if with_memory(lambda memory: mark_bad(memory, run)):
        hint(word("bad_plan"))


async def _find(memory: MemoryStore, key: str) -> PlanTemplate:
    known = {template.key: template for template in await list_templates(memory)}
    return known[find_key(list(known), key, _LISTING)]


def _describe_record(template: PlanTemplate) -> str:
    words = _WORDS[template.language]
    day = datetime.fromtimestamp(template.at, UTC).date().isoformat()
    parts = [words["fared"].format(template.wins, template.losses), words["last"].format(day)]
    parts += [words["pinned"]] if template.pinned else []
    return " · ".join([*parts, words["bad"]] if template.bad else parts)
