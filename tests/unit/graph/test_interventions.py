"""Interventions: what fails while others run is replaced on the same board, and what waits for it waits on."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from tests.support.fake_model import FakeModel, Request, fake, found
from tests.support.plan_runs import run_plan
from tests.support.run import services, work
from tests.support.states import got, lost, state_of
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.reflection.intervention import _MOST_ITEMS, Intervention
from weiwo.nodes.shared.planning.rule_plan import add_frames
from weiwo.state import Alternative, Limits, Plan, Reflection, Task
from weiwo.state.search import SearchState

Find = Callable[[str], Any]


def tool(name: str, find: Find, *, acts: bool = False) -> BaseTool:
    """A tool that stands alone in its cluster, so that no stand-in is asked inside a task."""

    async def run(query: str) -> str:
        found = find(query)
        return str(await found if asyncio.iscoroutine(found) else found)

    made = StructuredTool.from_function(coroutine=run, name=name, description=f"Finds in the {name}.")
    made.metadata = {"cluster": name, "cache_seconds": 0, "acts": acts}
    return made


def born(query: str) -> str:
    name = query.partition(" ")[0]
    return f"{name} Smith was born in 19{len(name):02}."


def gone(_: str) -> str:
    raise FileNotFoundError("the source is gone")


def nothing(_: str) -> str:
    return "nothing of note"


def ask(task_id: str, name: str, tool_name: str, ret: Any = "date") -> Task:
    return Task(
        id=task_id,
        description=f"When was {name} Smith born?",
        tool=tool_name,
        args={"query": f"{name} born"},
        ret=ret,
    )


def gap(task_id: str, *sources: str) -> Task:
    args = {"start": f"{{{{{sources[0]}.ret}}}}", "end": f"{{{{{sources[1]}.ret}}}}"}
    return Task(id=task_id, description="Years between", tool="date_difference", args=args, ret="number")


def read(request: Request) -> dict[str, Any]:
    """What a reader finds in the passages it is shown."""
    if sentence := re.search(r"\w+ Smith was born in (\d+)\.", request.text):
        return found(sentence[1], sentence[0])
    return {"next": "give_up", "value": None, "quotes": [], "confidence": 0.0, "missing": "no passage tells"}


def model_that(*repairs: Any, **more: Any) -> FakeModel:
    """A model that reads, and gives these repairs."""
    return fake(ReadReply=read, RepairReply=list(repairs), **more)


TWO = Plan(tasks=(ask("a", "Ada", "lookup"), ask("b", "Bo", "register"), gap("c", "a", "b")))


def repair(tool_name: str, name: str = "Ada", **more: Any) -> dict[str, Any]:
    vertex = {"id": "x", "description": f"When was {name} Smith born?", "tool_binding": tool_name}
    return {
        "reason": "another source",
        "vertices": [vertex | {"args": {"query": f"{name} born"}, "ret": "date"} | more],
    }


class Stage:
    """Runs plans as the executor's node does, again and again on one thread."""

    def __init__(self, *tools: BaseTool, model: FakeModel | None = None, limits: Limits | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self.tools, self.model, self.limits = tools, model, limits
        self.state: Mapping[str, Any] = {}
        self.saver = InMemorySaver(serde=serializer())

    async def run(self, plan: Plan, *, answer: str = "", **known: Any) -> dict[str, Any]:
        run = services(*self.tools, model=self.model, limits=self.limits, events=self.events)
        known.setdefault("reflections", [])
        state = state_of("How many years lie between Ada and Bo?", run, plan=plan, **known)

        async def executor(_: SearchState) -> Any:
            shared = work(run)
            interfaces = run.list_interfaces(shared.tools)
            may = Intervention.open(state, run, lambda plan: check_plan(plan, interfaces, run.settings.limits))
            return await run_plan(plan, state["outcomes"], shared, get_config(), intervention=may)

        builder = StateGraph(SearchState)
        builder.add_node("executor", executor)
        builder.add_edge(START, "executor")
        builder.add_edge("executor", END)
        graph = builder.compile(checkpointer=self.saver)
        config: Any = {"configurable": {"thread_id": "one"}}
        resumes = bool((await graph.aget_state(config)).next)
        async with asyncio.timeout(120):
            given = Command(resume=answer) if answer else None if resumes else {"question": "?"}
            return await graph.ainvoke(given, config, durability="sync")


async def test_what_fails_is_replaced_while_its_sister_still_runs():
    asked = asyncio.Event()

    async def patient(query: str) -> str:
        await asyncio.wait_for(asked.wait(), 120)  # ends only when the replacement was called
        return born(query)

    def archive(query: str) -> str:
        asked.set()
        return born(query)

    model = model_that(repair("archive"))
    stage = Stage(tool("lookup", nothing), tool("register", patient), tool("archive", archive), model=model)
    values = await stage.run(TWO)
    assert {key: one.status for key, one in values["outcomes"].items()} == {
        "a": "empty",
        "a_2": "succeeded",
        "b": "succeeded",
        "c": "succeeded",
    }
    assert values["outcomes"]["c"].value == 1
    assert values["plan"].ids == ("a_2", "b", "c")
    assert values["plan"].upstream("c") == ("a_2", "b")
    assert values["plan"].task("a_2").thought == "another source"
    assert (values["plan"].revision, values["revisions"]) == (1, [TWO])
    look = values["reflections"][-1]
    assert (look.decision, look.decided_by, look.task_ids, look.revision) == ("replan", "model", ("a",), 0)
    assert len(model.asked("RepairReply")) == 1


async def test_rules_ask_another_search_tool_and_no_model():
    stage = Stage(tool("lookup", gone), tool("register", born), tool("spare_search", born))
    values = await stage.run(TWO)
    assert values["plan"].ids == ("a_2", "b", "c")
    assert values["plan"].task("a_2").tool == "spare_search"
    assert values["outcomes"]["c"].usable
    assert values["reflections"][-1].decided_by == "rule"
    kinds = [event["type"] for event in stage.events if event.get("task_id") != "b"]
    at = kinds.index("reflected")
    assert kinds[at - 1 : at + 3] == ["task_finished", "reflected", "planned", "task_started"]


async def test_what_is_added_may_build_on_itself_and_on_what_is_finished():
    plan = Plan(
        tasks=(
            ask("a", "Ada", "register"),
            Task(id="d", description="Who knew {{a.ret}}?", tool="lookup", args={"query": "{{a.ret}}"}, ret="date"),
            ask("b", "Bo", "register"),
        )
    )
    steps = [
        {"id": "x", "description": "When was Cy Smith born?", "tool_binding": "archive"}
        | {"args": {"query": "Cy {{a.ret}}"}, "ret": "date"},
        {"id": "y", "description": "When was Di Smith born, given {{x.ret}}?", "tool_binding": "archive"}
        | {"args": {"query": "Dido {{x.ret}}"}, "ret": "date"},
    ]
    asked: list[str] = []
    archive = tool("archive", lambda query: asked.append(query) or born(query))
    stage = Stage(
        tool("lookup", nothing), tool("register", born), archive, model=model_that({"reason": "", "vertices": steps})
    )
    values = await stage.run(plan)
    assert values["plan"].ids == ("a", "d_2", "d_3", "b")
    assert asked[0] == "Cy 1903"
    assert "1902" in asked[-1]
    assert values["outcomes"]["d_3"].value == "1904"


@pytest.mark.parametrize(
    "vertex",
    [
        {"tool_binding": "unknown"},
        {"tool_binding": "mailer"},
        {"ret": "list[text]"},
        {"tool_binding": "lookup"},
        {"args": {"query": "{{b.ret}}"}},
        {"args": {}},
    ],
    ids=["no such tool", "it acts", "another type", "tried before", "unfinished input", "no query"],
)
async def test_a_repair_is_checked_as_a_plan_is(vertex):
    model = model_that(repair("archive", **vertex))
    acting = tool("mailer", born, acts=True)
    stage = Stage(tool("lookup", nothing), tool("register", born), tool("archive", born), acting, model=model)
    values = await stage.run(TWO)
    assert "plan" not in values
    assert values["outcomes"]["c"].trace.blocked_by == "a"
    first, second = model.asked("RepairReply")
    assert "are not valid" not in first.text
    assert "are not valid" in second.text


def looks(count: int) -> list[Reflection]:
    return [Reflection(decision="replan", reason="", decided_by="rule", revision=-1 - n) for n in range(count)]


@pytest.mark.parametrize(
    ("limits", "known"),
    [
        (Limits(max_replans=0), {}),
        (Limits(), {"reflections": looks(2)}),
        (Limits(), {"approved": "nothing"}),
        (Limits(), {"outcomes": {"b": got("b", "1902")}}),
    ],
    ids=["no rounds", "no rounds left", "a person approves plans", "nothing runs beside it"],
)
async def test_there_is_no_repair_where_none_may_be(limits, known):
    model = model_that(repair("archive"))
    stage = Stage(tool("lookup", nothing), tool("register", born), tool("archive", born), model=model, limits=limits)
    values = await stage.run(TWO, **known)
    assert values["outcomes"]["a"].status == "empty"
    assert "plan" not in values
    assert not model.asked("RepairReply")


async def test_a_task_that_acts_is_not_replaced():
    model = model_that(repair("archive"))
    known = Intervention.open(
        state_of("?", run := services(tool("mailer", gone, acts=True), model=model), plan=TWO, reflections=[]),
        run,
        lambda _: [],
    )
    assert known is not None
    assert not known.wakes(ask("a", "Ada", "mailer"), lost("a", "crash"), {}, found=False)


async def test_replacements_that_come_to_nothing_end_with_the_rounds():
    model = model_that(*(repair("archive", args={"query": f"Ada {n}"}) for n in range(5)))
    stage = Stage(tool("lookup", nothing), tool("register", born), tool("archive", nothing), model=model)
    values = await stage.run(TWO)
    assert values["plan"].ids == ("a_2_2", "b", "c")
    assert [look.revision for look in values["reflections"]] == [0, 1]
    assert [plan.ids[0] for plan in values["revisions"]] == ["a", "a_2"]
    assert values["outcomes"]["c"].trace.blocked_by == "a_2_2"
    assert len(model.asked("RepairReply")) == 2


async def test_two_that_fail_are_replaced_each_by_its_own():
    def both(request: Request) -> dict[str, Any]:
        return repair("archive", "Ada" if "The task: a " in request.text else "Bo")

    stage = Stage(tool("lookup", nothing), tool("register", nothing), tool("archive", born), model=model_that(both))
    values = await stage.run(TWO)
    assert values["plan"].ids == ("a_2", "b_2", "c")
    assert values["outcomes"]["c"].value == 1
    (look,) = values["reflections"]
    assert look.task_ids == ("a", "b")


@pytest.mark.parametrize(("sure", "kept"), [(0.9, ("a_2", "b", "c")), (0.2, None)])
async def test_a_doubted_value_that_others_build_on_is_looked_up_elsewhere(sure, kept):
    def doubting(request: Request) -> dict[str, Any]:
        said = read(request)
        doubted = "Ada" in request.text and said["next"] == "answer"
        return said | ({"confidence": sure if "Ada Smith was born in 1800" in request.text else 0.3} if doubted else {})

    model = fake(ReadReply=doubting, RepairReply=repair("archive"))
    archive = tool("archive", lambda _: "Ada Smith was born in 1800.")
    values = await Stage(tool("lookup", born), tool("register", born), archive, model=model).run(TWO)
    assert values["outcomes"]["a"].usable
    assert values["outcomes"]["a_2"].usable
    assert (values["plan"].ids if kept else values.get("plan")) == kept
    assert values["outcomes"]["c"].value == (102 if kept else 1)


def archive_broken_off() -> tuple[asyncio.Event, list[str], Callable[[str], Awaitable[str]]]:
    """A search whose first call does not end before its run is broken off; set when it begins, and what was asked."""
    begun, calls = asyncio.Event(), list[str]()

    async def archive(query: str) -> str:
        calls.append(query)
        if not begun.is_set():
            begun.set()
            await asyncio.Event().wait()
        return born(query)

    return begun, calls, archive


async def test_an_interrupted_run_goes_on_with_what_was_decided():
    begun, calls, archive = archive_broken_off()
    asked: list[str] = []
    lookup = tool("lookup", lambda query: asked.append(query) or "nothing of note")
    model = model_that(repair("archive"), {"vertices": []})
    stage = Stage(lookup, tool("register", born), tool("archive", archive), model=model)
    running = asyncio.create_task(stage.run(TWO))
    await asyncio.wait_for(begun.wait(), 120)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    before = list(asked)
    values = await stage.run(TWO)
    assert values["plan"].ids == ("a_2", "b", "c")
    assert values["outcomes"]["c"].value == 1
    assert asked == before
    assert calls == ["Ada born", "Ada born"]
    assert len(model.asked("RepairReply")) == 1


def test_a_value_that_cannot_be_right_beside_another_wakes_reflection():
    died = Task(id="b", description="When did Ada Smith die?", tool="lookup", args={"query": "Ada died"}, ret="date")
    plan = add_frames(Plan(tasks=(ask("a", "Ada", "lookup"), died)), "en")
    run = services(tool("lookup", born))
    may = Intervention.open(state_of("?", run, plan=plan, reflections=[]), run, lambda _: [])
    assert may is not None
    assert may.wakes(died, got("b", "1850"), {"a": got("a", "1900")}, found=True)
    assert not may.wakes(died, got("b", "1950"), {"a": got("a", "1900")}, found=True)
    assert not may.wakes(died, got("b", "1850"), {}, found=True)
    assert not may.improves(died, got("b", "1850"), got("b_2", "1860"), {"a": got("a", "1900")})
    assert may.improves(died, got("b", "1850"), got("b_2", "1960"), {"a": got("a", "1900")})


PEOPLE = Task(id="people", description="Which people?", tool="roster", args={"query": "people"}, ret="list[text]")
EACH = Plan(
    tasks=(
        PEOPLE,
        Task(
            id="born",
            description="When was {{item}} Smith born?",
            tool="lookup",
            args={"query": "{{item}} born"},
            ret="date",
            for_each="{{people.ret}}",
        ),
    )
)
FOUR = {"people": got("people", ["Ada", "Bo", "Cyril", "Dominic"], "list[text]")}


def of_item(tool_name: str = "archive", **more: Any) -> dict[str, Any]:
    vertex = {"id": "x", "description": "When was {{item}} Smith born?", "tool_binding": tool_name}
    return {
        "reason": "another source",
        "vertices": [vertex | {"args": {"query": "{{item}} born"}, "ret": "date"} | more],
    }


async def test_an_item_that_fails_is_replaced_while_its_sisters_run_and_the_join_waits():
    asked = asyncio.Event()

    async def lookup(query: str) -> str:
        if query.startswith("Bo"):
            return "nothing of note"
        await asyncio.wait_for(asked.wait(), 120)  # the sisters end only when the replacement was called
        return born(query)

    def archive(query: str) -> str:
        asked.set()
        return born(query)

    model = model_that(of_item())
    stage = Stage(tool("roster", nothing), tool("lookup", lookup), tool("archive", archive), model=model)
    values = await stage.run(EACH, outcomes=FOUR)
    joined = values["outcomes"]["born"]
    assert (joined.value, joined.detail.missing) == (["1903", "1902", "1905", "1907"], ())
    assert "plan" not in values
    look = values["reflections"][-1]
    assert (look.decision, look.task_ids, look.revision, look.decided_by) == ("retry", ("born[2]",), 0, "model")
    finished = [event["task_id"] for event in stage.events if event["type"] == "task_finished"]
    assert (
        finished.index("born[2]") < finished.index("born[6]") < finished.index("born")
    )  # the added one comes after all four
    assert not [event for event in stage.events if event["type"] == "planned"]
    (request,) = model.asked("RepairReply")
    assert "only this item came to nothing" in request.text
    assert "- item (text): Bo" in request.text
    assert "When was Bo Smith born?" in request.text


async def test_rules_ask_another_search_tool_for_the_item():
    gone_for_bo = tool("lookup", lambda query: gone(query) if query.startswith("Bo") else born(query))
    stage = Stage(tool("roster", nothing), gone_for_bo, tool("spare_search", born))
    values = await stage.run(EACH, outcomes=FOUR)
    assert values["outcomes"]["born"].value == ["1903", "1902", "1905", "1907"]
    assert values["reflections"][-1].task_ids == ("born[2]",)


@pytest.mark.parametrize("vertex", [{"tool_binding": "lookup"}, {"ret": "number"}, {"args": {"query": "{{gone.ret}}"}}])
async def test_what_takes_an_items_place_is_checked_as_a_plan_is(vertex):
    model = model_that(of_item(**vertex))
    lookup = tool("lookup", lambda query: "nothing" if query.startswith("Bo") else born(query))
    stage = Stage(tool("roster", nothing), lookup, tool("archive", born), model=model)
    values = await stage.run(EACH, outcomes=FOUR)
    assert values["outcomes"]["born"].detail.missing == ("Bo",)
    assert values.get("reflections", []) == []
    assert "are not valid" in model.asked("RepairReply")[-1].text


async def test_of_many_items_that_fail_a_few_are_replaced_and_none_twice():
    model = model_that(lambda _: of_item())
    stage = Stage(tool("roster", nothing), tool("lookup", nothing), tool("archive", nothing), model=model)
    many = got("people", [f"P{n}" for n in range(_MOST_ITEMS + 3)], "list[text]")
    values = await stage.run(EACH, outcomes={"people": many})
    assert len(model.asked("RepairReply")) == _MOST_ITEMS
    assert values["outcomes"]["born"].status == "empty"


async def test_an_interrupted_item_goes_on_with_what_was_decided():
    begun, calls, archive = archive_broken_off()
    asked: list[str] = []

    def find(query: str) -> str:
        asked.append(query)
        return "nothing of note" if query.startswith("Bo") else born(query)

    model = model_that(of_item(), {"vertices": []})
    stage = Stage(tool("roster", nothing), tool("lookup", find), tool("archive", archive), model=model)
    running = asyncio.create_task(stage.run(EACH, outcomes=FOUR))
    await asyncio.wait_for(begun.wait(), 120)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    values = await stage.run(EACH, outcomes=FOUR)
    assert values["outcomes"]["born"].value == ["1903", "1902", "1905", "1907"]
    assert sorted(asked) == ["Ada born", "Bo born", "Cyril born", "Dominic born"]
    assert calls == ["Bo born", "Bo born"]
    assert len(model.asked("RepairReply")) == 1


async def test_a_tool_that_asks_a_person_may_take_a_tasks_place():
    def archive(query: str) -> str:
        return born(f"{interrupt('which archive?')} {query}")

    asked: list[str] = []
    lookup = tool("lookup", lambda query: asked.append(query) or "nothing of note")
    model = model_that(repair("archive"))
    stage = Stage(lookup, tool("register", born), tool("archive", archive), model=model)
    waiting = await stage.run(TWO)
    assert [one.value for one in waiting["__interrupt__"]] == ["which archive?"]
    values = await stage.run(TWO, answer="Ada")
    assert values["outcomes"]["c"].value == 1
    assert values["plan"].ids == ("a_2", "b", "c")
    assert len(model.asked("RepairReply")) == 1
    assert len(asked) == len(set(asked))


# A second way


def topic_tool(name: str, find: Find) -> BaseTool:
    """A tool that takes its question under another name, so that rules know no call of it."""

    async def run(topic: str) -> str:
        return str(find(topic))

    made = StructuredTool.from_function(coroutine=run, name=name, description=f"Finds in the {name}.")
    made.metadata = {"cluster": name, "cache_seconds": 0}
    return made


SECOND = Alternative(tool="archive", args={"topic": "Ada born"})


async def test_the_second_way_of_a_task_is_taken_without_a_model_even_where_nothing_runs_beside():
    model = model_that({"reason": "", "vertices": []})
    plan = Plan(tasks=(ask("a", "Ada", "lookup").model_copy(update={"alternative": SECOND}),))
    stage = Stage(tool("lookup", gone), topic_tool("archive", born), model=model)
    ran = await stage.run(plan)
    assert ran["outcomes"]["a_2"].value == "1903"
    assert ran["outcomes"]["a_2"].tool == "archive"
    assert model.asked("RepairReply") == []


def test_a_second_way_is_read_written_renamed_and_validated_like_its_task():
    vertex = {"id": "b", "description": "When was {{a.ret}} born?", "tool_binding": "lookup", "ret": "date"}
    other = {"tool_binding": "archive", "args": {"topic": "{{a.ret}} born"}}
    first = {"id": "a", "description": "Who?", "tool_binding": "lookup", "args": {"query": "who"}}
    written = {"vertices": [first, {**vertex, "args": {"query": "{{a.ret}} born"}, "alternative": other}]}
    plan = Plan.from_json(written)
    assert Plan.from_json(plan.to_json()).tasks == plan.tasks
    assert plan.to_json()["vertices"][1]["alternative"] == other
    task = plan.task("b").referring({"a": "x"})
    assert task.alternative.args == {"topic": "{{x.ret}} born"}
    assert task.key({"x": "1"}) == task.model_copy(update={"alternative": None}).key({"x": "1"})
    run = services(tool("lookup", born), topic_tool("archive", born))
    known = run.list_interfaces(("lookup", "archive"))
    assert check_plan(plan, known, Limits()) == []
    for tool_name, args, told in (
        ("nowhere", {}, "b.alternative: "),
        ("archive", {"query": "x"}, "b.alternative: "),
        ("archive", {"topic": "{{c.ret}}"}, "refers to tasks that b does not use"),
    ):
        wrong = plan.task("b").model_copy(update={"alternative": Alternative(tool=tool_name, args=args)})
        faults = check_plan(plan.model_copy(update={"tasks": (plan.task("a"), wrong)}), known, Limits())
        assert any(told in fault for fault in faults), faults


@pytest.mark.parametrize(("asked", "reads"), [("When was Ada Smith born?", 1), ("In what year did Ada Smith die?", 2)])
async def test_what_was_shown_in_vain_is_not_shown_again_to_whoever_asks_the_same(asked, reads):
    other = repair("archive", args={"query": "Ada year"})
    other["vertices"][0]["description"] = asked
    model = model_that(other, {"reason": "", "vertices": []})
    stage = Stage(tool("lookup", nothing), tool("register", born), tool("archive", nothing), model=model)
    values = await stage.run(TWO)
    assert values["outcomes"][values["plan"].ids[0]].status == "empty"
    assert sum("nothing of note" in request.text for request in model.asked("ReadReply")) == reads
