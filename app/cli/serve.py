"""`weiwo serve`: listens until Ctrl-C; runs that are under way then go on at the next start."""

import asyncio
import logging
import re
import webbrowser
from typing import Annotated

import typer

from weiwo.app.cli.errors import USAGE, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint, say, write
from weiwo.app.cli.text_parameters import TextCommand
from weiwo.app.server.access.auth import new_token
from weiwo.app.server.errors import RequestError
from weiwo.app.server.serve import ServeError
from weiwo.app.server.serve import serve as run_server
from weiwo.app.server.storage.records import Records
from weiwo.graph.persistence.storage import StorageError
from weiwo.state.settings import Settings

app = typer.Typer()
_USER = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


@app.command(cls=TextCommand)
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
    if new_token is not None:
        _print_token(new_token)
        return
    logging.basicConfig(level=logging.WARNING, format="weiwo: %(message)s")
    tasks = set()

    def started(address: str, token: str) -> None:
        hint(f"Weiwo on {address}; Ctrl-C ends it")
        if token:
            say(f"the operator's token, shown this once: {token}")
        if open_page:
            opening = asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)
            tasks.add(opening)

    try:
        run_to_end(run_server(host, port, started=started))
    except (ServeError, RequestError) as error:
        raise CommandError(str(error), USAGE) from None
    except StorageError as error:
        raise CommandError(str(error)) from None


def _print_token(user: str) -> None:
    """Make a user's token, in place of any earlier one, and print it.

    Raises:
        UsageError: That is no name of a user.
    """
    if not _USER.fullmatch(user):
        raise UsageError(
            f"--new-token {user[:60]!a}; a name is up to 64 small letters, digits and . _ @ -; yours is operator"
        )

    async def make() -> str:
        async with Records.open(Settings.resolve().home) as records:
            return await new_token(records, user)

    write(f"{run_to_end(make())}\n")
