"""Kinds of files, and how each becomes passages: one small module a kind, and this table."""

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from tools.corpus.formats.base import Part, Reader

__all__ = ["KINDS", "Kind", "Part", "kind_of", "reader"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file.

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


_TEXT: Final = Kind("text", "plain")
_CODE: Final = Kind("code", "source_code")
_HTML: Final = Kind("html", "web_page")

KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), Kind("markdown", "markdown")),
    **dict.fromkeys((".txt", ".text", ".log", ".tex", ".org", ".adoc"), _TEXT),
    ".rst": Kind("rst", "restructured"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    ".pdf": Kind("pdf", "pdf", heavy=True),
    ".docx": Kind("docx", "word", heavy=True),
    ".pptx": Kind("pptx", "slides", heavy=True),
    **dict.fromkeys((".xlsx", ".xlsm"), Kind("xlsx", "sheets", heavy=True)),
    **dict.fromkeys((".csv", ".tsv"), Kind("csv", "delimited", streams=True)),
    ".json": Kind("json", "json_document"),
    **dict.fromkeys((".jsonl", ".ndjson"), Kind("json", "json_lines", streams=True)),
    ".epub": Kind("epub", "epub", heavy=True),
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


def kind_of(path: str) -> Kind | None:
    """The kind of a file by its name, or None where it is none that we read."""
    stem, dot, ending = os.path.basename(path).rpartition(".")  # noqa: PTH119 - asked some times of every file
    return KINDS.get(f".{ending.lower()}") if dot and stem else _NAMES.get(ending.lower())


def reader(kind: Kind) -> Reader:
    """What reads a kind; its module is loaded now."""
    read: Reader = import_module(f"{__name__}.{kind.module}").read
    return read
