"""Quantities: numbers with their units, brought to the base unit of their kind so that two can be compared.

Lengths, masses, areas, durations, shares and money come from `weiwo.text.numbers`; this adds temperatures, volumes, data
sizes, power, speeds and the short forms of time, fractions in words, and the bounds that stand before a figure.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

from weiwo.text.language import word_set
from weiwo.text.numbers import find_numbers, parse_number
from weiwo.text.patterns import lazy
from weiwo.text.units import to_si, unit_after

LARGEST_COUNT: Final = 12
"""Bare numbers up to this count things more often than they state a figure."""

SHARE: Final = "share"
"""The unit of a share told in words, which rounds what it tells of."""
NEAR_SHARE: Final = 0.1
"""Share by which a share told in words may differ."""

LEAST_SHORTENED: Final = 100_000
"""Whole figures from which prose leaves out the last digits."""
ROUGHLY: Final = 0.05
"""Share by which a figure told as rounded may differ."""
CONVERTED: Final = 0.01
"""The same where its unit is another."""

_UNITS: Final = """
°C 1 °C ℃ Celsius celsius 摄氏度 | °F 1 °F ℉ Fahrenheit fahrenheit 华氏度 | K 1 kelvin 开尔文
L 1 L l litre litres liter liters 升 | L 0.001 mL ml millilitre millilitres milliliter milliliters 毫升 | L 3.785 gallon gallons 加仑
B 1 byte bytes 字节 | B 1e3 kB KB kilobyte kilobytes | B 1e6 MB megabyte megabytes 兆字节 | B 1e9 GB gigabyte gigabytes
B 1e12 TB terabyte terabytes | B 1e15 PB petabyte petabytes | bit/s 1e3 kbps | bit/s 1e6 Mbps Mbit/s | bit/s 1e9 Gbps Gbit/s
W 1 W watt watts 瓦 | W 1e3 kW kilowatt kilowatts 千瓦 | W 1e6 MW megawatt megawatts 兆瓦 | W 1e9 GW gigawatt gigawatts 吉瓦
Wh 1 Wh 瓦时 | Wh 1e3 kWh 千瓦时 千瓦小时 度电 | Wh 1e6 MWh | Wh 1e9 GWh | mAh 1 mAh 毫安时 | V 1 V volt volts 伏
m/s 0.2777778 km/h kph 公里/小时 千米/小时 | m/s 0.44704 mph | m/s 1 m/s 米/秒 | m/s 0.514444 knot knots
m 1e-6 µm μm um micrometre micrometres micrometer micrometers micron microns 微米 | m 1e-9 nm nanometre nanometres nanometer nanometers 纳米
Hz 1 Hz hertz 赫兹 | Hz 1e3 kHz | Hz 1e6 MHz | Hz 1e9 GHz | dB 1 dB decibel decibels 分贝
s 1 s sec secs 秒钟 | s 60 min mins | s 3600 h hr hrs 钟头 | s 0.001 ms millisecond milliseconds 毫秒
NOK 1 krone kroner 挪威克朗 | SEK 1 krona kronor 瑞典克朗 | CHF 1 franc francs 瑞士法郎 | INR 1 rupee rupees 卢比 | RUB 1 ruble rubles rouble roubles 卢布
KRW 1 韩元 | penny 1 pence p 便士 | cent 1 cent cents 美分 | pound 1 pound pounds | tsp 1 tsp teaspoon teaspoons 茶匙 | tbsp 1 tbsp tablespoon tablespoons 汤匙
"""
_SECONDS: Final = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_629_800.0, "year": 31_557_600.0}  # fmt: skip
MONEY: Final = frozenset(["USD", "EUR", "GBP", "JPY", "HKD", "元", "NOK", "SEK", "CHF", "INR", "RUB", "KRW"])
PHYSICAL: Final = MONEY | word_set("m kg m² m³ s °C L B W Wh m/s Hz penny cent pound tsp tbsp")
POINTS: Final = "pp"
"""The unit of a difference of two percentages."""
_POINTS: Final = lazy(r"(?i)\s?(?:个百分点|percentage points?\b)")
_RATE: Final = lazy(r"\s?(?:/|an? |per |每)(?:h\b|hour|小时)")
_RATED: Final = lazy(r"[\s-]?[A-Za-zµ]{1,12}(?=/[A-Za-z])")
_RANGE: Final = lazy(r"\s?(?:-|–|—|~|～|to|and|or|至|到)\s?")
_HALF: Final = lazy(
    r"(?i)\bhalf an? (?=hour|minute|day|month|year|mile|million)|\b(?P<one>an?|one|two|three) (?P<unit>hours?|minutes?|days?|months?|years?) and a half\b"
    r"|\b(?P<some>one|two|three|four|five|six|\d{1,3}) and a half(?= (?:hour|minute|day|month|year|mile|million))"
    r"|(?P<han>\d{1,3}|[一两二三四五六七八九十]{1,3})个半(?=小时|钟头|月|世纪)|半(?=小时|天|年|个月|分钟)"
)
_ABOUT: Final = lazy(
    r"(?i)(?:\b(?:about|around|roughly|approximately|nearly|almost|over|some|more than|just under|just over|up to|under|below|(?:less|fewer) than|circa|ca\.?)\s|[~≈]|[约近超]过?|大约|将近|接近|不到|不足|\bclose to\s)\s?$"
)
_AT_LEAST: Final = lazy(
    r"(?i)(?:\b(?:more than|over|above|exceed(?:s|ed|ing)?|at least|(?:no|not) (?:fewer|less) than|minimum of|upwards of|longer than|after)\s|超过|逾|多于|高于|至少|不少于|不低于|大于)\s?[$€£¥￥]?$"
)
_AT_MOST: Final = lazy(
    r"(?i)(?:\b(?:less than|fewer than|under|below|at most|up to|(?:no|not) more than|maximum of|within|shorter than|before)\s|不到|不足|少于|低于|至多|最多|不超过|不高于|小于)\s?[$€£¥￥]?$"
)
_AND_MORE: Final = r"\s?[个名位人]?(?:余(?![额地下])|多(?![次个家种数少])|出头)"
_AFTER: Final = (
    lazy(r"(?i)\s?(?:or (?:more|longer|higher|above|later)|以上|及以上)|" + _AND_MORE),
    lazy(r"(?i)\s?(?:or (?:less|fewer|lower|below)|以下|以内|之内)"),
)


_ODD: Final = lazy(r"[多余]")
"""What stands within a figure that is a little more: 20多年, 300余万."""
_ROUNDED_AFTER: Final = lazy(r"\s?[个名位人]?(?:左右|上下)|" + _AND_MORE)


class Quantity(NamedTuple):
    """A quantity and where it stands.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last, unit included.
        value: The figure as written, multipliers worked out.
        unit: Its unit as written, by one name; "" where none is known.
        kind: The base unit of its kind ("m", "kg", "s", "%", "USD"); "" for a bare number.
        base: The value in that base unit.
        bound: 1 where it is a lower bound ("at least"), -1 where an upper one, else 0.
        about: Whether it is told as a rounded figure.
        before: Up to 12 characters before it, folded to lower case.
    """

    start: int
    end: int
    value: float
    unit: str
    kind: str
    base: float
    bound: int = 0
    about: bool = False
    before: str = ""


@cache
def _more_units() -> dict[str, tuple[str, float]]:
    rows = (entry.split() for line in _UNITS.strip().splitlines() for entry in line.split("|"))
    return {alias.replace("_", " "): (kind, float(factor)) for kind, factor, *aliases in rows for alias in aliases}


@cache
def _pattern() -> re.Pattern[str]:
    aliases = sorted(_more_units(), key=len, reverse=True)
    written = "|".join(re.escape(alias) for alias in aliases)
    return re.compile(rf"[\s-]?(?:degrees? )?({written})(?![A-Za-z0-9_²³]|-[a-z])|[\s-]?°\s?([CF])(?![a-z])")


@lru_cache(maxsize=2_048)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Find the quantities of a text, in order; time grows linearly with its length.

    Args:
        text: Any text. Ordinals, dates' days and months' numbers (12月) are left out; years are not told apart.
    """
    halves = [_half(text, found) for found in _HALF.finditer(text)]
    found = [
        _quantity(text, span.start, span.end, float(span.value), "%" if span.percent else span.unit or "")
        for span in find_numbers(text)
        if text[span.end : span.end + 1] != "月" or span.unit
    ]
    taken = [(half.start, half.end) for half in halves]
    found = [one for one in found if not any(a < one.end and one.start < b for a, b in taken)]
    taken += [(one.start, one.end) for one in found]
    glued = [
        _quantity(text, m.start(), m.end(1), float(m[1].replace(",", "")), "")
        for m in _glued().finditer(text)
        if not any(a < m.end() and m.start() < b for a, b in taken)
    ]
    return tuple(_ranged(text, sorted([*found, *halves, *glued], key=lambda one: one.start)))


