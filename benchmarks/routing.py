"""Benchmark of the router's promises: no loss against always-hybrid, no vectors for identifiers.

    python benchmarks/routing.py [--embeddings openai:MODEL] [--questions 500] [FOLDER...]

For each BEIR-shaped folder: recall@5 of always-hybrid and of the router, and the 95 % bootstrap interval of the
difference. Then the result of a policy that has learned from half of the questions, on the other half. Then the
questions are replayed as traffic, each twice, with that policy in shadow: the telemetry about the policy, and what a
policy learns from this traffic alone, where an answer is taken to cite the relevant ones of its passages. Then
identifiers that the set's own documents hold, asked for in both languages: the share of vector searches saved, and how
often a document with the identifier comes first. The last row is over documents made up for it: tickets, versions,
names in code. Exit code 1 if a promise is broken.
"""

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from weiwo.text.analyzer import identifiers, terms
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetDocument
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset
from weiwo.tools.corpus.evaluation.strategy_comparison import _AUTO, Evaluation, compare_strategies
from weiwo.tools.corpus.evaluation.telemetry_report import learn_from_use, summarize_telemetry
from weiwo.tools.corpus.index.embedding_models import Embedder, load_embedder
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.routing_policy import PolicyStep, RoutingPolicy, hash_to_share
from weiwo.tools.corpus.retrieval.telemetry import TelemetryRecorder

K = 5
MOST_IDENTIFIERS = 100
SAVED = 0.9
ASKED = (
    "{}",
    "What is {}?",
    "{} 是什么？",
    "Where is {} mentioned, and what does the text say about it?",
    "与{}有关的内容",
)


async def run(dataset: Dataset, home: Path, model: Embedder | None) -> Evaluation:
    """Evaluate a set."""
    folder = await asyncio.to_thread(index_dataset, dataset, home, model)
    corpus = RoutedCorpus(folder, embedder=model)
    found = await compare_strategies(dataset, corpus, K)
    corpus.close()
    return found


def promise_kept(found: Evaluation, embeddings: str) -> bool:
    """Print the router's result against always-hybrid, and report whether nothing was lost."""
    figures = found.as_json()
    hybrid, router = figures["strategies"]["hybrid"], figures["router"]
    low, high = router["interval"]
    kept = float(high) >= 0
    held = found.replay_policy(taught(found, embeddings)).measure_policy()
    print(
        f"{found.dataset:<18}{figures['queries']:>6} questions  recall@{K}: hybrid {hybrid['recall']:.3f}"
        f"  router {router['recall']:.3f} ({low:+.4f} to {high:+.4f})  oracle {figures['oracle']['recall']:.3f}"
        f"  {'ok' if kept else 'BELOW HYBRID'}"
    )
    print(
        f"{'':<18}{held.questions:>6} held out   learned policy, in shadow: {held.difference:+.4f}"
        f" ({held.low:+.4f} to {held.high:+.4f}), searches by vectors saved {held.saved:.0%}"
    )
    return kept


def taught(found: Evaluation, embeddings: str) -> RoutingPolicy:
    """Return a policy in shadow, trained on half of the questions."""
    return RoutingPolicy(embeddings=embeddings).learn(
        found.list_observations(), "here", PolicyStep(what="learned", at="")
    )


async def replay(dataset: Dataset, home: Path, model: Embedder | None, found: Evaluation, embeddings: str) -> None:
    """Replay a set's questions as traffic with a policy in shadow, and print the telemetry."""
    folder = await asyncio.to_thread(index_dataset, dataset, home, model)
    recorder, shadow = TelemetryRecorder(folder), taught(found, embeddings)
    corpus = RoutedCorpus(folder, lambda: shadow, recorder, embedder=model)
    for turn in range(2):
        for question in dataset.questions:
            run = f"{question.id}-{turn}"
            set_current_call(CallContext(run))
            passages = await corpus.search(question.text)
            recorder.label_citations(run, [passage.id for passage in passages if passage.source in question.relevant])
        await asyncio.to_thread(recorder.flush, 60.0)
    set_current_call(CallContext())
    corpus.close()
    told = summarize_telemetry(folder)
    policy, total, regret = told["policy"], told["milliseconds"]["total"], told["regret"]
    print(
        f"{'':<18}{told['retrievals']:>6} replayed   shadow would choose {policy['would_choose']}, as done in"
        f" {policy['agrees']:.0%}; flips {policy['flips']['share']:.0%}; p50 {total['p50']:.1f} ms,"
        f" p99 {total['p99']:.1f} ms; regret in order {regret['mean'] if regret else 0:.3f}"
    )
    live, count = learn_from_use(RoutingPolicy(embeddings=embeddings), folder, [])
    held = found.replay_policy(live).measure_policy()
    print(
        f"{'':<18}{count:>6} observed   policy learned from this traffic alone: {held.difference:+.4f}"
        f" ({held.low:+.4f} to {held.high:+.4f}), searches by vectors saved {held.saved:.0%}"
    )


