"""`weiwo ask --from`: a run from an earlier moment of a thread, with what is changed there or another question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weiwo.app.cli.errors import CommandError, StoppedError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint
from weiwo.app.cli.questions.ask import corpus_problems
from weiwo.app.cli.questions.conclude import conclude
from weiwo.app.cli.questions.delivery import Delivery
from weiwo.app.cli.questions.output_files import remember_files
from weiwo.app.cli.questions.result_output import make_watcher
from weiwo.app.cli.session import open_session
from weiwo.app.cli.threads.reading import find_moment
from weiwo.app.session.run_end import RunEnd
from weiwo.app.session.session import Session, require_own_thread
from weiwo.state.settings import Context, Settings

if TYPE_CHECKING:
    from weiwo.app.render.watchers import Watcher


@dataclass(frozen=True)
class Fork:
    """Where a fork begins, and what differs from there.

    Attributes:
        thread: The thread, if it was named.
        checkpoint: The beginning of the checkpoint's id.
        question: Another question, to ask at that moment.
        plan: A plan in place of the one at that moment.
        values: Values by task id, in text.
    """

    thread: str | None
    checkpoint: str
    question: str | None = None
    plan: Mapping[str, Any] | None = None
    values: Mapping[str, str] = field(default_factory=dict)


def fork_command(fork: Fork, context: Context, delivery: Delivery) -> int:
    """Go back to a checkpoint, change what is to be changed or ask another question, and run on from there.

    Args:
        fork: Where it begins and what differs.
        context: Options; what they leave open is as it was then.
        delivery: How the run is told and its result handed over.

    Returns:
        The exit code.
    """
    from weiwo.app.cli.threads import checkpoints  # noqa: PLC0415 - heavy
    from weiwo.app.session.runs import ask, resume  # noqa: PLC0415 - heavy

    begun: list[str] = []

    async def work() -> "tuple[RunEnd, Watcher]":
        async with open_session(context) as session:
            thread_id, checkpoint_id = await find_moment(session, fork.thread, fork.checkpoint)
            watcher, now = await _go_back(session, thread_id, checkpoint_id, fork, context, delivery)
            begun.append(thread_id)
            remember_files(thread_id, delivery.files)
            hint(f"thread {thread_id}, forked at {checkpoints.short(checkpoint_id)}")
            if fork.question is not None:
                return await ask(session, fork.question, thread_id, now, watcher), watcher
            return await resume(session, thread_id, watcher, context=now), watcher

    def stopped(code: int) -> CommandError:
        return StoppedError(begun[0], code) if begun else CommandError("stopped; nothing was forked; try again", code)

    ended, watcher = run_to_end(work(), stopped)
    return conclude(ended, watcher, Settings.resolve(context), delivery)


async def _go_back(
    session: Session, thread_id: str, checkpoint_id: str, fork: Fork, context: Context, delivery: Delivery
) -> "tuple[Watcher, Context]":
    """Make the checkpoint from which the run goes on; who watches, and the options in force from there.

    Raises:
        UsageError: What is to be changed cannot be.
    """
    from weiwo.app.session.runs import OPTIONS_KEY, options_of, remembered  # noqa: PLC0415 - heavy
    from weiwo.graph.persistence import forks  # noqa: PLC0415 - heavy

    await require_own_thread(session, thread_id)
    there = await session.graph.aget_state({"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}})
    before = remembered(there.metadata)
    given = {**before.model_dump(exclude_none=True), **context.model_dump(exclude_none=True)}
    now = Context(**{**given, "answer_memory": False})  # who goes back wants another answer
    if problems := await corpus_problems(Settings.resolve(now)):
        hint(problems)
    question = fork.question or str(there.values.get("question") or "")
    watcher = make_watcher(question, as_json=delivery.as_json, verbose=delivery.verbose)
    try:
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
