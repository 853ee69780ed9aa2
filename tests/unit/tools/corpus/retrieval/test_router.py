"""What a question looks like, what is decided about it, and what a policy learns."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.corpus.retrieval.router import QueryFeatures, _score_strategies, extract_features, route_query
from weiwo.tools.corpus.retrieval.routing_policy import (
    _BOUND,
    _FEWEST,
    PolicyError,
    PolicyEvidence,
    PolicyFile,
    PolicyStep,
    RoutingPolicy,
    _SegmentStatistics,
    load_policy,
    save_policy,
)
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES

STEP = PolicyStep(what="learned", at="2026-01-01")
PROOF = PolicyEvidence(dataset="s", questions=200, difference=0.1, low=0.02, high=0.2)
BETTER = {"hybrid": 0.2, "keyword": 1.0, "vector": 0.0}
WORSE = {"hybrid": 1.0, "keyword": 0.2, "vector": 1.0}


class Counts(dict[str, int]):
    """The statistics of a corpus, by hand."""

    size = 10_000

    def frequency(self, term: str) -> int:
        return self.get(term, 0)


def taught(segment, rewards, times, **more):
    return RoutingPolicy(**more).learn([(segment, rewards)] * times, "set", STEP)


def test_features_come_from_the_words_and_the_statistics():
    found = extract_features(
        "Who fixed INC-49217 in zanzibar 2024?", Counts({"inc-49217": 2, "fixed": 500, "2024": 900})
    )
    assert found.exact == ("inc-49217",)
    assert (found.identifiers, found.asking, found.quoted, found.language) == (1, True, False, "en")
    assert found.terms == 6  # inc-49217, inc, 49217, fixed, zanzibar, 2024
    assert found.digits == 0.5
    assert found.unknown == 0.5  # inc, 49217, zanzibar
    assert found.rare == pytest.approx(1 / 6, abs=1e-3)


@pytest.mark.parametrize(
    ("question", "segment"),
    [
        ("INC-1", "en:identifier"),
        ('who said "to be or not"?', "en:quoted"),
        ("chain bridge", "en:keywords"),
        ("When was it built?", "en:plain"),
        ("When was the bridge that joins the two halves of the city on the river built?", "en:long"),
        ("北京大桥哪年建成？", "zh:plain"),
        ("“天下為公”是誰說的？", "zh:quoted"),
        ("", "en:keywords"),
    ],
)
def test_kinds_of_question(question, segment):
    assert extract_features(question, Counts({"inc-1": 1})).segment == segment


def test_an_identifier_that_nobody_or_everybody_holds_is_no_identifier():
    assert extract_features("INC-1", Counts()).exact == ()
    assert extract_features("INC-1", Counts({"inc-1": 5_000})).exact == ()


@given(st.text(max_size=300))
def test_every_text_has_features_and_a_decision(text):
    features = extract_features(text, Counts())
    assert all(0 <= share <= 1 for share in (features.digits, features.unknown, features.rare))
    decision = route_query(text, features, RoutingPolicy())
    assert (decision.strategy, decision.by) == ("hybrid", "prior")
    assert set(decision.scores) == set(STRATEGIES)
    json.dumps(decision.scores)


def test_the_rule_goes_before_prior_and_policy_and_the_caller_before_the_rule():
    features = QueryFeatures(exact=("inc-1",), one_document=True, identifiers=1, words=3)
    for stage in ("shadow", "trial", "default"):
        decision = route_query("INC-1", features, RoutingPolicy(stage=stage))
        assert (decision.strategy, decision.by) == ("keyword", "rule")
        assert "inc-1" in decision.reason
    decision = route_query("INC-1", features, RoutingPolicy(), "vector")
    assert (decision.strategy, decision.by) == ("vector", "caller")


def test_signals_speak_for_what_they_should():
    named = _score_strategies(QueryFeatures(words=2, identifiers=1, quoted=True, rare=1.0, digits=0.5))
    asked = _score_strategies(QueryFeatures(words=20, asking=True, unknown=0.5))
    nothing = _score_strategies(QueryFeatures(words=6))
    assert max(named, key=named.__getitem__) == "keyword"
    assert asked["vector"] > nothing["vector"] > named["vector"]
    assert max(nothing, key=nothing.__getitem__) == "hybrid"


def test_in_shadow_the_choice_is_noted_and_not_followed_in_service_it_is():
    policy = taught("en:plain", BETTER, 200)
    features = QueryFeatures(words=6, asking=True)
    shadow = route_query("q", features, policy)
    assert (shadow.strategy, shadow.by, shadow.candidate) == ("hybrid", "prior", "keyword")
    served = route_query("q", features, policy.model_copy(update={"stage": "default"}))
    assert (served.strategy, served.by) == ("keyword", "policy")


def test_a_policy_learns_for_a_kind_of_question_and_not_for_all():
    policy = taught("en:plain", BETTER, 200)
    other = route_query("q", QueryFeatures(words=20, asking=True), policy)
    assert other.features.segment == "en:long"
    assert other.candidate == "hybrid"
    assert set(other.learned.values()) == {0.0}


def test_signals_alone_decide_nothing_even_in_service():
    features = QueryFeatures(words=2, identifiers=1, quoted=True, rare=1.0)
    policy = taught("en:plain", BETTER, 200).model_copy(update={"stage": "default"})
    decision = route_query("q", features, policy)
    assert decision.scores["keyword"] > decision.scores["hybrid"]
    assert (decision.strategy, decision.by, decision.candidate) == ("hybrid", "prior", "hybrid")


def test_below_a_minimum_nothing_counts():
    heuristic = _score_strategies(QueryFeatures(words=6))
    assert set(taught("en:plain", BETTER, _FEWEST - 1).weights("en:plain", heuristic).values()) == {0.0}
    assert taught("en:plain", BETTER, _FEWEST).weights("en:plain", heuristic)["keyword"] > 0


def test_ties_move_no_average():
    known = _SegmentStatistics().add_question(BETTER)
    tied = known.add_question(dict.fromkeys(STRATEGIES, 0.5))
    assert tied.advantage == known.advantage
    assert (tied.samples, tied.decided) == (2, 1)


def test_one_question_moves_little_and_many_are_bounded():
    assert _SegmentStatistics().add_question(BETTER).advantage == pytest.approx({"keyword": 0.016, "vector": -0.004})
    known = _SegmentStatistics()
    for _ in range(500):
        known = known.add_question(BETTER)
    assert known.advantage["keyword"] == _BOUND
    for _ in range(500):
        known = known.add_question(WORSE)
    assert known.advantage["keyword"] == -_BOUND


def test_the_gain_is_over_all_questions_and_not_held_back_by_the_beginning():
    known = _SegmentStatistics()
    for _ in range(10):
        known = known.add_question({"hybrid": 0.5, "keyword": 0.7, "vector": 0.5}).add_question(
            dict.fromkeys(STRATEGIES, 1.0)
        )
    assert known.gain("keyword") == pytest.approx(0.1)
    assert known.gain("vector") == _SegmentStatistics().gain("keyword") == 0


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), max_size=60))
def test_averages_stay_in_bounds(rewards):
    known = _SegmentStatistics()
    for hybrid, keyword, vector in rewards:
        known = known.add_question({"hybrid": hybrid, "keyword": keyword, "vector": vector})
    assert all(-_BOUND <= value <= _BOUND for value in known.advantage.values())
    assert known.samples == len(rewards) >= known.decided


def test_where_keywords_are_as_good_the_embedding_call_is_saved():
    features = QueryFeatures(words=6, asking=True)
    even = dict.fromkeys(STRATEGIES, 1.0)
    paid = taught("en:plain", even, 2_000, embeddings="openai:m")
    assert route_query("q", features, paid).candidate == "keyword"
    assert route_query("q", features, taught("en:plain", even, 2_000)).candidate == "hybrid"  # n-grams cost nothing


def test_a_set_teaches_once():
    policy = taught("en:plain", BETTER, 40)
    assert policy.learn([("en:plain", WORSE)] * 40, "set", STEP) is policy
    assert policy.learn([("en:plain", WORSE)] * 40, "other", STEP).version == 2


def test_each_step_needs_evidence_and_can_be_taken_back():
    policy = taught("en:plain", BETTER, 40)
    with pytest.raises(PolicyError, match="learned nothing"):
        RoutingPolicy().promote(PROOF, "now")
    for weak in ({"low": 0.0}, {"low": -0.1}, {"questions": _FEWEST - 1}):
        with pytest.raises(PolicyError, match="stays in shadow"):
            policy.promote(PROOF.model_copy(update=weak), "now")
    trial = policy.promote(PROOF, "now", 0.2)
    assert (trial.stage, trial.share) == ("trial", 0.2)
    assert trial.steps[-1].evidence == PROOF
    with pytest.raises(PolicyError, match="in service"):
        trial.learn([], "more", STEP)
    default = trial.promote(PROOF, "now")
    assert default.stage == "default"
    with pytest.raises(PolicyError, match="already"):
        default.promote(PROOF, "now")
    assert default.demote("now").stage == "trial"
    shadow = default.demote("now").demote("now")
    assert (shadow.stage, shadow.segments) == ("shadow", policy.segments)
    forgotten = shadow.demote("now")
    assert (forgotten.segments, forgotten.sources) == ({}, ())
    with pytest.raises(PolicyError, match="nothing that could be undone"):
        forgotten.demote("now")


def test_as_good_as_hybrid_at_lower_cost_is_enough_where_calls_cost():
    even = PROOF.model_copy(update={"difference": 0.0, "low": -0.005, "high": 0.005, "saved": 0.4})
    paid = taught("en:plain", BETTER, 40, embeddings="openai:m")
    assert paid.promote(even, "now").stage == "trial"
    for weak in ({"low": -0.02}, {"saved": 0.05}):
        with pytest.raises(PolicyError, match="embedding calls"):
            paid.promote(even.model_copy(update=weak), "now")
    with pytest.raises(PolicyError, match="stays in shadow"):  # n-grams cost nothing
        taught("en:plain", BETTER, 40).promote(even, "now")


def test_on_trial_a_share_of_the_questions_is_decided_always_the_same():
    policy = taught("en:plain", BETTER, 200).model_copy(update={"stage": "trial", "share": 0.05})
    served = [number for number in range(4_000) if policy.serves(f"question {number}")]
    assert 120 < len(served) < 280
    assert served == [number for number in range(4_000) if policy.serves(f"question {number}")]


def test_policies_are_kept_by_model_and_a_change_reaches_who_is_running(tmp_path):
    one, other = taught("en:plain", BETTER, 40), taught("en:plain", WORSE, 40, embeddings="openai:m")
    running = PolicyFile(tmp_path, "")
    assert running.read_current() == RoutingPolicy()
    save_policy(tmp_path, one)
    save_policy(tmp_path, other)
    assert (load_policy(tmp_path, ""), load_policy(tmp_path, "openai:m")) == (one, other)
    assert running.read_current() == one
    assert load_policy(tmp_path, "ollama:x") == RoutingPolicy(embeddings="ollama:x")
    assert [file.name for file in tmp_path.iterdir()] == ["retrieval-policy.json"]


@pytest.mark.parametrize("broken", ["", "{", "[]", "7", '{"": 7}', '{"": {"stage": "king"}}', "\x00"])
def test_a_broken_file_fails_no_search(tmp_path, broken, caplog):
    (tmp_path / "retrieval-policy.json").write_text(broken)
    assert PolicyFile(tmp_path, "").read_current() == RoutingPolicy()
    if broken != "[]":
        assert "cannot be read" in caplog.text
    save_policy(tmp_path, taught("en:plain", BETTER, 40))
    assert load_policy(tmp_path, "").version == 1


def test_a_policy_of_the_first_version_is_read_without_its_former_arms(tmp_path):
    learned = {
        "samples": 90,
        "decided": 60,
        "advantage": {"keyword": 0.1, "no_hop": 0.2, "recent": -0.1, "filtered": 0},
    }
    kept = {"": {"version": 3, "stage": "trial", "segments": {"en:plain": learned}, "sources": ["s"]}}
    (tmp_path / "retrieval-policy.json").write_text(json.dumps(kept))
    policy = load_policy(tmp_path, "")
    assert (policy.version, policy.stage) == (3, "trial")
    assert policy.segments["en:plain"].advantage == {"keyword": 0.1}
