"""Numbers in prose, English and Chinese: found, read, and written."""

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from weiwo.state.kinds import Language
from weiwo.text.numerals import (
    CHINESE_DIGITS,
    CHINESE_NUMERALS,
    ENGLISH_RUN,
    ENGLISH_SCALES,
    chinese_integer,
    english_integer,
)
from weiwo.text.patterns import lazy
from weiwo.text.units import CURRENCIES, to_si, unit_after


class NumberSpan(NamedTuple):
    """A number and the position in the text.

    Attributes:
        start: Offset of the first character: a sign, a currency sign, or a digit.
        end: Offset behind the last character. Multiplier, percent sign and unit are inside.
        value: The number, multipliers applied: 14000 for "1.4万". A percentage keeps its figure: 6.4 for "6.4%".
        unit: The unit, by one name for both languages ("km", "元", "year"). None if no known unit follows.
        percent: Whether the number is a percentage. A per mille figure is none: its unit is "‰".
    """

    start: int
    end: int
    value: int | float
    unit: str | None = None
    percent: bool = False


_ASCII: Final = {0xFF10 + digit: 0x30 + digit for digit in range(10)} | str.maketrans("．－＋−", ".-+-")
_RUN: Final = lazy(
    r"(?:(?<![0-9A-Za-z_.])(?<![A-Za-z]-)|(?<=[A-Z]{3})(?=[0-9.,]{1,20}[%万萬亿億]))[0-9]+(?:[.,\u00a0\u2009\u202f][0-9]+)*"
)
_PIECE: Final = lazy(r"[^,]+")
_GROUPED: Final = lazy(r"[0-9]{1,3}(?:([,\u00a0\u2009\u202f])[0-9]{3}(?:\1[0-9]{3})*)(?:\.[0-9]+)?")
_SIMPLE: Final = lazy(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")
_EXPONENT: Final = lazy(r"[eE][-+]?[0-9]{1,2}(?![0-9A-Za-z_.])")
_HAN_SCALE: Final = lazy(
    rf"\s?[多余]?(万亿|萬億|千亿|百亿|十亿|亿|億|千万|百万|十万|万|萬|千(?![米克瓦])|百)(?![{CHINESE_NUMERALS}])"
)
_NEXT_PART: Final = lazy(r"[0-9]{1,4}(?:\.[0-9]{1,8})?(?=[万千百亿])")
_WORD_SCALE: Final = lazy(r"(?i)[\s-]{1,2}(hundred|thousand|million|billion|trillion)(?![A-Za-z])|\s?(bn)(?![A-Za-z])")
_MONEY_SCALE: Final = lazy(r"\s?(k|K|m|M|mn|mln|B|tn)(?![A-Za-z0-9])")
_MONEY_SCALES: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "mln": 10**6, "b": 10**9, "tn": 10**12}
_HAN_SCALES: Final = {"万亿": 10**12, "千亿": 10**11, "百亿": 10**10, "十亿": 10**9, "亿": 10**8} | {
    "千万": 10**7,
    "百万": 10**6,
    "十万": 10**5,
    "万": 10**4,
    "千": 1000,
    "百": 100,
}
_COUNTING: Final = str.maketrans("", "", "两兩")
"""Digits that only count: 这一点两处 holds no decimal."""
_HAN_RUN: Final = lazy(
    rf"(?<![{CHINESE_NUMERALS}第几幾数數])([{CHINESE_NUMERALS}]{{1,24}})(?:点([{CHINESE_DIGITS.translate(_COUNTING)}]{{1,12}}))?(?![{CHINESE_NUMERALS}])"
)
_HAN_COUNTED: Final = lazy(r"[个個名位座部本条條种種次场場件只隻张張首篇卷幅层層所家届]")
_TOO_LARGE: Final = 10**308
_SHARES: Final = {"百分之": "%", "千分之": "‰"}
_RUNS_ON: Final = lazy(r"[A-Za-z_½¼¾⅓⅔²³]|-[a-z]")
_AND_A_HALF: Final = lazy(r"[½¼¾⅓⅔]|个?半(?!数)|\s{1,2}and\s{1,2}a\s{1,2}(?:half|quarter)")
_AND: Final = lazy(r"(?i)\s{1,2}and\s{1,2}")
_HAN_RANGE: Final = lazy(rf"\s?[到至、~～–—-]\s?[0-9{CHINESE_NUMERALS}]")
_BRACKETS: Final = lazy(r"[(（\[][^()（）\[\]]{1,80}[)）\]]")
_ROUNDED: Final = 0.03
"""Relative difference allowed between a length or mass and its conversion, because both are rounded."""
_MINUS_BEFORE: Final = lazy(r"(?i)(?<![a-z])(?:minus|negative)\s{1,2}$|零下\s?$")
_MONEY_BEFORE: Final = lazy(r"(" + "|".join(map(re.escape, CURRENCIES)) + r")\s?$")
_LITERAL: Final = lazy(
    r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,110}|[0-9]{1,400})?(?:(?<=[0-9])|(?=\.[0-9]))(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,3})?"
)


