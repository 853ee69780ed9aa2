"""Spreadsheet number formats (ECMA-376, part 1, 18.8.30 and 18.8.31).

Renders a stored number as the cell shows it. A format code has up to four sections, for positive numbers, negative
numbers, zero and text, or sections with conditions. A section is compiled once. Where programs differ, a cell is shown
as in LibreOffice. Numbers that this module cannot render are shown as stored, and `Rendered.exact` is False.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from weiwo.text.numerals import write_chinese_integer
from weiwo.text.patterns import lazy

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
"""The formats that have a number and need not be written out."""


class Rendered(NamedTuple):
    """Number as shown in a cell."""

    text: str
    exact: bool = True  # False: the format is not understood, and the text is the stored number


_MOST_CODE: Final = 1_000
"""Characters of a code; programs allow 255."""
_LAST_DAY: Final = 2_958_466
_EXACT: Final = Context(prec=700)
_TOKEN: Final = lazy(
    r'"(?P<quoted>[^"]{0,255})"?|\\(?P<escaped>.)|_(?P<width>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]\[]{0,255})\]'
    r"|(?P<general>General|G/通用格式|Standard)|(?P<half>AM/PM|A/P|上午/下午)|(?P<exponent>[Ee][+-])"
    r"|(?P<letter>y{1,9}|m{1,9}|d{1,9}|h{1,9}|s{1,9}|e{1,9}|g{1,9}|b{2,9}|a{3,9})|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION: Final = lazy(r"(<=|>=|<>|<|>|=)\s?(-?[0-9.]{1,30}(?:[eE][-+]?[0-9]{1,3})?)")
_ELAPSED: Final = lazy(r"(?i)h{1,9}|m{1,9}|s{1,9}")
_LOCALE: Final = lazy(r"\$(?P<sign>[^-]*)(?:-(?P<code>[0-9A-Fa-f]{1,8}).*)?", re.DOTALL)
_NATIVE: Final = lazy(r"(?i)DBNum([123])")
_UNREAD: Final = lazy(r"(?i)NatNum|~")
_DIGITS: Final = frozenset("0#?")


class _Token(NamedTuple):
    kind: str  # literal, digit, point, comma, percent, general, half, exponent, letter, elapsed, slash, text
    text: str


@dataclass(frozen=True)
class _Section:
    """A section of a code, compiled."""

    tokens: tuple[_Token, ...]
    condition: tuple[str, float] | None = None
    language: int = 0  # the primary and sub language of the locale, as Windows numbers them
    currency: str = ""
    native: int = 0  # 1 to 3: digits of the language, `DBNum`
    unread: bool = False  # holds something that is not rendered

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(token.kind for token in self.tokens)


class _Code(NamedTuple):
    numbers: tuple[_Section, ...]
    text: _Section | None


def render_number(value: float | Decimal, code: str, *, date_1904: bool = False, iso_dates: bool = False) -> Rendered:
    """Render a stored number by a format code.

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
    section, negative = _choose_section(_compile(code[:_MOST_CODE]), value)
    if section is None:
        return Rendered(stored)
    if section.unread or len(code) > _MOST_CODE:
        return Rendered(stored, exact=False)
    if _is_date(section):
        moment = _IsoDate(section) if iso_dates and "elapsed" not in section.kinds else _DateText(section)
        text = moment.render(float(value), date_1904=date_1904)
    else:
        text = _render_figures(section, value, negative=negative)
    return Rendered(stored, exact=False) if text is None else Rendered(text)


def render_stored(text: str, code: str, *, date_1904: bool = False) -> Rendered:
    """Render a number from a file for use in passages.

    Dates are written in ISO format, and alignment blanks are removed.
    """
    try:
        value = int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return Rendered(text)
    shown = render_number(value, code, date_1904=date_1904, iso_dates=True)
    return Rendered(" ".join(shown.text.split()), shown.exact)


def render_text(text: str, code: str) -> str:
    """Render a text cell by the text section of the format code, if present."""
    section = _compile(code[:_MOST_CODE]).text if "@" in code or code.count(";") >= 3 else None
    if section is None or section.unread:
        return text
    return "".join(text if token.kind == "text" else token.text for token in section.tokens)


