"""Questions that dates alone answer: how far two are apart, and somebody's age today; and sums in words for scales."""

import pytest

from weiwo.nodes.shared.planning.rule_plan import build_rule_plan
from weiwo.nodes.shared.question.arithmetic import today
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.text.language_detection import detect_language
from weiwo.tools.compute.arithmetic import evaluate

TOOLS = ("calculator", "date_difference", "corpus_search")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("17% of 2.4 million", 408_000),
        ("What is 3 billion divided by 4?", 750_000_000),
        ("2.4 million 的 17% 是多少", 408_000),
        ("240万的17%是多少", 408_000),
        ("12万加3万等于多少", 150_000),
    ],
)
def test_numbers_with_a_scale_are_calculated(question: str, value: int) -> None:
    assert evaluate(parse_question(question, detect_language(question)).expression) == value


@pytest.mark.parametrize(
    ("question", "start", "end", "unit"),
    [
        ("days between 2024-02-28 and 2024-03-01", "2024-02-28", "2024-03-01", "days"),
        ("How many months are there between 2020-05-01 and 2021-07-02?", "2020-05-01", "2021-07-02", "months"),
        ("2024年2月28日到2024年3月1日有多少天", "2024-02-28", "2024-03-01", "days"),
        ("How many days lie between 3 March 2020 and 2021-03-05?", "2020-03-03", "2021-03-05", "days"),
        ("How many years has it been since 1903?", "1903", today(), "years"),
        ("How many days until 2027-01-01?", "2027-01-01", today(), "days"),
    ],
)
def test_dates_that_are_given_go_to_the_date_calculator(question: str, start: str, end: str, unit: str) -> None:
    (task,) = build_rule_plan(parse_question(question, detect_language(question)), TOOLS, max_tasks=8).tasks
    assert task.tool == "date_difference"
    assert task.args == {"start": start, "end": end, "unit": unit}


@pytest.mark.parametrize("question", ["how old would Julius Caesar be today", "爱因斯坦今年多少岁"])
def test_an_age_today_is_a_birth_looked_up_and_a_difference(question: str) -> None:
    first, last = build_rule_plan(parse_question(question, detect_language(question)), TOOLS, max_tasks=8).tasks
    assert first.ret == "date"
    assert last.args == {"start": "{{task_1.ret}}", "end": today(), "unit": "age"}


@pytest.mark.parametrize(
    "question", ["how many days of leave do I get", "how old is the bridge today", "入职几年有年假"]
)
def test_other_questions_of_time_are_looked_up(question: str) -> None:
    frame = parse_question(question, detect_language(question))
    assert (frame.expression, frame.parts) == ("", ())


def test_what_is_asked_of_today_is_read_anew_each_day(monkeypatch):
    told = []
    for day in ("2026-01-01", "2026-01-02"):
        for module in ("arithmetic", "parser"):
            monkeypatch.setattr(f"weiwo.nodes.shared.question.{module}.today", lambda day=day: day)
        told.append(parse_question("How many days have passed since 3 March 2020?", "en").expression)
    assert told == ["2020-03-03 .. 2026-01-01", "2020-03-03 .. 2026-01-02"]
