"""The words an exported file puts around an answer, in the answer's language."""

from typing import Final

from weiwo.state.kinds import Language

_WORDS: Final[dict[str, tuple[str, str]]] = {
    "question": ("Question: {}", "问题：{}"),
    "limits": ("Limits and gaps", "局限与缺口"),
    "sources": ("Sources", "来源"),
    "plan": ("How it was found", "查找过程"),
    "legend": ("How statements were checked", "各陈述的核对结果"),
    "passage": ("The passage", "原文段落"),
    "task": ("Task", "任务"),
    "result": ("Result", "结果"),
    "back": ("back to the text", "回到正文"),
    "complete": ("complete", "完整"),
    "partial": ("partial", "部分"),
    "failed": ("failed", "失败"),
    "extracts": ("extracts", "原文摘录"),
    "made": ("Answered {}", "回答于 {}"),
    "spent": ("{} model calls · {} tool calls", "模型调用 {} 次 · 工具调用 {} 次"),
    "by": ("Answered by Weiwo", "由帷幄（Weiwo）回答"),
    "dated": ("dated {}", "日期 {}"),
    "file_dated": ("no date stated; file of {}", "文中未注明日期；文件日期 {}"),
    "version": ("version {}", "版本 {}"),
    "superseded": ("superseded by {}", "已被 {} 取代"),
    "also": ("also at {}", "另见 {}"),
    "not_found": ("not found", "未找到"),
    "blocked": ("not run", "未执行"),
    "succeeded": ("found", "已找到"),
    "note_partial": ("The answer is not complete: {}.", "回答不完整：{}。"),
    "note_failed": ("There is no answer: {}.", "没有得到回答：{}。"),
    "note_extracts": (
        "Nothing is asserted here beyond the sources' own words, which are shown.",
        "这里除所展示的来源原文外，不作任何断言。",
    ),
    "note_doubtful": (
        "Statements that no source carries, or that a source contradicts: {}; they are marked.",
        "有 {} 处陈述没有来源支持或与来源相悖，文中均已标出。",
    ),
    "note_superseded": (
        "Source [{}] is an older version of a document; the current one is {}.",
        "来源 [{}] 是一份文件的旧版本，现行版本为 {}。",
    ),
    "note_rules": ("Rules stood in for the model where it failed.", "模型未能回应之处，由规则代替。"),
    "quoted": ("a source says it in these words", "来源原话"),
    "computed": ("calculated", "计算得出"),
    "supported": ("its sources carry it, as a model judged", "经模型判断，来源支持"),
    "matched": ("its particulars stand in its sources", "要点见于来源"),
    "judgement": ("the writer's own judgement, on cited statements", "作者依据所引陈述作出的判断"),
    "unchecked": ("nobody checked it: the model that judges did not", "未经核对：负责判断的模型没有作出判断"),
    "unsupported": ("no source carries it", "没有来源支持"),
    "contradicted": ("a source says otherwise", "与来源相悖"),
}
"""Each in English and in Chinese."""


def word(language: Language, name: str, *values: object) -> str:
    """A word or phrase in a language."""
    return _WORDS[name][language == "zh"].format(*values)
