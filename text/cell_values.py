"""Parse the numbers of text cells. Infer the types of columns: numbers, dates, times, versions.

A cell is parsed whole or not at all: if a part is not understood, the cell is no number. Ambiguities of a single cell
(the decimal mark of 1.234, the order of 05/04/2024, the k of 5k) are resolved by the column. If the column does not
resolve them, the column is in doubt and reports the two readings. The words of a language are rows of
`text/data/cell_values.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Final, Literal, NamedTuple

from weiwo.state.kinds import Language
from weiwo.text.cell_text import LONGEST_VALUE, normalize_cell
from weiwo.text.data_files import data_synonyms, data_words
from weiwo.text.localization import localize_message
from weiwo.text.moments import DAY_ORDERS, Moment, parse_moment, write_moment
from weiwo.text.patterns import lazy
from weiwo.text.units import unit_after
from weiwo.text.version_order import MANY_PARTS, sort_version

ColumnType = Literal["number", "date", "datetime", "time", "duration", "version", "text"]
_TYPED_SHARE: Final = 0.8
"""Of the filled cells of a column, the share that must be of its type."""
_SAMPLE: Final = 500
"""Approximate number of cells sampled from a column. All cells are parsed only if a sampled cell fits the type."""
_MOST_UNITS: Final = 6
"""Maximum number of units in a column. With more, the words behind the figures are no units, as in 3 Elm Street."""


class Amount(NamedTuple):
    """A number and its unit: `Amount(1200000.0, "$")` for "$1.2 million". The unit is empty if none is written."""

    value: float
    unit: str = ""


class Doubt(NamedTuple):
    """An ambiguity that no cell of a column resolves: 03/04/2024 may be in March or April."""

    kind: Literal["decimal_mark", "date_order", "zone", "version"]
    example: str  # an ambiguous cell, or two cells that contradict each other
    first: str  # a possible reading of the example, such as 2024-04-03 for 03/04/2024
    second: str  # the other reading, such as 2024-03-04

    def describe(self, language: Language = "en") -> str:
        """Describe the doubt for a user in one line: "03/04/2024 can mean 2024-04-03 or 2024-03-04: …"."""
        words = localize_message("tables.doubts", self.kind)[language]
        return words.format(example=self.example, first=self.first, second=self.second)


@dataclass(frozen=True)
class ColumnReading:
    """A parsed column of texts.

    Attributes:
        type: Type of the column.
        values: Value of each distinct text: a float for numbers, the seconds of a duration, ISO text for dates,
            datetimes (in UTC where they state a zone) and times, a text that sorts as versions do for versions, the
            text itself for a text. None for an empty text, or a text of another type than its column.
        unit: Unit of all numbers. Empty if there is none, or there are several.
        units: Unit of each distinct text, if a column has several.
        empty: Distinct texts that stand for no value.
        unread: Distinct texts that are not of the type, in order.
        doubt: Two readings, if the column is ambiguous. Its type is then "text".
    """

    type: ColumnType = "text"
    values: Mapping[str, float | str | None] = field(default_factory=dict)
    unit: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    doubt: Doubt | None = None


# -- words --------------------------------------------------------------------------------------------------------

_EMPTY: Final = data_words("cell_values", "empty")
_VERSION_NAMES: Final = data_words("cell_values", "version_names")
_DATE_NAMES: Final = data_words("cell_values", "date_names")
_COMMA_LANGUAGES: Final = data_words("cell_values", "comma_languages")
_COLUMN_LETTERS: Final = data_words("cell_values", "column_letters")
_SCALES: Final = {word: float(factor) for word, factor in data_synonyms("cell_values", "scales").items()}
_LETTERS: Final = {
    word: float(factor) for word, factor in data_synonyms("cell_values", "letters", folded=False).items()
}
_CURRENCIES: Final = data_synonyms("cell_values", "currencies")
CURRENCY_UNITS: Final = frozenset(_CURRENCIES.values())
"""Units of numbers that are money."""

_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def is_empty_mark(text: str) -> bool:
    """Report whether a cell's text stands for no value: "", "n/a" and "-", but not "0"."""
    plain = normalize_cell(text).casefold()
    return not plain or plain in _EMPTY


# -- numbers ------------------------------------------------------------------------------------------------------

