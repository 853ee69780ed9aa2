"""Files of a result: checked before the question is asked, written whole or not at all once it is answered."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from weiwo.app.export.formats import ExportError, check_format, format_of, render


def export(result: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a result to a file, in the format that its ending names; a file that is there is replaced.

    Args:
        result: The result object, as `weiwo ask --json` prints it and `graph.invoke(...)["result"]` holds it.
        path: The file.

    Returns:
        Its absolute path.

    Raises:
        ExportError: The ending names no format, a library is missing, or the file cannot be written.
    """
    file = check_output(path)
    write_atomically(file, render(result, format_of(file).name))
    return file


def check_output(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a file to be written, if it can be.

    Raises:
        ExportError: The ending names no format, its library is missing, it is no place for a file, or may not be used.
    """
    file = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - without "..", so that a name stands once
    if file.is_dir():
        raise ExportError(f"{str(path)!r}; it is a folder; name a file in it")
    check_format(format_of(file).name)
    if not file.parent.is_dir():
        raise ExportError(f"{str(path)!r}; there is no folder {str(file.parent)!r}; make it first")
    if file.exists() and not (file.is_file() and os.access(file, os.W_OK)):
        raise ExportError(f"{str(path)!r}; it may not be overwritten; see its permissions, or name another file")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ExportError(f"{str(path)!r}; its folder may not be written to; see its permissions, or name another")
    return file


def check_outputs(paths: Sequence[str]) -> list[Path]:
    """The absolute paths of files to be written, if all of them can be.

    Raises:
        ExportError: One of them cannot, or two are the same file.
    """
    files = [check_output(path) for path in paths]
    for position, file in enumerate(files):
        if file in files[:position]:
            raise ExportError(f"{paths[position]!r}; it is named twice; name each file once")
    return files


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file atomically: a reader finds the old one or the new one, and nothing half-written is left behind."""
    target = file.resolve()  # a link stays a link
    part: Path | None = None
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
        part = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.chmod(mode)
        part.replace(target)
    except OSError as error:
        if part is not None:
            with suppress(OSError):
                part.unlink()
        raise ExportError(f"{str(file)!r}; it could not be written ({error.strerror or error})") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
