"""The set that ships teaches: its arms differ, a policy learns from half of it, and the other half proves the policy."""

import random
from collections import Counter, defaultdict
from itertools import combinations
from statistics import fmean

import pytest

from weiwo.tools.corpus.evaluation.dataset import _DEMO, Dataset, locate_dataset
from weiwo.tools.corpus.evaluation.dataset_index import index_dataset
from weiwo.tools.corpus.evaluation.strategy_comparison import Evaluation, compare_strategies
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.routing_policy import _FEWEST, PolicyError, PolicyStep, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES

STEP = PolicyStep(what="learned", at="now")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = index_dataset(Dataset(_DEMO), tmp_path_factory.mktemp("home"), None)
    opened = RoutedCorpus(folder)
    yield opened
    opened.close()


async def evaluate(dataset: Dataset, corpus: RoutedCorpus) -> tuple[Evaluation, RoutingPolicy]:
    """The figures, as a policy would have decided that learned from the learning half."""
    found = await compare_strategies(dataset, corpus, 5)
    policy = RoutingPolicy().learn(found.list_observations(), "demo", STEP)
    return found.replay_policy(policy), policy


def test_it_is_whole_and_a_folder_of_its_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert locate_dataset("demo") == _DEMO
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "corpus.jsonl").touch()
    assert locate_dataset("demo").resolve() == tmp_path / "demo"
    demo = Dataset(_DEMO)
    documents = {one.id for one in demo.documents()}
    assert (len(documents), len(demo.questions)) == (107, 192)
    assert all(set(one.relevant) <= documents for one in demo.questions)
    kinds = Counter(one.row["type"] for one in demo.questions)
    assert kinds == {"identifier": 16, "mixed": 16, "natural": 16, "misspelt": 72, "misspelt question": 72}


async def test_it_teaches_a_policy_that_its_other_half_promotes(corpus):
    found, policy = await evaluate(Dataset(_DEMO), corpus)
    by_kind = defaultdict(list)
    for one in found.answered:
        by_kind[one.decision.features.segment].append(one)
    recalls = {
        kind: [fmean(one.attempts[arm].scores.recall for one in those) for arm in STRATEGIES]
        for kind, those in by_kind.items()
    }
    apart = [kind for kind, told in recalls.items() if all(abs(a - b) >= 0.05 for a, b in combinations(told, 2))]
    assert sorted(apart) == ["en:keywords", "en:plain"]
    moved = {one.decision.features.segment for one in found.answered if one.decision.candidate != "hybrid"}
    assert moved == set(apart)
    assert all(policy.segments[kind].samples >= _FEWEST for kind in moved)
    evidence = found.measure_policy()
    assert evidence.low > 0.05
    assert policy.promote(evidence, "now").stage == "trial"
    figures = found.as_json()["strategies"]
    assert figures["auto"]["vector_calls"] < figures["hybrid"]["vector_calls"]  # identifiers cost none


async def test_with_labels_that_mean_nothing_no_policy_is_promoted(corpus):
    shuffled = Dataset(_DEMO)
    labels = [one.relevant for one in shuffled.questions]
    random.Random(1).shuffle(labels)  # noqa: S311 - a seeded shuffle
    shuffled.questions = [
        one._replace(relevant=relevant) for one, relevant in zip(shuffled.questions, labels, strict=True)
    ]
    found, policy = await evaluate(shuffled, corpus)
    with pytest.raises(PolicyError, match="stays in shadow"):
        policy.promote(found.measure_policy(), "now")
