"""The commands over what is remembered: procedures, plans and wishes."""

from typing import Annotated, Any

import typer

from weiwo.app.cli.arguments import question_of
from weiwo.app.cli.options import Json, takes_context
from weiwo.app.cli.text_parameters import TextCommand, TextGroup

memories = typer.Typer()
plans = typer.Typer(help="List, show, pin and forget the plans that are remembered.", cls=TextGroup)
memories.add_typer(plans, name="plans")
wishes = typer.Typer(help="List, add and forget what you said holds for all your questions.", cls=TextGroup)
memories.add_typer(wishes, name="memory")

Key = Annotated[str, typer.Argument(metavar="KEY", help="As the list has it; its beginning will do.")]
AnyKey = Annotated[str | None, typer.Argument(metavar="KEY", help="As the list has it; its beginning will do.")]
Everything = Annotated[bool, typer.Option("--all", help="Forget them all.")]


@memories.command(cls=TextCommand)
@takes_context("procedures")
def procedures(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="Show which it would recall, and their steps.")
    ] = None,
    *,
    json: Json = False,
    context: Any,
) -> None:
    """List the procedures that plans are made by, or those that a question calls for."""
    from weiwo.app.cli.memory.procedures import procedures_command  # noqa: PLC0415 - heavy

    text = question_of(question) if question else ""
    raise typer.Exit(procedures_command(text, context, as_json=json))


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
    key: AnyKey = None,
    *,
    everything: Everything = False,
    json: Json = False,
) -> None:
    """Forget a plan, or all of them."""
    from weiwo.app.cli.memory.access import forget_command  # noqa: PLC0415 - heavy

    forget_command(("plans",), key, "weiwo plans", everything=everything, as_json=json)


@wishes.callback(invoke_without_command=True)
def list_wishes(context: typer.Context, *, json: Json = False) -> None:
    """List, add and forget what you said holds for all your questions."""
    if context.invoked_subcommand is None:
        from weiwo.app.cli.memory.wishes import list_command  # noqa: PLC0415 - heavy

        list_command(as_json=json)


@wishes.command("add", cls=TextCommand)
def add_wish(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help='Such as "I work in euros".')],
    *,
    json: Json = False,
) -> None:
    """Remember something for all later questions."""
    from weiwo.app.cli.memory.wishes import add_command  # noqa: PLC0415 - heavy

    add_command(" ".join(words), as_json=json)


@wishes.command("answers", cls=TextCommand)
def list_answers(
    *,
    forget: Annotated[bool, typer.Option("--forget", help="Forget them all.")] = False,
    json: Json = False,
) -> None:
    """List the earlier answers that are given again, or forget them."""
    from weiwo.app.cli.memory import answers as work  # noqa: PLC0415 - heavy

    if forget:
        work.forget_answers_command(as_json=json)
    else:
        work.list_answers_command(as_json=json)


@wishes.command("forget", cls=TextCommand)
def forget_wish(
    key: AnyKey = None,
    *,
    everything: Everything = False,
    json: Json = False,
) -> None:
    """Forget one of them, or all."""
    from weiwo.app.cli.memory.access import forget_command  # noqa: PLC0415 - heavy

    forget_command(("wishes", "watches"), key, "weiwo memory", everything=everything, as_json=json)
