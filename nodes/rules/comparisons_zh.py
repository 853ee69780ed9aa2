"""Chinese comparisons: which of them, whether one beats the other, and by how much."""

import re
from dataclasses import replace
from typing import Final

from nodes.rules.chains_zh import operand, subjects_of, type_of
from nodes.rules.compared_zh import Compared, read_compared
from nodes.rules.events_zh import event, interval_of
from nodes.rules.forms import Kind, Lookup, Shape
from nodes.rules.lexicon_zh import (
    CLASSES,
    DATE_VERBS,
    NOUNS,
    PERSON_CLASSES,
    UNITS,
    beginning_of,
    noun_question,
)
from text.patterns import lazy

_AND: Final = lazy(
    r"\s*(?:、|,|，|以及|还是|或者|或|及|与|跟|同(?!仁|济|治|里|一|时|样|年)"
    r"|(?<![共颐饱温柔缓平调总])和(?![平谐尚国珅田服歌林氏])|vs\.?)\s*"
)
_AFTER_LIST: Final = lazy(
    r"(?:(?:这|那)?(?:两|二|三|四|五|几)(?:个|位|座|条|所|部|本|家|种|者|人|国|地|省|市|城)?(?:人|国家|城市"
    r"|大学|河流|河|山|山峰|建筑|公司)?)?"
    r"(?:之间|之中|当中|中间|中|里面|里|相比|比起来|比较|相比较|之间相比)?(?:,|，|:|：)?$"
)


def operands(text: str) -> list[str | Lookup] | None:
    """The things a list names, each a name or a description; None where it is no list of at least two."""
    body = re.sub(r"^(?:在|从|请问|比较一?下?|对比一?下?|是)+", "", text.strip(" ,，:：?？"))
    body = _AFTER_LIST.sub("", body)
    parts = [part for part in _AND.split(body) if part]
    if not 2 <= len(parts) <= 12:
        return None
    found = [operand(part) for part in parts]
    return None if any(thing is None for thing in found) else [thing for thing in found if thing is not None]


_WHICH: Final = (
    r"(?:究竟|到底)?(?P<wh>谁|哪一?(?:个|位|座|条|所|部|本|家|种|者|人|国|首|颗|片|支)?(?P<noun>[\u4e00-\u9fff]{0,4}?))"
)
_WH_MIDDLE: Final = lazy(
    rf"(?P<list>.+?)(?:的)?,?{_WHICH}(?:的)?(?P<pred>(?:是|更|最|比较|较|先|后|早|晚|有|要"
    rf"|的)*[\u4e00-\u9fff]{{1,12}}?)"
)
_WH_FIRST: Final = lazy(
    rf"{_WHICH}(?P<pred>(?:更|最|比较|较|先|后|早|晚)[\u4e00-\u9fff]{{0,10}}?|活得(?:更|最|比较)?[久长短]|更?长寿|年长|年轻|大|高"
    rf"|长)[,:，：]?(?P<list>[^,，]+(?:还是|或者?|和|与|、).+)"
)
_LAST_ASKED: Final = r"的?(?:一?[个位座条所部]|人|[\u4e00-\u9fff]{1,3})?(?:是|为)(?P<wh>谁|哪.{0,4}|什么)"
_WH_LAST_OF: Final = lazy(
    rf"(?P<list>.+?)(?:之中|当中|中|里|,)(?P<pred>[\u4e00-\u9fff]{{0,4}}最[\u4e00-\u9fff]{{1,10}}?){_LAST_ASKED}"
)
_WH_LAST: Final = lazy(rf"(?P<list>.+?)(?P<pred>最[\u4e00-\u9fff]{{1,10}}?){_LAST_ASKED}")
_TOGETHER: Final = lazy(
    r"(?P<list>.+?)的(?P<noun>[\u4e00-\u9fff]{2,4})(?:,)?(?P<wh>谁|哪一?(?:个|位|座|条|所|部|家"
    r"|国)?[\u4e00-\u9fff]{0,2}?)(?:的)?(?P<pred>(?:更|最|比较|较)[\u4e00-\u9fff])"
)


