"""The question lexicon: the words by which English and Chinese questions are parsed, as data.

A new phrasing is a word in a row. Patterns read lower-case, half-width text.
"""

from functools import cache
from typing import Final, NamedTuple

from weiwo.state.query import Direction
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import FUNCTION_WORDS

# fmt: off
# relation | question, English | Chinese | words for the least value, English | for the greatest | least, Chinese | greatest
_COMPARED: Final = """
birth | When was {} born? | {}是什么时候出生的？ | older, oldest, elder, eldest | younger, youngest | 年长, 年纪大, 年纪更大, 年龄大, 年龄更大, 岁数大, 老 | 年轻, 年纪小, 年龄小, 年纪更小, 年龄更小
death | When did {} die? | {}是什么时候去世的？ | | | |
lifespan | At what age did {} die? | {}活了多少岁？ | | lived longer, lived longest, live longer, lived the longest, longer life | | 活得久, 活得更久, 活得长, 活得更长, 更长寿, 长寿, 寿命长, 寿命更长, 活的久, 活的更久
event | When did {} happen? | {}是什么时候发生的？ | | | |
beginning | When did {} begin? | {}是什么时候开始的？ | | | |
ending | When did {} end? | {}是什么时候结束的？ | | | |
deadline | When is the deadline of {}? | {}的截止日期是什么时候？ | | | |
height | How tall is {}? | {}有多高？ | lower, lowest | taller, tallest, higher, highest | 矮, 低 | 高
length | How long is {}? | {}有多长？ | shorter, shortest | longer, longest | 短 | 长
depth | How deep is {}? | {}有多深？ | shallower, shallowest | deeper, deepest | 浅 | 深
width | How wide is {}? | {}有多宽？ | narrower, narrowest | wider, widest, broader | 窄 | 宽
area | What is the area of {}? | {}的面积是多少？ | smaller, smallest | larger, bigger, largest, biggest | 小 | 大
population | What is the population of {}? | {}的人口是多少？ | fewer people, less populous, least populous | more populous, most populous, more people, most people, more populated | |
mass | How heavy is {}? | {}有多重？ | lighter, lightest | heavier, heaviest | 轻 | 重
speed | How fast is {}? | {}的速度是多少？ | slower, slowest | faster, fastest | 慢 | 快
price | How much does {} cost? | {}的价格是多少？ | cheaper, cheapest, less expensive | more expensive, most expensive, pricier | 便宜 | 贵
temperature | What is the temperature of {}? | {}的温度是多少？ | colder, coldest, cooler | hotter, hottest, warmer, warmest | 冷 | 热
| | | first, earlier, earliest, sooner, before, less, fewer, least, fewest, lower, lowest, smaller, smallest, shorter, shortest | later, last, latest, after, more recently, most recently, more, most, greater, greatest, larger, largest, bigger, biggest, higher, highest, longer, longest | 早, 先, 少, 小, 低, 短, 矮 | 晚, 迟, 后, 多, 大, 高, 长
"""
"""The last row compares what its clause names; a word of it that a row before has names that row's relation."""
FOUNDED: Final = lazy(r"\b(?:university|college|school|academy|company|corporation|bank|newspaper|club|museum|party|empire|dynasty|city|town|church|order|institute|society|republic|kingdom|inc)\b|(?:大学|学院|中学|公司|集团|银行|报|俱乐部|博物馆|党|帝国|王朝|市|学校|书院)$")
BUILT: Final = lazy(r"\b(?:tower|bridge|cathedral|temple|building|castle|palace|stadium|dam|canal|wall|house|pyramid|station|tunnel)\b|(?:塔|桥|寺|宫|楼|大厦|教堂|城堡|体育场|大坝|运河|庙|殿|长城)$")
IDLE_PREDICATE: Final = {
    "en": lazy(r"[\x00,.;:?]|\b(?:is|are|was|were|has|have|had|did|does|do|the|an?|one|in|by|of|terms|overall|come|came|out|to|be|it|actually|really|currently|physically|geographically|first|years?|old|at|than|(?<=came )into existence)\b"),
    "zh": lazy(r"[\x00,、?更最较的得是在了些点吗呢啊么有还上要都会能被也]|比较|一点|是不是|是否|有没有|(?:多少|几)[个]?|平?方?(?:米|公里|千米|厘米|英尺|岁|年|天|个月|人|吨|公斤|度|元|倍)|数量|总|国土|时[间候]?|日期|年份|来"),
}
"""What may stand in a predicate besides the comparing word and its relation; with anything else it compares something
that the lexicon does not know: `has a higher income`, `lasted longer`."""
EXTENDED: Final = lazy(r"(?:国|省|州|市|县|洲|洋|海|湖|岛|球|星|平原|沙漠|高原|盆地|森林|公园|广场|亚|兰|利)$")
"""Chinese names of things that have an area, for which 大 is larger; of a person it is older."""


