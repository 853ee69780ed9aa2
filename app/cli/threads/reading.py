"""`weiwo threads` and `weiwo show`: what the database knows, read without LangGraph where that can be."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import hint, is_terminal, screen, terminal, write, write_json
from weiwo.app.cli.session import database_url
from weiwo.app.errors import unknown_thread
from weiwo.state.home import home

if TYPE_CHECKING:
    from weiwo.app.cli.threads import checkpoints
    from weiwo.app.session.session import Session
    from weiwo.app.session.thread import Thread
    from weiwo.graph.persistence.threads import ThreadInfo

T = TypeVar("T")


def threads_command(limit: int, *, as_json: bool) -> None:
    """List threads."""
    from weiwo.app.cli.threads import thread_list  # noqa: PLC0415 - for this command alone

    threads = _list_threads(limit)
    if as_json:
        write_json(thread_list.as_json(threads))
    elif is_terminal():
        thread_list.print_threads(terminal(), threads)
    else:
        write(thread_list.plain_threads(threads))
    if not threads and not as_json:
        hint("there are no threads yet; weiwo ask begins one")


def history_command(thread_id: str, *, as_json: bool) -> None:
    """List the checkpoints of a thread."""
    from weiwo.app.cli.threads import checkpoints  # noqa: PLC0415 - heavy

    async def work(session: "Session") -> "list[checkpoints.Moment]":
        return await checkpoints.history(session, thread_id)

    moments = run_in_session(work)
    if as_json:
        write_json(checkpoints.as_json(thread_id, moments))
    elif is_terminal():
        checkpoints.print_history(terminal(), moments)
    else:
        write(checkpoints.plain_history(moments))
    if not as_json:
        hint(f"go on from one of them: weiwo ask --from {thread_id}@CHECKPOINT [--set TASK=VALUE] [--plan FILE]")


def show_command(
    thread_id: str,
    checkpoint: str | None = None,
    *,
    as_json: bool,
    mermaid: bool,
    questions: bool = False,
    files: Sequence[Path] = (),
) -> None:
    """Show one thread, as it is or as it was at a checkpoint; or write its answer to files."""
    from weiwo.app.cli.threads import show  # noqa: PLC0415 - for this command alone
    from weiwo.app.session.thread import thread_as_json  # noqa: PLC0415 - the same

    thread = load_thread(thread_id) if checkpoint is None else _load_moment(thread_id, checkpoint)
    plan = thread.values.get("plan")
    if files:
        _write_files(thread_as_json(thread), files, as_json=as_json)
    elif mermaid or questions:
        if plan is None:
            raise CommandError(f"thread {thread_id}; its question needed no plan; weiwo show {thread_id} tells more")
        write((plan.to_mermaid() if mermaid else show.question_graph(thread)) + "\n")
    elif as_json:
        write_json(thread_as_json(thread))
    else:
        show.print_thread(screen(), thread)


def _write_files(told: "dict[str, Any]", files: Sequence[Path], *, as_json: bool) -> None:
    """Write the answer of a thread to files.

    Raises:
        CommandError: There is none, or a file could not be written.
    """
    from weiwo.app.cli.questions.output_files import tell_files, write_files  # noqa: PLC0415 - upon need

    if "answer" not in told:
        name = told["thread_id"]
        raise CommandError(f"thread {name}; it has no answer yet to write to a file; weiwo resume {name} finishes it")
    told.pop("revisions", None)
    result, complaints = write_files(told, files)
    if as_json:
        write_json(result)
    if code := tell_files(result, complaints, as_json=as_json):
        raise typer.Exit(code)


def is_thread_known(thread_id: str) -> bool:
    """Whether the thread is known to be there already; a database elsewhere is not asked."""
    from weiwo.graph.persistence.checkpoint_reader import saved_thread_exists  # noqa: PLC0415 - upon need

    return read_saved(lambda file: saved_thread_exists(file, thread_id)) is not False


async def find_moment(session: "Session", thread_id: str | None, prefix: str) -> tuple[str, str]:
    """The thread and checkpoint that a person named.

    Raises:
        UsageError: There is no such thread, or no one such checkpoint.
    """
    from weiwo.graph.persistence.threads import find_checkpoint, thread_exists  # noqa: PLC0415 - upon need

    if thread_id is not None and not await thread_exists(session.saver, thread_id):
        raise unknown_thread(thread_id)
    try:
        return await find_checkpoint(session.saver, prefix, thread_id)
    except ValueError as error:
        raise UsageError(str(error)) from None


def saved_file() -> Path | None:
    """The file that threads are kept in; None where they are kept in a database elsewhere."""
    from weiwo.graph.persistence.storage import database_file  # noqa: PLC0415 - upon need

    return None if database_url() else database_file(home())


def read_saved(read: Callable[[Path], T]) -> T | None:
    """What a function reads in the file of threads; None where LangGraph has to read them.

    Raises:
        CommandError: The file cannot be read.
    """
    from weiwo.graph.persistence.checkpoint_reader import UnreadableCheckpointError  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.storage import StorageError  # noqa: PLC0415 - upon need

    try:
        return None if (file := saved_file()) is None else read(file)
    except UnreadableCheckpointError:
        return None
    except StorageError as error:
        raise CommandError(str(error)) from error


def run_in_session(work: "Callable[[Session], Coroutine[Any, Any, T]]") -> T:
    """Open the database and the graph to look at something; stopped, it leaves nothing behind."""
    from weiwo.app.cli.event_loop import run_to_end  # noqa: PLC0415 - heavy
    from weiwo.app.cli.session import open_session  # noqa: PLC0415 - kept with its use

    async def inside() -> T:
        async with open_session(reading=True) as session:
            return await work(session)

    return run_to_end(inside())


def _list_threads(limit: int) -> "list[ThreadInfo]":
    from weiwo.graph.persistence.checkpoint_reader import list_saved_threads  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.threads import list_threads  # noqa: PLC0415 - upon need

    if (found := read_saved(lambda file: list_saved_threads(file, limit))) is not None:
        return found

    async def work(session: "Session") -> "list[ThreadInfo]":
        return await list_threads(session.saver, limit)

    return run_in_session(work)


def load_thread(thread_id: str) -> "Thread":
    """A thread as its newest checkpoint has it.

    Raises:
        MisuseError: There is no such thread.
        CommandError: The database cannot be read.
    """
    from weiwo.app.session.thread import Thread, read_thread  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.checkpoint_reader import read_finished_thread  # noqa: PLC0415 - upon need

    def read(file: Path) -> "Thread":
        if (values := read_finished_thread(file, thread_id)) is None:
            raise unknown_thread(thread_id)
        return Thread(thread_id, values, (), {})

    if (found := read_saved(read)) is not None:
        return found

    async def work(session: "Session") -> "Thread":
        return await read_thread(session, thread_id)

    return run_in_session(work)


def _load_moment(thread_id: str, checkpoint: str) -> "Thread":
    from weiwo.app.cli.threads import checkpoints  # noqa: PLC0415 - heavy

    async def work(session: "Session") -> "Thread":
        return await checkpoints.load(session, *await find_moment(session, thread_id, checkpoint))

    return run_in_session(work)
