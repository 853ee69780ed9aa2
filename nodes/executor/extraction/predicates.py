"""Predicates: the verb by which a clause says a relation, and whether its grammatical subject is ours."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence
from weiwo.state import JsonValue
from weiwo.text.patterns import lazy


@dataclass(frozen=True)
class StatedValue:
    """A value that a line gives, in its data form and as written, with where clause and value stand in the line.

    `approximate` says that the line hedges it, `years` the years to which the line dates a figure.
    """

    value: JsonValue
    shown: str
    start: int
    end: int
    unit: str = ""
    approximate: bool = False
    years: tuple[int, ...] = ()


_UNSURE: Final = lazy(
    r"\b(?:[Pp]robably|[Pp]ossibly|[Pp]erhaps|allegedly|supposedly|reportedly|presumably|traditionally|[Ll]egends?|may"
    r"|might|rumou?red|believed|thought to|said to|disputed|uncertain|unknown|fictional|if|not|never|planned|scheduled"
    r"|expected|proposed|will|would)\b|据说|传说|相传|一说|可能|据传|疑似|大概|或许|未必|并非|预计|计划|将于|拟|如果|尚未|没有|假如"
)


def vouched(line: str, value: StatedValue) -> bool:
    """Whether the clause that gives a value vouches for it, without "probably" or "planned"."""
    return _UNSURE.search(line[max(0, value.start - 40) : value.end]) is None


_INTRANSITIVE: Final = lazy(
    "died|dies|passed away|premiered|opened|launched|came out|took place|happened|occurred|began|started|ended|lies"
)
_PARTICIPLE: Final = lazy(r"[a-z]{2,14}ed|born|built|held|set up|begun|broke out")
_DEFINITION: Final = lazy(r"(?:is|was|are|were)\s(?:an?|the)\s(?:[\w'’“”\"-]+\s){0,9}$")
_LOOSE: Final = lazy(r"\b(?:of|in|on|by|for|from|with|about|based|that|wh\w+|or|at|to|after|starring)\s")


@lru_cache(maxsize=256)
def find_cues(words: tuple[str, ...]) -> re.Pattern[str]:
    """The words of a relation that may be the verb of a clause which dates something."""
    verbs = [word for word in words if _INTRANSITIVE.fullmatch(word) or _PARTICIPLE.fullmatch(word)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, verbs))})\b" if verbs else "(?!)")


def predicate_start(sentence: Sentence, cue: re.Match[str]) -> int:
    """Where the predicate of a verb starts whose grammatical subject is ours; -1 where it is another's."""
    text = sentence.text
    start, auxiliary = sentence.verb_start(cue.start())
    if sentence.governs(start) and (auxiliary or _INTRANSITIVE.fullmatch(cue[0])):
        return start
    if auxiliary or (start and _INTRANSITIVE.fullmatch(cue[0])):
        return -1
    floor = max(0, start - 140)
    definition = _DEFINITION.search(text[floor:start])
    if definition and not _LOOSE.search(definition[0]) and sentence.governs(floor + definition.start()):
        return floor + definition.start()
    return 0 if start == 0 and is_fronted(sentence, cue.end()) else -1


def is_fronted(sentence: Sentence, at: int) -> bool:
    """Whether the subject follows an opening participle: "Born in Rome in 1950, S"."""
    first = next((start for start, _ in sentence.mentions), -1)
    if first >= 0:
        between = sentence.text[at:first]
        return (
            len(between) < 100 and between.count(",") <= 3 and re.search(r",\s(?:the\s)?[\"“]?$", between) is not None
        )
    pronoun = re.match(r"(?:\s\([^()]{1,60}\))?[^;()]{0,100}?,\s(?:he|she|it)\s", sentence.text[at:])
    return pronoun is not None and sentence.focus and not any(end <= at for _, end in sentence.others)


@lru_cache(maxsize=256)
def find_cues_zh(words: tuple[str, ...]) -> re.Pattern[str]:
    """The words of a relation in a Chinese clause, the longest first."""
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)")
