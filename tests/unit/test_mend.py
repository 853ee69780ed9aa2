"""Local replanning by rule: what it leaves alone, and what it takes for the subject of a task."""

import pytest

from nodes.rules.mend import repair
from state import Outcome, Plan
from tests.support.states import got, lost, search

TOOLS = ("corpus_search",)


def other_query(description: str, language: str, query: str) -> str:
    """The query of the second try, which is the subject alone."""
    first = Plan(tasks=(search("task_1", description, "the first", "text"),))
    plan = Plan(tasks=(search("task_1b", description, query, "text"),), revision=1)
    mended = repair(plan, ("task_1b",), {"task_1b": lost("task_1b")}, language, TOOLS, earlier=(first,))
    assert mended is not None
    return str(mended.tasks[0].args["query"])


def test_a_list_that_lacks_some_items_is_not_thrown_away():
    plan = Plan(
        tasks=(
            search("task_1", "Which rivers?", ret="list[text]"),
            search("task_2", "How long is {{item}}?", "{{item}} length", "number", for_each="{{task_1.ret}}"),
            search("task_3", "Who named them?", ret="text"),
        )
    )
    partly = Outcome(
        task_id="task_2", status="succeeded", value=[1, 2], type="list[number]", detail={"missing": ["Elbe"]}
    )
    outcomes = {"task_1": got("task_1", ["Po", "Oder", "Elbe"], "list[text]"), "task_2": partly}
    assert repair(plan, ("task_2",), outcomes, "en", TOOLS) is None
    mended = repair(plan, ("task_2", "task_3"), {**outcomes, "task_3": lost("task_3")}, "en", TOOLS)
    assert mended is not None
    assert mended.ids == ("task_1", "task_2", "task_3b")
    assert mended.task("task_2") == plan.task("task_2")


@pytest.mark.parametrize(
    ("description", "subject"),
    [
        ("Find the birth date of Marie Curie", "Marie Curie"),
        ("Identify Marie Curie's first husband", "Marie Curie's"),
        ("Look up Ulysses", "Ulysses"),
        ("Search for the population of Paris", "Paris"),
        ("Please determine where Ada Lovelace died", "Ada Lovelace"),
        ("Get the height of Mount Everest", "Mount Everest"),
        ("Get Out was directed by whom?", "Get Out"),
        ("List the works of Lu Xun", "Lu Xun"),
        ("Who wrote Emma?", "Emma"),
        ("Marie Curie was born when?", "Marie Curie"),
    ],
)
def test_an_order_is_no_subject(description, subject):
    assert other_query(description, "en", "tried") == subject


@pytest.mark.parametrize(
    ("description", "subject"),
    [
        ("查找鲁迅 的出生年份", "鲁迅"),
        ("请查询一下北京 人口", "北京"),
        ("找出《家》的作者", "《家》"),
        ("确定性原理 是谁提出的", "确定性原理"),
        ("搜索引擎 是谁发明的", "搜索引擎"),
        ("获取长江 全长", "长江"),
    ],
)
def test_an_order_is_no_subject_in_chinese(description, subject):
    assert other_query(description, "zh", "tried") == subject
