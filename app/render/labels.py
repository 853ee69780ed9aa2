"""The few words the command puts around an answer, in the answer's language."""

import os
from collections.abc import Mapping
from typing import Final, Literal

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
        "spent_one": "1 model call · {} tokens",
        "more": "… {} more",
        "approve_prompt": "Run this plan?  [a] approve  [e] edit  [r] send back with words  [q] decide later: ",
        "consent_prompt": "Call this tool, which may change something?  [a] allow  [r] refuse, with words  "
        "[q] decide later: ",
        "clarify_prompt": "1-{} or words  [q] reply later: ",
        "elicit_prompt": "[d] decline  [c] cancel the call  [q] reply later: ",
        "elicit_opened": "[a] the page was opened  ",
        "elicit_said": "MCP server {} asks, in mid-call of {}; these are its words:",
        "reject_prompt": "What should be different? ",
        "words_prompt": "Send the plan back with these words? [y/n] ",
        "cost_prompt": "That is above WEIWO_ASK_COST. Run it? [y/n] ",
        "web_prompt": "There are no documents of yours and no search provider. May the web be searched with "
        "DuckDuckGo and Wikipedia, which will see the queries? [y/n] ",
        "unchanged": "The plan is unchanged.",
        "draft_remark": "Change the plan, save and leave the editor. Lines at the top that begin with # are remarks.",
        "no_model": "no model is configured: passages are shown, and only what rules can prove is asserted; "
        "weiwo setup finds a model, or set WEIWO_MODEL=provider:model: it adds answers in prose, plans and judgement",
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
        "spent_one": "模型调用 1 次 · {} 个词元",
        "more": "……另有 {} 项",
        "approve_prompt": "执行这个计划吗？ [a] 批准  [e] 编辑  [r] 退回并说明  [q] 以后再定：",
        "consent_prompt": "这个工具可能会造成改动，要调用吗？ [a] 允许  [r] 拒绝（可附说明）  [q] 以后再定：",
        "clarify_prompt": "请输入 1-{} 或直接说明  [q] 以后再答：",
        "elicit_prompt": "[d] 谢绝  [c] 取消调用  [q] 以后再答：",
        "elicit_opened": "[a] 已打开页面  ",
        "elicit_said": "MCP 服务器 {} 在调用 {} 时提问，以下是它的原话：",
        "reject_prompt": "哪里需要改？ ",
        "words_prompt": "用这句话退回计划吗？ [y/n] ",
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


def label(language: str, name: str, *values: object) -> str:
    """A word or phrase in a language; English for a language we do not have."""
    return _WORDS.get(language, _WORDS["en"])[name].format(*values)
