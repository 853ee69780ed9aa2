"""Chinese questions turned into statements of their answers.

Chinese leaves the question word where the answer stands, so that an answer is put in its place:
凯撒是哪一年出生的 and 公元前100年 make 凯撒生于公元前100年 or 凯撒是公元前100年出生的.
"""

import re
from typing import Final

from state import ValueType
from text.patterns import lazy

_LONGEST: Final = 90
_BORN: Final = lazy(
    r"(?P<s>.+?)(?:是|在|于)?(?:哪一?年|哪一?天|哪一?日|什么时候|何时|何年)(?P<verb>出生|诞生|去世|逝世|病逝)的?"
)
_BORN_AT: Final = lazy(
    r"(?P<s>.+?)(?P<verb>出生|诞生|去世|逝世|生|卒)(?:于|在|是)?(?:哪一?年|哪一?天|什么时候|何时|何年)"
)
_DATE: Final = lazy(r"(?:哪几?一?(?:年|天|日|月)|什么时候|什么时间|何时|何年)")
_PERSON: Final = lazy(r"(?:哪一?位|谁|什么人|何人|哪个人)")
_PLACE: Final = lazy(r"(?:哪一?(?:个|座)?(?:城市|国家|地方|省|县|市)|哪里|哪儿|什么地方|何地|何处)")
_THING: Final = lazy(
    r"哪一?(?:个|座|条|所|部|本|家|种|些|首)?(?:[\u4e00-\u9fff]{0,4}?)(?=$|的|[上下中]游|畔|边|毕业|出生|去世"
    r"|，)|什么(?:名字)?"
)
_NUMBER: Final = lazy(
    r"(?:有)?多少(?P<unit>岁|年|米|公里|千米|平方公里|平方千米|公斤|千克|吨|美元|元|人(?=$|口)?|天|个月|小时"
    r"|英里)?(?P<noun>[\u4e00-\u9fff]{0,6})?|几(?P<unit2>岁|年|个|位|座|条|所|部|次|天|人|月)"
)
_DEGREE: Final = lazy(r"(?P<s>.+?)(?:有|是)?多(?P<way>[高长深宽重大快远])")
_NOUNS: Final = {"高": "高", "长": "全长", "深": "深", "宽": "宽", "重": "重"}


def state(question: str, value: str, type_: ValueType, *, circa: bool = False, unit: bool = False) -> str | None:
    """A statement that answers a question; see `statements_en.state`."""
    asked = question.strip().rstrip("？?。 ")
    if not value or (type_ in {"text", "list[text]"} and (len(value) > _LONGEST or re.search(r"[。！？\n]", value))):
        return None
    about = "约" if circa and not value.startswith("约") else ""
    if type_ == "boolean":
        return _yes_or_no(asked, yes=value in {"是", "yes", "对"})
    if type_ in {"date", "list[date]"}:
        return _dated(asked, about + value)
    if type_ == "number":
        return _counted(asked, about + value, unit=unit)
    return _named(asked, value)


def _dated(asked: str, value: str) -> str | None:
    if match := _BORN.fullmatch(asked) or _BORN_AT.fullmatch(asked):
        verb = {"出生": "生", "诞生": "诞生", "生": "生", "卒": "卒"}.get(match["verb"], match["verb"])
        return f"{match['s']}{verb}于{value}。"
    found = _DATE.search(asked)
    if found is None:
        noun = re.fullmatch(r"(?P<np>.+?(?:时间|日期|年份|生日|时候))(?:是|为)?(?:什么|多少)?", asked)
        return f"{noun['np']}是{value}。" if noun else None
    before, after = asked[: found.start()], asked[found.end() :]
    if not before:
        return None
    if re.search(r"(?:是|在|于)$", before) or after in {"", "的"}:
        body = f"{before}{value}{after}"
        return body + ("。" if not before.endswith("是") or after.endswith("的") or not after else "的。")
    return f"{before}于{value}{after.rstrip('的了')}。"


def _counted(asked: str, value: str, *, unit: bool) -> str | None:
    if match := _DEGREE.fullmatch(asked):
        noun = _NOUNS.get(match["way"])
        if noun and unit:
            return f"{match['s']}{noun}{value}。"
        named = {
            "高": "高度",
            "长": "长度",
            "深": "深度",
            "宽": "宽度",
            "重": "重量",
            "大": "面积",
            "快": "速度",
            "远": "距离",
        }[match["way"]]
        return f"{match['s']}的{named}是{value}。"
    found = _NUMBER.search(asked)
    if found is None:
        noun_only = re.fullmatch(
            r"(?P<np>.+?(?:人口|面积|高度|海拔|长度|全长|身高|年龄|深度|重量|数量|总数|价格))(?:是|为)?", asked
        )
        return f"{noun_only['np']}是{value}。" if noun_only else None
    before, after = asked[: found.start()], asked[found.end() :]
    if not before:
        return None
    written = found["unit"] or found["unit2"] or ""
    noun = found["noun"] or ""
    has = "有" if found[0].startswith("有") else ""
    if unit:
        written = ""
    if noun.startswith("个") and unit:
        noun = noun[1:]
    return f"{before}{has}{value}{written}{noun}{after}。"


def _named(asked: str, value: str) -> str | None:
    for pattern in (_PERSON, _PLACE, _THING):
        found = pattern.search(asked)
        if found is None:
            continue
        before, after = asked[: found.start()], asked[found.end() :]
        if pattern is _PLACE and re.match(r"(?:在|位于)", value):
            before = re.sub(r"(?:在|位于|于)$", "", before)
        if not before and not after:
            return None
        return f"{before}{value}{after}。"
    owned = re.fullmatch(r"(?P<np>[^，,？?]+的[^，,？?的]{1,8})(?:有哪些|是|叫)?", asked)
    return f"{owned['np']}是{value}。" if owned and not re.search(r"[谁哪几多]|什么|如何|怎", asked) else None


def _yes_or_no(asked: str, *, yes: bool) -> str | None:
    statement = re.sub(r"(?:吗|么)$", "", asked)
    if statement == asked:
        return None
    if yes:
        return f"{statement}。"
    is_ = re.fullmatch(r"(?P<s>.{1,20}?)是(?P<p>.+)", statement)
    if is_:
        return f"{is_['s']}不是{is_['p']}。"
    return f"“{statement}”不成立。"


def indirect(question: str) -> str | None:
    """The question as it stands inside a sentence: 没有查到凯撒是哪一年出生的."""
    asked = question.strip().rstrip("？?。 ")
    if not asked or re.search(r"[？?。！!]", asked):
        return None
    if re.search(r"[吗么]$", asked):
        return f"“{asked}？”的答案"
    noun = re.fullmatch(
        r"(?P<s>.+?)(?:是|在|于)?(?:哪一?年|哪一?天|什么时候|何时)(?P<verb>出生|去世|逝世|成立|建成|出版|上映"
        r"|发表|创立|创办|建立)的?",
        asked,
    )
    if noun:
        return f"{noun['s']}的{noun['verb']}时间"
    return asked if re.search(r"[谁哪何几]|什么|多少|多[高长大深宽重远快久]", asked) else f"“{asked}”的答案"
