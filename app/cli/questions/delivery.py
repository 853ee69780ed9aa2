"""Delivery of a run: watching, printing the result, and the files requested with `--output`.

An interrupted run still owes its files to the person who resumes it. The files are recorded in a file of Weiwo's own
folder and not in the thread: others who can write to a thread, such as clients of a server, may not decide where files
are written here.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import FAILED, STATUS_CODES
from weiwo.app.cli.output import hint, is_terminal, say, terminal, write, write_json
from weiwo.app.export.files import ExportError, export, format_of
from weiwo.app.export.template import fill_template
from weiwo.app.render.answer import (
    describe_age,
    foot,
    list_notices,
    model_trouble,
    plain_answer,
    print_answer,
    shortfall,
)
from weiwo.app.render.labels import label
from weiwo.app.render.live import LiveView
from weiwo.app.render.plan_tree import comparison_lines
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.render.watchers import Lines, Watcher
from weiwo.state.environment import home
from weiwo.state.settings import Settings
from weiwo.text.language_detection import detect_language
from weiwo.tools.private_files import replace_private_file
from weiwo.tools.template import Template

_READ_BY_PEOPLE: Final = frozenset({"md", "html", "docx", "pptx"})
"""Formats for reading, which a template fills. Data formats ignore the template."""


@dataclass(frozen=True)
class Delivery:
    """Reporting options of a run, and the destination of the result.

    Attributes:
        as_json: Print objects alone, and ask nobody.
        verbose: Report each step.
        files: Absolute paths of files to write the answer to.
        events: Print each event as an object on a line while the run goes on, and the result as the last object.
    """

    as_json: bool = False
    verbose: bool = False
    files: tuple[Path, ...] = ()
    events: bool = False

    def write_object(self, kind: str, value: Mapping[str, Any]) -> None:
        """Write the result of a run. `kind` is the type of the result among events."""
        write_json(*(({"type": kind, **value}, None) if self.events else (value,)))


class _EventLines(Watcher):
    """Writes each event to standard output as a line of JSON."""

    def event(self, event: Mapping[str, Any]) -> None:
        """Process an event and write the event as JSON."""
        super().event(event)
        if event.get("type") != "waiting":  # what waits is the last line
            write_json(event, None)


def make_watcher(question: str, delivery: Delivery) -> Watcher:
    """Return the watcher that reports on a run.

    A terminal gets a live view, `verbose` a line for each step on standard error, and `events` a JSON line for each
    event. With `as_json` or on a pipe, nothing is reported.
    """
    language = detect_language(question)
    if delivery.events:
        return _EventLines(language)
    if delivery.verbose:
        return Lines(sys.stderr, language)
    if delivery.as_json or not is_terminal():
        return Watcher(language)
    return LiveView(terminal(), question, language)


def print_result(result: Mapping[str, Any], watcher: Watcher, settings: Settings, delivery: Delivery) -> int:
    """Print a result and return the exit code. With `verbose`, the words of each source are printed too."""
    no_model = label(_language(result), "no_model") if not settings.models and _first_time(settings) else ""
    code = STATUS_CODES.get(str(result.get("status")), FAILED)
    if is_terminal() and not delivery.as_json:
        _draw_result(result, watcher, no_model, verbose=delivery.verbose)
        return code
    if delivery.as_json:
        delivery.write_object("result", result)
    else:
        write(plain_answer(result, verbose=delivery.verbose))
    compared = comparison_lines(result, _language(result)) if delivery.verbose else ()
    thread = "" if delivery.as_json or delivery.verbose else label(_language(result), "thread", result.get("thread_id"))
    for line in (describe_age(result), *compared, thread):
        if line:
            hint(line)
    if code:
        say(shortfall(result))
    if no_model:
        hint(no_model)
    elif trouble := model_trouble(result):
        hint(trouble)
    return code


def _language(result: Mapping[str, Any]) -> str:
    return str(result.get("language", "en"))


def _draw_result(result: Mapping[str, Any], watcher: Watcher, no_model: str, *, verbose: bool) -> None:
    """Print a result on a terminal: the answer, sources, a plan of several tasks, then notices."""
    console = terminal()
    if age := describe_age(result):
        console.print(Flow(Text(age, "bold")))
        console.print()
    print_answer(console, result, verbose=verbose)
    console.print()
    if isinstance(watcher, LiveView):
        watcher.print_plan(least=2)
    for line in list_notices(result):
        console.print(Flow(Text(line, "yellow")))
    decided_by = str(watcher.progress.assessed.get("decided_by") or "")
    compared = comparison_lines(result, _language(result)) if verbose else ()
    for line in filter(None, (*compared, foot(result, decided_by, verbose=verbose), no_model)):
        console.print(Flow(Text(line, "dim")))


def _first_time(settings: Settings) -> bool:
    """Report whether the hint about models has not been given on this machine yet. It then counts as given."""
    try:
        (Path(settings.home) / "model-hint-given").touch(0o600, exist_ok=False)
    except OSError:  # given, or there is no place to note it
        return False
    return True


def remember_files(thread_id: str, files: Sequence[Path]) -> None:
    """Record the files owed to a thread's next answer, replacing earlier files.

    If the record cannot be written, nothing is recorded and no error is raised.

    Args:
        thread_id: The thread.
        files: Absolute paths. Empty if nothing is owed.
    """
    note = _note_of(thread_id)
    with suppress(OSError):
        if files:
            replace_private_file(note, json.dumps([str(file) for file in files]).encode())
        else:
            note.unlink(missing_ok=True)


def owed_files(thread_id: str) -> list[Path]:
    """Return the files to write once a thread has its next answer. Empty if there are none."""
    with suppress(OSError, ValueError, TypeError):
        return [Path(file) for file in json.loads(_note_of(thread_id).read_text("utf-8"))]
    return []


def _note_of(thread_id: str) -> Path:
    return home() / "owed-files" / f"{thread_id.replace(':', '_')}.json"  # which Windows allows in no file name


def write_files(
    result: Mapping[str, Any], files: Sequence[Path], template: Template | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Write a result to each file. A file that cannot be written does not stop the others.

    Args:
        result: The result object.
        files: Absolute paths.
        template: Fills the files for reading. Data files always hold the result itself.

    Returns:
        The result, with the list `files` of the written files if any were asked for, and a complaint for each file that
        could not be written.
    """
    if not files:
        return dict(result), []
    written: list[str] = []
    complaints: list[str] = []
    filled = fill_template(template, result) if template else result
    for file in files:
        try:
            written.append(str(export(filled if format_of(file).name in _READ_BY_PEOPLE else result, file)))
        except ExportError as error:
            complaints.append(f"--output {error}")
    return {**result, "files": written}, complaints


def tell_files(result: Mapping[str, Any], complaints: Sequence[str], *, as_json: bool) -> int:
    """Report written files and failures on standard error.

    Returns the exit code, 0 if all files were written.
    """
    for file in () if as_json else result.get("files") or ():
        hint(f"wrote {file}")
    for complaint in complaints:
        say(complaint)
    return FAILED if complaints else 0