def render_general(value: float | Decimal) -> str:
    """Render a number without a format: no noise of binary fractions, an exponent only beyond 15 digits."""
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
    """Return the kind of value produced by a format code.

    A date with a clock is "datetime".
    """
    if not code or code == "General":
        return "general"
    section, _ = _choose_section(_compile(code[:_MOST_CODE]), value)
    if section is None:
        return "text"
    kinds = section.kinds
    if not _is_date(section):
        return "percent" if "percent" in kinds else "general" if "general" in kinds and len(kinds) == 1 else "number"
    if "elapsed" in kinds:
        return "duration"
    _, clock = _IsoDate(section).parts()
    return "date" if not clock else "datetime" if len(_IsoDate(section).parts()[0]) else "time"


def find_format_unit(code: str, value: float | Decimal = 1) -> str:
    """Return the unit written by a format code beside the number, or an empty string.

    The unit is the currency or the words beside the digits. A letter that stands for the thousands or millions that the
    code divides by ("M" of `0.0,,"M"`) is no unit.
    """
    section, _ = _choose_section(_compile(code[:_MOST_CODE]), value) if code else (None, False)
    if section is None or _is_date(section) or not section.kinds & {"digit", "general"}:
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


def read_serial(value: float | Decimal, *, date_1904: bool = False) -> datetime | None:
    """Convert a serial number of days to a datetime.

    Returns None for a non-date. The result is rounded to the millisecond. 29 February 1900, which Excel counts as a day
    although it did not exist, gives None.
    """
    days = float(value)
    if not 0 <= days < _LAST_DAY - (1_462 if date_1904 else 0) or (not date_1904 and 60 <= days < 61):
        return None
    start = datetime(1904, 1, 1) if date_1904 else datetime(1899, 12, 30 + (days < 60))  # noqa: DTZ001 - of no zone
    # A serial number holds about a microsecond: what is nearer to a millisecond than that is meant to be one.
    return start + timedelta(milliseconds=round(days * 86_400_000))


# -- codes --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2_000)
def _compile(code: str) -> _Code:
    sections = [_compile_section(tokens) for tokens in _split(code)]
    texts = "text" in sections[-1].kinds
    if len(sections) > 4:
        return _Code((replace(sections[0], unread=True),), None)
    if len(sections) == 4 or texts:
        return _Code(tuple(sections[:-1]), sections[-1])
    return _Code(tuple(sections), None)


def _split(code: str) -> Iterator[list[re.Match[str]]]:
    tokens: list[re.Match[str]] = []
    for found in _TOKEN.finditer(code):
        if found["other"] == ";":
            yield tokens
            tokens = []
        else:
            tokens.append(found)
    yield tokens


