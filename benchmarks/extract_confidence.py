"""Whether a confidence in the passages shown without a model can be fitted that holds on documents nobody fitted it to.

    python benchmarks/extract_confidence.py FOLDER FOLDER… [--json]

A folder is one that `weiwo eval answers` takes, with documents of its own. Each question is asked three times: over its
own documents; over these without the passages that say the answer (`removed`); and over the documents of the next
folder (`other`). The outcome is whether the passages shown say the answer. A logistic regression over what is known of
the passages (the best and the mean share of the question that one speaks of, whether one is about its subject) is
fitted on all folders but one and judged on that one, for each in turn: once on questions over their own documents, as
a user asks them (`own`), and once on all three kinds (`all`). `as given` takes the best share for the probability.

`speaks of it` is the decision that Weiwo makes between passages that may answer and the nearest there are: how often
it keeps what holds the answer, and what is from other documents. `fitted` is that of the fit on all three kinds, with
the threshold that keeps as much of what holds the answer where it was fitted.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from weiwo.app.evaluation.baselines import BaselineSearch
from weiwo.app.evaluation.calibration import fit_logistic, measure_reliability
from weiwo.app.evaluation.question_set import QuestionSet, read_question_set
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extracts import Extracts, choose_extracts
from weiwo.state.settings import Context, Settings
from weiwo.tools.corpus.evaluation.dataset_index import index_by_name
from weiwo.tools.registry import build_registry

OWN, REMOVED, OTHER = "own", "removed", "other"
FEATURES = ("bias", "best", "mean", "about")


@dataclass(frozen=True)
class Case:
    """One question over some documents: its folder, the kind of documents, the features, and whether it is answered."""

    folder: str
    kind: str
    features: tuple[float, ...]
    answered: bool

    @property
    def best(self) -> float:
        """The best share of the question that one passage speaks of."""
        return self.features[FEATURES.index("best")]

    @property
    def about(self) -> bool:
        """Whether a passage speaks of the subject."""
        return bool(self.features[FEATURES.index("about")])


def features_of(extracts: Extracts) -> tuple[float, ...]:
    """The features of the passages shown, in the order of `FEATURES`."""
    scores = [one.score for one in extracts.items] or [0.0]
    return (1.0, max(scores), sum(scores) / len(scores), float(extracts.about_subject))


async def open_search(found: QuestionSet, home: Path) -> BaselineSearch:
    """The search over the documents of a set."""
    if found.dataset is not None:
        corpus = await asyncio.to_thread(index_by_name, found.dataset, home, None)
    else:
        corpus = str(found.documents)
    settings = Settings.resolve(Context(corpus=[corpus], web=False, telemetry=False))
    return BaselineSearch(await build_registry(settings), "corpus_search")


async def collect(folders: Sequence[Path], home: Path) -> list[Case]:
    """Ask every question over the three kinds of documents."""
    sets = [read_question_set(folder) for folder in folders]
    searches = [await open_search(one, home) for one in sets]
    cases: list[Case] = []
    for found, search, other in zip(sets, searches, islice(cycle(searches), 1, None), strict=False):
        for question in found.questions:
            if not question.answerable or question.boolean:
                continue
            own = await search(question.text)
            without = [one for one in own if not question.is_said_in([one.title, one.text])]
            over = {OWN: own, REMOVED: without, OTHER: await other(question.text)}
            frame = parse_question(question.text, question.language)
            for kind, passages in over.items():
                extracts = choose_extracts(frame, passages)
                answered = question.is_said_in(one.text for one in extracts.items)
                cases.append(Case(found.name, kind, features_of(extracts), answered))
    return cases


def fit(cases: Sequence[Case]) -> "np.ndarray[Any, Any]":
    """The weights of the probability that the passages shown say the answer."""
    rows = np.array([one.features for one in cases])
    return fit_logistic(rows, np.array([float(one.answered) for one in cases]), np.zeros(len(FEATURES)))


def probabilities(weights: "np.ndarray[Any, Any]", cases: Sequence[Case]) -> "np.ndarray[Any, Any]":
    """What a fit gives some cases."""
    return 1 / (1 + np.exp(-np.array([one.features for one in cases]) @ weights))


def judge(cases: Sequence[Case], folder: str, kinds: Sequence[str]) -> dict[str, Any]:
    """The reliability on one folder, as given and with the fit of the others."""
    learned = [one for one in cases if one.folder != folder and one.kind in kinds]
    held_out = [one for one in cases if one.folder == folder and one.kind in kinds]
    fitted = probabilities(fit(learned), held_out)
    return {
        "as given": measure_reliability([(one.best, one.answered) for one in held_out]),
        "fitted": measure_reliability([(float(p), one.answered) for p, one in zip(fitted, held_out, strict=True)]),
    }


def decide(cases: Sequence[Case], folder: str) -> dict[str, dict[str, float]]:
    """How much of what holds the answer, and of what is from other documents, each decision keeps in one folder."""
    learned = [one for one in cases if one.folder != folder]
    held_out = [one for one in cases if one.folder == folder]
    weights = fit(learned)
    holding = [one for one in learned if one.answered]
    threshold = np.quantile(probabilities(weights, holding), 1 - sum(one.about for one in holding) / len(holding))
    kept = {
        "speaks of it": [one.about for one in held_out],
        "fitted": [bool(p >= threshold) for p in probabilities(weights, held_out)],
    }

    def share(which: Sequence[bool], of: Sequence[bool]) -> float:
        return round(sum(a and b for a, b in zip(which, of, strict=True)) / max(1, sum(of)), 3)

    holds = [one.answered for one in held_out]
    strange = [one.kind == OTHER and not one.answered for one in held_out]
    return {name: {"holding": share(which, holds), "other": share(which, strange)} for name, which in kept.items()}


def show(found: Mapping[str, Any]) -> None:
    """Print a line a folder and fit."""
    for folder, one in found.items():
        for name in ("own", "all"):
            measured = ", ".join(
                f"{which}: Brier {m['brier']:.3f}, calibration error {m['ece']:.3f}" for which, m in one[name].items()
            )
            fitted = one[name]["fitted"]
            counted = f"{fitted['n']:>4} cases, {fitted['right']:.2f} answered"
            print(f"{folder:<16} {name:<4} {counted}; {measured}")
        kept = "; ".join(f"{which} {k['holding']:.2f} and {k['other']:.2f}" for which, k in one["kept"].items())
        print(f"{'':<16} keeps of what holds the answer, and of other documents: {kept}")


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if len(options.folders) < 2:
        parser.error("two folders at least: one is fitted on, the other judges")
    with tempfile.TemporaryDirectory() as home:
        os.environ["WEIWO_HOME"] = home
        cases = asyncio.run(collect(options.folders, Path(home)))
    names = dict.fromkeys(one.folder for one in cases)
    found = {
        name: {
            "own": judge(cases, name, (OWN,)),
            "all": judge(cases, name, (OWN, REMOVED, OTHER)),
            "kept": decide(cases, name),
        }
        for name in names
    }
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
