"""Stored tables, and typed requests over them."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from weiwo.state.table import Cell, Table
from weiwo.tools.corpus.formats.delimited_text import read
from weiwo.tools.tables.columns import read_column
from weiwo.tools.tables.engine import TableEngine
from weiwo.tools.tables.notes import describe_notes
from weiwo.tools.tables.request import TableRequest, TableRequestError
from weiwo.tools.tables.table_store import store_tables

ORDERS = """no,client,plan,amount,day
1,Ann,Pro,"$1,200.50",2024-01-05
2,Bob,Free,$0,2024-02-11
3,Cy,Ｐｒｏ,$300,2023-12-30
4,Dee,team,,2024-02-20
Total,,,"$1,500.50","""
CLIENTS = "name,city\nAnn,Oslo\nBob,Lyon\nCy,Oslo\nDee,Rome"


def read_csv(text: str, name: str = "t") -> Table:
    *_, part = read(io.BytesIO(text.encode()), name)
    (table,) = part.tables
    return table


class Tables:
    """An engine, and the tables that it holds."""

    def __init__(self, **tables: Table) -> None:
        self.engine = TableEngine()
        self.held: dict[str, dict[str, Any]] = {}
        for name, grid in tables.items():
            stored, losses = store_tables([grid])
            assert not losses
            for number, one in enumerate(stored, 1):
                key = name if len(stored) == 1 else f"{name}{number}"
                self.engine.hold(key, one.data)
                part = {"key": key, "name": one.name, "source": f"data/{name}.csv", "facts": json.loads(one.facts)}
                self.held[key] = {"name": key, "source": f"data/{name}.csv", "parts": [part]}

    def describe(self, name: str) -> dict[str, Any]:
        return self.held[name]["parts"][0]["facts"]

    def run(self, table: str, **request: Any) -> dict[str, Any]:
        made = TableRequest(table=table, **request)
        joined = self.held[made.join.table] if made.join else None
        asked = {"request": made.model_dump(), "main": self.held[table], "joined": joined}
        return self.engine.run(asked, 20.0)


@pytest.fixture(scope="module")
def tables():
    return Tables(orders=read_csv(ORDERS), clients=read_csv(CLIENTS))


def run(tables, **request):
    return tables.run(request.pop("table", "orders"), **request)


def only(column, value, op="="):
    return [{"column": column, "op": op, "value": value}]


@pytest.mark.parametrize(
    ("request_", "rows"),
    [
        ({"measures": [{"function": "count"}]}, [[4]]),
        ({"measures": [{"function": "count"}], "filters": only("PLAN", " pro ")}, [[2]]),
        ({"measures": [{"function": "sum", "column": "amount"}]}, [[1500.5]]),
        ({"measures": [{"function": "mean", "column": "amount"}], "filters": only("amount", 0, ">")}, [[750.25]]),
        ({"measures": [{"function": "median", "column": "amount"}]}, [[300]]),
        ({"measures": [{"function": "distinct", "column": "plan"}]}, [[3]]),
        ({"measures": [{"function": "max", "column": "day"}]}, [["2024-02-20"]]),
        ({"measures": [{"function": "count"}], "filters": only("day", "2024")}, [[3]]),
        ({"measures": [{"function": "count"}], "filters": only("day", "2024-02", ">=")}, [[2]]),
        ({"measures": [{"function": "count"}], "filters": only("day", "2024-01", ">")}, [[2]]),
        ({"measures": [{"function": "count"}], "filters": only("day", ["2023-12", "2024-01"], "between")}, [[2]]),
        ({"measures": [{"function": "count"}], "filters": only("plan", ["free", "team"], "in")}, [[2]]),
        ({"columns": ["client"], "filters": only("client", "e", "contains")}, [["Dee"]]),
        ({"columns": ["client"], "order_by": "amount", "top": 1}, [["Ann"]]),
        ({"columns": ["client"], "order_by": "amount", "top": 1, "descending": False}, [["Bob"]]),
        ({"group_by": ["plan"], "top": 1}, [["Pro", 2]]),
    ],
)
def test_a_request_gives_its_figures(tables, request_, rows):
    assert run(tables, **request_)["rows"] == rows


def test_a_result_cites_its_rows_by_place_and_names_what_is_left_out(tables):
    result = run(tables, measures=[{"function": "sum", "column": "amount"}], filters=only("plan", "pro"))
    assert [(one["source"], one["place"]) for one in result["cited"]] == [
        ("data/orders.csv", "line 2"),
        ("data/orders.csv", "line 4"),
    ]
    assert result["cited"][1]["text"] == "no: 3; client: Cy; plan: Ｐｒｏ; amount: $300; day: 2023-12-30"
    assert (result["counted"], result["of"]) == (2, 4)
    assert describe_notes(result["notes"]) == [
        "line 6 is a total and is not counted",
        "empty cells of “amount” are not counted: 1",
    ]


def test_two_tables_are_joined_on_a_column(tables):
    join = {"table": "clients", "left": "client", "right": "name"}
    found = run(tables, join=join, measures=[{"function": "sum", "column": "amount"}], filters=only("city", "oslo"))
    assert found["rows"] == [[1500.5]]


def test_a_join_that_would_be_too_large_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("weiwo.tools.tables.query._MOST_JOINED", 8)
    held = Tables(a=read_csv("k,n\n" + "x,1\n" * 3), b=read_csv("k,m\n" + "x,1\n" * 3))
    with pytest.raises(TableRequestError, match="the join of a and b has 9 rows, more than 8"):
        held.run("a", join={"table": "b", "left": "k", "right": "k"})


def test_what_is_equal_to_the_last_one_is_given_too():
    held = Tables(t=read_csv("who,score\na,3\nb,9\nc,9"))
    found = held.run("t", columns=["who"], order_by="score", top=1)
    assert found["rows"] == [["b"], ["c"]]
    assert describe_notes(found["notes"]) == ["1 more have the same value as the last of the first 1"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"filters": only("plans", "x")}, "no column `plans`; the nearest is `plan`"),
        ({"filters": only("plan", "gold")}, "`plan` has: Pro, Free, team"),
        ({"measures": [{"function": "sum", "column": "client"}]}, "`client` is text, not a number"),
        ({"measures": [{"function": "sum", "column": "day"}]}, "`day` is a date, not a number"),
        ({"filters": only("day", ["2024"], "between")}, "`day` between needs a list of two values"),
        ({"filters": only("plan", [], "in")}, "`plan` in needs a list of values"),
        ({"filters": only("plan", [])}, "`plan` = needs a value"),
        ({"measures": [{"function": "sum"}]}, "sum needs a column"),
        ({"filters": only("amount", "many", ">")}, "`amount` is a number in $, but 'many' is not"),
        ({"filters": only("amount", "5 kg", ">")}, "`amount` is a number in $"),
        ({"filters": only("day", "soon", ">")}, "`day` is a date, but 'soon' is not"),
        ({"filters": only("plan", "pro", "<")}, "`plan` is text"),
        ({"order_by": "client"}, "no highest or lowest"),
    ],
)
def test_a_request_that_does_not_fit_is_refused_with_what_there_is(tables, request_, said):
    with pytest.raises(TableRequestError, match=said.replace("$", r"\$")):
        run(tables, **request_)


def test_a_request_opens_the_files_of_its_tables_and_nothing_else(tables, tmp_path):
    other = tmp_path / "other.parquet"
    other.write_bytes(b"PAR1")
    engine = tables.engine
    held, hidden = engine._files["orders"].path, engine._files["clients"].path
    with engine._open_database([held]) as database:
        assert database.execute("SELECT count(*) FROM read_parquet(?)", [held]).fetchone() == (4,)
        for statement in (
            f"FROM read_parquet('{hidden}')",
            f"FROM read_parquet('{other}')",
            "SELECT * FROM read_csv('/etc/passwd')",
            "SELECT * FROM glob('/*')",
            f"COPY (SELECT 1) TO '{tmp_path}/made.csv'",
            f"ATTACH '{tmp_path}/made.duckdb'",
            f"SET allowed_paths = ['{other}']",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(Exception, match=r"disabled|locked|restricted|external|Cannot"):
                database.execute(statement)


def test_names_with_quotes_are_names():
    held = Tables(odd=read_csv('x\'); DROP TABLE t1; --,"a ""b"""\n1,\'; DELETE\n2,y'))
    name, other = (column["name"] for column in held.describe("odd")["columns"])
    found = held.run("odd", measures=[{"function": "sum", "column": name}], filters=only(other, "'; delete"))
    assert found["rows"] == [[1]]


