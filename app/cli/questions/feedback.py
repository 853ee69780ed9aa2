"""`weiwo feedback`: the user's rating of an answer.

The feedback is kept with the telemetry, and sent to LangSmith if LangSmith is set up.
"""

import time
from pathlib import Path
from typing import Annotated

import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.memory.plans import mark_run_bad
from weiwo.app.cli.memory.wishes import forget_bad_answer
from weiwo.app.cli.options import Thread, checked_thread_id
from weiwo.app.cli.output import hint
from weiwo.app.cli.session import last_thread
from weiwo.app.cli.threads.show import load_thread
from weiwo.app.session.langsmith_feedback import send_to_langsmith
from weiwo.state.settings import Settings
from weiwo.text.language import clean
from weiwo.tools.corpus.retrieval.feedback import LONGEST_WORDS, Feedback, record_feedback

app = typer.Typer()


@app.command(cls=PanelCommand)
def feedback(
    thread: Thread = None,
    *,
    good: Annotated[bool, typer.Option("--good", help="The answer was good.")] = False,
    bad: Annotated[bool, typer.Option("--bad", help="The answer was bad.")] = False,
    note: Annotated[str | None, typer.Option("--note", metavar="WORDS", help="A comment.")] = None,
) -> None:
    """Rate an answer as good or bad; saved on this machine."""
    thread_id = checked_thread_id(thread or last_thread())
    if good == bad:
        raise UsageError("rate the answer with either --good or --bad")
    settings = Settings.resolve()
    values = load_thread(thread_id).values
    if not values.get("result"):
        raise UsageError(f"thread {thread_id} has no answer yet; to continue it, run weiwo resume {thread_id}")
    said = clean(note or "")[:LONGEST_WORDS]
    question = str(values.get("question") or "")
    given = Feedback(time.time(), thread_id, str(values.get("run") or ""), question, good, said)
    try:
        record_feedback(Path(settings.home), given)
    except OSError as error:
        raise CommandError(f"feedback cannot be saved in {settings.home}: {error.strerror or error}") from None
    if bad:
        mark_run_bad(given.run)
        forget_bad_answer(given.run)
    sent = send_to_langsmith(given)
    hint(f"kept in {settings.home}" + (", and sent to LangSmith" if sent else ""))
