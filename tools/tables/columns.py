"""Column types: cells read as values of a common type and unit, or as text.

If a cell stores a value, such as a spreadsheet number, the value counts and not the displayed text. A text is parsed by
`weiwo.text.cell_values`, whole or not at all. A column has a type if nearly all of its cells have that type. A number
with a format that makes it a code (zip codes, telephone numbers) is read as the displayed text.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal

from weiwo.state.table import Cell, CellValue
from weiwo.text.cell_values import ColumnReading, Doubt, is_empty_mark, names_versions, parse_amount, reads_comma
from weiwo.text.cell_values import read_column as read_texts
from weiwo.text.patterns import lazy

ColumnType = Literal["number", "date", "datetime", "time", "duration", "version", "boolean", "text"]
Value = float | str | None

NUMERIC: Final = frozenset({"number", "duration"})
"""Types whose values can be added up."""
ORDERED: Final = NUMERIC | {"date", "datetime", "time", "version"}
"""Types whose values have a highest and a lowest."""
_SHARE: Final = 0.8
"""Least share of the filled cells that must have a type, for the column to have the type."""
_MOST_UNITS: Final = 6
LONGEST_CELL: Final = 2_000
"""Limit of a cell's text in characters. The rest of a longer text is cut off."""
_MOST_SAMPLES: Final = 12
_UNCOMPUTED: Final = "uncomputed"
"""Type of a cell with a formula but no stored result. Such a cell has no value and does not affect the column's type.
"""
_SAMPLE: Final = 2_000
"""Number of distinct texts sampled from a long column, to decide that the column holds words."""
_PLAIN_NUMBERS: Final = re.compile(r"(?:-?(?:0|[1-9]\d{0,10})(?:\.\d{1,9})?\n)*")
"""Numbers that have one reading, on lines of their own: no leading zeros, which make a code, and a point at most."""
_SHORTEST_NUMBERS: Final = re.compile(r"(?:-?(?:0|[1-9]\d{0,10})(?:\.\d{0,3}[1-9])?\n)*")
"""Numbers written as Python writes them, without zeros at the end: 1.5, but not 1.50."""
_CLEAR_FRACTION: Final = re.compile(r"\.(?!\d{3}\n)|(?:^|\D)0\.|\d{4}\.")
"""Numbers whose point must be a decimal point: 0.5, 1.25. In 1.250 it may separate thousands."""
_ODD_BLANKS: Final = re.compile(r"(?m)[^\S \n]| {2}|^ | $")
_CODE: Final = lazy(r"0\d+|[(+]?\d[\d\s()./-]*\d\s?[)(-]\s?\d[\d\s()./-]*")
"""Displayed text of a number that is an identifier: leading zeros, or groups of digits such as (030) 12-34."""
_SHOWN_NUMBER: Final = lazy(
    r"(?P<prefix>[^\d\-.,]{0,12})(?P<figure>-?[\d,]*(?:\.(?P<part>\d+))?)(?P<suffix>[^\d]{0,20})"
)


@dataclass(slots=True)
class Column:
    """Column of a table.

    Attributes:
        name: Name of the column.
        type: Type of the values.
        unit: Unit of all the numbers. Empty if they have no unit, or several.
        values: Value of each cell: a number, the seconds of a duration, or a text that sorts as the values do. None if
            the cell is empty, is not of the type, or continues a merged cell.
        labels: Values with those of merged cells repeated in each spanned row. None if the same as `values`. Used for
            conditions and groups.
        shown: Text of each cell. None if the texts follow from the values, by `template` if not empty.
        units: Unit of each cell, if there are several units.
        template: Rule for formatting the numbers as the document does: `prefix`, `suffix`, `decimals`, `commas`.
        empty: Number of empty cells.
        unread: Number of filled cells that are not of the type.
        examples: Texts of up to three unread cells.
        mixed: The units, if there are several.
        doubt: Two readings of the column, if it is ambiguous.
        filter_doubt: Reason why the column must not be used in conditions and groups. Empty if it may.
        samples: Texts of the first 12 cells.
        hidden: Set if the document hides the column.
        dropped: Set if the column has no name and only empty cells.
        cut: Index of the first cell cut to `LONGEST_CELL` characters, or None.
    """

    name: str
    type: ColumnType = "text"
    unit: str = ""
    values: Sequence[Value] = ()
    labels: Sequence[Value] | None = None
    shown: Sequence[str | None] | None = None
    units: Sequence[str | None] | None = None
    template: dict[str, Any] = field(default_factory=dict)
    empty: int = 0
    unread: int = 0
    examples: list[str] = field(default_factory=list)
    mixed: tuple[str, ...] = ()
    doubt: Doubt | None = None
    filter_doubt: str = ""
    samples: list[str] = field(default_factory=list)
    hidden: bool = False
    dropped: bool = False
    cut: int | None = None

    @property
    def is_numeric(self) -> bool:
        """Report whether the values are numbers."""
        return self.type in NUMERIC


