"""Tables out of passages, and typed requests over them."""

import pytest

from weiwo.tools.tables.columns import read_column
from weiwo.tools.tables.engine import Engine
from weiwo.tools.tables.request import RequestError, TableRequest

ORDERS = """no,client,plan,amount,day
1,Ann,Pro,"$1,200.50",2024-01-05
2,Bob,Free,$0,2024-02-11
3,Cy,Ｐｒｏ,$300,2023-12-30
4,Dee,team,,2024-02-20
Total,,,"$1,500.50","""
CLIENTS = "name,city\nAnn,Oslo\nBob,Lyon\nCy,Oslo\nDee,Rome"


def passages(text: str, source: str, first=2, header=""):
    """A passage whose header stands on the line before its own lines."""
    last = first + text.count("\n") - (not header)
    return [(f"{header}\n{text}" if header else text, (), f"lines {first}-{last}", first, last, None, source)]


@pytest.fixture
def engine():
    made = Engine()
    made.load("o", "csv", "data/orders.csv", passages(ORDERS, "data/orders.csv"))
    made.load("c", "csv", "clients.csv", passages(CLIENTS, "clients.csv"))
    return made


def run(engine, **request):
    return engine.run(TableRequest(table=request.pop("table", "orders"), **request), ["o", "c"])


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
def test_a_request_gives_its_figures(engine, request_, rows):
    assert run(engine, **request_)["rows"] == rows


def test_a_result_cites_its_rows_by_place_and_names_what_is_left_out(engine):
    result = run(engine, measures=[{"function": "sum", "column": "amount"}], filters=only("plan", "pro"))
    assert [(one["source"], one["place"]) for one in result["cited"]] == [
        ("data/orders.csv", "line 2"),
        ("data/orders.csv", "line 4"),
    ]
    assert (result["counted"], result["of"]) == (2, 4)
    assert result["notes"] == ["line 6: a row of totals, left out", "1 empty cells of `amount` do not count"]


def test_two_tables_are_joined_on_a_column(engine):
    join = {"table": "clients", "left": "client", "right": "name"}
    found = run(engine, join=join, measures=[{"function": "sum", "column": "amount"}], filters=only("city", "oslo"))
    assert found["rows"] == [[1500.5]]


def test_what_is_equal_to_the_last_one_is_given_too(engine):
    engine.load("t", "csv", "t.csv", passages("who,score\na,3\nb,9\nc,9", "t.csv"))
    found = engine.run(TableRequest(table="t", columns=["who"], order_by="score", top=1), ["t"])
    assert found["rows"] == [["b"], ["c"]]
    assert found["notes"] == ["1 more have the same value as the last of the first 1"]


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"filters": only("plans", "x")}, "no column `plans`; the nearest is `plan`"),
        ({"filters": only("plan", "gold")}, "`plan` has: Pro, Free, team"),
        ({"table": "order"}, "no table `order`; the nearest is `orders`"),
        ({"measures": [{"function": "sum", "column": "client"}]}, "`client` is text, no number"),
        ({"measures": [{"function": "sum"}]}, "sum needs a column"),
        ({"filters": only("amount", "many", ">")}, "`amount` is a number in $, 'many' is none"),
        ({"filters": only("amount", "5 kg", ">")}, "`amount` is a number in $"),
        ({"filters": only("day", "soon", ">")}, "`day` is a date, 'soon' is none"),
        ({"filters": only("plan", "pro", "<")}, "`plan` is text"),
        ({"order_by": "client"}, "no highest or lowest"),
    ],
)
def test_a_request_that_does_not_fit_is_refused_with_what_there_is(engine, request_, said):
    with pytest.raises(RequestError, match=said.replace("$", r"\$")):
        run(engine, **request_)


def test_neither_files_nor_settings_are_within_reach(engine):
    for statement in ("SELECT * FROM read_csv('/etc/passwd')", "SET enable_external_access = true", "INSTALL httpfs"):
        with pytest.raises(Exception, match=r"disabled|locked|restricted|external"):
            engine._database.execute(statement)


def test_names_with_quotes_are_names():
    engine = Engine()
    text = 'x\'); DROP TABLE t1; --,"a ""b"""\n1,\'; DELETE\n2,y'
    (table,) = engine.load("k", "csv", "odd.csv", passages(text, "odd.csv"))
    name, other = (column["name"] for column in table["columns"])
    request = TableRequest(
        table="odd", measures=[{"function": "sum", "column": name}], filters=only(other, "'; delete")
    )
    assert engine.run(request, ["k"])["rows"] == [[1]]


def test_a_table_of_ten_thousand_columns_is_named():
    engine = Engine()
    header = ",".join(f"c{n}x" for n in range(10_000))
    engine.load("k", "csv", "wide.csv", passages(f"{header}\n{header.replace('x', '')}", "wide.csv"))
    with pytest.raises(RequestError, match="wide has 10,000 columns; up to 500"):
        engine.run(TableRequest(table="wide"), ["k"])


def test_rows_that_are_none_are_named_and_formulas_are_no_numbers():
    engine = Engine()
    body = "\n".join(f"n{n},{n}" for n in range(20))
    text = f"name,cost\n{body}\nlong,{'x' * 3_000}\nmore,1,2\nextra,=SUM(B2:B20)"
    (table,) = engine.load("k", "csv", "odd.csv", passages(text, "odd.csv"))
    assert (table["torn"], table["rows"]) == (1, 22)
    assert table["columns"][1]["unread"] == 2
    assert table["notes"][0] == "line 22: a cell of more than 2,000 characters, cut"
    found = engine.run(TableRequest(table="odd", measures=[{"function": "sum", "column": "cost"}]), ["k"])
    assert found["rows"] == [[190]]
    assert any(note.endswith("'=SUM(B2:B20)'") for note in found["notes"])


def test_a_table_over_several_passages_is_one_with_its_lines():
    engine = Engine()
    parts = passages("name,n\na,1\nb,2", "t.csv") + passages("c,3\nd,4", "t.csv", 4, "name,n")
    (table,) = engine.load("k", "csv", "t.csv", parts)
    assert table["rows"] == 4
    found = engine.run(TableRequest(table="t", filters=only("name", "d")), ["k"])
    assert found["cited"] == [{"text": "name: d; n: 4", "source": "t.csv", "place": "line 5"}]


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
        (["Oslo", "12"], "text", "", ["oslo", "12"]),
    ],
)
def test_cells_are_read_by_their_column(cells, type_, unit, values):
    column = read_column("x", cells)
    assert (column.type, column.unit, list(column.values)) == (type_, unit, values)


def test_units_that_differ_are_not_added_up():
    assert read_column("x", ["$5", "€5"]).mixed == ("$", "€")
