"""Export formats: their names, endings and media types, and the one door to their renderers.

Renderers are imported when they are used; those of Word and PowerPoint stand on the extra `documents`.
"""

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from weiwo.state.errors import WeiwoError

_HIDDEN: Final = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


class ExportError(WeiwoError):
    """A result cannot be exported: an unknown format, a missing library, a place that cannot be written to."""


class Format(NamedTuple):
    """A format.

    Attributes:
        name: Its name, as `render` takes it.
        endings: Endings of file names that mean it, the longest that fits decides.
        media_type: For HTTP.
        renderer: The module of this package and its function that renders a `Report`; empty for the result as it is.
        library: The module it needs from the extra `documents`; empty for none.
    """

    name: str
    endings: tuple[str, ...]
    media_type: str
    renderer: str = ""
    library: str = ""


_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
FORMATS: Final = {
    one.name: one
    for one in (
        Format("md", (".md", ".markdown"), "text/markdown; charset=utf-8", "markdown:render_markdown"),
        Format("html", (".html", ".htm"), "text/html; charset=utf-8", "html:render_html"),
        Format("docx", (".docx",), f"{_OFFICE}wordprocessingml.document", "docx:render_docx", "docx"),
        Format("pptx", (".pptx",), f"{_OFFICE}presentationml.presentation", "pptx:render_pptx", "pptx"),
        Format("json", (".json",), "application/json"),
        Format("bib", (".bib",), "application/x-bibtex; charset=utf-8", "bibliography:render_bibtex"),
        Format("csl", (".csl.json", ".csl"), "application/vnd.citationstyles.csl+json", "bibliography:render_csl"),
    )
}
"""All formats by name."""


def format_of(path: str | PurePath) -> Format:
    """The format that the ending of a file's name means.

    Raises:
        ExportError: It means none.
    """
    name = PurePath(path).name.lower()
    endings = {ending: one for one in FORMATS.values() for ending in one.endings}
    for ending in sorted(endings, key=len, reverse=True):
        if name.endswith(ending) and name != ending:
            return endings[ending]
    known = " ".join(ending for one in FORMATS.values() for ending in one.endings[:1])
    raise ExportError(f"{str(path)!r}; its ending names no format; use one of {known}")


def check_format(name: str) -> Format:
    """The format of that name, if what it needs is installed.

    Raises:
        ExportError: There is no such format, or its library is missing.
    """
    if name not in FORMATS:
        raise ExportError(f"format {name!r}; there is none of that name; use one of {' '.join(FORMATS)}")
    if FORMATS[name].library and find_spec(FORMATS[name].library) is None:
        raise ExportError(f"format {name!r}; it needs the extra documents; pip install 'weiwo[documents]'")
    return FORMATS[name]


def render(result: Mapping[str, Any], format: str) -> bytes:  # noqa: A002 - what it is
    """Render a result in a format.

    Args:
        result: The result object, as `weiwo ask --json` prints it.
        format: The name of a format: "md", "html", "docx", "pptx", "json", "bib" or "csl".

    Returns:
        The contents of the file.

    Raises:
        ExportError: There is no such format, or its library is missing.
    """
    chosen = check_format(format)
    if not chosen.renderer:
        text = json.dumps(dict(result), ensure_ascii=False, indent=2)
        return (_HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()
    from weiwo.app.export.report import Report, read_result  # noqa: PLC0415 - JSON needs none

    module, _, function = chosen.renderer.partition(":")
    render_report: Callable[[Report], bytes] = getattr(import_module(f"weiwo.app.export.{module}"), function)
    return render_report(read_result(result))
