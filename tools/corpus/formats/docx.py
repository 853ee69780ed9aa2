"""DOCX: paragraphs, headings and tables, in order."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.parts import (
    Part,
    choose_title,
    import_parser,
    make_passages,
    require_passages,
)
from weiwo.tools.corpus.formats.zip_archive import open_office

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_HEADING: Final = lazy(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Word document; its places count paragraphs and table rows, as it has no lines.

    Raises:
        UnreadableError: It is encrypted, is no DOCX, or is empty.
    """
    with open_office(file, import_parser("docx").Document, "Word document") as document:
        body, place = DocumentBuilder(), 0
        title = ""
        for block in document.iter_inner_content():
            if hasattr(block, "rows"):
                rows = list(_read_rows(block))
                body.add_table([(cells, place + number) for number, cells in enumerate(rows, 1)])
                place += len(rows)
                continue
            place += 1
            style = _read_style(block)
            if style.lower() == "title" and not title:
                title = choose_title(block.text)
            if found := _HEADING.match(style):
                body.add_heading(int(found[1]), block.text, place)
            else:
                body.add_paragraph(block.text, place, item=style.lower().startswith("list"))
        stated = document.core_properties
        top, chunks = body.cut_chunks()
        shown = make_passages(chunks, unit="paragraph")
        return require_passages(
            Part(
                choose_title(title, top, stated.title) or name, shown, find_saved_date(stated.modified, stated.created)
            )
        )


def _read_style(paragraph: "Paragraph") -> str:
    style = paragraph.style
    return (style.name or "") if style is not None else ""


def _read_rows(table: "Table") -> Iterator[list[str]]:
    """The rows of a table, a merged cell once."""
    for row in table.rows:
        cells: list[str] = []
        last = None
        for cell in row.cells:
            if cell._tc is not last:  # noqa: SLF001 - python-docx has no other way to tell merged cells
                cells.append(cell.text)
            last = cell._tc  # noqa: SLF001 - the same
        yield cells
