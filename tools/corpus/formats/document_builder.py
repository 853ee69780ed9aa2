"""Document builder: headings, paragraphs and tables as lines with source positions."""

from collections.abc import Sequence
from typing import Final

from weiwo.state.table import Cell, Row, Table, as_cell
from weiwo.text.chunking import Chunk, chunk_sections
from weiwo.text.outline import Heading
from weiwo.tools.corpus.formats.parts import clean_text

_LONGEST_HEADING: Final = 300


class DocumentBuilder:
    """Builder of a document from headings, paragraphs and tables, later cut into passages."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._headings: list[Heading] = []
        self.tables: list[Table] = []  # the added tables

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add_heading(self, level: int, text: str, first: int, last: int | None = None) -> None:
        """Add a heading. `level` counts from 1, and `first` and `last` are source positions.

        A text that is too long for a heading, or has no letter or digit, becomes a paragraph.
        """
        words = " ".join(clean_text(text).split())
        if not any(c.isalnum() for c in words) or len(words) > _LONGEST_HEADING:
            self.add_paragraph(words, first, last)
            return
        self._add_row("", first, first)
        self._headings.append(Heading(level, words, len(self._rows), len(self._rows) + 1))
        self._add_row(words, first, last or first)
        self._add_row("", last or first, last or first)

    def add_paragraph(self, text: str, first: int, last: int | None = None, *, item: bool = False) -> None:
        """Add a paragraph. With `item`, it is a list item, which no blank line separates from the item before."""
        rows = [row.rstrip() for row in clean_text(text).split("\n")]
        rows = [row for row in rows if row]
        if not rows:
            return
        if not item:
            self._add_row("", first, first)
        for row in rows:
            self._add_row(row, first, last or first)

    def add_table(self, rows: Sequence[tuple[Row, int]], *, unit: str = "line", within: str = "") -> None:
        """Add a table with rows, header first, each with a position. Empty rows are left out.

        Args:
            rows: The rows, each with its position in the source.
            unit: Word for these positions, such as `line`. Empty if people do not count them.
            within: Place of the table in the document, for people, such as `slide 4`.
        """
        clean = [([_clean_cell(cell) for cell in row], at) for row, at in rows]
        clean = [(row, at) for row, at in clean if any(as_cell(cell).shown for cell in row)]
        if not clean:
            return
        titled = len(self._headings) == 1 and self._headings[0].level == 1  # the title of the document
        heading = self._headings[-1].name if self._headings and not titled else ""
        body, numbers = [row for row, _ in clean], [at for _, at in clean]
        self.tables.append(Table(heading, body, numbers, unit, within, headings=(heading,) if heading else ()))
        cells = [([as_cell(cell).shown.replace("|", "¦") for cell in row], at) for row, at in clean]
        self._add_row("", cells[0][1], cells[0][1])
        for number, (row, at) in enumerate(cells):
            self._add_row("| " + " | ".join(row) + " |", at, at)
            if number == 0 and len(cells) > 1 and len(row) > 1:
                self._add_row("|" + " --- |" * len(row), at, at)
        self._add_row("", cells[-1][1], cells[-1][1])

    def cut_chunks(self) -> tuple[str, list[Chunk]]:
        """Return the title, empty if there is none, and the chunks, with source positions as line numbers."""
        title, made = chunk_sections("\n".join(self._rows), self._headings)
        restored: list[Chunk] = []
        for piece in made:
            places = self._places[piece.first - 1 : piece.last]
            first, last = min(first for first, _ in places), max(last for _, last in places)
            restored.append(piece._replace(first=first, last=last))
        return title, restored

    def _add_row(self, text: str, first: int, last: int) -> None:
        if not text and not (self._rows and self._rows[-1]):
            return
        self._rows.append(text)
        self._places.append((first, last))


def _clean_cell(cell: Cell | str) -> Cell | str:
    """Clean a cell of unprintable characters and join the text to a single line."""
    shown = " ".join(clean_text(as_cell(cell).shown).split())
    if isinstance(cell, str):
        return shown
    return cell._replace(shown=shown, value=shown if isinstance(cell.value, str) else cell.value)
