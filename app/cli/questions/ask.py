"""`weiwo ask` and `weiwo resume`: a run from its options to its exit code.

LangGraph is imported after the first line is on the screen, by the functions that run something.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.cli.documents.corpora import open_corpus
from weiwo.app.cli.errors import CommandError, StoppedError, UsageError
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import hint, is_terminal
from weiwo.app.cli.questions import approval, clarify, consent
from weiwo.app.cli.questions.cost_notice import tell_cost
from weiwo.app.cli.questions.output_files import tell_files, write_files
from weiwo.app.cli.questions.result_output import make_watcher, print_result
from weiwo.app.cli.questions.run_end import RunEnd
from weiwo.app.cli.questions.spending import record_spending
from weiwo.app.cli.questions.web_offer import offer_web
from weiwo.app.cli.session import open_session
from weiwo.app.cli.threads.reading import find_moment, is_thread_known
from weiwo.state.settings import Context, Settings
from weiwo.state.source_filter import SourceFilter

if TYPE_CHECKING:
    from weiwo.app.render.watchers import Watcher


def ask_command(
    question: str,
    thread_id: str,
    context: Context,
    *,
    as_json: bool,
    verbose: bool,
    given: bool,
    files: Sequence[Path] = (),
) -> int:
    """Ask, show, print; returns the exit code.

    Args:
        question: The question.
        thread_id: The thread it is asked on.
        context: The options.
        as_json: Print one object.
        verbose: Tell each step.
        given: Whether the person named the thread.
        files: Files to write the answer to.
    """
    context = context.model_copy(update={"clarify": asks_back(wanted=context.clarify, as_json=as_json)})
    offer_web(question, context, as_json=as_json)
    settings = Settings.resolve(context)
    tell_cost(question, settings, as_json=as_json)
    watcher = make_watcher(question, as_json=as_json, verbose=verbose)

    async def work() -> RunEnd:
        problems = await _corpus_problems(settings)
        new = given and not is_thread_known(thread_id)
        hint(f"thread {thread_id}{' is new' * new} · reading the question")
        if problems:
            hint(problems)
        from weiwo.app.cli.questions.runs import ask  # noqa: PLC0415 - heavy, and the first line is on the screen

        async with open_session(context) as session:
            return await ask(session, question, thread_id, context, watcher)

    def stopped(code: int) -> CommandError:
        if watcher.progress.begun:
            return StoppedError(thread_id, code)
        return CommandError("stopped; nothing had begun; ask again", code)

    try:
        ended = run(work(), stopped)
    except InterruptedRunError as signal:
        raise stopped(signal.code) from None
    return _conclude(ended, watcher, settings, as_json=as_json, verbose=verbose, files=files)


def resume_command(
    thread_id: str, answer: Any = None, *, as_json: bool, verbose: bool, files: Sequence[Path] = ()
) -> int:
    """Resume, show, print; returns the exit code.

    Args:
        thread_id: The thread.
        answer: What to say about what waits: "approve", `{"plan": …}`, `{"reject": words}` or `{"reply": words}`.
        as_json: Print one object.
        verbose: Tell each step.
        files: Files to write the answer to.
    """
    ended, watcher = _resumed(thread_id, answer, as_json=as_json, verbose=verbose)
    if ended.request is None and not ended.result:
        raise CommandError(f"thread {thread_id}; it holds neither a question nor an answer; ask again on it")
    if not ended.ran:
        hint(f"thread {thread_id} has nothing to resume; this is its result")
    if answer is not None and (ended.request or {}).get("complaints"):
        asked_back = (ended.request or {}).get("type") == clarify.TYPE
        raise clarify.rejection_error(ended) if asked_back else approval.rejection_error(ended)
    return _conclude(ended, watcher, Settings.resolve(), as_json=as_json, verbose=verbose, files=files)


def fork_command(
    place: tuple[str | None, str],
    question: str | None,
    context: Context,
    plan: Mapping[str, Any] | None,
    values: Mapping[str, str],
    *,
    as_json: bool,
    verbose: bool,
    files: Sequence[Path] = (),
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
        files: Files to write the answer to.

    Returns:
        The exit code.
    """
    from weiwo.app.cli.questions.runs import OPTIONS_KEY, ask, options_of, remembered, resume  # noqa: PLC0415 - heavy
    from weiwo.app.cli.threads import checkpoints  # noqa: PLC0415 - heavy
    from weiwo.graph.persistence.forks import ForkError, branch, fork  # noqa: PLC0415 - heavy

    begun: list[tuple[str, Watcher]] = []

    async def work() -> RunEnd:
        async with open_session(context) as session:
            thread_id, checkpoint_id = await find_moment(session, *place)
            there = await session.graph.aget_state(
                {"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}}
            )
            before = remembered(there.metadata)
            now = Context(**{**before.model_dump(exclude_none=True), **context.model_dump(exclude_none=True)})
            if problems := await _corpus_problems(Settings.resolve(now)):
                hint(problems)
            watcher = make_watcher(
                question or str(there.values.get("question") or ""), as_json=as_json, verbose=verbose
            )
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
    now = Settings.resolve(context)
    return _conclude(ended, begun[0][1], now, as_json=as_json, verbose=verbose, files=files)


def _resumed(thread_id: str, answer: Any, *, as_json: bool, verbose: bool) -> "tuple[RunEnd, Watcher]":
    from weiwo.app.cli.questions.runs import resume  # noqa: PLC0415 - heavy
    from weiwo.app.cli.threads import show  # noqa: PLC0415 - for this command alone

    async def work() -> "tuple[RunEnd, Watcher]":
        async with open_session() as session:
            thread = await show.load(session, thread_id)
            watcher = make_watcher(thread.question, as_json=as_json, verbose=verbose)
            return await resume(session, thread_id, watcher, answer), watcher

    def stopped(code: int) -> CommandError:
        return StoppedError(thread_id, code)

    try:
        return run(work(), stopped)
    except InterruptedRunError as signal:
        raise stopped(signal.code) from None


_ASKERS: Final = {
    consent.TYPE: (consent.tell, consent.ask_person, consent.leave),
    clarify.TYPE: (clarify.tell, clarify.ask_person, clarify.leave),
}
"""By the `type` of a request that is not about a plan: how it is told, asked about, and left for later."""


def _conclude(
    ended: RunEnd,
    watcher: "Watcher",
    settings: Settings,
    *,
    as_json: bool,
    verbose: bool,
    files: Sequence[Path],
) -> int:
    """Print a result and write its files, or, as long as the run waits for one, ask the person at the terminal.

    Returns the exit code.

    The question is asked outside the event loop, with the database closed: the run waits as it would for another day.
    """
    if files and ended.request is not None and (as_json or not can_ask()):
        hint(f"no file is written while the run waits; name it again: weiwo resume {ended.thread_id} --output FILE")
    while ended.request is not None:
        if (asker := _ASKERS.get(str(ended.request.get("type")))) is not None:
            tell, ask_person, leave = asker
            if as_json or not can_ask():
                return tell(ended, as_object=as_json)
            answer = ask_person(ended, approval.language_of(watcher.progress))
            if answer is None:
                return leave(ended)
            ended, watcher = _resumed(ended.thread_id, answer, as_json=as_json, verbose=verbose)
            continue
        if as_json or not can_ask():
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
    result, complaints = write_files({**ended.result, "thread_id": ended.thread_id}, files)
    if ended.ran:
        record_spending(result, settings)
    code = print_result(result, watcher, settings, as_json=as_json, verbose=verbose)
    return tell_files(result, complaints, as_json=as_json) or code


def _in_folder(within: SourceFilter) -> Callable[[str], bool]:
    """Tells whether a document lies in a folder that counts."""
    return lambda source: within.allows_document(source, os.path.abspath(source))  # noqa: PTH100 - links stay


def can_ask() -> bool:
    """Whether a person sits at the terminal and can be asked."""
    return is_terminal() and sys.stdin.isatty()


def asks_back(*, wanted: bool | None, as_json: bool) -> bool | None:
    """Whether a run may ask back: as wanted, else where a person is there; None leaves it to `WEIWO_CLARIFY`."""
    if wanted is not None or os.environ.get("WEIWO_CLARIFY"):
        return wanted
    return True if can_ask() and not as_json else None


async def _corpus_problems(settings: Settings) -> str:
    """Load the documents, so that the run finds them in memory; returns what is to be said of them."""
    corpus = await open_corpus(settings)
    if settings.filter.folders and corpus.documents and not any(map(_in_folder(settings.filter), corpus.documents)):
        folders = ", ".join(settings.filter.folders)
        raise UsageError(f"--folder {folders}; no document lies there; weiwo search names documents by their paths")
    problems = corpus.problems
    if not problems:
        return ""
    many = f"{len(problems)} files were" if len(problems) > 1 else "1 file was"
    return f"{many} left out of the corpus ({problems[0].source}: {problems[0].reason}); weiwo doctor tells more"
