"""Answers of systems, of whatever kind, and how one is scored."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from weiwo.app.evaluation.question_set import Question
from weiwo.text.language import sentences
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy

ABSTAINED: Final = "abstained"
_CITATION: Final = lazy(r"\s?\[\d{1,3}(?:\s?[,，、]\s?\d{1,3}){0,20}\]")
_ABSTAINS: Final = lazy(
    r"(?:\b(?:not|cannot|unable to)|n['’]t)\b.{0,40}\b(?:say|tell|mention|state|contain|provide|specif|answer|determine"
    r"|found|find|know|include|identif|available|possible)|\binsufficient\b|\bno (?:relevant |clear |definite |such )?"
    r"(?:information|answer|passage|source|document|mention|evidence|record)|\bunknown\b|\bnothing definite\b"
    r"|(?:没有|没|未|未能|无法|不能).{0,12}(?:找到|提到|提及|说明|给出|确定|回答|得知|记载|包含|涉及|查到)|不知道|资料不足|无相关",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """What a system answers, in front of a reader, and what it took.

    Attributes:
        text: What it states, without marks of citations.
        outcome: "asserted", "doubtful" (stated, and marked as incomplete or doubtful), or "abstained".
        shown: The passages shown beside it, if any.
        highlighted: What is in bold of these.
        cited: The sources it cites or shows, each once.
        claims: Its claims, where it checks them: text, citations and verdict.
        values: The values it rests on, where it tells how sure it is of them (`app.evaluation.calibration`).
        confidence: Of passages shown where nothing is stated: how probable it is that they hold the answer.
        level: The level that Weiwo gave the question.
        calls: Calls of the model.
        tool_calls: Calls of tools.
        input_tokens: Tokens of the prompts.
        output_tokens: Tokens of the replies.
        cost: US dollars; 0 where prices are not known.
        seconds: Wall time.
        error: Why there is none; empty where there is one.
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


def strip_citations(text: str) -> str:
    """A text without its marks of citations."""
    return _CITATION.sub("", text).strip()


def cited_numbers(text: str) -> list[int]:
    """The numbers that a text cites, in order, each once."""
    marks = (re.findall(r"\d+", mark[0]) for mark in _CITATION.finditer(text))
    return list(dict.fromkeys(int(number) for numbers in marks for number in numbers))


def abstains(text: str) -> bool:
    """Whether a text says first of all, up to a full stop or semicolon, that there is no answer to be had."""
    first = next((text[start:end] for start, end in sentences(text)), text)
    return not text.strip() or _ABSTAINS.search(re.split("[;；]", first[:300])[0]) is not None


def score_answer(question: Question, answer: SystemAnswer) -> dict[str, Any]:
    """A row of results: the answer and its figures.

    Returns:
        The fields of the answer, and `right`, `f1`, `wrong_asserted`, `wrong_doubtful`, `on_screen`, `in_bold`,
        `gold_cited`, `citation_precision`, and of each of its values `right`; None where the question does not tell:
        nobody looks for a "yes" in passages, or for sources that the set does not name.
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
        "values": [{**one, "right": _judge_value(question, one)} for one in answer.values],
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
    """Scores answers, and asks a judge where matching of words takes one for wrong.

    Args:
        judge: Grades an answer; None where nobody does.
    """

    def __init__(self, judge: Callable[[Question, str], Awaitable[bool | None]] | None = None) -> None:
        self._judge = judge

    async def __call__(self, question: Question, answer: SystemAnswer) -> dict[str, Any]:
        """The fields of a row."""
        scores, judged = score_answer(question, answer), None
        if self._judge is not None and not scores["right"] and answer.outcome != ABSTAINED and question.answerable:
            judged = await self._judge(question, answer.text)
        gold = [list(group) for group in question.answers]
        return {"gold": gold, "hops": question.hops, **scores, "judged": judged}


def _judge_value(question: Question, value: Mapping[str, Any]) -> bool | None:
    """Whether a value is the answer; None of one that others build on, or where several answers are needed."""
    if not value["final"] or len(question.answers) > 1:
        return None
    text = str(value["text"])
    if not question.answerable or question.is_answered_by(text):
        return question.answerable
    return value.get("type") == "number" and any(_is_figure(text, gold) for gold in question.golds)


def _is_figure(text: str, gold: str) -> bool:
    """Whether a bare number is that of an answer: a value of type number leaves the unit to its task."""
    said, wanted = find_numbers(text), find_numbers(gold)
    return len(said) == len(wanted) == 1 and said[0].value == wanted[0].value
