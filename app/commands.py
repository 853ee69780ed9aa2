"""What each command does, between its options and its exit code."""

import sys
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from app import approval, checkpoints, doctor, lookup, show
from app.corpora import open_corpus
from app.errors import CommandError, StoppedError, UsageError
from app.finish import finish, watcher_for
from app.output import hint, is_terminal, page, terminal, write, write_json
from app.runs import OPTIONS_KEY, Ended, Watcher, ask, options_of, remembered, resume, unknown_thread
from app.session import InterruptedRunError, Session, open_session, run
from graph.forks import ForkError, branch, fork
from graph.threads import find_checkpoint, list_threads, thread_exists
from state.settings import Context, Settings

T = TypeVar("T")


def ask_command(question: str, thread_id: str, context: Context, *, as_json: bool, verbose: bool, given: bool) -> int:
    """Ask, show, print; returns the exit code."""
    watcher = watcher_for(question, as_json=as_json, verbose=verbose)
    settings = Settings.resolve(context)

    async def work() -> Ended:
        async with open_session(context) as session:
            problems = await _corpus_problems(settings)
            if given and not await thread_exists(session.saver, thread_id):
                hint(f"thread {thread_id} is new")
            else:
                hint(f"thread {thread_id}")
            if problems:
                hint(problems)
            return await ask(session, question, thread_id, context, watcher)

    def stopped(code: int) -> CommandError:
        if watcher.progress.begun:
            return StoppedError(thread_id, code)
        return CommandError("stopped; nothing had begun; ask again", code)

    try:
        ended = run(work(), stopped)
    except InterruptedRunError as signal:
        raise stopped(signal.code) from None
    return _conclude(ended, watcher, settings, as_json=as_json, verbose=verbose)


def resume_command(thread_id: str, answer: Any = None, *, as_json: bool, verbose: bool) -> int:
    """Resume, show, print; returns the exit code.

    Args:
        thread_id: The thread.
        answer: What to say about the plan that waits: "approve", `{"plan": …}` or `{"reject": words}`.
        as_json: Print one object.
        verbose: Tell each step.
    """
    ended, watcher = _resumed(thread_id, answer, as_json=as_json, verbose=verbose)
    if ended.request is None and not ended.result:
        raise CommandError(f"thread {thread_id}; it holds neither a question nor an answer; ask again on it")
    if not ended.ran:
        hint(f"thread {thread_id} has nothing to resume; this is its result")
    if answer is not None and (ended.request or {}).get("complaints"):
        raise approval.refused(ended)
    return _conclude(ended, watcher, Settings.resolve(), as_json=as_json, verbose=verbose)


