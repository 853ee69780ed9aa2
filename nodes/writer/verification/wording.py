"""The wording of a claim against its sources: denials, opposites, members of one class, and words that come from nowhere."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.writer.verification.clauses import (
    Clause,
    content_words,
    match_keys,
    overlap,
    split_clauses,
    topic_keys,
)
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.text.common_words import is_common
from weiwo.text.contrasts import classes, opposites
from weiwo.text.demonyms import find_countries
from weiwo.text.language import HAN, fold
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS, stem

CLOSE: Final = 0.34
"""Overlap from which two clauses speak of the same."""
SUBSTITUTED: Final = 0.6
"""Share of a statement's words that its sources have, from which a rare word among them was put in place of another."""
NEARLY: Final = 0.85
"""Share of the best overlap from which another clause counts as well."""

_THAN: Final = lazy(r"(?i)\bthan\b|比")
_WITH: Final = lazy(r"(?i)\b(with|without)\s([^,.;:]{1,40})")
_NEGATIVE: Final = lazy(r"(?:不|没|未|无|非).")
_OBJECT: Final = lazy(
    r"(?i)\b(?:depends? on|relies on|requires?|needs?|uses?|using|written in|built (?:on|with|in|from)|based on|made (?:of|from)|stored in"
    r"|kept in|runs? on|supports?|returns?|imports?|calls?|is an?|was an?|are|were|is|was|into|because of|due to|shows?|serves?|contains?|become|becomes|became|turned into|sells?|produces?|plays?|eats?|feeds on|called|by an?|with an?)\s"
    r"((?:[a-z-]+ ){0,2}?[a-z-]+)(?=[,.;:!?)]|$|\s(?:and|or|from|in|on|at|for|of|by|with|to|since|as|which|that|who|while|but|instead|when|where|because)\b)"
)
_AGAIN: Final = lazy(r"\bre-(?=[a-z])")
_PARTICIPLE: Final = lazy(
    r"(?:writt|giv|tak|driv|chos|spok|brok|froz|stol|beat|eat|fall|hidd|forbidd|prov|ris|shak|wok|wov)en|known|grown|shown|thrown|drawn|worn|born|torn|built|sent|spent|lost|kept|left|sold|told|held|made|paid|said|found|bought|brought|taught|caught|thought|won|run|set|put|cut|shut|hit|done|gone|begun|sung|sunk"
)
_SOFT: Final = frozenset(
    stem(word)
    for word in [
        "available",
        "possible",
        "common",
        "different",
        "similar",
        "part",
        "way",
        "case",
        "reason",
        "result",
        "kind",
        "type",
        "number",
        "amount",
        "level",
        "people",
        "person",
        "staff",
        "member",
        "half",
        "year",
        "month",
        "week",
        "day",
        "hour",
        "minute",
        "second",
        "time",
        "place",
        "thing",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "same",
        "free",
        "open",
        "located",
        "known",
        "called",
        "considered",
        "based",
        "required",
        "needed",
        "used",
        "made",
        "done",
        "given",
        "found",
        "shown",
        "able",
        "unable",
        "likely",
        "unlikely",
        "due",
        "worth",
        "responsible",
        "involved",
        "included",
        "listed",
        "set",
        "kept",
        "held",
        "used",
        "sold",
        "bought",
        "paid",
        "million",
        "billion",
        "thousand",
        "hundred",
        "percent",
        "metre",
        "meter",
        "kilometre",
        "kilometer",
        "kilogram",
        "gram",
        "mile",
        "euro",
        "dollar",
        "pound",
        "pence",
        "maximum",
        "minimum",
        "average",
        "total",
        "against",
        "following",
        "more",
        "less",
        "most",
        "least",
        "higher",
        "lower",
        "larger",
        "smaller",
        "older",
        "younger",
        "earlier",
        "later",
        "newer",
        "better",
        "worse",
        "longer",
        "shorter",
        "little",
        "much",
        "many",
        "few",
        "several",
        "enough",
        "other",
        "another",
        "difference",
        "advantage",
        "disadvantage",
        "option",
        "choice",
        "answer",
        "home",
        "advance",
        "general",
        "addition",
        "order",
        "fact",
        "example",
    ]
)
_TOKEN: Final = lazy(rf"[^\W\d_{HAN}]+(?:['’-][^\W\d_{HAN}]+)*")


def find_contradiction(statement: str, grounds: Grounds) -> Iterator[str]:
    """Clauses of a statement that deny what the closest clause of the sources says, or say another word of its class."""
    known = [clause for source in grounds.sources for clause in source.clauses]
    keys = frozenset().union(*(clause.keys for clause in known)) if known else frozenset()
    for part in split_clauses(statement):
        claim = Clause(part)
        if not claim.stems:
            continue
        core = Clause(_without_names(part))
        scored = [(max(overlap(claim, clause), 0.9 * overlap(core, clause)), clause) for clause in known]
        best = max((score for score, _ in scored), default=0.0)
        near = [
            clause
            for score, clause in sorted(scored, key=lambda pair: -pair[0])[:12]
            if score >= max(CLOSE, NEARLY * best)
        ]
        found = [conflict for clause in near if (conflict := _conflict(claim, core, clause)) is not None]
        if found and all(found):
            yield found[0]
            continue
        yield from _other_member(claim, [clause for score, clause in scored if score >= max(0.2, 0.6 * best)], keys)


def _without_names(text: str) -> str:
    for name in reversed(names(text)):
        text = f"{text[: name.start]} {text[name.end :]}"
    return text


