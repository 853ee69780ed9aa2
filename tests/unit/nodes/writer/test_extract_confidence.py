"""How probable it is that passages shown hold the answer: what raises it, what lowers it, and what its data say."""

import json

import pytest

from tests.support.states import passage
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extract_confidence import FEATURES, FILE
from weiwo.nodes.writer.extracts import Extracts, choose_extracts
from weiwo.state import Evidence, Language

BRIDGE = passage("The Wend Bridge in Arvania opened in 1912. It was designed by Mara Holt.", "bridge.md", "Wend Bridge")
HOLT = passage("Mara Holt was an engineer. She was born in Port Lorn in 1870.", "holt.md", "Mara Holt")
BAKERY = passage("The bakery opens at seven and closes at noon.", "bakery.md", "Bakery hours")
CHAIN = "What city is the engineer who designed the Wend Bridge from?"


def shown(question: str, *passages: Evidence, language: Language = "en") -> Extracts:
    return choose_extracts(parse_question(question, language), passages)


def test_a_chain_whose_passages_name_one_another_is_surer_than_one_that_breaks_off():
    whole, broken = shown(CHAIN, BRIDGE, HOLT), shown(CHAIN, BRIDGE, BAKERY)
    assert (whole.features["broken_chain"], broken.features["broken_chain"]) == (0.0, 1.0)
    assert whole.confidence is not None
    assert broken.confidence is not None
    assert whole.confidence > broken.confidence


@pytest.mark.parametrize(
    ("question", "language"), [("When did the Wend Bridge in Arvania open?", "en"), ("文德桥是哪一年通车的？", "zh")]
)
def test_passages_that_speak_of_what_is_asked_are_surer_than_those_that_do_not(question: str, language: Language):
    chinese = passage("文德桥位于阿尔瓦尼亚，1912年通车。", "qiao.md", "文德桥")
    near = shown(question, chinese if language == "zh" else BRIDGE, language=language)
    far = shown(question, BAKERY, language=language)
    assert near.confidence is not None
    assert far.confidence is not None
    assert near.confidence > 0.5 > far.confidence
    assert shown(question, language=language).confidence is None


def test_the_weights_are_kept_with_figures_that_are_better_than_no_fit_on_what_was_kept_out():
    kept = json.loads(FILE.read_text())
    assert tuple(kept["weights"]) == FEATURES
    assert {*kept["sets"], "all"} == set(kept["kept_out"])
    for figures in kept["kept_out"].values():
        assert figures["own"]["left out"]["brier"] < figures["own"]["as given"]["brier"]
        for ways in figures.values():
            assert ways["fitted"]["brier"] < ways["as given"]["brier"]
    assert all(ways["fitted"]["ece"] < ways["as given"]["ece"] for ways in kept["kept_out"]["all"].values())
