"""Which questions cannot be asked, and how the others are cleaned."""

import pytest

from weiwo.nodes.shared.question.validation import _MAX_QUESTION_CHARS, QuestionError, check_question


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "?!", "\x00\x07", "——。", "\u200b\u2060", "🙂"])
def test_a_question_without_words_is_refused_in_one_line(text):
    with pytest.raises(QuestionError, match="empty") as error:
        check_question(text)
    assert "\n" not in str(error.value)


def test_a_question_may_be_long_but_not_endless():
    assert len(check_question("x" * _MAX_QUESTION_CHARS)) == _MAX_QUESTION_CHARS
    with pytest.raises(QuestionError, match="8,001 characters") as error:
        check_question("x" * (_MAX_QUESTION_CHARS + 1))
    assert len(str(error.value)) < 300


def test_100_kilobytes_are_refused_without_being_repeated():
    with pytest.raises(QuestionError) as error:
        check_question("why " * 25_000)
    assert "why why" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Who\x00 was\x1b[31m \x07Caesar?", "Who was Caesar?"),
        ("  Who\r\nwas\t\tCaesar?  ", "Who\nwas Caesar?"),
        ("谁是\u200b凯撒？\x7f", "谁是凯撒？"),
        ("Who was \ud800 Caesar?", "Who was Caesar?"),
        ("42", "42"),
    ],
)
def test_control_characters_and_surplus_blanks_go(text, question):
    assert check_question(text) == question