def _conflict(claim: Clause, core: Clause, source: Clause) -> str | None:
    """How a clause denies another: the words; empty where both agree; None where it cannot be told."""
    if _with_or_without(claim, source):
        return f"“{source.text.strip()[:120]}” says the opposite"
    shared = claim.axes.keys() & source.axes.keys()
    turned = _turned(claim, source)
    if shared:
        against = [axis for axis in shared if claim.axes[axis] != source.axes[axis] * turned]
        if against and not re.search(r"\d", claim.text) and source.whole:
            sides = [Clause(part).axes for part in split_clauses(source.whole)]
            if any(side.get(axis) == claim.axes[axis] * turned for side in sides for axis in against):
                return None  # the sentence says both, of different things
        if against:
            return f"“{source.text.strip()[:120]}” says the opposite"
    for group in claim.members.keys() & source.members.keys():
        if claim.members[group].isdisjoint(source.members[group]):
            return f"“{source.text.strip()[:120]}” says another"
    if _parity(claim, source):
        return ""
    denied = {
        word
        for word in (claim if claim.negations % 2 else source).denied
        if not any(axis in shared for axis, _ in opposites().get(word, ()))
    }
    other = source if claim.negations % 2 else claim
    if not any(not topic_keys(word).isdisjoint(other.topics) for word in denied):
        return None
    words = [word for word in core.stems if not word[0].isdigit()]
    met = sum(not topic_keys(word).isdisjoint(source.topics) for word in words)
    alike = max(overlap(claim, source), 0.9 * overlap(core, source)) >= (0.5 if claim.text.isascii() else 0.35)
    return f"“{source.text.strip()[:120]}” says the opposite" if alike and words and met >= 0.5 * len(words) else None


def _with_or_without(claim: Clause, source: Clause) -> bool:
    """Whether one says "with" of what the other says "without"."""
    kinds = []
    for clause in (claim, source):
        found: dict[str, set[str]] = {"with": set(), "without": set()}
        for match in _WITH.finditer(clause.text):
            found[match[1].lower()].update(list(content_words(match[2]))[:2])
        kinds.append(found)
    return bool(kinds[0]["with"] & kinds[1]["without"] or kinds[0]["without"] & kinds[1]["with"])


def _parity(claim: Clause, source: Clause) -> bool:
    """Whether both deny or both affirm; Chinese denials that both write alike are left out."""
    alike = set(_NEGATIVE.findall(claim.text)) & set(_NEGATIVE.findall(source.text))
    drop = [sum(word in text for word in alike) for text in (claim.text, source.text)]
    return (claim.negations - drop[0]) % 2 == (source.negations - drop[1]) % 2


def _turned(claim: Clause, source: Clause) -> int:
    """-1 where a comparison has its two sides the other way round in the source, else 1."""
    sides = [_THAN.split(clause.text, maxsplit=1) for clause in (claim, source)]
    if any(len(pair) < 2 for pair in sides):
        return 1
    (first, second), (one, other) = ([set(content_words(side)) for side in pair] for pair in sides)
    straight, crossed = len(first & one) + len(second & other), len(first & other) + len(second & one)
    return -1 if crossed > straight else 1


def _other_member(claim: Clause, near: list[Clause], keys: frozenset[str | int]) -> Iterator[str]:
    """Words of a class that no source has while the clauses close to the claim have another of that class."""
    table = classes()
    for group, members in claim.members.items():
        others = {member for clause in near for member in clause.members.get(group, ())}
        if others and members.isdisjoint(others):
            words = [
                word for word, places in table.items() if any(place == (group, m) for place in places for m in members)
            ]
            if not any(word in keys for word in words):
                yield f"“{next((w for w in words if w in fold(claim.text)), words[0])}”: the sources say another"


def find_foreign_words(statement: str, grounds: Grounds, question: str) -> Iterator[str]:
    """Specific words of a statement that occur in no source, and statements most of whose words do not."""
    keys = {
        key for source in grounds.sources for clause in (*source.sentences, Clause(source.title)) for key in clause.keys
    }
    keys |= {key for word in content_words(question) for key in match_keys(word)}
    text = " ".join(source.text for source in grounds.sources)
    skip = [(start, end) for start, end, _ in find_countries(statement)] + [(n.start, n.end) for n in names(statement)]
    objects = {fold(found[1]).split()[-1] for found in _OBJECT.finditer(statement)}
    rare: list[str] = []
    for found in _TOKEN.finditer(_AGAIN.sub("re", statement)):
        word = found.group()
        if word.endswith(("n't", "n’t")):
            continue
        plain = fold(word)
        if plain in FUNCTION_WORDS or len(plain) < 3 or any(a <= found.start() < b for a, b in skip):
            continue
        if all(not match_keys(part).isdisjoint(keys) for part in content_words(word)) or plain in text:
            continue
        parts = [part for part in re.split(r"[-’']", plain) if len(part) > 2]
        if (
            plain in objects
            and stem(plain) not in _SOFT
            and not plain.endswith(("ed", "ing", "ly"))
            and not _PARTICIPLE.fullmatch(plain)
        ):
            yield f"“{word}”: it stands in no cited source"
        elif not all(is_common(part) for part in parts):
            rare.append(word)
    words = {word for word in content_words(statement) if not word[0].isdigit()}
    met = sum(not match_keys(word).isdisjoint(keys) for word in words) / max(1, len(words))
    if rare and (met >= SUBSTITUTED or len(words) <= 3):
        yield from (f"“{word}”: it stands in no cited source" for word in rare)
