"""Chinese questions that ask the same of several things: lists, every item of a list, what holds for all."""

import re
from dataclasses import replace
from typing import Final

from nodes.rules.chains_zh import operand, read_lookup, subjects_of, type_of
from nodes.rules.comparisons_zh import operands
from nodes.rules.forms import SLOT, Lookup, Shape
from nodes.rules.lexicon_zh import CLASSES, NOUNS, PEOPLE, PERSON_CLASSES, VERBS, noun_question
from text.patterns import lazy

_LEAD: Final = r"(?:请|帮我|帮忙)*(?:列出|列举|给出|告诉我|说出|查一?下|查询|比较一?下?|求)?"
_LIST_NOUN: Final = lazy(
    rf"{_LEAD}(?P<list>.+?)(?:三|两|四|五|几)?(?:者|人|个|座|位|所)?(?:各自)?的(?P<noun>{NOUNS})(?:分别|各|各自"
    rf"|都|又)*(?:是|为|有|在)?(?:多少.{{0,4}}|什么时候|什么|哪.{{0,5}}|谁|几.{{0,3}})?"
)
_LIST_EACH: Final = lazy(r"(?P<list>.+?)(?:这[两三四几]?[个位座条人]?.{0,3})?(?:分别|各自|各)(?P<pred>.+)")
_LIST_ALL: Final = lazy(r"(?P<list>.+?)都(?P<pred>(?:是|在|于)?(?:.{0,8})(?:哪|什么|谁|何|多少|几|多[高长大深]).*)")


def listed(text: str) -> Shape | None:
    """A、B和C的出生年份; A、B和C分别成立于哪一年."""
    match = _LIST_NOUN.fullmatch(text)
    if shared := _attributes(text):
        return shared
    things = operands(match["list"]) if match else None
    if match and things:
        asked, relation = noun_question(match["noun"])
        # 罗密欧与朱丽叶的作者 is one play: two names may be one title unless each of them is asked about.
        marked = len(things) > 2 or re.search(r"分别|各|都", text) or re.match("(?:请|列出|列举|给出|比较)", text)
        if not marked and (type_of(asked) == "text" or match["noun"] == "距离"):
            return None
        return _listed(asked, things, relation)
    for pattern in (_LIST_EACH, _LIST_ALL):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        things = operands(re.sub(r"^(?:请|列出|列举|告诉我)+", "", match["list"]))
        predicate = match["pred"].strip("?？ ")
        if things and re.search(r"[谁哪何几]|什么|多少|多[高长大深宽重远]", predicate):
            owned = re.fullmatch(rf"(?:的)?(?P<noun>{NOUNS})(?:是)?.*", predicate)
            return _listed(noun_question(owned["noun"])[0] if owned else f"{SLOT}{predicate}？", things, None)
    return None


_ATTRIBUTES: Final = lazy(
    rf"{_LEAD}(?P<owner>.+?)的(?P<nouns>(?:{NOUNS})(?:(?:、|和|与|及|以及)(?:{NOUNS}))+)(?:分别|各|都)*(?:是|有"
    rf"|为)?(?:谁|什么|多少|哪.{{0,4}}|什么时候)?"
)


def _attributes(text: str) -> Shape | None:
    """X的父亲和母亲分别是谁."""
    match = _ATTRIBUTES.fullmatch(text)
    subject = operand(match["owner"]) if match else None
    if match is None or subject is None:
        return None
    asked = [noun_question(noun) for noun in re.split("、|以及|和|与|及", match["nouns"])]
    lookups = tuple(Lookup(question, type_of(question), subject, relation) for question, relation in asked)
    return Shape("list", "zh", lookups, subjects_of(lookups))


def _listed(question: str, things: list[str | Lookup], relation: str | None) -> Shape:
    lookups = tuple(Lookup(question, type_of(question), thing, relation or "") for thing in things)
    return Shape("list", "zh", lookups, subjects_of(lookups), relation)


_EVERY: Final = lazy(
    rf"(?:请|列出|列举|告诉我|给出)*(?P<where>.*?)(?:的)?(?:每一?(?:个|位|座|条|所|部|家|名)?|各个?"
    rf"|所有(?:的)?)(?P<item>{CLASSES}|{NOUNS}|成员|行星|省份|国家)(?:的(?P<noun>{NOUNS}))?"
    r"(?:分别|各|都)*(?P<pred>.*)"
)
_ITEMS: Final = lazy(rf"(?P<where>.+?)的(?P<item>{NOUNS}|成员|(?:{CLASSES}))们?(?P<mark>分别|各自)(?P<pred>.+)")
_ITEMS_NOUN: Final = lazy(rf"(?P<where>.+?)的(?P<item>{NOUNS}|成员|(?:{CLASSES}))们?(?:分别)?的(?P<noun>{NOUNS})分别.*")


