"""The sentence that comes nearest to a question which nothing answers: shown as that, never as an answer."""

import re
from collections.abc import Sequence
from typing import Final

from nodes.rules.reading.likeness import Word, said, words_of
from nodes.rules.reading.lines import Line, lines
from state import Evidence, Language, Quote
from text.language import HAN, clean
from text.names import names

LEAST: Final = 0.5
"""Share of the question's other words that the sentence, with its heading, has to say."""

_LONGEST: Final = 400


def nearest(question: str, passages: Sequence[Evidence], language: Language) -> Quote | None:
    """The one sentence that shares most with a question.

    Args:
        question: The question.
        passages: The passages that were searched, best first.
        language: The question's language.

    Returns:
        The sentence, verbatim; None unless every name and identifier of the question occurs in its passage or title,
        and at least half of its other content words in the sentence or the headings above it.
    """
    text = clean(question)
    words = words_of(text)
    named = {name.text.casefold() for name in names(text)} if language == "zh" else set[str]()
    proper = [word for word in words if word.name or (word.chinese and any(n in word.text for n in named))]
    others = [word for word in words if word not in proper and word.weight >= LEAST]
    if not others:
        return None
    best: tuple[float, Line] | None = None
    for line in lines(passages):
        if len(line.text) > _LONGEST or len(line.text) < len(text) / 4:
            continue
        whole = said(f"{line.passage.title}\n{line.passage.text[:8_000]}")
        if any(not _named(word, named, whole.text) if word.chinese else not whole.has(word) for word in proper):
            continue
        share = _share(others, line)
        if share >= LEAST and (best is None or share > best[0] + 1e-9):
            best = share, line
    return None if best is None else Quote(evidence_id=best[1].passage.id, text=best[1].text)


def _named(word: Word, known: set[str], text: str) -> bool:
    return all(name in text for name in known if name in word.text)


def _share(others: Sequence[Word], line: Line) -> float:
    """The share of the words that the sentence says, with its headings; its own words decide between equals."""
    own, above = said(line.text), said(" ".join((line.key, line.lead if line.keyed else "", *line.heads)))
    total = sum(word.weight for word in others)
    reached = mine = 0.0
    for word in others:
        here = _full(own.has(word), word)
        mine += word.weight * here
        reached += word.weight * max(here, _full(above.has(word), word))
    if mine < total * 0.2 or not mine:
        return 0.0
    return reached / total + 0.1 * mine / total if reached / total >= LEAST else 0.0


def _full(level: float, word: Word) -> float:
    """A stretch of Chinese counts as far as it is there, from half of it on."""
    return (level if level >= LEAST else 0.0) if re.match(f"[{HAN}]", word.text) else level
