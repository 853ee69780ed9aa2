"""What a planner writes for a question: "Find the height of X (in metres)", 查找X的生年, "X's birth year".

The order to look something up goes, and the unit wanted is set apart, so that the rest reads as a question does.
"""

from typing import Final

from text.language import HAN
from text.patterns import lazy
from text.units import to_si, unit_after

_ORDER_EN: Final = lazy(
    r"(?i)^(?:(?:please|kindly|can you|could you|i (?:need|want) (?:you )?to)[\s,]+)*(?:(?:(?:find(?: out)?|"
    r"search(?: for)?|look (?:up|for)|determine|identify|tell me|give me|retrieve|obtain|extract|establish|"
    r"ascertain)[\s:]+(?!of\b|about\b|engines?\b|an overview\b)"
    r"|(?:get|name|state|check|list|report|provide|fetch)\s+(?=(?:the|all|both|every|its|an?|who|what|which|when|where|how|"
    r"that|if|whether|names?)\s)"
    r"|(?:get|check|fetch|provide|list)\s+(?=[A-Z][^?]{0,60}['’]s?\s[a-z]))(?:information (?:on|about)\s+)?)?"
)
_NOUN_FIRST: Final = lazy(
    r"^(?:Length|Height|Area|Population|Depth|Width|Elevation|Altitude|Weight|Age|Birth|Death|Date|Year|Place|Time|Author|"
    r"Director|Composer|Architect|Founder|Capital|Number|Name|Publication|Completion|Spouse|Wife|Husband|Father|Mother)"
    r"(?= (?:[a-z]+ ){0,2}of )"
)
"""A phrase that opens with a capital only because it comes first: its noun is no name."""

_ORDER_ZH: Final = lazy(
    r"^(?:请|帮我|帮忙|麻烦|你|能否|先|再)*(?:查找|查询|查出|查明|查证|查一下|查阅|检索|搜索|搜寻|找出|找到|找一下|确定|确认|获取|列出|提取|给出|识别)"
    r"(?:一下|到|出)?(?:关于|有关)?[：:，,\s]*(?!引擎|性|中|方式|渠道|流程)"
)
_ADVICE_ZH: Final = lazy(r"需要|如何|怎么|怎样|可以|能否|能不能|应该|条件|材料|步骤")
_IN_BRACKETS: Final = lazy(
    rf"\s*[(（]\s*(?:measured |expressed )?(?:in |单位[：:为是]?\s*|以|按|用)?"
    rf"(?P<unit>[A-Za-z² .]{{1,24}}?|[{HAN}]{{1,4}}?)(?:为单位|计|表示)?\s*[)）]\s*(?=[?？。.]*$)"
)
_AT_END_EN: Final = lazy(r"(?i),?\s(?:measured |expressed )?in (?P<unit>(?:square )?[a-z²]{1,12})(?=[?.]*$)")
_AT_END_ZH: Final = lazy(
    rf"[，,]?(?:单位[：:为是]|[以按用])(?P<unit>[{HAN}]{{1,4}}?|[A-Za-z²]{{1,4}})(?:为单位|计算?|表示)?(?=[?？。]*$)"
)
_COUNTED: Final = lazy(
    r"(?i)\bhow many (?P<en>(?:square )?[a-z]+)\b|多少(?P<zh>平方公里|平方千米|平方米|公里|千米|米|公斤|吨)"
)


def question_of(text: str) -> str:
    """A request without its order to look something up: "Find the author of X" is "the author of X".

    Args:
        text: A request or a question, cleaned.
    """
    bare = _ORDER_EN.sub("", text, count=1)
    if len(bare) == len(text) and not _ADVICE_ZH.search(text):
        bare = _ORDER_ZH.sub("", text, count=1)
    bare = _NOUN_FIRST.sub(lambda found: found.group().lower(), bare, count=1)
    return bare if len(bare) > 1 else text


def unit_wanted(text: str) -> tuple[str, str]:
    """The length, mass or area that a request names, and the request without it where it is an addition.

    Args:
        text: A request or a question.

    Returns:
        The unit by its one name ("km"), "" if none is named, and the text.
    """
    for addition in (_IN_BRACKETS, _AT_END_EN, _AT_END_ZH):
        found = addition.search(text)
        if found and (unit := _unit(found["unit"])):
            return unit, (text[: found.start()] + text[found.end() :]).strip()
    counted = _COUNTED.search(text)
    return (_unit(counted["en"] or counted["zh"]) if counted else ""), text


def _unit(written: str) -> str:
    plain = written.strip(" .")
    found = unit_after(plain, 0) or unit_after(plain.casefold(), 0)
    if found is None or found[1] != len(plain) or to_si(1, found[0]) is None:
        return ""
    return found[0]


def converted(value: float, unit: str, wanted: str) -> float | None:
    """A measure in another unit, to as many significant digits as it was given, at least four.

    Args:
        value: The figure.
        unit: Its unit by its one name.
        wanted: The unit wanted.

    Returns:
        The figure, an int if it is whole; None where the units measure different things.
    """
    base, one = to_si(value, unit), to_si(1, wanted)
    if base is None or one is None or base[1] != one[1]:
        return None
    exact = base[0] / one[0]
    digits = len(f"{value:.12g}".replace(".", "").replace("-", "").strip("0"))
    ratio = base[0] / value / one[0] if value else 1.0
    decimal = f"{max(ratio, 1 / ratio):.9g}".strip("0.") == "1"
    figure = float(f"{exact:.{12 if decimal else max(4, digits)}g}")
    return int(figure) if figure.is_integer() else figure
