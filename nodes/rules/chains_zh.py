"""Chinese questions as chains of look-ups: 《红楼梦》的作者出生在哪里 has to find the author first.

A Chinese description stands before what is said of it, so a question is read from the left: the shortest description
at its start is looked up, what is left is asked about the value found, until nothing is left to find.
"""

import re
from typing import Final

from nodes.rules.forms import SLOT, Lookup
from nodes.rules.lexicon_zh import CLASSES, NOUNS, PEOPLE, PERSON_CLASSES, UNITS, VERBS, noun_question
from state import ValueType
from text.patterns import lazy

_DEEPEST: Final = 6

_TYPES: Final[tuple[tuple[ValueType, re.Pattern[str]], ...]] = (
    ("list[date]", lazy(r"哪几年|哪些年|哪几天")),
    ("list[text]", lazy(r"哪些|哪几|列出|列举|有谁|都有什么")),
    ("date", lazy(r"哪一?年|哪一?天|哪一?日|什么时候|什么时间|何时|何年|几年[^级前后来内]*$|几月|几号"
                        r"|(?:日期|年份|时间|生日)(?:是|为)?(?:什么|多少|哪|几)?|生于何|生日")),
    ("number", lazy(r"多少|几(?!乎)|多[高长大深宽重远快久]|(?:面积|人口|高度|海拔|长度|全长|身高|年龄"
                          r"|深度|重量|数量|总数)(?:是|为)?$")),
    ("boolean", lazy(r"吗$|是否|是不是|有没有|能否|会不会")),
)  # fmt: skip


def type_of(question: str) -> ValueType:
    """The type of a question's answer, by its question words."""
    text = question.rstrip("？?。 ")
    return next((kind for kind, pattern in _TYPES if pattern.search(text)), "text")


_TITLE: Final = "[\ue000-\uf8ff]"
_FOLLOW: Final = (
    r"(?=$|的|是|出生|诞生|生于|去世|逝世|死|病逝|卒于|位于|坐落|在|有|叫|哪|什么|谁|多|几|何|于|享年|成立|建"
    r"|创|毕业|获|担任|属于|来自|全长|人口|面积"
    r"|海拔|发表|出版|上映|总共|一共|共|长|高|写|发明|发现|姓|所|被|为|由|曾|流经|流|穿|最|距|使用|讲|说|用"
    r"|主演|执导|导演|娶|嫁|葬|当时|现在|今年"
    r"|与|和|比|跟|分别|,|，|\?|？)"
)
_OWNER: Final = r"(?P<owner>[^,，。？?]{1,40}?)"
_NOUN: Final = rf"(?P<noun>{NOUNS})"
_BOUND: Final = "创始人|首都|总统|首相|总理|国王|校长|董事长|首席执行官|省会|创办人"
"""Nouns that also follow their owner without 的: 法国首都, 苹果公司创始人."""
_DESCRIPTION: Final = lazy(
    rf"{_OWNER}(?:的{_NOUN}|(?<={_TITLE}"
    rf"|\}})(?P<tight>{NOUNS})|(?<![副前原任后一二三个位名])(?P<bound>{_BOUND})|(?P<place>(?:所在|出生|毕业|就读)(?:的)?(?:城市|国家|国|大学|学校|省份|省|地方|高校|县|洲|大洲)))"
    rf"{_FOLLOW}"
)
_CLAUSE: Final = lazy(rf"(?P<clause>[^,，。？?的]{{1,40}}?)的(?P<noun>{CLASSES}){_FOLLOW}")
_VERB: Final = lazy(VERBS)
_TAIL: Final = lazy(
    r"(?:分别|又|究竟|到底|具体)*(?:(?:都)?(?:是|叫做?|名叫|为|有|包括)?(?:谁|哪些人|什么(?:人|名字|地方)?|哪里"
    r"|哪儿|何人|何处|何地"
    rf"|哪一?(?:个|位|座|条|所|部|本|家|些|门)?(?:{CLASSES})?)|(?:位于|在|坐落于)(?:哪里|哪儿|何处|何地|什么地方))?"
)
_MEASURE_TAIL: Final = lazy(
    rf"(?:分别|大约|大概|一共|总共|约|究竟)*(?:是|为|有|达)?(?:多少(?:{UNITS})?(?:人|钱)?|几(?:{UNITS})?"
    rf"|多[高长大深宽重远])?"
)
_DATE_TAIL: Final = lazy(r"(?:分别)?(?:是|为|在)?(?:哪一?[年天日]|什么时候|何时|几月几[日号]|多少|什么|几几年)?")


