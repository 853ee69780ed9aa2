"""Questions that are nothing but arithmetic, put into the calculator's notation."""

import re
from typing import Final

from state import Language
from text.dates import find_dates
from text.patterns import lazy

_FRAME: Final = lazy(
    r"^(?:(?:what(?:'s| is| are| does)|how much (?:is|are)|calculate|compute|evaluate|work out|solve|the "
    r"(?:value|result) of"
    r"|计算一?下?|算一?下|帮我算一?下?|求|请问|请|帮我|等于多少)[\s:：,，]*)+|[\s=]*(?:equals?|等于多少|等于几"
    r"|等于|是多少|得多少|得几|是几|多少"
    r"|的(?:值|结果)是?多少)?[\s=?？。.!]*$",
    re.IGNORECASE,
)
_WORDS: Final = (
    (lazy(r"的平方根"), " √ "),
    (lazy(r"(?:the )?square root of|根号", re.IGNORECASE), " sqrt "),
    (lazy(r"to the power(?: of)?|的(?=\d+次方)|\^|\*\*", re.IGNORECASE), " ** "),
    (lazy(r"(?<=\d)\s*次方"), ""),
    (lazy(r"squared|的?平方", re.IGNORECASE), " ** 2 "),
    (lazy(r"cubed|的?立方", re.IGNORECASE), " ** 3 "),
    (lazy(r"multiplied by|times|乘以|乘|×|✕|·|(?<=\d)\s*x\s*(?=\d)", re.IGNORECASE), " * "),
    (lazy(r"divided by|over|除以|÷", re.IGNORECASE), " / "),
    (lazy(r"plus|added to|加上|加|＋", re.IGNORECASE), " + "),
    (lazy(r"minus|less|减去|减|－|−", re.IGNORECASE), " - "),
    (lazy(r"modulo|mod\b", re.IGNORECASE), " % "),
)
_PERCENT: Final = lazy(r"(?P<share>\d+(?:\.\d+)?)\s*(?:%|percent|per cent)\s*(?:of|的)\s*(?=[\d(])", re.IGNORECASE)
_PERCENT_ZH: Final = lazy(r"(?P<whole>\d+(?:\.\d+)?)\s*的\s*(?:百分之\s*(?P<a>\d+(?:\.\d+)?)|(?P<b>\d+(?:\.\d+)?)\s*%)")
_GROUPS: Final = lazy(r"(?<=\d),(?=\d{3}(?!\d))")
_TOKEN: Final = lazy(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<sqrt>sqrt|√)|(?P<operator>\*\*|[-+*/%])|(?P<open>\()|(?P<close>\)))"
)
LONGEST: Final = 200


def arithmetic(question: str) -> str | None:
    """The formula of a question that asks for nothing else; None where it asks for anything besides.

    A number alone is no formula, and a date such as 1999-12-31 is left to other readers.
    """
    text = question.strip()
    if not any(c.isdigit() for c in text) or len(text) > LONGEST or re.search(r"\d{4}-\d\d?-\d\d?", text):
        return None
    for _ in range(2):
        text = _FRAME.sub("", text).strip()
    text = _PERCENT_ZH.sub(lambda m: f"{m['whole']} * {m['a'] or m['b']} / 100", _GROUPS.sub("", text))
    text = _PERCENT.sub(lambda m: f"{m['share']} / 100 * ", text)
    text = re.sub(r"(\d+(?:\.\d+)?)\s*的平方根", r"sqrt \1", text)
    for pattern, sign in _WORDS:
        text = pattern.sub(sign, text)
    return _formula(text)


_CALCULATE: Final = lazy(
    r"^(?:(?:please|can you|could you|calculate|compute|evaluate|work out|solve|tell me|what(?:'s| is| are| does)"
    r"|how much (?:is|are)|the (?:value|result) of|请问|请|帮我|计算一?下?|算一?下|求)[\s:：,，]*)+",
    re.IGNORECASE,
)
_ASKED: Final = lazy(
    r"[\s=]*(?:equals?|等于多少|等于几|等于|是多少|得多少|得几|是几|多少|的(?:值|结果)是?多少)?[\s=?？。.!]*$",
    re.IGNORECASE,
)


def worded(question: str, amount: str, language: Language) -> str | None:
    """The result of arithmetic in the words it was asked in: "17% of 2400 is 408."; None where it was asked in signs.

    Args:
        question: The question, which is nothing but arithmetic.
        amount: Its result, written out.
        language: The language to tell it in.
    """
    said = _ASKED.sub("", _CALCULATE.sub("", question.strip())).strip(" ,，?？")
    if not re.search(r"[^\W\d_]|%", said) or len(said) > LONGEST:
        return None
    if language == "zh":
        # A bare 1024 is read as a year, unless a sign stands before it.
        return f"{said} = {amount}。" if find_dates(f"等于{amount}。") else f"{said}等于{amount}。"
    return f"{said[0].upper()}{said[1:]} is {amount}."


def _formula(text: str) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one rule for each kind of token
    """The tokens of a formula, joined; None where anything else occurs or they do not fit each other."""
    parts: list[str] = []
    position, depth, operators, operand, root = 0, 0, 0, False, False
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        if root and not (match["number"] or match["open"]):
            return None
        if number := match["number"]:
            if operand:
                return None
            parts.append(f"sqrt({number})" if root else number)
            operand, root = True, False
        elif match["sqrt"]:
            if operand or root:
                return None
            root, operators = True, operators + 1
        elif match["open"]:
            if operand:
                return None
            parts.append("sqrt(" if root else "(")
            depth, root = depth + 1, False
        elif match["close"]:
            depth -= 1
            if depth < 0 or not operand:
                return None
            parts.append(")")
        else:
            sign = match["operator"]
            if not operand and (sign != "-" or (parts and parts[-1] == "-")):
                return None
            parts.append(sign)
            operators += operand
            operand = False
    if depth or root or not operand or not operators:
        return None
    return re.sub(r"\( ", "(", " ".join(parts).replace(" )", ")").replace("( ", "("))
