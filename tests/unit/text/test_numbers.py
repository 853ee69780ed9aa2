"""Numbers in two languages, found, read and written."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.examples import examples
from weiwo.state.kinds import Language
from weiwo.text.numbers import find_numbers, format_number, parse_number, to_base
from weiwo.text.numerals import chinese_integer, english_integer

LANGUAGES = st.sampled_from(["en", "zh"])


@pytest.mark.parametrize(("text", "expected"), read_cases("numbers"))
def test_numbers_are_found(text: str, expected: list[object]) -> None:
    assert [[span.value, span.unit or "", span.percent] for span in find_numbers(text)] == [expected]
    assert parse_number(text) == expected[0]


@pytest.mark.parametrize(
    "text",
    [
        "", "no number", "the 1960s", "5th", "twenty-first", "COVID-19", "A4", "192.168.1.1", "1.2.3", "5M",
        "第三十七", "七八个", "一些", "十分", "统一", "几十万", "one of them", "few hundred", "2½", "两年半",
        "two and a half million", "3千五百", "1e999", "1e-999", "nan", "inf",
    ],
)  # fmt: skip
def test_what_is_no_number_is_left_out(text: str) -> None:
    assert find_numbers(text) == []
    with pytest.raises(ValueError, match="not a number") as raised:
        parse_number(text)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "between 3 and 5",
        "3–5 km",
        "3-5",
        "12,34,567",
        "6 300",
        "3,14",
        "1969-07-20",
        "three or four",
        "5 ft 3 inches",
        "三到五年",
    ],
)
def test_numbers_that_differ_are_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="more than one") as raised:
        parse_number(text)
    assert text in str(raised.value)


def test_the_same_number_twice_is_one() -> None:
    assert parse_number("6.3 million (6,300,000)") == 6300000


@pytest.mark.parametrize(("text", "value"), [(".5", 0.5), ("1e-7", 1e-7), ("+3", 3), ("one", 1), ("一", 1), ("007", 7)])
def test_a_text_that_is_only_a_number_may_be_terse(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("十", 10), ("十五", 15), ("二百零五", 205), ("两千五", 2500), ("两千零五", 2005), ("三万五", 35000),
     ("一万零二十", 10020), ("一亿二千万", 120000000), ("一万亿", 10**12), ("二〇二一", 2021), ("壹佰", 100),
     ("五", 5)],
)  # fmt: skip
def test_chinese_numerals(text: str, value: int) -> None:
    assert chinese_integer(text) == value


@pytest.mark.parametrize("text", ["", "百万", "十百", "二三百", "万", "a"])
def test_malformed_chinese_numerals_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="numeral"):
        chinese_integer(text)


@pytest.mark.parametrize(
    "text", ["", "two three", "twenty thirty", "hundred", "and five", "two hundred and", "one zero"]
)
def test_malformed_number_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="in words"):
        english_integer(text)


def _chinese(number: int) -> str:
    """The standard form, made independently of what reads it."""
    for scale, name in ((10**8, "亿"), (10**4, "万")):
        if number >= scale:
            high, low = divmod(number, scale)
            return _chinese(high) + name + (("零" if low < scale // 10 else "") + _chinese(low) if low else "")
    written, gap = "", False
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            written += ("零" if gap and written else "") + "零一二三四五六七八九"[digit] + name
        gap = not digit
    return written or "零"


@given(st.integers(0, 10**12 - 1))
@examples(50)
def test_standard_chinese_numerals_are_read(number: int) -> None:
    assert chinese_integer(_chinese(number)) == number


@given(st.integers(-(10**30), 10**30), LANGUAGES)
@examples(50)
def test_a_written_integer_is_read_back(number: int, language: Language) -> None:
    assert parse_number(format_number(number, language)) == number


@given(st.floats(-1e300, 1e300, allow_nan=False), LANGUAGES)
@examples(50)
def test_a_written_float_is_read_back_to_its_digits(number: float, language: Language) -> None:
    written = format_number(number, language)
    read = parse_number(written)
    assert "e" not in written
    assert math.isclose(read, number, rel_tol=1e-5, abs_tol=5e-7 if abs(number) >= 1 else 0)
    assert format_number(read, language) == written


@given(st.integers(-(10**12), 10**12).map(lambda millionths: millionths / 10**6), LANGUAGES)
@examples(50)
def test_six_decimals_are_kept_exactly(number: float, language: Language) -> None:
    if abs(number) >= 1:
        assert parse_number(format_number(number, language)) == number


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [(6300, "6,300", "6300"), (1e6, "1,000,000", "1000000"), (0.1 + 0.2, "0.3", "0.3"),
     (-1234.5, "-1,234.5", "-1234.5"), (1.5e-9, "0.0000000015", "0.0000000015"), (-0.0, "0", "0")],
)  # fmt: skip
def test_prose(value: float, english: str, chinese: str) -> None:
    assert (format_number(value, "en"), format_number(value, "zh")) == (english, chinese)


@pytest.mark.parametrize("value", [True, math.nan, math.inf])
def test_what_is_no_number_cannot_be_written(value: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        format_number(value, "en")


def test_units_are_compared_in_si() -> None:
    in_base = {
        text: to_base(find_numbers(text)[0])
        for text in ("6,300 km", "6300公里", "630万米", "3 斤", "1 ha", "5 years", "5")
    }
    assert in_base["6,300 km"] == in_base["6300公里"] == in_base["630万米"] == (6300000.0, "m")
    assert in_base["3 斤"] == (1.5, "kg")
    assert in_base["1 ha"] == (10000.0, "m²")
    assert in_base["5 years"] is in_base["5"] is None


@given(st.text(max_size=200) | st.text(alphabet="0123456789.,%-$ 一二十百万亿点千米年人kmbnhundred", max_size=60))
@examples(50)
def test_any_text_gives_ordered_finite_spans(text: str) -> None:
    end = 0
    for span in find_numbers(text):
        assert end <= span.start < span.end <= len(text)
        assert math.isfinite(span.value)
        end = span.end


@pytest.mark.trial
@pytest.mark.parametrize(
    "piece", ["1", "1,", "1.", "1 ", "一", "一百", "1万", "two hundred and ", "百分之", "a ", "$", "9 square "]
)
def test_a_hostile_page_ends(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert all(0 <= one.start < one.end <= len(text) for one in find_numbers(text))