def _identity(rest: str, asked: str) -> bool:
    """Whether what follows a description asks for nothing but what it describes."""
    if _TAIL.fullmatch(rest):
        return True
    kind = type_of(asked)
    return bool((kind == "number" and _MEASURE_TAIL.fullmatch(rest)) or (kind == "date" and _DATE_TAIL.fullmatch(rest)))


def read_lookup(question: str) -> Lookup:
    """Read a Chinese question, normalized and masked, into a chain; what cannot be taken apart is a single look-up."""
    text = _plain_order(question.strip(" ？?。！!,，"))
    found: Lookup | None = None
    for _ in range(_DEEPEST):
        step = _step(text, found)
        if step is None:
            break
        found, text = step
        if not text:
            return found
    if found is None:
        return (
            Lookup(question=_sentence(text), ret=type_of(text))
            if SLOT not in text
            else Lookup(question=_sentence(question))
        )
    asked = _sentence(text)
    return Lookup(question=asked, ret=type_of(asked), subject=found)


def _plain_order(text: str) -> str:
    """谁是X → X是谁."""
    match = re.fullmatch(r"(?P<wh>谁|哪位|哪里|哪儿|什么)是(?P<rest>.+的.+)", text)
    return f"{match['rest']}是{match['wh']}" if match else text


def _step(text: str, found: Lookup | None) -> tuple[Lookup, str] | None:
    """Look up the shortest description at the start; None where there is none, the rest "" where it was all."""
    description, clause = _DESCRIPTION.match(text), _CLAUSE.match(text)
    if clause and not _is_clause(clause):
        clause = None
    if description and not _is_owner(description["owner"], found):
        description = None
    if clause and (description is None or clause.end() < description.end()):
        return _by_clause(text, clause, found)
    return _by_noun(text, description, found) if description else None


def _is_owner(owner: str, found: Lookup | None) -> bool:
    if found is not None:
        return owner == SLOT
    return (
        (len(owner) > 1 or not owner.isalpha())
        and not re.search(r"[谁哪]|什么|多少|为何|如何|怎么|是否|、", owner)
        and not re.fullmatch(r"[的是在有]+", owner)
    )


def _is_clause(match: re.Match[str]) -> bool:
    clause = match["clause"]
    return bool(_VERB.search(clause)) and not re.search(r"[谁哪、]|什么|多少|几[个年位]|是否", clause)


def _by_noun(text: str, match: re.Match[str], found: Lookup | None) -> tuple[Lookup, str]:
    rest = text[match.end() :]
    noun = match["noun"] or match["tight"] or match["bound"]
    subject: str | Lookup = found if found is not None else match["owner"]
    if noun is None:
        place = match["place"]
        asked, relation = _place_question(place), "location"
        if _identity(rest, asked):
            return Lookup(asked, type_of(asked), subject, relation), ""
        return Lookup(asked, "text", subject, relation), SLOT + rest
    asked, relation = noun_question(noun)
    if not _identity(rest, asked):
        return Lookup(asked, type_of(asked), subject, relation), SLOT + rest
    wording = f"{SLOT}的{noun}{rest}"
    kept = bool(re.search(r"[谁哪几]|什么|多|何", rest)) and noun not in {"出生地", "诞生地"}
    asked = _sentence(wording) if kept else asked
    ret = type_of(noun_question(noun)[0]) if type_of(asked) == "text" else type_of(asked)
    return Lookup(asked, ret, subject, relation), ""


