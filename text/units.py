"""Units and currencies by one name for both languages, and lengths, masses and areas in SI units."""

import re
from typing import Final

from weiwo.text.language import Language
from weiwo.text.patterns import lazy

# canonical name: aliases as written, blanks inside an alias as "_"; the English singular and plural first
_ALIASES: Final = {
    "m": "metre metres m meter meters 米 公尺",
    "km": "kilometre kilometres km kilometer kilometers 公里 千米",
    "cm": "centimetre centimetres cm centimeter centimeters 厘米 公分",
    "mm": "millimetre millimetres mm millimeter millimeters 毫米",
    "ft": "foot feet ft 英尺",
    "inch": "inch inches 英寸",
    "yd": "yard yards yd",
    "mi": "mile miles mi 英里",
    "nmi": "nautical_mile nautical_miles nmi 海里",
    "kg": "kilogram kilograms kg kilogramme kilogrammes 公斤 千克",
    "g": "gram grams g gramme grammes 克",
    "mg": "milligram milligrams mg 毫克",
    "t": "tonne tonnes t metric_ton metric_tons 吨 公吨",
    "lb": "lb lbs 磅",
    "oz": "ounce ounces oz 盎司",
    "斤": "斤 市斤",
    "m²": "square_metre square_metres m² m2 sq_m square_meter square_meters 平方米",
    "km²": (
        "square_kilometre square_kilometres km² km2 sq_km square_km square_kilometer square_kilometers "
        "平方公里 平方千米"
    ),
    "mi²": "square_mile square_miles mi² mi2 sq_mi 平方英里",
    "ft²": "square_foot square_feet ft² ft2 sq_ft 平方英尺",
    "ha": "hectare hectares ha 公顷",
    "acre": "acre acres 英亩",
    "亩": "亩",
    "m³": "cubic_metre cubic_metres m³ m3 cubic_meter cubic_meters 立方米",
    "ton": "ton tons",
    "year": "year years yr yrs year_old years_old 年 岁 周岁",
    "month": "month months 个月",
    "week": "week weeks 周 星期",
    "day": "day days 天",
    "hour": "hour hours 小时 个小时",
    "minute": "minute minutes 分钟",
    "second": "second seconds 秒",
    "person": "person people persons inhabitants residents 人 居民",
    "人次": "人次",
    "USD": "US_dollar US_dollars USD dollar dollars 美元 美金",
    "EUR": "euro euros EUR 欧元",
    "GBP": "pound_sterling pounds_sterling GBP 英镑",
    "JPY": "yen yen JPY 日元 日圆",
    "HKD": "HKD HKD 港元 港币",
    "元": "yuan yuan RMB CNY 元 人民币 元人民币",
    "%": "% % percent per_cent pct",
    "‰": "‰",
}
_WRITTEN: Final = {"lb": "pound pounds 磅", "yd": "yard yards 码", "age": "year years 岁"}
"""Aliases that are written, but not read: five pounds may be money."""
_BY_ALIAS: Final = {alias.replace("_", " "): name for name, aliases in _ALIASES.items() for alias in aliases.split()}
_LONGEST_FIRST: Final = sorted(_BY_ALIAS, key=len, reverse=True)
_LATIN: Final = "|".join(
    # Short symbols mean what they mean in their own case only: "g" is no "G".
    (f"(?i:{re.escape(alias)})" if len(alias) > 3 else re.escape(alias) + ("(?!-)" if len(alias) == 1 else "")).replace(
        r"\ ", r"[\s-]"
    )
    for alias in _LONGEST_FIRST
    if alias[0].isascii() and alias != "%"
)
_HAN: Final = "|".join(re.escape(alias) for alias in _LONGEST_FIRST if not alias[0].isascii())
_UNIT: Final = lazy(
    rf"\s{{0,2}}(?P<sign>[%％‰])|[\s-]?\s?(?P<latin>{_LATIN})(?![A-Za-z0-9_²³/])"
    rf"|\s?[多余餘来]?\s?[个個名位]?(?P<han>{_HAN})(?<!年(?=[代级度份]))"
)

CURRENCIES: Final = {
    "US$": "USD",
    "HK$": "HKD",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "元",
    "￥": "元",
    "USD": "USD",
    "EUR": "EUR",
    "RMB": "元",
    "CNY": "元",
}
"""Signs that stand before an amount. ¥ is read as the yuan; the yen is told apart by its name only."""

_FACTORS: Final = {
    "m": (1.0, "m"),
    "km": (1000.0, "m"),
    "cm": (0.01, "m"),
    "mm": (0.001, "m"),
    "ft": (0.3048, "m"),
    "inch": (0.0254, "m"),
    "yd": (0.9144, "m"),
    "mi": (1609.344, "m"),
    "nmi": (1852.0, "m"),
    "kg": (1.0, "kg"),
    "g": (0.001, "kg"),
    "mg": (1e-6, "kg"),
    "t": (1000.0, "kg"),
    "lb": (0.45359237, "kg"),
    "oz": (0.028349523125, "kg"),
    "斤": (0.5, "kg"),
    "m²": (1.0, "m²"),
    "km²": (1e6, "m²"),
    "mi²": (2589988.110336, "m²"),
    "ft²": (0.09290304, "m²"),
    "ha": (1e4, "m²"),
    "acre": (4046.8564224, "m²"),
    "亩": (10000 / 15, "m²"),
}


def unit_after(text: str, position: int) -> tuple[str, int] | None:
    """The unit that a number ending at `position` counts, if a known one follows.

    Args:
        text: The text.
        position: Offset behind the number.

    Returns:
        The unit's one name ("%" for per cent) and the offset behind it, or None. A rate ("km/h") is no known unit.
    """
    found = _UNIT.match(text, position)
    if found is None:
        return None
    written = found["latin"] or found["han"] or found["sign"].replace("％", "%")
    plain = re.sub(r"[\s-]", " ", written)
    return _BY_ALIAS.get(plain) or _BY_ALIAS[_exact(plain)], found.end()


def _exact(written: str) -> str:
    """The alias that `written` spells in other letter case."""
    return next(alias for alias in _LONGEST_FIRST if alias.lower() == written.lower())


def name_unit(unit: str, amount: object, language: Language) -> str:
    """A unit by its name as text writes it behind an amount: "metre", "metres" or 米; an unknown one as it is.

    Args:
        unit: A unit by its one name, of times also in the plural; or "age", years of a life.
        amount: What it counts.
        language: The language of the text.
    """
    aliases = _WRITTEN.get(unit) or _ALIASES.get(unit) or _ALIASES.get(unit.removesuffix("s"), "")
    names = [alias.replace("_", " ") for alias in aliases.split() if alias[0].isascii() == (language == "en")]
    plural = language == "en" and amount not in {1, "1"}
    return names[plural] if len(names) > plural else unit


def to_si(value: float, unit: str) -> tuple[float, str] | None:
    """Convert a length, mass or area to metres, kilograms or square metres.

    Exact factors: international foot, mile, pound and acre; the Chinese 斤 of 500 g and 亩 of 1/15 ha. The bare "ton"
    is not converted, since it is three different masses.

    Args:
        value: The figure.
        unit: A unit by its one name.

    Returns:
        The figure in the base unit, and "m", "kg" or "m²"; None for a unit of another kind.
    """
    factor = _FACTORS.get(unit)
    return None if factor is None else (value * factor[0], factor[1])
