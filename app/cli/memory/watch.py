"""`weiwo watch`: standing questions, kept, listed, asked when they are due, and removed."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from weiwo.app.cli.errors import FAILED, CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.memory.access import forget, print_entries, tell, with_memory
from weiwo.app.cli.output import page, say, write_json
from weiwo.app.cli.questions.runs import ask, options_of
from weiwo.app.cli.session import open_session
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.render.watchers import Silent
from weiwo.graph.persistence.threads import new_thread_id
from weiwo.nodes.memory import watches
from weiwo.nodes.memory.memory_store import MemoryStore, local_user
from weiwo.state.settings import Context
from weiwo.tools.printable import one_line


def add_command(question: str, every: str, context: Context, *, as_json: bool) -> None:
    """Keep a question.

    Raises:
        UsageError: The interval is none.
    """
    try:
        watch = watches.Watch(question=question, every=watches.parse_interval(every), options=options_of(context))
        kept = with_memory(lambda memory: watches.add_watch(memory, watch))
    except watches.WatchError as error:
        raise UsageError(str(error)) from None
    done = f"kept as {kept.key}, every {every}; weiwo watch run asks what is due, such as from cron"
    tell(_as_json(kept), done, as_json=as_json)


def list_command(*, as_json: bool) -> None:
    """List the standing questions."""
    found = with_memory(watches.list_watches)
    if as_json:
        write_json({"watches": [_as_json(one) for one in found]})
        return
    entries = [(one.key, one.question, f"every {one.every / 3600:g} h · next {_moment(one)}") for one in found]
    print_entries(entries, 'no question is kept; weiwo watch "…" --every 1d keeps one', indent=10)


def remove_command(key: str, *, as_json: bool) -> None:
    """Remove one.

    Raises:
        UsageError: There is none of that key.
    """
    (gone,) = forget("watches", key, "weiwo watch list")
    tell({"removed": gone}, f"removed: {gone}", as_json=as_json)


def run_command(*, everything: bool, as_json: bool) -> int:
    """Ask what is due and tell what changed; returns the exit code: 1 if nothing could be asked.

    Raises:
        CommandError: The memory cannot be used.
    """
    runs = run_to_end(run_due_watches(everything=everything))
    if as_json:
        write_json({"runs": [_run_as_json(one) for one in runs]})
    else:
        _print(runs)
    return FAILED if runs and all(one.problem and not one.changes for one in runs) else 0


async def run_due_watches(*, everything: bool = False) -> list[watches.WatchRun]:
    """Ask the standing questions of this machine's user that are due, each on a thread of its own."""

    async def ask_one(watch: watches.Watch) -> Mapping[str, Any]:
        # Nobody is there to approve a plan, and what was kept is what is asked about.
        options = {**Context.model_validate_json(watch.options).model_dump(exclude_none=True), "fresh": True}
        context = Context(**{**options, "approve_plan": False})
        async with open_session(context) as session:
            ended = await ask(session, watch.question, new_thread_id(), context, Silent())
        if ended.request:
            raise CommandError(f"it waits for a person; go on with: weiwo resume {ended.thread_id}")
        return {**ended.result, "thread_id": ended.thread_id}

    async with open_session() as session:
        if session.store is None:
            raise CommandError("memory; its store cannot be used; see weiwo doctor")
        memory = MemoryStore(session.store, local_user(session.settings))
        return await watches.run_due(memory, ask_one, time.time(), everything=everything)


def _print(runs: list[watches.WatchRun]) -> None:
    console = page()
    for one in runs:
        if one.changes:
            console.print(Flow(Text(one_line(one.watch.question, 300), "bold")))
        for change in one.changes:
            console.print(Flow(Text(f"  {one_line(watches.describe_change(change), 1_500)}"), indent=4))
        if one.problem:
            say(f"{one.watch.question}: {one.problem}")


def _moment(watch: watches.Watch) -> str:
    return datetime.fromtimestamp(watch.last + watch.every, UTC).isoformat(" ", "minutes") if watch.last else "now"


def _as_json(watch: watches.Watch) -> dict[str, Any]:
    known = {asked: one.model_dump(mode="json") for asked, one in watch.values.items()}
    return {
        "key": watch.key,
        "question": watch.question,
        "every": watch.every,
        "last": watch.last,
        "thread_id": watch.thread_id,
        "values": known,
    }


def _run_as_json(one: watches.WatchRun) -> dict[str, Any]:
    changes = [change._asdict() | {"sources": list(change.sources)} for change in one.changes]
    return {"key": one.watch.key, "question": one.watch.question, "changes": changes, "problem": one.problem}
