"""Benchmark of the cost of an answer beside a plain ReAct loop: calls, tokens and time by kind.

    python benchmarks/thrift.py [--each N] [--seed N] [--kind KIND] [--calls] [FOLDER…]
    python benchmarks/thrift.py --habit weak
    python benchmarks/thrift.py --provider anthropic,google_genai,mistralai,ollama,deepseek,openai

All search the same index with the same scripted model (`oracle.py`). It states only what stands in its prompt and says
it in its own words: no value, quote or sentence is its source's whole sentence. The loop is
`langchain.agents.create_agent` with one search tool that shows as many passages as a task of Weiwo does. It is run
twice, with one search a turn and with all that it can send in one turn. A table and a report over a small folder are
also asked for in one plain prompt that holds all documents.

The documents are invented (`invented.py`), so that nothing can be known by heart. A FOLDER is BEIR-shaped, and its
questions that come with a `decomposition` are chains as well. Tokens are estimated at four characters each, schemas
among them. Wall time is virtual: each call takes two seconds, and nothing else takes any.

`--habit weak` measures a model that answers from memory, cites the wrong passage and nods as its own verifier. It
counts the answers that say something false, and those of them that are `complete` and bear no mark. With `--provider`
the model is behind each provider's wire form on loopback, and Weiwo asks it through the provider's own package.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from invented import Case, from_folder, invent, invent_folder, invent_hard
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from oracle import Ledger, Oracle
from weak_player import list_false_values

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.virtual_time import VirtualTimeLoop
from weiwo.graph import build_graph
from weiwo.models.endpoint import _forget_endpoints
from weiwo.state.settings import Context
from weiwo.text.localization import localize_message
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.passages import as_text

REACT: Final = "Answer the question from what the search tool finds, not from memory. Search until you know."
PLAIN: Final = "Answer from the passages, and mark each sentence or cell with the number of its passage, as [1]."
PASSAGES: Final = 5
ALL: Final = 100
"""More searches than a turn can send."""
WHOLE: Final = frozenset({"table", "report"})
FEW: Final = ("calls", "prompt", "reply", "wall")
_MARK: Final = localize_message("writer.rendering", "unverified")["en"]

Goals = Mapping[str, float]
GOALS: Final[Mapping[str, Mapping[str, Goals]]] = {
    "loop": {
        "all": {"calls": 1.15, "prompt": 1.2, "wall": 1.15},
        "chain": {"calls": 1.1},
        "comparison": {"calls": 1.1},
        "fan-out": {"calls": 1.5, "prompt": 1.5},
        "linked": {"calls": 1.5, "prompt": 1.5},
    },
    "one a turn": {kind: {"calls": 0.6, "prompt": 0.5, "wall": 0.4} for kind in ("fan-out", "linked")},
    "prompt": {"table": {"prompt": 1.5}, "report": {"prompt": 2.5}},
}
"""What Weiwo may take at most of what another system takes, by that system and kind of question."""


@dataclass
class Row:
    """Usage and results of a system for the questions of a kind."""

    questions: int = 0
    right: int = 0
    false: int = 0
    unmarked: int = 0
    calls: int = 0
    prompt: int = 0
    cached: int = 0
    reply: int = 0
    wall: float = 0

    def add(self, case: Case, reply: "Reply") -> None:
        """Count a question."""
        ledger = reply.ledger
        self.questions, self.right = self.questions + 1, self.right + case.right(reply.answer)
        false = any(value in reply.answer for value in list_false_values(case))
        self.false, self.unmarked = self.false + false, self.unmarked + (false and reply.firm)
        self.calls, self.wall = self.calls + len(ledger.spans), self.wall + ledger.seconds()
        self.prompt, self.cached = self.prompt + ledger.prompt, self.cached + ledger.cached
        self.reply += ledger.reply

    def __add__(self, other: "Row") -> "Row":
        return Row(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Reply:
    """An answer, the usage, and a flag for complete answers without a mark."""

    answer: str
    ledger: Ledger
    firm: bool = True


def search_tool(corpus: Corpus) -> BaseTool:
    """Return the only tool of the loop."""

    async def search(query: str) -> str:
        return as_text(await corpus.search(query, PASSAGES), "Nothing matches.")

    return StructuredTool.from_function(coroutine=search, name="search", description="Search the documents.")


async def ask_loop(case: Case, corpus: Corpus, habit: str, *, at_once: int) -> Reply:
    """The answer of the loop."""
    ledger = Ledger()
    model = Oracle(case=case, ledger=ledger, habit=habit, at_once=at_once)
    agent = create_agent(model, [search_tool(corpus)], system_prompt=REACT)
    state = await agent.ainvoke({"messages": [("user", case.question)]}, {"recursion_limit": 60})
    return Reply(str(state["messages"][-1].text), ledger)


async def ask_plainly(case: Case, documents: Mapping[str, str], habit: str) -> Reply:
    """Answer with a single prompt containing all documents."""
    ledger = Ledger()
    passages = "\n".join(
        f'<passage n="{n}" title="{title}">\n{text}\n</passage>' for n, (title, text) in enumerate(documents.items(), 1)
    )
    prompt = f"{PLAIN}\n{passages}\n\nQuestion: {case.question}"
    message = await Oracle(case=case, ledger=ledger, habit=habit).ainvoke([HumanMessage(prompt)])
    return Reply(str(message.text), ledger)


async def ask_weiwo(case: Case, folder: Path, habit: str) -> Reply:
    """The answer of Weiwo."""
    ledger = Ledger()
    graph = build_graph(models=Oracle(case=case, ledger=ledger, habit=habit))
    context = Context(corpus=[str(folder)], web=False, telemetry=False)
    result = (await graph.ainvoke({"question": case.question}, context=context))["result"]
    told = result["answer"] if result["status"] in {"complete", "partial"} else ""
    return Reply(told, ledger, firm=result["status"] == "complete" and _MARK not in told)


Table = dict[str, dict[str, Row]]


async def measure(
    cases: Iterable[Case], folder: Path, documents: Mapping[str, str], *, show_calls: bool, habit: str
) -> Table:
    """Ask all systems, and return the usage of each by kind."""
    corpus = await load_corpus([str(folder)])
    table: Table = defaultdict(lambda: defaultdict(Row))
    for case in cases:
        asked = {"loop": ask_loop(case, corpus, habit, at_once=ALL)}
        if case.kind in WHOLE:
            asked["prompt"] = ask_plainly(case, documents, habit)
        else:
            asked["one a turn"] = ask_loop(case, corpus, habit, at_once=1)
        asked["Weiwo"] = ask_weiwo(case, folder, habit)
        kind = case.kind if case.hidden is None else "hard"
        for name, asking in asked.items():
            reply = await asking
            table[kind][name].add(case, reply)
            if show_calls:
                right = case.right(reply.answer)
                took = f"{' '.join(reply.ledger.purposes)}, {reply.ledger.prompt} tokens"
                print(f"{kind} {case.kind} {case.size} {name}: {took}, {right}")
                if not right:
                    print(f"   {case.question}\n   {reply.answer[:300]!r}")
    return table


def show(title: str, table: Table, *, habit: str) -> None:
    """Print the usage of each system, and Weiwo's share compared with the goals."""
    print(f"\n{title}")
    head = f"{'':12}{'':11}{'n':>4}{'right':>6}{'calls':>7}{'prompt':>9}{'cached':>8}{'reply':>7}{'wall s':>7}"
    print(f"{head}{'false':>7}{'unmarked':>9}" if habit == "weak" else head)
    for kind, rows in table.items():
        for name, row in rows.items():
            line = f"{kind:12}{name:11}{row.questions:4}{row.right:6}{row.calls:7}{row.prompt:9}{row.cached:8}{row.reply:7}{row.wall:7.0f}"  # noqa: E501 - a row of a table
            print(f"{line}{row.false:7}{row.unmarked:9}" if habit == "weak" else line)
        for name, row in rows.items():
            if name != "Weiwo":
                goals = {} if habit else GOALS[name].get(kind, {})
                print(f"{'':12}{kind} beside {name}: {_shares(rows['Weiwo'], row, goals)}")


