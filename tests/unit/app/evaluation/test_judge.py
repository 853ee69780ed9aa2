"""A judge is tried on known answers before its grades count."""

import pytest

from weiwo.app.evaluation.judge import ModelJudge
from weiwo.app.evaluation.question_set import Question
from weiwo.state.settings import Context

QUESTIONS = [Question(str(n), f"Which number is {n}?", ((f"no{n}",),)) for n in range(4)]
FACTS = [Question(str(n), "What is told?", ((f"fact {n}",), ("more",)), open=True) for n in range(3)]


def grade_by(monkeypatch: pytest.MonkeyPatch, right) -> ModelJudge:
    async def grade(_: ModelJudge, question: Question, answer: str) -> bool | None:
        return right(question, answer)

    async def find_facts(_: ModelJudge, question: Question, report: str, facts: list[str]) -> list[int] | None:
        told = [right(question, report) for _ in facts]
        return None if None in told else [at for at, one in enumerate(told) if one]

    monkeypatch.setattr(ModelJudge, "__call__", grade)
    monkeypatch.setattr(ModelJudge, "find_facts", find_facts)
    return ModelJudge(Context(), "openai:m")


@pytest.mark.parametrize("questions", [QUESTIONS, FACTS])
async def test_agreement_is_over_right_and_wrong_answers(monkeypatch, questions):
    knows = grade_by(monkeypatch, lambda question, answer: answer == question.golds[0])
    assert await knows.measure_agreement(questions) == 1
    nods = grade_by(monkeypatch, lambda *_: True)
    assert 0.5 < await nods.measure_agreement(questions) < 0.7
    absent = grade_by(monkeypatch, lambda *_: None)
    assert await absent.measure_agreement(questions) == 0
    assert await absent.measure_agreement([]) == 1  # nothing to try it on
