"""Names near the question's own words: the reading of a question whose relation no table knows.

Nothing but the words vouches for such a value, so nearly all of them have to be there.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.phrases import is_person, own_names
from nodes.rules.reading.places import is_country
from nodes.rules.reading.standing import View
from nodes.rules.reading.subject import Subject
from nodes.rules.reading.weighing import ranked
from nodes.rules.words import coverage, stem, terms
from text.language import HAN
from text.patterns import lazy

_GROUP: Final = lazy(
    r"(?i)\b(?:University|College|School|Company|Corporation|Inc|Records|Institute|Institution|Association|Party|Church|Club|United|"
    r"Press|Group|Council|Agency|Society|Museum|Organization|Organisation|Team|Band)\b|大学|公司|集团|学院|出版社|党|队|俱乐部|银行|协会"
)
_CLAUSE: Final = lazy(r"[,;，；。:：()（）]|、")
_TITLE: Final = lazy("《([^《》]{1,60})》")


def nearby(asked: Asked, subject: Subject, views: Iterable[View]) -> Iterator[Candidate]:
    """Names of the wanted kind in sentences that hold nearly all words of the question."""
    needed = tuple(word for word in asked.all_words if word not in subject.terms)
    extra = needed if asked.relation is None else asked.words
    for view in views:
        present = {*view.terms, *terms(view.title)}
        share = coverage(extra, present) if extra else 0.6
        cue = asked.relation is not None and bool(asked.relation.cues.search(view.sentence))
        if asked.relation is not None and not cue:
            continue
        if (
            asked.relation is not None
            and asked.relation.kind == "person"
            and asked.relation.nouns.search(view.sentence)
        ):
            continue  # the noun's own slots have been looked at
        if share < 0.5 or (not extra and not cue):
            continue
        for start, end, text in _names(asked, view):
            if subject.same(text) or set(terms(text)) <= set(asked.all_words):
                continue
            fit = _fit(asked, view, start, end, text)
            if fit:
                yield Candidate(
                    text,
                    0.72 * ranked(asked, view) * share * fit * view.about * _near(view, extra, start, end),
                    view,
                    start,
                    end,
                )


def _names(asked: Asked, view: View) -> Iterator[tuple[int, int, str]]:
    if asked.kind == "work":
        for title in _TITLE.finditer(view.sentence):
            yield *title.span(1), title[1]
    for name in own_names(view):
        yield name.start, name.end, name.text


def _fit(asked: Asked, view: View, start: int, end: int, text: str) -> float:
    if asked.kind == "person":
        return 1.0 if is_person(view, (start, end)) else 0.0
    if asked.kind == "country":
        return 1.0 if is_country(text) else 0.0
    if asked.kind == "group":
        return 1.0 if _GROUP.search(text) else 0.65
    if asked.noun and not re.search(f"[{HAN}]", asked.noun):
        wanted = stem(asked.noun.split()[-1])
        around = view.sentence[max(0, start - 30) : end + 20]
        return 1.0 if wanted in terms(text) or wanted in terms(around) else 0.6
    if asked.noun:
        return 1.0 if asked.noun[-1] in text else 0.7
    return 0.8


def _near(view: View, words: Iterable[str], start: int, end: int) -> float:
    """How close the name stands to the question's words."""
    wanted = set(words)
    places = [
        m.start() for m in re.finditer(rf"[^\W_{HAN}]+|[{HAN}]{{2}}", view.sentence) if wanted & set(terms(m.group()))
    ]
    if not places:
        return 0.7
    distance = min(min(abs(p - start), abs(p - end)) for p in places)
    return max(0.55, 1 - distance / 250)
