"""What was typed, checked: questions, threads, checkpoints, values and options become what commands work with."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weiwo.app.cli.errors import UsageError


def question_of(words: Sequence[str]) -> str:
    """The question, cleaned and checked: several words are one; "-" alone stands for standard input."""
    from weiwo.nodes.shared.question.validation import QuestionError, check_question  # noqa: PLC0415 - upon need

    text = " ".join(words)
    if text == "-":
        try:
            text = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise UsageError("the question; standard input is not UTF-8 text; convert it") from None
    try:
        return check_question(text)
    except QuestionError as error:
        raise UsageError(str(error)) from None


def fork_place(text: str, thread: str | None) -> tuple[str | None, str]:
    """The thread, if it is named, and the beginning of the checkpoint's id."""
    name, at, checkpoint = text.rpartition("@")
    if not at:
        return (None if thread is None else checked_thread_id(thread)), text
    if thread not in {None, name}:
        raise UsageError(f"--from {text!r} and --thread {thread!r}; they name two threads; name one")
    return checked_thread_id(name), checkpoint


def fork_values(given: list[str] | None) -> dict[str, str]:
    """The values to set, by task id."""
    values: dict[str, str] = {}
    for one in given or ():
        task_id, equals, value = one.partition("=")
        if not (task_id.strip() and equals and value.strip()):
            raise UsageError(f"--set {one!r}; it is not TASK=VALUE; write, say, --set task_1='156 BC'")
        if task_id.strip() in values:
            raise UsageError(f"--set {one!r}; {task_id.strip()} is set twice; give it one value")
        values[task_id.strip()] = value.strip()
    return values


def output_files(given: list[str] | None) -> tuple[Path, ...]:
    """The files to write, if all of them can be written."""
    if not given:
        return ()
    from weiwo.app.export.files import check_outputs  # noqa: PLC0415 - upon need
    from weiwo.app.export.formats import ExportError  # noqa: PLC0415 - upon need

    try:
        return tuple(check_outputs(given))
    except ExportError as error:
        raise UsageError(f"--output {error}") from None


def checked_thread_id(text: str) -> str:
    """The thread id, if it is one."""
    from weiwo.graph.persistence.threads import check_thread_id  # noqa: PLC0415 - heavy

    try:
        return check_thread_id(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def context_of(**options: Any) -> Any:
    """The options as a run's context."""
    from pydantic import ValidationError  # noqa: PLC0415 - heavy

    from weiwo.state.settings import Context, describe_validation_error  # noqa: PLC0415 - heavy

    model = options.get("model")
    if model is not None and not all(part.strip() for part in f"{model}:".split(":", 2)[:2]):
        raise UsageError(f"--model {model!r}; it names no provider; write provider:model, such as openai:gpt-5-mini")
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Context(**given) if given else Context.model_construct()  # which builds no validator
    except ValidationError as error:
        raise UsageError(f"--{describe_validation_error(error).replace('_', '-', 1)}; correct it") from None
