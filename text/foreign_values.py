"""Rewrite numbers and dates of languages without rules into the forms read by the rules.

1.250,50 is 1250.50 in German, "3. Mai 2016" a day in May. Both sides of a comparison are rewritten, so figures of any
language are compared by their meaning. The prose around them stays. Months and languages with a decimal comma are taken
from the cells' data (`text/data/cell_values.toml`).
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from weiwo.state.kinds import Language, has_rules
from weiwo.text.data_files import data_synonyms, data_words
from weiwo.text.date_forms import MONTHS
from weiwo.text.patterns import lazy

_COMMA_LANGUAGES: Final = data_words("cell_values", "comma_languages")
_GROUPED: Final = lazy(
    r"(?<![\w.,])(\d{1,3}(?:\.\d{3}(?!\d)){1,6}|\d{1,3}(?:[ \u00a0\u202f'’]\d{3}(?!\d)){1,6}|\d{1,15})(,\d{1,9})?"
    r"(?![\w]|[.,]\d)"
)
"""A number with points, blanks or apostrophes between its thousands, or none, and an optional decimal comma."""
_DAY_FIRST: Final = lazy(r"(?<![\w./])(\d{1,2})([./])(0?[1-9]|1[0-2])\2((?:19|20)\d\d)(?![\w/]|\.\d)")
_MARK: Final = lazy(r"[.\s'’]")
_OTHER_DIGIT: Final = lazy(r"(?![0-9])\d")
_KOREAN: Final = lazy(r"(\d{4})년(?: ?(\d{1,2})월)?(?: ?(\d{1,2})일)?")


def plain_values(text: str, language: Language) -> str:
    """Return a text with numbers and dates rewritten: 1250.50 for 1.250,50, and 3 May 2016 for 3. Mai 2016.

    Dates in figures and Korean dates become ISO dates.

    Args:
        text: Any text.
        language: The language of the text. English and Chinese, which have rules of their own, stay unchanged.
    """
    if has_rules(language) or not text:
        return text
    if not text.isascii():
        text = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0], digit[0])), text)
    if language == "ko":
        text = _KOREAN.sub(lambda found: "-".join(part.zfill(2) for part in found.groups() if part), text)
    if language in _COMMA_LANGUAGES or language == "no":
        text = _DAY_FIRST.sub(lambda found: f"{found[4]}-{int(found[3]):02d}-{int(found[1]):02d}", text)
        text = _GROUPED.sub(lambda found: _MARK.sub("", found[1]) + (found[2] or "").replace(",", "."), text)
    return _dates().sub(_write_date, text)


@cache
def _months() -> Mapping[str, str]:
    """Return the English month name for each foreign month name."""
    return {word: MONTHS[int(number) - 1] for word, number in data_synonyms("cell_values", "months").items()}


@cache
def _dates() -> re.Pattern[str]:
    """Return a pattern for a month name behind a day, before a year, or between both.

    A month name alone is not matched, because it may be any word.
    """
    names = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    month = rf"(?:d[ei] )?(?P<{{}}>{names})\.?"
    day = r"(?<![\w.,])(?P<day>\d{1,2})(?:\.|er|º|°|ª)?\s{0,2}"
    year = r"(?P<{}>(?:1[0-9]|20)\d\d)(?!\d)"
    return re.compile(
        rf"{day}{month.format('month')}(?![^\W\d_])(?:,?\s{{1,2}}(?:del? )?{year.format('year')})?"
        rf"|(?<![^\W_]){month.format('alone')}\s{{1,2}}(?:del? )?{year.format('of')}",
        re.IGNORECASE,
    )


def _write_date(found: re.Match[str]) -> str:
    day, month, year = found["day"], found["month"] or found["alone"], found["year"] or found["of"]
    return " ".join(part for part in (day, _months()[month.casefold()], year) if part)