def fork_command(
    place: tuple[str | None, str],
    question: str | None,
    context: Context,
    plan: Mapping[str, Any] | None,
    values: Mapping[str, str],
    *,
    as_json: bool,
    verbose: bool,
) -> int:
    """Go back to a checkpoint, change what is to be changed or ask another question, and run on from there.

    Args:
        place: The thread, if it was named, and the beginning of the checkpoint's id.
        question: Another question, to ask at that moment.
        context: Options; what they leave open is as it was then.
        plan: A plan in place of the one at that moment.
        values: Values by task id, in text.
        as_json: Print one object.
        verbose: Tell each step.

    Returns:
        The exit code.
    """
    begun: list[tuple[str, Watcher]] = []

    async def work() -> Ended:
        async with open_session(context) as session:
            thread_id, checkpoint_id = await _found(session, place)
            there = await session.graph.aget_state(
                {"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}}
            )
            before = remembered(there.metadata)
            now = Context(**{**before.model_dump(exclude_none=True), **context.model_dump(exclude_none=True)})
            if problems := await _corpus_problems(Settings.resolve(now)):
                hint(problems)
            watcher = watcher_for(question or str(there.values.get("question") or ""), as_json=as_json, verbose=verbose)
            try:
                if question is not None:
                    await branch(session.graph, thread_id, checkpoint_id)
                else:
                    kept = {OPTIONS_KEY: options_of(now)}
                    await fork(
                        session.graph, thread_id, checkpoint_id, plan=plan, outcomes=values, context=now, metadata=kept
                    )
            except ForkError as error:
                raise UsageError(str(error)) from None
            begun.append((thread_id, watcher))
            hint(f"thread {thread_id}, forked at {checkpoints.short(checkpoint_id)}")
            if question is not None:
                return await ask(session, question, thread_id, now, watcher)
            return await resume(session, thread_id, watcher, context=now)

    def stopped(code: int) -> CommandError:
        return (
            StoppedError(begun[0][0], code) if begun else CommandError("stopped; nothing was forked; try again", code)
        )

    try:
        ended = run(work(), stopped)
    except InterruptedRunError as signal:
        raise stopped(signal.code) from None
    return _conclude(ended, begun[0][1], Settings.resolve(context), as_json=as_json, verbose=verbose)


def threads_command(limit: int, *, as_json: bool) -> None:
    """List threads."""

    async def work(session: Session) -> Any:
        return await list_threads(session.saver, limit)

    threads = _in_session(work)
    if as_json:
        write_json(show.threads_json(threads))
    elif is_terminal():
        show.print_threads(terminal(), threads)
    else:
        write(show.plain_threads(threads))
    if not threads and not as_json:
        hint("there are no threads yet; weiwo ask begins one")


def history_command(thread_id: str, *, as_json: bool) -> None:
    """List the checkpoints of a thread."""

    async def work(session: Session) -> list[checkpoints.Moment]:
        return await checkpoints.history(session, thread_id)

    moments = _in_session(work)
    if as_json:
        write_json(checkpoints.as_json(thread_id, moments))
    elif is_terminal():
        checkpoints.print_history(terminal(), moments)
    else:
        write(checkpoints.plain_history(moments))
    if not as_json:
        hint(f"go on from one of them: weiwo ask --from {thread_id}@CHECKPOINT [--set TASK=VALUE] [--plan FILE]")


def show_command(thread_id: str, checkpoint: str | None = None, *, as_json: bool, mermaid: bool) -> None:
    """Show one thread, as it is or as it was at a checkpoint."""

    async def work(session: Session) -> show.Thread:
        if checkpoint is None:
            return await show.load(session, thread_id)
        return await checkpoints.load(session, *await _found(session, (thread_id, checkpoint)))

    thread = _in_session(work)
    plan = thread.values.get("plan")
    if mermaid:
        if plan is None:
            raise CommandError(f"thread {thread_id}; its question needed no plan; weiwo show {thread_id} tells more")
        write(plan.to_mermaid() + "\n")
    elif as_json:
        write_json(show.as_json(thread))
    else:
        show.print_thread(terminal() if is_terminal() else page(), thread)


def search_command(query: str, k: int, context: Context, *, as_json: bool, explain: bool = False) -> None:
    """Search the documents."""
    settings = Settings.resolve(context)
    routed = _run(lookup.explained(settings, query, k)) if explain else None
    passages = routed.passages if routed else _run(lookup.search(settings, query, k))
    if as_json:
        write_json(lookup.as_json(query, passages, routed))
        return
    if routed:
        lookup.print_explanation(terminal() if is_terminal() else page(), routed)
    if is_terminal():
        lookup.print_results(terminal(), passages)
    else:
        write(lookup.plain_results(passages))
    if not passages:
        hint("nothing in the documents matches")


def doctor_command(*, as_json: bool) -> int:
    """Examine the set-up; returns the exit code."""

    async def work() -> list[doctor.Check]:
        return [check async for check in doctor.examine()]

    checks = _run(work())
    if as_json:
        write_json(doctor.as_json(checks))
    else:
        doctor.print_checks(terminal() if is_terminal() else None, checks)
    return 1 if any(check.verdict == "problem" for check in checks) else 0


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run what leaves nothing behind when it is stopped."""
    try:
        return run(work)
    except InterruptedRunError as stopped:
        raise CommandError("stopped", stopped.code) from None


def _in_session(work: Callable[[Session], Coroutine[Any, Any, T]]) -> T:
    async def inside() -> T:
        async with open_session(reading=True) as session:
            return await work(session)

    return _run(inside())


def _resumed(thread_id: str, answer: Any, *, as_json: bool, verbose: bool) -> tuple[Ended, Watcher]:
    async def work() -> tuple[Ended, Watcher]:
        async with open_session() as session:
            thread = await show.load(session, thread_id)
            watcher = watcher_for(thread.question, as_json=as_json, verbose=verbose)
            return await resume(session, thread_id, watcher, answer), watcher

    def stopped(code: int) -> CommandError:
        return StoppedError(thread_id, code)

    try:
        return run(work(), stopped)
    except InterruptedRunError as signal:
        raise stopped(signal.code) from None


def _conclude(ended: Ended, watcher: Watcher, settings: Settings, *, as_json: bool, verbose: bool) -> int:
    """Print a result, or, as long as the run waits for one, ask the person at the terminal; returns the exit code.

    The question is asked outside the event loop, with the database closed: the run waits as it would for another day.
    """
    while ended.request is not None:
        if as_json or not (is_terminal() and sys.stdin.isatty()):
            drawn = is_terminal() and not verbose
            return approval.tell(ended, watcher.progress, as_object=as_json, drawn=drawn)
        if verbose:
            approval.draw(watcher.progress)
        answer = approval.ask_person(ended, watcher.progress)
        if answer is None:
            return approval.leave(ended)
        asked = ended
        ended, watcher = _resumed(ended.thread_id, answer, as_json=as_json, verbose=verbose)
        if isinstance(answer, Mapping) and "plan" in answer and not (ended.request or {}).get("complaints"):
            approval.draft_of(asked).unlink(missing_ok=True)
    return finish({**ended.result, "thread_id": ended.thread_id}, watcher, settings, as_json=as_json)


async def _found(session: Session, place: tuple[str | None, str]) -> tuple[str, str]:
    """The thread and checkpoint that a person named."""
    thread_id, prefix = place
    if thread_id is not None and not await thread_exists(session.saver, thread_id):
        raise unknown_thread(thread_id)
    try:
        return await find_checkpoint(session.saver, prefix, thread_id)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def _corpus_problems(settings: Settings) -> str:
    """Load the documents, so that the run finds them in memory; returns what is to be said of them."""
    problems = (await open_corpus(settings)).problems
    if not problems:
        return ""
    many = f"{len(problems)} files were" if len(problems) > 1 else "1 file was"
    return f"{many} left out of the corpus ({problems[0].source}: {problems[0].reason}); weiwo doctor tells more"
