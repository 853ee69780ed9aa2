"""The commands over what is remembered: procedures, plans, wishes and standing questions."""

from typing import Annotated

import typer

from weiwo.app.cli.options import Json, Procedures, context_of, question_of
from weiwo.app.cli.text_parameters import TextCommand

memories = typer.Typer()


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
