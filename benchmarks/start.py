"""Benchmark of command start, compared with imports: median CPU time over fresh processes.

    python benchmarks/start.py [RUNS]

Wall time says little on a machine that does other things, so each figure is the CPU time of the process and its
children (`getrusage`), and each is compared with an import measured in the same rounds. Bytecode is cached as it is
after an installation. Commands run in a home of their own with the sample indexed and one thread answered.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

RUNS: Final = 9
QUESTION: Final = "How long is the Danube?"
MINIMAL: Final = """
import asyncio, pathlib, sys, typing
import tantivy
from langgraph.graph import END, START, StateGraph

class State(typing.TypedDict, total=False):
    question: str
    passages: list[str]
    answer: str

schema = tantivy.SchemaBuilder().add_text_field("text", stored=True, tokenizer_name="en_stem").build()
index = tantivy.Index(schema)
writer = index.writer()
for path in pathlib.Path(sys.argv[1]).rglob("*.md"):
    writer.add_document(tantivy.Document(text=path.read_text(encoding="utf-8")))
writer.commit()
index.reload()

async def search(state: State) -> State:
    searcher = index.searcher()
    query = index.parse_query(state["question"].rstrip("?"), ["text"])
    return {"passages": [searcher.doc(at)["text"][0] for _, at in searcher.search(query, 3).hits]}

async def answer(state: State) -> State:
    return {"answer": state["passages"][0][:300]}

builder = StateGraph(State)
builder.add_node("search", search)
builder.add_node("answer", answer)
builder.add_edge(START, "search")
builder.add_edge("search", "answer")
builder.add_edge("answer", END)
print(asyncio.run(builder.compile().ainvoke({"question": sys.argv[2]}))["answer"])
"""
"""A script with one search over the sample's files and an answer, by LangGraph."""
CORPUS: Final = Path(__file__).parents[1] / "examples" / "corpus" / "en"
LIGHT: Final = "import typer, rich, tantivy"
HEAVY: Final = "import langgraph.graph, langgraph.checkpoint.sqlite.aio"


class Start(NamedTuple):
    """A command, with the import for comparison.

    Attributes:
        arguments: The arguments after `weiwo`.
        beside: The import it is compared with.
        goal: The highest permitted ratio to the cost of the import.
    """

    arguments: tuple[str, ...]
    beside: str
    goal: float


def starts(thread_id: str) -> list[Start]:
    """Return the commands to measure."""
    light = [("search", "Danube"), ("threads",), ("corpus",), ("show", thread_id), ("doctor",)]
    asked = ("ask", QUESTION)
    return [
        *(Start(arguments, LIGHT, 2.5) for arguments in light),
        Start(asked, HEAVY, 1.4),
        Start(asked, MINIMAL, 1.35),
    ]


def cpu_seconds(command: list[str], env: dict[str, str]) -> float:
    """Return the CPU seconds of a process until the end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, capture_output=True)  # noqa: S603 - ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of every process: no model, a separate home, cached bytecode.

    There is no web search either.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEIWO_", "PYTHONDONTWRITE"))}
    return {**own, "WEIWO_HOME": str(folder / "home"), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def main() -> None:
    """Measure in rounds, each of every command, and print medians and ratios."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory(prefix="weiwo-start-") as name:
        env = environment(Path(name))
        weiwo = [sys.executable, "-m", "weiwo"]
        cpu_seconds([*weiwo, "ask", "--thread", "first", QUESTION], env)
        measured = starts("first")
        commands = {start.arguments: [*weiwo, *start.arguments] for start in measured}
        more = {LIGHT: [], HEAVY: [], MINIMAL: [str(CORPUS), QUESTION]}
        commands |= {(code,): [sys.executable, "-c", code, *arguments] for code, arguments in more.items()}
        for command in commands.values():
            cpu_seconds(command, env)  # caches the bytecode
        taken: dict[tuple[str, ...], list[float]] = {key: [] for key in commands}
        for _ in range(runs):
            for key, command in commands.items():
                taken[key].append(cpu_seconds(command, env))
    median = {key: statistics.median(seconds) for key, seconds in taken.items()}
    for code in (LIGHT, HEAVY):
        print(f"{median[(code,)] * 1e3:6.0f} ms  python -c {code!r}")
    print(f"{median[(MINIMAL,)] * 1e3:6.0f} ms  a LangGraph script with one search")
    for start in measured:
        ratio = median[start.arguments] / median[(start.beside,)]
        named = {LIGHT: "typer, rich, tantivy", HEAVY: "langgraph, SQLite saver", MINIMAL: "the script"}
        beside = named[start.beside]
        print(
            f"{median[start.arguments] * 1e3:6.0f} ms  weiwo {start.arguments[0]:8} {ratio:5.2f} x {beside}"
            f" (goal: at most {start.goal})"
        )


if __name__ == "__main__":
    main()
