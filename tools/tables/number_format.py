"""Spreadsheet number formats (ECMA-376, part 1, 18.8.30 and 18.8.31).

Renders a stored number as the cell shows it. `format_code` compiles the code, `date_format` renders dates. Where
programs differ, a cell is shown as in LibreOffice. Numbers that cannot be rendered are shown as stored, and
`Rendered.exact` is False.
"""

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from weiwo.text.numerals import write_chinese_integer
from weiwo.text.patterns import lazy
from weiwo.tools.tables.date_format import DateText, IsoDate
from weiwo.tools.tables.format_code import (
    NATIVE_DIGITS,
    FormatSection,
    FormatToken,
    choose_section,
    compile_code,
    is_date,
)

FormatKind = Literal["general", "number", "percent", "date", "datetime", "time", "duration", "text"]

BUILT_IN: Final = {
    **dict(enumerate(("General", "0", "0.00", "#,##0", "#,##0.00"))),
    **dict(enumerate(("0%", "0.00%", "0.00E+00", "# ?/?", "# ??/??"), 9)),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33), "h:mm:ss"),
    **dict(enumerate(("#,##0 ;-#,##0", "#,##0 ;-#,##0", "#,##0.00 ;-#,##0.00", "#,##0.00 ;-#,##0.00"), 37)),
    22: "yyyy-mm-dd h:mm",
    **dict(enumerate(("mm:ss", "[h]:mm:ss", "mm:ss.0", "##0.0E+0", "@"), 45)),
}
"""Format codes by the number of the built-in format, which files give instead of the code."""


class Rendered(NamedTuple):
    """Number as shown in a cell."""

    text: str
    exact: bool = True  # False: the format is not understood, and the text is the stored number


_MOST_CODE: Final = 1_000
"""Characters of a code; programs allow 255."""
_EXACT: Final = Context(prec=700)


def render_number(value: float | Decimal, code: str, *, date_1904: bool = False, iso_dates: bool = False) -> Rendered:
    """Render a stored number by a format code: 1234.5 with "#,##0.00" → "1,234.50".

    Args:
        value: The stored number.
        code: The format code. Empty means "General".
        date_1904: Whether days are counted from 1904.
        iso_dates: Whether dates and times of day are written in ISO format instead of the code's own order.
    """
    if not math.isfinite(value):
        return Rendered(str(value), exact=False)
    stored = render_general(value)
    if not code or code == "General":
        return Rendered(stored)
    section, negative = choose_section(compile_code(code[:_MOST_CODE]), value)
    if section is None:
        return Rendered(stored)
    if section.unread or len(code) > _MOST_CODE:
        return Rendered(stored, exact=False)
    if is_date(section):
        moment = IsoDate(section) if iso_dates and "elapsed" not in section.kinds else DateText(section)
        text = moment.render(float(value), date_1904=date_1904)
    else:
        text = _render_figures(section, value, negative=negative)
    return Rendered(stored, exact=False) if text is None else Rendered(text)


def render_stored(text: str, code: str, *, date_1904: bool = False) -> Rendered:
    """Render a number, given as a file's text, by a format code, for use in passages.

    Dates are written in ISO format, and alignment blanks are removed. A text that is no number is returned unchanged.
    """
    try:
        value = int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return Rendered(text)
    shown = render_number(value, code, date_1904=date_1904, iso_dates=True)
    return Rendered(" ".join(shown.text.split()), shown.exact)


def render_text(text: str, code: str) -> str:
    """Return a text cell as its format code shows it. With `"No. "@` the text "5" is shown as "No. 5".

    Without a text section in the code, the text is returned unchanged.
    """
    section = compile_code(code[:_MOST_CODE]).text if "@" in code or code.count(";") >= 3 else None
    if section is None or section.unread:
        return text
    return "".join(text if token.kind == "text" else token.text for token in section.tokens)


