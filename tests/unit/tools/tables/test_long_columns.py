"""Columns: long ones of texts, which are read at once, read as each of their cells does."""

import random

import pytest

from weiwo.state.table import Cell
from weiwo.tools.tables import columns
from weiwo.tools.tables.columns import read_column

_ODD = {
    "plain": [],
    "empty": ["", "n/a", " "],
    "code": ["007", "123456789012"],
    "unit": ["5 kg", "$12", "40%"],
    "comma": ["1,5", "1,234", "1.234,50"],
    "thousands": ["1.234", "2.500"],
    "text": ["unknown", "see note 4", "Ｗｉｄｅ", "wide"],
    "note": ["15²", "12*"],
    "exponent": ["1e5", "-0", "+3", ".5", "1."],
    "date": ["2024-02-31", "2024-02-29", "03/04/2024", "2024-05"],
    "version": ["1.10", "2.0-rc1"],
    "blanks": ["two  blanks", " edge", "line\nend", "Ｅ\u00a0x", "ﬁne", "Straße", "strasse"],
    "long": ["x" * 3_000],
}


def _make(kind, count, chance):
    match kind:
        case "integers":
            return [str(chance.randint(-99_999, 999_999)) for _ in range(count)]
        case "cents":
            return [f"{chance.uniform(0, 9_000):.2f}" for _ in range(count)]
        case "open":
            return [f"{chance.randint(1, 999)}.{chance.randint(0, 999):03}" for _ in range(count)]
        case "shortest":
            return [repr(round(chance.uniform(0, 900), 3)) for _ in range(count)]
        case "dates":
            return [f"{1990 + at // 336}-{at // 28 % 12 + 1:02}-{at % 28 + 1:02}" for at in range(count)]
        case "names":
            return [f"{chance.choice(('Item', 'item', 'Part'))} {chance.randint(0, 9 * count)}" for _ in range(count)]
    raise AssertionError(kind)


@pytest.mark.parametrize("odd", _ODD)
@pytest.mark.parametrize("kind", ["integers", "cents", "open", "shortest", "dates", "names"])
@pytest.mark.parametrize(("name", "delimiter"), [("amount", ","), ("version", ","), ("Wert", ";")])
def test_a_long_column_reads_as_its_cells_do(kind, odd, name, delimiter, monkeypatch):
    texts = _make(kind, 400, random.Random(f"{kind} {odd}"))  # noqa: S311  # repeatable
    texts[7:7] = _ODD[odd]
    one_by_one = read_column(name, texts, delimiter=delimiter)
    monkeypatch.setattr(columns, "_SAMPLE", 40)
    at_once = read_column(name, texts, delimiter=delimiter)
    assert at_once == one_by_one


def test_a_formula_without_its_value_makes_no_column_of_texts():
    cells = [Cell(120.0, "120"), Cell(80.0, "80"), Cell("=SUM(B2:B3)", "=SUM(B2:B3)", formula="SUM(B2:B3)")]
    column = read_column("Pieces", cells)
    assert (column.type, list(column.values), column.unread) == ("number", [120.0, 80.0, None], 1)
