import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import assert_linear
from weiwo.nodes.master.complexity import (
    _WEIGHTS,
    classify_level,
    compute_static_score,
    extract_static_features,
    minimum_score,
)
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.text.language_detection import detect_language

QUESTIONS = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "data/questions.jsonl").read_text(encoding="utf-8").splitlines()
]
SIMPLE_KINDS = {"greeting", "thanks", "farewell", "small_talk", "about_assistant", "writing_help", "coding"}


def features_of(question: str) -> dict[str, float]:
    return extract_static_features(parse_question(question, detect_language(question)))


def level(question: str) -> str:
    return classify_level(compute_static_score(features_of(question)))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labelled_questions_get_their_level(language: str) -> None:
    asked = [q for q in QUESTIONS if q["language"] == language]
    wrong = [q["question"] for q in asked if level(q["question"]) != q["level"]]
    assert len(asked) >= 80
    assert len(wrong) <= 0.05 * len(asked), wrong


def test_the_labels_are_sound() -> None:
    assert len({q["question"] for q in QUESTIONS}) == len(QUESTIONS) >= 160
    assert {q["level"] for q in QUESTIONS if q["kind"] in SIMPLE_KINDS} == {"simple"}


@pytest.mark.parametrize("kind", ["greeting", "thanks", "farewell"])
def test_no_greeting_is_above_simple(kind: str) -> None:
    assert [q["question"] for q in QUESTIONS if q["kind"] == kind and level(q["question"]) != "simple"] == []


@pytest.mark.parametrize("kind", ["fresh", "local"])
def test_fresh_and_local_facts_are_never_simple(kind: str) -> None:
    asked = [features_of(q["question"]) for q in QUESTIONS if q["kind"] == kind]
    assert asked
    assert all(classify_level(minimum_score(features)) == "moderate" for features in asked)


@pytest.mark.parametrize(
    ("plain", "dressed"),
    [
        ("Who wrote Hamlet?", "hi, could you please tell me who wrote hamlet"),
        ("Who wrote Hamlet?", "Ｗｈｏ　ｗｒｏｔｅ　Ｈａｍｌｅｔ？"),
        ("How old was Mozart when he died?", "how old  was mozart  when he died"),
        ("汉武帝和凯撒谁年长？", "请问 汉武帝 和 凯撒 谁 年长"),
        ("珠穆朗玛峰有多高？", "你好，我想知道珠穆朗玛峰有多高"),
        ("Compare Spain and Portugal", "I was wondering if you can compare spain and portugal"),
    ],
)
def test_politeness_case_and_width_do_not_change_the_level(plain: str, dressed: str) -> None:
    assert level(dressed) == level(plain) != "simple"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Hello, who are you?", "simple"),
        ("Hi, who wrote Hamlet?", "moderate"),
        ("What is the capital of France?", "moderate"),
        ("What is the capital of the country where Einstein was born?", "complex"),
        ("What is the river that flows through Paris?", "moderate"),
        ("What is the length of the river that flows through Paris?", "complex"),
        ("Write a poem about the moon", "simple"),
        ("write a report comparing GDP growth of China and India since 2000", "complex"),
        ("translate: what is the latest news?", "simple"),
        ("we finally bought a house!", "simple"),
        ("what makes you different from other chatbots", "simple"),
        ("how do you make pancakes", "moderate"),
        ("can you eat raw salmon", "moderate"),
        ("give me ten ideas for a birthday party", "simple"),
        ("帮我给客户写一封道歉信", "simple"),
        ("你和Siri谁更聪明", "simple"),
        ("你知道西瓜是什么时候传入中国的吗", "moderate"),
        ("今天被老板骂了", "simple"),
        ("世界上最长的河", "moderate"),
        ("鲁迅的妻子是谁", "moderate"),
        ("鲁迅的妻子的出生地", "complex"),
        ("", "simple"),
        ("👍", "simple"),
    ],
)
def test_the_borders_between_levels(question: str, expected: str) -> None:
    assert level(question) == expected


def test_each_strong_sign_is_enough_and_the_weak_ones_together_are_not() -> None:
    weak = {"length", "entities"}
    for name in _WEIGHTS.keys() - weak:
        assert classify_level(compute_static_score({"facts": 1.0, name: 1.0})) == "complex"
    assert classify_level(compute_static_score({"facts": 1.0} | dict.fromkeys(weak, 1.0))) == "moderate"


@given(st.dictionaries(st.sampled_from([*_WEIGHTS, "facts", "freshness", "local"]), st.floats(0, 1)), st.data())
def test_more_signs_never_lower_the_score(features: dict[str, float], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*_WEIGHTS, "facts", "freshness", "local"]))
    raised = features | {name: data.draw(st.floats(features.get(name, 0.0), 1))}
    assert 0 <= minimum_score(features) <= compute_static_score(features) <= compute_static_score(raised) <= 1


@given(st.text(max_size=300))
def test_any_text_has_features_within_bounds(question: str) -> None:
    features = features_of(question)
    assert all(0 <= value <= 1 for value in features.values())
    assert set(_WEIGHTS) <= set(features)
    assert minimum_score(features) <= compute_static_score(features) <= 1


@pytest.mark.trial
@pytest.mark.parametrize(
    "piece", ["和", "、", "北京和", "who is the ", "N's ", "the x of ", "的", "《", "a, ", "hi ", "比", "你好"]
)
def test_long_input_takes_no_longer_than_reading_it(piece: str) -> None:
    assert_linear(features_of, piece)
