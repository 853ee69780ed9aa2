"""The few words the command puts around an answer, in the answer's language."""

import os
from collections.abc import Callable, Mapping
from typing import Final, Literal

from weiwo.text.patterns import lazy

_COUNTS: Final = frozenset({"calls", "takes", "unknown", "spent", "model_calls", "stood_in"})
_ONE: Final = lazy(r"\b1 ((?:(?:tool|model) )?(?:call|task|time|token))s\b")
"""A count of one in English."""
_PLACE: Final = lazy(r"\b(line|page|row|slide)s? (\d+(?:-\d+)?)(, )?")
_PLACES_ZH: Final = {"line": "行", "page": "页", "row": "行", "slide": "张幻灯片"}
_WORDS: Final = {
    "en": {
        "reading": "thread {} · reading the question",
        "reading_new": "thread {} is new · reading the question",
        "sources": "Sources",
        "not_found": "not found",
        "blocked": "not run: something it needs is missing",
        "failed": "failed",
        "calls": "{} calls",
        "instead": "instead of {}",
        "from": "from {}",
        "question": "Question",
        "plan": "Plan",
        "revisions": "Earlier plans",
        "kept": "kept {}",
        "replan": "replanned (by {})",
        "deepen": "extended (by {})",
        "rejected": "sent back",
        "edited": "edited by hand",
        "follows": "follows the procedure “{}”",
        "departs": "; departs from it: {}",
        "expected": "expected: {}",
        "took": "took: {}",
        "takes": "{} tool calls · {} model calls · {} tokens · {}",
        "unknown": " · without {} tasks of which too little is known",
        "answer": "Answer",
        "thinking": "Judging the question",
        "planning": "Planning",
        "working": "Working",
        "reviewing": "Reviewing",
        "extending": "Extending the plan",
        "writing": "Writing",
        "sections": "{} of {} sections",
        "spent": "{} model calls · {} tokens",
        "model_calls": "{} model calls",
        "by_rule": "by rule",
        "by_model": "by model",
        "stood_in": "rules stood in for the model {} times: {}",
        "shortfall": "the answer is {}",
        "status_extracts": "extracts",
        "status_partial": "partial: {}",
        "status_failed": "failed: {}",
        "more": "… {} more",
        "approve_prompt": "Run this plan?  [a] approve  [e] edit  [r] send back with words  [q] decide later: ",
        "consent_prompt": "Call this tool, which may change something?  [a] allow  [r] refuse, with words  "
        "[q] decide later: ",
        "clarify_prompt": "1-{} or words  [q] reply later: ",
        "reject_prompt": "What should be different? ",
        "words_prompt": "Send the plan back with these words? [y/n] ",
        "cost": "a deep search: about ${} ({} tokens, {}), at most ${} by its limits",
        "list_prices": "; list prices of {}",
        "cost_as_before": "as {} before",
        "cost_assumed": "assumed",
        "cost_prompt": "That is above WEIWO_ASK_COST. Run it? [y/n] ",
        "web_prompt": "There are no documents of yours and no search provider. May the web be searched with "
        "DuckDuckGo and Wikipedia, which will see the queries? [y/n] ",
        "unchanged": "The plan is unchanged.",
        "draft_remark": "Change the plan, save and leave the editor. Lines at the top that begin with # are remarks.",
        "no_model": "no model is configured: passages are shown, and only what rules can prove is asserted; "
        "weiwo setup finds a model, or set WEIWO_MODEL=provider:model: it adds answers in prose, plans and judgement",
    },
    "zh": {
        "reading": "thread {} · 正在读题",
        "reading_new": "thread {} 是新的 · 正在读题",
        "sources": "来源",
        "not_found": "未找到",
        "blocked": "未执行：缺少所需的结果",
        "failed": "失败",
        "calls": "{} 次调用",
        "instead": "代替 {}",
        "from": "来自 {}",
        "question": "问题",
        "plan": "计划",
        "revisions": "先前的计划",
        "kept": "保留 {}",
        "replan": "重新计划（{}）",
        "deepen": "补充计划（{}）",
        "rejected": "被退回",
        "edited": "由人修改",
        "follows": "按流程“{}”执行",
        "departs": "；不同之处：{}",
        "expected": "预计：{}",
        "took": "实际：{}",
        "takes": "工具调用 {} 次 · 模型调用 {} 次 · {} 个词元 · {}",
        "unknown": " · 不含 {} 个所知太少的任务",
        "answer": "回答",
        "thinking": "正在判断问题",
        "planning": "正在制定计划",
        "working": "正在执行",
        "reviewing": "正在检查",
        "extending": "正在补充计划",
        "writing": "正在撰写",
        "sections": "{}/{} 节",
        "spent": "模型调用 {} 次 · {} 个词元",
        "model_calls": "模型调用 {} 次",
        "by_rule": "由规则判断",
        "by_model": "由模型判断",
        "stood_in": "规则代替模型 {} 次：{}",
        "shortfall": "回答{}",
        "status_extracts": "原文摘录",
        "status_partial": "不完整：{}",
        "status_failed": "失败：{}",
        "more": "……另有 {} 项",
        "approve_prompt": "执行这个计划吗？ [a] 批准  [e] 编辑  [r] 退回并说明  [q] 以后再定：",
        "consent_prompt": "这个工具可能会造成改动，要调用吗？ [a] 允许  [r] 拒绝（可附说明）  [q] 以后再定：",
        "clarify_prompt": "请输入 1-{} 或直接说明  [q] 以后再答：",
        "reject_prompt": "哪里需要改？ ",
        "words_prompt": "用这句话退回计划吗？ [y/n] ",
        "cost": "深入查找：大约 ${}（{} 个词元，{}），按上限最多 ${}",
        "list_prices": "；{} 的标价",
        "cost_as_before": "按此前 {} 次估计",
        "cost_assumed": "假定",
        "cost_prompt": "这超过了 WEIWO_ASK_COST。要执行吗？ [y/n] ",
        "web_prompt": "没有您自己的文档，也没有设置搜索服务。"
        "可以用 DuckDuckGo 和维基百科搜索网络吗（它们会看到查询词）？ [y/n] ",
        "unchanged": "计划没有改动。",
        "draft_remark": "请修改计划，保存后退出编辑器。文件开头以 # 起始的行是说明。",
        "no_model": "没有配置模型：只展示原文段落，仅断言规则能够证明的内容；"
        "运行 weiwo setup 可找到并配置模型（或设置 WEIWO_MODEL=provider:model），判断、计划和行文便由模型来做",
    },
}


