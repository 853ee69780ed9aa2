"""Totals, found by arithmetic and a second sign."""

import pytest

from weiwo.tools.tables.totals import BodyRow, find_totals, is_total_name


def totals(*rows, bold=(), formulas=None, ruled=()):
    formulas = formulas or {}
    signs = {at for at, (name, *_) in enumerate(rows) if is_total_name(name)}
    candidates = {
        at: BodyRow(
            rows[at][0] if is_total_name(rows[at][0]) else "",
            at + 2,
            bold=at in bold,
            ruled=at in ruled,
            formulas=(formulas[at],) if at in formulas else (),
        )
        for at in {*signs, *bold, *ruled, *formulas, len(rows) - 1}
    }
    return find_totals(len(rows), candidates, list(zip(*(row[1:] for row in rows), strict=True)))


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("North", 100), ("South", 200), ("Total sales", 300)], {2}),
        ([("a", 1), ("b", 2), ("Subtotal", 3), ("c", 4), ("Grand total", 7)], {2, 4}),
        ([("a", 10), ("b", 20), ("North Total", 30), ("c", 5), ("South Total", 5), ("Total", 35)], {2, 4, 5}),
        ([("All branches", 48), ("a", 13), ("b", 15), ("c", 20)], {0}),
        ([("a", 10), ("b", 20), ("c", 60), ("Average", 30)], {3}),
        ([("a", 1, 10), ("b", 2, 20), ("Gesamt", 3, 30)], {2}),
        ([("北", 120), ("南", 230), ("合　计", 350)], {2}),
        ([("a", 1.25), ("b", 2.25), ("Summe", 3.5)], {2}),
    ],
)
def test_a_sum_or_mean_that_is_named_is_a_total(rows, found):
    assert totals(*rows) == dict.fromkeys(found, "total")


def test_bold_type_a_rule_or_a_formula_say_so_too():
    rows = [("a", 1), ("b", 2), ("zusammen", 3)]
    assert totals(*rows, bold={2}) == {2: "total"}
    assert totals(*rows, ruled={2}) == {2: "total"}
    assert totals(("a", 1), ("b", 2), ("x", 99), formulas={2: "SUM(B2:B3)"}) == {2: "total"}
    assert totals(("a", 1), ("b", 2), ("x", 5), formulas={2: "SUM(B4:D4)"}) == {}, "a sum of its own row is a value"


ACCIDENTS = [
    [10, 20, 30], [1, 2, 3], [0, 0, 0], [0, 0, 0, 0], [5, 5, 10], [2, 2, 4], [1, 1, 2], [100, 200, 300], [7, 7, 7], [1.5, 1.5, 3],
    [3, 1, 4], [50, 50, 100], [12, 0, 12], [0, 5, 5], [1, 0, 1], [25, 75, 100], [9, 1, 10], [4, 4, 4, 4], [2, 3, 5], [10, -10, 0],
]  # fmt: skip


@pytest.mark.parametrize("values", ACCIDENTS)
def test_an_accidental_sum_is_a_row(values):
    assert totals(*((f"thing {n}", value) for n, value in enumerate(values))) == {}


def test_a_sum_of_several_rows_without_a_second_sign_is_in_doubt():
    assert totals(("a", 1), ("b", 2), ("c", 4), ("d", 7)) == {3: "doubtful"}


def test_a_company_of_that_name_is_a_row():
    assert totals(("Petra", 100), ("Total", 200), ("Norga", 50)) == {}
    assert totals(("Petra", 100), ("Norga", 50), ("Total", 150), ("Shell", 30)) == {2: "doubtful"}


def test_names_are_words_and_not_parts_of_them():
    names = ("Total\nEUR", "Allen\nTotal", f"Total {'of all accounts ' * 20}", "Grand Total")
    assert [name for name in names if not is_total_name(name)] == []
    assert [name for name in ("Totally", "Tolan", "Sumatra", "Allen", "x", "=SUM(A1)") if is_total_name(name)] == []
