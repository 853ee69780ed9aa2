"""Tables of SQLite and Parquet files, and what hostile files cannot do."""

import io
import sqlite3
from datetime import date

import pytest

from weiwo.state.table import as_cell
from weiwo.tools.corpus.formats import Part, databases, find_format, load_reader
from weiwo.tools.corpus.formats.encodings import UnreadableError


def read(name: str, data: bytes) -> Part:
    kind = find_format(name)
    assert kind is not None
    (part,) = load_reader(kind)(io.BytesIO(data), "Name")
    return part


def make_database(path, *statements: str) -> bytes:
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path.read_bytes()


CREATED = (
    "CREATE TABLE fees (name TEXT, amount REAL, n INT, raw BLOB)",
    "INSERT INTO fees VALUES ('late', 15.5, 3, x'0102'), ('early', NULL, 4, NULL)",
)


def test_tables_of_a_sqlite_file_are_tables(tmp_path):
    part = read(
        "a.sqlite",
        make_database(
            tmp_path / "a.sqlite",
            *CREATED,
            "CREATE VIEW v AS SELECT 1",
            'CREATE TABLE "odd ""name" (x)',
            'INSERT INTO "odd ""name" VALUES (1)',
        ),
    )
    table = part.tables[0]
    assert table.name == "fees"
    assert [[as_cell(cell).value for cell in row] for row in table.rows] == [
        ["name", "amount", "n", "raw"],
        ["late", 15.5, 3, "(2 bytes)"],
        ["early", None, 4, None],
    ]
    assert "name | amount | n | raw\nlate | 15.5 | 3 | (2 bytes)" in part.passages[0].text
    assert part.passages[0].locator == "table fees, rows 1-2"
    assert part.tables[1].name == 'odd "name'
    assert "a view is not read: v" in part.note


def test_a_database_with_a_log_beside_it_is_read(tmp_path):
    assert (
        read("a.db", make_database(tmp_path / "a.db", "PRAGMA journal_mode = WAL", *CREATED)).tables[0].name == "fees"
    )


def test_a_hostile_schema_runs_nothing(tmp_path):
    evil = (
        "CREATE TABLE t (x, y AS (abs(x)))",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT load_extension('evil'); END",
    )
    data = make_database(tmp_path / "a.db", *CREATED, *evil)
    part = read("a.db", data)
    assert part.tables[0].name == "fees"
    for broken in (b"", data[:200], data[:5_000], b"SQLite format 3\x00" + b"\xff" * 5_000, b"no database at all"):
        with pytest.raises(UnreadableError):
            read("a.db", broken)


def test_a_database_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_MOST_SECONDS", -1.0)
    data = make_database(tmp_path / "a.db", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
    with pytest.raises(UnreadableError, match="seconds"):
        read("a.db", data)


def test_rows_beyond_the_limit_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_MOST_ROWS", 1)
    assert "fees" in read("a.db", make_database(tmp_path / "a.db", *CREATED)).note


def test_a_parquet_file_is_a_table(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.parquet"
    duckdb.sql(
        f"COPY (SELECT 'late' AS name, 15.5::DECIMAL(9,2) AS fee, DATE '2024-03-01' AS since, [1, 2] AS list) TO '{path}' (FORMAT parquet)"
    )
    part = read("a.parquet", path.read_bytes())
    assert [as_cell(cell).value for cell in part.tables[0].rows[1]] == ["late", 15.5, date(2024, 3, 1), "[1, 2]"]
    assert "late | 15.5 | 2024-03-01 | [1, 2]" in part.passages[0].text
    with pytest.raises(UnreadableError, match="damaged Parquet"):
        read("a.parquet", path.read_bytes()[:100])
