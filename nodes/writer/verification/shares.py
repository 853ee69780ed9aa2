"""Shares told in words: "one in eight", "a third of the output", 三分之一, 六成, as percentages that round what they tell of."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.writer.verification.quantities import SHARE, Quantity
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

_ONE_IN: Final = lazy(r"(?i)\bone in (two|three|four|five|six|seven|eight|nine|ten|\d{1,4})\b")
_FRACTION: Final = lazy(
    r"(?i)\b(half|(?:a|one)[- ]third|two[- ]thirds|(?:a|one)[- ]quarter|three[- ]quarters|(?:a|one)[- ]fifth|(?:a|one)[- ]tenth)\b"
)
_SHARES: Final = {"half": 50.0, "one third": 100 / 3, "two thirds": 200 / 3, "one quarter": 25.0, "three quarters": 75.0, "one fifth": 20.0, "one tenth": 10.0}  # fmt: skip
_HAN_SHARE: Final = lazy(
    r"([一二两三四五六七八九十]|\d{1,2})分之([一二两三四五六七八九十]|\d{1,2})|([一二三四五六七八九])成(?![为立员本都果绩功长年人效语])|([一过][半](?!导|岛|径|年|天|小时|个|球|路|夜))"
)
_HAN_DIGIT: Final = {sign: n for n, sign in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_SHARE_OF: Final = lazy(
    r"(?i)\s(?:of|the)\b(?! an? | (?:the |a )?(?:year|day|month|week|century|season|game|match|decade)\b)"
)


def find_shares(text: str) -> Iterator[Quantity]:
    """Fractions in words as percentages: "one in eight" is 12.5 %."""
    for found in _ONE_IN.finditer(text):
        spans = find_numbers(f"{found[1]} days")
        if spans and spans[0].value:
            yield _share(found, 100 / float(spans[0].value))
    for found in _FRACTION.finditer(text):
        yield _share(found, _SHARES[re.sub(r"^a ", "one ", found[1].lower().replace("-", " "))])
    for found in _HAN_SHARE.finditer(text):
        if found[1]:
            yield _share(found, 100 * _han_digit(found[2]) / max(1, _han_digit(found[1])))
        else:
            yield _share(found, 10.0 * _han_digit(found[3]) if found[3] else 50.0)


def stated_shares(text: str) -> list[Quantity]:
    """The shares that a claim states in words: "a third of the output", 三分之一; not "half an hour"."""
    return [
        share
        for share in find_shares(text)
        if not text[share.start].isascii()
        or _SHARE_OF.match(text, share.end)
        or text[share.start : share.end].lower().startswith("one in")
    ]


def _han_digit(written: str) -> int:
    return _HAN_DIGIT.get(written) or int(written)


def _share(found: re.Match[str], value: float) -> Quantity:
    return Quantity(found.start(), found.end(), value, SHARE, "%", value)
