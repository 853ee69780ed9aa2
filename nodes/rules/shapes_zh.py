"""Chinese questions read into shapes."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from nodes.rules.ages_zh import age_on, life_span
from nodes.rules.chains_zh import read_lookup, subjects_of
from nodes.rules.comparisons_zh import how_much, whether, which
from nodes.rules.events_zh import age_at, interval
from nodes.rules.forms import Shape
from nodes.rules.lexicon_zh import UNITS
from nodes.rules.lists_zh import both, each, listed, two_questions
from nodes.rules.open_zh import about
from nodes.rules.parts_zh import ratio, total
from text.patterns import lazy

_POLITE: Final = lazy(
    r"^(?:(?:请问|请教|请告诉我|请告知|告诉我|请帮我查一?下?|帮我查一?下?|帮我看一?下?|查一?下|我想知道"
    r"|我想问一?下?|想问一?下?|想知道|问一下|你知道|您知道|你能告诉我|你可以告诉我"
    r"|能不能告诉我|能告诉我|能否告诉我|可以告诉我|麻烦问一?下?|麻烦你?告诉我|麻烦|你好|您好|不好意思|劳驾"
    r"|谁知道|有人知道|那么|那|请)[,，:：!！ ]*)+"
)
_AFTERWARDS: Final = lazy(r"[,，。!！ ]*(?:谢谢(?:你|您|了)?|多谢|麻烦了|好吗|可以吗|你知道吗|您知道吗|呢|啊|呀|来着)$")
_BY_HOW_MUCH: Final = lazy(
    rf"[,，、?？;；。 ]*(?:又|并且|并|那么|那|而且|以及|他们|她们|它们|两者|两人|二人|二者|之间|彼此|年龄|高度"
    rf"|长度|面积|时间|各自)*(?:上)?(?:相差|差距|差|多活|少活|大|小|年长|年轻|高|低|矮|长|短|重|轻|深|宽|快|早|晚|多|少|贵)"
    rf"(?:出|了|有|是)*(?:多少|几|多大|多久)(?P<unit>(?:{UNITS})*)$"
)


def undressed(question: str) -> str:
    """A question without its politeness."""
    text = question.strip(" ?？。.!！,，;；")
    for _ in range(3):
        shorter = _AFTERWARDS.sub("", _POLITE.sub("", text)).strip(" ?？。.!！,，;；")
        if shorter == text or not shorter:
            break
        text = shorter
    return re.sub(r"[吗么]\s*[,，]?\s*$", "", text) if re.search(r"[谁哪]|什么时候|多少", text) else text


_COMPARING: Final[tuple[Callable[[str], Shape | None], ...]] = (which, whether)
_READERS: Final[tuple[Callable[[str], Shape | None], ...]] = (
    life_span,
    age_on,
    age_at,
    interval,
    ratio,
    total,
    how_much,
)
_OTHERS: Final[tuple[Callable[[str], Shape | None], ...]] = (
    both,
    each,
    two_questions,
    listed,
)


def read_chinese(question: str) -> Shape:
    """Read a Chinese question, normalized and masked; what no rule reads with certainty is a single look-up."""
    text = _without_blanks(undressed(question))
    if account := about(text):
        return account
    match = _BY_HOW_MUCH.search(text)
    if match and match.start() >= 4:
        main = text[: match.start()].rstrip(" ,，、?？")
        for read in _COMPARING:
            shape = read(main)
            if shape and len(shape.lookups) == 2:
                return replace(shape, kind="difference", difference=True, unit=match["unit"])
    plain = re.sub(r"[?？;；]", ",", text)
    for read in (*_READERS, *_COMPARING, *_OTHERS):
        if shape := read(plain):
            return shape
    lookup = read_lookup(text)
    return Shape(
        "chain" if lookup.depth > 1 else "single", "zh", (lookup,), subjects_of((lookup,)), lookup.relation or None
    )


_BLANK: Final = lazy(r"(?<=[\u4e00-\u9fff、,，\ue000-\uf8ff]) +| +(?=[\u4e00-\u9fff、,，\ue000-\uf8ff])")


def _without_blanks(text: str) -> str:
    """Blanks next to Chinese characters carry no meaning."""
    return _BLANK.sub("", text)
