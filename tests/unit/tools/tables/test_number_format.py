"""Number formats: what a cell shows, as LibreOffice 7.4 shows it (`LIBREOFFICE` is its own output, blanks aside)."""

from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weiwo.tools.tables.date_format import read_serial
from weiwo.tools.tables.number_format import (
    find_format_kind,
    find_format_unit,
    render_number,
    render_stored,
    render_text,
)

LIBREOFFICE = [
    ("0.##", 5, "5"), ("0.##", 0.125, "0.13"), ("0.##", -0.001, "0"), ("#.##", 0.5, ".5"), ("#.##", 0, ""),
    ("#,##0.00", 1234567.891, "1,234,567.89"), ("#,##0.00", -5, "-5.00"), ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
    ("[$-4009]#,##0", 1234567, "12,34,567"), ("[$₹-4009] #,##0.00", 1234567.5, "₹ 1,234,567.50"),
    ("[$CHF] #,##0.00", 12.5, "CHF 12.50"), ("#,##0.00 [$kr-41D]", 12.5, "12.50 kr"), ("$#,##0.00", -5, "-$5.00"),
    ('"$"#,##0_);("$"#,##0)', -5, "($5)"), ('_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', 0, "-"),
    ('_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', -3, "$(3.00)"),
    ("0%", 0.015, "2%"), ("0%", -0.5, "-50%"), ("%0", 0.5, "%50"), ("#%", 0, "%"),
    ("0.00E+00", 999900.0, "1.00E+06"), ("##0.0E+0", 12345, "12.3E+3"), ("##0.0E+0", 0.00012, "120.0E-6"),
    ("##0.0E+0", 999999, "1.0E+6"), ("0.0E-0", 12345, "1.2E4"), ("0.00E+00", 0, "0.00E+00"),
    ("# ?/?", 0.3333, "1/3"), ("# ?/?", -2.25, "-2 1/4"), ("# ?/?", 0.99, "1"), ("# ??/??", 0.1234, "10/81"),
    ("?/?", 2.5, "5/2"), ("0/8", 1.3, "10/8"), ("# ?/8", 5.99, "6"), ("# ?/100", 1.25, "1 25/100"),
    ("0 ?/?", 0.5, "0 1/2"), ('# ?/? "in"', 1.5, "1 1/2 in"), ("0/0", 0.5, "1/2"),
    ("#", 0, ""), ('"x";"y"', -5, "y"), (";;;", 5, ""), ("0;", -5, ""), ("0;;", 0, ""), ('0;-0;"z";@', 0, "z"),
    ('0;-0;"z";@', -0.3, "-0"), ("0.0;-0.0", -0.01, "-0.0"), ("+0.0;-0.0", 0, "+0.0"), ("▲0;▼0", -5, "▼5"),
    ('[=1]"one";[=2]"two";0', 2, "two"), ('[>100]0"a";[<-100]0"b";0"c"', -150, "150b"), ('[<0]"neg "0;0', -5, "neg 5"),
    ('[<=0]0"n";0', 0, "0n"), ('[>=0]0"p";0"m"', -5, "5m"), ("[Red][>5]0;[Blue]0", 3, "3"),
    ("0,", 1234567, "1235"), ("0,", 499, "0"), ("0,,", 1234567, "1"), ("#,", 5, ""), ("0,0", 5, "05"), (",0", 5, ",5"),
    ('0.00,"k";-0.00,"k"', -1234, "-1.23k"), ('0"."0', 25, "2.5"), ("(000) 000-0000", 5551, "(000) 000-5551"),
    ("0000 0000 0000 0000", 1234567812345678, "1234 5678 1234 5678"), (r"##\ ##\ ##", 12, "12"), ("0:00", 905, "9:05"),
    ('0.0"x"0', 1.25, "1.2x5"), ("0.0##", 1.23456, "1.235"), ("0.?", 5, "5."), ("???.???", 4.5, "4.5"),
    (r"0\ \°C", 21.4, "21 °C"), ("0*x", 5, "5"), ("@", 1.5, "1.5"), ('General "units"', 1.5, "1.5 units"),
    ("h:mm:ss.00", 0.123456, "2:57:46.60"), ("h:mm", 0.999999, "23:59"), ("[h]:mm", -1.5, "-36:00"),
    ("[h]:mm", 100.25, "2406:00"), ("[hh]:mm", 0.05, "01:12"), ("[m]", 1, "1440"), ("mm:ss", 0.0625, "30:00"),
    ("h:mm AM/PM", 0.0, "12:00 AM"), ("h:mm AM/PM", 0.99, "11:45 PM"), ("[$-804]AM/PM h:mm", 0.75, "下午 6:00"),
    ("[$-D000409]h:mm AM/PM", 0.3, "7:12 AM"), ('h "h" mm "m"', 0.4, "9 h 36 m"),
    ("ddd, d mmm", 45352, "Fri, 1 Mar"), ("d-mmm-yy", 45352, "1-Mar-24"), ("mmmmm", 45352, "M"), ("m/d", 45352, "3/1"),
    ("[$-804]dddd", 45352, "星期五"), ("[$-804]mmmm", 45352, "三月"), ('[$-411]ggge"年"m"月"d"日"', 45352, "令和6年3月1日"),
    ("[$-411]gge", 36526, "平12"), ("[$-404]e/m/d", 45352, "113/3/1"), ("yyyy-mm-dd hh:mm:ss", 45352.999999, "2024-03-02 00:00:00"),
    ('[DBNum1][$-804]yyyy"年"m"月"d"日"', 45647, "二〇二四年十二月二十一日"), ("[DBNum1][$-804]General", 100005, "一十万〇五"),
    ("[DBNum2][$-804]0", 1234, "壹仟贰佰叁拾肆"), ("[DBNum1][$-804]0.00", 12.5, "一十二．五〇"), ("[DBNum3][$-804]0", 12, "１２"),
    ("General", 1e-7, "0.0000001"), ("General", 0.30000000000000004, "0.3"), ("General", 123456789012, "123456789012"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value", "shown"), LIBREOFFICE)
def test_a_number_is_shown_as_libreoffice_shows_it(code, value, shown):
    rendered = render_number(value, code)
    assert (" ".join(rendered.text.split()), rendered.exact) == (shown, True)


@pytest.mark.parametrize(
    ("code", "value", "stored"),
    [
        ("[$-407]d. mmmm yyyy", 45352, "45352"),  # names of months in a language that is not held
        ("[NatNum5]0", 12, "12"),
        ("[$-2000401]0", 123, "123"),
        ("yyyy-mm-dd", -1, "-1"),
        ("yyyy-mm-dd", 9e9, "9000000000"),
        ("#,##0 d", 5, "5"),
        ("0;0;0;0;0", 7, "7"),
        ("0" * 2_000, 3, "3"),
    ],
)
def test_what_cannot_be_rendered_is_shown_as_stored_and_said(code, value, stored):
    assert render_number(value, code) == (stored, False)


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("d.m.yyyy h:mm", 45352.75, "2024-03-01 18:00"),
        ("d mmm yyyy", 45000, "2023-03-15"),
        ("mmm-yy", 45352, "2024-03"),
        ("h:mm AM/PM", 0.5, "12:00"),
        ("[h]:mm", 1.5, "36:00"),
        ("0.0%", 0.075, "7.5%"),
        ("yyyy-mm-dd", "n/a", "n/a"),
    ],
)
def test_a_passage_has_iso_dates(code, value, shown):
    assert render_stored(str(value), code).text == shown


