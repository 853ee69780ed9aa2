"""Dates of every era and precision, found, read and written."""

import datetime as dt
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.examples import examples
from weiwo.state.kinds import Language
from weiwo.text.dates import PartialDate, find_dates, format_date, parse_date

LANGUAGES: tuple[Language, ...] = ("en", "zh")
YEARS = st.one_of(
    st.integers(-300, 300), st.integers(900, 1100), st.integers(1900, 2200), st.integers(-99_999, 99_999)
).filter(bool)


@st.composite
def partial_dates(draw: st.DrawFn) -> PartialDate:
    precision = draw(st.integers(0, 2))
    return PartialDate(
        draw(YEARS),
        draw(st.integers(1, 12)) if precision > 0 else None,
        draw(st.integers(1, 28)) if precision > 1 else None,
    )


def found(text: str) -> list[list[str]]:
    """Each date alone, or with the end of its range."""
    return [[date.iso() for date in (span.date, span.until) if date] for span in find_dates(text)]


@pytest.mark.parametrize(("text", "iso"), read_cases("dates"))
def test_one_date_is_read(text: str, iso: str) -> None:
    assert parse_date(text).iso() == iso


@pytest.mark.parametrize(
    "text",
    [
        "", "the 5th century BC", "公元前5世纪", "公元前5—前3世纪", "1960s", "1930年代", "20世纪30年代", "July 14",
        "yesterday", "1,969", "$1969", "1969 metres", "1450 people", "1200多人", "30 February 1969", "31 June 14",
        "0", "0 BC", "历时126年", "1000年历史", "1936-37", "156–87 BC", "between 1881 and 1936", "1935年至1936年",
        "12–14 July 1969", "born 1 May 1969, died 2 June 1970", "On July 12, 500 soldiers", "room 1408",
        "tel. 555-1936", "3/5/1984", "13/13/1984", "31/2/1984",
    ],
)  # fmt: skip
def test_what_is_not_one_date_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a date|more than one date|is a range|no year|may mean") as raised:
        parse_date(text)
    assert text in str(raised.value)


@pytest.mark.parametrize(("text", "dates"), read_cases("dates_and_ranges"))
def test_dates_and_ranges_are_found(text: str, dates: list[list[str]]) -> None:
    assert found(text) == dates


@pytest.mark.parametrize(
    "text", ["c. 156 BC", "circa 1450", "about 1450", "约公元前156年", "1900年前后", "c. 156 – c. 87 BC"]
)
def test_approximate_dates_say_so(text: str) -> None:
    assert [span.approximate for span in find_dates(text)] == [True]


def test_spans_point_into_the_text() -> None:
    text = "He was born on 12 July 100 BC in Rome, 汉武帝生于公元前156年７月。"
    assert [text[span.start : span.end] for span in find_dates(text)] == ["12 July 100 BC", "公元前156年７月"]


@pytest.mark.parametrize(
    ("iso", "english", "chinese"),
    [
        ("-156", "156 BC", "公元前156年"),
        ("-100-07-12", "12 July 100 BC", "公元前100年7月12日"),
        ("14", "AD 14", "公元14年"),
        ("618", "AD 618", "公元618年"),
        ("1969-07", "July 1969", "1969年7月"),
        ("1969-07-20", "20 July 1969", "1969年7月20日"),
    ],
)
def test_prose(iso: str, english: str, chinese: str) -> None:
    date = PartialDate.from_iso(iso)
    assert (format_date(date, "en"), format_date(date, "zh")) == (english, chinese)


@given(partial_dates(), st.sampled_from(LANGUAGES))
@examples(50)
def test_what_is_written_is_read_back(date: PartialDate, language: Language) -> None:
    assert parse_date(format_date(date, language)) == date
    assert PartialDate.from_iso(date.iso()) == date == parse_date(date.iso())


@given(partial_dates(), st.sampled_from(LANGUAGES))
@examples(50)
def test_a_written_date_is_found_in_a_sentence(date: PartialDate, language: Language) -> None:
    sentence = {"en": "It happened on {} in Rome.", "zh": "此事发生于{}，地点是罗马。"}[language]
    assert [span.date for span in find_dates(sentence.format(format_date(date, language)))] == [date]


@given(partial_dates(), partial_dates())
@examples(50)
def test_order_is_total_and_agrees_with_time(left: PartialDate, right: PartialDate) -> None:
    assert (left < right) + (left == right) + (left > right) == 1
    ordinals = left.ordinal(), right.ordinal()
    if ordinals[0] is not None and ordinals[1] is not None:
        assert (left < right) == (ordinals[0] < ordinals[1])


@given(st.dates())
@examples(50)
def test_ordinals_are_those_of_datetime(day: dt.date) -> None:
    assert PartialDate(day.year, day.month, day.day).ordinal() == day.toordinal()


def test_the_day_before_our_era_is_day_zero() -> None:
    assert PartialDate(-1, 12, 31).ordinal() == 0
    assert PartialDate(-1).astronomical == 0
    assert PartialDate(-156).ordinal() is None


@pytest.mark.parametrize("parts", [(0,), (1969, 13), (1969, 0), (1969, 2, 29), (1969, None, 3), (10**6,)])
def test_impossible_dates_are_refused(parts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="no "):
        PartialDate(*parts)


@given(st.text(max_size=200) | st.text(alphabet="0123456789 年月日前公元一二十BCAD–-.,July至", max_size=60))
@examples(50)
def test_any_text_gives_ordered_spans_or_a_value_error(text: str) -> None:
    end = 0
    for span in find_dates(text):
        assert end <= span.start < span.end <= len(text)
        assert span.until is None or span.date <= span.until
        end = span.end
    with suppress(ValueError):
        parse_date(text)


@pytest.mark.trial
@pytest.mark.parametrize(
    "piece", ["1", "1 ", "1-", "July 1, ", "1969 – ", "公元前", "一", "1年", "1969年至", " ", "A.D. "]
)
def test_a_hostile_page_ends(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert all(0 <= one.start < one.end <= len(text) for one in find_dates(text))
