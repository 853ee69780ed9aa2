"""Long answers to open questions: key facts covered, stale values told as current, claims and citations that hold.

A question has `facts`, each with its aliases, and may have `stale` ones: what documents that were superseded say.
"""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from weiwo.app.evaluation.answer import ABSTAINED, SystemAnswer, strip_citations
from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.summary import summarize_runs
from weiwo.app.export.document import Chart, Series
from weiwo.text.language import sentences, word_count
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.evaluation.answer_matching import AnswerText
from weiwo.tools.corpus.evaluation.metrics import bootstrap_interval

LIMITS: Final = (2, 20, 150)
"""Tool calls that an answer may take, from a glance to a study."""
SHARES: Final = ("facts", "claims_hold", "citation_accuracy")
_TAKEN: Final = ("tool_calls", "calls", "input_tokens", "output_tokens", "cost")
MEANS: Final = ("stale", "effective_citations", "words", *_TAKEN)
_AS_ANSWERED: Final = ("text", "outcome", *_TAKEN, "seconds", "error")
_HOLDS: Final = frozenset({"quoted", "computed", "supported", "matched", "judgement"})
_NEEDS_NONE: Final = "uncited"
_PAST: Final = lazy(
    r"\b(?:formerly|previously|originally|until|no longer|used to|superseded|replaced|outdated|obsolete|withdrawn"
    r"|earlier|older|old|before|was|were|had been|in the past)\b"
    r"|曾|原先|原来|原为|此前|以前|之前|旧|取代|废止|不再|过去|直到|截至|早先|作废|过时"
)

Row = Mapping[str, Any]
FactJudge = Callable[[Question, str, Sequence[str]], Awaitable[Sequence[int] | None]]
"""Which of some facts a report states, by position; None where it cannot be had."""


class ReportScorer:
    """Scores reports, and asks a judge for the facts that matching of words does not find.

    Args:
        judge: Looks for facts; None where nobody does.
    """

    def __init__(self, judge: FactJudge | None = None) -> None:
        self._judge = judge

    async def __call__(self, question: Question, answer: SystemAnswer) -> dict[str, Any]:
        """The fields of a row."""
        shown = " ".join(answer.shown) if answer.outcome == ABSTAINED else ""
        told = answer.text if answer.outcome != ABSTAINED else ""
        said = AnswerText(f"{told}\n{shown}")
        missed = [at for at, aliases in enumerate(question.answers) if not any(map(said.says, aliases))]
        if self._judge is not None and missed and told:
            found = await self._judge(question, told, [question.answers[at][0] for at in missed])
            missed = [at for place, at in enumerate(missed) if place not in (found or ())]
        stale = find_stale(question, told)
        checked = [claim for claim in answer.claims if claim["verdict"] != _NEEDS_NONE]
        pairs = [str(claim["verdict"]) in _HOLDS for claim in checked for _ in claim["citations"]]
        return {
            **{field: getattr(answer, field) for field in _AS_ANSWERED},
            "facts": round(1 - len(missed) / len(question.answers), 4) if question.answers else None,
            "missed": [question.answers[at][0] for at in missed],
            "stale": len(stale),
            "stale_told": stale,
            "claims_hold": _share([str(claim["verdict"]) in _HOLDS for claim in checked]),
            "effective_citations": sum(pairs),
            "citation_accuracy": _share(pairs),
            "verdicts": dict(Counter(str(claim["verdict"]) for claim in answer.claims)),
            "words": word_count(told),
        }


def find_stale(question: Question, text: str) -> list[str]:
    """The stale values that a text tells as if they were current.

    A sentence that also says a current fact, or that something is past, tells the difference.

    Args:
        question: Its facts and stale values.
        text: What an answer states.
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


def summarize_reports(dataset: str, rows: Iterable[Row]) -> dict[str, Any]:
    """Summarize rows of results.

    Args:
        dataset: The set's name.
        rows: One a question and limit.

    Returns:
        `dataset`, `n` and `systems`: by limit of tool calls the shares (0 to 1, None where nothing tells) with their
        95 % `intervals`, means a question, seconds, `n`, `errors` and `outcomes`.
    """
    by_system: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_system[row["system"]].append(row)
    systems = {name: _summarize(those) for name, those in sorted(by_system.items(), key=lambda item: _limit(item[0]))}
    return {
        "dataset": dataset,
        "n": len({row["question"] for those in by_system.values() for row in those}),
        "systems": systems,
    }


def chart_reports(summary: Mapping[str, Any], names: Mapping[str, str]) -> Chart:
    """The curve of the shares, in percent, over the limits of tool calls.

    Args:
        summary: Of `summarize_reports`.
        names: What to call each share.
    """
    systems = summary["systems"]
    series = tuple(
        Series(title, tuple(None if one[name] is None else round(100 * one[name], 1) for one in systems.values()))
        for name, title in names.items()
    )
    return Chart(tuple(systems), series, line=True)


def _summarize(rows: Sequence[Row]) -> dict[str, Any]:
    shares = {name: [float(row[name]) for row in rows if row[name] is not None] for name in SHARES}
    found: dict[str, Any] = {name: round(fmean(values), 4) if values else None for name, values in shares.items()}
    found |= {name: round(fmean(float(row[name]) for row in rows), 4) for name in MEANS}
    intervals = {
        name: [round(bound, 4) for bound in bootstrap_interval(values)] for name, values in shares.items() if values
    }
    return found | summarize_runs(rows) | {"intervals": intervals}


def _share(told: Sequence[bool]) -> float | None:
    return round(fmean(told), 4) if told else None


def _limit(name: str) -> int:
    return int(name.split(maxsplit=1)[0])
