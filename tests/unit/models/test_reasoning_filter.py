"""Reasoning and the tails of chat templates are no part of a reply, in whatever pieces it comes."""

import pytest
from hypothesis import example, given
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
        ("<3 you", "<3 you"),
        ("<thi", "<thi"),
        ("\n<think>a</think>b", "b"),
        ("<think>a < b</think>\n Hi <think>x</think>", "Hi <think>x</think>"),
        ("<think>never ends", ""),
        ("", ""),
    ],
)
def test_a_stream(said, reply, size):
    assert stream(said, size) == strip_reasoning(said)
    assert strip_reasoning(said).rstrip() == reply


_HIDDEN = 'Two births, so subtract. Draft: 50 years? Hmm, let me check {"a": 1}.'
_DRESSES = {
    "qwen": f"<think>\n{_HIDDEN}\n</think>\n\n",
    "capitals": f"<Think>{_HIDDEN}</THINK>\n",
    "twice": f"<think>\n\n</think>\n\n<think>{_HIDDEN}</think>\n",
    "claude": f"<thinking>{_HIDDEN}</thinking>\n\n",
    "gemini": f"<thought>{_HIDDEN}</thought>\n",
    "seed": f"<seed:think>{_HIDDEN}</seed:think>",
    "magistral": f"[THINK]{_HIDDEN}[/THINK]",
    "kimi": f"◁think▷{_HIDDEN}◁/think▷",
    "gemma": f"<|channel>thought\n{_HIDDEN}<channel|>",
    "command": f"<|START_THINKING|>{_HIDDEN}<|END_THINKING|><|START_RESPONSE|>",
    "harmony": f"<|channel|>analysis<|message|>{_HIDDEN}<|end|><|start|>assistant<|channel|>final<|message|>",
    "stripped harmony": f"analysis{_HIDDEN}assistantfinal",
    "openthinker": f"<|begin_of_thought|>{_HIDDEN}<|end_of_thought|>\n<|begin_of_solution|>",
    "in Chinese": "<think>两人的生年相减。草稿：50 岁？</think>",
}


@pytest.mark.parametrize("dress", _DRESSES)
@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("reply", ["汉武帝年长 56 岁 [1]。", "He was older [1], by 56 years.", '{"a": [2], "b": "x"}'])
def test_thoughts_in_any_dress(dress, reply, size):
    size = max(size, 4) if "stripped" in dress else size  # a word like others: a server sends it as one token
    assert stream(_DRESSES[dress] + reply, size) == strip_reasoning(_DRESSES[dress] + reply) == reply


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Sure. <think>hm</think>\nIt is so.", "Sure. It is so."),
        ("好的。\n[THINK]想[/THINK]\n是的。", "好的。\n是的。"),
        ("<answer>It is so [1].</answer>", "It is so [1]."),
        ("<think>hm</think><answer>\nIt is so.\n</answer>\n", "\nIt is so.\n\n"),
        ("<|begin_of_box|>42<|end_of_box|>", "42"),
        ("So it is \\boxed{42} years.", "So it is 42 years."),
        ("<|channel|>final<|message|>Yes.<|return|>", "Yes."),
        ("Models write `<think>` first, then `</think>`.", "Models write `<think>` first, then `</think>`."),
        ("The tag <thinking> is used by <answer> as well.", "The tag <thinking> is used by <answer> as well."),
        ("So.\n<think> is a tag that is never closed here.", "So.\n<think> is a tag that is never closed here."),
        ("analysis of the births shows it.", "analysis of the births shows it."),
        ("List[int] [1], a[THINK]b", "List[int] [1], a[THINK]b"),
        ("a{b}c} \\box", "a{b}c} \\box"),
    ],
)
def test_late_thoughts_wrapped_answers_and_text_about_tags(said, reply, size):
    assert stream(said, size) == strip_reasoning(said) == reply


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("closer", ["</think>", "[/THINK]", "◁/think▷", "</seed:think>"])
def test_a_closer_alone_in_any_dress(closer, size):
    said = f"The user asks {{this}}.\n{closer}\nIt is so."
    assert strip_reasoning(said) == stream(said, size, opened=True) == "It is so."
    assert stream("It did not think.", size, opened=True) == "It did not think."


def test_a_word_that_looks_like_an_opener_is_text():
    assert (
        stream("analysisX is a program.", 9) == strip_reasoning("analysisX is a program.") == "analysisX is a program."
    )


@example(parts=["`", "</think>", "`"], size=1, opened=True)
@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "<answer>", "</answer>", "a. ", "\n"])
        | st.sampled_from(["\\boxed{", "}", "<|end|>", "<|channel|>", "final", "<|message|>", "`", "b"]),
        max_size=9,
    ),
    st.integers(1, 9),
    st.booleans(),
)
def test_pieces_of_marks_make_no_difference(parts, size, opened):
    text = "".join(parts)
    assert stream(text, size, opened=opened) == stream(text, len(text) + 1, opened=opened)


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
