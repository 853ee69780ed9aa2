"""A question and a task beside the framework: a bare LangGraph graph, and LangChain's agent with the same search.

    python benchmarks/overhead_peers.py [REPEATS] [--only NAME]

Processor time of the process (user and system), in rounds in which each is asked once, medians over all rounds, since
the machine may do other things as well. Model and tools answer at once. Before that each is asked three times. Each
question is about other people than those before it, so that nothing is known of it.

`with a model` asks for two births and the years between: three tasks. `by rules` asks the same without a model, `one
look-up` a single birth. `agent` is `create_agent` with the same search and a model that searches once and answers. The
bare graph has five nodes, one of which is sent three times. The nested graph has Weiwo's own shape and no work in it: a
graph of the plan within a node, and in each of its three sends a compiled graph of two steps. A task is what a plan
takes more with so many tasks, beside as many bare sends.
"""

import argparse
import asyncio
import operator
import statistics
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypedDict
from uuid import uuid4

import load
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from overhead import UNBOUNDED, finder, tree
from stage import Stage

from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.state.settings import Context, Settings

WARM_UP: Final = 3
CONTEXT: Final = Context(web=False, telemetry=False)
COUNTS: Final = (50, 200, 500)
Ask = Callable[[int], Awaitable[Any]]


class BareState(TypedDict, total=False):
    """The state of the bare graph."""

    question: str
    found: Annotated[list[str], operator.add]
    answer: str


def bare_graph(saver: Any = None, sends: int = 3) -> Any:
    """Build a graph of five nodes without work: judge, plan, tasks, look back, write."""

    async def passes(_: BareState) -> BareState:
        return {}

    async def task(_: dict[str, Any]) -> BareState:
        return {"found": ["1900"]}

    async def write(state: BareState) -> BareState:
        return {"answer": " ".join(state["found"])}

    builder = StateGraph(BareState)
    nodes: dict[str, Any] = {"judge": passes, "plan": passes, "task": task, "look_back": passes, "write": write}
    for name, node in nodes.items():
        builder.add_node(name, node)
    builder.add_edge(START, "judge")
    builder.add_edge("judge", "plan")
    builder.add_conditional_edges("plan", lambda _: [Send("task", {"n": n}) for n in range(sends)], ["task"])
    builder.add_edge("task", "look_back")
    builder.add_edge("look_back", "write")
    builder.add_edge("write", END)
    return builder.compile(checkpointer=saver)


def nested_graph() -> Any:
    """Build a graph of the shape of Weiwo's without work: tasks of two steps within a plan within a node."""

    async def passes(_: BareState) -> BareState:
        return {}

    async def find(_: BareState) -> BareState:
        return {"found": ["1900"]}

    def follow(target: str) -> Any:
        async def route(_: BareState) -> str:
            return target

        return route

    task: Any = StateGraph(BareState)
    task.add_node("act", passes)
    task.add_node("read", find)
    task.add_edge(START, "act")
    task.add_conditional_edges("act", follow("read"), ["read", END])
    task.add_conditional_edges("read", follow(END), ["act", END])
    task_graph = task.compile()

    async def run_task(_: BareState) -> BareState:
        return {"found": (await task_graph.ainvoke({"question": "?"}))["found"]}

    async def send(_: BareState) -> list[Send]:
        return [Send("task", {"n": n}) for n in range(3)]

    plan: Any = StateGraph(BareState)
    plan.add_node("task", run_task)
    plan.add_conditional_edges(START, send, ["task"])
    plan_graph = plan.compile()

    async def execute(_: BareState) -> BareState:
        return {"found": (await plan_graph.ainvoke({"question": "?"}))["found"]}

    builder: Any = StateGraph(BareState)
    order = ("master", "planner", "executor", "reflection", "writer")
    for name in order:
        builder.add_node(name, execute if name == "executor" else passes)
    builder.add_edge(START, order[0])
    for name, target in zip(order, (*order[1:], END), strict=True):
        builder.add_conditional_edges(name, follow(target), [target])
    return builder.compile()


