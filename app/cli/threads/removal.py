"""`weiwo threads remove`: deletes threads with checkpoints, records and remembered answers."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.memory.wishes import forget_bad_answer
from weiwo.app.cli.options import Json, checked_thread_id
from weiwo.app.cli.output import hint, write_json
from weiwo.app.cli.questions.delivery import remember_files
from weiwo.app.cli.session import database_url, run_in_session
from weiwo.app.errors import unknown_thread
from weiwo.app.records import Records
from weiwo.app.session.session import Session
from weiwo.graph.persistence.thread_lock import (
    RECORDS_FILE,
    ForeignThreadError,
    ThreadBusyError,
    claim_thread,
    require_own_thread,
)
from weiwo.graph.persistence.threads import thread_exists

app = typer.Typer()


@app.command(cls=PanelCommand)
def remove(
    threads: Annotated[list[str], typer.Argument(metavar="THREAD...", help="As shown in the list.")],
    *,
    json: Json = False,
) -> None:
    """Remove threads and all related data permanently."""
    names = [checked_thread_id(thread) for thread in threads]
    try:
        run_in_session(lambda session: _remove(session, names))
    except (ThreadBusyError, ForeignThreadError) as error:
        raise CommandError(str(error)) from None
    for name in names:
        remember_files(name, ())
        forget_bad_answer(thread_id=name)
    write_json({"removed": names}) if json else hint(f"removed {', '.join(names)}")


async def _remove(session: Session, names: Sequence[str]) -> None:
    """Remove threads and the server's records of the threads.

    Raises:
        MisuseError: There is no such thread. In this case no thread is removed.
        ThreadBusyError: A run is at work on a thread.
        ForeignThreadError: A thread belongs to a client of the server.
    """
    home = session.settings.home
    for name in names:
        if not await thread_exists(session.saver, name):
            raise unknown_thread(name)
    for name in names:
        await asyncio.to_thread(require_own_thread, home, name)
        async with claim_thread(session.settings, name, database_url(), session.saver):
            await session.saver.adelete_thread(name)
            if (Path(home) / RECORDS_FILE).exists():
                async with Records.open(home) as records:
                    await records.delete_thread(name)