def render_general(value: float | Decimal) -> str:
    """Write a number without a format, without the noise of binary fractions: 0.30000000000000004 → "0.3".

    A fractional number below 1e-9, or any float from 1e15 on, has an exponent.
    """
    if isinstance(value, int):
        return str(value)
    number = float(value)
    if number == 0:
        return "0"
    if 1e-9 <= abs(number) < 1e15:
        if number.is_integer():
            return f"{number:.0f}"
        # What was typed has 15 digits at most; a longer number was calculated, and its last digits are noise.
        typed = f"{number:.15g}"
        return f"{Decimal(typed if float(typed) == number else f'{number:.12g}'):f}"
    mantissa, _, exponent = f"{number:.14E}".partition("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent}"


def find_format_kind(code: str, value: float | Decimal = 1) -> FormatKind:
    """Return the kind of value that a format code shows a number as: "0%" → "percent".

    The number selects the section of the code. A date with a time of day is "datetime".
    """
    if not code or code == "General":
        return "general"
    section, _ = choose_section(compile_code(code[:_MOST_CODE]), value)
    if section is None:
        return "text"
    kinds = section.kinds
    if not is_date(section):
        if "percent" in kinds:
            return "percent"
        return "general" if kinds == {"general"} else "number"
    if "elapsed" in kinds:
        return "duration"
    days, clock = IsoDate(section).parts()
    if not clock:
        return "date"
    return "datetime" if days else "time"


def find_format_unit(code: str, value: float | Decimal = 1) -> str:
    """Return the unit that a format code writes beside the number, or an empty string: `0.00 "kg"` → "kg".

    The unit is the currency, "%", or the words before or behind the digits. If the code divides by thousands or
    millions, words behind the digits are ignored, because they may name the scale ("M" of `0.0,,"M"`).
    """
    section, _ = choose_section(compile_code(code[:_MOST_CODE]), value) if code else (None, False)
    if section is None or is_date(section) or not section.kinds & {"digit", "general"}:
        return ""
    if section.currency.strip():
        return section.currency.strip()
    at = [n for n, token in enumerate(section.tokens) if token.kind in {"digit", "general"}]
    before = "".join(token.text for token in section.tokens[: at[0]] if token.kind == "literal").strip()
    after = "".join(token.text for token in section.tokens[at[-1] + 1 :] if token.kind == "literal").strip()
    if "percent" in section.kinds:
        return "%"
    if section.kinds & {"digit"} and _Layout.of(section.tokens).scale:
        after = ""
    return next((words for words in (before, after) if any(c.isalpha() or c in "$€£¥₹₩₽₺" for c in words)), "")


class _Layout(NamedTuple):
    """Digit placeholders of a number section, split at the decimal point, with the other tokens among them."""

    whole: tuple[FormatToken, ...]
    part: tuple[FormatToken, ...]  # starts with the decimal point, if there is one
    places: int  # digits after the point
    scale: int  # how many thousands the number is divided by
    percents: int
    grouped: bool

    @classmethod
    def of(cls, tokens: Sequence[FormatToken]) -> "_Layout":
        digits = [n for n, token in enumerate(tokens) if token.kind == "digit"]
        points = [n for n, token in enumerate(tokens) if token.kind == "point"]
        point = points[0] if points else len(tokens)
        whole: list[FormatToken] = []
        part: list[FormatToken] = []
        scale, grouped = 0, False
        for n, token in enumerate(tokens):
            side = whole if n < point else part
            if token.kind == "comma" and digits and n > digits[0] and tokens[n - 1].kind in {"digit", "comma"}:
                same_side = any(n < at < point if n < point else at > n for at in digits)
                scale += not same_side
                grouped = grouped or (same_side and n < point)
            elif token.kind in {"digit", "literal", "percent"} or n == point:
                side.append(token)
            else:
                side.append(FormatToken("literal", token.text))
        places = sum(at > point for at in digits)
        percents = sum(token.kind == "percent" for token in tokens)
        return cls(tuple(whole), tuple(part), places, scale, percents, grouped)

    def fill(self, number: Decimal, sizes: tuple[int, int] = (3, 3)) -> str:
        """Format a non-negative number.

        Args:
            number: The number, already scaled.
            sizes: Digits of the last group and of all other groups, (3, 2) for Indian grouping. Used if the section
                groups digits.
        """
        shown = f"{number.quantize(Decimal(1).scaleb(-self.places), ROUND_HALF_UP, _EXACT):f}"
        whole, _, part = shown.partition(".")
        return self._fill_whole(whole.lstrip("0"), sizes) + self._fill_part(part)

    def _fill_whole(self, digits: str, sizes: tuple[int, int]) -> str:
        slots = sum(token.kind == "digit" for token in self.whole)
        if not slots:
            # Without a digit before the point, the number stands at the point.
            return "".join(token.text for token in self.whole) + digits
        commas = {sizes[0] + step * sizes[1] for step in range(len(digits) + slots)} if self.grouped else set()
        found: list[str] = []
        slot = slots
        for token in self.whole:
            if token.kind != "digit":
                found.append(token.text)
                continue
            taken = (
                digits[: max(0, len(digits) - slot + 1)]
                if slot == slots
                else digits[-slot:][:1] * (slot <= len(digits))
            )
            text = taken or {"0": "0", "?": " ", "#": ""}[token.text]
            first = slot - 1 + len(text) - 1
            for n, digit in enumerate(text):
                found.append(digit)
                if first - n in commas and digit != " ":
                    found.append(",")
            slot -= 1
        return "".join(found)

    def _fill_part(self, digits: str) -> str:
        least = max((n + 1 for n, digit in enumerate(digits) if digit != "0"), default=0)
        found, at = [], 0
        bare = self.places and not least and all(token.text == "#" for token in self.part if token.kind == "digit")
        for token in self.part:
            if token.kind != "digit":
                found.append("" if bare and token.kind == "point" else token.text)
                continue
            shown = digits[at] if at < least or token.text == "0" else " " if token.text == "?" else ""
            found.append(shown)
            at += 1
        return "".join(found)


_INDIAN: Final = frozenset({0x0439, 0x0445, 0x0446, 0x0447, 0x0449, 0x044A, 0x044B, 0x044C, 0x044E, 0x4009})


def _render_figures(section: FormatSection, value: float | Decimal, *, negative: bool) -> str | None:
    """Render a number by a section that shows no date or time.

    Returns None for an exponent without digits, and for native digits of a language other than Chinese.

    Args:
        section: The section.
        value: The number.
        negative: Whether the section is for negative numbers, so that it writes their sign itself.
    """
    kinds = section.kinds
    # Spreadsheets keep 15 digits of a number with a fraction. Larger numbers are written with all their digits.
    exact = value if isinstance(value, int | Decimal) else f"{value:.15g}" if abs(value) < 1e15 else repr(value)
    amount = abs(Decimal(exact))
    sign = "-" if value < 0 and not negative else ""
    tokens = section.tokens
    if "general" in kinds:
        shown = render_general(int(amount) if amount == amount.to_integral_value() else float(amount))
        text = "".join(shown if token.kind == "general" else token.text for token in tokens)
    elif "digit" not in kinds:
        return None if "exponent" in kinds else "".join(token.text for token in tokens)
    elif "exponent" in kinds:
        text = _render_exponent(tokens, amount)
    elif "slash" in kinds and (fraction := _render_fraction(tokens, amount)) is not None:
        text = fraction
    else:
        layout = _Layout.of(tokens)
        amount = (amount * 100**layout.percents).scaleb(-3 * layout.scale, _EXACT)
        text = layout.fill(amount, (3, 2) if section.language in _INDIAN else (3, 3))
    sign = sign if any(c in "123456789" for c in text) else ""
    if section.native:
        return sign + text.translate(_FULL_WIDTH) if section.native == 3 else _write_native(section, sign + text)
    return sign + text


def _render_exponent(tokens: Sequence[FormatToken], amount: Decimal) -> str:
    at = next(n for n, token in enumerate(tokens) if token.kind == "exponent")
    layout = _Layout.of(tokens[:at])
    tail = list(tokens[at + 1 :])
    width = sum(token.kind == "digit" for token in layout.whole)
    power = amount.adjusted() if amount else 0
    step = max(1, width)
    power = power - power % step if width else power + 1
    unit = Decimal(1).scaleb(-layout.places)
    mantissa = amount.scaleb(-power, _EXACT).quantize(unit, ROUND_HALF_UP, _EXACT)
    if amount and mantissa >= Decimal(10) ** width:
        power += step
        mantissa = amount.scaleb(-power, _EXACT)
    digits = [n for n, token in enumerate(tail) if token.kind == "digit"]
    exponent = str(abs(power)).zfill(len(digits))
    sign = "-" if power < 0 else "+" * tokens[at].text.endswith("+")
    head = "".join(token.text for token in tail[: digits[0]]) if digits else ""
    rest = "".join(token.text for token in tail[digits[-1] + 1 :]) if digits else ""
    return f"{layout.fill(mantissa)}E{sign}{head}{exponent}{rest}"


def _render_fraction(tokens: Sequence[FormatToken], amount: Decimal) -> str | None:
    """Render a number as a fraction: 1.5 with "# ?/?" → "1 1/2".

    Returns None if the slash has no digits on both sides.
    """
    slash = next(n for n, token in enumerate(tokens) if token.kind == "slash")
    start = slash
    while start and tokens[start - 1].kind == "digit":
        start -= 1
    end = slash + 1
    while end < len(tokens) and (tokens[end].kind == "digit" or tokens[end].text in set("123456789")):
        end += 1
    below = "".join(token.text for token in tokens[slash + 1 : end])
    above = "".join(token.text for token in tokens[start:slash])
    if not above or not below:
        return None
    fixed = any(c in "123456789" for c in below)
    whole = any(token.kind == "digit" for token in tokens[:start])
    integer = int(amount) if whole else 0
    part = Fraction(amount) - integer
    if fixed:
        bottom = int("".join(c for c in below if c.isdigit()))
        top = math.floor(part * bottom + Fraction(1, 2))
    else:
        near = part.limit_denominator(10 ** min(len(below), 7) - 1)
        top, bottom = near.numerator, near.denominator
    if whole and top == bottom:
        integer, top = integer + 1, 0
    head = (
        _Layout.of(tokens[:start]).fill(Decimal(integer)) if whole else "".join(token.text for token in tokens[:start])
    )
    if whole and not integer and top == 0 and not any(c.isdigit() for c in head):
        head = head.rstrip() + "0"
    tail = "".join(token.text for token in tokens[end:])
    if whole and top == 0:
        return head + " " * (len(above) + 1 + len(below)) + tail
    # Digits and slots are aligned on the right. A slot without a digit gets "!".
    digits = str(top).rjust(len(above), "!")
    pairs = zip(digits, above.rjust(len(digits), "#"), strict=True)
    shown = "".join(digit if digit != "!" else {"0": "0", "?": " "}.get(slot, "") for digit, slot in pairs)
    return f"{head}{shown}/{bottom}{' ' * (0 if fixed else len(below) - len(str(bottom)))}{tail}"


_FULL_WIDTH: Final = str.maketrans("0123456789", NATIVE_DIGITS[3])
_SIMPLIFIED: Final = frozenset({0, 0x0804, 0x1004})
_DECIMAL: Final = lazy(r"([0-9]{1,16})(?:\.([0-9]*))?")


def _write_native(section: FormatSection, text: str) -> str | None:
    """Write the figures in a text as Chinese numerals.

    Returns None for any other language, since the numerals of other languages are not known here.
    """
    if section.language not in _SIMPLIFIED:
        return None
    digits = NATIVE_DIGITS[section.native]

    def write(found: re.Match[str]) -> str:
        whole = write_chinese_integer(int(found[1]), formal=section.native == 2)
        whole = f"一{whole}" if whole.startswith("十") else whole
        part = "".join(digits[int(c)] for c in found[2] or "")
        return whole.replace("零", digits[0]) + (f"．{part}" if part else "")

    return _DECIMAL.sub(write, text)
