"""The grid of typed cells that readers hand on."""

from weiwo.state.table import EMPTY_CELL, Cell, Table, as_cell


def test_a_plain_text_is_a_cell_of_that_text_and_nothing_else() -> None:
    assert as_cell("12 kg") == Cell(value="12 kg", shown="12 kg")
    assert as_cell("") == EMPTY_CELL


def test_rows_may_end_early() -> None:
    table = Table("Sales", [["city", "sales"], ["Bern", Cell(12.0, "12.00")], []], [3, 4, 6], within="sheet Sales")
    assert table.cell(1, 1).value == 12.0
    assert table.cell(2, 1) is EMPTY_CELL


def test_places_count_as_the_document_does() -> None:
    table = Table("Sales", [["city"], ["Bern"], ["Ulm"]], [3, 4, 6], within="sheet Sales")
    assert table.locate(2) == "sheet Sales, row 6"
    assert table.locate(1, 2) == "sheet Sales, rows 4-6"
    assert Table("", [["a"]], [1], unit="", within="page 2").locate(0) == "page 2"
