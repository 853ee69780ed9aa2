"""Joining scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.corpus.retrieval.score_fusion import blend_scores, lift_linked, normalize_scores, rank_passages

SCORES = st.dictionaries(st.integers(0, 20), st.floats(0.01, 100), max_size=12)


def test_blend_weighs_what_is_on_one_scale():
    assert blend_scores({1: 10, 2: 0}, {2: 0.9, 3: 0.1}, 0.4) == pytest.approx({1: 0.4, 2: 0.6, 3: 0.0})
    assert blend_scores({}, {2: 5.0}, 0.4) == pytest.approx({2: 0.6})


def test_equal_scores_come_in_order():
    assert rank_passages({3: 1.0, 1: 1.0, 2: 5.0}) == [2, 1, 3]


@given(SCORES)
def test_normalizing_keeps_the_order(scores):
    scaled = normalize_scores(scores)
    assert set(scaled) == set(scores)
    assert all(0 <= value <= 1 for value in scaled.values())
    if scores:
        assert max(scaled.values()) == 1
        assert scaled[rank_passages(scores)[0]] == 1


@given(SCORES, st.dictionaries(st.integers(0, 20), st.sets(st.integers(0, 30))))
def test_links_lift_and_leave_the_best_in_front(scores, links):
    led = {seed: targets for seed, targets in links.items() if seed in scores}
    lifted = lift_linked(scores, led)
    assert all(lifted[passage] >= score for passage, score in scores.items())
    assert set(lifted) == set(scores) | {one for seed, targets in led.items() for one in targets if one != seed}
    if scores:
        assert max(lifted.values()) == max(scores.values())


def test_a_link_shares_half_of_the_score():
    assert lift_linked({1: 2.0, 2: 0.5}, {1: [2, 7]}) == pytest.approx({1: 2.0, 2: 1.5, 7: 1.0})
