"""Feedback for LangSmith, attached to the trace of the rated run."""

from typing import Final
from uuid import UUID

from weiwo.app.errors import AppError
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.corpus.retrieval.feedback import Feedback

KEY: Final = "user_score"
"""Name of the feedback in LangSmith. Its score is 1 for good, 0 for bad."""
_TIMEOUT_MS: Final = (3_000, 10_000)
_ATTEMPTS: Final = 2


def send_to_langsmith(feedback: Feedback) -> bool:
    """Send feedback to the trace of the run in LangSmith. Returns False if LangSmith is not set up.

    The id of the trace is the id of the run.

    Raises:
        AppError: LangSmith did not accept the feedback.
    """
    from langsmith import Client
    from langsmith.utils import get_env_var, get_tracer_project

    if not get_env_var("API_KEY"):
        return False
    try:
        client = Client(timeout_ms=_TIMEOUT_MS)
        client.create_feedback(
            run_id=UUID(feedback.run),
            session_id=client.read_project(project_name=get_tracer_project()).id,
            key=KEY,
            score=int(feedback.good),
            comment=feedback.words or None,
            source_info={"thread_id": feedback.thread_id},
            stop_after_attempt=_ATTEMPTS,
        )
    except Exception as error:  # noqa: BLE001 - the client raises its own, requests' and more
        said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
        raise AppError(
            f"the feedback is saved here, but LangSmith did not accept it: {said}; was the thread run "
            "with LANGSMITH_TRACING=true?"
        ) from None
    return True
