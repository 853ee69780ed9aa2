"""What a policy in shadow learns from live searches: which arm had what an answer cites."""

import pytest

from tests.support.corpora import document
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.corpus.evaluation.telemetry_report import _observe_records, learn_from_use
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus
from weiwo.tools.corpus.retrieval.routing_policy import PolicyError, RoutingPolicy
from weiwo.tools.corpus.retrieval.telemetry import TelemetryRecorder

NUMBERS = {"a": {1}, "b": {2, 3}}


def record(**more):
    plain = {
        "at": 1.0,
        "run": "r",
        "segment": "en:plain",
        "arms": {"keyword": [9, 1], "grams": [1, 3]},
        "passages": ["a", "b"],
        "cited": ["a", "b"],
    }
    return {**plain, **more}


def observe(*records, feedback=()):
    return _observe_records(records, feedback, lambda keys: {key: NUMBERS[key] for key in keys if key in NUMBERS})


def test_an_arm_is_worth_the_share_of_what_is_cited_that_it_had_first():
    (found,) = observe(record())
    assert (found.segment, found.rewards) == ("en:plain", {"keyword": 0.5, "vector": 1.0, "hybrid": 1.0})


@pytest.mark.parametrize(
    "more",
    [
        {"cited": None},
        {"cited": []},
        {"cited": ["gone"]},
        {"arms": {"keyword": [1]}},  # an identifier, searched by words alone
    ],
)
def test_what_tells_of_no_two_arms_is_no_observation(more):
    assert observe(record(**more)) == []


def test_an_answer_that_was_called_bad_teaches_nothing_unless_that_was_taken_back():
    bad, good = {"run": "r", "good": False}, {"run": "r", "good": True}
    assert observe(record(), feedback=[bad]) == []
    assert len(observe(record(), feedback=[bad, good])) == 1


async def test_each_search_teaches_once_and_only_in_shadow(tmp_path):
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document("bridge.md", "The bridge joins Buda and Pest.", title="Chain Bridge")]))
    recorder = TelemetryRecorder(tmp_path)
    corpus = RoutedCorpus(tmp_path, recorder=recorder)
    set_current_call(CallContext("r"))
    (found,) = await corpus.search("What does the bridge join?")
    recorder.label_citations("r", [found.id])
    assert recorder.flush(120)
    policy, count = learn_from_use(RoutingPolicy(), tmp_path, [])
    assert (policy.version, count, policy.segments["en:plain"].samples) == (1, 1, 1)
    assert learn_from_use(policy, tmp_path, []) == (policy, 0)
    with pytest.raises(PolicyError, match="in service"):
        learn_from_use(RoutingPolicy(stage="trial"), tmp_path, [])
    corpus.close()
