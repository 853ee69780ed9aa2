"""What Weiwo says where nothing is to be looked up, without a model to say it better."""

from typing import Final

from nodes.rules.forms import normalize
from nodes.rules.talk import Talk, talk
from state import Language

_MODEL_EN: Final = (
    "To configure one, set WEIWO_MODEL=provider:model, for example WEIWO_MODEL=openai:gpt-5-mini together with "
    "OPENAI_API_KEY, or OPENAI_BASE_URL for any OpenAI-compatible server."
)
_MODEL_ZH: Final = (
    "配置方法：设置 WEIWO_MODEL=provider:model，例如 WEIWO_MODEL=openai:gpt-5-mini，同时设置 OPENAI_API_KEY；"
    "其他兼容 OpenAI 接口的服务用 OPENAI_BASE_URL 指定。"
)
_WHO_EN: Final = "I am Weiwo, a search assistant that plans before it searches."
_WHO_ZH: Final = "我是帷幄，一个先规划、再检索的搜索助手。"
_ABLE_EN: Final = (
    "I plan a question as small look-ups, search documents, calculate, and answer with the passages every "
    "claim rests on. "
    "No model is configured, so I work by rules alone: single facts, chains of facts, comparisons, differences "
    "and lists. "
    "A model would add freer questions, plans for any shape, and prose."
)
_ABLE_ZH: Final = (
    "我会把问题拆成小步查询，检索文档、进行计算，并给出每个论断所依据的原文。"
    "目前没有配置模型，我只按规则工作：单个事实、事实链、比较、差值和列表。"
    "配置模型之后，可以回答更自由的问题、规划任意形式的任务，并写出更流畅的文字。"
)

_SAID: Final[dict[Language, dict[Talk, str]]] = {
    "en": {
        "greeting": f"Hello! {_WHO_EN} Ask me a question, and I will look it up. No model is configured; I "
        f"work by rules alone.",
        "identity": f"{_WHO_EN} No model is configured, so I work by rules alone.",
        "ability": f"{_WHO_EN} {_ABLE_EN} {_MODEL_EN}",
        "thanks": "You are welcome.",
        "farewell": "Goodbye.",
        "writing_help": f"Writing and translating need a model, and no model is configured. {_MODEL_EN}",
    },
    "zh": {
        "greeting": f"你好！{_WHO_ZH}请提出问题，我来查找答案。目前没有配置模型，我只按规则工作。",
        "identity": f"{_WHO_ZH}目前没有配置模型，我只按规则工作。",
        "ability": f"{_WHO_ZH}{_ABLE_ZH}{_MODEL_ZH}",
        "thanks": "不客气。",
        "farewell": "再见。",
        "writing_help": f"写作和翻译需要模型，而目前没有配置模型。{_MODEL_ZH}",
    },
}


def small_talk(question: str, language: Language) -> str | None:
    """What to say to a greeting, thanks, a question about Weiwo itself, or a request for writing.

    Args:
        question: The message; empty asks for the introduction.
        language: The language to answer in.

    Returns:
        The reply, or None where the message is none of these.
    """
    text = normalize(question)
    if not text:
        return _SAID[language]["ability"]
    kind = talk(text)
    return None if kind is None else _SAID[language][kind]
