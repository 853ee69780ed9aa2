"""Tool retrieval: words, misspellings, both languages, vectors, sets that were used together, and wild texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.tools.selection.evaluation import LabelledQuestion, evaluate_tools
from weiwo.tools.selection.tool_index import ToolDocument, ToolIndex
from weiwo.tools.selection.tool_retriever import (
    _BY_VECTORS,
    _BY_WORDS,
    ToolRetriever,
    _measure_trust,
    _score_members,
    build_retriever,
)
from weiwo.tools.selection.tool_scenes import Scene, ToolScenes, ToolUse

TOOLS = (
    ToolDocument("stocks", "quotes", "The price of a share on the stock exchange.", "symbol"),
    ToolDocument("weather", "weather_forecast", "The weather of a city in the coming days.", "city\ndays"),
    ToolDocument("translate", "翻译", "把文字翻译成另一种语言"),
    ToolDocument("currency", "convert", "Exchange rates of currencies.", "amount\ncurrency"),
    ToolDocument("flights", "flight_search", "Flights between two airports.", "origin\ndestination"),
    ToolDocument("hotels", "hotel_search", "Rooms in a city, with prices.", "city"),
)
PAST = (
    ToolUse("Time off in Rome", frozenset({"flights", "hotels", "weather"})),
    ToolUse("Time off in Oslo with two children", frozenset({"flights", "hotels", "weather"})),
    ToolUse("How is my portfolio doing in euros?", frozenset({"stocks", "currency"})),
)


def ranked(question: str, history=()) -> list[str]:
    return build_retriever(TOOLS, tuple(history)).rank(question)


def test_words_names_arguments_misspellings_and_chinese_find_a_tool():
    assert ranked("Will the weather be fine?")[0] == "weather"
    assert ranked("flight_search")[0] == "flights"
    assert ranked("which symbol")[0] == "stocks"
    assert ranked("exchnage curencies")[0] == "currency"
    assert ranked("翻译这句话")[0] == "translate"


def test_tools_that_were_used_together_complete_each_other():
    assert set(ranked("Time off in Lisbon", PAST)[:3]) == {"flights", "hotels", "weather"}
    assert set(ranked("Time off in Lisbon")[:3]) != {"flights", "hotels", "weather"}


def test_a_new_kind_of_question_is_ranked_as_without_a_history():
    assert ranked("翻译这句话", PAST) == ranked("翻译这句话")


def test_scenes_are_trusted_the_more_the_nearer_and_the_less_the_more_the_words_say():
    def trust(similarity: float, novelty: float = -0.5, words: float = 1.5, next_one: float = 0.1, gate=_BY_WORDS):
        scenes = [Scene(frozenset({"a"}), similarity), Scene(frozenset({"b"}), next_one)]
        return _measure_trust(scenes, novelty, words, gate)

    assert trust(0.6) > 0.5 > trust(0.2)
    assert trust(0.6) > trust(0.6, novelty=0.5)  # a tool that no scene has fits better
    assert trust(0.6) > trust(0.6, words=3.0)
    assert trust(0.35, gate=_BY_VECTORS) > 0.5 > trust(0.35, next_one=0.34, gate=_BY_VECTORS)  # others are as near


def test_the_index_decides_where_a_past_question_is_only_a_little_alike():
    past = [ToolUse("What will the price of a share be?", frozenset({"stocks", "currency", "translate"}))]
    assert ranked("What will flights between two airports cost?", past)[0] == "flights"
    assert ranked("What will the price of a share be tomorrow?", past)[:3] == ["stocks", "translate", "currency"]


def test_members_of_a_scene_count_by_the_nearest_scene_that_has_them():
    near, far = Scene(frozenset({"a", "b"}), 0.8), Scene(frozenset({"b", "c"}), 0.4)
    scores = _score_members([near, far])
    assert scores["a"] == scores["b"] == 1 > scores["c"] > 0


def test_uses_of_tools_that_are_gone_teach_nothing():
    gone = [ToolUse("Time off", frozenset({"flights", "teleport"})), ToolUse("Nothing", frozenset())]
    assert ranked("Time off", gone) == ranked("Time off")


def test_vectors_find_what_words_do_not():
    index = ToolIndex(TOOLS, np.eye(6, dtype=np.float32))
    question = np.eye(6, dtype=np.float32)[3]
    assert ToolRetriever(index).rank("dinero", question)[0] == "currency"
    scenes = ToolScenes([use._replace(vector=np.eye(6, dtype=np.float32)[at]) for at, use in enumerate(PAST)])
    assert scenes.rank("dinero", np.eye(6, dtype=np.float32)[2])[0].tools == {"stocks", "currency"}


def test_an_empty_pool_ranks_nothing():
    assert build_retriever((), ()).rank("anything") == []


def test_figures_tell_known_sets_from_new_ones():
    questions = [
        LabelledQuestion("Time off in Lisbon", {"flights": 1, "hotels": 1, "weather": 1}),
        LabelledQuestion("翻译这句话", {"translate": 1}),
    ]
    found = evaluate_tools(ToolIndex(TOOLS), questions, PAST)
    assert (found["known"]["questions"], found["new"]["questions"], found["scenes"]) == (1, 1, 2)
    assert found["known"]["history"]["complete3"] == 1 > found["known"]["hybrid"]["complete3"]
    assert found["new"]["history"]["ndcg5"] == 1
    assert set(evaluate_tools(ToolIndex(TOOLS), questions, ())["all"]) == {"questions", "hybrid"}


wild = st.text(max_size=200)
documents = st.builds(ToolDocument, wild, wild, wild, wild, wild, wild)


@examples(60)
@given(st.lists(documents, max_size=8, unique_by=lambda tool: tool.id), st.lists(wild, max_size=4), wild)
def test_whatever_tools_say_all_are_ranked_once_and_always_alike(tools, past, question):
    history = tuple(ToolUse(text, frozenset(tool.id for tool in tools[: 1 + at])) for at, text in enumerate(past))
    first = build_retriever(tuple(tools), history).rank(question)
    build_retriever.cache_clear()
    assert sorted(first) == sorted(tool.id for tool in tools)
    assert build_retriever(tuple(tools), history).rank(question) == first