def fold_value(text: str) -> str:
    """Fold a text for comparison: no case, no full-width characters, single blanks. " Ａb  C" becomes "ab c"."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def read_column(name: str, cells: Sequence[Cell | str], *, delimiter: str = "", language: str = "") -> Column:
    """Build a column from its cells, and find the type of its values.

    Stored values are kept as they are. Texts become numbers, dates, times or versions if at least 80 % of the filled
    cells can be read so, and else stay text.

    Args:
        name: Name of the column.
        cells: Cells of the column.
        delimiter: Delimiter between the cells of the file, if it is delimited text.
        language: Language of the document.
    """
    plain = set(map(type, cells)) <= {str}
    texts: Sequence[Any] = cells if plain else [cell if isinstance(cell, str) else cell.value for cell in cells]
    if plain or all(text is None or isinstance(text, str) for text in texts):
        column = _read_texts(texts if plain else [text or "" for text in texts], name, delimiter, language)
    else:
        column = _read_stored(name, cells, language)
        _find_template(column, zip(column.values, column.shown or (), strict=False))
    column.samples = [cell if isinstance(cell, str) else cell.shown for cell in cells[:_MOST_SAMPLES]]
    if not plain:
        _part_merged(column, cells)
    if column.type in {"text", "boolean"}:
        _tidy_texts(column)
    elif column.shown == column.values:
        column.shown = None
    return column


def _read_texts(texts: Sequence[str], name: str, delimiter: str, language: str) -> Column:
    """Read the texts of a column, with a fast path for long columns.

    A long column is not parsed text by text if all texts are plain numbers, if all are ISO dates, or if a sample
    holds only words.
    """
    distinct = dict.fromkeys(texts)
    if len(distinct) > 2 * _SAMPLE:
        filled = [text for text in distinct if text]
        lines = "\n".join([*filled, ""])
        comma = reads_comma(delimiter, language)
        if _PLAIN_NUMBERS.fullmatch(lines) and not names_versions(name):
            if not comma or "." not in lines or _CLEAR_FRACTION.search(lines):
                return _read_plain_numbers(name, texts, lines)
        elif _are_iso_dates(filled):
            return Column(name, "date", values=[text or None for text in texts], empty=texts.count(""))
        elif _are_words(list(distinct), name, delimiter, language):
            empty = {text for text in distinct if len(text) < 8 and is_empty_mark(text)}
            values = {text: None if text in empty else text.strip() for text in distinct}
            return Column(name, values=[*map(values.get, texts)], empty=sum(map(empty.__contains__, texts)))
    return _from_reading(name, read_texts(distinct, name, delimiter=delimiter, language=language), texts)


def _read_plain_numbers(name: str, texts: Sequence[str], lines: str) -> Column:
    """Build a column from plain numbers.

    Args:
        name: Name of the column.
        texts: Texts of the cells.
        lines: The distinct texts, each followed by a line break.
    """
    empty = texts.count("")
    values: list[Value] = [float(text) if text else None for text in texts] if empty else [*map(float, texts)]
    column = Column(name, "number", values=values, empty=empty)
    if not _SHORTEST_NUMBERS.fullmatch(lines):
        decimals = len(lines.partition("\n")[0].partition(".")[2])
        if 0 < decimals < 5 and re.fullmatch(rf"(?:[-\d]+\.\d{{{decimals}}}\n)*", lines):
            column.template = {"prefix": "", "suffix": "", "decimals": decimals, "commas": False}
        else:
            column.shown = [text or None for text in texts]
            _find_template(column, zip(values, column.shown, strict=True))
    return column


def _are_iso_dates(texts: Sequence[str]) -> bool:
    """Report whether all texts are calendar days, written as 2024-05-31."""
    if not all(len(text) == 10 and text[4] == text[7] == "-" for text in texts):
        return False
    try:
        return bool([*map(date.fromisoformat, texts)])
    except ValueError:
        return False


def _are_words(distinct: Sequence[str], name: str, delimiter: str, language: str) -> bool:
    """Report whether a sample of texts holds only words and names."""
    sample = distinct[:: max(1, len(distinct) // _SAMPLE)]
    reading = read_texts(sample, name, delimiter=delimiter, language=language)
    return reading.type == "text" and reading.doubt is None


def _from_reading(name: str, reading: ColumnReading, texts: Sequence[str]) -> Column:
    """Build a column from `texts`, the text of each cell, and the reading of these texts by `text.cell_values`."""
    values = reading.values
    column = Column(name, reading.type, reading.unit, [*map(values.get, texts)], doubt=reading.doubt)
    column.empty = sum(map(reading.empty.__contains__, texts))
    wrong = set(reading.unread)
    column.unread = sum(map(wrong.__contains__, texts)) if wrong else 0
    column.examples = list(reading.unread[:3])
    if reading.units:
        column.units = [*map(reading.units.get, texts)]
        column.mixed = tuple(sorted(set(reading.units.values())))
    if reading.type != "text":
        column.shown = [text or None for text in texts]
        _find_template(column, ((value, text or None) for text, value in values.items()))
    return column


# -- stored values ------------------------------------------------------------------------------------------------


def _read_stored(name: str, cells: Sequence[Cell | str], language: str) -> Column:
    """Read a column in which some cells store numbers, dates or booleans and others may be text.

    The column gets the most frequent type if at least `_SHARE` of the filled cells can be read as that type, else text.
    """
    written = [cell if isinstance(cell, str) else cell.shown for cell in cells]
    found = [("text", cell.strip()) if isinstance(cell, str) else _classify(cell) for cell in cells]
    filled = [kind for kind, value in found if kind != "empty" and not (kind == "text" and is_empty_mark(str(value)))]
    counts = {kind: filled.count(kind) for kind in dict.fromkeys(filled) if kind != _UNCOMPUTED}
    kind = max(counts, key=lambda count: counts[count], default="text")
    if {"date", "datetime"} >= counts.keys() - {"text"} and counts.get("datetime") and counts.get("date"):
        kind = "datetime"
        counts["datetime"] += counts["date"]
    values: list[Value] = [None] * len(cells)
    units: list[str | None] = [None] * len(cells)
    wrong: list[str] = []
    column = Column(name, shown=[text.strip() or None for text in written])
    stray = _read_stray([str(value) for item, value in found if item == "text"], kind, name, language)
    for at, (entry, value) in enumerate(found):
        if entry == "empty" or (entry == "text" and is_empty_mark(str(value))):
            column.empty += 1
        elif entry == kind or (kind == "datetime" and entry == "date"):
            values[at] = value
            units[at] = "" if isinstance(cells[at], str) else cells[at].unit  # type: ignore[union-attr]
        elif entry == "text" and (amount := stray.get(str(value))) is not None:
            values[at], units[at] = amount
        else:
            wrong.append(written[at])
    total = len(cells) - column.empty
    uncomputed = filled.count(_UNCOMPUTED) if counts else 0
    if kind == "text" or len(wrong) - uncomputed > (1 - _SHARE) * (total - uncomputed):
        column.values = [None if is_empty_mark(text) else text.strip() for text in written]
        column.shown = None
        return column
    column.type, column.values = kind, values  # type: ignore[assignment]  # one of the types
    column.unread, column.examples = len(wrong), list(dict.fromkeys(wrong))[:3]
    named = sorted({unit for unit in units if unit is not None}) if kind == "number" else []
    if len(named) == 1:
        column.unit = named[0]
    elif named:
        column.units, column.mixed = units, tuple(named[:_MOST_UNITS])
    return column


def _classify(cell: Cell) -> tuple[str, Value]:
    """Return the type of a cell, and its value as kept in `Column.values`.

    A percentage is multiplied by 100. The type is "empty" or "uncomputed", with None, for a cell without a value.
    """
    value, shown = cell.value, cell.shown.strip()
    if cell.formula and value == f"={cell.formula}":  # its value is not stored
        return _UNCOMPUTED, None
    if isinstance(value, bool):
        return "boolean", shown or str(value).upper()
    if isinstance(value, int | float):
        if not cell.unit and _CODE.fullmatch(shown) and shown != f"{value:.15g}":
            return "text", shown
        return "number", float(f"{value * 100:.15g}") if cell.unit == "%" else float(value)
    if isinstance(value, str) and value.strip():
        return "text", value.strip()
    return _classify_moment(value)


def _classify_moment(value: CellValue) -> tuple[str, Value]:
    """Return the type and value of a date, time or duration, or ("empty", None) for anything else."""
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            return "datetime", value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return ("date", value.date().isoformat()) if value.time() == time() else ("datetime", value.isoformat())
    if isinstance(value, date):
        return "date", value.isoformat()
    if isinstance(value, time):
        return "time", value.isoformat()
    return ("duration", value.total_seconds()) if isinstance(value, timedelta) else ("empty", None)


def _read_stray(texts: Sequence[str], kind: str, name: str, language: str) -> Mapping[str, tuple[Value, str]]:
    """Parse the texts among the cells of a column that mostly stores values of the type `kind`.

    "5 kg" in a column of stored numbers → `(5.0, "kg")`.

    Returns:
        The value and unit of each text that can be read as that type. Other texts are missing.
    """
    distinct = list(dict.fromkeys(texts))
    if kind == "number":
        amounts = {text: parse_amount(text) for text in distinct}
        return {text: (amount.value, amount.unit) for text, amount in amounts.items() if amount is not None}
    if kind in {"date", "datetime", "time", "duration", "version"} and distinct:
        reading = read_texts(distinct, name, language=language)
        if reading.type == kind:
            return {text: (value, "") for text, value in reading.values.items() if value is not None}
    return {}


# -- what is kept beside the values -------------------------------------------------------------------------------


def _part_merged(column: Column, cells: Sequence[Cell | str]) -> None:
    """Keep the value of a merged cell only in its first row, so that sums count the value once.

    Applies to numeric columns. `Column.labels` keeps the value in every row that the cell spans.
    """
    if not column.is_numeric:
        return
    continued = [at for at, cell in enumerate(cells) if isinstance(cell, Cell) and cell.continued]
    if continued:
        column.labels = column.values
        column.values = [*column.values]
        for at in continued:
            column.values[at] = None


def _tidy_texts(column: Column) -> None:
    """Truncate long texts, and give texts that differ only in case, width or blanks the spelling of the first.

    "Rome" and "ROME" both become "Rome". The other spellings are kept in `Column.shown`.
    """
    texts = [text for text in dict.fromkeys(column.values) if isinstance(text, str)]
    if max(map(len, texts), default=0) > LONGEST_CELL:
        values = [text[:LONGEST_CELL] if isinstance(text, str) else text for text in column.values]
        column.cut = next(at for at, text in enumerate(column.values) if text != values[at])
        column.values = values
        texts = [text for text in dict.fromkeys(values) if isinstance(text, str)]
    folded = _fold_values(texts)
    if len(set(folded)) == len(texts):
        return
    spelling: dict[str, str] = {}
    unified = {text: spelling.setdefault(key, text) for text, key in zip(texts, folded, strict=True)}
    column.shown = [text if isinstance(text, str) and unified[text] != text else None for text in column.values]
    column.values = [unified.get(text) if isinstance(text, str) else None for text in column.values]


def _fold_values(texts: Sequence[str]) -> list[str]:
    """Return the texts as `fold_value` folds them, all at once if no text has surplus blanks, which is faster."""
    folded = unicodedata.normalize("NFKC", "\n".join(texts)).casefold()
    lines = folded.split("\n")
    return lines if len(lines) == len(texts) and not _ODD_BLANKS.search(folded) else [*map(fold_value, texts)]


def _find_template(column: Column, cells: Iterable[tuple[Value, str | None]]) -> None:
    """Set a number column's template if the shown text of every cell follows from its value.

    1234.5 shown as "$1,234.50" gives prefix "$", two decimals and commas. The texts are then dropped from the column,
    as are texts equal to the plain numbers.

    Args:
        column: The column to change.
        cells: Value and shown text of each cell.
    """
    if column.shown is None or column.type != "number":
        return
    both = list(dict.fromkeys(cells))
    if all(repr(value).removesuffix(".0") == text or not text for value, text in both):
        column.shown = None
        return
    pairs = [(value, text) for value, text in both if value is not None and text]
    if not pairs or any(value is None and text for value, text in both):
        return
    for template in ({}, *_guess_templates(pairs[0][1])):
        if all(show_number(value, template) == text for value, text in pairs):  # type: ignore[arg-type]  # numbers
            column.shown, column.template = None, template
            return


def _guess_templates(text: str) -> list[dict[str, Any]]:
    found = _SHOWN_NUMBER.fullmatch(text)
    if found is None:
        return []
    around = {"prefix": found["prefix"], "suffix": found["suffix"], "decimals": len(found["part"] or "")}
    return [{**around, "commas": commas} for commas in (False, True)]


def show_number(value: float, template: Mapping[str, Any] | None = None) -> str:
    """Format a number by a column's template: 1234.5 → "$1,234.50".

    Without a template the number is written plainly, without the noise of binary fractions (0.3 for 0.1 + 0.2).
    """
    if template:
        figure = f"{value:{',' if template['commas'] else ''}.{template['decimals']}f}"
        return f"{template['prefix']}{figure}{template['suffix']}"
    rounded = float(f"{value:.14g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else f"{rounded:.15g}"
