"""Canonical units and currencies for both languages, and conversion to SI units.

Lengths, masses and areas are converted.
"""

import re
from typing import Final

from weiwo.state.kinds import Language
from weiwo.text.data_files import data_rows
from weiwo.text.patterns import lazy

_UNITS: Final = data_rows("units", "units")
_ALIASES: Final = {name: aliases for name, aliases, _, _ in _UNITS}
_WRITTEN: Final = {"lb": "pound pounds 磅", "yd": "yard yards 码", "age": "year years 岁"}
"""Names for writing a unit that are not parsed as the unit, because "five pounds" may be money."""
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

CURRENCIES: Final = {row[0]: row[1] for row in data_rows("units", "currencies")}
"""Canonical unit of each currency sign before an amount. ¥ is read as the yuan, and the yen must be named."""

_FACTORS: Final = {name: (float(factor), base) for name, _, factor, base in _UNITS if factor}


def unit_after(text: str, position: int) -> tuple[str, int] | None:
    """Return the unit of a number ending at `position`, if a known unit follows: in "5 km long" after the 5, ("km", 4).

    Args:
        text: The text.
        position: Offset behind the number.

    Returns:
        The canonical unit ("%" for per cent) and the offset behind it, or None. A rate ("km/h") is no known unit.
    """
    found = _UNIT.match(text, position)
    if found is None:
        return None
    written = found["latin"] or found["han"] or found["sign"].replace("％", "%")
    plain = re.sub(r"[\s-]", " ", written)
    if plain not in _BY_ALIAS:
        # The pattern ignores letter case.
        plain = next(alias for alias in _LONGEST_FIRST if alias.lower() == plain.lower())
    return _BY_ALIAS[plain], found.end()


def name_unit(unit: str, amount: object, language: Language) -> str:
    """Return the written name of a unit behind an amount: "m" and 5 → "metres", or 米 in Chinese.

    An unknown unit is returned unchanged.

    Args:
        unit: A canonical unit, for times also in the plural, or "age", years of a life.
        amount: The amount. 1 gets the singular.
        language: The language of the text.
    """
    aliases = _WRITTEN.get(unit) or _ALIASES.get(unit) or _ALIASES.get(unit.removesuffix("s"), "")
    names = [alias.replace("_", " ") for alias in aliases.split() if alias[0].isascii() != (language == "zh")]
    plural = language != "zh" and amount not in {1, "1"}
    return names[plural] if len(names) > plural else unit


def to_si(value: float, unit: str) -> tuple[float, str] | None:
    """Convert a length, mass or area to metres, kilograms or square metres.

    Exact factors are used: international foot, mile, pound and acre, and the Chinese 斤 of 500 g and 亩 of 1/15 ha. The
    bare "ton" is not converted, since it is three different masses.

    Args:
        value: The figure.
        unit: A canonical unit.

    Returns:
        The figure in the base unit, and "m", "kg" or "m²". None for a unit of another kind.
    """
    factor = _FACTORS.get(unit)
    return None if factor is None else (value * factor[0], factor[1])