def system_language(env: Mapping[str, str] | None = None) -> Literal["en", "zh"]:
    """The language of this machine's user, where no question tells it: Chinese in a Chinese locale, else English."""
    env = os.environ if env is None else env
    named = next((env[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if env.get(name)), "")
    return "zh" if named.startswith("zh") else "en"


def in_system_language(words: Mapping[Literal["en", "zh"], Mapping[str, str]]) -> Callable[..., str]:
    """The phrases of a table in the language of this machine's user: called with the name of one and its values."""

    def say(name: str, *values: object) -> str:
        return words[system_language()][name].format(*values)

    return say


def describe_place(language: str, locator: str) -> str:
    """A place within a source in a language, "lines 3-9" as 第 3-9 行."""
    if language != "zh":
        return locator
    found = _PLACE.sub(lambda m: f"第 {m[2]} {_PLACES_ZH[m[1]]}{'，' if m[3] else ''}", locator)
    return f"工作表 {found.removeprefix('sheet ')}" if found.startswith("sheet ") else found


def label(language: str, name: str, *values: object) -> str:
    """A word or phrase in a language; English for a language we do not have."""
    told = _WORDS.get(language, _WORDS["en"])[name].format(*values)
    return _ONE.sub(r"1 \1", told) if name in _COUNTS else told
