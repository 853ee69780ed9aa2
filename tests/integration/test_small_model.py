"""A small model in the graph: one plain question where rules prove nothing, extracts where its sentence does not hold."""

from typing import Any

from tests.support.fake_model import FakeModel
from tests.support.run import search_tool
from weiwo.graph import build_graph

CHAPEL = "The Orsk chapel was painted by Mira Tolvanen after the flood."
QUESTION = "Who painted the Orsk chapel?"


class SmallModel(FakeModel):
    """A scripted model that goes by the name of a small one."""

    model_name: str = "tiny-1.5b"


async def ask(model: FakeModel, question: str, passage: str) -> dict[str, Any]:
    graph = build_graph(tools=[search_tool(lambda _: passage)], models=model)
    return (await graph.ainvoke({"question": question}))["result"]


async def test_a_small_model_is_asked_once_and_nothing_else() -> None:
    model = SmallModel(script={"draft": ["The Orsk chapel was painted by Mira Tolvanen."]})
    result = await ask(model, QUESTION, CHAPEL)
    assert [request.schema for request in model.requests] == ["draft"]
    assert result["status"] == "complete"
    assert result["answer"] == "The Orsk chapel was painted by Mira Tolvanen [1]."


async def test_where_a_small_model_is_wrong_the_extracts_are_shown_with_its_marked_sentence() -> None:
    model = SmallModel(script={"draft": ["The Orsk chapel was painted by Pablo Picasso."]})
    result = await ask(model, QUESTION, CHAPEL)
    assert result["status"] == "partial"
    assert "(unverified)" in result["answer"]
    assert result["extracts"]


async def test_what_rules_prove_is_told_without_asking() -> None:
    model = SmallModel(script={"draft": ["It is 5 km long."]})
    result = await ask(model, "How long is the River Wend?", "The River Wend is 310 kilometres long.")
    assert "310" in result["answer"]
    assert model.requests == []
