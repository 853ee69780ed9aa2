"""The words an exported file puts around an answer, in the answer's language."""

from typing import Final, Literal

Tongue = Literal["en", "zh"]

_WORDS: Final[dict[Tongue, dict[str, str]]] = {
    "en": {
        "question": "Question: {}",
        "limits": "Limits and gaps",
        "sources": "Sources",
        "plan": "How it was found",
        "legend": "How statements were checked",
        "passage": "The passage",
        "task": "Task",
        "result": "Result",
        "back": "back to the text",
        "complete": "complete",
        "partial": "partial",
        "failed": "failed",
        "extracts": "extracts",
        "made": "Answered {}",
        "spent": "{} model calls · {} tool calls",
        "by": "Answered by Weiwo",
        "dated": "dated {}",
        "file_dated": "no date stated; file of {}",
        "version": "version {}",
        "superseded": "superseded by {}",
        "also": "also at {}",
        "not_found": "not found",
        "blocked": "not run",
        "succeeded": "found",
        "note_partial": "The answer is not complete: {}.",
        "note_failed": "There is no answer: {}.",
        "note_extracts": "Nothing is asserted here beyond the sources' own words, which are shown.",
        "note_doubtful": "Statements that no source carries, or that a source contradicts: {}; they are marked.",
        "note_superseded": "Source [{}] is an older version of a document; the current one is {}.",
        "note_rules": "Rules stood in for the model where it failed.",
        "quoted": "a source says it in these words",
        "computed": "calculated",
        "supported": "its sources carry it, as a model judged",
        "matched": "its particulars stand in its sources",
        "judgement": "the writer's own judgement, on cited statements",
        "unsupported": "no source carries it",
        "contradicted": "a source says otherwise",
    },
    "zh": {
        "question": "问题：{}",
        "limits": "局限与缺口",
        "sources": "来源",
        "plan": "查找过程",
        "legend": "各陈述的核对结果",
        "passage": "原文段落",
        "task": "任务",
        "result": "结果",
        "back": "回到正文",
        "complete": "完整",
        "partial": "部分",
        "failed": "失败",
        "extracts": "原文摘录",
        "made": "回答于 {}",
        "spent": "模型调用 {} 次 · 工具调用 {} 次",
        "by": "由帷幄（Weiwo）回答",
        "dated": "日期 {}",
        "file_dated": "文中未注明日期；文件日期 {}",
        "version": "版本 {}",
        "superseded": "已被 {} 取代",
        "also": "另见 {}",
        "not_found": "未找到",
        "blocked": "未执行",
        "succeeded": "已找到",
        "note_partial": "回答不完整：{}。",
        "note_failed": "没有得到回答：{}。",
        "note_extracts": "这里除所展示的来源原文外，不作任何断言。",
        "note_doubtful": "有 {} 处陈述没有来源支持或与来源相悖，文中均已标出。",
        "note_superseded": "来源 [{}] 是一份文件的旧版本，现行版本为 {}。",
        "note_rules": "模型未能回应之处，由规则代替。",
        "quoted": "来源原话",
        "computed": "计算得出",
        "supported": "经模型判断，来源支持",
        "matched": "要点见于来源",
        "judgement": "作者依据所引陈述作出的判断",
        "unsupported": "没有来源支持",
        "contradicted": "与来源相悖",
    },
}


def tongue(language: object) -> Tongue:
    """The language of the words around an answer: Chinese for Chinese, else English."""
    return "zh" if language == "zh" else "en"


def word(language: Tongue, name: str, *values: object) -> str:
    """A word or phrase in a language."""
    return _WORDS[language][name].format(*values)