def find_numbers(text: str) -> list[NumberSpan]:
    """Find the numbers in English, Chinese or mixed text: "1.4万 people" → 14000 with the unit "person".

    Ordinals ("5th", 第三), parts of names and codes ("A4", "COVID-19", "192.168.1.1") and a lone "one" or 一 without a
    known unit behind it are left out. Numbers inside dates are found too. `find_dates` tells which these are.

    Args:
        text: Any text. Time grows linearly with its length.

    Returns:
        The numbers in order, without overlap. The ends of a range are two numbers.
    """
    return _find(text)


def parse_number(text: str) -> int | float:
    """Parse the single number stated by a text: "about 6,300 km" → 6300.

    Args:
        text: A numeral or a phrase around one ("about 6,300 km", "1.4万人", "two hundred"). A percentage is read as its
            figure.

    Returns:
        The number, as an int if it is whole.

    Raises:
        ValueError: The text holds no number, or numbers that differ. The message names the text.
    """
    plain = text.translate(_ASCII).strip()
    if _LITERAL.fullmatch(plain):
        value = _exact(plain.lstrip("+"))
        if abs(value) >= _TOO_LARGE or (value and not float(value)):
            raise ValueError(f"{text[:80]!r} is not a number that can be held")
        return _plain(value)
    with suppress(ValueError):
        return english_integer(plain)
    if len(plain) == 1 and plain in CHINESE_NUMERALS:
        return chinese_integer(plain)
    if len(plain) == 2 and plain[0] in "负負" and plain[1] in CHINESE_NUMERALS:
        return -chinese_integer(plain[1])
    spans = _find(plain)
    values = {(span.value, span.percent) for span in _without_conversions(plain, spans)}
    if not values:
        raise ValueError(f"{text[:80]!r} is not a number")
    if len(values) > 1:
        raise ValueError(f"{text[:80]!r} holds more than one number")
    return values.pop()[0]


def format_number(value: float, language: Language) -> str:
    """Format a number for prose. `parse_number` reads the result back.

    Args:
        value: The number.
        language: English gets thousands separators. Others get none, because a German reads 6,300 as 6.3.

    Returns:
        Decimal notation, never an exponent: up to six decimals, or for numbers below 1 six significant digits.

    Raises:
        ValueError: The value is a boolean, infinite or not a number.
    """
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number that can be written")
    if isinstance(value, int) or value.is_integer():
        written = f"{int(value):,}"
    elif abs(value) >= 1:
        written = f"{value:,.6f}".rstrip("0").rstrip(".")
    else:
        written = f"{Decimal(f'{value:.6g}'):f}"
    return written if language == "en" else written.replace(",", "")