def which(text: str, unit: str = "") -> Shape | None:
    """A和B谁更高; 谁更高,A还是B; A、B、C中最高的是哪个."""
    if match := _TOGETHER.fullmatch(text):
        things = operands(match["list"])
        compared = read_compared(match["noun"] + re.sub(r"^(?:更|最|比较|较)", "", match["pred"]))
        if things and compared:
            return _comparison(compared, things)
    for pattern in (_WH_LAST_OF, _WH_LAST, _WH_FIRST, _WH_MIDDLE):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        things = operands(match["list"])
        if not things:
            continue
        noun = match.groupdict().get("noun") or ""
        people = match["wh"] in {"谁", "哪位", "哪个人", "哪一位", "哪人"} or noun in PERSON_CLASSES
        if match["wh"] == "谁" and beginning_of(match["list"]) and not re.search(r"[《\ue000-\uf8ff]", match["list"]):
            people = False
        context = f"{match['list']}{match['wh']}"
        kind = _KIND.match(match["pred"])
        people = people or bool(kind and kind["kind"] in PERSON_CLASSES)
        whole = match["pred"]
        readings = [(whole, True), (whole[kind.end() :] if kind else "", False), (whole, False)]
        for predicate, strict in readings:
            compared = read_compared(predicate, context, people=people, unit=unit, strict=strict) if predicate else None
            if compared:
                return _comparison(compared, things)
    return None


_KIND: Final = lazy(rf"(?P<kind>{CLASSES})的?")


def _comparison(compared: Compared, things: list[str | Lookup], *, difference: bool = False, unit: str = "") -> Shape:
    lookups = tuple(compared.about(thing) for thing in things)
    kind: Kind = "difference" if difference else ("comparison" if len(things) == 2 else "superlative")
    return Shape(
        kind,
        "zh",
        lookups,
        subjects_of(lookups),
        compared.relation,
        compared.direction,
        difference=difference,
        unit=unit,
        than=compared.than,
        most=compared.most,
        by=compared.by,
    )


_THAN: Final = r"(?<![同环占])比(?![例重如赛率])"
"""The comparing 比, not that of 同比 or 比例."""
_THAN_WHETHER: Final = lazy(rf"(?P<a>.+?)(?P<ask>是不是|是否|有没有)?要?{_THAN}(?P<rest>.+?)(?P<q>吗|么)?")


def whether(text: str, unit: str = "") -> Shape | None:
    """A比B高吗; A是否比B年长."""
    match = _THAN_WHETHER.fullmatch(text)
    if match is None or not (match["ask"] or match["q"]):
        return None
    a, rest = match["a"], match["rest"]
    noun = re.fullmatch(rf"(?P<owner>.+?)的(?P<noun>{NOUNS})", a)
    for cut in range(1, len(rest)):
        b, predicate = rest[:cut], rest[cut:]
        if noun and (compared := read_compared(noun["noun"] + re.sub("^[更还要]+", "", predicate), strict=True)):
            left, right = operand(noun["owner"]), operand(re.sub(rf"的{noun['noun']}$", "", b))
        else:
            compared = read_compared(
                predicate, f"{a}、{b}", people=not beginning_of(f"{a}、{b}"), unit=unit, strict=True
            )
            left, right = operand(a), operand(b)
        if compared and left and right:
            return replace(_comparison(compared, [left, right]), asks="whether")
    return None


_THAN_BY: Final = lazy(
    rf"(?P<a>.+?)(?:的(?P<noun>{NOUNS}))?(?:要)?{_THAN}(?P<b>.+?)(?P<pred>多活|少活|(?:早|晚)(?:{DATE_VERBS})"
    rf"|(?:{DATE_VERBS})(?:得)?(?:早|晚)|年长|年轻|[大小高矮低长短重轻深浅宽窄快慢早晚多少贵])"
    rf"(?:得)?(?:出|了)*(?:多少|几)(?P<unit>(?:{UNITS})*)(?:[\u4e00-\u9fff]{{0,4}})?"
)
_APART: Final = lazy(
    rf"(?P<list>.+?)(?:之间)?(?:的)?(?P<what>年龄|年纪|岁数|{NOUNS}|{DATE_VERBS})?(?:的)?(?:时间|年份"
    rf"|日期)?(?:之间)?(?:上)?(?:的)?(?:,)?(?:相差|差了?|相隔|间隔|相距|差距)(?:是|有|了|为)?"
    rf"(?:多少|几|多大|多久|多远|多长)(?P<unit>(?:{UNITS})*)(?:的?时间)?"
)


