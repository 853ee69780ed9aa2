import pytest

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.rule_answer import reply_to_small_talk


@pytest.mark.parametrize(
    ("message", "language", "said"),
    [
        ("hello", "en", "I am Weiwo"),
        ("thanks a lot", "en", "You are welcome"),
        ("bye", "en", "Goodbye"),
        ("who are you?", "en", "I am Weiwo"),
        ("what can you do?", "en", "search documents"),
        ("write a poem about rain", "en", "need a model"),
        ("I had a long day", "en", "I see"),
        ("你好", "zh", "我是帷幄"),
        ("谢谢", "zh", "不客气"),
        ("你能做什么", "zh", "检索文档"),
        ("写一首诗", "zh", "需要模型"),
    ],
)
def test_each_kind_of_talk_has_its_reply(message, language, said):
    assert said in reply_to_small_talk(parse_question(message, language).talk, language)


def test_a_silent_model_needs_no_advice_on_configuring_one():
    assert "WEIWO_MODEL" in reply_to_small_talk(None, "en")
    assert "WEIWO_MODEL" not in reply_to_small_talk(None, "en", silent_model=True)
