"""The answer that came with its values: item by item where that is the answer, else a draft."""

from typing import Any

import pytest

from tests.support.fake_model import Request, assessed, fake, found
from tests.support.run import search_tool
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context

QUESTION = "List every town of the Ost League and the year in which it was founded."
LEAGUE = "The towns of the Ost League are Alby, Bryn and Corve."
TOWNS = {"Alby": 1201, "Bryn": 1302, "Corve": 1403}
SECOND = {
    "id": "task_2",
    "description": "In which year was {{item}} founded?",
    "tool_binding": "corpus_search",
    "args": {"query": "{{item}} founded"},
    "ret": "date",
    "for_each": "{{task_1.ret}}",
}
FIRST = {
    "id": "task_1",
    "description": "Which towns belonged to the Ost League?",
    "tool_binding": "corpus_search",
    "args": {"query": "Ost League"},
    "ret": "list[text]",
}


pytestmark = pytest.mark.usefixtures("indexed_home")


def founded(town: str) -> str:
    return f"{town} was founded in {TOWNS[town]}."


def look_up(query: str) -> str:
    return next((founded(town) for town in TOWNS if town in query), LEAGUE)


def told(town: str, sentence: str | None = None) -> dict[str, Any]:
    quotes = [{"passage": 0, "text": f"founded in {TOWNS[town]}"}]
    said = founded(town) if sentence is None else sentence
    return {"task": [*TOWNS].index(town) + 1, "value": str(TOWNS[town]), "quotes": quotes, "sentence": said}


async def ask(*answers: dict[str, Any], is_answer: bool = True, **more: Any) -> tuple[dict[str, Any], list[Request]]:
    plan = {"vertices": [FIRST, {**SECOND, "is_answer": is_answer}], "edges": []}
    listed = found([*TOWNS], LEAGUE)
    model = fake(
        AssessmentReply={**assessed(QUESTION, steps=1.0, form="list"), **plan},
        ReadReply=listed,
        BatchReadReply={"answers": list(answers)},
        EntailmentReply={"verdicts": []},
        **{"ReflectionReply": {"reason": "all", "decision": "finish", "missing": []}, "draft": "Drafted [1].", **more},
    )
    graph = build_graph(tools=[search_tool(look_up)], models=model)
    result = (await graph.ainvoke({"question": QUESTION}, context=Context(web=False)))["result"]
    check_result(result)
    return result, model.requests


async def test_what_tasks_found_is_the_answer_item_by_item():
    result, requests = await ask(*map(told, TOWNS))
    assert "draft" not in {request.schema for request in requests}
    assert result["answer"].splitlines() == [
        "- Alby was founded in 1201 [1].",
        "- Bryn was founded in 1302 [2].",
        "- Corve was founded in 1403 [3].",
    ]
    assert result["status"] == "complete"
    assert {claim["verdict"] for claim in result["claims"]} == {"quoted"}
    assert {one["quote"] for one in result["citations"]} == {f"founded in {year}" for year in TOWNS.values()}


@pytest.mark.parametrize(
    ("answers", "is_answer"),
    [
        ([told("Alby"), told("Bryn"), told("Corve")], False),  # something is left to conclude
        ([told("Alby"), told("Bryn"), told("Corve", "")], True),  # one has no sentence
        ([told("Alby"), told("Bryn"), told("Corve", "Corve was founded in 1999.")], True),  # one is not so
        ([{**told("Alby"), "basis": "implied"}, told("Bryn"), told("Corve")], True),
    ],
)
async def test_else_a_draft_is_written(answers, is_answer):
    _, requests = await ask(*answers, is_answer=is_answer)
    assert "draft" in {request.schema for request in requests}
