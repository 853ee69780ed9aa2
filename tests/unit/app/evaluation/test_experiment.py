"""An experiment goes on where it was killed, and its folder tells all."""

import json

import pytest

from weiwo.app.evaluation.experiment import (
    _FAILURES_IN_A_ROW,
    Experiment,
    ExperimentError,
    describe_experiment,
    name_folder,
)
from weiwo.app.evaluation.question_set import Question
from weiwo.app.evaluation.scoring import AnswerScorer, SystemAnswer
from weiwo.app.evaluation.summary import _find_percentile, count_right, summarize

QUESTIONS = [Question(str(n), f"Which number is {n}?", ((f"no{n}",),), hops=1 + n % 2) for n in range(8)]
CONFIG = {"dataset": "numbers", "same": "x"}


class Scripted:
    """A system that knows the even numbers, and may be killed."""

    def __init__(self, killed_at: int = -1, *, broken: bool = False) -> None:
        self.asked: list[str] = []
        self.killed_at, self.broken = killed_at, broken

    async def __call__(self, question: Question) -> SystemAnswer:
        if len(self.asked) == self.killed_at:
            raise KeyboardInterrupt
        self.asked.append(question.id)
        if self.broken:
            raise RuntimeError("the endpoint is down")
        right = int(question.id) % 2 == 0
        return SystemAnswer(
            f"no{question.id if right else 99}", "asserted", level="simple", calls=2, seconds=1.0, cost=0.01
        )


def quiet(*_: object) -> None:
    return None


async def test_a_killed_one_goes_on(tmp_path):
    first = Experiment.create(tmp_path / "out", CONFIG)
    killed = Scripted(killed_at=3)
    with pytest.raises(KeyboardInterrupt):
        await first.run(QUESTIONS, {"weiwo": killed}, AnswerScorer(), quiet)
    assert killed.asked == ["0", "1", "2"]
    with (tmp_path / "out" / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"question": "3", "sys')  # the kill came within a line

    again, told = Scripted(), []
    second = Experiment.open(tmp_path / "out")
    await second.run(QUESTIONS, {"weiwo": again}, AnswerScorer(), lambda *seen: told.append(seen))
    assert again.asked == ["3", "4", "5", "6", "7"]
    done, of, rows = told[-1]
    assert (done, of, count_right(rows)) == (8, 8, {"weiwo": 4})
    lines = (tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["question"] for line in lines] == list("01234567")
    summary = second.summary(summarize)
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8")) == summary
    found = summary["systems"]["weiwo"]
    assert (summary["n"], found["right"], found["wrong_asserted"], found["calls"]) == (8, 0.5, 0.5, 2.0)
    low, high = found["intervals"]["right"]
    assert 0 < low < 0.5 < high < 1
    assert found["by_hops"]["1"] == {
        "n": 4, "right": 1.0, "wrong_asserted": 0.0, "on_screen": 1.0, "calls": 2.0, "input_tokens": 0.0
    }  # fmt: skip


async def test_what_failed_is_asked_again_and_the_last_row_counts(tmp_path):
    experiment = Experiment.create(tmp_path / "out", CONFIG)
    await experiment.run(QUESTIONS[:2], {"weiwo": Scripted(broken=True)}, AnswerScorer(), quiet)
    assert experiment.summary(summarize)["systems"]["weiwo"]["errors"] == 2
    again = Scripted()
    await experiment.run(QUESTIONS[:2], {"weiwo": again}, AnswerScorer(), quiet)
    assert again.asked == ["0", "1"]
    found = experiment.summary(summarize)["systems"]["weiwo"]
    assert (found["errors"], found["right"], found["n"]) == (0, 0.5, 2)


def test_what_can_be_gone_on_with_is_found(tmp_path):
    config = describe_experiment({"dataset": "numbers", "depth": "quick"}, limit=3)
    first = Experiment.create(name_folder(tmp_path, "numbers"), config)
    again = describe_experiment({"dataset": "numbers", "depth": "quick"}, limit=9)
    assert Experiment.find(tmp_path, again).folder == first.folder
    assert Experiment.resume(first.folder, again).folder == first.folder
    other = describe_experiment({"dataset": "numbers", "depth": "deep"})
    with pytest.raises(ExperimentError, match="no results for this set"):
        Experiment.find(tmp_path, other)
    with pytest.raises(ExperimentError, match="made with another depth;"):
        Experiment.resume(first.folder, other)


async def test_what_is_down_stops_it(tmp_path):
    experiment, system = Experiment.create(tmp_path / "out", CONFIG), Scripted(broken=True)
    with pytest.raises(ExperimentError, match="the endpoint is down"):
        await experiment.run(QUESTIONS, {"weiwo": system}, AnswerScorer(), quiet)
    assert len(system.asked) == _FAILURES_IN_A_ROW


async def test_a_judge_sees_what_matching_takes_for_wrong(tmp_path):
    seen = []

    class Judge:
        async def __call__(self, question: Question, answer: str) -> bool:
            seen.append((question.id, answer))
            return question.id == "1"

        async def find_facts(self, *_: object) -> None:
            raise AssertionError("no question is open")

    experiment = Experiment.create(tmp_path / "out", CONFIG)
    await experiment.run(QUESTIONS[:4], {"weiwo": Scripted()}, AnswerScorer(Judge()), quiet)
    assert seen == [("1", "no99"), ("3", "no99")]
    found = experiment.summary(summarize)["systems"]["weiwo"]
    assert (found["right"], found["right_judged"]) == (0.5, 0.75)


def test_folders_that_cannot_be_used(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ExperimentError, match="not empty"):
        Experiment.create(tmp_path / "full", CONFIG)
    with pytest.raises(ExperimentError, match="there is nothing to continue"):
        Experiment.open(tmp_path / "full")


async def test_differences_are_paired(tmp_path):
    class Never(Scripted):
        async def __call__(self, _: Question) -> SystemAnswer:
            return SystemAnswer("I do not know.")

    experiment = Experiment.create(tmp_path / "out", CONFIG)
    await experiment.run(QUESTIONS, {"weiwo": Scripted(), "rag": Never()}, AnswerScorer(), quiet)
    summary = experiment.summary(summarize)
    told = summary["differences"]["rag"]["right"]
    assert told["mean"] == 0.5
    assert told["low"] > 0
    assert summarize("numbers", experiment.rows()) == summary  # seeded


def test_percentiles():
    assert _find_percentile([], 0.5) == 0
    assert _find_percentile([3.0, 1.0, 2.0], 0.5) == 2
    assert _find_percentile([float(n) for n in range(1, 101)], 0.95) == 95
