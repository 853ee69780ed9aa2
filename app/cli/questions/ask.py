"""`weiwo ask`: a run from the options to the exit code.

LangGraph is imported after the first line is on the screen, by the functions that run something.
"""

import asyncio
from typing import Annotated, Any

import typer

from weiwo.app.cli.errors import CommandError, StoppedError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import MORE, PanelCommand
from weiwo.app.cli.options import (
    RUN_OPTIONS,
    Json,
    Output,
    Plan,
    Verbose,
    checked_thread_id,
    output_files,
    question_of,
    takes_context,
)
from weiwo.app.cli.output import hint, is_terminal
from weiwo.app.cli.questions.conclude import conclude, on_at_terminal
from weiwo.app.cli.questions.delivery import Delivery, make_watcher, remember_files
from weiwo.app.cli.questions.fork import corpus_problems, fork_command, read_fork
from weiwo.app.cli.questions.offers import keeps_wish, offer_web, offer_wish
from weiwo.app.cli.questions.spending import tell_cost
from weiwo.app.cli.session import is_thread_known, last_thread, note_question, open_session
from weiwo.app.render.labels import label
from weiwo.app.session.session import RunEnd
from weiwo.graph.persistence.threads import new_thread_id
from weiwo.state.settings import Context, Settings
from weiwo.text.language_detection import detect_language
from weiwo.tools.template import read_template

app = typer.Typer()


@app.command(cls=PanelCommand)
@takes_context(*RUN_OPTIONS)
def ask(  # noqa: PLR0913 - each option is a parameter
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help='Quoted or unquoted; "-" reads standard input.'),
    ] = None,
    *,
    follow_up: Annotated[bool, typer.Option("--continue", "-c", help="Continue the last thread.")] = False,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="Continue this thread, or start a thread with this id.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="THREAD@CHECKPOINT",
            help="Go back to this checkpoint and continue from there; `weiwo show THREAD --history` lists them.",
            rich_help_panel=MORE,
        ),
    ] = None,
    plan: Plan = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="TASK=VALUE",
            help="With --from: set the value of a task; repeatable.",
            rich_help_panel=MORE,
        ),
    ] = None,
    output: Output = None,
    json: Json = False,
    events: Annotated[
        bool,
        typer.Option("--events", help="Print each event of the run as a line of JSON, with the result last."),
    ] = False,
    verbose: Verbose = False,
    context: Any,
) -> None:
    """Ask a question. Each claim of the answer links to a source."""
    if follow_up and (thread is not None or checkpoint is not None):
        raise UsageError("--continue, --thread and --from name different threads; use one of them")
    if json and events:
        raise UsageError("--json and --events cannot be combined; use one of them")
    delivery = Delivery(as_json=json or events, verbose=verbose, files=output_files(output), events=events)
    if checkpoint is not None:
        raise typer.Exit(fork_command(read_fork(question, checkpoint, thread, plan, values), context, delivery))
    if plan is not None or values:
        raise UsageError("--plan and --set need a checkpoint; name it with --from THREAD@CHECKPOINT")
    if not question:
        raise UsageError("Missing argument 'QUESTION'; see weiwo ask --help")
    text = question_of(question)
    if context.template and not delivery.files:
        raise UsageError("--template needs a file to write; name it with --output")
    thread = last_thread() if follow_up else thread
    typed = question != ["-"] and not delivery.as_json
    raise typer.Exit(_ask_or_keep_wish(text, thread, context, delivery, typed=typed))


def _ask_or_keep_wish(text: str, thread: str | None, context: Context, delivery: Delivery, *, typed: bool) -> int:
    """Ask a question, unless a person typed a wish to be kept, and return the exit code."""
    thread_id = new_thread_id() if thread is None else checked_thread_id(thread)
    if typed and not delivery.files and keeps_wish(text):
        return 0
    code = _ask(text, thread_id, context, delivery, given=thread is not None)
    if typed:
        offer_wish(text)
    return code


def _ask(question: str, thread_id: str, context: Context, delivery: Delivery, *, given: bool) -> int:
    """Ask a question, show the run, print the answer and return the exit code.

    Args:
        question: The question.
        thread_id: The thread of the question.
        context: The options.
        delivery: How the run is shown and its result handed over.
        given: Whether the person named the thread.
    """
    as_json = delivery.as_json
    clarify = on_at_terminal("WEIWO_CLARIFY", wanted=context.clarify, as_json=as_json)
    remembers = on_at_terminal("WEIWO_ANSWER_MEMORY", wanted=context.answer_memory, as_json=as_json)
    context = context.model_copy(update={"clarify": clarify, "answer_memory": remembers})
    offer_web(question, context, as_json=as_json)
    settings = Settings.resolve(context)
    if settings.template:
        read_template(settings.template, settings.limits.max_tasks)  # its faults are told before anything is searched
    tell_cost(question, settings, as_json=as_json)
    watcher = make_watcher(question, delivery)
    note_question(thread_id)

    async def work() -> RunEnd:
        if settings.models and (trouble := await asyncio.to_thread(_find_model_trouble, settings)):
            hint(trouble)
        problems = await corpus_problems(settings)
        language, new = detect_language(question), given and not is_thread_known(thread_id)
        if delivery.verbose or not is_terminal():  # on a terminal the live view tells it
            hint(label(language, "reading"))
        if delivery.verbose or new:  # else it is told below the answer
            watcher.on_begin = lambda: hint(label(language, "thread_new" if new else "thread", thread_id))
        if problems:
            hint(problems)
        from weiwo.app.session import runs  # after the first line is on the screen

        async with open_session(context) as session:
            remember_files(thread_id, delivery.files)
            return await runs.ask(session, question, thread_id, context, watcher)

    def build_stop_error(code: int) -> CommandError:
        if watcher.progress.begun:
            return StoppedError(thread_id, code)
        return CommandError("stopped before anything began; ask again", code)

    return conclude(run_to_end(work(), build_stop_error), watcher, settings, delivery)


def _find_model_trouble(settings: Settings) -> str:
    """Return why a configured model cannot be set up, in a single line. Empty if nothing is wrong.

    This is reported before the run, because the question would otherwise be answered by rules alone.
    """
    from weiwo.models.model_cache import find_setup_trouble

    return find_setup_trouble(settings.models.values())
