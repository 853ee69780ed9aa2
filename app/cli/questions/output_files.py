"""Files a person asked for with `--output`: remembered until they are written, written from a result, and told of.

A run that is interrupted owes its files to whoever resumes it. They are noted in a file of Weiwo's own folder and not
in the thread: others who can write to a thread, such as clients of a server, may not say where files are written here.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from weiwo.app.cli.errors import FAILED
from weiwo.app.cli.output import hint, say
from weiwo.state.home import home
from weiwo.tools.private_files import make_private_file, make_private_folder


def remember_files(thread_id: str, files: Sequence[Path]) -> None:
    """Note which files a thread's next answer is owed to, instead of any before. What cannot be noted is not.

    Args:
        thread_id: The thread.
        files: Absolute paths; none if nothing is owed.
    """
    note = _note_of(thread_id)
    with suppress(OSError):
        if files:
            make_private_folder(note.parent)
            make_private_file(note)
            note.write_text(json.dumps([str(file) for file in files]), "utf-8")
        else:
            note.unlink(missing_ok=True)


def owed_files(thread_id: str) -> list[Path]:
    """The files that a thread's next answer is owed to."""
    with suppress(OSError, ValueError, TypeError):
        return [Path(file) for file in json.loads(_note_of(thread_id).read_text("utf-8"))]
    return []


def _note_of(thread_id: str) -> Path:
    return home() / "owed-files" / f"{thread_id.replace(':', '_')}.json"  # which Windows allows in no file name


def write_files(result: Mapping[str, Any], files: Sequence[Path]) -> tuple[dict[str, Any], list[str]]:
    """Write a result to each file.

    Args:
        result: The result object.
        files: Absolute paths.

    Returns:
        The result with the list of the files written, where any were asked for; and what went wrong with others.
    """
    if not files:
        return dict(result), []
    from weiwo.app.export.files import export  # noqa: PLC0415 - most runs write none
    from weiwo.app.export.formats import ExportError  # noqa: PLC0415 - as above

    written: list[str] = []
    complaints: list[str] = []
    for file in files:
        try:
            written.append(str(export(result, file)))
        except ExportError as error:
            complaints.append(f"--output {error}")
    return {**result, "files": written}, complaints


def tell_files(result: Mapping[str, Any], complaints: Sequence[str], *, as_json: bool) -> int:
    """Say on standard error what was written and what was not; returns the exit code, 0 if all was."""
    for file in () if as_json else result.get("files") or ():
        hint(f"wrote {file}")
    for complaint in complaints:
        say(complaint)
    return FAILED if complaints else 0
