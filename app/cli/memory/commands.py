"""The commands over what is remembered: procedures, plans, wishes and standing questions."""

from typing import Annotated

import typer

from weiwo.app.cli.options import Json, Procedures, context_of, question_of
from weiwo.app.cli.text_parameters import TextCommand, TextGroup

memories = typer.Typer()
plans = typer.Typer(help="List, show, pin and forget the plans that are remembered.", cls=TextGroup)
memories.add_typer(plans, name="plans")

Key = Annotated[str, typer.Argument(metavar="KEY", help="As the list has it; its beginning will do.")]


@memories.command(cls=TextCommand)
def procedures(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="Show which it would recall, and their steps.")
    ] = None,
    *,
    folder: Procedures = None,
    json: Json = False,
) -> None:
    """List the procedures that plans are made by, or those that a question calls for."""
    from weiwo.app.cli.memory.procedures import procedures_command  # noqa: PLC0415 - heavy

    text = question_of(question) if question else ""
    raise typer.Exit(procedures_command(text, context_of(procedures=folder), as_json=json))


@plans.callback(invoke_without_command=True)
def list_plans(context: typer.Context, *, json: Json = False) -> None:
    """List, show, pin and forget the plans that are remembered."""
    if context.invoked_subcommand is None:
        from weiwo.app.cli.memory.plans import list_command  # noqa: PLC0415 - heavy

        list_command(as_json=json)


@plans.command(cls=TextCommand)
def show(key: Key, *, json: Json = False) -> None:
    """Show a remembered plan: its wording, tasks, and how it fared."""
    from weiwo.app.cli.memory.plans import show_command  # noqa: PLC0415 - heavy

    show_command(key, as_json=json)


@plans.command(cls=TextCommand)
def pin(
    key: Key, *, undo: Annotated[bool, typer.Option("--undo", help="Unpin it.")] = False, json: Json = False
) -> None:
    """Keep a plan, and use it for questions of its wording whatever happens."""
    from weiwo.app.cli.memory.plans import pin_command  # noqa: PLC0415 - heavy

    pin_command(key, pinned=not undo, as_json=json)


@plans.command(cls=TextCommand)
def forget(
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="As the list has it.")] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Forget them all.")] = False,
    json: Json = False,
) -> None:
    """Forget a plan, or all of them."""
    from weiwo.app.cli.memory.plans import forget_command  # noqa: PLC0415 - heavy

    forget_command(key, everything=everything, as_json=json)
