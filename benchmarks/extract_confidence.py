"""The confidence of the passages shown without a model: its fit, and how it does on questions that were kept out.

    python benchmarks/extract_confidence.py FOLDER FOLDER… [--keep] [--json]

A folder is one that `weiwo eval answers` takes, with documents of its own. Each question is asked three times: over its
own documents (`own`); over these without the passages that say the answer (`removed`); and over the documents of the
next folder (`other`). The outcome is whether the passages shown say the answer. Yes-or-no questions are left out.

Half of the questions of each folder, by a hash, are fitted on, as if eight questions in ten were asked of documents
that hold their answer (`WEIGHTS`). The other half judges: with the fit; with one that leaves out the whole folder that
is judged (`left out`); and with no fit, the best share of the question that a passage speaks of taken for the
probability (`as given`). On the questions over their own documents, and on the mixture of the three (`mixed`).

`--keep` writes the weights to where Weiwo reads them, with the figures of the half that was kept out.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from weiwo.app.evaluation.question_set import QuestionSet, read_question_set
from weiwo.app.evaluation.summary import measure_reliability
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extract_confidence import FEATURES, FILE
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state.settings import Context, Settings
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.evaluation.dataset_index import index_by_name
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.retrieval.routing_policy import hash_to_share

OWN, REMOVED, OTHER = "own", "removed", "other"
WEIGHTS = {OWN: 8, REMOVED: 1, OTHER: 1}
"""How often a question over documents of each kind counts."""
STEPS, CONVERGED = 50, 1e-6
PASSAGES, DEEPEST = 8, 50
"""Passages that a search shows to choose from, and those among which `removed` finds as many."""

Probability = Callable[["Case"], float]


@dataclass(frozen=True)
class Case:
    """One question over some documents.

    Attributes:
        folder: Its set.
        kind: The kind of documents.
        learned: Whether its half is fitted on.
        features: Those of the passages shown, in the order of `FEATURES`.
        best: The best share of the question that one of them speaks of.
        answered: Whether they say the answer.
    """

    folder: str
    kind: str
    learned: bool
    features: tuple[float, ...]
    best: float
    answered: bool


async def open_corpus(found: QuestionSet, home: Path) -> Corpus:
    """The documents of a set, indexed."""
    if found.dataset is not None:
        name = await asyncio.to_thread(index_by_name, found.dataset, home, None)
    else:
        name = str(found.documents)
    return await load_corpus([name], settings=Settings.resolve(Context(corpus=[name], web=False, telemetry=False)))


async def collect(folders: Sequence[Path], home: Path) -> list[Case]:
    """Ask every question over the three kinds of documents."""
    sets = [read_question_set(folder) for folder in folders]
    corpora = [await open_corpus(one, home) for one in sets]
    cases: list[Case] = []
    for found, corpus, other in zip(sets, corpora, islice(cycle(corpora), 1, None), strict=False):
        for question in found.questions:
            if not question.answerable or question.boolean:
                continue
            wide = await corpus.search(question.text, DEEPEST)
            without = [one for one in wide if not question.is_said_in([one.title, one.text])]
            foreign = await other.search(question.text, PASSAGES)
            frame = parse_question(question.text, question.language)
            for kind, passages in {OWN: wide[:PASSAGES], REMOVED: without[:PASSAGES], OTHER: foreign}.items():
                shown = choose_extracts(frame, passages)
                cases.append(
                    Case(
                        found.name,
                        kind,
                        hash_to_share(question.text) < 0.5,
                        tuple(shown.features[name] for name in FEATURES),
                        max((one.score for one in shown.items), default=0.0),
                        question.is_said_in(one.text for one in shown.items),
                    )
                )
    return cases


def weigh(cases: Sequence[Case]) -> list[Case]:
    """The cases, each as often as its kind counts."""
    return [one for one in cases for _ in range(WEIGHTS[one.kind])]


def fit(cases: Sequence[Case]) -> "np.ndarray[Any, Any]":
    """The weights of the probability that the passages shown say the answer."""
    rows = weigh(cases)
    features, answered = np.array([one.features for one in rows]), np.array([float(one.answered) for one in rows])
    return fit_logistic(features, answered, np.zeros(len(FEATURES)))


def fit_logistic(
    features: "np.ndarray[Any, Any]", right: "np.ndarray[Any, Any]", drawn_to: "np.ndarray[Any, Any]"
) -> "np.ndarray[Any, Any]":
    """The weights of a logistic regression with a ridge, by damped Newton steps.

    Args:
        features: A row a value, a column a feature.
        right: 1 for each that is right, else 0.
        drawn_to: The weights that no value would leave.
    """

    def loss(weights: "np.ndarray[Any, Any]") -> float:
        odds = features @ weights
        return float(np.sum(np.logaddexp(0, odds) - right * odds) + np.sum((weights - drawn_to) ** 2) / 2)

    weights = drawn_to
    for _ in range(STEPS):
        probable = np.exp(-np.logaddexp(0, -(features @ weights)))
        slope = features.T @ (probable - right) + (weights - drawn_to)
        curvature = (features.T * (probable * (1 - probable))) @ features + np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        while loss(weights - step) > loss(weights) and np.abs(step).max() > CONVERGED:
            step = step / 2  # Newton's method alone may overshoot
        weights = weights - step
        if np.abs(step).max() <= CONVERGED:
            break
    return weights


def probability(weights: "np.ndarray[Any, Any]") -> Probability:
    """What a fit says of a case."""
    return lambda case: float(1 / (1 + np.exp(-np.array(case.features) @ weights)))


def judge(cases: Sequence[Case], folders: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The reliability of each way on the half that was kept out, by folder and over all."""
    learned, kept_out = ([one for one in cases if one.learned is half] for half in (True, False))
    fitted = probability(fit(learned))
    apart = {name: probability(fit([one for one in learned if one.folder != name])) for name in folders}
    ways: dict[str, Probability] = {
        "as given": lambda one: one.best,
        "fitted": fitted,
        "left out": lambda one: apart[one.folder](one),
    }

    def measure(name: str, kind: str, way: Probability) -> dict[str, Any]:
        those = [one for one in kept_out if name in {one.folder, "all"} and kind in {one.kind, "mixed"}]
        measured = measure_reliability(
            [(way(one), one.answered) for one in (weigh(those) if kind == "mixed" else those)]
        )
        if measured is None:
            raise SystemExit(f"{name}: no question was kept out; take a larger set")
        return {**measured, "n": len(those)}

    return {
        name: {kind: {way: measure(name, kind, says) for way, says in ways.items()} for kind in (OWN, "mixed")}
        for name in (*folders, "all")
    }