def saving_kept(name: str, found: Evaluation) -> bool:
    """Print how identifiers were searched, and report whether enough vector searches were saved."""
    figures = found.as_json()["strategies"][_AUTO]
    saved = 1 - figures["vector_calls"] / len(found.answered)
    first = sum(question.attempts[_AUTO].scores.mrr == 1 for question in found.answered) / len(found.answered)
    kept = bool(saved >= SAVED)
    print(
        f"{name:<18}{len(found.answered):>6} identifiers  vector searches saved {saved:.1%}  rank 1 {first:.1%}"
        f"  {'ok' if kept else 'TOO FEW SAVED'}"
    )
    return kept


def identifiers_in(dataset: Dataset) -> dict[str, set[str]]:
    """Return the rare identifiers of a set as written, each with the documents."""
    written: dict[str, str] = {}
    held: dict[str, set[str]] = {}
    documents = list(dataset.documents())
    for document in documents:
        for word in f"{document.title} {document.text}".split():
            plain = word.strip(".,;:!?()[]\"'")
            if identifiers(plain) == (plain.casefold(),):
                written.setdefault(plain.casefold(), plain)
    for document in documents:
        for term in written.keys() & set(terms(f"{document.title} {document.text}")):
            held.setdefault(term, set()).add(document.id)
    return {written[name]: those for name, those in sorted(held.items()) if len(those) == 1}


def asking(folder: Path, corpus: Path, held: dict[str, set[str]]) -> Dataset:
    """Create a set of questions for identifiers over the documents of another."""
    chance = random.Random(4)  # noqa: S311  # figures must be repeatable
    chosen = chance.sample(sorted(held), min(MOST_IDENTIFIERS, len(held)))
    folder.mkdir()
    shutil.copy(corpus, folder / "corpus.jsonl")
    questions = [json.dumps({"_id": name, "text": how.format(name)}) for name, how in zip(chosen, cycle(ASKED))]
    (folder / "queries.jsonl").write_text("\n".join(questions), encoding="utf-8")
    lines = [f"{name}\t{document}\t1" for name in chosen for document in sorted(held[name])]
    (folder / "qrels.tsv").write_text("\n".join(lines), encoding="utf-8")
    return Dataset(folder)


def made_up() -> tuple[list[DatasetDocument], dict[str, set[str]]]:
    """Invent a thousand notes with tickets, versions and code names, each with a unique identifier."""
    chance = random.Random(5)  # noqa: S311  # the same
    kinds = (
        lambda n: f"INC-{10_000 + n}",
        lambda n: f"CVE-2024-{1_000 + n}",
        lambda n: f"v{n % 9}.{n % 17}.{n}",
        lambda n: f"sync_job_{n}",
        lambda n: f"E{4_000 + n}",
    )
    said = (
        "The service was slow for an hour after the release.",
        "支付服务在发布之后变慢。",
        "Nobody has looked at it yet.",
    )
    entries, held = [], {}
    for number in range(1_000):
        name = kinds[number % len(kinds)](number)
        others = " ".join(chance.choices(said, k=3))
        entries.append(DatasetDocument(f"note-{number}", "", f"{others} See {name}. {others}"))
        held[name] = {f"note-{number}"}
    return entries, held


async def main(folders: list[Path], embeddings: str, questions: int) -> int:
    """Run the benchmark, print the figures and return the exit code."""
    model = await asyncio.to_thread(load_embedder, embeddings) if embeddings else None
    kept = []
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for number, folder in enumerate(folders):
            dataset = Dataset(folder)
            dataset.questions = list(
                islice(sorted(dataset.questions, key=lambda question: hash_to_share(question.text)), questions)
            )
            found = await run(dataset, home, model)
            kept.append(promise_kept(found, embeddings))
            await replay(dataset, home, model, found, embeddings)
            if held := identifiers_in(dataset):
                asked = asking(home / f"asked-{number}", folder / "corpus.jsonl", held)
                kept.append(saving_kept("  identifiers", await run(asked, home, model)))
        entries, held = made_up()
        corpus = home / "made-up.jsonl"
        corpus.write_text(
            "\n".join(json.dumps({"_id": entry.id, "text": entry.text}) for entry in entries), encoding="utf-8"
        )
        asked = asking(home / "made-up", corpus, held)
        kept.append(saving_kept("made up", await run(asked, home, model)))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--embeddings", default="", metavar="PROVIDER:MODEL")
    parser.add_argument("--questions", type=int, default=500, metavar="N")
    arguments = parser.parse_args()
    sys.exit(asyncio.run(main(arguments.folders, arguments.embeddings, arguments.questions)))
