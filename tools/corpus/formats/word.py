"""DOCX: paragraphs, headings and tables, in order."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from tools.corpus.encodings import UnreadableError
from tools.corpus.formats.base import Part, date_of, filled, package, passages, title_of
from tools.corpus.formats.rendering import Rendering
from tools.corpus.formats.zips import archive

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_HEADING: Final = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Word document; its places count paragraphs and table rows, as it has no lines.

    Raises:
        UnreadableError: It is encrypted, is no DOCX, or is empty.
    """
    docx = package("docx")
    with archive(file):
        file.seek(0)
        try:
            document = docx.Document(file)
        except (KeyError, ValueError) as error:
            raise UnreadableError(f"damaged: no Word document in it ({error})") from None
        body, place = Rendering(), 0
        title = ""
        for block in document.iter_inner_content():
            if hasattr(block, "rows"):
                rows = list(_rows(block))
                body.table([(cells, place + number) for number, cells in enumerate(rows, 1)])
                place += len(rows)
                continue
            place += 1
            style = _style(block)
            if style.lower() == "title" and not title:
                title = title_of(block.text)
            if found := _HEADING.match(style):
                body.heading(int(found[1]), block.text, place)
            else:
                body.paragraph(block.text, place, item=style.lower().startswith("list"))
        stated = document.core_properties
        top, chunks = body.chunks()
        date = stated.modified or stated.created
        shown = passages(chunks, unit="paragraph")
        return filled(
            Part(title_of(title, top, stated.title) or name, shown, date_of(date.isoformat()) if date else None)
        )


def _style(paragraph: "Paragraph") -> str:
    style = paragraph.style
    return (style.name or "") if style is not None else ""


def _rows(table: "Table") -> Iterator[list[str]]:
    """The rows of a table, a merged cell once."""
    for row in table.rows:
        cells: list[str] = []
        last = None
        for cell in row.cells:
            if cell._tc is not last:  # noqa: SLF001 - python-docx has no other way to tell merged cells
                cells.append(cell.text)
            last = cell._tc  # noqa: SLF001 - the same
        yield cells