def _shares(ours: Row, other: Row, goals: Goals) -> str:
    told = []
    for what in FEW:
        share = getattr(ours, what) / getattr(other, what)
        goal = goals.get(what)
        held = "" if goal is None else f" (at most {goal}: {'held' if round(share, 2) <= goal else 'MISSED'})"
        told.append(f"{what} {share:.2f} x{held}")
    return f"{', '.join(told)}; right {ours.right} to {other.right}"


def sum_kinds(tables: Iterable[Table]) -> Table:
    """Sum the rows of all kinds, for the systems asked in all kinds."""
    total: dict[str, Row] = defaultdict(Row)
    for table in tables:
        for kind, rows in table.items():
            for name, row in rows.items() if kind not in WHOLE else ():
                total[name] += row
    return {"all": total} if total else {}


def write_corpus(documents: Mapping[str, str], folder: Path) -> Path:
    """Write documents as a corpus file for indexing."""
    path = folder / "corpus.jsonl"
    rows = (json.dumps({"_id": title, "title": title, "text": text}) for title, text in documents.items())
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def write_files(documents: Mapping[str, str], folder: Path) -> Path:
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
    habit, tables = arguments.habit, []
    how = {"show_calls": arguments.calls, "habit": habit}

    async def take(title: str, cases: list[Case], folder: Path, documents: Mapping[str, str]) -> None:
        _forget_endpoints()
        tables.append(await measure(cases, folder, documents, **how))
        show(title, tables[-1], habit=habit)

    with tempfile.TemporaryDirectory() as home:
        world = invent(arguments.seed, arguments.each)
        kinds = [case for case in world.cases if not arguments.kind or case.kind == arguments.kind]
        if kinds:
            await take("invented", kinds, write_corpus(world.documents, Path(home)), world.documents)
        if arguments.kind in {"", "hard"}:
            hard = invent_hard(arguments.seed)
            await take("hinted at, never said", hard.cases, write_corpus(hard.documents, Path(home)), hard.documents)
        if arguments.kind in {"", "folder"}:
            small = invent_folder(arguments.seed)
            files = write_files(small.documents, Path(home) / "folder")
            await take("a folder that one prompt holds", small.cases, files, small.documents)
        for folder in arguments.folders:
            known, corpus = from_folder(Path(folder), arguments.most)
            await take(folder, known.cases, corpus, known.documents)
        show("all kinds but those over a whole folder", sum_kinds(tables), habit=habit)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Calls, tokens and time beside a ReAct loop.")
    parser.add_argument("--each", type=int, default=2, help="questions of each kind and size")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--most", type=int, default=20, help="questions of a folder")
    parser.add_argument("--kind", default="", help="only chain, comparison, fan-out, linked, fact, folder or hard")
    parser.add_argument("--calls", action="store_true", help="show the calls of each question")
    parser.add_argument(
        "--habit", choices=("", "schemaless", "mediocre", "weak"), default="", help="of the model; goals hold without"
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
