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
_HOW_EN: Final = (
    "I plan a question as small look-ups, search documents, calculate, and answer with the passages "
    "every claim rests on."
)
_HOW_ZH: Final = "我会把问题拆成小步查询，检索文档、进行计算，并给出每个论断所依据的原文。"
_RULES_EN: Final = (
    "By rules alone I know single facts, chains of facts, comparisons, differences and lists. "
    "A model would add freer questions, plans for any shape, and prose."
)
_RULES_ZH: Final = (
    "仅按规则时，我能回答单个事实、事实链、比较、差值和列表。"
    "有了模型，可以回答更自由的问题、规划任意形式的任务，并写出更流畅的文字。"
)
_STATES: Final[dict[Language, tuple[str, str]]] = {
    "en": (
        "No model is configured; I work by rules alone.",
        "The model does not answer just now; I work by rules alone.",
    ),
    "zh": ("目前没有配置模型，我只按规则工作。", "模型此刻没有应答，我只按规则工作。"),
}
"""Why there is no model to say it better: none is configured, or the one that is does not answer."""

_SAID: Final[dict[Language, dict[Talk, str]]] = {
    "en": {
        "greeting": f"Hello! {_WHO_EN} Ask me a question, and I will look it up. {{state}}",
        "identity": f"{_WHO_EN} {{state}}",
        "ability": f"{_WHO_EN} {_HOW_EN} {{state}} {_RULES_EN}{{advice}}",
        "thanks": "You are welcome.",
        "farewell": "Goodbye.",
        "writing_help": "Writing and translating need a model. {state}{advice}",
    },
    "zh": {
        "greeting": f"你好！{_WHO_ZH}请提出问题，我来查找答案。{{state}}",
        "identity": f"{_WHO_ZH}{{state}}",
        "ability": f"{_WHO_ZH}{_HOW_ZH}{{state}}{_RULES_ZH}{{advice}}",
        "thanks": "不客气。",
        "farewell": "再见。",
        "writing_help": "写作和翻译需要模型。{state}{advice}",
    },
}


def small_talk(question: str, language: Language, *, silent_model: bool = False) -> str | None:
    """What to say to a greeting, thanks, a question about Weiwo itself, or a request for writing.

    Args:
        question: The message; empty asks for the introduction.
        language: The language to answer in.
        silent_model: A model is configured, but did not answer.

    Returns:
        The reply, or None where the message is none of these.
    """
    text = normalize(question)
    kind: Talk | None = talk(text) if text else "ability"
    if kind is None:
        return None
    advice = "" if silent_model else {"en": f" {_MODEL_EN}", "zh": _MODEL_ZH}[language]
    return _SAID[language][kind].format(state=_STATES[language][silent_model], advice=advice)
