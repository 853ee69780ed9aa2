"""`weiwo ask` and `weiwo resume`: a run from its options to its exit code.

LangGraph is imported after the first line is on the screen, by the functions that run something.
"""

import os
from collections.abc import Callable
from typing import Any

from weiwo.app.cli.documents.corpora import open_corpus
from weiwo.app.cli.errors import CommandError, StoppedError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint
from weiwo.app.cli.questions.conclude import conclude, kind_of, on_at_terminal, resume_run
from weiwo.app.cli.questions.cost_notice import tell_cost
from weiwo.app.cli.questions.delivery import Delivery
from weiwo.app.cli.questions.output_files import remember_files
from weiwo.app.cli.questions.result_output import make_watcher
from weiwo.app.cli.questions.web_offer import offer_web
from weiwo.app.cli.session import open_session
from weiwo.app.cli.threads.reading import is_thread_known
from weiwo.app.render.labels import label
from weiwo.app.session.run_end import RunEnd
from weiwo.state.settings import Context, Settings
from weiwo.state.source_filter import SourceFilter
from weiwo.text.language import detect_language


def ask_command(question: str, thread_id: str, context: Context, delivery: Delivery, *, given: bool) -> int:
    """Ask, show, print; returns the exit code.

    Args:
        question: The question.
        thread_id: The thread it is asked on.
        context: The options.
        delivery: How the run is told and its result handed over.
        given: Whether the person named the thread.
    """
    as_json = delivery.as_json
    clarify = on_at_terminal("WEIWO_CLARIFY", wanted=context.clarify, as_json=as_json)
    remembers = on_at_terminal("WEIWO_ANSWER_MEMORY", wanted=context.answer_memory, as_json=as_json)
    context = context.model_copy(update={"clarify": clarify, "answer_memory": remembers})
    offer_web(question, context, as_json=as_json)
    settings = Settings.resolve(context)
    tell_cost(question, settings, as_json=as_json)
    watcher = make_watcher(question, as_json=as_json, verbose=delivery.verbose)

    async def work() -> RunEnd:
        problems = await corpus_problems(settings)
        new = given and not is_thread_known(thread_id)
        hint(label(detect_language(question), "reading_new" if new else "reading", thread_id))
        if problems:
            hint(problems)
        from weiwo.app.session.runs import ask  # noqa: PLC0415 - heavy, and the first line is on the screen

        async with open_session(context) as session:
            remember_files(thread_id, delivery.files)
            return await ask(session, question, thread_id, context, watcher)

    def stopped(code: int) -> CommandError:
        if watcher.progress.begun:
            return StoppedError(thread_id, code)
        return CommandError("stopped; nothing had begun; ask again", code)

    return conclude(run_to_end(work(), stopped), watcher, settings, delivery)


def resume_command(thread_id: str, answer: Any, delivery: Delivery) -> int:
    """Resume, show, print; returns the exit code.

    Args:
        thread_id: The thread.
        answer: What to say about what waits: "approve", `{"plan": …}`, `{"reject": words}` or `{"reply": words}`; or
            None.
        delivery: How the run is told and its result handed over.
    """
    ended, watcher = resume_run(thread_id, answer, delivery)
    if not ended.request and not ended.result:
        raise CommandError(f"thread {thread_id}; it holds neither a question nor an answer; ask again on it")
    if not ended.ran:
        hint(f"thread {thread_id} has nothing to resume; this is its result")
    if answer is not None and ended.complaints:
        raise kind_of(ended).rejection_error(ended)
    return conclude(ended, watcher, Settings.resolve(), delivery)


def _in_folder(within: SourceFilter) -> Callable[[str], bool]:
    """Tells whether a document lies in a folder that counts."""
    return lambda source: within.allows_document(source, os.path.abspath(source))  # noqa: PTH100 - links stay


async def corpus_problems(settings: Settings) -> str:
    """Load the documents, so that the run finds them in memory; returns what is to be said of them.

    Raises:
        UsageError: None of them lies in the folders that count.
    """
    corpus = await open_corpus(settings)
    if settings.filter.folders and corpus.documents and not any(map(_in_folder(settings.filter), corpus.documents)):
        folders = ", ".join(settings.filter.folders)
        raise UsageError(f"--folder {folders}; no document lies there; weiwo search names documents by their paths")
    problems = corpus.problems
    if not problems:
        return ""
    many = f"{len(problems)} files were" if len(problems) > 1 else "1 file was"
    return f"{many} left out of the corpus ({problems[0].source}: {problems[0].reason}); weiwo doctor tells more"
