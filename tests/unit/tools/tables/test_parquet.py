"""The Parquet writer, read by DuckDB."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.tables.parquet import FIRST_GROUP, ROW_GROUP, ParquetColumn, write_parquet

duckdb = pytest.importorskip("duckdb")


def read_back(tmp_path, columns: list[ParquetColumn], rows: int) -> list[Any]:
    path = tmp_path / "t.parquet"
    path.write_bytes(write_parquet(columns, rows))
    return list(duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall())


@given(
    st.lists(
        st.tuples(
            st.none() | st.floats(allow_nan=False),
            st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
            st.none() | st.integers(-(2**31), 2**31 - 1),
        ),
        max_size=40,
    )
)
def test_values_come_back_as_they_were(tmp_path_factory, rows):
    columns = [[row[at] for row in rows] for at in range(3)]
    kinds = zip(("a", "b", "c"), ("double", "text", "int"), columns, strict=True)
    made = [ParquetColumn(name, kind, values) for name, kind, values in kinds]
    assert read_back(tmp_path_factory.mktemp("p"), made, len(rows)) == rows


def test_repeated_values_and_several_groups(tmp_path):
    size = FIRST_GROUP + ROW_GROUP + 5
    words = [f"word {n % 300}" if n % 3 else None for n in range(size)]
    found = read_back(tmp_path, [ParquetColumn("w", "text", words)], size)
    assert [word for (word,) in found] == words


def test_the_first_rows_of_a_long_table_are_a_small_group(tmp_path):
    size = 5 * FIRST_GROUP
    path = tmp_path / "t.parquet"
    path.write_bytes(write_parquet([ParquetColumn("n", "int", range(size))], size))
    found = duckdb.execute("SELECT row_group_num_rows FROM parquet_metadata(?) ORDER BY row_group_id", [str(path)])
    assert [number for (number,) in found.fetchall()] == [FIRST_GROUP, size - FIRST_GROUP]