def test_days_are_counted_from_1904_where_the_file_says_so():
    assert render_number(43890, "yyyy-mm-dd", date_1904=True).text == "2024-03-01"
    assert read_serial(43890.5, date_1904=True) == datetime(2024, 3, 1, 12)  # noqa: DTZ001
    assert read_serial(60) is None


@pytest.mark.parametrize(
    ("code", "kind", "unit"),
    [
        ("", "general", ""),
        ("General", "general", ""),
        ('General" kg"', "number", "kg"),
        ("0.0%", "percent", "%"),
        ('0.0,,"M"', "number", ""),
        ('"$"0.0,,"M"', "number", "$"),
        ("[$€-407]#,##0.00", "number", "€"),
        ("yyyy-mm-dd", "date", ""),
        ("d.m.yy h:mm", "datetime", ""),
        ("h:mm", "time", ""),
        ("[h]:mm", "duration", ""),
        ("@", "text", ""),
    ],
)
def test_a_code_tells_the_kind_and_the_unit(code, kind, unit):
    assert (find_format_kind(code), find_format_unit(code)) == (kind, unit)


def test_a_text_is_shown_by_its_section():
    assert render_text("x", '0;0;0;"<"@">"') == "<x>"
    assert render_text("x", ";;;") == ""
    assert render_text("x", "0.00") == "x"


@given(st.text(alphabet='0#?.,%/EeymdhsgAMPG@;[]"\\_*<>=-+ $€年General1', max_size=30), st.floats(allow_nan=False))
@example("[<=9", 1e308)
@example("0.0E+0", 5e-324)
@example("# ?/1", 1e300)
def test_any_code_renders_some_text(code, value):
    rendered = render_number(value, code)
    assert isinstance(rendered.text, str)
    assert find_format_kind(code, value)
    assert isinstance(find_format_unit(code, value), str)


@given(st.decimals(-(10**9), 10**9, places=3))
def test_plain_formats_keep_the_number(value):
    assert float(render_number(value, "#,##0.000").text.replace(",", "")) == float(value)
    assert abs(float(render_number(value, "0.0").text) - float(value)) <= 0.0500001
