"""Delimited rows say the same of themselves at once as row by row."""

import csv
import random

import pytest

from weiwo.state.delimited_rows import DelimitedRows

_HEADER = ["id", "name", "note", "more", "last"]
_RECORDS = [
    "1,a,b,c,d",
    '2,"a,b",c,d,e',
    '3,"two\nlines",c,d,e',
    "4,,,,",
    ",,,,",
    '"","","","",""',
    "5,short",
    "6,a,b,c,d,too,long",
    '7,un"closed,b,c,d',
    '"8,never closed,b,c,d',
    "",
    "   ,,,,",
    "id,name,note,more,last",
    '"id",name,note,more,last',
    ",b,c,d,",
]


def _rows(records):
    rows = DelimitedRows(",")
    for record in records:
        rows.append(record)
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_columns_blank_rows_and_width(seed):
    chance = random.Random(seed)  # noqa: S311  # repeatable
    pool = _RECORDS if seed % 2 else [record for record in _RECORDS if '"' not in record]
    rows = _rows(chance.choices(pool, k=60))
    split = [list(row) for row in rows]
    width = max(map(len, split))
    assert rows.count_columns() == max(width, 1)
    assert rows.find_blank() == {at for at, row in enumerate(split) if not any(row)}
    taken = chance.sample(range(60), 40)
    wanted = range(1, width)
    expected = [[split[at][column] if column < len(split[at]) else "" for at in taken] for column in wanted]
    assert rows.read_columns(taken, wanted) == expected


def test_an_ordinary_row_is_as_long_as_the_header_is_not_the_header_and_has_three_texts():
    rows = _rows(_RECORDS)
    marks = rows.mark_ordinary(range(len(rows)), _HEADER)
    for at, ordinary in enumerate(marks):
        if ordinary:
            assert len(rows[at]) == 5
            assert list(rows[at]) != _HEADER
            assert sum(map(bool, rows[at])) > 2
    assert marks[0]
    assert marks[-1]


def test_a_record_longer_than_a_csv_field_may_be_is_split_at_its_marks():
    record = f'"{"x" * (csv.field_size_limit() + 1)}",b'
    assert _rows([record, "a,b"]).read_columns([0, 1], range(1, 2)) == [["b", "b"]]
