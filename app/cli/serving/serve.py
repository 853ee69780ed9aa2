"""`weiwo serve`: listens until Ctrl-C; runs that are under way then go on at the next start."""

import asyncio
import logging
import re
import webbrowser

from weiwo.app.cli.errors import USAGE, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint, say
from weiwo.app.server.access.auth import new_token
from weiwo.app.server.errors import RequestError
from weiwo.app.server.serve import ServeError, serve
from weiwo.app.server.storage.records import Records
from weiwo.graph.persistence.storage import StorageError
from weiwo.state.settings import Settings

_USER = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


def serve_command(host: str, port: int, *, open_page: bool) -> int:
    """Serve; returns the exit code.

    Args:
        host: The address to listen on.
        port: The port; 0: any.
        open_page: Open the page in a browser.

    Raises:
        CommandError: It cannot start.
    """
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
        run_to_end(serve(host, port, started=started))
    except (ServeError, RequestError) as error:
        raise CommandError(str(error), USAGE) from None
    except StorageError as error:
        raise CommandError(str(error)) from None
    return 0


def token_command(user: str) -> int:
    """Make a user's token, in place of any earlier one, and print it; returns the exit code.

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

    print(run_to_end(make()))  # noqa: T201 - what was asked for, once
    return 0
