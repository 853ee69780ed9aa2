"""What sort of answer a question's own words ask for."""

import re
from typing import Final

from nodes.rules.reading.relations import Kind
from nodes.rules.words import terms
from text.patterns import lazy

OPEN: Final = lazy(
    r"(?i)^(?:why|how(?! (?:many|much|old|tall|high|long|deep|wide|far|big|large|fast|heavy|often)\b)|describe|explain|"
    r"what (?:happened|is meant|does .{1,80} (?:mean|do)\b|caused|led to|makes?)|what (?:is|"
    r"are) (?:a|an) |tell me about|"
    r"summari[sz]e|define|give an? (?:account|overview|summary))"
    r"|为什么|为何|怎么样|怎样|如何|怎么|什么原因|原因是|是什么意思|介绍一?下?|简述|描述|说明|解释|讲述.{0,6}什么|讲了什么"
    r"|发生了什么|有什么(?:影响|意义|作用|特点|区别)|什么内容"
)
_DEFINITION: Final = lazy(
    r"(?i)^(?:what|who) (?:is|are|was|were) (?P<en>[^?]{1,120})\??$|^(?P<zh>[^？?的]{1,30})(?:是谁|"
    r"是什么|是什么人|是何人)[？?]?$"
    r"|^(?:什么是|谁是)(?P<zh2>[^？?的]{1,30})[？?]?$"
)

_WANTS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "date",
        lazy(
            r"(?i)^when\b|, when\b|\bwhen (?:was|were|did|is|will|does)\b|\b(?:what|which) (?:year|date|day|month|time|"
            r"century|decade)\b|\bin what year\b|\b(?:year|date|time) (?:of|when|that|in which|on "
            r"which)\b|\b(?:birth|death|"
            r"release|founding|opening|publication) (?:year|date)\b|\bdate of\b|\byear\b.*\bwas\b"
            r"|何时|什么时候|什么时间|哪一?年|哪一?天|哪一?日|哪个?月|几年(?!级)|几月|几号|何年|哪年|时间$|日期|时间是|年份|何日|什么日子"
        ),
    ),
    (
        "number",
        lazy(
            r"(?i)\bhow (?:many|much|old|tall|high|long|deep|wide|far|big|large|fast|heavy)\b|\bwhat "
            r"(?:is|was) the (?:height|"
            r"length|area|population|depth|width|elevation|altitude|distance|number|total|size|weight|mass|speed|cost|price|"
            r"percentage|rate)\b|\bthe (?:number|population|height|length|area|elevation|depth|percentage) of\b"
            r"|多少|几[个块枚次位人座岁条部所种名艘层级届章回卷米公]|多[高长大深宽远重快久]|[人次]数|数量|产量|销量|营收|票房(?!冠军)"
            r"|总额|面积|人口|高度|长度|海拔|百分之几|增长率|出生率|比例|占比|价格|售价|利润|吞吐量|点数|震级|准确率|规模"
        ),
    ),
    (
        "country",
        lazy(
            r"(?i)\b(?:which|what) (?:\w+ )?(?:country|nation)\b|\b(?:the )?country (?:of|where|in "
            r"which)\b|哪个?国家?|什么国家|国籍|国家$|哪国人"
        ),
    ),
    (
        "state",
        lazy(r"(?i)\b(?:which|what) (?:us |u\.s\. )?state\b|\bname of the state\b|\bwhich us state\b|哪个州"),
    ),
    (
        "city",
        lazy(
            r"(?i)\b(?:which|what) (?:city|town|village|capital)\b|\bcity of (?:birth|death)\b|哪个?[座个](?:城市|"
            r"城)|什么城市|(?:what|which) (?:is|was|are) the capital"
        ),
    ),
    (
        "place",
        lazy(
            r"(?i)\bwhere\b|\b(?:in|at|on) (?:which|what) (?:county|province|district|region|place|"
            r"location|area|island|"
            r"continent|river|lake|sea|museum|building|street|neighbou?rhood)\b|\b(?:which|what) (?:county|"
            r"province|district|"
            r"region|place|location|island|continent|river|lake|sea|ocean|museum|mountain|peninsula)\b"
            r"|\b(?:birthplace|place of (?:birth|death))\b"
            r"|哪里|哪儿|何地|何处|什么地方|哪个?[省市县区洲岛]|哪[条座](?:河|江|山|湖)|地点|出生地|起点|终点|哪个地方|所在地|在哪"
        ),
    ),
    (
        "work",
        lazy(
            r"(?i)\b(?:which|what) (?:book|novel|film|movie|song|album|play|poem|painting|opera|symphony|"
            r"works?|series|show)s?\b"
            r"|哪[部本首幅篇些](?:书|小说|电影|作品|著作|诗|画|歌|影片)|什么书|代表作|哪些(?:作品|著作)"
        ),
    ),
    (
        "group",
        lazy(
            r"(?i)\b(?:which|what) (?:company|university|college|school|organi[sz]ation|team|club|"
            r"band|party|institution|"
            r"agency|newspaper|publisher|association|institute|firm|network|label)\b"
            r"|哪[所家个支](?:大学|学校|公司|学院|机构|球队|出版社|企业|俱乐部|党)"
        ),
    ),
    (
        "person",
        lazy(r"(?i)\bwho(?:m|se)?\b|谁|哪位|何人|哪个人|什么人|\bwhich (?:person|man|woman|author|king|emperor)\b"),
    ),
    ("reason", lazy(r"(?i)^why\b|为什么|为何")),
)


