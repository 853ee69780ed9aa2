"""The command that serves."""

from typing import Annotated

import typer

from weiwo.app.cli.text_parameters import TextCommand

serving = typer.Typer()


@serving.command(cls=TextCommand)
def serve(
    *,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0: any.")] = 8300,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    new_token: Annotated[
        str | None,
        typer.Option("--new-token", metavar="USER", help="Make that user's login token, print it once, and exit."),
    ] = None,
) -> None:
    """Serve the page, LangGraph's API, and OpenAI's, on this machine."""
    from weiwo.app.cli.serving.serve import serve_command, token_command  # noqa: PLC0415 - heavy

    raise typer.Exit(
        token_command(new_token) if new_token is not None else serve_command(host, port, open_page=open_page)
    )
