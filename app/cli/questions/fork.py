"""`weiwo ask --from`: a run from an earlier checkpoint of a thread, with changes or another question."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weiwo.app.cli.documents.corpus import open_corpus
from weiwo.app.cli.errors import CommandError, StoppedError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.options import checked_thread_id, question_of
from weiwo.app.cli.output import hint
from weiwo.app.cli.questions.conclude import conclude
from weiwo.app.cli.questions.delivery import Delivery, make_watcher, remember_files
from weiwo.app.cli.questions.plan_files import read_plan
from weiwo.app.cli.session import open_session
from weiwo.app.cli.threads import checkpoints
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.session import RunEnd, Session, claim
from weiwo.state.settings import Context, Settings
from weiwo.state.source_filter import SourceFilter


@dataclass(frozen=True)
class Fork:
    """The place where a run branches off from an earlier one, and the changes.

    Attributes:
        thread: The thread, if it was named.
        checkpoint: The beginning of the checkpoint's id.
        question: Another question, to ask at that checkpoint.
        plan: A plan in place of the one at that checkpoint.
        values: Values to take as the results of tasks, as text by task id.
    """

    thread: str | None
    checkpoint: str
    question: str | None = None
    plan: Mapping[str, Any] | None = None
    values: Mapping[str, str] = field(default_factory=dict)


def read_fork(
    question: Sequence[str] | None, place: str, thread: str | None, plan: str | None, values: Sequence[str] | None
) -> Fork:
    """Parse the arguments of a fork.

    Raises:
        UsageError: The place is invalid, or the changes do not go together.
    """
    thread_id, checkpoint = _fork_place(place, thread)
    text = question_of(question) if question else None
    changes = _fork_values(values)
    if text is not None and (plan or changes):
        raise UsageError(
            "QUESTION cannot be combined with --plan or --set, which change a past question; use one of them"
        )
    return Fork(thread_id, checkpoint, text, None if plan is None else read_plan(plan), changes)


def _fork_place(text: str, thread: str | None) -> tuple[str | None, str]:
    """Return the thread, or None if it was not named, and the beginning of the checkpoint's id.

    "t@1f0e" is the checkpoint "1f0e" of thread "t". "1f0e" alone is a checkpoint of the thread given by `--thread`.

    Raises:
        UsageError: Two different threads are named.
    """
    name, at, checkpoint = text.rpartition("@")
    if not at:
        return (None if thread is None else checked_thread_id(thread)), text
    if thread not in {None, name}:
        raise UsageError(f"--from {text!r} and --thread {thread!r} name different threads; use one of them")
    return checked_thread_id(name), checkpoint


def _fork_values(given: Sequence[str] | None) -> dict[str, str]:
    """Parse the arguments of `--set`, and return the values by task id.

    Raises:
        UsageError: An argument is not of the form TASK=VALUE, or a task is set twice.
    """
    values: dict[str, str] = {}
    for text in given or ():
        task_id, equals, value = text.partition("=")
        if not (task_id.strip() and equals and value.strip()):
            raise UsageError(f"--set {text!r} must have the form TASK=VALUE, such as --set task_1='156 BC'")
        if task_id.strip() in values:
            raise UsageError(f"--set {text!r}: {task_id.strip()} is set twice; give it one value")
        values[task_id.strip()] = value.strip()
    return values


def fork_command(fork: Fork, context: Context, delivery: Delivery) -> int:
    """Go back to a checkpoint, apply the changes or ask another question, and run on from the checkpoint.

    Args:
        fork: The start of the fork and the changes.
        context: Options. Unset options keep their values of that time.
        delivery: How the run is reported and where its result goes.

    Returns:
        The exit code.
    """
    from weiwo.app.session import runs

    begun: list[str] = []

    async def work() -> tuple[RunEnd, Watcher]:
        async with open_session(context) as session:
            thread_id, checkpoint_id = await checkpoints.find_thread_checkpoint(session, fork.thread, fork.checkpoint)
            watcher, now = await _go_back(session, thread_id, checkpoint_id, fork, context, delivery)
            begun.append(thread_id)
            remember_files(thread_id, delivery.files)
            hint(f"thread {thread_id}, forked at {checkpoints.shorten_id(checkpoint_id)}")
            if fork.question is not None:
                return await runs.ask(session, fork.question, thread_id, now, watcher), watcher
            return await runs.resume(session, thread_id, watcher, context=now), watcher

    def build_stop_error(code: int) -> CommandError:
        return StoppedError(begun[0], code) if begun else CommandError("stopped; nothing was forked; try again", code)

    ended, watcher = run_to_end(work(), build_stop_error)
    return conclude(ended, watcher, Settings.resolve(context), delivery)


async def _go_back(
    session: Session, thread_id: str, checkpoint_id: str, fork: Fork, context: Context, delivery: Delivery
) -> tuple[Watcher, Context]:
    """Create the checkpoint from which the run goes on. Returns the watcher and the options of the run.

    Options that were not given keep their values of that time.

    Raises:
        UsageError: A change cannot be applied.
    """
    from weiwo.app.session.runs import OPTIONS_KEY, options_of, read_options
    from weiwo.graph.persistence import forks

    there = await session.graph.aget_state({"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}})
    before = read_options(there.metadata)
    given = {**before.model_dump(exclude_none=True), **context.model_dump(exclude_none=True)}
    now = Context(**{**given, "answer_memory": False})  # a fork is meant to give another answer
    if problems := await corpus_problems(Settings.resolve(now)):
        hint(problems)
    question = fork.question or str(there.values.get("question") or "")
    watcher = make_watcher(question, delivery)
    try:
        async with claim(session, thread_id):
            if fork.question is not None:
                await forks.branch(session.graph, thread_id, checkpoint_id)
            else:
                await forks.fork(
                    session.graph,
                    thread_id,
                    checkpoint_id,
                    plan=fork.plan,
                    outcomes=fork.values,
                    context=now,
                    metadata={OPTIONS_KEY: options_of(now)},
                )
    except forks.ForkError as error:
        raise UsageError(str(error)) from None
    return watcher, now


def _in_folder(within: SourceFilter) -> Callable[[str], bool]:
    """Return a test for documents in the included folders."""
    return lambda source: within.allows_document(source, os.path.abspath(source))  # noqa: PTH100 - links stay


async def corpus_problems(settings: Settings) -> str:
    """Load the documents before the run, and return a message about files not indexed. Empty if there are none.

    Raises:
        UsageError: None of the documents lies in the included folders.
    """
    corpus = await open_corpus(settings)
    if settings.filter.folders and corpus.documents and not any(map(_in_folder(settings.filter), corpus.documents)):
        folders = ", ".join(settings.filter.folders)
        raise UsageError(f"--folder {folders} contains no document; weiwo search shows the paths of documents")
    problems = corpus.problems
    if not problems:
        return ""
    many = f"{len(problems)} files were" if len(problems) > 1 else "1 file was"
    return f"{many} not indexed ({problems[0].source}: {problems[0].reason}); see weiwo doctor"
