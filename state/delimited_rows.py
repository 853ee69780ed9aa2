"""Rows of delimited text, split into cells only on access to save memory."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Final, overload

from weiwo.state.table import Row

_ROWS_AT_ONCE: Final = 5_000


def split_record(text: str, delimiter: str) -> list[str]:
    """Return the cells of a record, without the quotation marks of quoted cells.

    `a,"b,c"` gives `["a", "b,c"]` with the delimiter ",".
    """
    with suppress(csv.Error):
        return next(csv.reader([text], delimiter=delimiter), [])
    return text.split(delimiter)


class DelimitedRows(Sequence[Row]):
    """Records of delimited text as the rows of a table.

    Attributes:
        delimiter: Mark between the cells.
        characters: Number of characters of all records.
    """

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter
        self.characters = 0
        self._texts: list[str] = []

    def append(self, text: str) -> None:
        """Add a record. An empty string stands for blank lines, and is a row without cells."""
        self._texts.append(text)
        self.characters += len(text)

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        """Return the cells of a row, or rows."""
        if isinstance(at, slice):
            return [self._split(text) for text in self._texts[at]]
        return self._split(self._texts[at])

    def __iter__(self) -> Iterator[Row]:
        return map(self._split, self._texts)

    def count_columns(self) -> int:
        """Return the number of cells of the longest row."""
        quoted = max((len(self._split(text)) for text in self._texts if '"' in text), default=0)
        plain = (text for text in self._texts if '"' not in text)
        return max(quoted, max(map(str.count, plain, repeat(self.delimiter)), default=-1) + 1)

    def find_blank(self) -> set[int]:
        """Return the indexes of the rows in which all cells are empty, or that have no cells."""
        delimiter = self.delimiter
        bare = [at for at, text in enumerate(self._texts) if not text.strip(delimiter) or text[0] in {delimiter, '"'}]
        return {at for at in bare if not any(self[at])}

    def mark_ordinary(self, rows: Sequence[int], header: Sequence[str]) -> list[bool]:
        """Report for each of the given rows whether it certainly is a row of data, without splitting it into cells.

        True for a row that is as long as the header, differs from it, and has no empty cell but perhaps the first and
        the last. False means unknown, as for all rows if the header has fewer than five cells.

        Args:
            rows: Indexes of the rows.
            header: Cells of the header row.
        """
        delimiter, gap, count = self.delimiter, self.delimiter * 2, len(header) - 1
        if count < 4:
            return [False] * len(rows)
        texts = map(self._texts.__getitem__, rows)
        return [
            text.count(delimiter) == count
            and gap not in text
            and '"' not in text
            and (not text.startswith(header[0]) or text.split(delimiter) != header)
            for text in texts
        ]

    def read_columns(self, rows: Sequence[int], wanted: range) -> list[list[str]]:
        """Return the wanted columns of the given rows, as a list of cells for each column.

        Rows that end early are filled up with empty cells.

        Args:
            rows: Indexes of the rows.
            wanted: Indexes of the columns.
        """
        columns: list[list[str]] = [[] for _ in wanted]
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            texts = [self._texts[at] for at in rows[start : start + _ROWS_AT_ONCE]]
            for column, cells in zip(columns, self._turn(texts, wanted), strict=True):
                column.extend(cells)
        return columns

    def _turn(self, texts: list[str], wanted: range) -> list[list[str]]:
        """Return the wanted columns of the given records, as a list of cells for each column.

        Records of equal width without quotation marks are split all at once.
        """
        joined = self.delimiter.join(texts)
        widths = set(map(str.count, texts, repeat(self.delimiter)))
        if len(widths) == 1 and '"' not in joined and (width := widths.pop() + 1) >= wanted.stop:
            cells = joined.split(self.delimiter)
            return [cells[at::width] for at in wanted]
        rows = self._split_quoted(texts) if '"' in joined else [text.split(self.delimiter) for text in texts]
        return [[row[at] if at < len(row) else "" for row in rows] for at in wanted]

    def _split_quoted(self, texts: list[str]) -> list[list[str]]:
        """Split records with quotation marks.

        All are parsed at once. Only if a quoted cell runs on into the next record, they are split one by one.
        """
        with suppress(csv.Error):
            rows = [*csv.reader(texts, delimiter=self.delimiter)]
            if len(rows) == len(texts):
                return rows
        return [split_record(text, self.delimiter) for text in texts]

    def _split(self, text: str) -> Row:
        if not text:
            return []
        return split_record(text, self.delimiter) if '"' in text else text.split(self.delimiter)
