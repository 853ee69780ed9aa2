"""Tables on a grid: their headers, sections and bodies."""

import pytest

from weiwo.state.table import Cell, Table
from weiwo.tools.tables.structure import find_tables


def grid(*rows, unit="row", **more):
    made = [[cell if isinstance(cell, Cell) else number(cell) for cell in row] for row in rows]
    return Table("S", made, range(1, len(made) + 1), unit, **more)


def number(value):
    return Cell(float(value), str(value)) if isinstance(value, int) else value


def found(table):
    return [(one.title, one.header, [index + 1 for index in one.rows]) for one in find_tables(table)]


def test_lines_above_the_header_are_a_title():
    assert found(grid(["Sales 2024"], [], ["city", "n"], ["Ulm", 3])) == [("Sales 2024", ["city", "n"], [4])]


def test_a_table_below_another_begins_at_a_title_or_a_header_of_its_own():
    assert found(grid(["a", "n"], ["x", 1], ["y", 2], [], ["Costs"], ["a", "n"], ["x", 5])) == [
        ("", ["a", "n"], [2, 3]),
        ("Costs", ["a", "n"], [7]),
    ]
    assert found(grid(["a", "n"], ["x", 1], ["who", "age"], ["Ann", 5])) == [
        ("", ["a", "n"], [2]),
        ("", ["who", "age"], [4]),
    ]


def test_rows_after_a_blank_row_go_on_where_they_have_no_header():
    assert found(grid(["a", "n"], ["x", 1], [], ["y", 2], ["z", 4])) == [("", ["a", "n"], [2, 4, 5])]


def test_a_header_repeated_within_a_table_is_no_row():
    assert found(grid(["a", "n"], ["x", 1], ["a", "n"], ["y", 2])) == [("", ["a", "n"], [2, 4])]


def test_tables_side_by_side_are_two():
    rows = (["a", "n", "", "b", "m"], ["x", 1, "", "u", 7], ["y", 2, "", "v", 8], ["z", 3])
    assert [(header, body) for _, header, body in found(grid(*rows))] == [
        (["a", "n"], [2, 3, 4]),
        (["b", "m"], [2, 3]),
    ]


def test_two_header_rows_are_joined():
    again = Cell("2023", "2023", continued=True)
    rows = (["", "2023", again], ["city", "sold", "left"], ["Ulm", 1, 2], ["Bern", 3, 4])
    assert found(grid(*rows))[0][1] == ["city", "2023 sold", "2023 left"]


def test_a_merged_row_heads_a_section():
    wide = [Cell("North", "North"), Cell(continued=True), Cell(continued=True)]
    (table,) = find_tables(grid(["a", "b", "n"], wide, ["x", "p", 1], ["y", "q", 2]))
    assert (table.rows, table.sections) == ([2, 3], {2: "North"})


def test_a_section_below_two_header_rows_is_no_third():
    down, again = Cell("pier", "pier", continued=True), Cell("2031", "2031", continued=True)
    wide = [Cell("East", "East"), *[Cell("East", "East", continued=True)] * 2]
    rows = (["pier", "2031", again], [down, "spring", "autumn"], wide, ["Ulm", 1, 2], ["Bern", 3, 4])
    (table,) = find_tables(grid(*rows))
    assert table.header == ["pier", "2031 spring", "2031 autumn"]
    assert (table.rows, table.sections) == ([3, 4], {3: "East"})


def test_labels_and_values_are_one_row():
    (table,) = find_tables(grid(["Rent", 1200], ["Water", 88], ["Due", "2024-03-01"]))
    assert table.header == ["Rent", "Water", "Due"]
    assert [cell.value for cell in table.grid.rows[1]] == [1200.0, 88.0, "2024-03-01"]


def test_a_record_with_too_many_cells_is_no_row():
    table = Table("t", [["a", "n"], ["x", "1"], ["y", "1", "2"], ["z", "3", ""]], range(1, 5), "line")
    (one,) = find_tables(table)
    assert (one.rows, one.torn) == ([1, 3], [2])


@pytest.mark.parametrize("rows", [[], [["only"]], [["1", "2"], ["3", "4"]], [["a", "b"]]])
def test_what_has_no_header_and_rows_is_no_table(rows):
    assert find_tables(Table("t", rows, range(1, len(rows) + 1), "line")) == []
