"""What an answer costs, beside a plain ReAct loop: calls, tokens and time for chains, comparisons, fan-outs and facts.

    python benchmarks/thrift.py [--each N] [--seed N] [--calls] [FOLDER…]
    python benchmarks/thrift.py --provider anthropic,google_genai,mistralai,ollama,deepseek,openai

Both systems search the same index with the same scripted model (`oracle.py`), which states only what stands in its
prompt. The loop is `langchain.agents.create_agent` with one search tool, eight passages a search and up to three
searches a turn. The documents are invented (`invented.py`), so that nothing can be known by heart; a FOLDER
is BEIR-shaped, and its questions that come with a `decomposition` are chains as well. Tokens are estimated at four
characters each. Wall time is virtual: each call takes one second, and nothing else takes any. With `--provider` the
same model is behind each provider's wire form on loopback, and Weiwo asks it through the provider's own package.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from invented import Case, from_folder, invent, invent_folder, invent_hard
from langchain.agents import create_agent
from langchain_core.tools import BaseTool, StructuredTool
from oracle import Ledger, Oracle

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.virtual_time import VirtualTimeLoop
from weiwo.graph import build_graph
from weiwo.models.endpoint import _forget_endpoints
from weiwo.state.settings import Context
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.passages import as_text

REACT: Final = "Answer the question from what the search tool finds, not from memory. Search until you know."
PASSAGES: Final = 8
GOALS: Final = {"chain": (1.2, 1.0, None), "comparison": (None, 0.9, None), "fan-out": (None, 0.5, 0.4), "linked": (None, None, None), "fact": (None, 1.0, None), "hard": (2.0, 1.5, None), "table": (None, None, None), "report": (None, None, None)}  # fmt: skip  # noqa: E501 - a table
"""What Weiwo may take at most of the loop's calls, prompt tokens and wall time."""


@dataclass
class Row:
    """What one system took for the questions of a kind."""

    questions: int = 0
    right: int = 0
    calls: int = 0
    prompt: int = 0
    cached: int = 0
    reply: int = 0
    wall: float = 0

    def add(self, ledger: Ledger, *, right: bool) -> None:
        """Count one question."""
        self.questions, self.right = self.questions + 1, self.right + right
        self.calls, self.wall = self.calls + len(ledger.spans), self.wall + ledger.seconds()
        self.prompt, self.cached = self.prompt + ledger.prompt, self.cached + ledger.cached
        self.reply += ledger.reply


def search_tool(corpus: Corpus) -> BaseTool:
    """The loop's one tool."""

    async def search(query: str) -> str:
        return as_text(await corpus.search(query, PASSAGES), "Nothing matches.")

    return StructuredTool.from_function(coroutine=search, name="search", description="Search the documents.")


async def ask_react(case: Case, corpus: Corpus) -> tuple[str, Ledger]:
    """The answer of the loop."""
    ledger = Ledger()
    agent = create_agent(Oracle(case=case, ledger=ledger), [search_tool(corpus)], system_prompt=REACT)
    state = await agent.ainvoke({"messages": [("user", case.question)]}, {"recursion_limit": 60})
    return str(state["messages"][-1].text), ledger


async def ask_weiwo(case: Case, folder: Path, *, habit: str) -> tuple[str, Ledger]:
    """The answer of Weiwo."""
    ledger = Ledger()
    graph = build_graph(models=Oracle(case=case, ledger=ledger, habit=habit))
    context = Context(corpus=[str(folder)], web=False, telemetry=False)
    result = (await graph.ainvoke({"question": case.question}, context=context))["result"]
    return result["answer"] if result["status"] in {"complete", "partial"} else "", ledger


async def measure(cases: Iterable[Case], folder: Path, *, show_calls: bool, habit: str) -> dict[str, dict[str, Row]]:
    """Ask both systems; what each took, by kind."""
    corpus = await load_corpus([str(folder)])
    table: dict[str, dict[str, Row]] = defaultdict(lambda: {"ReAct": Row(), "Weiwo": Row()})
    for case in cases:
        for name, asked in (
            ("ReAct", ask_react(case, corpus)),
            ("Weiwo", ask_weiwo(case, folder, habit=habit)),
        ):
            answer, ledger = await asked
            right = case.right(answer)
            kind = case.kind if case.hidden is None else "hard"
            table[kind][name].add(ledger, right=right)
            if show_calls:
                took = f"{' '.join(ledger.purposes)}, {ledger.prompt} tokens"
                print(f"{kind} {case.kind} {case.size} {name}: {took}, {right}")
                if not right:
                    print(f"   {case.question}\n   {answer[:300]!r}")
    return table


