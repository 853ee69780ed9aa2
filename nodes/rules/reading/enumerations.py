"""Lists as sentences write them: "Vienna, Bratislava, Budapest and Belgrade", 青海、四川和湖北, 《呐喊》《彷徨》."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from nodes.rules.reading.asked import Asked
from nodes.rules.reading.standing import View
from nodes.rules.words import coverage, terms
from text.language import HAN
from text.lists import split_items
from text.patterns import lazy

LEAST_COVERAGE: Final = 0.55
"""Share of the question's words that a sentence needs before its list is taken for the answer."""

_BETWEEN: Final = lazy(r"(?:, and |, | and )(?:the )?[\"“]?")
_RUN_ZH: Final = lazy(r"[^，。；：、（）\s“”]{1,30}(?:、[^，。；：、（）\s]{1,14})+")
_OPENS_ZH: Final = lazy("^.*(?:流经|包括|包含|分别|囊括|[是为有含：经由])")
_CLOSES_ZH: Final = lazy(r"(?:等|组成|构成|合称|并称|主演|出演|\d).*$")
_TITLES: Final = lazy("《[^《》]{1,60}》(?:[、和与及]{0,2}《[^《》]{1,60}》)+")


def enumerations(asked: Asked, views: Iterable[View]) -> Iterator[tuple[float, list[str], View]]:
    """Lists of two and more in sentences that hold most of the question's words.

    Args:
        asked: A question for several things.
        views: Sentences about its subject.

    Yields:
        A score from 0 to 1, the items as written, and their sentence.
    """
    for view in views:
        share = coverage(asked.all_words, {*view.terms, *terms(view.title)})
        if share < LEAST_COVERAGE and not (asked.relation and asked.relation.cues.search(view.sentence)):
            continue
        runs = _chinese(view) if re.search(f"[{HAN}]", view.sentence) else _english(view)
        for items in runs:
            kept = [item for item in items if not set(terms(item)) <= set(asked.all_words)]
            if len(kept) >= 2:
                yield share * view.about * (1.0 if len(kept) > 2 else 0.85), kept, view


def _english(view: View) -> Iterator[list[str]]:
    run: list[tuple[int, int]] = []
    for name in [*view.names, None]:
        if name is not None and run and _BETWEEN.fullmatch(view.sentence[run[-1][1] : name.start]):
            run.append((name.start, name.end))
            continue
        if len(run) >= 2:
            yield [view.sentence[a:b] for a, b in run]
        run = [(name.start, name.end)] if name is not None else []


def _chinese(view: View) -> Iterator[list[str]]:
    for titles in _TITLES.finditer(view.sentence):
        yield re.findall("《([^《》]+)》", titles.group())
    for run in _RUN_ZH.finditer(view.sentence):
        if "《" in run.group():
            continue
        written = _OPENS_ZH.sub("", run.group().split("、", 1)[0]) + "、" + run.group().split("、", 1)[1]
        head, _, tail = written.rpartition("、")
        items = split_items(f"{head}、{_CLOSES_ZH.sub('', tail)}")
        if all(len(item) <= 14 for item in items):
            yield items
