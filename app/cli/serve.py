"""`weiwo serve`: listens until Ctrl-C. Running runs continue at the next start."""

import asyncio
import logging
import os
import re
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from weiwo.app.cli.documents.connectors import keep_in_step
from weiwo.app.cli.errors import USAGE, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.output import hint, say, write
from weiwo.app.cli.threads.refresh import print_refreshed, refresh_threads
from weiwo.app.records import Records
from weiwo.app.server.access.auth import new_token
from weiwo.app.server.errors import RequestError
from weiwo.app.server.metrics import JsonFormatter
from weiwo.app.server.serve import ServeError
from weiwo.app.server.serve import serve as run_server
from weiwo.graph.persistence.storage import StorageError
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings

app = typer.Typer()
_LOG_FORMATS = ("text", "json")
_LOG_LEVELS = ("debug", "info", "warning", "error")
_USER = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


@app.command(cls=PanelCommand)
def serve(
    *,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0: any free port.")] = 8300,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    every: Annotated[
        float,
        typer.Option(
            "--every", metavar="HOURS", min=0, help="Refresh the operator's answers at this interval; 0: never."
        ),
    ] = 0,
    new_token: Annotated[
        str | None,
        typer.Option(
            "--new-token", metavar="USER", help="Create a login token for this user, print it once, and exit."
        ),
    ] = None,
) -> None:
    """Serve the page, LangGraph's API, and OpenAI's, on this machine."""
    if new_token is not None:
        _print_token(new_token)
        return
    _configure_log(os.environ)
    tasks: set[asyncio.Future[Any]] = set()

    def announce_start(address: str, token: str) -> None:
        hint(f"Weiwo on {address}; press Ctrl-C to stop")
        if token:
            say(f"the operator's token, shown only once: {token}")
        tasks.add(asyncio.ensure_future(keep_in_step(Path(Settings.resolve().home))))
        if every:
            tasks.add(asyncio.ensure_future(_refresh_every(every)))
        if open_page:
            opening = asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)
            tasks.add(opening)

    try:
        run_to_end(run_server(host, port, started=announce_start))
    except (ServeError, RequestError) as error:
        raise CommandError(str(error), USAGE) from None
    except StorageError as error:
        raise CommandError(str(error)) from None


async def _refresh_every(hours: float) -> None:
    """Refresh all answers of the operator at regular intervals. Failures are logged."""
    while True:
        await asyncio.sleep(3_600 * hours)
        try:
            done = await refresh_threads(())
        except WeiwoError as error:
            say(str(error))
            continue
        for item in done:
            if item["changes"]:
                print_refreshed(item)


def _configure_log(environment: Mapping[str, str]) -> None:
    """Configure standard error as the log: lines for people, or JSON with a line a run.

    Raises:
        UsageError: A variable has no such value.
    """
    form = environment.get("WEIWO_LOG_FORMAT", "").strip().lower() or "text"
    level = environment.get("WEIWO_LOG_LEVEL", "").strip().lower() or ("info" if form == "json" else "warning")
    if form not in _LOG_FORMATS:
        raise UsageError(f"WEIWO_LOG_FORMAT={form[:20]!a} is invalid; use one of {', '.join(_LOG_FORMATS)}")
    if level not in _LOG_LEVELS:
        raise UsageError(f"WEIWO_LOG_LEVEL={level[:20]!a} is invalid; use one of {', '.join(_LOG_LEVELS)}")
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter("weiwo: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("weiwo").setLevel(level.upper())


def _print_token(user: str) -> None:
    """Create a user's token, replacing any earlier token, and print the token.

    Raises:
        UsageError: The user name is invalid.
    """
    if not _USER.fullmatch(user):
        raise UsageError(
            f"--new-token {user[:60]!a} is not a valid user name; use up to 64 lower-case letters, digits "
            "and . _ @ -, or operator for your own token"
        )

    async def make() -> str:
        async with Records.open(Settings.resolve().home) as records:
            return await new_token(records, user)

    write(f"{run_to_end(make())}\n")