def show(title: str, table: dict[str, dict[str, Row]], *, goals: bool) -> None:
    """Print the table with ratios, and with the goals of a good model."""
    print(f"\n{title}")
    print(f"{'':12}{'':8}{'n':>4}{'right':>6}{'calls':>7}{'prompt':>9}{'cached':>8}{'reply':>7}{'wall s':>7}")
    for kind, rows in table.items():
        for name, row in rows.items():
            figures = (
                f"{row.questions:4}{row.right:6}{row.calls:7}{row.prompt:9}{row.cached:8}{row.reply:7}{row.wall:7.0f}"
            )
            print(f"{kind:12}{name:8}{figures}")
        react, ours = rows["ReAct"], rows["Weiwo"]
        shares = (ours.calls / react.calls, ours.prompt / react.prompt, ours.wall / react.wall)
        told = []
        for what, share, goal in zip(("calls", "prompt", "wall"), shares, GOALS[kind], strict=True):
            held = "" if goal is None or not goals else f" (at most {goal}: {'held' if share <= goal else 'MISSED'})"
            told.append(f"{what} {share:.2f} x{held}")
        print(f"{'':12}{', '.join(told)}; right {ours.right} to {react.right}")


def write_corpus(documents: dict[str, str], folder: Path) -> Path:
    """Documents as a corpus that can be indexed."""
    path = folder / "corpus.jsonl"
    rows = (json.dumps({"_id": title, "title": title, "text": text}) for title, text in documents.items())
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def write_files(documents: dict[str, str], folder: Path) -> Path:
    """Documents as files of a folder."""
    folder.mkdir()
    for title, text in documents.items():
        (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    return folder


def ask_providers(arguments: Any) -> None:
    """Ask the questions of the invented world through each provider's form."""
    from provider_oracle import measure_provider  # noqa: PLC0415 - wants the group `providers`

    with tempfile.TemporaryDirectory() as folder:
        world = invent(arguments.seed, arguments.each)
        corpus = write_corpus(world.documents, Path(folder))
        cases = [case for case in world.cases if not arguments.kind or case.kind == arguments.kind]
        for provider in arguments.provider.split(","):
            _forget_endpoints()
            measure_provider(cases, corpus, provider)


async def main(arguments: Any) -> None:
    """Measure the invented world, then each folder."""
    with tempfile.TemporaryDirectory() as home:
        world = invent(arguments.seed, arguments.each)
        kinds = [case for case in world.cases if not arguments.kind or case.kind == arguments.kind]
        corpus = write_corpus(world.documents, Path(home))
        how = {"show_calls": arguments.calls, "habit": arguments.habit}
        show("invented", await measure(kinds, corpus, **how), goals=not arguments.habit)
        if arguments.kind in {"", "folder"}:
            _forget_endpoints()
            small = invent_folder(arguments.seed)
            kept = write_files(small.documents, Path(home) / "folder")
            show("a folder that one prompt holds", await measure(small.cases, kept, **how), goals=False)
        if arguments.kind in {"", "hard"}:
            _forget_endpoints()
            hard = invent_hard(arguments.seed)
            corpus = write_corpus(hard.documents, Path(home))
            show("hinted at, never said", await measure(hard.cases, corpus, **how), goals=not arguments.habit)
        for folder in arguments.folders:
            _forget_endpoints()
            known, corpus = from_folder(Path(folder), arguments.most)
            show(folder, await measure(known.cases, corpus, **how), goals=not arguments.habit)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Calls, tokens and time beside a ReAct loop.")
    parser.add_argument("--each", type=int, default=2, help="questions of each kind and size")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--most", type=int, default=20, help="questions of a folder")
    parser.add_argument("--kind", default="", help="only chain, comparison, fan-out, linked, fact, folder or hard")
    parser.add_argument("--calls", action="store_true", help="show the calls of each question")
    parser.add_argument(
        "--habit", choices=("", "schemaless", "mediocre"), default="", help="of Weiwo's model; goals hold without"
    )
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--provider", default="", help="ask through these providers' forms instead, with commas")
    warnings.simplefilter("ignore")
    given = parser.parse_args()
    if given.provider:
        ask_providers(given)
        sys.exit()
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(main(given))
