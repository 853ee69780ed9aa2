"""Values of cells written as text: whole cell or nothing, and columns with two readings refused."""

import math
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.text.cell_values import Amount, parse_amount, read_column
from weiwo.text.version_order import sort_version

AMOUNTS = [
    ("1,234.50", 1234.5, ""), ("-5", -5, ""), ("−5", -5, ""), ("(1,200)", -1200, ""), ("1,200-", -1200, ""),
    ("₹1,23,456", 123456, "₹"), ("₹ 12,34,567.50", 1234567.5, "₹"), ("1’234.50", 1234.5, ""), ("1 234 567", 1234567, ""),
    ("１２３．５", 123.5, ""), ("٣٫٥", 3.5, ""), ("$1.2B", 1.2e9, "$"), ("$300M", 3e8, "$"), ("$5m", 5e6, "$"),
    ("US$ 2 bn", 2e9, "$"), ("€1.5 Mrd", 1.5e9, "€"), ("1.2万元", 12000, "¥"), ("3.5亿", 3.5e8, ""), ("2 lakh", 2e5, ""),
    ("₹3 crore", 3e7, "₹"), ("₹2 cr", 2e7, "₹"), ("1.5 million", 1.5e6, ""), ("12 Mio. €", 1.2e7, "€"),
    ("5 kg", 5, "kg"), ("12 km", 12, "km"), ("12km", 12, "km"), ("38 mpg", 38, "mpg"), ("60 mph", 60, "mph"),
    ("5 min", 5, "min"), ("7 mm", 7, "mm"), ("3 m", 3, "m"), ("4 m²", 4, "m²"), ("21.5 °C", 21.5, "°C"),
    ("100 km/h", 100, "km/h"), ("6.4%", 6.4, "%"), ("6.4 ％", 6.4, "%"), ("5 MB", 5, "MB"), ("3 kWh", 3, "kWh"),
    ("5 公斤", 5, "kg"), ("300元", 300, "¥"), ("1.5e3", 1500, ""), ("2×10³", 2000, ""), ("1.5 x 10^6", 1.5e6, ""),
    (".5", 0.5, ""), ("12,50 zł", None, ""), ("+7", 7, ""), ("CHF 12.50", 12.5, "CHF"), ("12.50 CHF", 12.5, "CHF"),
]  # fmt: skip
NO_NUMBERS = [
    "15²", "100^1", "10^6", "12 - 15", "5-10", "~5", "<5", "≥ 3", "5+", "3 Elm Street", "A4", "1.2.3", "1,2,3", "12 est",
    "5k", "5 M", "(5", "5)", "--5", "1,23,45", "12,345,67", "$5 kg", "€5 $", "n/a", "", "5 kg 3", "1.234.5", "x5",
    "c | 7777", "1 2", "５²", "3 (approx)", "9:05", "1/2", "2024-01-01", "1,234,56.7", "$", "%", "1e", "..5",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "unit"), AMOUNTS)
def test_a_cell_is_a_number_with_its_unit(text, value, unit):
    assert parse_amount(text) == (None if value is None else Amount(value, unit))


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_a_cell_with_a_remainder_is_no_number(text):
    assert parse_amount(text) is None


