"""Small talk replies: what Weiwo says where nothing is to be looked up, without a model to say it better."""

from typing import Final

from weiwo.state import Language
from weiwo.state.query import Talk
from weiwo.text.localization import localized_phrases

_MODEL_EN: Final = (
    "To configure one, set WEIWO_MODEL=provider:model, for example WEIWO_MODEL=openai:gpt-5-mini together with"
    " OPENAI_API_KEY, or OPENAI_BASE_URL for any OpenAI-compatible server."
)
_MODEL_ZH: Final = (
    "配置方法：设置 WEIWO_MODEL=provider:model，例如 WEIWO_MODEL=openai:gpt-5-mini，同时设置 OPENAI_API_KEY；其他兼容"
    " OpenAI 接口的服务用 OPENAI_BASE_URL 指定。"
)
_WHO_EN: Final = "I am Weiwo, a search assistant that plans before it searches."
_WHO_ZH: Final = "我是帷幄，一个先规划、再检索的搜索助手。"
_HOW_EN: Final = (
    "I plan a question as small look-ups, search documents, calculate, and answer with the passages every claim rests"
    " on."
)
_HOW_ZH: Final = "我会把问题拆成小步查询，检索文档、进行计算，并给出每个论断所依据的原文。"
_RULES_EN: Final = (
    "Without a model I show the closest passages, and compare or subtract the dates and measures of named things. A"
    " model would add answers in prose, plans for questions of any shape, and writing."
)
_RULES_ZH: Final = (
    "没有模型时，我会展示最相关的原文，并能比较或相减具名事物的日期和数值。"
    "有了模型，可以用文字回答、规划任意形式的问题，并帮助写作。"
)
_STATES: Final = localized_phrases("writer.small_talk", "states")
"""Why there is no model to say it better: none is configured, or the one that is does not answer."""

_SAID: Final[dict[Language, dict[Talk, str]]] = {
    "en": {
        "greeting": f"Hello! {_WHO_EN} Ask me a question, and I will look it up. {{state}}",
        "identity": f"{_WHO_EN} {{state}}",
        "ability": f"{_WHO_EN} {_HOW_EN} {{state}} {_RULES_EN}{{advice}}",
        "remark": "I see. Ask me a question, and I will look it up. {state}",
        "thanks": "You are welcome.",
        "farewell": "Goodbye.",
        "writing": "Writing and translating need a model. {state}{advice}",
    },
    "zh": {
        "greeting": f"你好！{_WHO_ZH}请提出问题，我来查找答案。{{state}}",
        "identity": f"{_WHO_ZH}{{state}}",
        "ability": f"{_WHO_ZH}{_HOW_ZH}{{state}}{_RULES_ZH}{{advice}}",
        "remark": "好的。请提出问题，我来查找答案。{state}",
        "thanks": "不客气。",
        "farewell": "再见。",
        "writing": "写作和翻译需要模型。{state}{advice}",
    },
}


def reply_to_small_talk(talk: Talk | None, language: Language, *, silent_model: bool = False) -> str:
    """What to say to a greeting, thanks, a question about Weiwo itself, or a request for writing.

    Args:
        talk: What kind of conversation the message is, as `QueryFrame.talk` says; None asks for the introduction.
        language: The language to answer in.
        silent_model: A model is configured, but did not answer.
    """
    advice = "" if silent_model else {"en": f" {_MODEL_EN}", "zh": _MODEL_ZH}[language]
    return _SAID[language][talk or "ability"].format(state=_STATES[language][silent_model], advice=advice)
