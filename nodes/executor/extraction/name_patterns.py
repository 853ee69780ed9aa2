"""Name patterns: where a clause about the subject names the person or the place that a relation gives it."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence
from weiwo.nodes.executor.extraction.predicates import StatedValue
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation

_NAME_END: Final = lazy(
    r"[\"”]?(?:$|[,.;:)(]|\s(?:in|on|at|from|for|with|between|during|as|who|to|is|was|when|while|after|near|or|by|the)\b"
    r"|\s[(–—-]|\sand\s(?![A-Z]))"
)
_DESCRIBED: Final = lazy(
    r"\s?(?:the\s|an?\s)?(?:(?:[A-Z][a-z]+(?:[-–][A-Z]?[a-z]+)?\s)?(?:[a-z][\w-]+(?:\sand\s[a-z][\w-]+)?,?\s){1,4})?"
    r"(?:Sir\s|Dr\.?\s)?[\"“]?"
)
_NO_PERSON: Final = lazy(
    r"\d|\b(?:University|College|Press|Company|Inc|Corporation|Records|Studios?|Films?|Museum|County|Party|War|Church|School"
    r"|Productions|Entertainment|Books|Magazine|Times|Awards?|River)\b"
)


def name_after(sentence: Sentence, at: int, _: Relation) -> StatedValue | None:
    """The whole name, or names, behind "by", whatever describes it: "by the English author NAME"."""
    text = sentence.text
    described = _DESCRIBED.match(text, at)
    first = next((n for n in sentence.names if n.start in {at + 1, described.end() if described else 0}), None)
    end = _joined(sentence, first.end, r",\s|,?\sand\s") if first else 0
    if first is None or not _NAME_END.match(text, end) or _NO_PERSON.search(text[first.start : end]):
        return None
    return StatedValue(text[first.start : end], text[first.start : end], first.start, end)


def _joined(sentence: Sentence, end: int, between: str) -> int:
    """Where a run of names ends that begins with the name that ends at a place."""
    for one in sentence.names:
        if one.start > end and re.fullmatch(between, sentence.text[end : one.start]):
            end = one.end
    return end


def place_after(sentence: Sentence, at: int, _: Relation) -> StatedValue | None:
    """The place behind "born in", a date between or none."""
    text = sentence.text
    dated = next((d for d in sentence.dates if re.fullmatch(r"\s(?:(?:on|in)\s)?(?:c\.\s)?", text[at : d.start])), None)
    lead = re.compile(r",?\s(?:in|at)\s(?:the\s(?:village|town|city)\sof\s|the\s)?").match(
        text, dated.end if dated else at
    )
    first = next((n for n in sentence.names if lead and n.start == lead.end()), None)
    if first is None or any(d.start <= first.start < d.end for d in sentence.dates):
        return None
    end = _joined(sentence, first.end, ", ")
    whole = _NAME_END.match(text, end) and not re.match(r"\s(?:for|of|to)\b", text[end:])
    return StatedValue(text[first.start : end], text[first.start : end], first.start, end) if whole else None


def agents_zh(sentence: Sentence, relation: Relation) -> Iterator[StatedValue]:
    """《S》的作者是NAME; S由NAME创作."""
    text = sentence.text
    cue = "|".join(word for word in relation.says["zh"] if word != "由") or "(?!)"
    held = rf"(?:{cue})(?:[和兼及暨][^，。是为]{{2,8}})?[是为：:叫](?P<name>[^，。；：（）()《》]{{2,24}})"
    held += r"(?=[，。；（(]|$)"
    done = rf"由(?P<name>[^，。；：（）()《》由]{{2,24}}?)(?:于[^，。；]{{1,16}})?(?:所|共同)?(?:{cue})(?=[，。；的]|$)"
    for one in (*re.finditer(held, text), *re.finditer(done, text)):
        value = one["name"]
        dotted = re.fullmatch(rf"[{HAN}]{{1,8}}(?:[·・•][{HAN}]{{1,8}})+", value)
        named = dotted or any(n.text == value for n in (*sentence.names, *names(value)))
        if named and sentence.heads_zh(one.start() - (text[one.start() - 1 : one.start()] == "的")):
            yield StatedValue(value, value, one.start(), one.end())
