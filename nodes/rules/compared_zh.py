"""Chinese predicates that compare: 更高, 谁年长, 更早成立, 员工更多."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from nodes.rules.chains_zh import type_of
from nodes.rules.forms import LIFESPAN, SLOT, Lookup
from nodes.rules.lexicon_zh import (
    ADJECTIVES,
    DATE_VERBS,
    OLD_THINGS,
    OLDER,
    RELATION_OF_VERB,
    YOUNGER,
    beginning_of,
    date_question,
    noun_question,
)
from state import ValueType
from text.patterns import lazy


@dataclass(frozen=True)
class Compared:
    """A Chinese predicate that compares, read; `than` and `most` are sentences about 〈a〉 and 〈b〉."""

    question: str
    ret: ValueType
    relation: str
    direction: Literal["less", "greater"]
    than: str
    most: str
    by: str

    def about(self, subject: "str | Lookup") -> Lookup:
        """The look-up of one subject."""
        return Lookup(question=self.question, ret=self.ret, subject=subject, relation=self.relation)


_DEGREE: Final = lazy(r"^(?:是|要|都|的|更加|更为|更|最为|最|较为|较|比较|相对|还)+|(?:的|一些|一点|些|点|呢|啊|了)+$")
_EARLY: Final = lazy(
    rf"(?:(?P<first>最先|首先|率先|先|更早|最早|较早|早)(?P<a>{DATE_VERBS})(?:的)?|(?:更|最|较)?(?P<last>最后"
    rf"|更晚|最晚|较晚|晚|后)(?P<b>{DATE_VERBS})(?:的)?"
    rf"|(?P<c>{DATE_VERBS})(?:的)?(?:时间|年代|年份|日期)?(?:得|的)?(?:更|最|较|比较)?(?P<order>早|晚|先|后|近))"
)
_MANY: Final = lazy(
    r"(?:拥有|有)?(?:的)?(?P<more>更多|最多|较多|更少|最少|较少)(?:的)?(?P<noun>[\u4e00-\u9fff]{1,8})"
    r"|(?P<noun2>[\u4e00-\u9fff]{1,8}?)(?:更|最|较|比较)?(?P<much>多|少)"
)
_NOUN_ADJECTIVE: Final = lazy(
    r"(?P<noun>总?面积|国土面积|占地面积|人口|高度|海拔|长度|全长|深度|宽度|重量|质量|体积|身高|体重|年龄|速度"
    r"|价格|票房|产量|市值|营收|直径|寿命)(?:是)?(?:更|最|较|比较)?"
    r"(?P<way>高|低|大|小|长|短|深|浅|宽|窄|重|轻|多|少|快|慢|贵)"
)
_LIVED: Final = lazy(
    r"(?:活得?|活得?(?:时间|岁数)|寿命)(?:更|最|较|比较)?(?P<way>久|长|短|大)(?:一些|一点|些)?|(?P<much>多活|少活)|(?P<long>长寿|高寿|短命)"
)
_KINDS: Final = lazy(r"(?:[象龟狗猫鲸鼠虎狮鹤树鱼鸟蝉兔牛羊]|男性|女性|[国男女]人?|动物|植物)(?:$|[和与跟、,，还谁哪])")
"""Kinds of living things and peoples, which have no birth and no death of their own."""
_GREATER: Final = frozenset("高大长深宽重多快贵")


def read_compared(  # noqa: PLR0911 - one return for each kind of predicate
    predicate: str, context: str = "", *, people: bool = False, unit: str = "", strict: bool = False
) -> Compared | None:
    """Read a predicate that compares.

    Args:
        predicate: Such as 更高 or 更早成立.
        context: The subjects and the word after 哪, which may say what kind of things are compared.
        people: Whether the question asks 谁.
        unit: The unit a difference is asked in, which tells ages from areas.
        strict: Whether only known nouns may be compared by, where it is not certain that the predicate begins here.
    """
    text = predicate.strip(" ,，、?？。")
    if match := _EARLY.fullmatch(re.sub(r"^是", "", text)):
        return _by_order(match)
    plain = _DEGREE.sub("", text)
    if not _KINDS.search(context) and (match := _LIVED.fullmatch(plain)):
        return _by_life(longer=(match["way"] or match["much"] or match["long"]) not in {"短", "少活", "短命"})
    if found := _by_adjective(plain, context, people=people, unit=unit):
        return found
    if match := _NOUN_ADJECTIVE.fullmatch(_DEGREE.sub("", text)):
        return _by_noun(match["noun"], match["way"])
    if strict:
        return None
    if match := _MANY.fullmatch(re.sub(r"^是|的$", "", text)):
        noun, more = match["noun"] or match["noun2"], (match["more"] or match["much"]).endswith("多")
        noun = _DEGREE.sub("", noun)
        if not noun or noun in {"更", "最"}:
            return None
        if noun in {"人口", "人"}:
            return _by_noun("人口", "多" if more else "少")
        word = "多" if more else "少"
        than, most = f"〈a〉的{noun}比〈b〉{word}", f"〈a〉的{noun}最{word}"
        return Compared(f"{SLOT}有多少{noun}？", "number", noun, _way(greater=more), than, most, word)
    return None


def _by_life(*, longer: bool) -> Compared:
    return Compared(
        f"{SLOT}享年多少岁？",
        "number",
        LIFESPAN,
        _way(greater=longer),
        "〈a〉比〈b〉更长寿" if longer else "〈a〉的寿命比〈b〉短",
        "〈a〉最长寿" if longer else "〈a〉的寿命最短",
        "多活" if longer else "少活",
    )


def _by_order(match: re.Match[str]) -> Compared:
    verb = match["a"] or match["b"] or match["c"]
    early = bool(match["first"]) or match["order"] in {"早", "先"}
    word = "早" if early else "晚"
    return Compared(
        date_question(verb),
        "date",
        RELATION_OF_VERB.get(verb, verb),
        "less" if early else "greater",
        f"〈a〉比〈b〉更{word}{verb}",
        f"〈a〉最{word}{verb}",
        word,
    )


def _by_adjective(word: str, context: str, *, people: bool, unit: str) -> Compared | None:
    aged = people or unit == "岁" or not re.search(r"大学|公司|国|省|市|湖|岛|海|洲|沙漠|平原|公园|校", context)
    if word in OLD_THINGS and not people and (word != "老" or beginning_of(context)):
        verb = beginning_of(context) or "建立"
        return Compared(
            date_question(verb),
            "date",
            RELATION_OF_VERB.get(verb, verb),
            "less",
            "〈a〉比〈b〉历史更悠久",
            "〈a〉历史最悠久",
            "早",
        )
    if word in OLDER | YOUNGER and (word not in {"大", "小"} or (aged and not re.search(r"平方|面积", unit))):
        older = word in OLDER
        named = "年长" if older else "年轻"
        than, most, by = f"〈a〉比〈b〉{named}", f"〈a〉最{named}", "大" if older else "小"
        return Compared(date_question("出生"), "date", "born", _way(greater=not older), than, most, by)
    if word in {"早", "晚"}:
        verb = beginning_of(context) or ("出生" if people else "出现")
        relation, than, most = RELATION_OF_VERB.get(verb, verb), f"〈a〉比〈b〉更{word}{verb}", f"〈a〉最{word}{verb}"
        return Compared(date_question(verb), "date", relation, _way(greater=word == "晚"), than, most, word)
    if word not in ADJECTIVES:
        return None
    question, relation, by, greater = ADJECTIVES[word]
    if word in {"大", "小"} and "人" in unit:
        question, relation = f"{SLOT}的人口是多少？", "population"
    return Compared(question, "number", relation, _way(greater=greater), f"〈a〉比〈b〉{word}", f"〈a〉最{word}", by)


def _by_noun(noun: str, way: str) -> Compared:
    question, relation = noun_question(noun)
    word = {"人口": {"大": "多", "小": "少"}}.get(noun, {}).get(way, way)
    than, most = f"〈a〉的{noun}比〈b〉{word}", f"〈a〉的{noun}最{word}"
    return Compared(question, type_of(question), relation, _way(greater=way in _GREATER), than, most, word)


def _way(*, greater: bool) -> Literal["less", "greater"]:
    return "greater" if greater else "less"
