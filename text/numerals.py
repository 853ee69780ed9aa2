"""Whole numbers written out: 两千五百, "two hundred and five"."""

from typing import Final

from weiwo.text.patterns import lazy

_DIGITS: Final = {
    char: value
    for value, chars in enumerate(("零〇○", "一壹", "二两兩贰", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"))
    for char in chars
}
_STEPS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

CHINESE_DIGITS: Final = "".join(_DIGITS)
CHINESE_NUMERALS: Final = "".join((*_DIGITS, *_STEPS, *_MYRIADS))
"""Every character of a Chinese numeral, for use inside a character class."""


def chinese_integer(text: str) -> int:
    """Read a whole number in Chinese numerals.

    Digits alone are read one by one (二〇二一 is 2021). A last digit right behind 百, 千 or 万 counts in the next
    lower unit, as people say it (两千五 is 2500, 两千零五 is 2005).

    Args:
        text: Chinese numerals only, in plain, traditional or banking form.

    Returns:
        The number, at least 0.

    Raises:
        ValueError: The text is no well-formed numeral; the message names it.
    """
    if not text or len(text) > 40 or any(char not in CHINESE_NUMERALS for char in text):
        raise ValueError(f"{text[:40]!r} is not a Chinese numeral")
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    return _sections(text, text)


def _sections(text: str, whole: str) -> int:
    """Return the number of a Chinese numeral, read in two parts around the last 亿, or without one around the last 万.

    三亿五千万 is 三 times 亿 plus 五千万. `whole` is the numeral that an error names.

    Raises:
        ValueError: The text is no well-formed numeral.
    """
    for chars, scale in (("亿億", 10**8), ("万萬", 10**4)):
        at = max(text.rfind(char) for char in chars)
        if at < 0:
            continue
        left, right = text[:at], text[at + 1 :]
        if scale == 10**4 and any(char in _MYRIADS for char in left):
            raise ValueError(f"{whole!r} is not a Chinese numeral")
        high = _sections(left, whole) if left else 0
        if len(right) == 1 and _DIGITS.get(right, 0) > 0:
            # A single digit counts in the next lower unit: 三万五 is 35,000.
            low = _DIGITS[right] * scale // 10
        else:
            low = _sections(right, whole) if right else 0
        if not high or low >= scale:
            raise ValueError(f"{whole!r} is not a Chinese numeral")
        return high * scale + low
    return _below_myriad(text, whole)


def _below_myriad(text: str, whole: str) -> int:
    total, digit, step, zero = 0, -1, 10**4, False
    for char in text:
        if char in _DIGITS:
            if digit > 0 or (zero and not _DIGITS[char]):
                raise ValueError(f"{whole!r} is not a Chinese numeral")
            digit, zero = (_DIGITS[char], zero) if _DIGITS[char] else (-1, True)
            continue
        if char in _MYRIADS or _STEPS[char] >= step or (digit < 0 and (_STEPS[char] != 10 or total)):
            raise ValueError(f"{whole!r} is not a Chinese numeral")
        step = _STEPS[char]
        total += max(digit, 1) * step
        digit, zero = -1, False
    if digit > 0:
        total += digit * (step // 10 if 10 < step < 10**4 and not zero else 1)
    return total


_BELOW_TWENTY: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {word: value for value, word in enumerate(_BELOW_TWENTY)} | {
    word: value * 10 for value, word in enumerate(_TENS, start=2)
}
ENGLISH_SCALES: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

_ANY_WORD: Final = "|".join(sorted((*_WORDS, *ENGLISH_SCALES), key=len, reverse=True))
ENGLISH_RUN: Final = lazy(
    rf"(?i)(?<![A-Za-z0-9_])(?<![A-Za-z]-)(?:a\s{{1,2}}(?=hundred|thousand|million|billion|trillion))?"
    rf"(?:{_ANY_WORD})(?:(?:\s{{1,2}}and\s{{1,2}}|\s{{1,2}}|-)(?:{_ANY_WORD})){{0,30}}(?![A-Za-z0-9_])"
)
"""A run of English number words, which may hold more than one number ("two and three")."""


def english_integer(text: str) -> int:
    """Return the whole number of English number words: "two hundred and five" → 205.

    Args:
        text: Number words from zero to the trillions, with hyphens, "and" behind a hundred or more, and "a" for one.

    Returns:
        The number, at least 0.

    Raises:
        ValueError: The text is no well-formed number. The message names it.
    """
    total, group, ceiling, previous = 0, 0, 10**15, ""
    words = text.lower().replace("-", " ").split()
    if len(words) > 40 or not words:
        raise ValueError(f"{text[:40]!r} is not a number in words")
    for word in words:
        if word in _WORDS:
            group = _add_word(group, _WORDS[word], previous, text)
        elif word == "hundred" and (0 < group < 10 or previous == "a"):
            group = max(group, 1) * 100
        elif (
            word in ENGLISH_SCALES
            and ENGLISH_SCALES[word] < ceiling
            and word != "hundred"
            and (group or previous == "a")
        ):
            ceiling = ENGLISH_SCALES[word]
            total += max(group, 1) * ceiling
            group = 0
        elif not (word == "a" and not previous) and not (word == "and" and previous in ENGLISH_SCALES):
            raise ValueError(f"{text[:40]!r} is not a number in words")
        previous = word
    if previous in {"a", "and"}:
        raise ValueError(f"{text[:40]!r} is not a number in words")
    return total + group


def _add_word(group: int, value: int, previous: str, text: str) -> int:
    fits = (
        not previous
        or previous in ENGLISH_SCALES
        or previous == "and"
        or (_WORDS.get(previous, 0) >= 20 and 0 < value < 10)
    )
    if not fits or (value == 0 and previous):
        raise ValueError(f"{text[:40]!r} is not a number in words")
    return group + value


_WRITTEN: Final = {False: ("〇一二三四五六七八九", "十百千"), True: ("零壹贰叁肆伍陆柒捌玖", "拾佰仟")}


def write_chinese_integer(number: int, *, formal: bool = False) -> str:
    """Write a whole number in Chinese numerals: 2500 → 二千五百. `chinese_integer` reads the result back.

    Args:
        number: At least 0 and below 10¹⁶.
        formal: Whether to use the banking form (壹佰 for 一百), in which 10 is 壹拾 and not just 十.
    """
    digits, steps = _WRITTEN[formal]
    if number < 10:
        return digits[number]
    written, gap = "", False
    for place, myriad in ((12, "万亿"), (8, "亿"), (4, "万"), (0, "")):
        group = number // 10**place % 10**4
        if not group:
            gap = bool(written)
            continue
        part = _write_group(group, digits, steps)
        written += digits[0] * (bool(written) and (gap or group < 1000)) + part + myriad
        gap = False
    written = written.replace(digits[0], "零")
    return written if formal or not written.startswith("一十") else written[1:]


def _write_group(group: int, digits: str, steps: str) -> str:
    """Write a number below ten thousand."""
    part, zero = "", False
    for at, digit in enumerate(map(int, f"{group:04d}")):
        if digit:
            part += digits[0] * (zero and bool(part)) + digits[digit] + (steps[2 - at] if at < 3 else "")
        zero = not digit
    return part
