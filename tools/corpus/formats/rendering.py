"""Documents that are no lines of text, written out as lines that know where they came from."""

from collections.abc import Sequence
from typing import Final

from tools.corpus.chunks import Chunk, chunk_along
from tools.corpus.formats.base import tidy
from tools.corpus.outline import Heading

_LONGEST_HEADING: Final = 300


class Rendering:
    """Collects headings, paragraphs and tables, then cuts them into passages."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._headings: list[Heading] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    def heading(self, level: int, text: str, first: int, last: int | None = None) -> None:
        """Add a heading of a level from 1."""
        words = " ".join(tidy(text).split())
        if not any(c.isalnum() for c in words) or len(words) > _LONGEST_HEADING:
            self.paragraph(words, first, last)
            return
        self._row("", first, first)
        self._headings.append(Heading(level, words, len(self._rows), len(self._rows) + 1))
        self._row(words, first, last or first)
        self._row("", last or first, last or first)

    def paragraph(self, text: str, first: int, last: int | None = None, *, item: bool = False) -> None:
        """Add a paragraph, or an item of a list, whose lines stand together."""
        rows = [row.rstrip() for row in tidy(text).split("\n")]
        rows = [row for row in rows if row]
        if not rows:
            return
        if not item:
            self._row("", first, first)
        for row in rows:
            self._row(row, first, last or first)

    def table(self, rows: Sequence[tuple[Sequence[str], int]]) -> None:
        """Add a table: its rows, header first, each with its place. Rows without a word are left out."""
        cells = [([" ".join(tidy(cell).split()).replace("|", "¦") for cell in row], at) for row, at in rows]
        cells = [(row, at) for row, at in cells if any(row)]
        if not cells:
            return
        self._row("", cells[0][1], cells[0][1])
        for number, (row, at) in enumerate(cells):
            self._row("| " + " | ".join(row) + " |", at, at)
            if number == 0 and len(cells) > 1 and len(row) > 1:
                self._row("|" + " --- |" * len(row), at, at)
        self._row("", cells[-1][1], cells[-1][1])

    def chunks(self) -> tuple[str, list[Chunk]]:
        """The title, or nothing, and the passages, their lines being the places given."""
        title, made = chunk_along("\n".join(self._rows), self._headings)
        return title, [self._placed(piece) for piece in made]

    def _placed(self, piece: Chunk) -> Chunk:
        places = self._places[piece.first - 1 : piece.last]
        first, last = min(first for first, _ in places), max(last for _, last in places)
        return Chunk(piece.text, first, last, piece.headings, piece.lead)

    def _row(self, text: str, first: int, last: int) -> None:
        if not text and not (self._rows and self._rows[-1]):
            return
        self._rows.append(text)
        self._places.append((first, last))
