"""Chinese questions about life spans, and about ages at a date."""

import re
from typing import Final

from nodes.rules.chains_zh import operand, subjects_of
from nodes.rules.forms import Lookup, Shape
from nodes.rules.lexicon_zh import DATE_VERBS, RELATION_OF_VERB, beginning_of, date_question
from text.dates import find_dates
from text.patterns import lazy

_HOW_OLD: Final = r"(?:多少岁|几岁|多大(?:年纪|岁数|年龄|岁)?|多少(?:个)?年|几年|多久|多长(?:时间)?)"
_LIVED: Final = lazy(
    rf"(?P<who>[^,，]+?)(?:一生|总共|一共|到底|究竟)*(?P<verb>活了|活到了?|享年|享寿|终年)(?:大约|大概)?(?:是|为)?{_HOW_OLD}"
    r"|(?P<span>[^,，]+?)(?:的)?(?:寿命|享年|终年)(?:是|有|为)*(?:多长|多少(?:岁|年)?|几岁)?"
)


def life_span(text: str) -> Shape | None:
    """X活了多少岁, X享年多少岁: the birth and the death."""
    match = _LIVED.fullmatch(text)
    if match is None:
        return None
    named = match["who"] or match["span"]
    subject = operand(named)
    if subject is None or re.search(r"[比和与跟、]|平均|人类|动物", named):
        return None
    verb = re.sub("了$", "", match["verb"] or "享年")
    start = Lookup(date_question("出生"), "date", subject, "born")
    end = Lookup(date_question("去世"), "date", subject, "died")
    told = {"活": "〈a〉活了〈n〉岁", "活到": "〈a〉活到〈n〉岁"}.get(verb, f"〈a〉{verb}〈n〉岁")
    task = {"活": "〈a〉活了多少岁？", "活到": "〈a〉活到多少岁？"}.get(verb, f"〈a〉{verb}多少岁？")
    return _age((start, end), told=told, task=task)


def _age(lookups: tuple[Lookup, ...], *, told: str, task: str, date: str = "") -> Shape:
    return Shape(
        "age_at",
        "zh",
        lookups,
        subjects_of(lookups[:1]),
        "age",
        difference=True,
        unit="岁",
        asks="how_much",
        date=date,
        told=told,
        task=task,
    )


_AGE: Final = lazy(
    r"(?P<rest>.+?)(?:是|有|已经|应该|应|才|刚|的年龄|年龄)*(?:多少岁|几岁|多大(?:年纪|岁数|年龄|岁)?|(?<=年龄是)多少)了?"
)
_AFTER_DATE: Final = lazy(r"^(?:的时候|时候|时|那一?[年天]|那时|当[年天]|底|初)?[,，]?")


def age_on(text: str) -> Shape | None:
    """1921年鲁迅多少岁; 凯撒公元前44年3月15日时多大."""
    match = _AGE.fullmatch(text)
    spans = find_dates(match["rest"]) if match else []
    if match is None or len(spans) != 1 or spans[0].until is not None or spans[0].approximate:
        return None
    span, rest = spans[0], match["rest"]
    before = re.sub(r"[,，]?(?:在|于|到了?)?$", "", rest[: span.start])
    after = rest[span.end :]
    follows = _AFTER_DATE.match(after)
    named = before + after[follows.end() if follows else 0 :]
    if before and named != before:
        return None
    subject = operand(named)
    if subject is None or re.search(rf"{DATE_VERBS}|今年|现在|如今|明年|去年|的人|[他她它]$", named):
        return None
    verb = "出生" if isinstance(subject, Lookup) else (beginning_of(named) or "出生")
    start = Lookup(date_question(verb), "date", subject, RELATION_OF_VERB.get(verb, verb))
    when = rest[span.start : span.end]
    return _age((start,), told=f"{when}，〈a〉〈n〉岁", task=f"{when}时〈a〉多少岁？", date=span.date.iso())