@cache
def _glued() -> re.Pattern[str]:
    """Figures that run on into a unit without a blank: 5nm, 860千瓦."""
    aliases = sorted(_more_units(), key=len, reverse=True)
    written = "|".join(re.escape(alias) for alias in aliases)
    return re.compile(
        rf"(?<![A-Za-z0-9_.,-])(\d{{1,9}}(?:,\d{{3}})*(?:\.\d{{1,6}})?)(?=(?:{written})(?![A-Za-z0-9_²³]))"
    )


def _size(one: Quantity) -> float:
    return one.base / one.value if one.value else 0.0


def _ranged(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """The first figure of a range counts the unit of the second: "4 to 6 weeks"."""
    for one, following in zip_longest(found, found[1:]):
        if following is None or one.kind or not following.kind or not _RANGE.fullmatch(text, one.end, following.start):
            yield one
        else:
            scale = following.base / following.value if following.value else 1.0
            yield one._replace(unit=following.unit, kind=following.kind, base=one.value * scale)


def _quantity(text: str, start: int, end: int, value: float, unit: str) -> Quantity:
    kind, base = unit, value
    if unit in _SECONDS:
        kind, base = "s", value * _SECONDS[unit]
    elif unit and (known := to_si(value, unit)) is not None:
        base, kind = known
    if kind == "m" and (rate := _RATE.match(text, end)):
        kind, base, end, unit = "m/s", base / 3_600, rate.end(), f"{unit}/h"
    elif not unit and (points := _POINTS.match(text, end)):
        kind, end, unit = POINTS, points.end(), POINTS
    elif not unit and (found := _pattern().match(text, end)):
        unit = found[1] or f"°{found[2]}"
        kind, factor = _more_units()[unit]
        base, end = value * factor, found.end()
        if kind == "°F":
            kind, base = "°C", (value - 32) / 1.8
    elif not unit and (rated := _RATED.match(text, end)) and (named := unit_after(rated[0], 0)):
        return _quantity(text, start, end + named[1], value, named[0])
    before = text[max(0, start - 24) : start]
    odd = bool(_ODD.search(text, start, end))
    bound = 1 if odd or _AT_LEAST.search(before) or _AFTER[0].match(text, end) else 0
    bound = bound or (-1 if _AT_MOST.search(before) or _AFTER[1].match(text, end) else 0)
    return Quantity(
        start,
        end,
        value,
        unit,
        kind,
        base,
        bound,
        odd or bool(_ABOUT.search(before) or _ROUNDED_AFTER.match(text, end)),
        before[-12:].casefold(),
    )


def _half(text: str, found: re.Match[str]) -> Quantity:
    if written := found["han"] or found["some"]:
        named = unit_after(text, found.end())
        whole = parse_number(written)
        return _quantity(
            text, found.start(), named[1] if named else found.end(), whole + 0.5, named[0] if named else ""
        )
    if found["unit"]:
        unit = found["unit"].casefold().removesuffix("s")
        whole = {"two": 2.0, "three": 3.0}.get(found["one"].casefold(), 1.0)
        return _quantity(text, found.start(), found.end(), whole + 0.5, unit)
    unit_found = unit_after(text, found.end())
    if unit_found is None:  # half a million
        return _quantity(text, found.start(), found.end() + 7, 5e5, "")
    return _quantity(text, found.start(), unit_found[1], 0.5, unit_found[0])


def named_units(words: frozenset[str]) -> frozenset[str]:
    """The kinds whose units occur among the words of a text, with or without a figure."""
    found = set()
    for word in words:
        known = unit_after(word, 0) if word[:1].isalpha() else None
        if known is not None and known[1] == len(word):
            found.add(_quantity("", 0, 0, 1.0, known[0]).kind)
        elif word in _more_units():
            found.add(_more_units()[word][0])
    return frozenset(found)


def same_quantity(claimed: Quantity, known: Quantity) -> bool:
    """Whether two quantities are one; of converted or rounded figures as many digits as are written agree.

    Args:
        claimed: The quantity of a claim; a bare number agrees with any unit.
        known: That of a source.
    """
    if (claimed.kind == "%") != (known.kind == "%"):
        return False
    if SHARE in {claimed.unit, known.unit}:
        return abs(claimed.value - known.value) <= NEAR_SHARE * claimed.value
    if "pound" in {claimed.kind, known.kind}:
        units = {claimed.unit or "lb", known.unit or "lb"}
        return close(claimed.value, known.value) and units <= {"pound", "pounds", "GBP", "lb", "lbs"}
    if not (claimed.kind and known.kind) or claimed.unit == known.unit:
        exact = claimed.value, known.value
        return close(*exact) or _roughly(claimed, *exact) or _shortened(*exact)
    if claimed.kind != known.kind or not claimed.value:
        return False
    if claimed.kind == "s" and _calendar(claimed) != _calendar(known):
        return abs(claimed.base - known.base) <= 0.026 * known.base
    if _roughly(claimed, claimed.base, known.base):
        return True
    return close(claimed.base, known.base) or _rounds(claimed.value, claimed.base / claimed.value, known.base)


def _roughly(claimed: Quantity, value: float, other: float) -> bool:
    """Whether a figure told as rounded is near enough: to its digits, or to a twentieth where it has but two."""
    if not claimed.about or not claimed.value or claimed.bound * (value - other) > 0:
        return False
    digits = f"{int(claimed.value)}"
    coarse = claimed.value == int(claimed.value) and len(digits.rstrip("0")) <= 2
    step = 10 ** (len(digits) - len(digits.rstrip("0"))) * value / claimed.value if claimed.bound else 0.0
    near = max(ROUGHLY * abs(other), step)  # twenty-odd are below thirty
    if value != claimed.value and abs(value - other) <= CONVERTED * abs(other):
        return True
    return (coarse and abs(value - other) <= near) or _rounds(claimed.value, value / claimed.value, other)


def _shortened(claimed: float, known: float) -> bool:
    """Whether a figure is another without its last digits: 6.8 billion of 6,809 million, 17.9 % of 17.92 %."""
    written = f"{abs(claimed):.12g}".replace(".", "").rstrip("0")
    return len(written) >= 2 and (claimed >= LEAST_SHORTENED or known != int(known)) and _rounds(claimed, 1.0, known)


def _calendar(one: Quantity) -> bool:
    return one.unit in {"month", "year"}


def close(one: float, other: float) -> bool:
    """Equal as far as prose writes numbers: six decimals."""
    return abs(one - other) <= max(5e-7, 1e-9 * max(abs(one), abs(other)))


def _rounds(written: float, scale: float, other: float) -> bool:
    """Whether a figure rounds another: they agree to the digits that are written, within a twentieth.

    Args:
        written: The figure as written.
        scale: What one of its unit is in the unit of the other.
        other: The exact figure.
    """
    if not written or not other:
        return False
    digits = f"{abs(written):.12g}"
    decimals = len(digits.partition(".")[2]) if "e" not in digits else 0
    zeros = len(digits) - len(digits.rstrip("0")) if not decimals and "e" not in digits else 0
    step = 10.0 ** (zeros - decimals) * scale
    return abs(written * scale - other) <= min(0.51 * step, 0.05 * abs(other))
