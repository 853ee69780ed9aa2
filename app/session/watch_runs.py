"""Runs of standing questions, by the command (cron) or by a server: one process at a time runs each."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from weiwo.app.errors import AppError
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.runs import ask, resume
from weiwo.app.session.session import Session
from weiwo.graph.persistence.thread_lock import ThreadBusyError, claimed
from weiwo.graph.persistence.threads import thread_exists
from weiwo.models.prices import require_prices
from weiwo.nodes.memory import watches
from weiwo.nodes.memory.memory_store import MemoryStore, local_user
from weiwo.state.settings import Context, Settings


async def run_due_watches(session: Session, *, everything: bool = False) -> list[watches.WatchRun]:
    """Ask the standing questions of this machine's user that are due, each on a thread of its own.

    Raises:
        AppError: The memory cannot be used.
    """
    if session.store is None:
        raise AppError("memory; its store cannot be used; see weiwo doctor")
    user = local_user(session.settings)

    async def ask_one(watch: watches.Watch) -> Mapping[str, Any]:
        return await _ask(session, watch)

    @asynccontextmanager
    async def hold(watch: watches.Watch) -> AsyncIterator[bool]:
        try:
            async with claimed(session.settings, f"watch:{user}:{watch.key}"):
                yield True
        except ThreadBusyError:
            yield False

    memory = MemoryStore(session.store, user)
    return await watches.run_due(memory, ask_one, time.time(), everything=everything, hold=hold)


async def _ask(session: Session, watch: watches.Watch) -> Mapping[str, Any]:
    """Ask one, or finish its run that was broken off; its result.

    Raises:
        WeiwoError: It cannot be asked, or it waits for a person.
    """
    # Nobody is there to approve a plan, and what was kept is what is asked about.
    options = {**Context.model_validate_json(watch.options).model_dump(exclude_none=True), "fresh": True}
    context = Context(**{**options, "approve_plan": False})
    settings = Settings.resolve(context)
    require_prices(settings)
    one = replace(session, settings=settings)
    if await thread_exists(session.saver, watch.running):
        ended = await resume(one, watch.running, Watcher())
    else:
        ended = await ask(one, watch.question, watch.running, context, Watcher())
    if ended.request:
        raise AppError(f"it waits for a person; go on with: weiwo resume {ended.thread_id}")
    return ended.result


def watch_as_json(watch: watches.Watch) -> dict[str, Any]:
    """A standing question, what is known, and what changed last, as JSON values."""
    kept = watch.model_dump(mode="json", exclude={"options", "running", "began", "changes"})
    return {"key": watch.key, **kept, "changes": changes_as_json(watch.changes)}


def changes_as_json(changes: tuple[watches.Change, ...]) -> list[dict[str, Any]]:
    """What changed, as JSON values."""
    return [change._asdict() | {"sources": list(change.sources)} for change in changes]
