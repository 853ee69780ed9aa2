"""The run that is killed: eight tasks, with a diamond, a `for_each`, a chain, calculations and a substitute.

    task_1 parts ──▶ task_2 weight of each ──▶ task_3 sum ───────────────────┐
    task_4 builder ─┬▶ task_5 born ───────┐                                  ├─▶ task_8 sum
                    └▶ task_6 home town ──┴▶ task_7 weight of the town's tank ┘
                       (its tool always fails; another of its cluster stands in)

`replan` is the same, but nothing tells of the builder where the first plan looks, and half of it is planned anew.
`repair` is the same, but while the parts are still weighed, reflection replaces task_4 twice, by rule and, since that
comes to nothing too, by the model; and then task_5, which waited for it, likewise. The plan runs on.
`consent` is the same as `repair`, but the tool that stands in asks a person first.
`items` is the same as `plain`, but one part's weight is not where it is looked up, and that item is replaced.
Tools and models take some milliseconds, the same ones every time, and no call is made twice in an undisturbed run.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator
from typing import Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt
from pydantic import PrivateAttr

from tests.support.fake_model import FakeModel, Request, assessed, found
from tests.torture.log import Log
from weiwo.state import Evidence, passage_id
from weiwo.tools.compute.calculator import Calculator

Story = Literal["plain", "replan", "repair", "consent", "items"]
_REPAIRED: frozenset[Story] = frozenset({"repair", "consent"})
QUESTION = (
    "What do the parts of the Aldo engine weigh in total together with the tank which was cast in the town where its "
    "builder lived, in the year the builder was born, and how heavy is each part?"
)
PASSAGES = {
    "Aldo parts": "The Aldo engine has three parts: Bellows, Crank and Damper.",
    "Bellows Aldo weight": "The Bellows of the Aldo engine weighs 40 kilograms.",
    "Crank Aldo weight": "The Crank of the Aldo engine weighs 55 kilograms.",
    "Damper Aldo weight": "The Damper of the Aldo engine weighs 70 kilograms.",
    "Aldo builder": "The Aldo engine was built by Mara Lind.",
    "Mara Lind born": "Mara Lind was born in 1871.",
    "Mara Lind home": "Mara Lind lived in Ostby.",
    "Ostby tank 1871": "The tank that Ostby cast in 1871 weighs 300 kilograms.",
}
"""What a query finds."""
HIDDEN = "Crank Aldo weight"
"""What, in `items`, is not found where it is looked up."""

READ: dict[str, Any] = {
    "Which parts": ["Bellows", "Crank", "Damper"],
    "is the Bellows": 40,
    "is the Crank": 55,
    "is the Damper": 70,
    "Who built": "Mara Lind",
    "When was Mara Lind": "1871",
    "Where did Mara Lind": "Ostby",
    "tank": 300,
}
"""What a task comes to, by words in its description."""


def plan(builder: str, first: int, tool: str, query: str, birth: str = "born") -> list[dict[str, Any]]:
    """The tasks from the builder on, numbered from `first`; `builder` is the id of the first."""
    born, home, tank, total = (f"task_{first + offset}" for offset in range(4))
    return [
        _vertex(builder, "Who built the Aldo engine?", tool, query, "text"),
        _vertex(born, f"When was {{{{{builder}.ret}}}} born?", "lookup", f"{{{{{builder}.ret}}}} {birth}", "date"),
        _vertex(home, f"Where did {{{{{builder}.ret}}}} live?", "directory", f"{{{{{builder}.ret}}}} home", "text"),
        _vertex(
            tank,
            f"How heavy is the tank that {{{{{home}.ret}}}} cast in {{{{{born}.ret}}}}, in kilograms?",
            "lookup",
            f"{{{{{home}.ret}}}} tank {{{{{born}.ret}}}}",
            "number",
        ),
        _calculation(total, "How heavy are parts and tank together?", f"{{{{task_3.ret}}}} + {{{{{tank}.ret}}}}"),
    ]


PARTS = [
    {"id": "task_1", "description": "Which parts has the Aldo engine?", "tool_binding": "lookup"}
    | {"args": {"query": "Aldo parts"}, "ret": "list[text]"},
    {"id": "task_2", "description": "How heavy is the {{item}} of the Aldo engine, in kilograms?"}
    | {"tool_binding": "lookup", "args": {"query": "{{item}} Aldo weight"}, "ret": "number"}
    | {"for_each": "{{task_1.ret}}"},
    {"id": "task_3", "description": "How heavy are the parts together?", "tool_binding": "calculator"}
    | {"args": {"expression": "sum({{task_2.ret}})"}, "ret": "number"},
]


def _vertex(id_: str, description: str, tool: str, query: str, ret: str) -> dict[str, Any]:
    return {"id": id_, "description": description, "tool_binding": tool, "args": {"query": query}, "ret": ret}


def _calculation(id_: str, description: str, expression: str) -> dict[str, Any]:
    args = {"expression": expression}
    return {"id": id_, "description": description, "tool_binding": "calculator", "args": args, "ret": "number"}


def _planned(story: Story, request: Request) -> dict[str, Any]:
    if "The plan ran, and part of it failed" in request.text:
        return {"thought": "The archive knows.", "vertices": plan("task_9", 10, "archive", "Aldo builder"), "edges": []}
    query = "Aldo builder" if story in {"plain", "items"} else "Aldo maker"
    rest = plan("task_4", 5, "lookup", query, "birth" if story in _REPAIRED else "born")
    return {"thought": "Parts, builder, tank.", "vertices": [*PARTS, *rest], "edges": []}


def _repaired(story: Story, request: Request) -> dict[str, Any]:
    """What takes the place of a task while the others run; in `replan` it is left to the look back."""
    task = re.search(r"^The task: (\w+) ", request.text, re.MULTILINE)
    if story not in _REPAIRED or task is None:
        return {"reason": "no other way", "vertices": []}
    if task[1].startswith("task_5"):
        (builder,) = re.findall(r"^- (task_4\w+) \(text\): ", request.text, re.MULTILINE)
        asked = f"When was {{{{{builder}.ret}}}} born?"
        vertex = _vertex("born", asked, "archive", f"{{{{{builder}.ret}}}} born", "date")
    else:
        vertex = _vertex("other", "Who built the Aldo engine?", "archive", "Aldo builder", "text")
    return {"reason": f"{task[1]} another way", "vertices": [vertex]}


def _judged(request: Request) -> dict[str, Any]:
    if "every task has an outcome" in request.text:
        return {"reason": "all is found", "decision": "finish", "missing": []}
    return {"reason": "the archive is left", "decision": "replan", "missing": ["the builder"]}


def _read(request: Request) -> dict[str, Any]:
    task = re.search(r"^Task: (.*)$", request.text, re.MULTILINE)
    for words, value in READ.items():
        if task and words in task[1]:
            for n, passage in _passages(request.text):
                if str(value[0] if isinstance(value, list) else value) in passage:
                    return found(value, passage, n)
    return {"next": "give_up", "value": None, "quotes": [], "confidence": 0.0, "missing": "no passage tells"}


def _written(request: Request) -> str:
    n_of = {passage: n for n, passage in _passages(request.text)}
    sums = {quote: n for n, quote in re.findall(r'<calculation n="(\d+)">(.*?)</calculation>', request.text)}
    total = next((n for quote, n in sums.items() if "465" in quote), "")
    facts = [f"{passage.rstrip('.')} [{n_of[passage]}]." for passage in PASSAGES.values() if passage in n_of]
    return " ".join([f"Together they weigh 465 kilograms [{total}].", *facts])


def _passages(text: str) -> list[tuple[int, str]]:
    return [(int(n), body) for n, body in re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', text, re.DOTALL)]


def _pause(key: str) -> float:
    """Seconds a call takes: 5 to 30 ms, by its name."""
    return 0.005 + hashlib.sha1(key.encode(), usedforsecurity=False).digest()[0] / 10_000


class LoggedModel(FakeModel):
    """A scripted model that takes a while and notes each call, before and after."""

    _log: Log = PrivateAttr()

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        tools = kwargs.get("tools") or [{"title": "words"}]
        key = _asked(tools[0].get("title") or tools[0]["function"]["name"], messages)
        self._log.call("start", key)
        await asyncio.sleep(_pause(key))
        reply = await super()._agenerate(messages, *args, **kwargs)
        self._log.call("done", key)
        return reply

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        key = _asked("draft", messages)
        self._log.call("start", key)
        async for number, chunk in _numbered(super()._astream(messages, *args, **kwargs)):
            if number % 20 == 0:
                await asyncio.sleep(0.002)
            yield chunk
        self._log.call("done", key)


async def _numbered(chunks: AsyncIterator[ChatGenerationChunk]) -> AsyncIterator[tuple[int, ChatGenerationChunk]]:
    number = 0
    async for chunk in chunks:
        yield number, chunk
        number += 1


def _asked(name: str, messages: list[BaseMessage]) -> str:
    """The identity of a model call: what for, for which task, and a hash of the whole prompt but for the date."""
    text = "\n\n".join(str(message.text) for message in messages)
    task = re.search(r"^Task: (.*)$", text, re.MULTILINE)
    whole = re.sub(r"^Today: .*$", "", text, flags=re.MULTILINE)
    digest = hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest()[:8]
    return f"model {name} {task[1] if task else ''} {digest}"


def model(log: Log, story: Story) -> FakeModel:
    """The chat model of every role."""
    script: dict[str, list[Any]] = {
        "AssessmentReply": [assessed(QUESTION, steps=1.0)],
        "PlanReply": [lambda request: _planned(story, request)],
        "ReadReply": [_read],
        "RepairReply": [lambda request: _repaired(story, request)],
        "ReflectionReply": [_judged],
        "draft": [_written],
    }
    made = LoggedModel(script=script)
    made._log = log
    return made


def tools(log: Log, story: Story) -> list[BaseTool]:
    """The tools tasks use."""

    def searching(name: str, cluster: str, *, broken: bool = False) -> BaseTool:
        async def run(query: str) -> tuple[str, list[dict[str, Any]]]:
            key = f"tool {name} {query}"
            if story == "consent" and name == "archive":
                interrupt(f"may the {name} be asked for {query}?")
            log.call("start", key)
            await asyncio.sleep(_pause(key))
            log.call("done", key)  # whether it worked or not: it has happened
            if broken:
                raise FileNotFoundError("the directory is closed")
            hidden = story == "items" and name == "lookup" and query == HIDDEN
            text = None if hidden else PASSAGES.get(query)
            if text is None:
                return "nothing", []
            passage = Evidence(id=passage_id(text), text=text, source=f"{name}.md", title=" ".join(text.split()[:3]))
            return text, [passage.model_dump(mode="json")]

        return StructuredTool.from_function(
            coroutine=run,
            name=name,
            description=f"Finds passages in the {name}.",
            response_format="content_and_artifact",
            metadata={"cluster": cluster},
        )

    async def calculate(expression: str) -> Any:
        key = f"tool calculator {expression}"
        log.call("start", key)
        await asyncio.sleep(_pause(key))
        reply = await Calculator()._arun(expression)
        log.call("done", key)
        return reply

    calculator = StructuredTool(
        name="calculator",
        description=Calculator().description,
        args_schema=Calculator().args_schema,
        coroutine=calculate,
        response_format="content_and_artifact",
    )
    return [
        searching("lookup", "lookups"),
        searching("archive", "archives"),
        searching("corpus_search", "search"),
        searching("directory", "people", broken=True),
        searching("registry", "people"),
        calculator,
    ]


def comparable(result: dict[str, Any]) -> str:
    """All of a result that no kill may change: everything but times, what was spent, and the thread's name."""
    kept = {key: value for key, value in result.items() if key not in {"usage", "thread_id"}}
    outcomes = {
        task_id: {key: value for key, value in outcome.items() if key != "seconds"}
        for task_id, outcome in result["outcomes"].items()
    }
    return json.dumps({**kept, "outcomes": outcomes}, indent=1, ensure_ascii=False)
