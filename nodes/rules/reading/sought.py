"""What sort of value an ordinary question seeks: a duration, a price, a count of things, a date, a name, a phrase."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from nodes.rules.reading.asked import Asked
from nodes.rules.words import FUNCTION_WORDS, stem
from state import ValueType, item_type
from text.language import HAN, fold
from text.patterns import lazy

Sort = Literal["count", "duration", "money", "measure", "date", "person", "place", "phrase"]

_TIME: Final = frozenset(["year", "month", "week", "day", "hour", "minute", "second"])
_MONEY: Final = frozenset(["USD", "EUR", "GBP", "JPY", "HKD", "元"])
_TIME_ZH: Final = {
    "天": "day",
    "日": "day",
    "年": "year",
    "月": "month",
    "周": "week",
    "小时": "hour",
    "分钟": "minute",
}
_UNITS_ZH: Final = frozenset(
    ["钱", "元", "天", "年", "岁", "小时", "分钟", "周", "月", "工作日", "米", "公里", "克", "升", "度"]
)
_DURATION: Final = lazy(
    r"(?i)\bhow (?:long|often|soon)\b|\bwhat (?:is|was) the (?:[\w-]+ )?(?:duration|period)\b"
    r"|多久|多长时间|几天|多少天|几[年周]|几个(?:月|小时)|多少(?:年|小时|分钟|个月|个工作日)"
)
_COST: Final = lazy(
    r"(?i)\bhow (?:much|expensive)\b.*\b(?:cost|price|pay|paid|charged?|fee|worth|refund\w*|deposit|"
    r"penalty)\b|\bwhat (?:is|was) the (?:[\w-]+ ){0,4}?"
    r"(?:price|cost|fee|budget|deposit|penalty|salary|fine)\b|多少钱|多少元|[价费]格?(?:是|为)?多少|预算|[价费押罚]金?是多少|贵"
)
_NUMBER: Final = lazy(
    r"(?i)\bhow (?:many|much|old|tall|high|deep|wide|far|big|large|fast|heavy|hot|cold)\b"
    r"|\bwhat (?:temperature|percentage|speed|size|age)\b"
    r"|多少|几[个名位条次台份项种页张件门分号]|多[高大重深宽远快]"
)
_MANY: Final = lazy(
    r"(?i)\bhow (?:many|much) (?P<noun>(?:[a-z-]+ ){0,3}?[a-z-]+)(?= (?:is|are|was|were|do|does|did|can|may|must|"
    r"should|will|would|has|have|had|per|in|of|for|on|at|after|before|[a-z]+ed|i|you|we)\b|\?|$)"
)
_MANY_ZH: Final = lazy(
    rf"(?:多少|几)(?P<measure>[个名位条次台份项种页张件门分]?)(?P<noun>[{HAN}]{{1,6}}?)?(?=[？?，。]|$)"
)
_WHICH: Final = lazy(
    r"(?i)\b(?:which|what) (?P<noun>(?:[a-z-]+ ){0,2}?[a-z-]+)(?= (?:is|are|was|were|do|does|did|can|may|must|"
    r"should|will|has|have|[a-z]+s|[a-z]+ed)\b)"
)
_TEMPERATURE: Final = lazy(r"(?i)temperature|how (?:hot|cold)|温度")


@dataclass(frozen=True)
class Sought:
    """What a question seeks.

    Attributes:
        sort: The sort of value.
        unit: The unit it names, if it does.
        noun: The stem (or Chinese noun) of what is counted, or of what "which" asks for.
        ignored: Words of the question that name the sort and that no line need say.
    """

    sort: Sort
    unit: str = ""
    noun: str = ""
    ignored: tuple[str, ...] = ()

    def fits(self, unit: str | None, *, percent: bool) -> float:
        """How well a number in a unit is of the sort, 0 to 1."""
        if self.unit:
            return 1.0 if unit == self.unit else 0.0
        if self.sort == "duration":
            return 1.0 if unit in _TIME else 0.0
        if self.sort == "money":
            return 1.0 if unit in _MONEY else (0.5 if unit is None and not percent else 0.0)
        if self.sort == "count":
            return 0.0 if percent or unit in _MONEY else 1.0
        return 1.0


def sought(asked: Asked, ret: ValueType) -> Sought:
    """What a question seeks, by its question words and the type wanted."""
    text, item = asked.text, item_type(ret)
    if asked.kind == "date" or item == "date":
        return Sought("date", ignored=("time", "date", "day", "year", "month", "时间", "日期"))
    if _DURATION.search(text):
        noun = _counted(text)
        unit = (
            noun if noun in _TIME else next((u for zh, u in _TIME_ZH.items() if re.search(rf"[几少]个?{zh}", text)), "")
        )
        return Sought("duration", unit, ignored=("long", "often", *_words(noun)))
    if asked.kind == "place" and item == "text":
        return Sought("place", noun=_which(text), ignored=_words(_which(text)))
    if item == "number" or asked.kind == "number" or _NUMBER.search(text):
        return _number(text)
    if asked.kind == "person":
        return Sought("person")
    return Sought("phrase", noun=_which(text), ignored=_words(_which(text)))


def _number(text: str) -> Sought:
    noun = _counted(text)
    if noun in _TIME:
        return Sought("duration", noun, ignored=_words(noun))
    if noun in {"dollar", "euro", "yuan"}:
        return Sought("money", ignored=_words(noun))
    if _COST.search(text):
        return Sought("money")
    if _TEMPERATURE.search(text):
        return Sought("measure", ignored=("temperature", "hot"))
    if noun:
        return Sought("count", noun=noun, ignored=_words(noun) if not re.match(f"[{HAN}]", noun) else ())
    return Sought("measure")


def _counted(text: str) -> str:
    """The stem of the noun after "how many", or the Chinese noun after 多少."""
    found = _MANY.search(text)
    if found:
        last = fold(found["noun"]).split()[-1]
        return "" if last in FUNCTION_WORDS else stem(last)
    chinese = _MANY_ZH.search(text)
    noun = (chinese["noun"] or "") if chinese else ""
    return "" if noun in _UNITS_ZH else noun


def _which(text: str) -> str:
    found = _WHICH.search(text)
    return (
        "" if not found or fold(found["noun"]).split()[-1] in FUNCTION_WORDS else stem(fold(found["noun"]).split()[-1])
    )


def _words(noun: str) -> tuple[str, ...]:
    return (noun,) if noun else ()