def to_base(span: NumberSpan) -> tuple[float, str] | None:
    """Convert a length, mass or area to metres, kilograms or square metres, for comparison: "5 km" → `(5000.0, "m")`.

    Args:
        span: A number from `find_numbers`.

    Returns:
        The figure and "m", "kg" or "m²", or None if the span has another unit or none.
    """
    return None if span.unit is None else to_si(span.value, span.unit)


def _find(text: str) -> list[NumberSpan]:
    plain = text.translate(_ASCII)
    found = [*_arabic(plain), *_english(plain), *_chinese(plain)]
    found.sort(key=lambda span: (span.start, -span.end))
    spans: list[NumberSpan] = []
    for span in found:
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
    return spans


def _without_conversions(text: str, spans: list[NumberSpan]) -> list[NumberSpan]:
    """Return the numbers without those in brackets that repeat the first in another unit: "6,300 km (3,915 mi)"."""
    if not spans or (base := to_base(spans[0])) is None:
        return spans
    aside = [found.span() for found in _BRACKETS.finditer(text)]

    def converts(span: NumberSpan) -> bool:
        other = to_base(span)
        inside = any(start < span.start and span.end < end for start, end in aside)
        same = other is not None and other[1] == base[1] and math.isclose(other[0], base[0], rel_tol=_ROUNDED)
        return inside and same and span.unit != spans[0].unit

    return [spans[0], *(span for span in spans[1:] if not converts(span))]


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def _exact(written: str) -> Fraction:
    return Fraction(re.sub("[,\u00a0\u2009\u202f]", "", written))


def _arabic(text: str) -> Iterator[NumberSpan]:
    for run in _RUN.finditer(text):
        if _GROUPED.fullmatch(run[0]):
            pieces = [run]
        else:
            pieces = list(_PIECE.finditer(text, run.start(), run.end()))
            if not all(_SIMPLE.fullmatch(piece[0]) for piece in pieces):
                continue
        for piece in pieces:
            span = _arabic_span(text, piece.start(), piece.end())
            if span is not None:
                yield span


def _arabic_span(text: str, start: int, end: int) -> NumberSpan | None:
    exponent = _EXPONENT.match(text, end)
    end = exponent.end() if exponent else end
    value = _exact(text[start:end])
    start, currency, negative = _before(text, start)
    scaled = _apply_multipliers(text, end, value, money=currency is not None)
    if scaled is None:
        return None
    value, end = scaled
    return _finish(text, start, end, -value if negative else value, currency)


def _apply_multipliers(text: str, end: int, value: Fraction, *, money: bool) -> tuple[Fraction, int] | None:
    """Multiply a number by the words or letters behind it, and return the product and the offset behind them.

    "1.4" with 万 behind it gives 14000. With `money`, "k", "m" and "tn" count too. Returns None if the text behind
    makes no number.

    Args:
        text: The text.
        end: Offset behind the digits.
        value: The number that the digits write.
        money: Whether a currency stands before the number.
    """
    if money and (short := _MONEY_SCALE.match(text, end)):
        return value * _MONEY_SCALES[short[1].lower()], short.end()
    han = _HAN_SCALE.match(text, end)
    if han:
        return _han_scaled(text, value, han)
    for _ in range(2):
        word = _WORD_SCALE.match(text, end)
        if word is None:
            break
        value *= ENGLISH_SCALES[word[1].lower()] if word[1] else 10**9
        end = word.end()
    if end < len(text) and text[end] in CHINESE_NUMERALS and unit_after(text, end) is None:
        return None
    return value, end


def _han_scaled(text: str, value: Fraction, han: re.Match[str]) -> tuple[Fraction, int] | None:
    scale = _HAN_SCALES[_simplify_characters(han[1])]
    total, end = value * scale, han.end()
    while (part := _NEXT_PART.match(text, end)) is not None:
        smaller = _HAN_SCALE.match(text, part.end())
        if smaller is None or (step := _HAN_SCALES[_simplify_characters(smaller[1])]) >= scale:
            return None
        total += Fraction(part[0]) * step
        scale, end = step, smaller.end()
    return total, end


