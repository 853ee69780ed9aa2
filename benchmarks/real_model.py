"""Benchmark of a real model: through Weiwo, in plain RAG (a search, a prompt), and Weiwo by rules.

    OPENAI_BASE_URL=… WEIWO_MODEL=openai:NAME python benchmarks/real_model.py FOLDER… [--each N] [--skip N]
        [--rows FILE] [--systems weiwo,plain,rules,ceiling] [--report]

A FOLDER is BEIR-shaped (`corpus.jsonl`, `queries.jsonl` with `answers` and `type`, `qrels.tsv`). Questions are of five
kinds: of one passage in English, of one in Chinese, of two hops, comparisons, and untold ones, whose gold passages are
taken out of the corpus, so that nothing is the only right answer. `ceiling` is the model with the gold passages alone.
A row is written to the file as it comes. Rows already in the file are not asked again, and `--report` only counts them.

Right: the gold answer stands in the statement. Passages shown do not count. False: something else is stated, and it is
not "not found". Marked: a false answer calls itself unverified, or its status is not `complete`.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from langchain_openai import ChatOpenAI

from weiwo import build_graph
from weiwo.nodes.writer.verification.check import says_not_found
from weiwo.state import DOUBTFUL
from weiwo.state.settings import Context
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.evaluation.answer_matching import YES_NO, AnswerText
from weiwo.tools.corpus.loading import load_corpus

KINDS: Final = ("single-en", "single-zh", "hops", "comparison", "untold")
SYSTEMS: Final = ("weiwo", "plain", "rules", "ceiling")
PASSAGES: Final = 5
LONGEST_REPLY: Final = 300
PLAIN: Final = (
    "{passages}\n\nAnswer the question from the passages above in one sentence. If they don't tell, say 'not found'."
    "\n\nQuestion: {question}"
)


@dataclass(frozen=True)
class Case:
    """A question, the right answer, and the passages with the answer."""

    id: str
    kind: str
    text: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]

    def right(self, told: str) -> bool:
        """Report whether a statement contains the answer.

        For an untold question only an empty statement is right.
        """
        if self.kind == "untold":
            return not told
        if {answer.casefold().strip() for answer in self.answers} <= YES_NO:
            words = told.casefold().replace(",", " ").replace("，", " ").split()
            return bool(words) and words[0] == self.answers[0].casefold().strip()
        return any(map(AnswerText(told).says, self.answers))


def read_cases(folder: Path) -> Iterator[Case]:
    """Yield the questions of a set by kind.

    The first hop of a decomposed question becomes a question about a single passage.
    """
    gold: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if int(score) > 0:
            gold.setdefault(query, []).append(passage)
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = tuple(str(answer) for answer in row.get("answers") or ())
        kind = {"zh": "single-zh", "comparison": "comparison", "bridge": "hops", "2hop": "hops"}.get(str(row["type"]))
        passages = tuple(gold.get(row["_id"], ()))
        if kind and answers:
            yield Case(row["_id"], kind, row["text"], answers, passages)
        first = (row.get("decomposition") or [{}])[0]
        if first.get("question", "").endswith("?") and ">>" not in first["question"]:
            yield Case(f"{row['_id']}-1", "single-en", first["question"], (first["answer"],), passages)


def choose(folders: Sequence[Path], each: int, skip: int) -> list[tuple[Path, Case]]:
    """Choose the questions to ask: `each` per kind after the first `skip`, in a fixed order.

    Half of `each` per kind is added as untold questions.
    """
    by_kind: dict[str, list[tuple[Path, Case]]] = {kind: [] for kind in KINDS}
    for folder in folders:
        for case in read_cases(folder):
            by_kind[case.kind].append((folder, case))
    chosen: list[tuple[Path, Case]] = []
    for kind in KINDS[:-1]:
        random.Random(kind).shuffle(by_kind[kind])  # noqa: S311 - a fixed order
        chosen += by_kind[kind][skip : skip + each]
        spare = by_kind[kind][-(skip + each) :][: each // 2]  # asked as untold, and as nothing else
        chosen += [(at, Case(f"{c.id}-untold", "untold", c.text, c.answers, c.gold)) for at, c in spare]
    return chosen


def write_documents(folder: Path, scratch: Path, without: Sequence[str] = ()) -> Path:
    """Write the passages of a set as files, without the given passages."""
    name = f"{folder.name}-{'-'.join(without)[:60]}" if without else folder.name
    documents = scratch / name
    if not documents.is_dir():
        documents.mkdir(parents=True)
        for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["_id"] not in without:
                head = f"# {row['title']}\n\n" if row.get("title") else ""
                (documents / f"{row['_id']}.md").write_text(f"{head}{row['text']}\n", encoding="utf-8")
    return documents


class Asker:
    """Client for all systems, with a record of the results."""

    def __init__(self, scratch: Path, model: str, seconds: float) -> None:
        self._scratch, self._model, self._seconds = scratch, model, seconds
        self._corpora: dict[Path, Corpus] = {}
        self._graph = build_graph()

    async def ask(self, system: str, folder: Path, case: Case) -> dict[str, Any]:
        """Ask a system, and return the result row."""
        without = case.gold if case.kind == "untold" else ()
        documents = write_documents(folder, self._scratch, without)
        if documents not in self._corpora:
            self._corpora[documents] = await load_corpus((str(documents),))
        started = time.perf_counter()
        if system in {"weiwo", "rules"}:
            found = await self._weiwo(documents, case, with_model=system == "weiwo")
        else:
            found = await self._plain(self._corpora[documents], folder, case, gold=system == "ceiling")
        seconds = round(time.perf_counter() - started, 2)
        right = case.right(found["told"])
        return {
            "system": system,
            "id": case.id,
            "kind": case.kind,
            "question": case.text,
            "answers": case.answers,
            "right": right,
            "false": bool(found["told"]) and not right,
            "seconds": seconds,
            **found,
        }

    async def _weiwo(self, documents: Path, case: Case, *, with_model: bool) -> dict[str, Any]:
        if with_model:
            os.environ["WEIWO_MODEL"] = self._model
        else:
            os.environ.pop("WEIWO_MODEL", None)
        context = Context(web=False, corpus=[str(documents)], telemetry=False)
        result = (await self._graph.ainvoke({"question": case.text}, context=context))["result"]
        claims = [item for item in result["claims"] if not says_not_found(item["text"])]
        calls = result["usage"]["calls"]
        return {
            "told": " ".join(claim["text"] for claim in claims if claim["verdict"] != "uncited" or claim["citations"]),
            "marked": result["status"] != "complete"
            or any(claim["verdict"] in {*DOUBTFUL, "unchecked"} for claim in claims),
            "calls": len(calls),
            "prompt": sum(call["input_tokens"] for call in calls),
            "longest": max((call["output_tokens"] for call in calls), default=0),
            "status": result["status"],
        }

    async def _plain(self, corpus: Corpus, folder: Path, case: Case, *, gold: bool) -> dict[str, Any]:
        if gold:
            rows = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
            shown = [f"{row.get('title', '')}\n{row['text']}".strip() for row in rows if row["_id"] in case.gold]
        else:
            found = (await corpus.search(case.text, PASSAGES))[:PASSAGES]
            shown = [f"{passage.title}\n{passage.text}".strip() for passage in found]
        prompt = PLAIN.format(passages="\n\n".join(shown), question=case.text)
        chat = ChatOpenAI(
            model=self._model.partition(":")[2],
            timeout=self._seconds,
            max_completion_tokens=LONGEST_REPLY,
            max_retries=0,
        )
        said, tokens, sent = "", 0, 0
        async with aclosing(chat.astream(prompt, stream_usage=True)) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                said += str(chunk.text)
                if chunk.usage_metadata:
                    tokens, sent = chunk.usage_metadata["output_tokens"], chunk.usage_metadata["input_tokens"]
        told = "" if says_not_found(said) else " ".join(said.split())
        return {"told": told, "marked": False, "calls": 1, "prompt": sent, "longest": tokens, "status": "plain"}


def report(rows: Sequence[dict[str, Any]]) -> None:
    """Print the counts of each system and kind."""
    print(f"{'':<10}{'kind':<12}{'asked':>6}{'right':>6}{'marked':>7}{'false':>6}{'unmarked':>9}{'calls':>6}{'longest':>8}{'median s':>9}")  # fmt: skip  # noqa: E501 - a table
    for system in SYSTEMS:
        for kind in (*KINDS, "all"):
            own = [row for row in rows if row["system"] == system and kind in {row["kind"], "all"}]
            if not own:
                continue
            right = [item for item in own if item["right"]]
            false = [item for item in own if item["false"]]
            print(
                f"{system:<10}{kind:<12}{len(own):>6}{len(right):>6}"
                f"{sum(bool(o['marked'] and o['told']) for o in right):>7}"
                f"{len(false):>6}{sum(not o['marked'] for o in false):>9}"
                f"{sum(o['calls'] for o in own) / len(own):>6.2f}"
                f"{max(o['longest'] for o in own):>8}{median(o['seconds'] for o in own):>9.1f}"
            )


async def main(given: argparse.Namespace) -> int:
    """Ask the unanswered questions, print the report, and return the exit code."""
    rows = (
        [json.loads(line) for line in given.rows.read_text(encoding="utf-8").splitlines()]
        if given.rows.exists()
        else []
    )
    if not given.report:
        done = {(item["system"], item["id"]) for item in rows}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            os.environ["WEIWO_HOME"] = str(Path(scratch) / "home")
            asker = Asker(Path(scratch), os.environ["WEIWO_MODEL"], given.seconds)
            for folder, case in choose(given.folders, given.each, given.skip):
                for system in given.systems.split(","):
                    if (system, case.id) in done or (system == "ceiling" and case.kind == "untold"):
                        continue
                    row = await asker.ask(system, folder, case)
                    rows.append(row)
                    with given.rows.open("a", encoding="utf-8") as out:
                        out.write(json.dumps(row, ensure_ascii=False) + "\n")
                    print(f"{system:<8}{case.kind:<12}{row['seconds']:>6} s  {'right' if row['right'] else 'false' if row['false'] else '–':<6}{' (marked)' if row['marked'] and row['told'] else ''}  {case.text[:60]} → {row['told'][:90]}", flush=True)  # fmt: skip  # noqa: E501 - a table
    report(rows)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--each", type=int, default=10, help="questions of each kind; of untold ones twice as many")
    parser.add_argument("--skip", type=int, default=3, help="questions of each kind that are for tuning")
    parser.add_argument("--rows", type=Path, default=Path("real-model.jsonl"), help="where rows are kept")
    parser.add_argument("--systems", default="weiwo,plain,rules,ceiling", help="which systems, by comma")
    parser.add_argument("--seconds", type=float, default=300, help="how long a call may take")
    parser.add_argument("--report", action="store_true", help="count the rows, and ask nothing")
    sys.exit(asyncio.run(main(parser.parse_args())))
