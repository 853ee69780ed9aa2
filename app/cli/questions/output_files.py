"""Files a person asked for with `--output`: written from a result, and told of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weiwo.app.cli.errors import FAILED
from weiwo.app.cli.output import hint, say


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
