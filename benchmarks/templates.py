"""Benchmark of template folders without a model, with and without folding of copied passages.

    python benchmarks/templates.py [--misses] [--json]

Ten folders (`tests/support/template_folders.py`): contracts, leases, minutes, mail with a legal footer and others, five
documents each and in half of them the form that nobody filled in. Every document stands there twice, the copy in a
folder of its own. Counted are right answers to questions about one document (its value stands in the answer before that
of any other) and about all (every value stands there), and, of the passages an answer shows, how many repeat the names
and figures of another one. Exit code 1 if folding loses an answer or repeats more than no folding.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

from tests.support.template_folders import NAMES, NAMES_ZH, QUESTIONS, TEMPLATES, folder
from weiwo import build_graph
from weiwo.nodes.executor import node
from weiwo.state import Evidence
from weiwo.state.result_json import ResultJson
from weiwo.state.settings import Context
from weiwo.text.near_duplicates import Told


@dataclass
class Count:
    """Right answers and repeated passages."""

    named: int = 0
    right_named: int = 0
    all: int = 0
    right_all: int = 0
    shown: int = 0
    repeated: int = 0


def keep_all(old: Sequence[Evidence], new: Sequence[Evidence]) -> list[Evidence]:
    """Merge by identity alone: nothing is folded."""
    return list({evidence.id: evidence for evidence in (*new, *old)}.values())


def write(kind: str, into: Path) -> dict[str, str]:
    """Write a folder and a copy of each document, and return each document's value by name."""
    passages, values = folder(kind)
    for passage in passages:
        for place in (into, into / "copies"):
            place.mkdir(exist_ok=True)
            (place / passage.source).write_text(f"{passage.text}\n", encoding="utf-8")
    names = NAMES_ZH if kind == "合同" else NAMES
    return {name: values[f"{n}.md"] for n, name in enumerate(names)}


def judge(name: str, result: ResultJson, values: dict[str, str], count: Count) -> bool:
    """Count an answer, and report whether the answer is right.

    The name is empty if the question asks for all documents.
    """
    answer = str(result["answer"])
    at = {item: answer.find(value) for item, value in values.items()}
    if name:
        right = at[name] >= 0 and all(place < 0 or place >= at[name] for place in at.values())
        count.named, count.right_named = count.named + 1, count.right_named + right
    else:
        right = all(place >= 0 for place in at.values())
        count.all, count.right_all = count.all + 1, count.right_all + right
    shown = [Told.of(item["text"]) for item in result["extracts"]]
    count.shown += len(shown)
    count.repeated += sum(any(item.equals(other) for other in shown[:n]) for n, item in enumerate(shown))
    return right


async def ask_all(*, misses: bool) -> Count:
    """Ask every question of every folder."""
    count, graph = Count(), build_graph()
    for kind in TEMPLATES:
        with tempfile.TemporaryDirectory() as documents:
            values = write(kind, Path(documents))
            context = Context(web=False, corpus=[documents], telemetry=False)
            item, every = QUESTIONS[kind]
            for name, question in [*((name, item.format(name=name)) for name in values), ("", every)]:
                state = await graph.ainvoke({"question": question}, context=context)
                if not judge(name, state["result"], values, count) and misses:
                    print(f"--- {question}\n{state['result']['answer']}\n")
    return count


def main() -> int:
    """Ask with and without folding, and print both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--misses", action="store_true", help="print the answers that are not right")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, {"WEIWO_HOME": home, "WEIWO_MODEL": ""}):
        folded = asyncio.run(ask_all(misses=options.misses))
        with patch.object(node, "merge_passages", keep_all):
            whole = asyncio.run(ask_all(misses=False))
    if options.json:
        print(json.dumps({"folding": asdict(folded), "no_folding": asdict(whole)}))
    else:
        for name, count in (("folding", folded), ("no folding", whole)):
            print(
                f"{name}: one document {count.right_named} of {count.named}, all documents {count.right_all} of "
                f"{count.all}; passages shown {count.shown}, repeated {count.repeated}"
            )
    lost = folded.right_named < whole.right_named or folded.right_all < whole.right_all
    return int(lost or folded.repeated > whole.repeated)


if __name__ == "__main__":
    sys.exit(main())
