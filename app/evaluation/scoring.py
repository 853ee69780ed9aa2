"""Scoring of answers, for any kind of system.

An answer is matched against the known answer. The answer to an open question is also measured by the key facts it
tells, the stale values it presents as current, and the claims and citations that hold by its own check.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Final

from weiwo.app.evaluation.judge import ModelJudge
from weiwo.app.evaluation.question_set import Question
from weiwo.text.language import sentences, word_count
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.evaluation.answer_matching import AnswerText

ABSTAINED: Final = "abstained"
_CITATION: Final = lazy(r"\s?\[\d{1,3}(?:\s?[,，、]\s?\d{1,3}){0,20}\]")
_ABSTAINS: Final = lazy(
    r"(?:\b(?:not|cannot|unable to)|n['’]t)\b.{0,40}\b(?:say|tell|mention|state|contain|provide|specif|answer|determine"
    r"|found|find|know|include|identif|available|possible)|\binsufficient\b|\bno (?:relevant |clear |definite |such )?"
    r"(?:information|answer|passage|source|document|mention|evidence|record)|\bunknown\b|\bnothing definite\b"
    r"|(?:没有|没|未|未能|无法|不能).{0,12}(?:找到|提到|提及|说明|给出|确定|回答|得知|记载|包含|涉及|查到)|不知道|资料不足|无相关",
    re.IGNORECASE,
)

_HOLDS: Final = frozenset({"quoted", "computed", "supported", "matched", "judgement"})
_NEEDS_NONE: Final = "uncited"
_PAST: Final = lazy(
    r"\b(?:formerly|previously|originally|until|no longer|used to|superseded|replaced|outdated|obsolete|withdrawn"
    r"|earlier|older|old|before|was|were|had been|in the past)\b"
    r"|曾|原先|原来|原为|此前|以前|之前|旧|取代|废止|不再|过去|直到|截至|早先|作废|过时"
)


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """Answer of a system as seen by a reader, with the cost.

    Attributes:
        text: The statement, without citation marks.
        outcome: "asserted", "doubtful" (stated, and marked as incomplete or doubtful), or "abstained".
        shown: The passages shown beside it, if any.
        highlighted: The parts of these in bold.
        cited: The sources it cites or shows, each once.
        claims: Its claims, if it checks them: text, citations and verdict.
        values: The values it rests on, if it gives a confidence for them.
        confidence: The probability that the shown passages hold the answer, if nothing is stated.
        level: The level that Weiwo gave the question.
        calls: Calls of the model.
        tool_calls: Calls of tools.
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        cost: US dollars, or 0 if prices are not known.
        seconds: Wall time.
        error: The reason for a missing answer. Empty if there is an answer.
    """

    text: str = ""
    outcome: str = ABSTAINED
    shown: tuple[str, ...] = ()
    highlighted: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    claims: Sequence[Mapping[str, Any]] = ()
    values: Sequence[Mapping[str, Any]] = ()
    confidence: float | None = None
    level: str = ""
    calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    error: str = ""


System = Callable[[Question], Awaitable[SystemAnswer]]
"""A system under evaluation: answers a question."""


def strip_citations(text: str) -> str:
    """Remove citation marks from a text."""
    return _CITATION.sub("", text).strip()


def _read_citations(text: str) -> list[int]:
    """Return the numbers cited by a text, in order, without duplicates."""
    marks = (re.findall(r"\d+", mark[0]) for mark in _CITATION.finditer(text))
    return list(dict.fromkeys(int(number) for numbers in marks for number in numbers))


def abstains(text: str) -> bool:
    """Report whether a text is empty, or begins by saying that no answer is available.

    Only the first sentence counts, up to a semicolon and at most 300 characters.
    """
    first = next((text[start:end] for start, end in sentences(text)), text)
    return not text.strip() or _ABSTAINS.search(re.split("[;；]", first[:300])[0]) is not None


def _score_answer(question: Question, answer: SystemAnswer) -> dict[str, Any]:
    """Return a row of results: the answer and the figures.

    Returns:
        The fields of the answer, with `claims` replaced by `verdicts` (number of claims per verdict), `shown` and
        `highlighted` by their numbers, and `right` added to each of `values`. Then the figures: `right`, `f1`,
        `wrong_asserted`, `wrong_doubtful`, `on_screen`, `in_bold`, `gold_cited` and `citation_precision`.

        `f1` is 0 for an abstention and for an unanswerable question. `on_screen` and `in_bold` are None for yes/no and
        unanswerable questions. `gold_cited` is None if the set names no sources for the question, and
        `citation_precision` also if the answer cites none.
    """
    stated = answer.outcome != ABSTAINED
    told = stated == question.answerable and not answer.error
    right = told and (not stated or question.is_answered_by(answer.text))
    cited = frozenset(answer.cited)
    hits = len(cited & question.relevant)
    looked_for = question.answerable and not question.boolean
    row = asdict(answer)
    del row["claims"]
    return {
        **row,
        "verdicts": dict(Counter(str(claim["verdict"]) for claim in answer.claims)),
        "values": [{**value, "right": _judge_value(question, value)} for value in answer.values],
        "shown": len(answer.shown),
        "highlighted": len(answer.highlighted),
        "right": right,
        "f1": round(question.score_f1(answer.text), 4) if stated and question.answerable else 0.0,
        "wrong_asserted": answer.outcome == "asserted" and not right,
        "wrong_doubtful": answer.outcome == "doubtful" and not right,
        "on_screen": question.is_said_in([answer.text * stated, *answer.shown]) if looked_for else None,
        "in_bold": question.is_said_in([answer.text * stated, *answer.highlighted]) if looked_for else None,
        "gold_cited": round(hits / len(question.relevant), 4) if question.relevant else None,
        "citation_precision": round(hits / len(cited), 4) if question.relevant and cited else None,
    }


class AnswerScorer:
    """Scorer of answers. Consults a judge if word matching fails.

    Args:
        judge: Grades answers and looks for facts. None without a judge.
    """

    def __init__(self, judge: ModelJudge | None = None) -> None:
        self._judge = judge

    async def __call__(self, question: Question, answer: SystemAnswer) -> dict[str, Any]:
        """Score an answer, and return the fields of its result row."""
        gold = [list(group) for group in question.answers]
        row = {"gold": gold, "hops": question.hops, **_score_answer(question, answer), "judged": None}
        if question.open:
            return row | _score_facts(question, answer, await self._find_missed(question, answer))
        if self._judge is not None and not row["right"] and answer.outcome != ABSTAINED and question.answerable:
            row["judged"] = await self._judge(question, answer.text)
        return row

    async def _find_missed(self, question: Question, answer: SystemAnswer) -> list[int]:
        """Return the positions of the facts missing from an answer.

        If the answer states nothing, the passages shown count instead.
        """
        stated = answer.outcome != ABSTAINED
        said = AnswerText(answer.text if stated else " ".join(answer.shown))
        missed = [at for at, aliases in enumerate(question.answers) if not any(map(said.says, aliases))]
        if self._judge is None or not missed or not stated:
            return missed
        found = await self._judge.find_facts(question, answer.text, [question.answers[at][0] for at in missed]) or ()
        return [at for place, at in enumerate(missed) if place not in found]


def _score_facts(question: Question, answer: SystemAnswer, missed: Sequence[int]) -> dict[str, Any]:
    """Return the figures of an answer to an open question: facts told, stale values, claims and citations that hold.

    Args:
        question: The question.
        answer: The answer.
        missed: Positions of the facts that the answer does not tell.
    """
    told = answer.text if answer.outcome != ABSTAINED else ""
    stale = _find_stale(question, told)
    checked = [claim for claim in answer.claims if claim["verdict"] != _NEEDS_NONE]
    pairs = [str(claim["verdict"]) in _HOLDS for claim in checked for _ in claim["citations"]]
    return {
        "facts": round(1 - len(missed) / len(question.answers), 4),
        "missed": [question.answers[at][0] for at in missed],
        "stale": len(stale),
        "stale_told": stale,
        "claims_hold": _share([str(claim["verdict"]) in _HOLDS for claim in checked]),
        "effective_citations": sum(pairs),
        "citation_accuracy": _share(pairs),
        "words": word_count(told),
    }


def _find_stale(question: Question, text: str) -> list[str]:
    """Return the stale values that a text presents as current. Empty if there are none.

    A sentence does not count if it also states a current fact, or says that something is past ("formerly").
    """
    found: dict[str, None] = {}
    for start, end in sentences(text):
        sentence = strip_citations(text[start:end])
        said = AnswerText(sentence)
        told = [aliases[0] for aliases in question.stale if any(map(said.says, aliases))]
        current = any(said.says(alias) for aliases in question.answers for alias in aliases)
        if told and not current and _PAST.search(sentence.casefold()) is None:
            found.update(dict.fromkeys(told))
    return list(found)


def _judge_value(question: Question, value: Mapping[str, Any]) -> bool | None:
    """Report whether a value is the answer.

    Returns None for a value that other tasks build on, and for a question with several required answers.
    """
    if not value["final"] or len(question.answers) > 1:
        return None
    text = str(value["text"])
    if not question.answerable or question.is_answered_by(text):
        return question.answerable
    if value.get("type") != "number":
        return False
    # A value of type number leaves the unit to its task, so that bare numbers are compared.
    said = find_numbers(text)
    wanted = map(find_numbers, question.golds)
    return any(len(said) == len(numbers) == 1 and said[0].value == numbers[0].value for numbers in wanted)


def _share(told: Sequence[bool]) -> float | None:
    return round(fmean(told), 4) if told else None
