"""Estimates of tokens err upwards, and not by much."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda

from weiwo.models.context_windows import _OUTPUT_RESERVE, prompt_tokens, reply_tokens, text_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # about what byte-pair tokenizers make of it
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("Emperor Wu of Han was older than Julius Caesar, by 56 years [1].", 19),
        ('{"level": "simple", "score": 0.25}', 13),
        ("汉武帝生于公元前156年。", 15),
        # what five tokenizers make at most of things that are dense: figures, code, keys, emoji, older Chinese
        ("3.14159 2.71828 1.41421 1.73205 0.57721", 39),
        ("def f(x): return {k: v ** 2 for k, v in x.items() if k != '_'}", 26),
        ("| 1815 | 36.5 % | London |", 16),
        ("👍🏽🇨🇳🎉🚀", 18),
        ("孝武皇帝，景帝中子也，母曰王美人。", 25),
        ("Straßenbahnhaltestellen außerdem Größenverhältnisse", 19),
        ("", 0),
    ],
)
def test_an_estimate_is_above_and_within_twice(text: str, tokens: int) -> None:
    assert tokens <= text_tokens(text) + 1
    assert text_tokens(text) <= 2 * tokens


@given(st.text(max_size=300), st.text(max_size=300))
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    assert max(text_tokens(one), text_tokens(other)) <= text_tokens(one + other)
    assert text_tokens(one + other) <= text_tokens(one) + text_tokens(other)


def test_what_is_bound_to_a_model_is_sent_too() -> None:
    messages = [SystemMessage("Be brief."), HumanMessage("Well?")]
    plain = RunnableLambda(lambda x: x)
    bound = plain.bind(tools=[{"name": "Verdict", "parameters": {"type": "object"} | {"x" * 90: 1}}])
    assert prompt_tokens(messages, bound) > prompt_tokens(messages, plain) + 30
    assert prompt_tokens(messages, bound | plain) == prompt_tokens(messages, bound)


@pytest.mark.parametrize(
    ("bounds", "longest", "reserve"),
    [
        ({}, 0, _OUTPUT_RESERVE),
        ({}, 4_000, 4_000),
        ({"max_tokens": 64_000}, 0, _OUTPUT_RESERVE),  # a provider's default, not what a reply takes
        ({"max_tokens": 200}, 0, 200),
        ({"max_tokens": 200}, 4_000, 200),
        ({"max_tokens": None, "num_predict": -1}, 0, _OUTPUT_RESERVE),
    ],
)
def test_what_is_set_aside_for_a_reply(bounds: dict[str, int | None], longest: int, reserve: int) -> None:
    assert reply_tokens(SimpleNamespace(**bounds), longest) == reserve
