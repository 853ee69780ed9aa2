"""Jupyter notebooks: the text, code and output of the cells."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from weiwo.text.chunking import chunk_text
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, read_text, require_passages

_COLOUR: Final = lazy(r"\x1b\[[0-9;]*m")
_SHOWN: Final = ("text/markdown", "text/plain", "text/latex", "text/html")


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a notebook. Positions are cell numbers.

    Raises:
        UnreadableError: The file is no notebook, or is empty.
    """
    try:
        book = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"not a notebook: {error}") from None
    cells = _list_cells(book)
    lines: list[str] = []
    cell_of: list[int] = []
    for number, cell in enumerate(cells, 1):
        added = ["", *_write_cell(cell).split("\n"), ""]
        lines += added
        cell_of += [number] * len(added)
    title, chunks = chunk_text("\n".join(lines), markdown=True, name=name)
    placed = [c._replace(first=cell_of[c.first - 1], last=cell_of[c.last - 1]) for c in chunks]
    return require_passages(Part(choose_title(title) or name, make_passages(placed, unit="cell")))


def _list_cells(book: Any) -> list[dict[str, Any]]:
    """Return the cells of a notebook of any version. Before version 4, only the first worksheet is read.

    Raises:
        UnreadableError: The object has no list of cells.
    """
    sheets = book.get("worksheets") if isinstance(book, dict) else None  # before version 4 of the format
    holder = sheets[0] if isinstance(sheets, list) and sheets else book
    cells = holder.get("cells") if isinstance(holder, dict) else None
    if not isinstance(cells, list):
        raise UnreadableError("not a notebook: it has no cells")
    return [cell if isinstance(cell, dict) else {} for cell in cells]


def _write_cell(cell: dict[str, Any]) -> str:
    """Write a cell as Markdown, with code and output between fences."""
    text = _join(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "heading":
        return f"{'#' * int(cell.get('level') or 1)} {text}"
    if cell.get("cell_type") != "code":
        return text
    listed = cell.get("outputs")
    outputs = [_read_output(item) for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return "\n\n".join(f"~~~~\n{output.strip(chr(10))}\n~~~~" for output in (text, *outputs) if output.strip())


def _read_output(output: dict[str, Any]) -> str:
    if output.get("output_type") in {"error", "pyerr"}:
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data")
    if not isinstance(data, dict):
        return _COLOUR.sub("", _join(output.get("text")))
    kind = next((kind for kind in _SHOWN if kind in data), "")
    shown = _join(data.get(kind))
    if kind == "text/html":
        return "\n\n".join(chunk.text for chunk in parse_html(shown).body.cut_chunks()[1])
    return _COLOUR.sub("", shown)


def _join(source: Any) -> str:
    return clean_text("".join(map(str, source)) if isinstance(source, list) else str(source or ""))