_NUMBER: Final = lazy(
    r"(?P<open>\()?\s?(?P<sign>[-+])?\s?(?P<before>[^\d\s().,+-]{1,5}\.?)?\s?(?P<inner>[-+])?\s?"
    r"(?P<whole>\d{1,40}(?:[,.' ]\d{2,3}(?!\d)){0,12}|(?=[.,]\d))(?P<part>[.,]\d{1,40})?"
    r"(?P<exponent>[eE][-+]?\d{1,3}(?!\w))?"
    r"(?P<power>\s?[x×·*]\s?10(?:\^-?\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,3}))?"
    r"(?P<minus>-)?(?P<space>\s?)(?P<after>[^\d()\s][^\d()]{0,24}(?:[23²³](?![\d²³])[^\d()]{0,10})?)?(?P<close>\))?"
)
_QUICK: Final = lazy(r"([-+]?)([$€£¥₹]?)(\d{1,3}(?:,\d{3}){1,30}|\d{1,40})(\.\d{1,40})?(%?)")
"""The commonest spelling of a figure, tried first because `_NUMBER` is slower."""
_GROUPS: Final = lazy(r"\d{1,3}([,.' ])\d{3}(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
_OPEN_MARK: Final = lazy(r"[1-9]\d{0,2}[.,]\d{3}")
_NOTE: Final = lazy(r"(?<=[\d.])(?:[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉ]{1,3}|\^\(?\w{1,2}\)?|\s?\[\w{1,3}\]|\s?[*†‡§]{1,3})$")
_POWER: Final = lazy(r"10(?:\^|[⁰¹²³⁴⁵⁶⁷⁸⁹])")
"""Beginning of a cell whose raised number may be an exponent instead of a note: 10², 10^6."""
_NAME: Final = lazy(r"0\d+|\d{12,}")
_UNIT_WORD: Final = lazy(r"(?:[^\W\d_]|[°℃℉µ%‰€$£¥₹Ω/·.² ³'\"-])+[23²³]?")
_METRIC: Final = data_words("cell_values", "metric")


class _Figure(NamedTuple):
    """A cell split into the figure and the surrounding text."""

    whole: str  # digits, with the marks of groups
    part: str  # decimal mark and digits
    factor: float  # power of ten by an exponent: 1000 for 5e3 or 5×10³, else 1
    negative: bool
    currency: str  # unit of a currency sign before the figure, else empty
    rest: str  # text behind the figure: a scale, a unit or both
    close: bool  # no blank between the figure and the rest


def parse_amount(text: str, *, decimal: str = ".", column: bool = False) -> Amount | None:
    """Parse a cell as a number: "$1.2 million" → `Amount(1200000.0, "$")`. The whole cell must be understood.

    Args:
        text: The cell: an optional sign, currency, scale and unit around one figure.
        decimal: The decimal mark, a point or a comma.
        column: Whether the cell's column writes k, M or B close to its figures throughout. Only then is "5k" 5000.
            Otherwise the result for "5k" is None.

    Returns:
        The number with its scale applied, and its unit. None for anything else, also for an unknown unit.
    """
    figure = _split_figure(normalize_cell(text))
    amount = None if figure is None else _read_amount(figure, decimal, letters=column)
    return None if amount is None or not _is_known(amount.unit) else amount


def _split_figure(plain: str) -> _Figure | None:
    if quick := _QUICK.fullmatch(plain):
        sign, before, whole, part, percent = quick.groups()
        return _Figure(whole, part or "", 1.0, sign == "-", _CURRENCIES[before] if before else "", percent, close=True)
    found = _NUMBER.fullmatch(plain) if len(plain) <= LONGEST_VALUE else None
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    if sum(bool(found[name]) for name in ("open", "sign", "inner", "minus")) > 1:
        return None
    before = (found["before"] or "").casefold()
    if before and before not in _CURRENCIES:
        return None
    factor = 1.0
    if found["exponent"]:
        factor = float(f"1{found['exponent']}")
    if found["power"]:
        raised = found["power"].rpartition("10")[2].lstrip("^").translate(_SUPERSCRIPT)
        try:
            factor *= 10.0 ** int(raised)
        except ValueError:
            return None
    negative = bool(found["open"]) or "-" in {found["sign"], found["inner"], found["minus"]}
    rest = (found["after"] or "").strip()
    currency = _CURRENCIES.get(before, "")
    close = not found["space"]
    return _Figure(found["whole"], found["part"] or "", factor, negative, currency, rest, close)


def _read_amount(figure: _Figure, decimal: str, *, letters: bool) -> Amount | None:
    value = _read_digits(figure.whole, figure.part, decimal)
    if value is None:
        return None
    scale, unit = _split_scale(figure, letters=letters)
    if unit is None or (figure.currency and unit and unit != figure.currency):
        return None
    number = float(value)
    if scale != 1.0 or figure.factor != 1.0:
        number = float(f"{number * scale * figure.factor:.15g}")
    return Amount(-number if figure.negative else number, figure.currency or unit)


def _read_digits(whole: str, part: str, decimal: str) -> str | None:
    """Return a figure as digits with a decimal point: "1.234" and ",5" with the decimal mark "," → "1234.5".

    Returns None if the marks do not fit: "1.23" with the decimal mark "," has no group of three digits.
    """
    text = whole + part
    if text.isdecimal():
        return text
    head, mark, tail = text.rpartition(decimal)
    if not mark:
        head, tail = text, ""
    if mark and (not tail.isdecimal() or decimal in head):
        return None
    if head and not head.isdecimal():
        groups = _GROUPS.fullmatch(head)
        if groups is None or decimal in head or head.startswith("0"):
            return None
        head = re.sub(r"\D", "", head)
    return f"{head or '0'}.{tail or '0'}"


def _split_scale(figure: _Figure, *, letters: bool) -> tuple[float, str | None]:
    """Split the text behind a figure into a factor and a unit: "million USD" → `(1e6, "$")`.

    The factor is 1.0 without a scale. The unit is empty if none is written, and None if the text is no unit. `letters`
    says whether the column writes k, M or B as a scale.
    """
    rest = figure.rest
    if not rest:
        return 1.0, ""
    scaled = rest in _LETTERS and (figure.currency or (letters and figure.close and rest in _COLUMN_LETTERS))
    folded = rest.casefold()
    if folded in _CURRENCIES:
        return 1.0, _CURRENCIES[folded]
    if not scaled and (rest in _METRIC or _known_whole(rest)):
        return 1.0, _name_unit(rest)
    for length in range(min(len(rest), 12), 0, -1):
        word, behind = rest[:length], rest[length:].strip()
        ends = length == len(rest) or not (word[-1].isalpha() and rest[length].isalpha()) or word[-1] > "\u2e80"
        if not ends:
            continue
        money = _CURRENCIES.get(behind.casefold(), "")
        if word.casefold() in _SCALES:
            return _SCALES[word.casefold()], money or _name_unit(behind)
        if word in _LETTERS and (figure.currency or money or (letters and figure.close and not behind)):
            return _LETTERS[word], money or _name_unit(behind)
    return 1.0, _name_unit(rest) if _UNIT_WORD.fullmatch(rest) else None


def _known_whole(rest: str) -> bool:
    found = unit_after(f" {rest}", 0)
    return found is not None and found[1] == len(rest) + 1


def _name_unit(rest: str) -> str:
    found = unit_after(f" {rest}", 0) if rest and rest not in _METRIC else None
    return found[0] if found is not None and found[1] == len(rest) + 1 else rest


def _is_known(unit: str) -> bool:
    return not unit or unit in CURRENCY_UNITS or unit in _METRIC or _known_whole(unit)


# -- columns ------------------------------------------------------------------------------------------------------


def read_column(texts: Iterable[str], name: str = "", *, delimiter: str = "", language: str = "") -> ColumnReading:
    """Find the type of a column and parse its cells: ["5 kg", "7 kg", "n/a"] are numbers with the unit "kg".

    Args:
        texts: The cells.
        name: The header. If it says "version", 1.9 and 1.10 are versions.
        delimiter: The delimiter of the file, for delimited text. Beside `;` a comma may be a decimal mark.
        language: Language of the document, if known. In some languages a comma is the decimal mark.

    Returns:
        The reading. Its type is "text" if fewer than `_TYPED_SHARE` of the filled cells fit any other type, or if the
        cells can be read in two ways (`doubt`).
    """
    distinct = list(dict.fromkeys(texts))
    empty = frozenset(text for text in distinct if is_empty_mark(text))
    filled = {text: normalize_cell(text) for text in distinct if text not in empty}
    if not filled:
        return ColumnReading(values=dict.fromkeys(distinct), empty=empty)
    comma = reads_comma(delimiter, language)
    sample = list(filled.values())[:: max(1, len(filled) // _SAMPLE)]
    reading = _read_versions(filled) if names_versions(name) else None
    if reading is None and any(parse_moment(plain, order) for plain in sample for order in DAY_ORDERS):
        reading = _read_moments(filled, dated=bool(_list_words(name) & _DATE_NAMES))
    if reading is None and any(MANY_PARTS.fullmatch(plain) for plain in sample):
        reading = _read_versions(filled)
    if reading is None and any(any(c.isdecimal() for c in plain) for plain in sample):
        reading = _read_numbers(filled, comma=comma)
    values = reading.values if reading else {text: text.strip() for text in filled}
    return ColumnReading(
        reading.type if reading else "text",
        {**dict.fromkeys(empty), **values},
        reading.unit if reading else "",
        reading.units if reading else {},
        empty,
        reading.unread if reading else (),
        reading.doubt if reading else None,
    )


def reads_comma(delimiter: str, language: str) -> bool:
    """Report whether a comma may be the decimal mark: the delimiter is `;`, or the language writes 1,5 for 1.5."""
    return delimiter == ";" or language in _COMMA_LANGUAGES


def names_versions(name: str) -> bool:
    """Report whether a column's header has a word for versions, as in "Firmware version"."""
    return bool(_list_words(name) & _VERSION_NAMES)


def _list_words(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", name.casefold()))


def _make_reading(
    kind: ColumnType, filled: Mapping[str, str], good: Mapping[str, float | str], units: Mapping[str, str] | None = None
) -> ColumnReading | None:
    """Return a column reading of a type, or None if too few cells are of the type or there are too many units.

    Args:
        kind: The type.
        filled: The normalized text of each distinct text that is not empty.
        good: The value of each text that is of the type.
        units: The unit of each of these texts.
    """
    if len(good) < _TYPED_SHARE * len(filled) or not good:
        return None
    values: dict[str, float | str | None] = {text: good.get(text) for text in filled}
    named = Counter((units or {}).values())
    if len(named) > _MOST_UNITS:
        return None
    unit = next(iter(named)) if len(named) == 1 else ""
    unread = tuple(text for text in filled if text not in good)
    return ColumnReading(kind, values, unit, dict(units or {}) if len(named) > 1 else {}, unread=unread)


def _refuse(filled: Mapping[str, str], doubt: Doubt) -> ColumnReading:
    return ColumnReading("text", {text: text.strip() for text in filled}, doubt=doubt)


def _read_numbers(filled: Mapping[str, str], *, comma: bool) -> ColumnReading | None:
    if any(_NAME.fullmatch(plain) for plain in filled.values()):
        return None
    split = {text: figure for text, plain in filled.items() if (figure := _split_figure(plain)) is not None}
    if len(split) < _TYPED_SHARE * len(filled) - sum(_NOTE.search(plain) is not None for plain in filled.values()):
        return None
    decimal, doubt = _find_decimal(list(split.values()), comma=comma)
    if doubt is not None:
        return _refuse(filled, doubt)
    letters = _writes_letters(list(split.values()))
    amounts = {text: _read_amount(figure, decimal, letters=letters) for text, figure in split.items()}
    good = {text: amount for text, amount in amounts.items() if amount is not None}
    shared = Counter(amount.unit for amount in good.values())
    for text, amount in list(good.items()):
        # An unknown word counts as a unit only if at least half of the numbers, and at least two, have it.
        if not _is_known(amount.unit) and (shared[amount.unit] < 2 or shared[amount.unit] * 2 < len(good)):
            del good[text]
    plain_numbers = bool(good) and not any(amount.unit for amount in good.values())
    if plain_numbers:
        for text, plain in filled.items():
            bare = _NOTE.sub("", plain) if text not in good else ""
            marked = _split_figure(bare) if bare and bare != plain else None
            noted = _read_amount(marked, decimal, letters=False) if marked and not _POWER.match(plain) else None
            if noted is not None and not noted.unit:
                good[text] = noted
    units = {text: amount.unit for text, amount in good.items()}
    return _make_reading("number", filled, {text: amount.value for text, amount in good.items()}, units)


def _find_decimal(figures: Sequence[_Figure], *, comma: bool) -> tuple[str, Doubt | None]:
    """Return the decimal mark of a column, "." or ",", and a doubt or None.

    The figures are in doubt if some fit only a point and others only a comma ("1.5", "1,5"). With `comma` (the file or
    the language may write a decimal comma), they are also in doubt if all can be read both ways ("1.234").
    """
    point_only = comma_only = ""
    open_figure = ""
    for figure in figures:
        text = figure.whole + figure.part
        if text.isdecimal():
            continue
        by_point, by_comma = (_read_digits(figure.whole, figure.part, mark) is not None for mark in ".,")
        if by_point and not by_comma:
            point_only = point_only or text
        elif by_comma and not by_point:
            comma_only = comma_only or text
        elif by_point and by_comma and _OPEN_MARK.fullmatch(text):
            open_figure = open_figure or text
    if point_only and comma_only:
        return ".", Doubt("decimal_mark", f"{point_only}, {comma_only}", point_only, comma_only)
    if open_figure and not point_only and not comma_only and comma:
        whole, part = re.split(r"[.,]", open_figure)
        return ".", Doubt("decimal_mark", open_figure, f"{int(whole + part):,}".replace(",", ""), f"{whole}.{part}")
    return ("," if comma_only else "."), None


def _writes_letters(figures: Sequence[_Figure]) -> bool:
    """Report whether a column writes k, M or B as a scale, as in "5k", "7k", "12".

    The letter must stand close to the figure in at least half of the cells, and in at least two. All other cells must
    have nothing behind the figure.
    """
    scaled = [figure for figure in figures if figure.close and figure.rest in _COLUMN_LETTERS]
    bare = sum(not figure.rest for figure in figures)
    return len(scaled) >= 2 and len(scaled) * 2 >= len(figures) and len(scaled) + bare == len(figures)


def _read_versions(filled: Mapping[str, str]) -> ColumnReading | None:
    good = {text: key for text, plain in filled.items() if (key := sort_version(plain)) is not None}
    return _make_reading("version", filled, good)


# -- dates and times ----------------------------------------------------------------------------------------------

_SHORT_DATE: Final = lazy(r"\d\.\d{1,2}\.\d{2}")


def _read_moments(filled: Mapping[str, str], *, dated: bool) -> ColumnReading | None:
    """Parse a column of dates, datetimes, times or durations. Returns None if too few cells are of the type.

    Args:
        filled: The normalized text of each distinct text that is not empty.
        dated: Whether the name of the column indicates dates, so that 5.6.24 is no version.
    """
    moments: dict[str, dict[str, Moment]] = {}
    for text, plain in filled.items():
        found = {order: moment for order in DAY_ORDERS if (moment := parse_moment(plain, order)) is not None}
        if found:
            moments[text] = found
    if len(moments) < _TYPED_SHARE * len(filled):
        return None
    order, doubt = _find_order(moments)
    if doubt is not None:
        return _refuse(filled, doubt)
    chosen = {text: found[order] for text, found in moments.items() if order in found}
    if not dated and (short := next((text for text in chosen if _SHORT_DATE.fullmatch(filled[text])), "")):
        return _refuse(filled, Doubt("version", short.strip(), chosen[short].day, filled[short]))
    days = [moment for moment in chosen.values() if moment.day]
    if not days:
        return _read_clocks(filled, chosen)
    chosen = {text: moment for text, moment in chosen.items() if moment.day}
    timed = any(moment.clock is not None for moment in days)
    zones = {moment.zone is None for moment in days if moment.clock is not None}
    if len(zones) > 1:
        example = next(text for text, moment in chosen.items() if moment.clock is not None and moment.zone is None)
        return _refuse(filled, Doubt("zone", example.strip(), "UTC", "local"))
    written = {text: write_moment(moment) for text, moment in chosen.items()}
    return _make_reading("datetime" if timed else "date", filled, written)


def _find_order(moments: Mapping[str, Mapping[str, Moment]]) -> tuple[str, Doubt | None]:
    """Return the order of `DAY_ORDERS` that fits all dates of a column and None, or an empty string and a doubt.

    `moments` maps each text to its readings by order. The dates are in doubt if no order fits all ("25/12/2024" beside
    "12/25/2024"), or if two orders fit but differ ("3/4/2024").
    """
    fitting = [order for order in DAY_ORDERS if all(order in found for found in moments.values())]
    if not fitting:
        texts = [next((text for text, found in moments.items() if order not in found), "") for order in DAY_ORDERS[:2]]
        return "", Doubt("date_order", f"{texts[1].strip()}, {texts[0].strip()}", "day/month", "month/day")
    first = fitting[0]
    for other in fitting[1:]:
        for text, found in moments.items():
            if found[first] != found[other]:
                return "", Doubt("date_order", text.strip(), found[first].day, found[other].day)
    return first, None


def _read_clocks(filled: Mapping[str, str], chosen: Mapping[str, Moment]) -> ColumnReading | None:
    clocks = {text: moment.clock or 0.0 for text, moment in chosen.items()}
    if any(seconds >= 86_400 for seconds in clocks.values()):
        return _make_reading("duration", filled, clocks)
    zones = {moment.zone is None for moment in chosen.values()}
    if len(zones) > 1:
        return None
    written = {}
    for text, moment in chosen.items():
        seconds = clocks[text] - (moment.zone or 0.0)
        shown = (datetime.combine(date(2000, 1, 1), time()) + timedelta(seconds=seconds)).time()
        written[text] = shown.isoformat()
    return _make_reading("time", filled, written)
