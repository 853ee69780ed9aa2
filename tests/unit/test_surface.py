"""The recorder that compares two versions of what users meet."""

from datetime import UTC, date, datetime

import pytest

from tests.support.results import make_result
from tests.support.surface import mask_varying, read_export
from weiwo.app.export import render

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("1 added in 0.3 s, 2 passages a second", "1 added in SECONDS, SPEED"),
        ("1 passage\t78 kB\t1 second ago", "1 passage\t78 kB\tAGO"),
        ("thread 20261129-142428-r7fz", "thread THREAD"),
        ("checkpoint 1f0cd0a2-5b1c-6d3e-8001-0a1b2c3d4e5f", "checkpoint UUID"),
        ('"seconds": 1.25, "score": 1.25', '"seconds": NUMBER, "score": 1.25'),
        ("indexed 2026-11-29T14:24:28Z", "indexed TODAY"),
        ("2026-11-29T14:24:28.123+00:00\tcomplete", "TODAY\tcomplete"),
        ('"date": "2026-11-29"', '"date": "TODAY"'),
        (" look up       0.64     2.88     4.63 \n total 1.00 2.00 3.00", " look up MILLISECONDS\n total MILLISECONDS"),
    ],
)
def test_what_differs_in_every_run_is_masked(text: str, masked: str) -> None:
    assert mask_varying(text, {TODAY}) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Orla Mill was built in 1902 [1].",
        "opened 2026-11-28, closed 2025-01-02T00:00:00Z",
        "reading it takes 30 s; limit 500 ms; 12 秒",
        "the train leaves at 10:42",
        "12 seconds, 3 minutes, 4 passages",
        '"float": 3, "format": 2, "max_seconds": 120, "milliseconds": 5',
        '"id": "f1c264968ca5ce9c"',
        "6964592770002582 grains",
    ],
)
def test_a_figure_of_the_product_is_not_masked(text: str) -> None:
    assert mask_varying(text, {TODAY}) == text


def test_by_default_the_day_is_today() -> None:
    assert mask_varying(f"indexed {datetime.now(UTC):%Y-%m-%d %H:%M}") == "indexed TODAY"


@pytest.mark.parametrize("form", ["md", "docx", "pptx"])
def test_another_figure_of_an_answer_is_a_difference(form: str) -> None:
    shown = [read_export(render(make_result(f"Aurora costs {n} euros [1]."), form)) for n in (20, 30)]
    assert ("costs 20" in shown[0], "costs 30" in shown[1]) == (True, True)


@pytest.mark.parametrize("form", ["json", "docx", "pptx"])
def test_an_export_is_the_same_each_time(form: str) -> None:
    first, second = (read_export(render(make_result("Aurora costs 20 euros [1]."), form)) for _ in range(2))
    assert first == second
