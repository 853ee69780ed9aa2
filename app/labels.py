"""The few words the command puts around an answer, in the answer's language."""

from typing import Final

_WORDS: Final = {
    "en": {
        "sources": "Sources",
        "not_found": "not found",
        "blocked": "not run: something it needs is missing",
        "failed": "failed",
        "calls": "{} calls",
        "instead": "instead of {}",
        "from": "from {}",
        "question": "Question",
        "plan": "Plan",
        "answer": "Answer",
        "thinking": "Judging the question",
        "planning": "Planning",
        "working": "Working",
        "writing": "Writing",
        "more": "… {} more",
        "no_model": "no model is configured, rules alone; WEIWO_MODEL=provider:model, such as openai:gpt-5-mini, "
        "adds judgement, free-form plans and prose",
    },
    "zh": {
        "sources": "来源",
        "not_found": "未找到",
        "blocked": "未执行：缺少所需的结果",
        "failed": "失败",
        "calls": "{} 次调用",
        "instead": "代替 {}",
        "from": "来自 {}",
        "question": "问题",
        "plan": "计划",
        "answer": "回答",
        "thinking": "正在判断问题",
        "planning": "正在制定计划",
        "working": "正在执行",
        "writing": "正在撰写",
        "more": "……另有 {} 项",
        "no_model": "没有配置模型，仅按规则运行；设置 WEIWO_MODEL=provider:model（如 openai:gpt-5-mini）后，"
        "判断、计划和行文都会由模型来做",
    },
}


def label(language: str, name: str, *values: object) -> str:
    """A word or phrase in a language; English for a language we do not have."""
    return _WORDS.get(language, _WORDS["en"])[name].format(*values)
