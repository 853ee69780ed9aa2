"""Compiled format codes of spreadsheets (ECMA-376, part 1, 18.8.31).

A code has up to four sections, for positive numbers, negative numbers, zero and text, or sections with conditions. A
code is compiled once, to the tokens that `number_format` and `date_format` render.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.text.patterns import lazy

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
NATIVE_DIGITS: Final = {1: "〇一二三四五六七八九", 2: "零壹贰叁肆伍陆柒捌玖", 3: "０１２３４５６７８９"}
"""Digits by the number behind `DBNum`."""


class FormatToken(NamedTuple):
    """Piece of a format code's section: a literal text, or a placeholder with its kind.

    Kinds: `letter` is a part of a date or time (`n` for minutes), `half` AM or PM, `elapsed` the hours, minutes or
    seconds of a duration, `parts` the fraction of a second, `text` the `@`.
    """

    kind: str  # literal, digit, point, comma, percent, general, half, exponent, letter, elapsed, parts, slash, text
    text: str


@dataclass(frozen=True)
class FormatSection:
    """Compiled section of a format code."""

    tokens: tuple[FormatToken, ...]
    condition: tuple[str, float] | None = None
    language: int = 0  # Windows language identifier, such as 0x0409
    currency: str = ""
    native: int = 0  # 1 to 3 after `DBNum`: native digits; 0: Western digits
    unread: bool = False  # has a mark that is not supported, so numbers are shown as stored

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of the tokens."""
        return frozenset(token.kind for token in self.tokens)


class FormatCode(NamedTuple):
    """Compiled format code: up to three sections for numbers, and the section for text or None."""

    numbers: tuple[FormatSection, ...]
    text: FormatSection | None


@lru_cache(maxsize=2_000)
def compile_code(code: str) -> FormatCode:
    """Compile a format code: "0" alone has one section for numbers, "@" a section for text.

    A code of more than four sections becomes one section marked `unread`.
    """
    sections = [_compile_section(tokens) for tokens in _split(code)]
    texts = "text" in sections[-1].kinds
    if len(sections) > 4:
        return FormatCode((replace(sections[0], unread=True),), None)
    if len(sections) == 4 or texts:
        return FormatCode(tuple(sections[:-1]), sections[-1])
    return FormatCode(tuple(sections), None)


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


def _compile_section(found: Sequence[re.Match[str]]) -> FormatSection:
    tokens: list[FormatToken] = []
    section = FormatSection(())
    for match in found:
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "bracket":
            section, shown = _read_bracket(section, text)
            tokens += shown
        elif kind in {"quoted", "escaped"}:
            tokens.append(FormatToken("literal", text))
        elif kind == "width":
            tokens.append(FormatToken("literal", " "))
        elif kind in {"general", "half", "exponent"}:
            tokens.append(FormatToken(kind, text))
        elif kind == "letter":
            tokens.append(FormatToken("letter", text.lower()))
        elif kind == "other":
            tokens.append(FormatToken("digit" if text in _DIGITS else _MARKS.get(text, "literal"), text))
    if any(token.kind in {"letter", "elapsed"} for token in tokens):
        tokens = _read_date_tokens(tokens)
        # Letters of dates beside digits of numbers mean neither.
        section = replace(section, unread=section.unread or any(token.text in {"#", "?"} for token in tokens))
    return replace(section, tokens=tuple(tokens))


def _read_bracket(section: FormatSection, text: str) -> tuple[FormatSection, list[FormatToken]]:
    if condition := _CONDITION.fullmatch(text):
        return replace(section, condition=(condition[1], float(condition[2]))), []
    if locale := _LOCALE.fullmatch(text):
        number = int(locale["code"] or "0", 16)
        # The first byte is a shape of digits, the second a calendar; of these only the usual ones are rendered.
        unread = section.unread or 2 <= number >> 24 <= 12 or (number >> 16 & 0xFF) not in {0, 1, 3}
        # Beside a currency, the language is that of the currency.
        language = number & 0xFFFF if number & 0xFFFF and not locale["sign"] else section.language
        section = replace(section, language=language, unread=unread, currency=section.currency or locale["sign"])
        return section, [FormatToken("literal", locale["sign"])] if locale["sign"] else []
    if _ELAPSED.fullmatch(text):
        return section, [FormatToken("elapsed", text.lower())]
    if native := _NATIVE.fullmatch(text):
        return replace(section, native=int(native[1])), []
    return replace(section, unread=section.unread or bool(_UNREAD.match(text))), []


def _read_date_tokens(tokens: Sequence[FormatToken]) -> list[FormatToken]:
    """Resolve the ambiguous tokens of a date section.

    An `m` after hours or before seconds becomes the `n` of minutes, zeros after a point become fractions of a second,
    and other marks of numbers become literal text.
    """
    found: list[FormatToken] = []
    letters = [n for n, token in enumerate(tokens) if token.kind in {"letter", "elapsed"}]
    for n, token in enumerate(tokens):
        last = found[-1] if found else FormatToken("", "")
        if token.kind == "letter" and token.text in {"m", "mm"}:
            before = next((tokens[at].text[0] for at in reversed(letters) if at < n), "")
            after = next((tokens[at].text[0] for at in letters if at > n), "")
            found.append(FormatToken("letter", "n" * len(token.text)) if before == "h" or after == "s" else token)
        elif token.kind == "point" and n + 1 < len(tokens) and tokens[n + 1].text == "0":
            found.append(FormatToken("parts", ""))
        elif token.text == "0" and last.kind == "parts":
            found[-1] = FormatToken("parts", last.text + "0")
        elif token.kind in {"point", "comma", "slash", "percent", "exponent"}:
            found.append(FormatToken("literal", token.text))
        else:
            found.append(token)
    return found


def choose_section(code: FormatCode, value: float | Decimal) -> tuple[FormatSection | None, bool]:
    """Return the section that formats a number, or None, and whether the section writes the minus sign itself.

    With "0;(0)" the number -5 gets the second section and True, so that it is shown as (5).
    """
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


def is_date(section: FormatSection) -> bool:
    """Report whether a section shows a date, a time or a duration."""
    return bool(section.kinds & {"letter", "elapsed"})