class AgentModel(BaseChatModel):
    """A model that searches once and then answers."""

    @property
    def _llm_type(self) -> str:
        return "simulated"

    def bind_tools(self, *_: Any, **__: Any) -> Runnable[Any, Any]:
        """Take function calls."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        call = {"name": "corpus_search", "args": {"query": "Alba Amsel born"}, "id": "1"}
        asked = messages[-1].type == "human"
        said = AIMessage("", tool_calls=[call]) if asked else AIMessage("Alba Amsel was born in 1500.")
        return ChatResult(generations=[ChatGeneration(message=said)])


def askers() -> dict[str, Ask]:
    """Return the measured functions by name. Each asks the question of a number."""
    load.SECONDS = 0.0
    search = load.search_tool()
    models, rules = build_graph(tools=[search], models=load.Model()), build_graph(tools=[search])
    agent, bare, nested = create_agent(AgentModel(), [search]), bare_graph(), nested_graph()

    async def ask(graph: Any, question: str) -> None:
        result = (await graph.ainvoke({"question": question}, context=CONTEXT))["result"]
        if result["status"] not in {"complete", "extracts"}:
            raise RuntimeError(f"{result['status']}: {result['answer']}")

    return {
        "with a model": lambda n: ask(models, load.question(n)),
        "by rules": lambda n: ask(rules, load.question(n + 53)),
        "one look-up": lambda n: ask(rules, f"When was {load.person(n + 199)[0]} born?"),
        "agent": lambda _: agent.ainvoke({"messages": [("user", "When was Alba Amsel born?")]}),
        "nested graph": lambda _: nested.ainvoke({"question": "?"}),
        "bare graph": lambda _: bare.ainvoke({"question": "?"}),
    }


async def measure_questions(repeats: int, only: str) -> None:
    """Processor time of a question."""
    asked = {name: ask for name, ask in askers().items() if not only or name in {only, "bare graph"}}
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for n in range(repeats + WARM_UP):
        for name, ask in asked.items():
            started = time.process_time()
            await ask(n)
            if n >= WARM_UP:
                taken[name].append((time.process_time() - started) * 1e3)
    median = {name: statistics.median(values) for name, values in taken.items()}
    print(f"{'a question':16}{'CPU ms':>8}{'÷ bare':>8}")
    for name, value in median.items():
        print(f"{name:16}{value:8.1f}{value / median['bare graph']:8.1f}")


async def measure_tasks() -> None:
    """Processor time of a task in a fan-out, with SQLite and without."""
    with tempfile.TemporaryDirectory() as home:
        async with open_checkpointer(Settings(home=home), None) as sqlite:
            print(f"\n{'a task':16}" + "".join(f"{count:>8}" for count in COUNTS))
            medians: dict[str, list[float]] = {}
            for name, saver in (("none", None), ("SQLite", sqlite)):
                stage = Stage([finder(1)], saver)
                await stage.run(tree(3), UNBOUNDED)
                for count in COUNTS:
                    config = {"configurable": {"thread_id": uuid4().hex}}
                    send = bare_graph(saver, count).ainvoke({"question": "?"}, config)
                    for key, work in ((f"bare, {name}", send), (f"Weiwo, {name}", stage.run(tree(count), UNBOUNDED))):
                        started = time.process_time()
                        await work
                        medians.setdefault(key, []).append((time.process_time() - started) * 1e3 / count)
            for key, values in medians.items():
                print(f"{key:16}" + "".join(f"{value:8.2f}" for value in values))


async def measure_checkpoints() -> None:
    """Bytes of all checkpoints and writes of a question."""
    load.SECONDS = 0.0

    async def kept(graph: Any, state: Any, saver: InMemorySaver, **more: Any) -> float:
        await graph.ainvoke(state, {"configurable": {"thread_id": "1"}}, durability="sync", **more)
        blobs = sum(len(data[1]) for data in saver.blobs.values())
        writes = sum(len(write[2][1]) for found in saver.writes.values() for write in found.values())
        heads = sum(
            len(one[0][1]) + len(one[1][1]) for spaces in saver.storage.values() for all_ in spaces.values()
            for one in all_.values()
        )  # fmt: skip
        return (blobs + writes + heads) / 1e3

    own = InMemorySaver(serde=serializer())
    graph = build_graph(own, tools=[load.search_tool()], models=load.Model())
    print(f"\n{'checkpoints, kB':16}{await kept(graph, {'question': load.question(1)}, own, context=CONTEXT):8.0f}")
    saver = InMemorySaver()
    agent = create_agent(AgentModel(), [load.search_tool()], checkpointer=saver)
    print(f"{'agent':16}{await kept(agent, {'messages': [('user', 'When was Alba Amsel born?')]}, saver):8.0f}")
    saver = InMemorySaver()
    print(f"{'bare graph':16}{await kept(bare_graph(saver), {'question': '?'}, saver):8.0f}")


async def main(repeats: int, only: str) -> None:
    """Measure and print."""
    await measure_questions(repeats, only)
    if not only:
        await measure_tasks()
        await measure_checkpoints()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A question and a task beside the framework.")
    parser.add_argument("repeats", nargs="?", type=int, default=15)
    parser.add_argument("--only", default="", help="only this question, and the bare graph")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    asyncio.run(main(given.repeats, given.only))
