"""Benchmark of memory: ten pairs of similar questions, with and without memory.

    python benchmarks/memory_pairs.py [--seed N] [--apart] [--answers]

It shows model calls, tokens, who planned, and whether the answers agree. The first question of a pair is answered, then
the second, twice: on a store that remembers the first, and with `WEIWO_PLAN_MEMORY=off`. Eight pairs have one wording
and other names. Two are worded otherwise, so that the model plans them. The documents are invented (`invented.py`), and
the model is scripted (`oracle.py`): it states only what stands in its prompt. Last, the first question is asked again
with `answer_memory`: it is answered as before, without a call. Tokens are estimated at four characters each. One model
judges and plans in one call, so that memory spares tokens. With `--apart` the planner is another model, and memory
spares its call.
"""

import argparse
import asyncio
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from invented import Case, World, invent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from oracle import Ledger, Oracle
from player import FAN_OUTS
from thrift import write_corpus

from weiwo.graph import build_graph
from weiwo.models.endpoint import _forget_endpoints
from weiwo.state.result_json import ResultJson
from weiwo.state.settings import ROLES, Context

PAIRS = 10
REWORDED = 2


class AnsweredQuestion(NamedTuple):
    """An answered question.

    Attributes:
        result: Its result.
        ledger: The calls it took.
    """

    result: ResultJson
    ledger: Ledger

    @property
    def planned_by(self) -> str:
        """Author of the plan."""
        return str((self.result["plan"] or {}).get("decided_by"))

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.ledger.prompt + self.ledger.reply


def pairs(world: World) -> Iterator[tuple[Case, Case]]:
    """Yield pairs of questions of the same kind and size. The last pairs differ in wording."""
    cases = [case for case in world.cases if case.kind in FAN_OUTS]
    keys = sorted({(case.kind, case.size) for case in cases})
    alike = {key: [case for case in cases if (case.kind, case.size) == key] for key in keys}
    both = ((alike[key][2 * n], alike[key][2 * n + 1]) for n in range(len(cases)) for key in keys)
    for number, (item, other) in enumerate(islice(both, PAIRS)):
        if number >= PAIRS - REWORDED:
            league = other.question.split(" of the ")[1].split(" and ")[0]
            question = f"Name all the towns that belonged to the {league}, each with the year in which it was founded."
            yield item, replace(other, question=question)
        else:
            yield item, other


class OtherOracle(Oracle):
    """Second scripted model, under another name."""

    @property
    def _llm_type(self) -> str:
        return "scripted planner"


async def ask(case: Case, corpus: Path, store: InMemoryStore, *, apart: bool, **settings: Any) -> AnsweredQuestion:
    """Ask a question."""
    _forget_endpoints()
    ledger = Ledger()
    models: dict[str, BaseChatModel] = dict.fromkeys(ROLES, Oracle(case=case, ledger=ledger))
    if apart:
        models["planner"] = OtherOracle(case=case, ledger=ledger)
    graph = build_graph(InMemorySaver(), store, models=models)
    context = Context(corpus=[str(corpus)], web=False, telemetry=False, **settings)
    config: Any = {"configurable": {"thread_id": "t"}}
    values = await graph.ainvoke({"question": case.question}, config, context=context)
    return AnsweredQuestion(values["result"], ledger)


async def main(seed: int, *, apart: bool, show_answers: bool) -> None:
    """Ask all pairs, print a row each."""
    world = invent(seed, 4)
    print(
        f"{'pair':25}{'without: calls':>15}{'tokens':>8}  {'planned by':12}{'with: calls':>12}{'tokens':>8}", end="  "
    )
    print(f"{'planned by':10}  same answer")
    sums = [0, 0, 0, 0]
    same = right = again = 0
    with tempfile.TemporaryDirectory() as home:
        corpus = write_corpus(world.documents, Path(home))
        for number, (item, other) in enumerate(pairs(world), 1):
            store = InMemoryStore()
            first = await ask(item, corpus, store, apart=apart, answer_memory=True)
            without = await ask(other, corpus, InMemoryStore(), apart=apart, plan_memory=False)
            remembered = await ask(other, corpus, store, apart=apart)
            repeated = await ask(item, corpus, store, apart=apart, answer_memory=True)
            agrees = remembered.result["answer"] == without.result["answer"]
            same, right = same + agrees, right + other.right(remembered.result["answer"])
            again += not repeated.ledger.spans and repeated.result["answer"] == first.result["answer"]
            row = [len(without.ledger.spans), without.tokens, len(remembered.ledger.spans), remembered.tokens]
            sums = [total + value for total, value in zip(sums, row, strict=True)]
            name = f"{number} {other.kind} of {other.size}" + (", reworded" if number > PAIRS - REWORDED else "")
            show_row(name, row, without.planned_by, remembered.planned_by, "yes" if agrees else "NO")
            if show_answers:
                print(f"   {other.question}\n   {without.result['answer']!r}\n   {remembered.result['answer']!r}")
    show_row("all", sums, "", "", f"{same} of {PAIRS}; right {right}")
    print(f"asked again with answer_memory: {again} of {PAIRS} answered as before without a model call")


def show_row(name: str, row: list[int], planned: str, remembered: str, verdict: str) -> None:
    """Print a row of the table."""
    print(f"{name:25}{row[0]:15}{row[1]:8}  {planned:12}{row[2]:12}{row[3]:8}  {remembered:10}  {verdict}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--apart", action="store_true", help="another model plans")
    parser.add_argument("--answers", action="store_true", help="show the answers")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    asyncio.run(main(given.seed, apart=given.apart, show_answers=given.answers))
