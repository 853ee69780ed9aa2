"""English questions read into shapes: comparisons, differences, superlatives, lists and what holds for all."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from nodes.rules import english
from nodes.rules.ages_en import age_on, compared_lives, life_span
from nodes.rules.chains_en import read_lookup
from nodes.rules.comparisons_en import how_much, of_listed, whether, which
from nodes.rules.events_en import age_at, interval
from nodes.rules.forms import Shape
from nodes.rules.lists_en import each, listed, two_questions
from nodes.rules.open_en import about
from nodes.rules.operands_en import subjects_of
from nodes.rules.parts_en import ratio, total
from nodes.rules.shared_en import both
from text.patterns import lazy

_POLITE: Final = lazy(
    r"^(?:(?:please|hi|hello|hey|ok|okay|so|well|and|also|now)[,!. ]+|excuse me[,. ]+"
    r"|(?:(?:can|could|would|will) you (?:please |kindly |possibly |perhaps )?|please )"
    r"(?:tell(?: me| us)?|explain(?: to me)?|show me|find out|let me know|say|give me|check|look up|figure "
    r"out)[ ,:]+(?:please )?"
    r"|tell me[ ,:]+|do you (?:happen to )?know[ ,:]+|i(?:'d| would) (?:like|want|love) to (?:know|find out"
    r"|learn)[ ,:]+"
    r"|i (?:want|need) to (?:know|find out)[ ,:]+|i(?:'m| am| was)? wonder(?:ing)?(?: if you know)?[ ,:]+"
    r"|any idea[ ,:]+|quick question[ ,:]+|(?:my )?question[ ,:]+|i(?:'m| am) curious(?: about)?[ ,:]+|help me "
    r"find(?: out)? )",
    re.IGNORECASE,
)
_AFTERWARDS: Final = lazy(
    r"[,;.! ]+(?:please|thanks?(?: you)?|if you (?:know|can|don't mind)|do you know)$", re.IGNORECASE
)


def undressed(question: str) -> str:
    """A question without its politeness, in direct order."""
    text, wrapped = question.strip(" ?.!,;:"), False
    for _ in range(4):
        shorter = _AFTERWARDS.sub("", _POLITE.sub("", text)).strip(" ?.!,;:")
        if shorter == text or not shorter:
            break
        text, wrapped = shorter, True
    return english.direct(text) if wrapped else text


_BY_HOW_MUCH: Final = lazy(
    r"[,;.? ]+(?:and |by )*(?:(?:by )?how (?:much|many (?P<unit>\w+))(?: (?:of )?(?:an? )?(?:difference|years? "
    r"difference|[a-z]+er"
    r"|more|less|earlier|later|apart))?(?: (?:is|was|are) (?:it|he|she|the difference|there|they))?"
    r"|(?:what(?:'s| is| was) |with what |tell me |also )?(?:the |their )?(?:(?:age|height|length|size) "
    r")?(?:difference|gap|margin)"
    r"(?: between them| in [a-z]+)?)$",
    re.IGNORECASE,
)
_UNIT: Final = lazy(
    r"^(?:years?|days?|months?|centuries|decades?|met(?:er|re)s?|kilomet(?:er|re)s?|km|miles?|feet|foot|people"
    r"|inhabitants"
    r"|kilograms?|kg|tons?|tonnes?|dollars?|square \w+|hours?|minutes?|seconds?)$"
)


def read_english(question: str) -> Shape:
    """Read an English question, normalized and masked; what no rule reads with certainty is a single look-up."""
    if account := about(question):
        return account
    text = undressed(question)
    main, difference, unit = _without_difference(text)
    for read in _READERS:
        shape = read(main if read in _COMPARING else text)
        if shape is None:
            continue
        if (
            difference
            and read in _COMPARING
            and shape.kind in {"comparison", "superlative"}
            and len(shape.lookups) == 2
        ):
            return replace(shape, kind="difference", difference=True, unit=unit)
        if not difference or read not in _COMPARING or shape.difference:
            return shape
    lookup = read_lookup(text)
    return Shape(
        "chain" if lookup.depth > 1 else "single", "en", (lookup,), subjects_of((lookup,)), lookup.relation or None
    )


def _without_difference(text: str) -> tuple[str, bool, str]:
    match = _BY_HOW_MUCH.search(text)
    if match and match.start() > 8:
        unit = (match["unit"] or "").lower()
        return text[: match.start()].rstrip(" ,;.?"), True, unit if _UNIT.match(unit) else ""
    return text.replace("?", ",").replace(" ,", ","), False, ""


_COMPARING: Final[tuple[Callable[[str], Shape | None], ...]] = (of_listed, which, whether)
_READERS: Final[tuple[Callable[[str], Shape | None], ...]] = (
    life_span,
    age_on,
    age_at,
    compared_lives,
    interval,
    ratio,
    total,
    how_much,
    *_COMPARING,
    both,
    each,
    two_questions,
    listed,
)
