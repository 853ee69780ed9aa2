"""Quarters and months named in a question without a day: "Q1", "in February", 第二季度."""

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from weiwo.state.errors import WeiwoError
from weiwo.text.data_files import data_pattern, data_rows, data_words

_FILE: Final = "table_synonyms"
_QUARTER: Final = data_pattern(_FILE, "periods", "quarter")
_MONTH: Final = data_pattern(_FILE, "periods", "month")
_YEAR_AFTER: Final = data_pattern(_FILE, "periods", "year_after")
_YEAR_BEFORE: Final = data_pattern(_FILE, "periods", "year_before")
_LEAD_IN: Final = data_pattern(_FILE, "periods", "lead_in")
_WORDS_WITH_OTHER_SENSES: Final = data_words(_FILE, "periods", "other_senses")
_MONTHS_OF_QUARTER: Final = 3


class MonthSpan(NamedTuple):
    """Whole months of a year that a question names, as "Q1".

    Attributes:
        start: Start of the name in the question.
        end: End of the name.
        first: First month, in ISO form: "2024-01".
        last: Last month, in ISO form: "2024-03".
        year_assumed: Whether the question does not say the year.
    """

    start: int
    end: int
    first: str
    last: str
    year_assumed: bool


class UnknownYearError(WeiwoError, ValueError):
    """Error raised for a period without a year, if the dates of the table are not all of one year."""


def find_period(text: str, years: Collection[int]) -> MonthSpan | None:
    """Return the first quarter or month that a question names, or None.

    A month with its year is not returned: it is a date.

    Args:
        text: The question, folded.
        years: Years of the dates in the table.

    Raises:
        UnknownYearError: The question gives no year, and the table does not have exactly one. The message is the
            period.
    """
    for pattern, size in ((_QUARTER, _MONTHS_OF_QUARTER), (_MONTH, 1)):
        for found in pattern.finditer(text):
            lead_in = _LEAD_IN.search(text[: found.start()])
            if found[0] in _WORDS_WITH_OTHER_SENSES and lead_in is None:
                continue
            after = _YEAR_AFTER.match(text, found.end())
            before = None if after else _YEAR_BEFORE.search(text[: found.start()])
            said = after or before
            if said is not None and size == 1:
                continue  # a month of a year is a date like any other
            if said is None and len(years) != 1:
                raise UnknownYearError(found[0].strip())
            year = int(said["year"]) if said is not None else next(iter(years))
            word = next(part for part in found.groupdict().values() if part)
            figures = {written: int(figure) for written, figure in data_rows(_FILE, "periods", "numbers")}
            number = int(word) if word.isascii() and word.isdecimal() else figures[word]
            first, last = (number - 1) * size + 1, number * size
            start = before.start() if before else found.start()
            return MonthSpan(
                start, after.end() if after else found.end(), f"{year}-{first:02d}", f"{year}-{last:02d}", said is None
            )
    return None


def list_years(column: Mapping[str, Any]) -> set[int]:
    """Return the years from the first to the last date of a column. Empty if its range is not known."""
    span = column.get("range") or []
    years = [int(str(day)[:4]) for day in span if str(day)[:4].isdecimal()]
    return set(range(years[0], years[1] + 1)) if len(years) == len(span) == 2 else set()
