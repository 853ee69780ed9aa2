"""File formats and readers: a small module per format, and this table.

The contract of a reader is `PartReader`: a function `read(file, name)` that takes a file opened for reading bytes and a
title for a file that states none, and yields `Part`s. A part has `Passage`s in document order, a title, an ISO date if
the file states one, and as `losses` everything of the file that is in no passage (`weiwo.tools.corpus.losses.Loss`; for
the kind `other`, `places` say what). It raises `UnreadableError` with one line if nothing can be read. It runs in a
process of its own, within limits of time and memory, and must not write.

A passage has its text, a locator for people, and its context: `headings`, the whole path below the title, outermost
first, and by name the facts that its words do not say (`caption` of a table, or `sender`, `recipients` and `sent` of a
mail). Rows of a table begin with its header row. File name and title belong to the document. All of that is indexed,
shown and given to models, but only the text is quoted.

Another package adds a format by an entry point of the group `weiwo.formats`: its name is the ending of the files,
without the dot, its value the reader, as in `hwp = "my_package.hwp:read"`. Endings in this table are not replaced.
"""

import os
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from shutil import which
from typing import Final

from weiwo.text.data_files import data_words
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError, detect_encoding
from weiwo.tools.corpus.formats.parts import Part, PartReader

__all__ = ["FORMATS", "FileFormat", "Part", "find_format", "is_text_file", "load_reader", "sniff_format"]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format."""

    type: str  # value of `Document.type`
    module: str  # module of this package with the reader `read`, or another reader as `package.module:read`
    streams: bool = False  # whether parts are yielded while the file is read, so that large files need little memory
    heavy: bool = False  # whether the parser is large or slow, so that each file is read in a request of its own


_HERE: Final = "weiwo.tools.corpus.formats"
_TEXTS: Final = f"{_HERE}.text_documents"
_TEXT: Final = FileFormat("text", f"{_TEXTS}:read_plain_text")
_CODE: Final = FileFormat("code", "source_code")
_MAIL: Final = FileFormat("eml", "email_message", heavy=True)
_HTML: Final = FileFormat("html", f"{_TEXTS}:read_web_page")
PICTURES: Final = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")
"""Endings of pictures, which are read if tesseract is installed, and are unsupported otherwise."""
_LEGACY: Final = (".doc", ".dot", ".ppt", ".pps", ".xls", ".xlsb", ".rtf", ".msg")

FORMATS: Final[dict[str, FileFormat]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), FileFormat("markdown", f"{_TEXTS}:read_markdown")),
    **dict.fromkeys((".txt", ".text", ".log", ".tex", ".org", ".adoc"), _TEXT),
    ".rst": FileFormat("rst", f"{_TEXTS}:read_rst"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    ".pdf": FileFormat("pdf", "pdf", heavy=True),
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), FileFormat("docx", "docx", heavy=True)),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), FileFormat("pptx", "pptx", heavy=True)),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), FileFormat("xlsx", "xlsx", heavy=True)),
    **dict.fromkeys((".csv", ".tsv", ".tab"), FileFormat("csv", "delimited_text", streams=True)),
    ".json": FileFormat("json", "json_document"),
    **dict.fromkeys((".jsonl", ".ndjson"), FileFormat("json", "json_lines", streams=True)),
    **dict.fromkeys((".odt", ".ott"), FileFormat("odt", "odf", heavy=True)),
    **dict.fromkeys((".ods", ".ots"), FileFormat("ods", "odf", heavy=True)),
    ".odp": FileFormat("odp", "odf", heavy=True),
    **{ending: FileFormat(ending[1:], "legacy_office", heavy=True) for ending in _LEGACY},
    ".eml": _MAIL,
    ".mbox": FileFormat("mbox", "mailbox", streams=True, heavy=True),
    **dict.fromkeys((".vtt", ".srt"), FileFormat("transcript", "transcript")),
    **dict.fromkeys((".ics", ".ical"), FileFormat("calendar", f"{_HERE}.contact_lines:read_calendar", heavy=True)),
    **dict.fromkeys((".vcf", ".vcard"), FileFormat("contacts", f"{_HERE}.contact_lines:read_contacts", heavy=True)),
    **dict.fromkeys((".po", ".pot"), FileFormat("translations", "translations")),
    ".bib": FileFormat("bibliography", f"{_HERE}.bibliography:read_bibtex"),
    ".ris": FileFormat("bibliography", f"{_HERE}.bibliography:read_ris"),
    **dict.fromkeys((".mht", ".mhtml"), FileFormat("html", "web_archive", heavy=True)),
    ".parquet": FileFormat("parquet", f"{_HERE}.databases:read_parquet", heavy=True),
    **dict.fromkeys(
        (".sqlite", ".sqlite3", ".db", ".db3"), FileFormat("sqlite", f"{_HERE}.databases:read_sqlite", heavy=True)
    ),
    ".fb2": FileFormat("fb2", "fictionbook", heavy=True),
    ".gpx": FileFormat("places", f"{_HERE}.places:read_gpx", heavy=True),
    ".geojson": FileFormat("places", f"{_HERE}.places:read_geojson"),
    **{f".f{kind}": FileFormat(kind, f"{_HERE}.odf:read_flat", heavy=True) for kind in ("odt", "ods", "odp")},
    ".ipynb": FileFormat("ipynb", "notebook"),
    ".epub": FileFormat("epub", "epub", heavy=True),
    **dict.fromkeys(PICTURES, FileFormat("picture", "ocr", heavy=True)),
    ".zip": FileFormat("zip", "zip_files", heavy=True),
    **dict.fromkeys((".yaml", ".yml"), FileFormat("code", f"{_HERE}.source_code:read_yaml")),
    **dict.fromkeys(
        (
            *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".java", ".kt", ".kts", ".scala", ".go"),
            *(".rs", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs", ".swift", ".m", ".rb", ".php", ".pl"),
            *(".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".clj", ".dart", ".zig", ".sh", ".bash", ".zsh"),
            *(".ps1", ".sql", ".css", ".scss", ".vue", ".proto", ".graphql", ".tf", ".cmake", ".toml"),
            *(".ini", ".cfg", ".conf", ".properties", ".xml"),
        ),
        _CODE,
    ),
}
"""Formats by file ending, in lower case."""

_MAILDIR: Final = lazy(r"/(?:cur|new)/\d{1,20}\.[^/]{1,200}$")
"""End of the path of a message in a Maildir folder. Its name ends in a host name and flags."""
_SNIFFED: Final = 4_096
"""First bytes of a file that are examined to find out whether it is text."""
NOT_DOCUMENTS: Final = data_words("file_endings", "no_documents")
"""Endings of pictures, sound, archives, programs and machine files. These files are counted, but not reported."""

UNREAD_DOCUMENTS: Final = data_words("file_endings", "unread_documents")
"""Endings of unsupported document formats. Each file is reported by name as not indexed."""

_NAMES: Final = {
    **dict.fromkeys(("readme", "license", "copying", "authors", "changes", "changelog", "notice", "todo"), _TEXT),
    **dict.fromkeys(("makefile", "dockerfile", "jenkinsfile", "gemfile", "rakefile"), _CODE),
}


def find_format(path: str) -> FileFormat | None:
    """Return the format of a file by its path alone, or None for an unsupported format.

    The ending decides, or the whole name of a file without an ending ("Makefile"). A file with neither is text. A
    message in a Maildir folder is known by its path. Pictures are unsupported without tesseract.
    """
    name = os.path.basename(path) if os.sep in path else path  # noqa: PTH119 - asked some times of every file
    stem, dot, ending = name.rpartition(".")
    if not (dot and stem):
        return _NAMES.get(ending.lower(), None if dot else _TEXT)
    kind = FORMATS.get(f".{ending.lower()}") or _list_added().get(ending.lower())
    if kind is None:
        return _MAIL if _MAILDIR.search(path) else None
    return None if kind.type == "picture" and not _has_ocr() else kind


def sniff_format(path: str) -> FileFormat | None:
    """Return the format of a file by name, or by content for text with an unknown ending.

    None for an unsupported file: one with an ending known as unsupported, or one that is not text.
    """
    kind = find_format(path)
    if kind is not None:
        return kind
    ending = os.path.splitext(path)[1].lower()  # noqa: PTH122 - the same
    return None if ending in NOT_DOCUMENTS | UNREAD_DOCUMENTS or not is_text_file(path) else _TEXT


def is_text_file(path: str) -> bool:
    """Report whether a file begins like text. False if the file cannot be opened."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the same
            head = file.read(_SNIFFED)
        encoding = detect_encoding(head)
    except (UnreadableError, OSError):
        return False
    return bool(head.strip()) and not (encoding == "utf-8" and b"\0" in head)


@cache
def _has_ocr() -> bool:
    return which("tesseract") is not None


@cache
def _list_added() -> dict[str, FileFormat]:
    """Return the formats added by installed packages, by file ending."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and few files need it

    added = entry_points(group="weiwo.formats")
    return {item.name.lower(): FileFormat(item.name.lower(), item.value, heavy=True) for item in added}


def load_reader(kind: FileFormat) -> PartReader:
    """Import the module of a format and return the reader."""
    package, _, function = kind.module.partition(":")
    module = import_module(package if function else f"{__name__}.{package}")
    read: PartReader = getattr(module, function or "read")
    return read
