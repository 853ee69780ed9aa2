"""Whether an event befell the subject or something else named in its article: "the school was opened" in a town.

"The town" or 该公司 is the subject if the page calls it so: in its title, in what it says the subject is, or by the
general word it uses most. Without that, "The college was founded" at the head of a sentence may still be about it; "and
the school was opened", beside another thing, is not.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.binding import binding
from nodes.rules.reading.relations import Relation
from nodes.rules.reading.standing import View, heading
from nodes.rules.reading.subject import Subject
from text.dates import find_dates
from text.language import HAN, fold
from text.patterns import lazy

ANOTHER: Final = 0.4
"""What is left of a value's score where its event is plainly another's: not enough to be reported."""
UNSURE: Final = 0.7
"""What is left where the page does not say what it calls its subject."""

_CUT: Final = lazy(r"[,;:()]\s|\b(?:and|but|while|when|where|which|who|that|until|before|after|as)\s")
_AUXILIARY: Final = lazy(
    r"(?:^|\s)(?:was|were|is|are|be|been|has|had|have|first|also|then|itself|themselves|finally|officially|\w+ly)\s?$"
)
_TIME: Final = lazy(r"^(?:in|on|by|since|around|about|from|during)\s(?:the\s)?[\w ]*\d{1,4}s?\s")
_THING: Final = lazy(
    r"(?i)^(?P<which>the|this|its|his|her|their|a|an|another|one|two|three|four|five|several|some|many|no)\s"
    r"(?P<words>(?:(?!of\b|in\b|at\b|for\b|on\b|from\b|by\b|to\b)[a-z'’-]+\s?){1,5})(?P<rest>\s?.*)$"
)
_DEFINED: Final = lazy(
    r"\b(?:is|was|are|were|became|remains)\s(?:also\s|now\s)?(?:an?|the|one of the)\s(?P<what>[a-z][a-z' -]*)"
)
_OPENS: Final = lazy(r"(?:^|\n)(?:An?|The)\s(?P<what>[a-z][a-z' -]*)")
_NARROWED: Final = lazy(r"\b(?:of|in|on|at|for|with|by|from|that|who|which|whose|where|when)\b")
_KINDS: Final = (
    "town city village settlement hamlet municipality borough",
    "company firm corporation manufacturer business enterprise",
    "novel book work story",
    "film movie picture",
    "university college",
    *("album", "song", "river", "bridge", "museum", "band", "club", "team", "country", "island", "castle", "church"),
)
"""General words that texts use for their subjects, by what they may stand for together."""
_KIN: Final = {word: frozenset(kind.split()) for kind in _KINDS for word in kind.split()}
_REFERS: Final = lazy(rf"(?i)\b(?:the|this)\s(?P<what>{'|'.join(_KIN)})\b")
_FURTHER: Final = frozenset(
    ["a", "an", "another", "one", "two", "three", "four", "five", "several", "some", "many", "no"]
)
_WORK: Final = frozenset(["work", "works", "building", "construction", "project", "service"])
"""What is done to a thing rather than a thing of its own: "the works began in 1880"."""

_CUT_ZH: Final = lazy("[，。；、：,;（）()]")
_IDLE_ZH: Final = lazy(
    r"(?:公元)?前?[\d一二三四五六七八九十〇零]{1,4}(?:世纪|年代|年)(?:\d{1,2}月)?(?:\d{1,2}日)?(?:初|末|底)?|"
    r"(?:则|便|也|就|才|又|将|已|被|曾|正式|首次|先后|最终|最初|最早|始|大约|约|于|在|到|至|从|自|是)"
)
_SELF_ZH: Final = lazy(r"^(?:他|她|它|其|该|此|这|本|全|双方|工程|施工|项目)|[的]$|^$")
_DEFINED_ZH: Final = lazy(rf"(?:是|为)[^，。；]{{0,20}}?(?P<what>[{HAN}]{{2,3}})(?=[，。；（]|$)")
_KINDS_ZH: Final = (
    ("城市", "市", "县", "镇", "城"),
    ("公司", "企业", "集团", "厂"),
    ("小说", "书", "作品", "著作"),
    ("影片", "电影"),
    ("大学", "学院", "学校"),
    ("大桥", "桥", "桥梁"),
    ("河", "江", "河流"),
    ("博物馆",),
)


def befell(view: View, start: int, relation: Relation) -> float:
    """How surely what the word at `start` of a sentence tells befell the subject of the view, 0 to 1.

    Args:
        view: The sentence.
        start: Where the word that tells of the event starts, in the sentence.
        relation: What is asked: a thing that the relation's own words name is no other thing.
    """
    if re.search(f"[{HAN}]", view.sentence[start : start + 2]):
        return _befell_zh(view, start)
    cuts = [cut.end() for cut in _CUT.finditer(view.sentence, 0, start)]
    left = cuts[-1] if cuts else 0
    phrase = view.sentence[left:start]
    if any(a < start and left < b for a, b in view.mentions):
        return 1.0
    phrase = _TIME.sub("", phrase[:1].lower() + phrase[1:])
    while (shorter := _AUXILIARY.sub("", phrase.rstrip())) != phrase:
        phrase = shorter
    thing = _THING.match(phrase)
    if thing is None or relation.cues.search(thing["words"]):
        return 1.0
    head = thing["words"].split()[-1]
    if thing["which"] in _FURTHER:
        return ANOTHER
    if head in _WORK:
        return 1.0
    if thing["which"] not in {"the", "this"} or thing["rest"].strip():
        return ANOTHER
    called = _called(view.title, view.passage.text[:20_000])
    if head in called or _KIN.get(head, frozenset()) & called:
        return 1.0
    return UNSURE if not left and not called else ANOTHER


def all_befell_another(asked: Asked, view: View, told: Sequence[tuple[int, int, float]]) -> bool:
    """Whether all that a line of an ordinary document tells of the event asked for befell something else.

    Args:
        asked: The question.
        view: The line, not yet seen with the subject in mind.
        told: Where it tells of the event, from `weighing.cues`.
    """
    relation = asked.relation
    if relation is None or relation.kind != "date" or not asked.subjects or not told:
        return False
    mentions = tuple(Subject(asked.subjects[0]).mentions(view.sentence, known=True))
    seen = replace(view, mentions=mentions, title=heading(view.passage))
    if relation.life is not None:
        return bool(mentions) and all(binding(seen, *cue[:2], strict=True) < ANOTHER for cue in told)
    return all(befell(seen, cue[0], relation) <= ANOTHER for cue in told)


@lru_cache(maxsize=256)
def _called(title: str, text: str) -> frozenset[str]:
    """The plain words a page calls its subject by."""
    opening = text[:400]
    defined = [found["what"] for found in (*_DEFINED.finditer(opening), *_OPENS.finditer(opening))][:2]
    words = [word for what in defined for word in _NARROWED.split(what)[0].split()]
    references = Counter(fold(found["what"]) for found in _REFERS.finditer(text))
    most = max(references.values(), default=0)
    return frozenset([*fold(title).split(), *words, *(word for word, count in references.items() if count == most)])


def _befell_zh(view: View, start: int) -> float:
    sentence = view.sentence
    cuts = [cut.end() for cut in _CUT_ZH.finditer(sentence, 0, start)]
    left = cuts[-1] if cuts else 0
    if any(a < start and left < b for a, b in view.mentions):
        return 1.0
    clause = sentence[left:start]
    for date in reversed(find_dates(clause)):
        clause = clause[: date.start] + clause[date.end :]
    thing = _IDLE_ZH.sub("", clause).strip()
    if _SELF_ZH.search(thing) or not re.fullmatch(f"[{HAN}]{{2,8}}", thing):
        return 1.0
    called = _called_zh(view.title, view.passage.text[:4_000])
    if thing.endswith(tuple(called)):
        return 1.0
    return UNSURE if not left and not called else ANOTHER


@lru_cache(maxsize=256)
def _called_zh(title: str, text: str) -> frozenset[str]:
    """The plain words a Chinese page calls its subject by."""
    defined = [match["what"] for match in _DEFINED_ZH.finditer(text[:200])][:1]
    names = (*defined, title.strip("《》"))
    kin = [word for kind in _KINDS_ZH if any(name.endswith(kind) for name in names) for word in kind]
    return frozenset([*(what[-2:] for what in defined), *kin])