def how_much(text: str) -> Shape | None:
    """A比B大几岁; A和B相差多少米; A和B的年龄差."""
    if match := _THAN_BY.fullmatch(text):
        return _than_by(match)
    match = _APART.fullmatch(text) or re.fullmatch(
        rf"(?P<list>.+?)的(?P<what>年龄|{NOUNS})(?:差|差距|之差)(?:是|有)?(?:多少|几|多大)?(?P<unit>(?:{UNITS})*)", text
    )
    if match is None:
        return None
    return _apart(match["list"], match["what"] or "", match["unit"] or "")


def _than_by(match: re.Match[str]) -> Shape | None:
    unit, pred = match["unit"], match["pred"]
    a, b = match["a"], re.sub(rf"的(?:{NOUNS})$", "", match["b"]) if match["noun"] else match["b"]
    if match["noun"]:
        compared = read_compared(match["noun"] + pred, unit=unit)
    elif pred in {"早", "晚"} and (own := re.fullmatch(rf"(?P<who>.+?)(?P<verb>{DATE_VERBS})(?:的)?(?:时间)?", a)):
        a, b = own["who"], re.sub(rf"(?:{own['verb']})$", "", b)
        compared = read_compared(f"{pred}{own['verb']}")
    elif pred == "多" and re.search(r"人", unit):
        compared = read_compared("人口多")
    else:
        compared = read_compared(
            pred, f"{a}、{b}", people=unit == "岁" or (unit == "年" and not beginning_of(a)), unit=unit
        )
    left, right = operand(a), operand(b)
    if compared is None or left is None or right is None:
        return None
    return replace(_comparison(compared, [left, right], difference=True, unit=unit), asks="how_much")


_BY_UNIT: Final = {
    "岁": "年长",
    "米": "高",
    "公里": "长",
    "千米": "长",
    "里": "长",
    "平方公里": "面积大",
    "平方千米": "面积大",
    "人": "人口多",
    "公斤": "重",
}


def _apart(things: str, what: str, unit: str) -> Shape | None:
    if two := _two_events(things, what, unit):
        return two
    found = operands(things)
    if not found or len(found) != 2:
        return None
    if what in {"年龄", "年纪", "岁数"}:
        compared = read_compared("年长", people=True)
    elif what and re.fullmatch(DATE_VERBS, what):
        compared = read_compared(f"早{what}")
    elif what:
        question, relation = noun_question(what)
        word = "早" if type_of(question) == "date" else "多"
        compared = Compared(question, type_of(question), relation, "greater", "", "", word)
    elif unit in {"年", "年份", ""}:
        verb = beginning_of(things) or ("出生" if unit == "年" else "")
        compared = read_compared(f"早{verb}") if verb else None
    else:
        compared = read_compared(_BY_UNIT.get(unit, ""), people=unit == "岁")
    if compared is None or compared.ret not in {"date", "number"}:
        return None
    shape = _comparison(compared, found, difference=True, unit=unit)
    # "相差" asks only for the size of the difference, so that no winner is claimed beyond what was asked.
    return replace(
        shape,
        asks="how_much",
        direction=shape.direction if what in {"", "年龄", "年纪", "岁数"} or shape.than else None,
    )


def _two_events(things: str, what: str, unit: str) -> Shape | None:
    """A的出生和B的去世相差多少年."""
    parts = _AND.split(f"{things}{what}")
    if len(parts) != 2:
        return None
    events = [event(part) for part in parts]
    if events[0] is None or events[1] is None:
        return None
    return interval_of((events[0], events[1]), unit)