def wanted(question: str) -> Kind | None:
    """What sort of answer the question's own words ask for."""
    for kind, found in _WANTS:
        if found.search(question):
            return kind
    return None


def is_definition(text: str) -> str:
    """The thing of which a question asks only what or who it is, or ""."""
    found = _DEFINITION.match(text.strip())
    if not found:
        return ""
    thing = found["en"] or found["zh"] or found["zh2"] or ""
    if found["en"] and re.match(r"(?:the|its|his|her) [a-z]", thing):
        return ""
    if found["en"] and not thing[:1].isupper() and not re.match(r"(?i)(?:a|an) ", thing):
        return thing if len(terms(thing)) <= 2 and not re.search(r" (?:of|in|for|the) ", thing) else ""
    return thing


_THING: Final = lazy(
    r"(?i)^(?:tell me (?:more )?about|describe|what do you know about|give (?:me )?an overview of|"
    r"who or what (?:is|was)|what (?:is|are|was|were)|who (?:is|was|are|were)|what['’]s|who['’]s) "
    r"(?P<en>[^?,;]{1,80}?)[?.]*$"
    r"|^(?:请)?(?:介绍|简介|描述|讲讲|说说|谈谈)(?:一下)?(?P<zh>[^？?，。]{1,30}?)[？?。]*$"
    r"|^(?:什么是|谁是|何为|何谓)(?P<zh2>[^？?的，]{1,30})[？?]*$"
    r"|^(?P<zh3>[^？?的，]{1,30}?)(?:是谁|是什么人|是何人|是什么|是指什么|指的是什么)[？?]*$"
)
_YEAR: Final = lazy(
    r"(?i)\b(?:which|what) year\b|\byear (?:of (?!\d|the\b)|when|that|in which)|\b(?:birth|death|founding|release|"
    r"publication|completion|opening|construction) year\b|^(?:the )?year (?:the |[A-Z])|哪一?年|何年|年份|生年|卒年"
)
_WHEN: Final = lazy(r"(?i)^when\b|何时|什么时候|什么时间|哪一?天")
_COUNTS: Final = lazy(
    r"(?i)\bhow (?:many|much|long|old|tall|high|far|big|large|wide|deep|fast|heavy|often)\b|"
    r"\b(?:number|amount|population|percentage|share) of\b|多少|几[个年位次条座人天岁]|多[高大重深宽远长久]"
)


def thing_asked(text: str) -> str:
    """The thing of which a question may ask only what it is, or "": whether it is one, only a page's title can tell."""
    found = _THING.match(text.strip())
    if not found:
        return ""
    return (found["en"] or found["zh"] or found["zh2"] or found["zh3"] or "").strip("《》“”\"' ")


def asks_year(text: str) -> bool:
    """Whether a number that a question asks for is a year."""
    if _COUNTS.search(text):
        return False
    return _YEAR.search(text) is not None or _WHEN.search(text) is not None
