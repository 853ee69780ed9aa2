"""File formats, and how each becomes passages: one small module a format, and this table."""

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from weiwo.tools.corpus.formats.parts import Part, PartReader

__all__ = ["FORMATS", "FileFormat", "Part", "find_format", "load_reader"]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format.

    Attributes:
        type: What it is called in `Document.type`.
        module: The module of this package whose `read` reads it.
        streams: Whether it is read a part at a time, so that its size does not matter to memory.
        heavy: Whether its parser is large, and so are its demands.
    """

    type: str
    module: str
    streams: bool = False
    heavy: bool = False


_TEXT: Final = FileFormat("text", "plain_text")
_CODE: Final = FileFormat("code", "source_code")
_HTML: Final = FileFormat("html", "web_page")
_LEGACY: Final = (".doc", ".dot", ".ppt", ".pps", ".xls", ".xlsb", ".rtf", ".msg")

FORMATS: Final[dict[str, FileFormat]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), FileFormat("markdown", "markdown")),
    **dict.fromkeys((".txt", ".text", ".log", ".tex", ".org", ".adoc"), _TEXT),
    ".rst": FileFormat("rst", "restructuredtext"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    ".pdf": FileFormat("pdf", "pdf", heavy=True),
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), FileFormat("docx", "docx", heavy=True)),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), FileFormat("pptx", "pptx", heavy=True)),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), FileFormat("xlsx", "xlsx", heavy=True)),
    **dict.fromkeys((".csv", ".tsv"), FileFormat("csv", "delimited_text", streams=True)),
    ".json": FileFormat("json", "json_document"),
    **dict.fromkeys((".jsonl", ".ndjson"), FileFormat("json", "json_lines", streams=True)),
    **dict.fromkeys((".odt", ".ott"), FileFormat("odt", "odf", heavy=True)),
    **dict.fromkeys((".ods", ".ots"), FileFormat("ods", "odf", heavy=True)),
    ".odp": FileFormat("odp", "odf", heavy=True),
    **{ending: FileFormat(ending[1:], "legacy_office", heavy=True) for ending in _LEGACY},
    ".eml": FileFormat("eml", "email_message", heavy=True),
    ".ipynb": FileFormat("ipynb", "notebook"),
    ".epub": FileFormat("epub", "epub", heavy=True),
    **dict.fromkeys(
        (
            *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".java", ".kt", ".kts", ".scala", ".go"),
            *(".rs", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".cs", ".swift", ".m", ".rb", ".php", ".pl"),
            *(".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".clj", ".dart", ".zig", ".sh", ".bash", ".zsh"),
            *(".ps1", ".sql", ".css", ".scss", ".vue", ".proto", ".graphql", ".tf", ".cmake", ".toml", ".yaml"),
            *(".yml", ".ini", ".cfg", ".conf", ".properties", ".xml"),
        ),
        _CODE,
    ),
}
"""Kinds by the ending of the name, in lower case."""

_NAMES: Final = {
    **dict.fromkeys(("readme", "license", "copying", "authors", "changes", "changelog", "notice", "todo"), _TEXT),
    **dict.fromkeys(("makefile", "dockerfile", "jenkinsfile", "gemfile", "rakefile"), _CODE),
}


def find_format(path: str) -> FileFormat | None:
    """The format of a file by its name, or None where it is none that we read."""
    name = os.path.basename(path) if os.sep in path else path  # noqa: PTH119 - asked some times of every file
    stem, dot, ending = name.rpartition(".")
    return FORMATS.get(f".{ending.lower()}") if dot and stem else _NAMES.get(ending.lower())


def load_reader(kind: FileFormat) -> PartReader:
    """The reader of a format; its module is loaded now."""
    read: PartReader = import_module(f"{__name__}.{kind.module}").read
    return read
