"""Whether what was read is enough to stop at, where no model judges that."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from nodes.agreement import LEAST_SHARE
from nodes.reader import Judgement
from nodes.rules.reading.asked import analyse
from nodes.rules.words import coverage, terms
from nodes.strangers import unspoken_of
from state import Evidence, JsonValue, Language

SURE: Final = 0.5
"""Confidence from which a reading by rule is enough. Of what `benchmarks/answers.py` reads with less, nearly all is
right as well: so further turns look for better, and what is all there is stays."""

ABOUT: Final = 0.6
"""Share of the words for what a question is about that a passage needs for its page to be worth opening."""

FIRST: Final = 0.3
"""What the first place in a result list is worth, against saying all words of the question, or being titled so."""

_DATE: Final = re.compile(r"-?\d{4,}(?:-\d\d){0,2}")
_WEAK: Final[dict[Language, str]] = {
    "en": "not sure: looking further brought nothing better",
    "zh": "把握不大：继续查找没有更好的结果",
}


def enough(judgement: Judgement, question: str, passages: Sequence[Evidence]) -> bool:
    """Whether a task may stop at a judgement: a model's value always; a rule's if it is sure and about the subject.

    Args:
        judgement: What was read.
        question: The task, its references filled.
        passages: What it was read from.
    """
    reading = judgement.reading
    if reading.value is None or judgement.decided_by == "model":
        return reading.value is not None
    cited = [passage for passage in passages if passage.id in reading.evidence_ids]
    # That sources disagree is told, and no reason to look on for what they would agree about.
    least = SURE * LEAST_SHARE if reading.rivals else SURE
    return reading.confidence >= least and unspoken_of(question, cited) is None


def unsettled(judgement: Judgement) -> bool:
    """Whether one more source should be heard: one alone gives a figure or a date, or one stands against another.

    Args:
        judgement: What was read.
    """
    reading = judgement.reading
    exact = isinstance(reading.value, int | float) and not isinstance(reading.value, bool)
    return reading.support == 1 and (exact or _is_date(reading.value) or bool(reading.rivals))


def _is_date(value: JsonValue) -> bool:
    return isinstance(value, str) and _DATE.fullmatch(value) is not None


def doubted(judgement: Judgement, language: Language) -> Judgement:
    """A judgement that is not enough and has to do, with a word that says so."""
    missing = "; ".join(words for words in (_WEAK[language], judgement.reading.missing) if words)
    return judgement.model_copy(update={"reading": replace(judgement.reading, missing=missing)})


def worth_opening(question: str, passages: Iterable[Evidence]) -> list[Evidence]:
    """The passages that speak of what a question is about, those first whose pages promise most.

    Search results rarely say what is asked, so what they are titled counts as much as what they say: a page titled as
    its subject and nothing else is the one that tells its particulars.

    Args:
        question: The task, its references filled.
        passages: What was found.
    """
    subjects = analyse(question, "text").subjects
    wanted = set(terms(question))
    about = set(terms(subjects[0])) if subjects else wanted
    rated = []
    for passage in passages:
        title = {*terms(passage.title)}
        said = title | {*terms(passage.text)}
        if coverage(about, said) >= ABOUT and unspoken_of(question, [passage]) is None:
            titled = 2 * len(about & title) / (len(about) + len(title) or 1)
            rated.append((titled + coverage(wanted, said) + FIRST / passage.rank, passage))
    return [passage for _, passage in sorted(rated, key=lambda pair: -pair[0])]
