"""Chinese questions about ratios, percentages, sums and averages of measured things."""

from typing import Final

from nodes.rules.chains_zh import operand, subjects_of, type_of
from nodes.rules.comparisons_zh import operands
from nodes.rules.forms import Kind, Lookup, Shape
from nodes.rules.lexicon_zh import NOUNS, noun_question
from text.patterns import lazy

_ASKED_TIMES: Final = r"(?:的)?(?P<times>几倍|多少倍)"
_ASKED_PERCENT: Final = r"(?:的)?(?P<percent>百分之几|百分之多少|多少百分比|百分比是多少|几成)"
_HALF: Final = rf"(?:的(?P<noun>{NOUNS}))?"
_RATIO: Final = (
    lazy(
        rf"(?P<a>[^,，]+?){_HALF}(?:大约|大概|约)?(?:是|为|占|达到|相当于)(?P<b>[^,，]+?)(?:的?(?P<noun2>{NOUNS}))?"
        rf"(?:{_ASKED_TIMES}(?P<way>[高长大深宽重快])?|{_ASKED_PERCENT})"
    ),
    lazy(
        rf"(?P<a>[^,，]+?){_HALF}(?<![同环占])比(?![例重如赛率])(?P<b>[^,，]+?)(?:的?(?P<noun2>{NOUNS}))?"
        r"(?P<way>[高长大深宽重快])(?:出|了)*(?P<times>几倍|多少倍)"
    ),
    lazy(rf"(?P<a>[^,，]+?)(?:和|与|跟)(?P<b>[^,，]+?)的(?P<noun>{NOUNS})(?:之比|的?比值|比例)(?:是|为)?(?:多少)?"),
)
_NOUN_OF_WAY: Final = {
    "高": "高度",
    "长": "长度",
    "大": "面积",
    "深": "深度",
    "宽": "宽度",
    "重": "重量",
    "快": "速度",
}
_UNMEASURED: Final = frozenset({"年龄", "寿命", "温度", "层数"})


def _measured(noun: str | None) -> tuple[str, str] | None:
    """The question a measure asks, and its relation; None for a noun that measures nothing."""
    if not noun or noun in _UNMEASURED:
        return None
    question, relation = noun_question(noun)
    return (question, relation) if type_of(question) == "number" else None


def ratio(text: str) -> Shape | None:
    """A的高度是B的几倍; A的面积占B的百分之几."""
    for pattern in _RATIO:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        noun = parts.get("noun") or parts.get("noun2") or _NOUN_OF_WAY.get(parts.get("way") or "")
        asked = _measured(noun)
        left, right = operand(parts["a"]), operand(parts["b"])
        if asked is None or left is None or right is None or left == right:
            continue
        lookups = tuple(Lookup(asked[0], "number", thing, asked[1]) for thing in (left, right))
        kind: Kind = "percentage" if parts.get("percent") else "ratio"
        figure, wanted = ("〈n〉%", "百分之几") if kind == "percentage" else ("〈n〉倍", "几倍")
        return Shape(
            kind,
            "zh",
            lookups,
            subjects_of(lookups),
            asked[1],
            asks="how_much",
            told=f"〈a〉的{noun}是〈b〉的{figure}",
            task=f"〈a〉的{noun}是〈b〉的{wanted}？",
        )
    return None


_ASKED: Final = r"(?:一共|总共|共)?(?:是|为|有|达)?(?:多少(?:[\u4e00-\u9fff]{0,4})|几[\u4e00-\u9fff]{1,3})?"
_TOTAL: Final = (
    lazy(
        rf"(?:请|计算|求)*(?P<list>.+?)的(?P<noun>{NOUNS})(?:的)?(?P<how>之和|总和|总计|合计|共计|相加|加起来|加在一起"
        rf"|平均值|平均数|均值|平均){_ASKED}"
    ),
    lazy(rf"(?:请|计算|求)*(?P<list>.+?)的(?P<how>总|合计|平均)(?P<noun>{NOUNS}){_ASKED}"),
    lazy(r"(?P<list>.+?)(?P<how>加起来|合起来|加在一起|平均)(?:一共|总共)?有?多(?P<way>[高长大深宽重])"),
)


def total(text: str) -> Shape | None:
    """A和B的高度之和; A、B、C的平均高度."""
    for pattern in _TOTAL:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        noun = parts.get("noun") or _NOUN_OF_WAY[parts["way"]]
        asked = _measured(noun)
        things = operands(parts["list"])
        if asked is None or not things:
            continue
        lookups = tuple(Lookup(asked[0], "number", thing, asked[1]) for thing in things)
        average = parts["how"].startswith(("平均", "均"))
        what = f"〈l〉的平均{noun}" if average else f"〈l〉的{noun}之和"
        return Shape(
            "average" if average else "sum",
            "zh",
            lookups,
            subjects_of(lookups),
            asked[1],
            asks="how_much",
            told=f"{what}是〈n〉",
            task=f"{what}是多少？",
        )
    return None
