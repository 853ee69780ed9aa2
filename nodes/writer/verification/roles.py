"""Roles: names that the sources have the other way round with the same verb."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.writer.verification.clauses import match_keys
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import name_words
from weiwo.text.language import HAN
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import stem

_BY: Final = lazy(r"\bby\s(?:the\s|a\s|an\s)?")
_BE: Final = frozenset(
    [
        "is",
        "was",
        "were",
        "are",
        "been",
        "being",
        "be",
        "am",
        "has",
        "had",
        "have",
        "did",
        "does",
        "do",
        "will",
        "would",
        "can",
        "may",
        "must",
    ]
)
_BETWEEN: Final = lazy(
    r"^\s*+(?:\([^()]{0,60}\)\s*+)?,?\s*+(?:who|which|that)?\s*+(?:(?:has|had|have|also|first|later|then|originally|again|did|does)\s)*([a-z]{2,20})\b(\s(?:by|[a-z]+ed)\b)?"
)
_PLACED: Final = lazy(r"\b(?:in|of|at|from|on|near|for)\s$")
_VERBAL: Final = lazy(
    r"(?:[a-z]{2,}(?:ed|s)|won|beat|lost|led|wrote|gave|bought|sold|taught|built|made|took|held|fed|found|founded|met|sent|paid|left|ran|sang|drew|became|overtook|chose|sell|give|buy|pay|lend|lent|owe|teach|study|beats)$"
)
_DONE: Final = (
    lazy(
        r"\b(?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very)\s(?P<a>[a-z-]{3,20})\s(?:(?:shall|must|will|would|may|can|has|have|had|is|was|to|be|also|only)\s){0,3}"
        r"(?P<verb>[a-z]{3,20})\s(?:the|an?|each|every|its|their)\s(?P<b>[a-z-]{3,20})\b"
    ),
    lazy(rf"(?P<a>[{HAN}]{{2,3}})[把将][^，。；：]{{1,24}}(?P<verb>给|予)了?(?P<b>[{HAN}]{{2,3}})"),
)
"""Who does what to whom, in small letters and in Chinese."""
Pairs = list[tuple[frozenset[str], frozenset[str]]]


@dataclass(frozen=True)
class _Roles:
    """Who does and who undergoes, by verb: pairs of the verb's keys and the words of a name."""

    agents: Pairs
    objects: Pairs


def find_swapped(statement: str, grounds: Grounds) -> Iterator[str]:
    """Names in roles that the sources give the other way round, for the same verb."""
    done = {found for source in grounds.sources for clause in source.sentences[:120] for found in _done(clause.text)}
    for agent, deed, patient in sorted(set(_done(statement)) - done):
        if agent != patient and (patient, deed, agent) in done:
            yield f"“{agent}”, “{patient}”: in the sources it is the other way round"
    claim = _roles(statement)
    if not claim.agents and not claim.objects:
        return
    known = [_roles(clause.text) for source in grounds.sources for clause in source.sentences[:120]]
    agents = [pair for roles in known for pair in roles.agents]
    objects = [pair for roles in known for pair in roles.objects]
    for mine, same, other in ((claim.agents, agents, objects), (claim.objects, objects, agents)):
        for verb, words in mine:
            if any(words & those for those in _who(other, verb)) and not any(
                words & those for those in _who(same, verb)
            ):
                yield f"“{' '.join(sorted(words))}”: in the sources it is the other way round"


def _roles(text: str) -> _Roles:
    agents: Pairs = []
    objects: Pairs = []
    passive = [(m.end(), _participle(text[max(0, m.start() - 60) : m.start()])) for m in _BY.finditer(text)]
    for name in names(text):
        words = frozenset(word for word in name_words(name.text) if not word.isdigit())
        if not words or re.search(f"[{HAN}]", name.text):
            continue
        by = [verb for end, verb in passive if 0 <= name.start - end <= 30 and verb]
        if by:
            agents.append((match_keys(stem(by[-1])), words))
        behind = _BETWEEN.match(text[name.end : name.end + 90])
        appended = behind and re.match(r"\s*,\s*(?!who|which|that)", behind[0])
        if (
            behind
            and not appended
            and behind[1] not in _BE
            and _VERBAL.match(behind[1])
            and (behind[2] or "").strip() != "by"
            and not _PLACED.search(text[max(0, name.start - 6) : name.start])
        ):
            agents.append((match_keys(stem(behind[1])), words))
        elif behind and behind[1] in {"was", "were", "is", "are", "been"}:
            done = re.match(
                r"\s*(?:\w+ly\s)?([a-z]{3,20})\b", text[name.end + behind.end(1) : name.end + behind.end(1) + 40]
            )
            if done and _VERBAL.match(done[1]):
                objects.append((match_keys(stem(done[1])), words))
        if not by and (verb := _last_verb(text[max(0, name.start - 60) : name.start])):
            objects.append((match_keys(stem(verb)), words))
    return _Roles(agents, objects)


def _done(text: str) -> Iterator[tuple[str, str, str]]:
    """Agent, verb and object of each simple clause, by their stems; none that is passive."""
    for pattern in _DONE:
        for found in pattern.finditer(text):
            behind = text[found.end("verb") : found.start("b")]
            if found["verb"] not in _BE and " by " not in behind:
                yield stem(found["a"]), stem(found["verb"]), stem(found["b"])


def _participle(before: str) -> str:
    """The verb before a "by", at most three words back."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-3:]
    return next((word for word in reversed(words) if word not in _BE and _VERBAL.match(word)), "")


def _last_verb(before: str) -> str:
    """The verb whose object follows: the last one in the same clause, at most five words back, without a "by"."""
    words = re.split(r"[,.;:()]", before)[-1].split()[-5:]
    verbs = (w for w in reversed(words) if w.isalpha() and w.islower() and _VERBAL.match(w) and w not in _BE)
    return "" if "by" in words else next((w for w in verbs if not w.endswith("s") or w.endswith("ds")), "")


def _who(pairs: Pairs, verb: frozenset[str]) -> Iterator[frozenset[str]]:
    return (words for keys, words in pairs if keys & verb)