def test_a_table_of_ten_thousand_columns_is_named():
    header = ",".join(f"c{n}x" for n in range(10_000))
    stored, losses = store_tables([read_csv(f"{header}\n{header.replace('x', '')}", "wide")])
    assert [loss.places for loss in losses] == [("wide: 10,000 columns; up to 500 can be asked about",)]
    assert json.loads(stored[0].facts)["refused"] == "10,000 columns; up to 500 can be asked about"


def test_rows_that_are_none_are_named_and_formulas_are_no_numbers():
    body = "\n".join(f"n{n},{n}" for n in range(20))
    held = Tables(odd=read_csv(f"name,cost\n{body}\nlong,{'x' * 3_000}\nmore,1,2\nextra,=SUM(B2:B20)"))
    known = held.describe("odd")
    assert (known["torn"], known["rows"]) == (1, 22)
    assert known["columns"][1]["unread"] == 2
    found = held.run("odd", measures=[{"function": "sum", "column": "cost"}])
    assert found["rows"] == [[190]]
    notes = describe_notes(found["notes"])
    assert notes[0] == "line 23: skipped, because it has more cells than columns"
    assert notes[1].endswith("'=SUM(B2:B20)')")


def test_a_long_cell_is_cut_and_named():
    held = Tables(long=read_csv(f"name,n\n{'x' * 3_000},1\nshort,2"))
    assert describe_notes(held.describe("long")["notes"]) == ["line 2: a cell of more than 2,000 characters, truncated"]