COLUMNS = [
    ("plain", ["1,200", "950", "3.5"], "number", [1200, 950, 3.5], ""),
    ("comma", ["1.234,50", "12,75", "2.500"], "number", [1234.5, 12.75, 2500], ""),
    ("kilograms", ["5 kg", "12 kg", "n/a"], "number", [5, 12, None], "kg"),
    ("scales", ["1.2k", "300", "2M"], "number", [1200, 300, 2e6], ""),
    ("metres", ["5 m", "12 m", "7 m"], "number", [5, 12, 7], "m"),
    ("kelvin", ["280 K", "300 K"], "number", [280, 300], "K"),
    ("money scales", ["$1.2B", "$300M"], "number", [1.2e9, 3e8], "$"),
    ("words as units", ["12 widgets", "3 widgets"], "number", [12, 3], "widgets"),
    ("notes", ["15²", "100^1", "7", "20"], "number", [15, 100, 7, 20], ""),
    ("notes by star", ["15*", "100", "7[1]", "20†"], "number", [15, 100, 7, 20], ""),
    ("months by name", ["01-Mar-2024", "15-Feb-2023"], "date", ["2024-03-01", "2023-02-15"], ""),
    ("short months", ["1 Mar 24", "3. Januar 2024", "5 de mayo de 2023"], "date", ["2024-03-01", "2024-01-03", "2023-05-05"], ""),
    ("American", ["Mar 1, 2024", "January 15, 2023"], "date", ["2024-03-01", "2023-01-15"], ""),
    ("points", ["13.02.24", "01.03.24"], "date", ["2024-02-13", "2024-03-01"], ""),
    ("day first", ["31/12/2023", "05/04/2024"], "date", ["2023-12-31", "2024-04-05"], ""),
    ("month first", ["12/31/2023", "05/04/2024"], "date", ["2023-12-31", "2024-05-04"], ""),
    ("the same day either way", ["05/05/2024", "6/6/2024"], "date", ["2024-05-05", "2024-06-06"], ""),
    ("Chinese", ["2024年3月1日", "2023年12月"], "date", ["2024-03-01", "2023-12"], ""),
    ("times", ["9:05", "10:00", "8:30"], "time", ["09:05:00", "10:00:00", "08:30:00"], ""),
    ("half days", ["9:05 AM", "12:30 pm", "1 PM"], "time", ["09:05:00", "12:30:00", "13:00:00"], ""),
    ("Chinese half days", ["上午9:05", "下午3点20分"], "time", ["09:05:00", "15:20:00"], ""),
    ("hours", ["36:15", "9:05"], "duration", [130500, 32700], ""),
    ("offsets", ["2024-03-01T10:00:00+02:00", "2024-03-01T09:30:00Z"], "datetime", ["2024-03-01T08:00:00Z", "2024-03-01T09:30:00Z"], ""),
    ("moments", ["2024-03-01 10:00", "01-Mar-2024 9:05 PM"], "datetime", ["2024-03-01T10:00:00", "2024-03-01T21:05:00"], ""),
    ("date and datetime", ["2024-03-01", "2024-03-02 10:00"], "datetime", ["2024-03-01", "2024-03-02T10:00:00"], ""),
    ("names in figures", ["007", "012"], "text", ["007", "012"], ""),
    ("texts", ["Ann", "Bob"], "text", ["Ann", "Bob"], ""),
    ("only dates that cannot be", ["31.02.2024", "32.01.2024"], "text", ["31.02.2024", "32.01.2024"], ""),
]  # fmt: skip


@pytest.mark.parametrize(("what", "texts", "kind", "values", "unit"), COLUMNS, ids=[row[0] for row in COLUMNS])
def test_a_column_is_read(what, texts, kind, values, unit):
    reading = read_column(texts, what)
    assert (reading.type, [reading.values[text] for text in texts], reading.unit) == (kind, values, unit)
    assert reading.doubt is None


@pytest.mark.parametrize(
    ("texts", "given", "kind", "said"),
    [
        (["1.234", "2.500", "12.750"], {"delimiter": ";"}, "decimal_mark", ["1234", "1.234"]),
        (["1,234", "2,500"], {"language": "de"}, "decimal_mark", ["1234", "1.234"]),
        (["1,5", "1.5"], {}, "decimal_mark", ["1.5", "1,5"]),
        (["05/04/2024", "06/07/2024"], {}, "date_order", ["2024-04-05", "2024-05-04"]),
        (["31/12/2023", "12/31/2023"], {}, "date_order", ["31/12/2023"]),
        (["3.1.14", "3.2.10"], {}, "version", ["2014-01-03", "3.1.14"]),
        (["2024-03-01T10:00:00Z", "2024-03-01T10:00:00"], {}, "zone", ["UTC"]),
    ],
)
def test_a_column_with_two_readings_is_refused_and_says_which(texts, given, kind, said):
    reading = read_column(texts, **given)
    assert reading.doubt is not None
    assert (reading.type, reading.doubt.kind) == ("text", kind)
    for language in ("en", "zh"):
        line = reading.doubt.describe(language)
        assert "\n" not in line
        assert all(word in line for word in said)


