import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.work import assert_linear
from weiwo.text.language import clean, fold, questions_of, sentences, word_count
from weiwo.text.language_detection import detect_language, known_languages


@pytest.mark.parametrize(("text", "language"), read_cases("languages"))
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith met J. R. R. Tolkien. They spoke.", ["Dr. Smith met J. R. R. Tolkien.", "They spoke."]),
        ("He left the U.S. in c. 100 BC. It was late.", ["He left the U.S. in c. 100 BC.", "It was late."]),
        ("It cost 3.50 dollars. Really? Yes!", ["It cost 3.50 dollars.", "Really?", "Yes!"]),
        ('"What?" he asked. "Yes." She left.', ['"What?" he asked.', '"Yes."', "She left."]),
        ("Born in 1900.[1] Died in 1950.[2]", ["Born in 1900.[1]", "Died in 1950.[2]"]),
        ("他说：「好。」然后走了。真的吗？", ["他说：「好。」", "然后走了。", "真的吗？"]),
        ("- one\n- two. Three\n\n1. First\n# Head\nText.", ["one", "two.", "Three", "First", "Head", "Text."]),
        ("A line that is long enough to have been wrapped by an editor goes\non here.", None),
        ("Sie zog am 3. Mai um. Nr. 4 bzw. Nr. 5 ist frei.", ["Sie zog am 3. Mai um.", "Nr. 4 bzw. Nr. 5 ist frei."]),
        (
            "It opens in room 3. May I come? See art. The end.",
            ["It opens in room 3.", "May I come?", "See art.", "The end."],
        ),
        ("Mme. Odile ouvre le port. M. Brun le ferme.", ["Mme. Odile ouvre le port.", "M. Brun le ferme."]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("متى يفتح؟ يفتح في الثامنة.", ["متى يفتح؟", "يفتح في الثامنة."]),
        ("港は朝開く。夜は閉まる。", ["港は朝開く。", "夜は閉まる。"]),
        ("เปิดเวลา 8 โมง ปิดเวลา 5 โมง วันนี้หยุด", ["เปิดเวลา 8 โมง", "ปิดเวลา 5 โมง", "วันนี้หยุด"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences(text: str, expected: list[str] | None) -> None:
    found = [text[start:end] for start, end in sentences(text)]
    assert found == ([text] if expected is None else expected)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from('ab.A!?。\n -*#1"”')), max_size=200))
def test_sentences_cover_the_text_in_order(text: str) -> None:
    position = 0
    for start, end in sentences(text):
        assert position <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        position = end


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), ("Who wrote Hamlet?", 3), ("it's 3.5 metres", 3), ("汉武帝", 2), ("珠穆朗玛峰多高", 5)]
)
def test_word_count(text: str, words: int) -> None:
    assert word_count(text) == words


def test_clean_keeps_what_is_said() -> None:
    assert clean(" a\x00 \t b\r\nc\u200b\n\n\n\nd \ud800") == "a b\nc\n\nd"
    assert clean("e\u0301") == "é"


@given(st.text(max_size=200))
def test_clean_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned == unicodedata.normalize("NFC", cleaned).strip()
    assert "\x00" not in cleaned


def test_fold_forgets_form() -> None:
    assert fold("Ｃafé\u3000 STRASSE") == fold("cafe straße") == "cafe strasse"


@given(st.text(max_size=100))
def test_any_text_is_read(text: str) -> None:
    assert detect_language(text) in known_languages()
    assert word_count(text) >= 0
    assert "  " not in fold(text)


@pytest.mark.trial
@pytest.mark.parametrize("piece", ["a", ". ", "\n", '"', "。", "[1]", "《", "- ", "e.g. ", "A. "])
def test_long_input_takes_linear_time(piece: str) -> None:
    for function in (sentences, clean, fold, detect_language, word_count):
        assert_linear(function, piece)


BRIEF = "We are a small museum of bridges in the north. Last spring a visitor left us a box of letters, undated. " * 4


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Short, and no question.", "Short, and no question."),
        (BRIEF + "When was the Grell bridge built? Please be brief.", "When was the Grell bridge built?"),
        ("Who drew it? " + BRIEF + "Who paid?", "Who drew it? Who paid?"),
        (
            "我们是一家桥梁博物馆，去年收到一箱没有日期的信件，想弄清其来历。" * 12 + "格雷尔桥建于哪一年？",
            "格雷尔桥建于哪一年？",
        ),
        ("Is " + "very " * 80 + "long? Who paid?", "Who paid?"),
        (BRIEF, ""),
    ],
)
def test_a_long_brief_is_cut_to_what_it_asks(text, cut):
    assert questions_of(text, 300) == cut
