"""Each part of a question is answered or named as missing, with what failed; an answer that drops one is not complete."""

from typing import Any

import pytest
from langchain_core.tools import tool

from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = pytest.mark.usefixtures("indexed_home")


async def answered(question: str, *tools: Any) -> dict[str, Any]:
    graph = build_graph(tools=list(tools)) if tools else build_graph()
    result: dict[str, Any] = (await graph.ainvoke({"question": question}, context=Context(web=False)))["result"]
    check_result(result)
    return result


@pytest.mark.parametrize(
    "joint", [" in height and year of completion?", " by their height and by their year of completion."]
)
async def test_an_attribute_that_is_not_looked_up_for_every_subject_is_named(joint: str) -> None:
    result = await answered(f"Compare the Eiffel Tower, Tokyo Skytree and Burj Khalifa{joint}")
    told = f"{result['answer']} {[gap['text'] for gap in result['gaps']]}"
    years = all(year in result["answer"] for year in ("1889", "2012", "2010"))
    assert years or ("completion" in told and result["status"] != "complete" and result["gaps"]), told
    assert "Not answered: year" not in told  # the year of completion is what the tasks look for
    for gap in result["gaps"]:
        assert gap["text"] not in result["answer"], "the question that stands there names it already"


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("How long is the Danube, and how tall is the Eiffel Tower?", ("2,850", "330")),
        ("埃菲尔铁塔有多高，长江有多长？", ("330", "6300")),
    ],
)
async def test_two_questions_are_two_tasks_with_two_answers(question: str, values: tuple[str, str]) -> None:
    result = await answered(question)
    assert len(result["plan"]["vertices"]) >= len(values)
    assert [value in result["answer"].replace("6,300", "6300") for value in values] == [True, True], result["answer"]
    assert [part["outcome"] for part in result["parts"]] == ["answered", "answered"]
    assert (result["status"], result["gaps"]) == ("complete", [])


async def test_a_found_half_is_told_and_the_other_one_is_named() -> None:
    result = await answered("How tall is the Eiffel Tower, and how tall is the Tower of Zembla?")
    assert "330 metres" in result["answer"]
    assert result["status"] == "partial"
    assert [("Zembla" in gap["text"], gap["kind"]) for gap in result["gaps"]] == [(True, "uncovered")], result["gaps"]
    assert "Zembla" in result["answer"]


async def test_a_tool_that_is_down_is_named_and_nothing_is_denied() -> None:
    @tool
    def staff_directory(name: str) -> str:  # noqa: ARG001 - a tool has arguments
        """Look up a person of the staff: desk, phone and hiring date."""
        raise ConnectionError("connection refused")

    staff_directory.metadata = {"acts": False}
    result = await answered("When was Ann Lee of the staff hired?", staff_directory)
    assert (result["status"], result["lead"] != "denial") == ("partial", True), result["answer"]
    assert "staff_directory could not be queried: cannot be reached: connection refused" in result["answer"]
    (part,) = (part for part in result["parts"] if part["outcome"] == "failed")
    assert (part["component"], part["severity"]) == ("staff_directory", "error")
    assert part["cause"] == "cannot be reached: connection refused"
    assert [gap["kind"] for gap in result["gaps"]] == ["failed"]