def test_a_point_in_an_ordinary_file_is_a_decimal_mark():
    assert read_column(["1.234", "2.500"]).values == {"1.234": 1.234, "2.500": 2.5}
    assert read_column(["1,234", "2,500"]).values == {"1,234": 1234, "2,500": 2500}


def test_cells_that_are_no_numbers_are_named():
    texts = [*map(str, range(20)), "12 est", "15^2 m", "c | 7777"]
    reading = read_column(texts)
    assert (reading.type, reading.unread) == ("number", ("12 est", "15^2 m", "c | 7777"))
    assert reading.values["12 est"] is None


def test_a_mark_beside_a_unit_is_no_note():
    assert read_column(["5 m", "7 m", "9 m", "8 m", "4 m", "15²"]).unread == ("15²",)
    assert read_column(["5", "7", "9", "8", "4", "10²"]).unread == ("10²",)


def test_units_that_differ_stay_with_their_cells():
    reading = read_column(["5 kg", "300 g", "7 kg"])
    assert (reading.unit, reading.units) == ("", {"5 kg": "kg", "300 g": "g", "7 kg": "kg"})


def test_versions_are_ordered_as_versions():
    texts = ["1.9", "1.10", "1.2"]
    reading = read_column(texts, "Version")
    assert reading.type == "version"
    assert sorted(texts, key=lambda text: str(reading.values[text])) == ["1.2", "1.9", "1.10"]
    assert read_column(["v1.9", "v1.10-rc1", "v1.10"]).type == "version"
    assert read_column(["3.1.4", "3.10.0"]).type == "version"
    order = ["1.0-alpha", "1.0-beta2", "1.0-rc1", "1.0", "1.0p1", "1.0.2", "1.0.2k", "1.10"]
    assert sorted(["1.10", *order[:-1]], key=lambda text: sort_version(text) or "") == order
    assert sort_version("1.0") == sort_version("v1.0.0")


@given(st.floats(-1e12, 1e12).map(lambda x: round(x, 3)), st.sampled_from(["", "$", "€", "₹"]), st.booleans())
def test_a_number_that_was_written_is_read_back(number, sign, grouped):
    shown = f"{abs(number):,.3f}" if grouped else f"{abs(number):.3f}"
    amount = parse_amount(f"{'-' * (number < 0)}{sign}{shown}")
    assert amount is not None
    assert math.isclose(amount.value, number, abs_tol=1e-3)
    assert amount.unit == sign
    turned = shown.translate(str.maketrans(",.", ".,"))
    assert parse_amount(turned, decimal=",") == Amount(abs(amount.value), "")


@given(st.text(max_size=40))
def test_no_text_breaks_the_readers(text):
    parse_amount(text)
    reading = read_column([text, "1", "2024-01-01"])
    assert set(reading.values) == {text, "1", "2024-01-01"}
    sort_version(text)


@given(st.text(alphabet="0123456789,.' -+()$€kMmg²^%/:", max_size=25))
def test_what_is_read_has_every_digit_of_the_cell(text):
    amount = parse_amount(text)
    if amount is not None:
        figures = [c for c in text if c in "123456789"]
        assert bool(figures) == bool(amount.value) or "10" in text or amount.unit


@given(
    st.lists(st.dates(min_value=date(1000, 1, 1)), min_size=1, max_size=20),  # strftime pads no year before
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d-%b-%Y", "%Y年%m月%d日", "%B %d, %Y"]),
)
def test_dates_are_read_back_or_refused(days, form):
    texts = [
        day.strftime(form).replace(f"{day.year}", f"{day.year:04d}") if day.year < 1000 else day.strftime(form)
        for day in days
    ]
    reading = read_column(texts)
    assert reading.type == "date"
    assert [reading.values[text] for text in texts] == [day.isoformat() for day in days]


@pytest.mark.trial
def test_time_grows_with_the_column():
    def measure(number):
        texts = [f"{n},{n % 1000:03d}.5 kg" for n in range(number)]
        begun = time.perf_counter()
        read_column(texts)
        return time.perf_counter() - begun

    assert measure(40_000) < 12 * measure(10_000)
