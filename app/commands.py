"""What each command does, between its options and its exit code."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from rich.text import Text

from app import doctor, lookup, show
from app.answer import foot, model_trouble, plain_answer, print_answer, stop_words
from app.errors import FAILED, STATUS_CODES, CommandError, StoppedError
from app.flow import Flow
from app.labels import label
from app.live import LiveView
from app.output import hint, is_terminal, page, say, terminal, write, write_json
from app.runs import Watcher, ask, resume
from app.session import InterruptedRunError, Session, open_corpus, open_session, run
from app.watch import Lines, Silent
from graph.threads import list_threads, thread_exists
from state.settings import Context, Settings
from text.language import detect_language

T = TypeVar("T")


def ask_command(question: str, thread_id: str, context: Context, *, as_json: bool, verbose: bool, given: bool) -> int:
    """Ask, show, print; returns the exit code."""
    watcher = _watcher(question, as_json=as_json, verbose=verbose)
    settings = Settings.resolve(context)

    async def work() -> dict[str, Any]:
        corpus = await open_corpus(settings)
        async with open_session(context) as session:
            if given and not await thread_exists(session.saver, thread_id):
                hint(f"thread {thread_id} is new")
            else:
                hint(f"thread {thread_id}")
            if corpus.problems:
                first = corpus.problems[0]
                many = f"{len(corpus.problems)} files were" if len(corpus.problems) > 1 else "1 file was"
                hint(f"{many} left out of the corpus ({first.source}: {first.reason}); weiwo doctor tells more")
            return await ask(session, question, thread_id, context, watcher)

    try:
        result = run(work())
    except InterruptedRunError as stopped:
        if watcher.progress.begun:
            raise StoppedError(thread_id, stopped.code) from None
        raise CommandError("stopped; nothing had begun; ask again", stopped.code) from None
    return _finish(result, watcher, settings, as_json=as_json)


def resume_command(thread_id: str, *, as_json: bool, verbose: bool) -> int:
    """Resume, show, print; returns the exit code."""
    settings = Settings.resolve()

    async def work() -> tuple[dict[str, Any], bool, Watcher]:
        async with open_session() as session:
            thread = await show.load(session, thread_id)
            watcher = _watcher(thread.question, as_json=as_json, verbose=verbose)
            return (*await resume(session, thread_id, watcher), watcher)

    try:
        result, ran, watcher = run(work())
    except InterruptedRunError as stopped:
        raise StoppedError(thread_id, stopped.code) from None
    if not result:
        raise CommandError(f"thread {thread_id}; it holds neither a question nor an answer; ask again on it")
    if not ran:
        hint(f"thread {thread_id} has nothing to resume; this is its result")
    return _finish({**result, "thread_id": thread_id}, watcher, settings, as_json=as_json)


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


def show_command(thread_id: str, *, as_json: bool, mermaid: bool) -> None:
    """Show one thread."""

    async def work(session: Session) -> show.Thread:
        return await show.load(session, thread_id)

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


def search_command(query: str, k: int, context: Context, *, as_json: bool) -> None:
    """Search the documents."""
    settings = Settings.resolve(context)
    passages = _run(lookup.search(settings, query, k))
    if as_json:
        write_json(lookup.as_json(query, passages))
    elif is_terminal():
        lookup.print_results(terminal(), passages)
    else:
        write(lookup.plain_results(passages))
    if not passages and not as_json:
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
        async with open_session() as session:
            return await work(session)

    return _run(inside())


def _watcher(question: str, *, as_json: bool, verbose: bool) -> Watcher:
    language = detect_language(question)
    if verbose:
        return Lines(sys.stderr, language)
    if as_json or not is_terminal():
        return Silent(language)
    return LiveView(terminal(), question, language)


def _finish(result: dict[str, Any], watcher: Watcher, settings: Settings, *, as_json: bool) -> int:
    """Print a result; returns its exit code."""
    decided_by = str(watcher.progress.assessed.get("decided_by") or "")
    no_model = label(str(result.get("language", "en")), "no_model")
    if as_json:
        write_json(result)
    elif is_terminal():
        console = terminal()
        print_answer(console, result)
        console.print()
        console.print(Flow(Text(foot(result, decided_by), "dim")))
        if not settings.models:
            console.print(Flow(Text(no_model, "dim")))
    else:
        write(plain_answer(result))
    code = STATUS_CODES.get(str(result.get("status")), FAILED)
    if not (is_terminal() and not as_json):
        if code:
            say(f"the answer is {result.get('status')}; {stop_words(result)}")
        if not settings.models:
            hint(no_model)
        elif trouble := model_trouble(result):
            hint(trouble)
    return code