_MARKS: Final = {".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "text"}


def _compile_section(found: Sequence[re.Match[str]]) -> _Section:
    tokens: list[_Token] = []
    section = _Section(())
    for match in found:
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "bracket":
            section, shown = _read_bracket(section, text)
            tokens += shown
        elif kind in {"quoted", "escaped"}:
            tokens.append(_Token("literal", text))
        elif kind == "width":
            tokens.append(_Token("literal", " "))
        elif kind in {"general", "half", "exponent"}:
            tokens.append(_Token(kind, text))
        elif kind == "letter":
            tokens.append(_Token("letter", text.lower()))
        elif kind == "other":
            tokens.append(_Token("digit" if text in _DIGITS else _MARKS.get(text, "literal"), text))
    if any(token.kind in {"letter", "elapsed"} for token in tokens):
        tokens = _read_date_tokens(tokens)
        # Letters of dates beside digits of numbers mean neither.
        section = replace(section, unread=section.unread or any(token.text in {"#", "?"} for token in tokens))
    return replace(section, tokens=tuple(tokens))


def _read_bracket(section: _Section, text: str) -> tuple[_Section, list[_Token]]:
    if condition := _CONDITION.fullmatch(text):
        return replace(section, condition=(condition[1], float(condition[2]))), []
    if locale := _LOCALE.fullmatch(text):
        number = int(locale["code"] or "0", 16)
        # The first byte is a shape of digits, the second a calendar; of these only the usual ones are rendered.
        unread = section.unread or 2 <= number >> 24 <= 12 or (number >> 16 & 0xFF) not in {0, 1, 3}
        # Beside a currency, the language is that of the currency.
        language = number & 0xFFFF if number & 0xFFFF and not locale["sign"] else section.language
        section = replace(section, language=language, unread=unread, currency=section.currency or locale["sign"])
        return section, [_Token("literal", locale["sign"])] if locale["sign"] else []
    if _ELAPSED.fullmatch(text):
        return section, [_Token("elapsed", text.lower())]
    if native := _NATIVE.fullmatch(text):
        return replace(section, native=int(native[1])), []
    return replace(section, unread=section.unread or bool(_UNREAD.match(text))), []


def _read_date_tokens(tokens: Sequence[_Token]) -> list[_Token]:
    """The tokens of a date: minutes told from months, parts of a second from digits."""
    found: list[_Token] = []
    letters = [n for n, token in enumerate(tokens) if token.kind in {"letter", "elapsed"}]
    for n, token in enumerate(tokens):
        last = found[-1] if found else _Token("", "")
        if token.kind == "letter" and token.text in {"m", "mm"}:
            before = next((tokens[at].text[0] for at in reversed(letters) if at < n), "")
            after = next((tokens[at].text[0] for at in letters if at > n), "")
            found.append(_Token("letter", "n" * len(token.text)) if before == "h" or after == "s" else token)
        elif token.kind == "point" and n + 1 < len(tokens) and tokens[n + 1].text == "0":
            found.append(_Token("parts", ""))
        elif token.text == "0" and last.kind == "parts":
            found[-1] = _Token("parts", last.text + "0")
        elif token.kind in {"point", "comma", "slash", "percent", "exponent"}:
            found.append(_Token("literal", token.text))
        else:
            found.append(token)
    return found


def _choose_section(code: _Code, value: float | Decimal) -> tuple[_Section | None, bool]:
    """Return the section for a number and whether the section omits the minus sign."""
    sections = code.numbers
    if not sections:
        return None, False
    conditions = [section.condition for section in sections[:2]]
    if not any(conditions):
        at = 0 if value > 0 or len(sections) == 1 else 1 if value < 0 else 2 * (len(sections) > 2)
        return sections[at], at == 1
    first = conditions[0] or (">", 0.0)
    second = (conditions[1] if len(sections) > 1 else None) or (("<", 0.0) if len(sections) > 2 else None)
    if _holds(first, value):
        return sections[0], value < 0 and first[0] in {"<", "<="} and first[1] <= 0
    if len(sections) == 1:
        return None, False
    if second is None or _holds(second, value):
        return sections[1], value < 0
    return (sections[-1] if len(sections) > 2 else None), value < 0


def _holds(condition: tuple[str, float], value: float | Decimal) -> bool:
    sign, limit = condition
    number = float(value)
    return {
        "<": number < limit,
        "<=": number <= limit,
        ">": number > limit,
        ">=": number >= limit,
        "=": number == limit,
        "<>": number != limit,
    }[sign]


def _is_date(section: _Section) -> bool:
    return bool(section.kinds & {"letter", "elapsed"})


# -- figures ------------------------------------------------------------------------------------------------------


class _Layout(NamedTuple):
    """Digits of a section and the tokens in between."""

    whole: tuple[_Token, ...]
    part: tuple[_Token, ...]  # with the point at its head, where there is one
    places: int
    scale: int  # how many thousands the number is divided by
    percents: int
    grouped: bool

    @classmethod
    def of(cls, tokens: Sequence[_Token]) -> "_Layout":
        digits = [n for n, token in enumerate(tokens) if token.kind == "digit"]
        points = [n for n, token in enumerate(tokens) if token.kind == "point"]
        point = points[0] if points else len(tokens)
        whole: list[_Token] = []
        part: list[_Token] = []
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
                side.append(_Token("literal", token.text))
        places = sum(at > point for at in digits)
        percents = sum(token.kind == "percent" for token in tokens)
        return cls(tuple(whole), tuple(part), places, scale, percents, grouped)

    def fill(self, number: Decimal, sizes: tuple[int, int] = (3, 3)) -> str:
        """Write a non-negative number into the digits."""
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


def _render_figures(section: _Section, value: float | Decimal, *, negative: bool) -> str | None:
    """Render a number by a section without dates.

    Returns None for an unknown section.

    Args:
        section: The section.
        value: The number.
        negative: Whether the section is for negative numbers, so that it writes their sign itself.
    """
    kinds = section.kinds
    amount = abs(Decimal(value) if isinstance(value, int | Decimal) else Decimal(_shorten(value)))
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


def _shorten(value: float) -> str:
    """Return a stored float in 15 digits, the precision of spreadsheets.

    Larger numbers are written with all their digits.
    """
    return f"{value:.15g}" if abs(value) < 1e15 else repr(value)


def _render_exponent(tokens: Sequence[_Token], amount: Decimal) -> str:
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


def _render_fraction(tokens: Sequence[_Token], amount: Decimal) -> str | None:
    """Render a number as a fraction.

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
    shown = "".join(digit if digit != "!" else {"0": "0", "?": " "}.get(slot, "") for digit, slot in _align(top, above))
    return f"{head}{shown}/{bottom}{' ' * (0 if fixed else len(below) - len(str(bottom)))}{tail}"


def _align(number: int, slots: str) -> Iterator[tuple[str, str]]:
    """Pair the digits of a number with slots, aligned on the right.

    A slot without a digit gets "!".
    """
    digits = str(number).rjust(len(slots), "!")
    yield from zip(digits, slots.rjust(len(digits), "#"), strict=True)


_NATIVE_DIGITS: Final = {1: "〇一二三四五六七八九", 2: "零壹贰叁肆伍陆柒捌玖", 3: "０１２３４５６７８９"}
_FULL_WIDTH: Final = str.maketrans("0123456789", _NATIVE_DIGITS[3])
_SIMPLIFIED: Final = frozenset({0, 0x0804, 0x1004})
_DECIMAL: Final = lazy(r"([0-9]{1,16})(?:\.([0-9]*))?")


def _write_native(section: _Section, text: str) -> str | None:
    """Write the figures in a text as Chinese numerals.

    Returns None for any other language, since the numerals of other languages are not known here.
    """
    if section.language not in _SIMPLIFIED:
        return None
    digits = _NATIVE_DIGITS[section.native]

    def write(found: re.Match[str]) -> str:
        whole = write_chinese_integer(int(found[1]), formal=section.native == 2)
        whole = f"一{whole}" if whole.startswith("十") else whole
        part = "".join(digits[int(c)] for c in found[2] or "")
        return whole.replace("零", digits[0]) + (f"．{part}" if part else "")

    return _DECIMAL.sub(write, text)


# -- dates --------------------------------------------------------------------------------------------------------

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ERAS: Final = (
    (date(2019, 5, 1), "令和", "R"),
    (date(1989, 1, 8), "平成", "H"),
    (date(1926, 12, 25), "昭和", "S"),
    (date(1912, 7, 30), "大正", "T"),
    (date(1868, 1, 25), "明治", "M"),
)
_LANGUAGES: Final = {0x00: "en", 0x09: "en", 0x04: "zh", 0x11: "ja", 0x12: "ko"}
"""The languages whose months and days are named here, by the primary language of Windows."""
_TAIWAN: Final = 0x0404


class _DateText:
    """Renders a serial number of days by the tokens of a section."""

    def __init__(self, section: _Section) -> None:
        self._section = section
        self._language = _LANGUAGES.get(section.language & 0x3FF, "")

    def render(self, days: float, *, date_1904: bool) -> str | None:
        """Render a number of days as date text.

        Returns None if the number is not a date, or if the names of the language are not known.
        """
        tokens = self._section.tokens
        letters = {token.text for token in tokens if token.kind == "letter"}
        named = any(set(text) <= {"a"} or (text[0] in "dm" and len(text) > 2) for text in letters)
        timed = letters <= {"h", "hh", "n", "nn", "s", "ss"}
        elapsed = "elapsed" in self._section.kinds
        if named and not self._language:
            return None
        if (days < 0 and not (elapsed and timed)) or abs(days) > 1e9:
            return None
        places = max((len(token.text) for token in tokens if token.kind == "parts"), default=0)
        seconds = letters & {"s", "ss"} or any(token.text[0] == "s" for token in tokens if token.kind == "elapsed")
        # A time without seconds is cut off, not rounded up to the next minute.
        ticks = round(abs(days) * 86_400 * 10**places) if seconds else round(abs(days) * 86_400_000) // 1_000
        self._seconds, self._parts = ticks // 10**places, str(ticks % 10**places).zfill(places)
        serial = self._seconds / 86_400
        self._lotus = not date_1904 and 60 <= serial < 61
        moment = read_serial(serial, date_1904=date_1904)
        if moment is None and not timed and not self._lotus:
            return None
        self._moment = moment or datetime(1900, 2, 28)  # noqa: DTZ001 - of no zone
        self._twelve = any(token.kind == "half" for token in tokens)
        shown = "".join(map(self._show, tokens))
        return f"-{shown}" if days < 0 and self._seconds else shown

    def _show(self, token: _Token) -> str:
        if token.kind == "elapsed":
            unit = {"h": 3_600, "m": 60, "s": 1}[token.text[0]]
            return str(self._seconds // unit).zfill(len(token.text))
        if token.kind == "half":
            late = self._seconds % 86_400 >= 43_200
            return ("上午", "下午")[late] if self._language == "zh" else token.text.split("/")[late]
        if token.kind == "parts":
            return f".{self._parts}"
        if token.kind == "letter":
            return self._show_letter(token.text)
        return token.text

    def _show_letter(self, text: str) -> str:
        moment, clock, letter = self._moment, self._seconds % 86_400, text[0]
        hour = clock // 3_600
        counts = {"h": (hour % 12 or 12) if self._twelve else hour, "n": clock % 3_600 // 60, "s": clock % 60}
        if len(text) < 3:
            counts |= {"d": 29 if self._lotus else moment.day, "m": moment.month}
        if letter in counts:
            return self._count(counts[letter], min(len(text), 2))
        match letter:
            case "d" | "a":
                return self._name_day(moment.weekday(), short=len(text) == 3)
            case "m":
                return self._name_month(moment.month, len(text))
            case "g":
                return self._name_era(len(text))
        return self._show_year(text)

    def _count(self, number: int, width: int) -> str:
        native = self._section.native
        if native == 1:
            return write_chinese_integer(number) if number else "〇"
        shown = str(number).zfill(width)
        return "".join(_NATIVE_DIGITS[native][int(c)] for c in shown) if native else shown

    def _show_year(self, text: str) -> str:
        year = self._moment.year
        if text[0] == "e" and self._section.language == _TAIWAN:
            year -= 1911
        elif text[0] == "e" and any(token.text.startswith("g") for token in self._section.tokens):
            year -= self._find_era()[0].year - 1
        elif text[0] == "b":
            year += 543
        shown = f"{year % 100:02d}" if text[0] in "yb" and len(text) <= 2 else str(year)
        native = self._section.native
        return "".join(_NATIVE_DIGITS[native][int(c)] for c in shown) if native else shown

    def _find_era(self) -> tuple[date, str, str]:
        day = self._moment.date()
        return next((era for era in _ERAS if era[0] <= day), _ERAS[-1])

    def _name_era(self, width: int) -> str:
        if self._language != "ja":
            return {"zh": "公元"}.get(self._language, "AD")
        _, name, letter = self._find_era()
        return letter if width == 1 else name[0] if width == 2 else name

    def _name_day(self, day: int, *, short: bool) -> str:
        match self._language:
            case "zh":
                return f"{'周' if short else '星期'}{'一二三四五六日'[day]}"
            case "ja":
                return "月火水木金土日"[day] + "曜日" * (not short)
            case "ko":
                return "월화수목금토일"[day] + "요일" * (not short)
        return _DAYS[day][:3] if short else _DAYS[day]

    def _name_month(self, month: int, width: int) -> str:
        if self._language == "zh":
            return f"{month}月" if width == 3 else f"{write_chinese_integer(month)}月"
        if self._language in {"ja", "ko"}:
            return f"{month}{'月' if self._language == 'ja' else '월'}"
        name = _MONTHS[month - 1]
        return name[:3] if width == 3 else name[:1] if width == 5 else name


class _IsoDate:
    """ISO renderer for serial numbers of days: 2024-03-01, 2024-03, 09:05.

    Renders only the parts shown by the section.
    """

    def __init__(self, section: _Section) -> None:
        self._section = section

    def parts(self) -> tuple[str, bool]:
        """Return the date letters shown by the section, out of "ymd", and whether a clock is shown."""
        letters = {token.text[0] for token in self._section.tokens if token.kind == "letter"}
        letters = {{"e": "y", "b": "y", "a": "d"}.get(letter, letter) for letter in letters}
        clock = bool(letters & {"h", "n", "s"})
        return "".join(letter for letter in "ymd" if letter in letters), clock

    def render(self, days: float, *, date_1904: bool) -> str | None:
        """Render a serial number of days.

        Returns None if the number is not a date.
        """
        shown, clock = self.parts()
        moment = read_serial(round(days * 86_400) / 86_400 if clock else days, date_1904=date_1904)
        if moment is None:
            return None
        time = (f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}") if clock else ""
        if shown == "m":
            return f"{_MONTHS[moment.month - 1]} {time}".strip()
        day = "" if not shown else moment.date().isoformat()
        day = day[:4] if shown == "y" else day[:7] if shown == "ym" else day
        return f"{day} {time}".strip()
