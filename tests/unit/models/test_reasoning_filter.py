"""Reasoning and the tails of chat templates are no part of a reply, in whatever pieces it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.models.reasoning_filter import ReasoningFilter, notice_opening, opens_reasoning, strip_reasoning


def stream(text: str, size: int, *, opened: bool = False) -> str:
    thinking = ReasoningFilter(opened=opened)
    pieces = [thinking.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join([*pieces, thinking.end()])


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("<think>\nhm {}\n</think>\n\nIt is so.", "It is so."),
        ("It is so.<|im_end|>\n<|im_start|>user\nnext?", "It is so."),
        ("It is so. \n<|eot_id|>", "It is so."),
        ("Qwen ends a turn with `<|im_end|>`, so it does.", "Qwen ends a turn with `<|im_end|>`, so it does."),
        ("a < b, a <| b, <|", "a < b, a <| b, <|"),
        ("if x <", "if x <"),
        ("", ""),
    ],
)
def test_a_stream(said, reply, size):
    assert stream(said, size) == strip_reasoning(said)
    assert strip_reasoning(said).rstrip() == reply


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_closing_tag_alone(size):
    said = "The user asks {this}.\n</think>\n\nIt is so."
    assert strip_reasoning(said) == "It is so."
    assert stream(said, size, opened=True) == "It is so."
    assert stream("It did not think.", size, opened=True) == "It did not think."


def test_it_is_remembered_by_endpoint_until_a_reply_opens_it_itself():
    notice_opening("a", 'hm\n</think>\n{"x": 1}')
    notice_opening("b", '<think>hm</think>{"x": 1}')
    assert (opens_reasoning("a"), opens_reasoning("b")) == (True, False)
    notice_opening("a", '{"x": 1}')
    assert opens_reasoning("a")
    notice_opening("a", "<think>hm</think>x")
    assert not opens_reasoning("a")


@given(st.text(alphabet="<|im_end>ab `", max_size=40), st.integers(1, 9))
def test_pieces_make_no_difference(text, size):
    assert stream(text, size) == strip_reasoning(text)
