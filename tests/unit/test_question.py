"""Which words of the state are the question, and which questions cannot be asked."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nodes.question import HISTORY_TURNS, MAX_QUESTION_CHARS, QuestionError, check_question, current_turn, transcript


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "?!", "\x00\x07", "——。", "\u200b\u2060", "🙂"])
def test_a_question_without_words_is_refused_in_one_line(text):
    with pytest.raises(QuestionError, match="empty") as error:
        check_question(text)
    assert "\n" not in str(error.value)


def test_a_question_may_be_long_but_not_endless():
    assert len(check_question("x" * MAX_QUESTION_CHARS)) == MAX_QUESTION_CHARS
    with pytest.raises(QuestionError, match="8,001 characters") as error:
        check_question("x" * (MAX_QUESTION_CHARS + 1))
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


def test_a_new_human_message_is_the_question_and_what_was_before_the_history():
    old = [HumanMessage("Hi", id="1"), AIMessage("Hello", id="2")]
    turn = current_turn({"messages": [*old, HumanMessage("Who was Caesar?", id="3")], "asked": "1", "question": "Hi"})
    assert turn.question == "Who was Caesar?"
    assert turn.history == tuple(old)
    assert turn.message is not None
    assert turn.message.id == "3"


def test_a_message_taken_before_is_no_question_again():
    """A turn by `messages` was interrupted after the master; a new `question` comes."""
    left = HumanMessage("Who was Caesar?", id="1")
    turn = current_turn({"messages": [left], "asked": "1", "question": "Who was Nero?"})
    assert turn.question == "Who was Nero?"
    assert turn.message is None
    assert turn.history == ()


@pytest.mark.parametrize("refused", ["", "why " * 25_000])
def test_a_refused_message_does_not_stand_in_the_way_of_a_question(refused):
    said = [HumanMessage("Who was Caesar?", id="1"), AIMessage("A Roman.", id="2"), HumanMessage(refused, id="3")]
    assert current_turn({"messages": said, "asked": "1", "question": "Who was Nero?"}).question == "Who was Nero?"
    assert current_turn({"messages": said[2:], "question": "Who was Nero?"}).question == "Who was Nero?"


def test_nor_is_the_last_question_asked_again_in_its_place():
    said = [HumanMessage(" Who was Caesar?", id="1"), AIMessage("A Roman.", id="2"), HumanMessage("", id="3")]
    with pytest.raises(QuestionError):
        current_turn({"messages": said, "asked": "1", "question": "Who was Caesar?"})


def test_after_an_answer_the_question_counts():
    said = [HumanMessage("Who was Caesar?", id="1"), AIMessage("A Roman.", id="2")]
    turn = current_turn({"messages": said, "asked": "1", "question": "And when did he die?"})
    assert turn.question == "And when did he die?"
    assert turn.history == tuple(said)


@pytest.mark.parametrize(
    "state", [{}, {"question": ""}, {"question": None}, {"messages": [AIMessage("Hello")]}, {"messages": []}]
)
def test_no_question_at_all_is_refused(state):
    with pytest.raises(QuestionError):
        current_turn(state)


def test_a_message_of_content_blocks_is_read():
    message = HumanMessage([{"type": "text", "text": "Who was "}, {"type": "text", "text": "Caesar?"}], id="1")
    assert current_turn({"messages": [message]}).question == "Who was Caesar?"


def test_only_the_latest_history_counts():
    old = [HumanMessage(f"q{n}", id=str(n)) for n in range(20)]
    turn = current_turn({"messages": [*old, HumanMessage("Who was Caesar?", id="x")]})
    assert turn.history == tuple(old[-HISTORY_TURNS:])


def test_the_transcript_names_both_sides_and_bounds_each():
    text = transcript((SystemMessage("secret"), HumanMessage("Who?\n\nWhen?"), AIMessage("A" * 5_000)))
    assert text.splitlines()[0] == "User: Who? When?"
    assert text.splitlines()[1].startswith("Weiwo: AAA")
    assert len(text) < 700
    assert "secret" not in text


@pytest.mark.parametrize("heading", ["Sources", "来源"])
def test_the_transcript_leaves_out_the_sources_under_an_answer(heading):
    answer = f"Caesar was born in 100 BC [1].\n\n{heading}:\n[1] Caesar · caesar.md\n[2] Rome · rome.md"
    asked = "What does it say?\n\nSources:\n[1] mine"
    assert transcript((HumanMessage(asked), AIMessage(answer))).splitlines() == [
        "User: What does it say? Sources: [1] mine",
        "Weiwo: Caesar was born in 100 BC [1].",
    ]
