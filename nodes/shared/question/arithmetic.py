"""Arithmetic questions: text with only a calculation, in the notation of `weiwo.tools.compute`.

The days, months or years between two dates, and somebody's age today, are included.
"""

import ast
import re
from datetime import UTC, datetime
from typing import Final

from weiwo.nodes.shared.question.lexicon import question_pattern
from weiwo.text.data_files import data_pattern, read_data
from weiwo.text.dates import parse_date
from weiwo.text.numerals import chinese_integer
from weiwo.text.patterns import lazy

_FRAME: Final = data_pattern("question", "arithmetic", "frame")
_SIGNS: Final = tuple((lazy(words), sign) for words, sign in read_data("question")["arithmetic"]["signs"])
_PLAIN: Final = lazy(r"(?!.*//)(?:[\d.\s()+*/%-]|sqrt(?=\())+")
_ROOT: Final = lazy(r"sqrt\s*(\d+(?:\.\d+)?)")
_CHINESE: Final = lazy(r"(?<!百分之)(?<![\d万亿])[零一二两三四五六七八九十百千万亿]+(?!次方)")
_OPERATOR: Final = lazy(r"[加减乘除]")
LONGEST: Final = 200


def arithmetic_expression(text: str) -> str:
    """Return the formula of a purely arithmetic question, as "2 + 2" for "what is 2 plus 2".

    Empty for any other question.

    A number alone is not a formula, and a date like 1999-12-31 is left alone.

    Args:
        text: The question in lower case and half-width forms, without politeness.
    """
    if _OPERATOR.search(text):
        text = _CHINESE.sub(_digits, text[: LONGEST + 1])
    if not any(c.isdecimal() for c in text) or len(text) > LONGEST or re.search(r"\d{4}-\d\d?-\d\d?", text):
        return ""
    text = _FRAME.sub("", _FRAME.sub("", text.strip()).strip()).strip()
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, text)
    return _formula(text.strip())


def _digits(numeral: re.Match[str]) -> str:
    try:
        return str(chinese_integer(numeral[0]))
    except ValueError:
        return numeral[0]


def _formula(text: str) -> str:
    """Return a text as a formula in Python notation. Empty if it has anything else, or is no valid formula."""
    text = _ROOT.sub(r"sqrt(\1)", text)
    if not _PLAIN.fullmatch(text):
        return ""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    sound = isinstance(tree, ast.BinOp | ast.Call) and all(isinstance(item, ast.Name) for item in called)
    return ast.unparse(tree) if sound else ""


_DATES_APART: Final = question_pattern("dates_apart")
_AGE_TODAY: Final = question_pattern("age_today")
_TODAY: Final = frozenset(["", "today", "now", "今天", "现在", "今日"])
_APART_UNITS: Final = {"day": "days", "month": "months", "year": "years", "天": "days", "月": "months", "年": "years"}


def today() -> str:
    """Return the current date in UTC, in ISO form."""
    return datetime.now(UTC).date().isoformat()


def dates_apart(text: str) -> tuple[str, str, str] | None:
    """Return two ISO dates and the unit of a question that only asks for the time between them. None for any other.

    "How many days between 1 May 2020 and 3 May 2020?" gives ("2020-05-01", "2020-05-03", "days").
    """
    found = _DATES_APART.fullmatch(text.strip(" ?.!。"))
    if found is None:
        return None
    named = [value for name, value in found.groupdict().items() if value is not None and name[0] in "ab"]
    start, end = (named[0], named[1]) if len(named) > 1 else (*named, "")
    unit = next(value for name, value in found.groupdict().items() if value is not None and name[0] == "u")
    try:
        dates = [today() if item.strip() in _TODAY else parse_date(item.strip()).iso() for item in (start, end)]
    except ValueError:
        return None
    return dates[0], dates[1], _APART_UNITS[unit]


def aged_today(text: str) -> str:
    """Return the person of a question for an age today, as written. Empty for any other question."""
    found = _AGE_TODAY.fullmatch(text.strip(" ?.!。"))
    return next((group for group in found.groups() if group), "").strip() if found else ""