# fmt: on


class Comparative(NamedTuple):
    """What a comparing word says: the relation it compares (empty for `earlier` or `more`) and which value wins."""

    relation: str
    direction: Direction


@cache
def comparatives(language: str) -> dict[str, Comparative]:
    """Comparing words of a language; a word that names its own relation stands before one that does not."""
    table: dict[str, Comparative] = {}
    directions: tuple[Direction, Direction] = ("least", "greatest")
    for name, _, _, *cells in _rows():
        for cell, direction in zip(cells[2:] if language == "zh" else cells[:2], directions, strict=True):
            for word in split(cell):
                table.setdefault(word, Comparative(name, direction))
    return table


def wording(relation: str, language: str) -> str:
    """The question for one value of a relation, `{}` for the thing; empty where the relation is unknown."""
    row = relations().get(relation)
    if row is None:
        return ""
    noun, dated = row.noun[language], row.answer_type == "date"
    if own := next((row[2 if language == "zh" else 1] for row in _rows() if row[0] == relation), ""):
        return own
    if language == "zh":
        asks = {"person": "是谁", "place": "在哪里", "quantity": "是多少", "number": "是多少"}.get(
            row.answer_type, "是什么"
        )
        return f"{{}}是什么时候{noun}的？" if dated else f"{{}}的{noun}{asks}？"
    if dated:
        return f"When was {{}} {row.says['en'][0]}?"
    return f"{'Who' if row.answer_type == 'person' else 'What'} is the {noun} of {{}}?"


@cache
def _rows() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(c.strip() for c in line.split("|")) for line in _COMPARED.strip().splitlines())


def words(joined: str) -> frozenset[str]:
    """The words of a row, separated by blanks."""
    return frozenset(joined.split())


def split(cell: str) -> list[str]:
    """The words of a cell, separated by commas."""
    return [word.strip() for word in cell.split(",") if word.strip()]