def show(found: Mapping[str, Any]) -> None:
    """Print a line a folder and kind, and the reliability table."""
    for name, kinds in found.items():
        for kind, ways in kinds.items():
            told = "; ".join(f"{way} {m['brier']:.3f}, {m['ece']:.3f}" for way, m in ways.items())
            first = ways["fitted"]
            print(f"{name:<16} {kind:<6} {first['n']:>4} kept out, {first['right']:.2f} answered; Brier, error: {told}")
    for one in found["all"][OWN]["fitted"]["table"]:
        said = f"{one['from']:.1f} to {one['to']:.1f}"
        print(f"said {said}: {one['n']:>3}, mean {one['confidence']:.2f}, right {one['right']:.2f}")


def keep(cases: Sequence[Case], folders: Sequence[str], found: Mapping[str, Any]) -> None:
    """Write the weights, with the figures of the half that was kept out."""
    learned = [one for one in cases if one.learned]

    def brief(ways: Mapping[str, Any]) -> dict[str, Any]:
        return {way: {"brier": measured["brier"], "ece": measured["ece"]} for way, measured in ways.items()}

    figures = {name: {kind: brief(ways) for kind, ways in kinds.items()} for name, kinds in found.items()}
    written = {
        "date": datetime.now(UTC).date().isoformat(),
        "sets": list(folders),
        "fitted_on": {kind: sum(one.kind == kind for one in learned) for kind in WEIGHTS},
        "counted": WEIGHTS,
        "weights": {name: round(float(weight), 3) for name, weight in zip(FEATURES, fit(learned), strict=True)},
        "kept_out": figures,
    }
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--keep", action="store_true", help="write the weights to where Weiwo reads them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if len(options.folders) < 2:
        parser.error("two folders at least: the documents of one are foreign to the other")
    with tempfile.TemporaryDirectory() as home:
        os.environ["WEIWO_HOME"] = home
        cases = asyncio.run(collect(options.folders, Path(home)))
    names = list(dict.fromkeys(one.folder for one in cases))
    found = judge(cases, names)
    if options.keep:
        keep(cases, names, found)
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