def test_hidden_rows_are_told_apart():
    rows = [["who", "n"], *([f"a{n}", Cell(float(n), str(n))] for n in range(1, 6))]
    held = Tables(h=Table("S", rows, range(1, 7), within="sheet S", hidden_rows=frozenset({2, 4})))
    found = held.run("h", measures=[{"function": "sum", "column": "n"}])
    assert (found["rows"], found["counted"], found["of"]) == ([[9]], 3, 3)
    assert [(one["kind"], one["count"], one["rows"]) for one in found["variants"]] == [("hidden", 2, [[15]])]


def test_a_row_that_may_be_a_total_is_told_apart():
    held = Tables(d=read_csv("who,n\na,1\nb,2\nc,4\nd,7"))
    found = held.run("d", measures=[{"function": "sum", "column": "n"}])
    assert found["rows"] == [[14]]
    assert [(one["kind"], one["places"], one["rows"]) for one in found["variants"]] == [("doubtful", ["line 5"], [[7]])]


def test_a_merged_number_counts_once_and_labels_every_row():
    again = Cell(300.0, "300", continued=True)
    rows = [["who", "n"], ["a", Cell(300.0, "300")], ["b", again], ["c", Cell(5.0, "5")]]
    held = Tables(m=Table("S", rows, range(1, 5)))
    assert held.run("m", measures=[{"function": "sum", "column": "n"}])["rows"] == [[305]]
    assert held.run("m", columns=["who"], filters=only("n", 300))["rows"] == [["a"], ["b"]]


def test_a_column_with_two_readings_is_refused_with_both():
    held = Tables(d=read_csv("item;n\na;1.234\nb;2.500"))
    with pytest.raises(TableRequestError, match=r"`n`: 1\.234 can mean 1234 or 1\.234"):
        held.run("d", measures=[{"function": "sum", "column": "n"}])


def test_units_that_differ_are_added_up_where_the_rows_asked_have_one():
    held = Tables(u=read_csv("who,price\na,$5\nb,€5\nc,$7"))
    with pytest.raises(TableRequestError, match=r"has several units \(\$, €\)"):
        held.run("u", measures=[{"function": "sum", "column": "price"}])
    found = held.run("u", measures=[{"function": "sum", "column": "price"}], filters=only("who", ["a", "c"], "in"))
    assert (found["rows"], found["units"]) == ([[12]], ["$"])


@pytest.mark.parametrize(
    ("cells", "type_", "unit", "values"),
    [
        (["1,200", "(30)", "-4.5"], "number", "", [1200.0, -30.0, -4.5]),
        (["1.2万元", "8000元"], "number", "¥", [12000.0, 8000.0]),
        (["€1.200,50", "€3,00"], "number", "€", [1200.5, 3.0]),
        (["12%", "n/a", "7%"], "number", "%", [12.0, None, 7.0]),
        (["00123", "00456"], "text", "", ["00123", "00456"]),
        (["2024-03-05", "2024/4/1", "2024年5月2日"], "date", "", ["2024-03-05", "2024-04-01", "2024-05-02"]),
        (["13/02/2024", "01/02/2024"], "date", "", ["2024-02-13", "2024-02-01"]),
        (["01/02/2024", "03/04/2024"], "text", "", ["01/02/2024", "03/04/2024"]),
        (["5 March 2024", "Mar 7, 2024"], "date", "", ["2024-03-05", "2024-03-07"]),
        (["Oslo", "12", "OSLO"], "text", "", ["Oslo", "12", "Oslo"]),
    ],
)
def test_cells_are_read_by_their_column(cells, type_, unit, values):
    column = read_column("x", cells)
    assert (column.type, column.unit, list(column.values)) == (type_, unit, values)


def test_units_that_differ_are_not_added_up():
    assert read_column("x", ["$5", "€5"]).mixed == ("$", "€")


@pytest.mark.processes
def test_tables_are_read_and_stored_without_the_engine():
    code = (
        "import sys; sys.modules['duckdb'] = None\n"
        "from io import BytesIO\n"
        "from weiwo.tools.corpus.formats import load_reader, sniff_format\n"
        "from weiwo.tools.tables.table_store import store_tables\n"
        "parts = list(load_reader(sniff_format('a.csv'))(BytesIO(b'name,n\\nAnn,5\\nBo,7\\n'), 'a.csv'))\n"
        "tables, losses = store_tables([table for part in parts for table in part.tables])\n"
        "print(len(tables), len(tables[0].data) > 0, losses)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["1", "True", "[]"]