# fmt: off
_SAID_EN: Final = (
    r"(?:hi|hello|hey|heya|hiya|yo)(?: there| weiwo)?|dear weiwo|weiwo|please|pls|plz|kindly|excuse me|pardon(?: me)?|sorry(?: to bother you)?|(?:would|do) you mind|(?:could|can|would|will) (?:you|u|someone|anyone|somebody)(?: be able to)?|any chance (?:you|u) (?:could|can)|maybe|perhaps|if (?:you|u|someone|anyone|anybody) (?:could|can|would|might)|may i (?:ask|know)|can i ask(?: you)?|(?:is it possible to )?(?:tell|telling) (?:me|us)|let me know"
    r"|i have a question(?: about)?|got a question|(?:do|does|did) (?:you|anyone|anybody|u)(?: guys)?(?: happen to)? (?:know|remember)|you know|any idea|any chance you know|i(?:'d| would) (?:like|love)(?: you)? to (?:know|ask|find out|learn|tell me)|i'?d like to|i (?:want|need|wanted|wanna)(?: you)?(?: to)? (?:know|ask|find out"
    r"|learn|tell me|find)|i need (?=the\b)|i (?:was|am|'m)(?: just)? wondering|i'?m wondering|i wonder(?:ed)?|wondering|i(?:'d| would) be (?:glad|grateful|happy)|i (?:just )?(?:want|wanted) to ask|i(?:'m|m| am) (?:just )?(?:curious|looking for|trying to (?:find(?: out)?|figure out|remember|understand))|just curious|(?:a )?quick question|question|one question|my question is|the question is"
    r"|help me (?:to )?(?:find(?: out)?|look up|understand|figure out)|find out|look up|search(?: the web| online)? for|google|find(?: me)?(?= the\b| out\b)|remind me|give me(?= the\b| a list\b)|show me|what i want to know is|so|well|um+|uh+|hmm+|ok|okay|btw|by the way|actually|for me|if you can|if possible|out"
    r"|exactly|if you know|also|and|but|then|say|(?:(?:check|tell me|wondering|know|find out) )?whether(?=.* (?:is|are|was|were|has|have|did|does)\b)|are (?:you|u) sure(?: that)?|is it (?:really )?true(?: that)?|check|determine|identify|state"
)
FRAMES_BEFORE: Final = {
    "en": lazy(rf"(?:{_SAID_EN})(?:[\s,.:!?…-]+|$)"),
    "zh": lazy(
        r"(?:你好呀?|您好呀?|嗨|哈喽|那个(?=[,.])|(?:谢谢|多谢|感谢)(?:你|您|了|啦)?(?=[,.!;])|(?:你|您)(?:觉得|认为)|我?(?:老师|朋友|孩子|儿子|女儿|同事|有人)(?:说|问我)|请问一?下?|请教一?下?|想?请教一?下?|劳驾|不好意思|打扰一?下?|(?:我)?(?:很|有点|比较|就)?(?:想要?|好奇)(?:知道|了解|问问?|请问|查|搜)(?:一?下)?|我(?:需要|要)(?:知道|了解|查)|(?:你|您|谁|有人|有谁|大家)(?:们)?(?:知不知道|知道|晓得|了解|清楚)(?:不知道)?|(?:谁|你|您)?(?:能不能|能否|可以"
        r"|可不可以|能)?(?:请)?(?:帮我|帮忙|替我|给我|麻烦你?|麻烦您)+(?:查查|看看|找找|搜搜|查|找|看|搜|问|解释|介绍|说|讲|科普|算)?(?:一查|一找|一看)?(?:一?下)?|(?:谁|你|您)?(?:能不能|能否|可以|可不可以|能|请)?告诉(?:我|一下)(?:一下)?|(?:查|搜|问)(?:查|索|一查|一搜|询|找)?(?:一?下)|查找|查(?![尔理良韦干济])(?=[^查]{3,})|查询|搜索(?!引擎)|检索|话说"
        r"|那么(?!多|大|高)|请|麻烦|顺便问(?:一?下)?|有个问题|问个问题|问一?下)[,.:!?;、 ]*"
    ),
}
"""Politeness and orders that stand before a question; each is taken off as often as it fits."""
FRAMES_AFTER: Final = {
    "en": lazy(r"[\s,.;!?…-]+(?:please|pls|plz|thanks?(?: you)?(?: (?:in advance|so much|a lot|very much))?|thx|cheers|if you (?:know|can|could|don't mind|please)|do you know|can you tell me|any idea|for me|exactly|by any chance|anyone|i wonder|though|anyway|again|right|mate|lol|(?:just )?(?:answer )?(?:with )?(?:yes or no|yes/no|true or false))$"),
    "zh": lazy(r"[,。.!?;~ ]*(?:(?:非常)?谢谢(?:你|您|了|啦)?|多谢|感谢|麻烦(?:你|您)?了|好吗|可以吗|行吗|你知道吗|您知道吗|知道吗|来着|呢|啊|呀|哦|呐|嘛|啦|请问|请告诉我|告诉我|帮我查一?下|求解答?|在线等|急|是还是(?:不是|否)|是或否|(?:请|只)?(?:回答|说)是[或还]是?(?:不是|否))$"),
}

