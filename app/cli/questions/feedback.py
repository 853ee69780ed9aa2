"""`weiwo feedback`: what a person says of an answer, kept with the telemetry, and sent to LangSmith if that is set."""

import time
from pathlib import Path

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import hint
from weiwo.app.cli.threads.reading import load_thread
from weiwo.app.session.langsmith_feedback import send_to_langsmith
from weiwo.state.settings import Settings
from weiwo.text.language import clean
from weiwo.tools.corpus.retrieval.feedback import LONGEST_WORDS, Feedback, record_feedback


def feedback_command(thread_id: str, *, good: bool, bad: bool, words: str | None) -> None:
    """Take what a person says of a thread's latest answer.

    Args:
        thread_id: The thread.
        good: Whether the answer was good.
        bad: Whether it was bad; one of the two.
        words: What else is to be said.

    Raises:
        UsageError: Both or neither was said, or the thread is unknown or has no answer.
        CommandError: It could not be kept, or LangSmith did not take it; what was kept stays.
    """
    if good == bad:
        raise UsageError("--good and --bad; an answer is one of them; give one")
    settings = Settings.resolve()
    values = load_thread(thread_id).values
    if not values.get("result"):
        raise UsageError(f"thread {thread_id}; it has no answer yet; weiwo resume {thread_id} goes on with it")
    said = clean(words or "")[:LONGEST_WORDS]
    question = str(values.get("question") or "")
    one = Feedback(time.time(), thread_id, str(values.get("run") or ""), question, good, said)
    try:
        record_feedback(Path(settings.home), one)
    except OSError as error:
        raise CommandError(f"feedback; it cannot be kept in {settings.home}: {error.strerror or error}") from None
    if bad:
        from weiwo.app.cli.memory.answers import forget_bad_answer  # noqa: PLC0415 - heavy
        from weiwo.app.cli.memory.plans import mark_run_bad  # noqa: PLC0415 - heavy

        mark_run_bad(one.run)
        forget_bad_answer(one.run)
    sent = send_to_langsmith(one)
    hint(f"kept in {settings.home}" + (", and sent to LangSmith" if sent else ""))
