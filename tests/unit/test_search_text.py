"""What a search makes of text: n-grams, identifiers, titles mentioned."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text.analysis import STOP_WORDS, query_terms, terms
from text.grams import Indexer, query_grams
from text.identifiers import identifiers
from text.mentions import Naming, mentions, possible_titles, title_key


@settings(deadline=None)
@given(st.text(max_size=300))
def test_what_is_indexed_at_speed_is_what_the_analyzer_says(text):
    indexed = Indexer()
    assert indexed(text).terms.split() == terms(text)
    assert indexed(text) == indexed(text)


@settings(deadline=None)
@given(st.text(alphabet="0123456789,.'-aéA١² ", max_size=80))
def test_numbers_and_marks_are_indexed_as_the_analyzer_says(text):
    assert Indexer()(text).terms.split() == terms(text)


def test_a_word_is_stemmed_but_once():
    asked = []

    def stem(terms_of_a_word):
        asked.append(terms_of_a_word)
        return [term.removesuffix("s") for term in terms_of_a_word.split()]

    indexed = Indexer(stem)
    assert indexed("Towers fall, towers INC-1s").terms.split() == ["tower", "fall", "tower", "inc-1", "inc"]
    assert indexed("Towers fall,").grams == "_tow towe ower wers ers_ _fal fall all_"
    assert asked == ["towers", "fall", "towers", "inc-1s inc"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_a_question_asks_for_n_grams_that_a_text_of_its_words_has(text):
    kept = [term for term in query_terms(text) if term not in STOP_WORDS]
    if kept == list(query_terms(text)):
        assert set(query_grams(text)) <= set(Indexer()(text).grams.split())


def test_grams():
    assert Indexer()("The tower,").grams.split() == ["_tow", "towe", "ower", "wer_"]
    assert query_grams("of AI") == ["_ai_"]
    assert Indexer()("汉武").grams.split() == ["汉", "武", "汉武"]


@pytest.mark.parametrize(
    ("one", "other"), [("臺灣國語", "台湾国语"), ("長城", "长城"), ("ＣＶＥ－２０２４－１", "cve-2024-1")]
)
def test_writings_of_one_word_are_one(one, other):
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the status of INC-49217?", ("inc-49217",)),
        ("why does getUserName return user_id", ("getusername", "user_id")),
        ("Is CVE-2024-1234 fixed in v1.2.3?", ("cve-2024-1234", "v1.2.3")),
        ("error E404 on line 12", ("e404",)),
        ("Who was the 19th president in the 1990s?", ()),
        ("A 19-year-old ran 5km in mid-2010 at 9pm", ()),
        ("When did McDonald's open in New York?", ()),
        ("公元前156年谁出生?", ()),
        ("工单INC-49217怎样了?", ("inc-49217",)),
    ],
)
def test_identifiers(question, expected):
    assert identifiers(question) == expected


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Night Train (1959 film)", "night train"),
        ("Łódź, the City", "lodz the city"),
        ("漢武帝（西汉）", "汉 武 帝"),
        ("The", ""),
        ("(film)", ""),
        ("", ""),
        ("word " * 40, ""),
    ],
)
def test_titles_as_keys(title, key):
    assert title_key(title) == key


def test_what_a_passage_mentions():
    text = "Night Train, by Anna Kowalska's pupil, was shot in the Republic of Poland. See 《红楼梦》 and “The Wall”."
    found = mentions(text)
    assert {"night train", "anna kowalska", "republic of poland", "poland", "the wall", "红 楼 梦"} <= found
    assert not found & {"was shot", "in the", "the", ""}


def test_what_a_question_names():
    question = Naming("When was the Orion Tower's lift built?")
    assert "orion tower" in question
    assert "tower of the orion" in question
    assert "orion tower hotel" not in question
    assert "" not in question
    assert "汉 武 帝" in Naming("汉武帝生于哪年")
    assert "汉 帝" not in Naming("汉武帝生于哪年")
    assert "汉 武 帝" in possible_titles("汉武帝生于哪年")


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_may_be_read_for_titles(text):
    assert "" not in mentions(text)
    assert all(key == " ".join(key.split()) for key in mentions(text) | possible_titles(text))


@pytest.mark.parametrize("unit", ["汉", "Aa ", "《a》", "A.", "a1-", "“"])
def test_a_megabyte_is_cut(unit):
    text = unit * (1_000_000 // len(unit))
    assert len(mentions(text)) < 100_000
    assert len(possible_titles(text)) < 10_000
    identifiers(text[:4_000])