def _place_question(place: str) -> str:
    match = re.fullmatch(r"(?P<verb>所在|出生|毕业|就读)的?(?P<noun>.+)", place)
    if match is None:
        return f"{SLOT}{place}是哪里？"
    noun = {"国": "国家"}.get(match["noun"], match["noun"])
    which = "哪里" if noun == "地方" else f"哪所{noun}" if noun in {"大学", "学校", "高校"} else f"哪个{noun}"
    verb = {"所在": "在", "出生": "出生在", "毕业": "毕业于", "就读": "就读于"}[match["verb"]]
    return f"{SLOT}{verb}{which}？"


_WHICH: Final = {
    "河": "哪条河",
    "河流": "哪条河流",
    "江": "哪条江",
    "山": "哪座山",
    "城市": "哪座城市",
    "大学": "哪所大学",
    "学校": "哪所学校",
}


def _by_clause(text: str, match: re.Match[str], found: Lookup | None) -> tuple[Lookup, str]:
    """X出生的城市, 发明电话的人: asked as 〈description〉是哪…."""
    noun, clause, rest = match["noun"], match["clause"], text[match.end() :]
    person = noun in PERSON_CLASSES or noun in PEOPLE
    simple = re.fullmatch(r"(?P<owner>.+?)(?P<verb>所在|出生|毕业|就读)", clause)
    if simple and not person:
        asked = _place_question(f"{simple['verb']}{noun}")
        subject: str | Lookup = found if found is not None and simple["owner"] == SLOT else simple["owner"]
        lookup = Lookup(asked, "text", subject, "location")
        if isinstance(subject, str) and found is not None:
            lookup = Lookup(f"{clause}的{noun}是{_WHICH.get(noun, '哪个' + noun)}？", "text", found)
        return (lookup, "") if _identity(rest, asked) else (lookup, SLOT + rest)
    which = (
        "谁"
        if person
        else _WHICH.get(noun, "哪里" if noun == "地方" else "哪一年" if noun in {"年", "年份"} else f"哪个{noun}")
    )
    asked = f"{clause}的{noun}是{which}？"
    lookup = Lookup(asked, "date" if noun in {"年", "年份"} else "text", found if found is not None else "")
    return (lookup, "") if _identity(rest, asked) else (lookup, SLOT + rest)


def operand(text: str) -> str | Lookup | None:
    """A single thing: a description that has to be looked up, or a name; None where it can be neither."""
    text = text.strip(" ,，、的？?")
    if not text or len(text) > 40 or re.fullmatch(NOUNS, text) or re.search(r"[谁哪吗]|什么|多少|是否|为何", text):
        return None
    step = _step(text, None)
    found: Lookup | None = None
    for _ in range(_DEEPEST):
        if step is None:
            return text if found is None else None
        found, rest = step
        if not rest:
            return found
        step = _step(rest, found)
    return None


def label(lookup: Lookup) -> str:
    """What a look-up is about, in words: its subject, described where it is not named."""
    subject = lookup.subject
    if isinstance(subject, str):
        return subject
    noun = re.fullmatch(r"\{\}的(?P<noun>.+?)是(?:谁|什么|哪里|多少|哪.*)？", subject.question)
    if noun:
        return f"{label(subject)}的{noun['noun']}"
    clause = re.fullmatch(r"(?P<clause>.+)是(?:谁|哪.+)？", subject.question)
    return (clause["clause"] if clause else subject.question.rstrip("？")).replace(SLOT, label(subject))


def subjects_of(lookups: tuple[Lookup, ...]) -> tuple[str, ...]:
    """What look-ups are about, in words."""
    return tuple(subject for lookup in lookups if (subject := label(lookup)))


def _sentence(text: str) -> str:
    return text.strip(" ？?。！!,，") + "？"