# type | where the question word is one of these, English | Chinese. At one place the longest wins.
_TYPES: Final = (
    ("year", r"(?:what|which) (?:exact )?year", r"哪一?年|几几年|何年|什么年份|哪个年份|年份"),
    ("date", r"when|(?:what|which) (?:exact )?(?:date|day|month|century|decade|time)|(?<!up to )date of", r"什么时候|什么时间|何时|哪一?天|哪一?日|几月几[日号]|哪个?月|几号|什么日子|哪个世纪|什么年代|日期|啥时候|几时|何日"),
    ("number", r"how many|what number of|number of", r"多少(?:个|位|座|条|名|人|次|种|部|本|所|家|岛|集|部|首)?|几(?:个|位|座|条|名|次|种|部|本|所|家|只|颗|岁|集|首)"),
    ("quantity", r"how (?:much|tall|high|long|deep|wide|far|big|large|heavy|fast|hot|cold|old|thick|expensive)", r"多[高长大深宽重快远久厚热冷]|多少(?:米|公里|千米|公斤|吨|元|钱|度|岁|平方公里|平方米|小时|分钟|天|年|厘米|美元)|几(?:米|公里|岁|天|小时|年)"),
    ("person", r"who(?:m|se|'s|s)?|(?:what|which) (?:person|man|woman|king|queen|emperor|president|actor|actress|author|writer|scientist|artist|painter|poet|singer|director|player|philosopher)", r"谁|哪一?位|什么人|何人|哪个人"),
    ("place", r"where|birthplace|place of (?:birth|death)|(?:what|which) (?:country|city|state|place|continent|town|province|county|village|region|island)", r"哪里|哪儿|何处|何地|出生地|故乡|家乡|地点|去世地|什么地方|在哪|哪个?(?:国家?|城市|省份?|州|地区|洲|地方|县|市|大洲)|哪座城市"),
    ("name", r"what(?:'s| is| was) the name|what(?: is| was|'s)[^?]{1,60} called", r"叫什么|名字|名称"),
)
ANSWER_TYPES: Final = tuple((kind, lazy(rf"\b(?:{en})\b"), lazy(zh)) for kind, en, zh in _TYPES)
BOOLEAN: Final = lazy(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|isn't|aren't|wasn't|didn't|doesn't)\b|吗$|(?<![什怎那这])么$|是不是|是否|有没有|能不能|会不会")
QUESTION_PHRASE: Final = {
    "en": lazy(
        r"\bhow many (?:[a-z-]+ ){1,3}?(?:do|does|did|has|have)\b"
        r"|\b(?:(?:in|on|at|from|by|of|to|for|with|about|since|until|during) )?(?:what|which|whom?|whose|when|where|why|how)\b(?!-)(?: (?:many|much|old|tall|high|long|deep|wide|far|big|large|fast|heavy|often|thick|expensive)\b)?(?: (?:exact )?(?:years?|dates?|day|time|month"
        r"|century|kilomet(?:er|re)s?|met(?:er|re)s?|feet|miles|km|people|inhabitants|country|city|state|town|person|place|university|nation|continent|province|school|kind|type|sort)\b)?(?: of\b)?"
    ),
    "zh": lazy(
        r"^(?:(?:简要|简单|详细)地?)?(?:介绍|解释|说明|简述|概述|阐述|论述|讲解|科普|讲讲|说说|谈谈)(?![书信人员])(?:一?下)?(?:什么是|关于)?|什么是"
        r"|(?:位于|坐落于|坐落在|于|是|在|为|有|到|由|从|能用|可用|需要|要|(?:[要该])?找)?(?:哪几[年个位座条部天]|几几年|哪个(?:国家|城市|省份?|州|地区|洲|朝代|地方|世纪|大洲|月份?|人)?|哪一?(?:年|天|日|位|座城市|座|条|所大学|所|部|本|家|些|国人?|里人?|儿人?|种|首)|什么(?:时候|时间|地方|意思|名字|样|人|年代)?|啥(?:时候)?|何时|何地|何处|何年|几月几[日号]"
        r"|几(?:公里|小时|分钟|[岁年月号个只天日周米名位次种台件])|几时|谁|多少(?:个|位|座|条|所|部|本|家|名|种|次|平方公里|平方千米|平方米|公里|千米|公斤|岁|米|吨|元|度|钱|人(?!口)|年|天)?|多[高长大深宽重快远久]|如何|怎么样?|怎样|为什么|为何|哪)|吗|呢|是否|是不是|有没有|请问|分别|一共|总共|究竟|到底|具体|大概|大约|现在|目前"
    ),
}
OPEN: Final = lazy(
    r"^(?:why|how(?! (?:many|much|tall|high|long|deep|wide|far|big|large|heavy|fast|hot|cold|old|often|thick|expensive)\b)|explain|describe|define|tell me (?:about|more)|about|discuss|outline|summari[sz]e|introduce|give (?:me )?an? (?:overview|summary|account|introduction)|what happened|what (?:is|are|was"
    r"|were) (?:an? )?[^?]{1,60}$|what'?s (?:an? )?[^?]{1,40}$|what (?:does|do|did) .{1,80} (?:mean|stand for|do)|what causes?|who (?:is|was|are|were) (?!the\b)[^?]{1,40}$)|\b(?:meaning|definition|history|causes?|effects?|consequences|overview|background|plot|principles?|significance|biography|timeline|report) of\b"
    r"|为什么|为何|怎么(?!读)|如何|怎样|什么是|是什么$|是什么意思|的意思|意味着|介绍|解释|说明|定义|概述|简述|阐述|论述|谈谈|讲讲|说说|原因|影响|意义|原理|过程|历史$|背景|区别|作用|特点|是谁$|由来|来历"
)
LIST: Final = lazy(
    r"^(?:list|name(?! of)|enumerate|which (?:\w+ ){0,2}\w{2,}(?<!s)s (?:are|were|have|did|do|can|won|border|belong|make|use|speak)\b|what are|what were|who (?:are|were)|what (?:\w+ ){0,2}\w{3,}(?<!s)s (?:are|were|have|did|do|can|belong|make up|border)\b|(?:give|show) me (?:all|some|a list|the names)|(?:all|a list of"
    r"|some) )|有哪些|哪些|列出|列举|都有谁|有谁|哪几|包括什么|都有什么"
)

MANNER: Final = lazy(r"(?:how|why)\b(?! (?:many|much|tall|high|long|deep|wide|far|big|large|heavy|fast|hot|cold|old))|.*(?:怎么死|如何|为什么|怎样)")
"""What is asked in these words is told, not named, whatever else the question names."""
AND_ASKS: Final = {
    "en": lazy(r"(?:,|\?|;)? (?:and|but) (?:also )?(?=(?:who|when|where|what|which|how|why|in (?:what|which))\b)|\? ?(?=\w)"),
    "zh": lazy(r"[,?;。](?:又|并且|而且|那么?|以及|还有)?(?=.*(?:谁|什么|哪|多少|何时|几|多[高长大深]))|以及(?=.*(?:谁|什么|哪|多少|何时))"),
}
ASKS: Final = lazy(r"^(?:is|are|was|were|do|does|did|has|have)\b|\b(?:who|when|where|what|which|how|why)\b|谁|什么|哪|多少|何|几|吗|多[高长大深久]|怎|为什么")
FRESH: Final = lazy(
    r"\b(?:latest|newest|most recent|recent(?:ly)?|current(?:ly)?|breaking|up-to-date|upcoming|weather|forecast|news|headlines|exchange rate|stock price|share price|stock market|right now|at the moment|these days|live score|trending|price of|traffic|air quality|happening|as of (?:today|now)|today(?:'s)?|now|tonight"
    r"|tomorrow|yesterday|nowadays|this (?:week|month|year|morning|weekend|season|quarter)|(?:last|past|next) (?:week|month|year|weekend|night|\w+ (?:eclipse|election|meeting|game|match|world cup))|the next|rain|snow|so far this|20(?:2[5-9]|3\d))\b|最新|最近的?(?!怎么样|好吗|还好)|近期|近日|实时|当前|目前|现任|天气"
    r"|气温|下雨|下雪|预报|新闻|汇率|股价|股票|油价|金价|房价|价格|行情|头条|热搜|空气质量|路况|比分|刚刚|正在|即将|票价|限行|今天|今日|今年|今晚|明天|明年|昨天|昨晚|今早|后天|下一[场次届]|球赛|现在|本周|本月|这周|这个月|上周|下周|上个月|下个月|周末|20(?:2[5-9]|3\d)年?|如今|几点了"
)
STRONG_FRESH: Final = lazy(r"\b(?:latest|newest|most recent|current(?:ly)?|breaking|up-to-date|weather|forecast|news|headlines|exchange rate|stock price|share price|right now|live score|air quality|as of (?:today|now))\b|最新|近期|实时|当前|目前|现任|天气|预报|新闻|汇率|股价|油价|金价|房价|行情|头条|热搜|空气质量|路况|比分|限行")
"""What even a request to write needs from outside."""
LOCAL: Final = lazy(
    r"\b(?:our|my|the|this|these|company|internal|attached|uploaded|employee)(?: (?!of\b|in\b|is\b)[\w-]+){0,3} (?:polic(?:y|ies)|handbook|docs?|documents?|documentation|wiki|runbook|manual|guidelines?|contract|files?|notes|knowledge base|onboarding|intranet|readme|codebase|repo|repository|minutes|roadmap|attachment"
    r"|pdf|spreadsheet|incident|postmortem|corpus|folder|lease)\b|\b(?:our|we|us)\b|\baccording to (?:the|our|my|this)\b|\b(?:company|internal|vacation|leave|expense|travel|refund|security|remote work|hr) polic|\b[a-z]{2,6}-\d{3,}\b|\b(?:this|my|our|attached|uploaded) (?:report|paper|article|email|deck|presentation"
    r"|agreement|invoice)\b|我们|咱们|我司|本公司|公司(?:的|内部)?[^,。的]{0,6}(?:政策|制度|规定|手册|流程|福利|年假|报销|文档|规范)|内部(?:文档|资料|系统|规定|流程|wiki)|员工手册|(?:这份|这篇|这个|那份|我的|该|附件|上传的)[^,。]{0,4}(?:文档|文件|合同|报告|手册|笔记|资料|附件|pdf|知识库|表格|论文)|知识库|附件|年假"
    r"|报销|(?:根据|按照)(?:文档|手册|资料|规定|附件|合同)|会议纪要"
)
IN_DOCUMENTS: Final = lazy(r"\b(?:based on|according to|summari[sz]e) (?:the|our)\b|(?:根据|按照|总结|概括)(?:一下)?(?:我们|公司|员工|附件|知识库|会议纪要)")
"""What makes a request to write one about documents."""
SUMMED: Final = lazy(
    r"\b(?:report|analysis|overview|survey|comparison|comparative|biography|timeline|briefing|white paper|literature review|case study|research|history of|fact sheet|market|news|weather|summary of (?:the )?(?:n\b|latest|recent|history|causes|life))|报告|分析|综述|调研|比较|对比|简介|生平|传记|研究|时间线|大事记|新闻"
    r"|天气|概况|白皮书|评估|调查|行情|财报|影响|原因"
)
"""What a request to write needs facts for."""
ESSAY: Final = lazy(r"\b(?:essay|article|blog|paper|paragraph|speech|presentation|summary|post)\b")
ESSAY_FACTS: Final = lazy(r"\bN\b|\b(?:1[0-9]|20)\d\d\b|\b(?:causes?|compar\w+|effects?|impact|statistics|history)\b")

FORMS: Final = (
    ("table", lazy(r"\b(?:in|as|make|with|into) (?:a |an |the )?(?:\w+ )?table\b|\btabulate|\btable of\b(?! contents)|表格|列表对比|制表|列个?表|以表")),
    ("list", lazy(r"\b(?:as|in|make|into) (?:a |an )?(?:\w+ )?(?:list|bullet points?|bullets)\b|^list\b|\bbullet points\b|清单|分点|逐条|列出|列举|要点")),
    ("report", lazy(r"\b(?:a|an|write|detailed|short|brief|full|comprehensive|draft) (?:\w+ ){0,3}?(?:report|white paper|literature review|briefing|case study)\b|(?:写|做|出|生成|撰写|整理|一份|给).{0,24}(?:报告|综述|白皮书|简报)|(?:报告|综述|调研)$")),
    ("code", lazy(r"\b(?:write|show|give|in) (?:me )?(?:\w+ ){0,3}?(?:code|script|function|program|regex|snippet)\b|代码|脚本|函数")),
    ("sentence", lazy(r"\bin (?:one|a single|1) sentence\b|\bin a sentence\b|一句话")),
)
FORM_ASIDE: Final = lazy(r"[ ,]+(?:in|as) (?:a |an |the form of a )?(?:\w+ )?(?:table|list|bullet points?|bullets|sentences?)\b|[,]?(?:请)?(?:用|以)(?:表格|列表|一句话)(?:的?形式)?(?:展示|列出|回答|呈现|说明)?")
"""A form named beside the question."""
WORDS: Final = lazy(r"\b(?:in|within|about|around|under|at most|no more than|max(?:imum)?|up to|fewer than|less than|roughly)(?: (?:about|at most|under))? (?P<a>\d{2,5}) (?:words?|characters)\b|\b(?P<b>\d{2,5})[- ]words?\b|(?:用|写|不超过|不多于|大约|大概|约|控制在|限|在)?(?P<c>\d{2,5})个?字(?:以内|之内|左右|内|上下)?")
SINCE: Final = lazy(r"\b(?:since|from|starting in|after) (?P<a>(?:1\d|20)\d\d)(?: (?:on|onwards?))?\b(?! ?(?:to|until|till|through|-|–))|(?:自|从)?(?P<b>(?:1\d|20)\d\d)年?(?:以来|至今|以后|之后|起)")
BETWEEN: Final = lazy(r"\b(?:between|from) (?P<a>(?:1\d|20)\d\d) (?:and|to|until|till|through) (?P<b>(?:1\d|20)\d\d)\b|(?:从|在|自)?(?P<c>(?:1\d|20)\d\d)年?(?:到|至|-|—|~)(?P<d>(?:1\d|20)\d\d)年?(?:间|之间|期间)?")
UNTIL: Final = lazy(r"\b(?:until|till|up to|before|by) (?P<a>(?:1\d|20)\d\d)\b|(?:截至|截止到?|到)?(?P<b>(?:1\d|20)\d\d)年?(?:以前|之前|为止)")
SOURCES: Final = lazy(
    r"\bsite: ?(?P<a>[\w.-]{3,80})|\b(?:on|from|at|via|in) (?P<b>(?:[\w-]{1,40}\.){1,4}(?:org|com|net|edu|gov|io|cn|uk|de|fr|info|dev|md|pdf|csv|html|json|docx|txt))\b|\b(?:on|from|in|via|per|according to) (?P<d>wikipedia|arxiv|github|reddit|stack ?overflow|baidu baike|pubmed)\b(?=[\s?.,!]*$)|(?:在|从|查"
    r"|搜)(?P<c>[\w.-]{3,60}\.(?:org|com|net|edu|gov|io|cn|md|pdf|csv)|维基百科|百度百科|知乎|arxiv|github)(?:上|里|中|网站上?)?"
)

# What misspelt words of English questions mean: made from the words by common slips, real words left out.
SLIPPED: Final = words("who what when where which whose why how does did was were is are than between older taller longer higher bigger younger population capital author born founded written invented built height length difference could would please about many much year whether opened discovered established married explain")
REAL: Final = words("hat hen here were saw doe dos wen hos his its old ear hers ho war on no hose hoes wold cold saw dose shone wooer bother bolder order loner lager year ear heigh woo tat how hoe")
"""Words of their own that a slip would make of another."""
WRITTEN_SHORT: Final = {"mt": "mount", "abt": "about"}
"""Abbreviations."""

# What is left of a question when the words that ask are gone.
THING: Final = lazy(r"^(?:(?:in|on|of|for|from|to) )?(?:what|which|whose) (?!(?:is|was|are|were|be|does|did|do|has|'s)\b)|^(?:what|which) (?:did|does|do)\b|^(?:what|which) (?:was|were) (?!the\b|[\w ]{1,40}'s\b)|(?:什么|哪些|哪[个座条部本家种项])[^?]{0,8}$|^哪")
BASE_VERBS: Final = lazy(r"(?<=\w) (?:gain|get|become|win|lose|join|leave|sign|flow|run|cross|border|play|sing|write|direct|found|invent|discover|make|use|speak|eat|live|work|study|attend|graduate|marry|meet|visit|rule|reign|lead|serve|fight|defeat|invade|conquer|declare|adopt|host|receive|move|go|come|fall|rise|sink|land|launch|return|retire|appear|belong|have|contain|produce|cause|mean|happen|begin|start|end|close|open|grow|drop|change|take|give|stand|lie|connect|own|buy|sell|earn|pay|publish|release|record|perform|compose|paint|design|build)\b.*$")
"""The verb behind the subject of "did" and "does", and all that follows it."""
PARTICIPLE: Final = lazy(r"(?<=\w) (?:[a-z]{2,}ed|built|bought|sold|made|held|sent|kept|paid|put|set|sunk|shot|won|lost|taken|given|written|drawn|broken)$")
"""The verb behind the subject of "was" and "were"."""
BREAK: Final = lazy(r"(?<!^)\b(?:when|while|because|if|where|who|which|that|whom)\b|[,;:]\s|\s[-–—]\s")
WHEN_AT_END: Final = lazy(r" (?:in|on|at|during|since|before|after|by|as of|between|from|until) (?:the )?(?:year )?\d.{0,40}$| (?:in (?:the world|history|total|meters|metres|km|kilomet\w+|feet|miles|years|english)|on earth|ever|first|originally|today|now|right now|currently|at the moment)$")
EDGE_ZH: Final = lazy(r"^(?:[的是在有了于由被为会曾共,、。:]|最早|首次|首先|一共|总共|于)+|(?:[的是在有了于由被为会曾得,、。:]|最早|首次|一共|总共|位于|流经|经过|一般|通常|当年|当时)+$")
TITLE: Final = lazy(r"《(?P<a>[^《》]{1,60})》|“(?P<b>[^”]{2,60})”|(?<!\w)\"(?P<c>[^\"]{2,60})\"|「(?P<d>[^」]{1,40})」")
EDGE_WORDS: Final = FUNCTION_WORDS | words(
    "located situated called named year years date dates place places exact exactly current currently total full official name names day time people number amount list kilometers kilometres meters metres km miles feet itself originally actually first now currently today ever get got s explain describe define mean"
    " meaning stand discuss outline summarize summarise introduce tell compare won win wins become became play plays"
)
ITEM_BAD: Final = lazy(r"\b(?:who|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|than|if|because|that|not|can|could)\b|^(?:and|or|of|to|by|it|not|both|the|a|an|he|she|they|them|others?|so|\d.*)$|[?!;谁哪]|有$")
JOIN_ZH: Final = lazy(r"、|还是|或者|以及|(?<![共颐雍太中呼饱温谐祥调总义永柔缓柴])和(?![平谐珅田服氏解声尚硕县政歌君林颂])|与(?![会其])|跟|(?<![不大合胡伙协相共如])同(?![济仁学治志盟期样时一])|(?<![埃涉普危波])及(?![其格])|(?<=\w)或(?=\w)|vs\.?|(?<=[^\x00-\x7f])/(?=[^\x00-\x7f])")
TRIM_ZH: Final = lazy(r"^(?:列出|列举|给出|说出|写出|分别|在|对于|对比|比较一?下?|请问|是|,|、)+|(?:,|、|:|这|之间|之中|两者|二者|[两二三四]人|三者|[两三]位|两个?|三个?|当中|[它他她]们|的|是|在|分别)+$")
OWNED: Final = lazy(
    r"^(?:the )?(?:(?:births?|deaths?|birth dates?|births and deaths|foundings?|openings?|completions?|publications?|releases?|heights?|lengths?|areas?|populations?|depths?|weights?|elevations?|ages?|that|those) of (?:both )?|(?:year|date|day) )|'s? (?:births?|deaths?|birthdays?|founding|height|length|area|population"
    r"|elevation|release|publication|opening)$|(?:的|出生|成立|建立|年龄|时间)+$"
)
PEOPLE: Final = lazy(r"who|.*\b(?:person|man|woman|scientist|king|queen|emperor|president|writer|author|composer|painter|artist|actor|actress|singer|player|poet)\b|谁|.*[位人]$")
DESCRIBED: Final = lazy(r"\b(?:father|mother|wife|husband|author|son|daughter|inventor|founder|who|what|that)\b|[谁哪的]")
