"""Which words of the state are the question, and which questions cannot be asked."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from weiwo.nodes.shared.question.turn import _HISTORY_TURNS, find_current_turn, format_transcript
from weiwo.nodes.shared.question.validation import QuestionError


def test_a_new_human_message_is_the_question_and_what_was_before_the_history():
    old = [HumanMessage("Hi", id="1"), AIMessage("Hello", id="2")]
    turn = find_current_turn(
        {"messages": [*old, HumanMessage("Who was Caesar?", id="3")], "asked": "1", "question": "Hi"}
    )
    assert turn.question == "Who was Caesar?"
    assert turn.history == tuple(old)
    assert turn.message is not None
    assert turn.message.id == "3"


def test_a_message_taken_before_is_no_question_again():
    """A turn by `messages` was interrupted after the master; a new `question` comes."""
    left = HumanMessage("Who was Caesar?", id="1")
    turn = find_current_turn({"messages": [left], "asked": "1", "question": "Who was Nero?"})
    assert turn.question == "Who was Nero?"
    assert turn.message is None
    assert turn.history == ()


@pytest.mark.parametrize("refused", ["", "why " * 25_000])
def test_a_refused_message_does_not_stand_in_the_way_of_a_question(refused):
    said = [HumanMessage("Who was Caesar?", id="1"), AIMessage("A Roman.", id="2"), HumanMessage(refused, id="3")]
    assert find_current_turn({"messages": said, "asked": "1", "question": "Who was Nero?"}).question == "Who was Nero?"
    assert find_current_turn({"messages": said[2:], "question": "Who was Nero?"}).question == "Who was Nero?"


def test_nor_is_the_last_question_asked_again_in_its_place():
    said = [HumanMessage(" Who was Caesar?", id="1"), AIMessage("A Roman.", id="2"), HumanMessage("", id="3")]
    with pytest.raises(QuestionError):
        find_current_turn({"messages": said, "asked": "1", "question": "Who was Caesar?"})


def test_after_an_answer_the_question_counts():
    said = [HumanMessage("Who was Caesar?", id="1"), AIMessage("A Roman.", id="2")]
    turn = find_current_turn({"messages": said, "asked": "1", "question": "And when did he die?"})
    assert turn.question == "And when did he die?"
    assert turn.history == tuple(said)


HANDOFF = [
    AIMessage("", id="5", tool_calls=[{"id": "c", "name": "transfer_to_weiwo", "args": {}}]),
    ToolMessage("Successfully transferred to weiwo", tool_call_id="c", id="6"),
]


def test_behind_a_handoff_the_last_human_message_is_the_question():
    said = [HumanMessage("Hi", id="1"), AIMessage("Hello", id="2"), HumanMessage("Who was Caesar?", id="3")]
    for before in ({}, {"asked": "1", "question": "Hi", "result": {"status": "complete"}}):
        turn = find_current_turn({"messages": [*said, *HANDOFF], **before})
        assert turn.question == "Who was Caesar?"
        assert turn.message is said[2]
        assert turn.history == tuple(said[:2])
    under_way = {"asked": "3", "question": "Who was Caesar?", "result": {}}
    turn = find_current_turn({"messages": [*said, *HANDOFF], **under_way})
    assert (turn.question, turn.history) == ("Who was Caesar?", tuple(said[:2]))


def test_a_question_given_beside_a_conversation_counts():
    said = [HumanMessage("Who was Caesar?", id="1"), *HANDOFF]
    turn = find_current_turn({"messages": said, "question": "Who was Nero?"})
    assert (turn.question, turn.history) == ("Who was Nero?", tuple(said[:1]))  # a handoff says nothing


@pytest.mark.parametrize(
    "state", [{}, {"question": ""}, {"question": None}, {"messages": [AIMessage("Hello")]}, {"messages": []}]
)
def test_no_question_at_all_is_refused(state):
    with pytest.raises(QuestionError):
        find_current_turn(state)


def test_a_message_of_content_blocks_is_read():
    message = HumanMessage([{"type": "text", "text": "Who was "}, {"type": "text", "text": "Caesar?"}], id="1")
    assert find_current_turn({"messages": [message]}).question == "Who was Caesar?"


def test_only_the_latest_history_counts():
    old = [HumanMessage(f"q{n}", id=str(n)) for n in range(20)]
    turn = find_current_turn({"messages": [*old, HumanMessage("Who was Caesar?", id="x")]})
    assert turn.history == tuple(old[-_HISTORY_TURNS:])


def test_the_transcript_names_both_sides_and_bounds_each():
    text = format_transcript((SystemMessage("secret"), HumanMessage("Who?\n\nWhen?"), AIMessage("A" * 5_000)))
    assert text.splitlines()[0] == "User: Who? When?"
    assert text.splitlines()[1].startswith("Weiwo: AAA")
    assert len(text) < 700
    assert "secret" not in text


@pytest.mark.parametrize("heading", ["Sources", "来源"])
def test_the_transcript_leaves_out_the_sources_under_an_answer(heading):
    answer = f"Caesar was born in 100 BC [1].\n\n{heading}:\n[1] Caesar · caesar.md\n[2] Rome · rome.md"
    asked = "What does it say?\n\nSources:\n[1] mine"
    assert format_transcript((HumanMessage(asked), AIMessage(answer))).splitlines() == [
        "User: What does it say? Sources: [1] mine",
        "Weiwo: Caesar was born in 100 BC [1].",
    ]
