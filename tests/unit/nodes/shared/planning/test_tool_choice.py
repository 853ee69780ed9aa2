"""Choice of a tool for one step: by the model's word, else by rule, and documents come first."""

from dataclasses import replace

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.fake_model import assessed, fake
from tests.support.run import search_tool, services
from weiwo.models.request_form import MODES, mode_memory
from weiwo.nodes.master.node import master
from weiwo.nodes.shared.planning.replanning import _replan_by_rule
from weiwo.nodes.shared.planning.rule_plan import build_single_task_plan, choose_search_tool
from weiwo.nodes.shared.planning.tool_choice import _MOST_OFFERED, choose_tools, offer_tools
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, Failure, Outcome, Plan, passage_id
from weiwo.state.source_filter import ANY_SOURCE, SourceFilter

WEATHER = "What is the weather in Oslo?"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def remote(name: str, description: str, argument: str = "city", **metadata: object) -> BaseTool:
    async def run(**given: str) -> str:
        return str(given)

    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return StructuredTool(name=name, description=description, args_schema=schema, coroutine=run, metadata=metadata)


def get_weather(**metadata: object) -> BaseTool:
    return remote("get_weather", "Current weather of a city.", **metadata)


FLIGHTS = remote("flight_search", "Search for flights between airports.", "query")


class OneDocument:
    """A corpus of one passage, which every search finds."""

    documents = ("a.md",)
    problems = ()
    size = 1

    def __init__(self, text: str) -> None:
        self.passage = Evidence(id=passage_id(text), text=text, source="a.md")

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> list[Evidence]:  # noqa: ARG002 - the interface has them
        return [self.passage]

    async def open(self, source: str, query: str = "", k: int = 8) -> list[Evidence]:  # noqa: ARG002 - the same
        return [self.passage]


async def planned(question: str, *tools: BaseTool, model=None, document: str = "") -> Plan:
    run = services(*tools, model=model)
    run.registry.corpus = OneDocument(document) if document else None
    return (await master({"question": question}, run))["plan"]


async def test_a_weather_question_calls_the_weather_tool_and_no_search_for_something_else():
    (task,) = (await planned(WEATHER, FLIGHTS, get_weather())).tasks
    assert (task.tool, task.args) == ("get_weather", {"city": "Oslo"})
    (task,) = (await planned("How warm is it in Oslo?", FLIGHTS, get_weather())).tasks
    assert task.tool == choose_search_tool(["flight_search", "get_weather"]) == "corpus_search"


@pytest.mark.parametrize(
    ("document", "tool"),
    [
        ("The weather in Oslo is mild for its latitude.", "corpus_search"),
        ("Oslo is the capital of Norway.", "get_weather"),
    ],
)
async def test_documents_about_it_come_first(document, tool):
    search = search_tool(lambda query: query)
    (task,) = (await planned(WEATHER, search, get_weather(), document=document)).tasks
    assert task.tool == tool


async def test_no_rule_chooses_a_tool_that_acts_or_one_of_two_that_differ():
    assert not await choose_tools([parse_question(WEATHER, "en")], services(get_weather(acts=True)))
    other = remote("weather_station", "Weather station of a city, with its keeper.")
    assert not await choose_tools([parse_question(WEATHER, "en")], services(get_weather(), other))


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ({"tool": "get_weather", "args": {"city": "Bergen"}}, ("get_weather", {"city": "Bergen"})),
        ({"tool": "get_weather", "args": {"town": "x"}}, ("get_weather", {"city": "Oslo"})),
        ({"tool": "", "args": {}}, ("corpus_search", {"query": WEATHER})),
        ({"tool": "made_up", "args": {"city": "Oslo"}}, ("corpus_search", {"query": WEATHER})),
        ({"tool": "calculator", "args": {"expression": "1"}}, ("corpus_search", {"query": WEATHER})),
    ],
)
async def test_a_model_names_the_tool_in_the_call_that_judges(said, call):
    model = fake(AssessmentReply=assessed(WEATHER, **said))
    (task,) = (await planned(WEATHER, search_tool(lambda query: query), get_weather(), model=model)).tasks
    assert (task.tool, task.args) == call
    (request,) = model.requests
    assert "get_weather(city: string): Current weather of a city." in request.text


async def test_a_model_that_is_told_its_format_in_words_is_not_asked_for_a_tool():
    model = fake(AssessmentReply=assessed(WEATHER))
    run = services(get_weather(), model=model)
    mode_memory.remember(run.models._size("master")[0].identity, MODES[-1], certain=True)
    (task,) = (await master({"question": WEATHER}, run))["plan"].tasks
    assert task.tool == "get_weather"
    assert "get_weather" not in model.requests[0].text


async def test_of_many_tools_a_model_is_offered_those_that_fit():
    others = [remote(f"register_{n}", f"Lists records of register {n}.", "place") for n in range(30)]
    offered = await offer_tools(WEATHER, services(*others[:20], get_weather(), *others[20:]))
    assert "get_weather" in offered
    assert len(offered.splitlines()) == _MOST_OFFERED
    assert not await offer_tools(WEATHER, services(search_tool(lambda query: query)))


async def test_what_a_chosen_tool_could_not_answer_is_searched_for():
    run = services(search_tool(lambda query: query), get_weather())
    frame = parse_question(WEATHER, "en")
    plan = build_single_task_plan(frame, run.registry.names(), choices=await choose_tools([frame], run))
    lost = Failure(task_id="task_1", kind="crash", message="no such city")
    outcomes = {"task_1": Outcome(task_id="task_1", status="failed", failure=lost)}
    second = _replan_by_rule(plan, ["task_1"], outcomes, "en", run.registry.names())
    assert second is not None
    assert [(task.tool, task.args) for task in second.tasks] == [("corpus_search", {"query": WEATHER})]
    chosen = replace(run, registry=services().registry)
    assert not await choose_tools([frame], chosen)