def each(text: str) -> Shape | None:
    """The same asked of every item of a list that has to be found first: 每个国家的首都, X的创始人分别…."""
    for pattern in (_EVERY, _ITEMS_NOUN, _ITEMS):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        where, item, noun = parts["where"].strip(" 的"), parts["item"], parts.get("noun")
        predicate = (parts.get("pred") or "").strip("?？ ")
        if not where or re.search(r"[谁哪、]|什么|多少", where) or operands(where):
            continue
        if noun:
            question, relation = noun_question(noun)
        elif re.search(r"[谁哪何几]|什么|多少|多[高长大深宽重远]", predicate):
            question, relation = f"{SLOT}{predicate}？", ""
        else:
            continue
        person = item in PEOPLE | PERSON_CLASSES | {"成员"}
        verb = re.search(VERBS, where) and item not in PEOPLE
        source = (
            read_lookup(f"{where}{'的'}{item}有哪些") if not verb else Lookup(f"{where}的{item}有哪些？", "list[text]")
        )
        if source.depth == 1:
            source = Lookup(f"{where}的{item}有{'谁' if person and not verb else '哪些'}？", "list[text]")
        items = replace(source, ret="list[text]")
        return Shape("each", "zh", (items, Lookup(question, type_of(question), items, relation)), (), relation or None)
    return None


_SAME: Final = lazy(
    r"(?P<list>.+?)(?:是不是|是否)?(?:都|均|同)?(?P<verb>是|来自|属于|出生在|出生于|生于|死于|位于|在|毕业于"
    r"|就读于|去世于|出自|住在|使用|用|成立于|建于)?(?:在|于)?"
    r"同一?(?P<measure>个|所|年|座|家|种|位|条|部|国|天|省|城市)?(?P<noun>[\u4e00-\u9fff]{0,6}?)(?P<tail>的人"
    r"|人|的)?(?P<verb2>出生|去世|逝世|成立|建立|毕业|出版|上映|建成|创立|创办|发表)?(?:的)?(?:吗|么)?"
)
_BOTH: Final = lazy(
    r"(?P<list>.+?)(?:两人|二人|两者|三人|这两[^都]{0,4})?(?:是不是|是否)?(?:都|均|全都|全)(?P<pred>.+?)(?P<q>吗|么)?"
)


def both(text: str) -> Shape | None:
    """A和B都是X吗; A和B来自同一个国家吗."""
    if not re.search(r"吗$|么$|是否|是不是", text):
        return None
    if "同" in text and (same := _same(text)):
        return same
    match = _BOTH.fullmatch(text)
    things = operands(match["list"]) if match else None
    if not (match and things) or re.search(r"[谁哪]|什么|多少", match["pred"]):
        return None
    predicate = match["pred"]
    question = f"{SLOT}{predicate}吗？"
    lookups = tuple(Lookup(question, "boolean", thing) for thing in things)
    return Shape("both", "zh", lookups, subjects_of(lookups), predicate)


def _same(text: str) -> Shape | None:
    match = _SAME.fullmatch(text)
    things = operands(match["list"]) if match else None
    if not (match and things):
        return None
    verb, measure, noun, after = match["verb"] or "", match["measure"] or "", match["noun"], match["verb2"]
    if measure in {"国", "省"}:
        noun, measure = {"国": "国家", "省": "省"}[measure], "个"
    if measure == "城市":
        noun, measure = "城市", "座"
    if measure in {"年", "天"}:
        done = after or {
            "生于": "出生",
            "出生于": "出生",
            "出生在": "出生",
            "死于": "去世",
            "去世于": "去世",
            "成立于": "成立",
            "建于": "建成",
        }.get(verb, "")
        if not done:
            return None
        question, ret, noun = f"{SLOT}是哪一{measure}{done}的？", "date", "年份" if measure == "年" else "日期"
    elif noun:
        which = f"哪{measure or '个'}{noun}"
        verb = verb or (f"{after}在" if after else "")
        if not verb:
            return None
        verb = {"是": "来自" if noun in {"国家", "省", "城市", "地方"} else "是"}.get(verb, verb)
        question, ret = f"{SLOT}{verb}{which}{match['tail'] if verb == '是' and match['tail'] else ''}？", "text"
    else:
        return None
    lookups = tuple(Lookup(question, "date" if ret == "date" else "text", thing, noun) for thing in things)
    return Shape("same", "zh", lookups, subjects_of(lookups), noun)


_SECOND: Final = lazy(
    r"(?P<one>[^,，?？]*(?:[谁哪何]|什么|多少|几)[^,，?？]*)[,，?？;；。]\s*(?:那么?|而且|并且|以及"
    r"|又)?(?P<pronoun>(?:这|那|该)(?:个|条|座|位|所|部|家|本)?(?:[\u4e00-\u9fff]{1,3}?)"
    r"(?=[有的是在全出位成建多])|他们?|她|它|其|那里|那儿)(?P<two>.+)"
)


def two_questions(text: str) -> Shape | None:
    """X位于哪条河畔,这条河有多长; X是谁写的,他哪年出生."""
    match = _SECOND.fullmatch(text)
    if match is None or re.search(r"[,，]", match["two"]):
        return None
    one = read_lookup(match["one"])
    rest = match["two"].strip("?？ ")
    question = f"{SLOT}{'的' if match['pronoun'] == '其' else ''}{rest}？"
    if one.ret == "text":
        return Shape("chain", "zh", (Lookup(question, type_of(question), one),), subjects_of((one,)))
    subject = one.subject or _subject(match["one"])
    if not subject:
        return None
    lookups = (one, Lookup(question, type_of(question), subject))
    return Shape("list", "zh", lookups, subjects_of(lookups[1:]))


def _subject(question: str) -> str | Lookup | None:
    match = re.match(rf"(?P<who>.+?)(?=是|在|于|出生|去世|生于|成立|建成|位于|有多|{VERBS})", question)
    return operand(match["who"]) if match else None
