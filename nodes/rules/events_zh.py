"""Chinese questions about the time between two events, and about ages at an event."""

import re
from dataclasses import replace
from typing import Final

from nodes.rules.chains_zh import label, operand, read_lookup, subjects_of
from nodes.rules.forms import SLOT, Lookup, Shape
from nodes.rules.lexicon_zh import DATE_VERBS, RELATION_OF_VERB, beginning_of, date_question
from text.patterns import lazy

_EVENT: Final = lazy(
    rf"(?P<what>.+?)(?:的|是)?(?P<verb>{DATE_VERBS})(?:的时候|的时间|时间|日期|年份|时|那年|以?后|之后|以?前|之前)?"
)


def event(text: str) -> Lookup | None:
    """When an event took place: 鲁迅出生, 埃菲尔铁塔的建成."""
    match = _EVENT.fullmatch(text.strip(" ,，"))
    subject = operand(match["what"]) if match else None
    if match is None or subject is None:
        return None
    verb = match["verb"]
    return Lookup(date_question(verb), "date", subject, RELATION_OF_VERB.get(verb, verb))


_AFTER: Final = lazy(
    r"(?P<one>.+?)(?:的)?(?:以?后|之后|以前|之前|前)?(?:过了?|又过了|经过了?|,)?(?:多少|几)(?P<unit>年|个?月"
    r"|天)(?:以?后|之后|前)?(?:,)?(?P<other>[^,]+?)(?:才|就|的|了)*"
)
_FROM_TO: Final = lazy(
    r"从(?P<one>.+?)到(?P<other>.+?)(?:,)?(?:一共|总共|中间)?(?:相隔|经过|过|隔|用|花|历时|有|经历)了?(?:多少"
    r"|几)(?P<unit>年|个?月|天)"
)


def interval(text: str) -> Shape | None:
    """A去世多少年后B出生; 从A出生到B去世相隔多少年."""
    match = _FROM_TO.fullmatch(text) or _AFTER.fullmatch(text)
    if match is None:
        return None
    one, other = event(match["one"]), event(re.sub(r"(?:才|就)", "", match["other"]))
    return interval_of((one, other), match["unit"]) if one and other else None


def interval_of(lookups: tuple[Lookup, Lookup], unit: str) -> Shape:
    """The time between two events."""
    relation = lookups[0].relation if lookups[0].relation == lookups[1].relation else None
    verb = {"born": "出生", "died": "去世", "founded": "成立"}.get(relation or "")
    than = f"〈a〉比〈b〉更早{verb}" if verb else ""
    return Shape(
        "difference",
        "zh",
        lookups,
        subjects_of(lookups),
        relation,
        difference=True,
        unit=unit,
        asks="how_much",
        than=than,
        by="早",
    )


_AGE: Final = lazy(
    r"(?P<clause>.+?)(?:的时候|时|那年|当年|那一年)(?:,|，)?(?P<who>[^,，]*?)(?:的)?(?:是|有|已经|刚"
    r"|才)*(?:年龄(?:是|为)?)?(?:多少岁|几岁|多大(?:年纪|岁数|年龄)?|多大了)"
)
_AGE_THEN: Final = lazy(
    r"(?P<who>.+?)(?:是)?(?:在)?(?:哪一?年|什么时候|何时)(?P<verb>.+?)的?,(?:他|她|它)?(?:当时|那时|那年"
    r"|那一年)(?:他|她|它)?(?:是|有)*(?:多少岁|几岁|多大(?:年纪|岁数)?)"
)
_AGE_DIED: Final = lazy(
    r"(?P<who>.+?)(?:是)?(?:在)?(?:多大(?:年纪|岁数|年龄)?|多少岁|几岁)(?:的?时候?)?(?P<verb>去世|逝世|即位"
    r"|登基|结婚|获奖|毕业|发表.+|出版.+)的?"
)


def age_at(text: str) -> Shape | None:
    """X去世时多少岁; Y建成时,X多少岁."""
    if match := _AGE_DIED.fullmatch(text):
        subject = operand(match["who"])
        return _dated_age(subject, match["verb"]) if subject else None
    if match := _AGE_THEN.fullmatch(text):
        subject = operand(match["who"])
        return _dated_age(subject, match["verb"]) if subject else None
    match = _AGE.fullmatch(text)
    if match is None:
        return None
    clause, who = match["clause"].strip(" ,，"), re.sub(r"^(?:他|她|它|当时)+", "", match["who"])
    if not who:
        return _own_age(clause)
    if who in {"作者", "导演", "设计师", "设计者", "创始人", "作家"} and (
        title := re.match(r"[\ue000-\uf8ff]|.+?(?=发表|出版|上映|建成|成立|完成)", clause)
    ):
        who = f"{title[0]}的{who}"
    subject = operand(who)
    if subject is None:
        return None
    return _age(subject, event(clause) or _clause_event(clause), f"{clause}时，〈a〉")


def _dated_age(subject: str | Lookup, verb: str) -> Shape | None:
    """The age of somebody at what he did himself, in a year that is to be found."""
    return _age(subject, Lookup(f"{SLOT}是哪一年{verb}的？", "date", subject, ""), f"〈a〉{verb}时")


def _own_age(clause: str) -> Shape | None:
    match = re.fullmatch(
        rf"(?P<who>.+?)(?:在|于)?(?P<verb>{DATE_VERBS}|获得.+|发表.+|出版.+|写.+|创作.+|发明.+|发现.+|当选.+"
        rf"|成为.+|担任.+|创办.+|创立.+|完成.+|拍摄?.+|登上.+)",
        clause,
    )
    subject = operand(match["who"]) if match else None
    if match is None or subject is None:
        return None
    verb = match["verb"]
    question = date_question(verb) if re.fullmatch(DATE_VERBS, verb) else f"{SLOT}是哪一年{verb}的？"
    return _age(subject, Lookup(question, "date", subject, RELATION_OF_VERB.get(verb, "")), f"〈a〉{verb}时")


def _clause_event(clause: str) -> Lookup | None:
    if re.search(r"[谁哪几]|什么|多少", clause):
        return None
    found = read_lookup(f"{clause}是哪一年")
    return replace(found, ret="date")


def _age(subject: str | Lookup, happened: Lookup | None, then: str) -> Shape | None:
    if happened is None:
        return None
    named = subject if isinstance(subject, str) else label(Lookup("", subject=subject))
    verb = "出生" if isinstance(subject, Lookup) else (beginning_of(named) or "出生")
    start = Lookup(date_question(verb), "date", subject, RELATION_OF_VERB.get(verb, verb))
    return Shape(
        "age_at",
        "zh",
        (start, happened),
        (named,),
        "age",
        difference=True,
        unit="岁",
        asks="how_much",
        told=f"{then}〈n〉岁",
        task=f"{then}多少岁？",
    )
