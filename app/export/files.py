"""Files of a result: formats by file extension, and writing of files.

Files that cannot be written are refused before the question is asked. A file is written whole or not at all. Renderers
are imported on use. The renderers for Word and PowerPoint need the extra `documents`.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from weiwo.state.errors import WeiwoError

_HIDDEN: Final = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


class ExportError(WeiwoError):
    """A failed export: an unknown format, a missing library, an unwritable place."""


class Format(NamedTuple):
    """An export format.

    Attributes:
        name: Its name, as `render` takes it.
        endings: File name endings of the format. The longest match decides.
        media_type: For HTTP.
        renderer: The module of this package and its function that renders a `Report`. Empty for the result as it is.
        library: The module it needs from the extra `documents`. Empty if no module is needed.
    """

    name: str
    endings: tuple[str, ...]
    media_type: str
    renderer: str = ""
    library: str = ""


_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
FORMATS: Final = {
    item.name: item
    for item in (
        Format("md", (".md", ".markdown"), "text/markdown; charset=utf-8", "markdown:render_markdown"),
        Format("html", (".html", ".htm"), "text/html; charset=utf-8", "html:render_html"),
        Format("docx", (".docx",), f"{_OFFICE}wordprocessingml.document", "docx:render_docx", "docx"),
        Format("pptx", (".pptx",), f"{_OFFICE}presentationml.presentation", "pptx:render_pptx", "pptx"),
        Format("json", (".json",), "application/json"),
        Format("weiwo", (".weiwo",), "application/json", "proof:render_proof"),
        Format("bib", (".bib",), "application/x-bibtex; charset=utf-8", "bibliography:render_bibtex"),
        Format("csl", (".csl.json", ".csl"), "application/vnd.citationstyles.csl+json", "bibliography:render_csl"),
    )
}
"""All formats by name."""


def format_of(path: str | PurePath) -> Format:
    """Return the format for the extension of a file name.

    Raises:
        ExportError: No format has the extension.
    """
    name = PurePath(path).name.lower()
    endings = {ending: item for item in FORMATS.values() for ending in item.endings}
    for ending in sorted(endings, key=len, reverse=True):
        if name.endswith(ending) and name != ending:
            return endings[ending]
    known = " ".join(ending for item in FORMATS.values() for ending in item.endings[:1])
    raise ExportError(f"{str(path)!r}: the ending names no known format; use one of {known}")


def _check_format(name: str) -> Format:
    """Return the format with a name, if the required library is installed.

    Raises:
        ExportError: There is no such format, or its library is missing.
    """
    if name not in FORMATS:
        raise ExportError(f"format {name!r} is unknown; use one of {' '.join(FORMATS)}")
    if FORMATS[name].library and find_spec(FORMATS[name].library) is None:
        raise ExportError(f"format {name!r} needs the extra documents; run pip install 'weiwo[documents]'")
    return FORMATS[name]


def render(
    result: Mapping[str, Any],
    format: str,  # noqa: A002 - what it is
    earlier: Sequence[Mapping[str, Any]] = (),
) -> bytes:
    """Render a result in a format.

    Args:
        result: The result object, as `weiwo ask --json` prints it.
        format: The name of a format: "md", "html", "docx", "pptx", "json", "weiwo", "bib" or "csl".
        earlier: Results of the same thread before it, oldest first; a page of HTML shows them above it.

    Returns:
        The contents of the file.

    Raises:
        ExportError: There is no such format, or its library is missing.
    """
    chosen = _check_format(format)
    if not chosen.renderer:
        text = json.dumps(dict(result), ensure_ascii=False, indent=2)
        return (_HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()
    from weiwo.app.export.report import read_result

    module, _, function = chosen.renderer.partition(":")
    render_report: Callable[..., bytes] = getattr(import_module(f"weiwo.app.export.{module}"), function)
    above = [[read_result(item) for item in earlier]] if chosen.name == "html" else []
    return render_report(read_result(result), *above)


def export(result: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a result to a file, in the format of the file's extension. An existing file is replaced.

    Args:
        result: The result object, as `weiwo ask --json` prints it and `graph.invoke(...)["result"]` holds it.
        path: The file.

    Returns:
        Its absolute path.

    Raises:
        ExportError: The ending names no format, a library is missing, or the file cannot be written.
    """
    file = _check_output(path)
    _write_atomically(file, render(result, format_of(file).name))
    return file


def _check_output(path: str | os.PathLike[str]) -> Path:
    """Return the absolute path of an output file, if the file can be written.

    Raises:
        ExportError: The ending names no format, its library is missing, the path cannot be a file, or permissions are
            missing.
    """
    file = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - without "..", so that a name stands once
    if file.is_dir():
        raise ExportError(f"{str(path)!r} is a folder; give the name of a file")
    _check_format(format_of(file).name)
    if not file.parent.is_dir():
        raise ExportError(
            f"{str(path)!r} cannot be written, because the folder {str(file.parent)!r} does not exist; create it first"
        )
    if file.exists() and not (file.is_file() and os.access(file, os.W_OK)):
        raise ExportError(f"{str(path)!r} cannot be overwritten; check its permissions, or choose another file")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise ExportError(
            f"{str(path)!r} cannot be written, because its folder is not writable; check the folder's permissions, "
            "or choose another folder"
        )
    return file


def check_outputs(paths: Sequence[str]) -> list[Path]:
    """Return the absolute paths of output files, if all files can be written.

    Raises:
        ExportError: A file cannot be written, or two paths name the same file.
    """
    files = [_check_output(path) for path in paths]
    for position, file in enumerate(files):
        if file in files[:position]:
            raise ExportError(f"{paths[position]!r} is named twice; name each file once")
    return files


def _write_atomically(file: Path, content: bytes) -> None:
    """Write a file atomically: readers see the old or the new content, never a partial file."""
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
        raise ExportError(f"{str(file)!r} could not be written ({error.strerror or error})") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
