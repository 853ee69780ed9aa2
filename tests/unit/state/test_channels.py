"""What clients write into the state as JSON is of its type, or refused with the field named."""

import json

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from weiwo.graph import build_graph
from weiwo.state import Evidence, Outcome, Plan, passage_id
from weiwo.state.channels import StateUpdateError
from weiwo.state.settings import Context, Settings

VERTEX = {"id": "task_1", "description": "When was the bridge opened?", "tool_binding": "corpus_search"}


@pytest.fixture
def graph():
    return build_graph(InMemorySaver())


async def _written(graph, values):
    config = {"configurable": {"thread_id": "t"}}
    await graph.aupdate_state(config, values, as_node="planner")
    return (await graph.aget_state(config)).values


async def test_state_written_as_json_comes_out_typed(graph):
    plan = Plan.from_json({"vertices": [VERTEX]})
    outcome = Outcome(task_id="task_1", status="succeeded", value="1932", evidence_ids=("e",))
    passage = Evidence(id=passage_id("words"), text="words", source="a.md")
    written = await _written(
        graph,
        {
            "plan": json.loads(plan.model_dump_json()),
            "outcomes": {"task_1": json.loads(outcome.model_dump_json())},
            "evidence": {passage.id: json.loads(passage.model_dump_json())},
        },
    )
    assert (written["plan"], written["outcomes"]) == (plan, {"task_1": outcome})
    assert written["evidence"] == {passage.id: passage}


async def test_the_interchange_form_of_a_plan_is_taken_too(graph):
    assert (await _written(graph, {"plan": {"vertices": [VERTEX]}}))["plan"].ids == ("task_1",)


@pytest.mark.parametrize("form", [{"__overwrite__": {}}, {"type": "__overwrite__", "value": {}}])
async def test_json_may_overwrite_what_is_merged(graph, form):
    await _written(graph, {"outcomes": {"a": {"task_id": "a", "status": "empty"}}})
    assert (await _written(graph, {"outcomes": form}))["outcomes"] == {}


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"plan": 7}, "plan:"),
        ({"plan": {"vertices": [{"id": "task_1"}]}}, "task_1.tool_binding"),
        ({"plan": {"tasks": [{"id": "task_1"}]}}, "plan.tasks.0.description"),
        ({"outcomes": {"task_1": {"task_id": "task_1", "status": "fine"}}}, "outcomes.task_1.status"),
        ({"outcomes": {"__overwrite__": ["x"]}}, "outcomes:"),
        ({"evidence": {"e": {"id": "e"}}}, "evidence.e.text"),
        ({"assessment": {"level": "hard"}}, "assessment.frame"),
        ({"team": "everybody"}, "team:"),
        ({"reflections": [{"decision": "stop"}]}, "reflections.0.decision"),
    ],
)
async def test_garbage_is_refused_with_the_field_named(graph, values, named):
    with pytest.raises(StateUpdateError, match="correct it") as refused:
        await _written(graph, values)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_context_ignores_what_it_does_not_know():
    context = Context.model_validate({"thread_id": "t", "assistant_id": "a", "depth": "quick"})
    assert context == Context(depth="quick")


def test_an_empty_text_is_unset():
    context = Context.model_validate({"model": "", "max_seconds": "", "depth": "", "web": ""})
    assert Settings.resolve(context, {"WEIWO_MODEL": "openai:m"}).models["writer"] == "openai:m"


def test_each_hint_for_studio_names_nodes_of_the_graph():
    fields = Context.model_json_schema()["properties"]
    nodes = set(build_graph().nodes)
    assert fields["planner_model"]["langgraph_nodes"] == ["planner"]
    assert {node for field in fields.values() for node in field.get("langgraph_nodes", ())} <= nodes
