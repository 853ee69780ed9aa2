"""`for_each` as part of a plan: lists of any length, maps over maps, sums over maps."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from weiwo.state import Limits, Outcome, Plan, Task

BORN = {"Ada": "London", "Alan": "London", "Grace": "Paris", "Bo": None}
CAPITALS = {"London": 9, "Paris": 2}


def names(*people: Any) -> dict[str, Outcome]:
    return {"people": Outcome(task_id="people", status="succeeded", value=list(people), type="list[text]")}


PEOPLE = Task(id="people", description="Who?", tool="corpus_search", args={"query": "who"}, ret="list[text]")


def table(name: str, entries: dict[str, Any]) -> BaseTool:
    """A tool that gives a value for a name, at once; nothing for others."""

    async def look(key: str) -> tuple[str, Any]:
        calls.append(key)
        return "", entries.get(key)

    calls: list[str] = []
    tool = StructuredTool.from_function(
        coroutine=look, name=name, description="Looks up.", response_format="content_and_artifact"
    )
    tool.metadata = {"calls": calls}
    return tool


def each(task_id: str, tool: str, over: str, ret: Any = "number", arg: str = "query") -> Task:
    return Task(
        id=task_id,
        description="How many?",
        tool=tool,
        args={arg: "{{item}}"},
        ret=ret,
        for_each=f"{{{{{over}.ret}}}}",
    )


def formula(task_id: str, expression: str, ret: Any = "number", **more: Any) -> Task:
    return Task(id=task_id, description="?", tool="calculator", args={"expression": expression}, ret=ret, **more)


async def run(*tasks: Task, tools: Any = (), given: dict[str, Outcome], limits: Limits | None = None) -> Any:
    shared = work(services(*tools, limits=limits))
    return (await run_plan(Plan(tasks=(*tasks, PEOPLE)), given, shared, {}))["outcomes"]


def numbers(*values: Any) -> dict[str, Outcome]:
    return {"people": Outcome(task_id="people", status="succeeded", value=list(values), type="list[number]")}


@pytest.mark.parametrize("count", [1, 2, 60])
async def test_a_sum_over_a_map(count):
    outcomes = await run(
        formula("double", "{{item}} * 2", for_each="{{people.ret}}"),
        formula("sum", "sum({{double.ret}})"),
        given=numbers(*range(1, count + 1)),
    )
    assert outcomes["double"].value == [2 * n for n in range(1, count + 1)]
    assert outcomes["double"].note == ""
    assert outcomes["sum"].value == count * (count + 1)


async def test_over_an_empty_list_there_is_an_empty_list_and_maps_over_it_are_empty_too():
    outcomes = await run(
        formula("one", "{{item}} * 2", for_each="{{people.ret}}"),
        formula("two", "{{item}} + 1", for_each="{{one.ret}}"),
        formula("most", "max({{two.ret}})"),
        given=numbers(),
    )
    assert [outcomes[key].value for key in ("one", "two")] == [[], []]
    assert (outcomes["one"].type, outcomes["two"].type) == ("list[number]", "list[number]")
    assert outcomes["most"].status == "failed"  # of nothing there is no greatest
    assert outcomes["most"].failure.kind == "bad_arguments"


async def test_a_map_over_a_map_lines_up_with_it_though_two_items_meet():
    outcomes = await run(
        formula("square", "{{item}} * {{item}}", for_each="{{people.ret}}"),
        formula("next", "{{item}} + 1", for_each="{{square.ret}}"),
        formula("sum", "sum({{next.ret}})"),
        given=numbers(-2, 1, 2, 3),
    )
    assert outcomes["square"].value == [4, 1, 4, 9]
    assert outcomes["next"].value == [5, 2, 5, 10]
    assert outcomes["next"].detail.items == (4, 1, 4, 9)
    assert outcomes["next"].attempts == 3  # 4 was calculated with once
    assert outcomes["sum"].value == 22


async def test_a_map_over_a_map_keeps_to_what_the_first_has_found():
    tool = search_tool(lambda query: f"{query} Smith was born in 190{len(query)}." if query != "Bo" else None)
    outcomes = await run(
        Task(
            id="born",
            description="When was {{item}} Smith born?",
            tool="corpus_search",
            args={"query": "{{item}}"},
            ret="date",
            for_each="{{people.ret}}",
        ),
        Task(
            id="ages",
            description="How long?",
            tool="date_difference",
            args={"start": "{{item}}", "end": "2000"},
            ret="number",
            for_each="{{born.ret}}",
        ),
        tools=[tool],
        given=names("Ada", "Bo", "Alan", "Eve", " ", "Ada"),
    )
    assert outcomes["born"].value == ["1903", "1904", "1903"]
    detail = outcomes["born"].detail
    assert (detail.items, detail.missing) == (("Ada", "Alan", "Eve"), ("Bo",))
    searches = outcomes["born"].trace.searches
    assert searches
    assert all("Bo" in query for _, query in searches)
    assert outcomes["ages"].value == [97, 96, 97]
    assert outcomes["ages"].detail.items == ("1903", "1904", "1903")


@pytest.mark.long
async def test_the_limit_cuts_and_says_so_all_the_way():
    outcomes = await run(
        formula("one", "{{item}} * 2", for_each="{{people.ret}}"),
        given=numbers(*range(600)),
        limits=Limits(max_seconds=300),
    )
    assert len(outcomes["one"].value) == 500
    assert "100 more items were skipped" in outcomes["one"].note