def _simplify_characters(written: str) -> str:
    return written.replace("萬", "万").replace("億", "亿")


def _before(text: str, start: int) -> tuple[int, str | None, bool]:
    """Return where a number begins with its signs, its currency or None, and whether it is negative.

    For "cost -$5" with `start` at the 5, the result is `(5, "USD", True)`.
    """
    money = _MONEY_BEFORE.search(text, max(0, start - 4), start)
    currency = None
    if money:
        start, currency = money.start(), CURRENCIES[money[1]]
    before = text[start - 1 : start]
    if before and before in "-–+" and (start == 1 or text[start - 2] in " \t\n([{（【，,：:=<>~≈、。；;"):
        return start - 1, currency, before != "+"
    if before in {"负", "負"}:
        return start - 1, currency, True
    word = _MINUS_BEFORE.search(text, max(0, start - 11), start)
    return (word.start(), currency, True) if word else (start, currency, False)


def _finish(text: str, start: int, end: int, value: Fraction, currency: str | None) -> NumberSpan | None:
    """Return the span of a number with the unit behind it, or None if the text behind changes the number.

    It does in "5th", "2½" and 两年半.
    """
    share = _SHARES.get(text[max(0, start - 3) : start])
    unit = unit_after(text, end)
    if unit is None and _RUNS_ON.match(text, end):
        return None
    name, end = unit or (None, end)
    if _AND_A_HALF.match(text, end):
        return None
    name = share or name
    start -= 3 if share else 0
    percent = name == "%"
    return NumberSpan(start, end, _plain(value), currency or (None if percent else name), percent)


def _english(text: str) -> Iterator[NumberSpan]:
    for run in ENGLISH_RUN.finditer(text):
        for start, end in _english_pieces(run):
            try:
                value = english_integer(text[start:end])
            except ValueError:
                continue
            begin, _, negative = _before(text, start)
            span = _finish(text, begin if negative else start, end, Fraction(-value if negative else value), None)
            if span is not None and (span.unit or span.percent or text[start:end].lower() != "one"):
                yield span


def _english_pieces(run: re.Match[str]) -> list[tuple[int, int]]:
    """Return the spans of the numbers in a run of number words.

    "two hundred and three" is one number and gives one span. "two and three" is none, so it is split at each "and".
    """
    try:
        english_integer(run[0])
    except ValueError:
        ands = [(found.start(), found.end()) for found in _AND.finditer(run.string, run.start(), run.end())]
        starts = [run.start(), *(end for _, end in ands)]
        return list(zip(starts, [*(start for start, _ in ands), run.end()], strict=True))
    return [run.span()]


def _chinese(text: str) -> Iterator[NumberSpan]:
    for run in _HAN_RUN.finditer(text):
        written, decimals = run[1], run[2]
        try:
            value = Fraction(chinese_integer(written))
        except ValueError:
            continue
        if decimals:
            value += Fraction(chinese_integer(decimals), 10 ** len(decimals))
        start, currency, negative = _before(text, run.start())
        span = _finish(text, start, run.end(), -value if negative else value, currency)
        if span is not None and (decimals or _is_number(text, run, span)):
            yield span


def _is_number(text: str, run: re.Match[str], span: NumberSpan) -> bool:
    """Report whether a run of Chinese numerals means a number.

    三 is often part of a name, and 七八 means seven or eight.
    """
    written = run[1]
    if len(written) == 1:
        measured = (written != "一" and _HAN_COUNTED.match(text, run.end())) or _HAN_RANGE.match(text, run.end())
        return span.unit is not None or span.percent or bool(measured)
    digits_only = all(char in CHINESE_DIGITS for char in written)
    return not digits_only or len(written) >= 4 or any(char in "〇零○" for char in written)
