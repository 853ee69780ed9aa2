"""Sentences that answer as they stand: explanations, definitions, and whether something is so."""

import re
from collections.abc import Sequence
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.standing import View
from nodes.rules.reading.wants import is_definition
from nodes.rules.words import coverage, terms
from text.patterns import lazy

_CAUSE: Final = lazy(
    r"(?i)\b(?:because|due to|owing to|since|so that|in order to|caused by|as a result|therefore|"
    r"led to|resulted?|reason|thanks to)\b"
    r"|因为|由于|因此|所以|为了|因而|导致|使得|原因|以便"
)
_NEGATION: Final = lazy(
    r"(?i)\b(?:not|no|never|neither|nor|without|none|n't|cannot|failed to|denied|nobody|nothing)\b|n['’]t\b"
    r"|(?:并|从|也|都)?(?:不|没有?|未|无|非|否认)(?!同|仅|但|久|断|少|过|朽|丹|管|论|限|数|法国|机|锡|线|洲)"
)


def negated(text: str) -> bool:
    """Whether a statement denies something."""
    return bool(_NEGATION.search(text))


def explanation(asked: Asked, views: Sequence[View]) -> list[Candidate]:
    """The sentences that together say most of what the question asks about, in the order of the text.

    Args:
        asked: An open question.
        views: Sentences about its subject.

    Returns:
        At most two neighbouring sentences; none unless they cover over half of the question's words.
    """
    whole = not asked.attribute and asked.relation is None
    thing = whole and bool(is_definition(asked.text) or (asked.open and not asked.words))
    best: list[tuple[float, View]] = []
    for position, view in enumerate(views):
        neighbours = [v for v in views[max(0, position - 1) : position + 2] if v.passage is view.passage]
        context = {*terms(view.title), *(t for v in neighbours for t in v.terms if v is not view)}
        own = coverage(asked.words, view.terms) if asked.words else 1.0
        wide = coverage(asked.words, {*view.terms, *context}) if asked.words else 1.0
        score = view.about * (0.75 * own + 0.25 * wide)
        if not asked.words:
            score *= 0.5
        if asked.attribute and not _gives(asked.attribute, view.sentence):
            score *= 0.4
        if asked.kind == "reason":
            score *= 1.1 if _CAUSE.search(view.sentence) else 0.8
        if thing:
            score = view.about * _defines(view)
        if score >= (0.5 if thing else 0.55):
            best.append((min(1.0, score), view))
    best.sort(key=lambda pair: (-pair[0], pair[1].place, pair[1].start))
    if not best:
        return []
    top, view = best[0]
    chosen = [(top, view)]
    chosen += [
        (score, other)
        for score, other in best[1:6]
        if other.passage is view.passage and score >= 0.85 * top and abs(other.start - view.start) < 400
    ][:1]
    chosen.sort(key=lambda pair: pair[1].start)
    return [Candidate(v.sentence, score, v, 0, len(v.sentence)) for score, v in chosen]


def _gives(attribute: str, sentence: str) -> bool:
    """Whether a sentence goes on from a noun to say what it is."""
    return bool(
        re.search(
            rf"(?i){re.escape(attribute)}.{{0,12}}?(?:是|为|叫|：|:|“|\b(?:is|was|are|were|named|called)\b)", sentence
        )
    )


def _defines(view: View) -> float:
    """Whether the sentence says what its subject is: a copula right behind the name at its start."""
    if not view.mentions or view.mentions[0][0] > 30:
        return 0.4
    behind = view.sentence[view.mentions[0][1] : view.mentions[0][1] + 120]
    if re.match(r"[^.;。；]{0,110}?(?:\b(?:is|was|are|were|refers to|means)\b|是|指|为)", behind):
        return 1.0 if view.start <= 200 else 0.85
    return 0.6


def verdict(asked: Asked, views: Sequence[View]) -> tuple[bool, Candidate] | None:
    """Whether what a yes/no question asks is stated or denied.

    Args:
        asked: A yes/no question.
        views: Sentences about its subject.

    Returns:
        The answer with the sentence it rests on; None where no sentence speaks of it. What the passages don't mention
        is not thereby false.
    """
    best: tuple[float, View] | None = None
    for view in views:
        share = coverage(asked.words, {*view.terms, *terms(view.title)}) if asked.words else 0.0
        if asked.relation is not None and not asked.relation.cues.search(view.sentence):
            share *= 0.6
        score = view.about * share
        if score >= 0.75 and (best is None or score > best[0]):
            best = (score, view)
    if best is None:
        return None
    score, view = best
    denied = negated(view.sentence) != negated(asked.text)
    return not denied, Candidate(not denied, 0.9 * score, view, 0, len(view.sentence))
