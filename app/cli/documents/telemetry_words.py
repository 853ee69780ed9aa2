"""What `weiwo telemetry` says, in the language of the machine's user."""

from typing import Final

from weiwo.app.cli.documents.corpora import counted
from weiwo.app.render.labels import in_system_language, system_language
from weiwo.state.kinds import Language

_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "retrievals": "{}: {}",
        "off": "recording is off (WEIWO_TELEMETRY)",
        "since": "from {} to {}",
        "errors": "{}, {:,} without a passage",
        "strategies": "strategies: {}; decided by: {}",
        "policy": "policy {} ({}) would choose {}; that is what was done in {:.0%}",
        "flips": "choice flips: {:.0%} of {} asked again",
        "regret": "regret in order, where an answer has cited: {:.3f} over {:,}",
        "feedback": "feedback on answers that used it: {:,} good, {:,} bad",
        "stage": "stage",
        "kind": "kind of question",
        "count": "retrievals",
        "labelled": "labelled",
        "cited": "cited",
        "week": "week",
        "words": "words",
        "digits": "digits",
        "unknown": "unknown",
        "rare": "rare",
        "same": "{:.2f} same",
        "moving": "{:.2f} moving",
        "moved": "{:.2f} moved",
        "none": "none",
        "spent": "{} by models: ${:.4f}",
        "each": ", ${:.4f} for each of {:,} complete ones",
        "day": "day",
        "model": "model",
        "answers": "answers",
        "calls": "calls",
        "input": "input tokens",
        "output": "output tokens",
        "dollars": "US dollars",
        "exported": "{:,} records in {}",
        "nothing_hard": "no question was served badly, as far as the records tell; nothing was written",
        "hard": "{0} in {1}; weiwo eval label {1} asks which documents answer, then: weiwo eval retrieval {1} --learn",
        "nothing_new": "nothing new to learn: no hybrid search since then whose passages an answer cites",
        "learned": "policy {} has learned from what answers cited of {:,} searches, in shadow",
    },
    "zh": {
        "retrievals": "{}：{}",
        "off": "没有在记录（WEIWO_TELEMETRY）",
        "since": "自 {} 至 {}",
        "errors": "{}，{:,} 次没有找到段落",
        "strategies": "检索方式：{}；决定者：{}",
        "policy": "策略 {}（{}）会选择 {}；其中 {:.0%} 与实际所做相同",
        "flips": "选择改变：{1}被再次提出，其中 {0:.0%}",
        "regret": "次序上的遗憾（以答案所引用的为准）：{:.3f}，共 {:,} 次",
        "feedback": "对用到它的答案的评价：{:,} 好，{:,} 差",
        "stage": "阶段",
        "kind": "问题类别",
        "count": "检索",
        "labelled": "有标注",
        "cited": "被引用",
        "week": "周",
        "words": "词数",
        "digits": "数字",
        "unknown": "未知词",
        "rare": "罕见词",
        "same": "{:.2f} 不变",
        "moving": "{:.2f} 在变",
        "moved": "{:.2f} 已变",
        "none": "无",
        "spent": "由模型作出 {}：${:.4f}",
        "each": "；每个完整的答案 ${:.4f}（共 {:,} 个）",
        "day": "日期",
        "model": "模型",
        "answers": "答案",
        "calls": "调用",
        "input": "输入词元",
        "output": "输出词元",
        "dollars": "美元",
        "exported": "{1} 中有 {0:,} 条记录",
        "nothing_hard": "就记录所知，没有回答得不好的问题；没有写入任何内容",
        "hard": "{1} 中有 {0}；先运行 weiwo eval label {1} 判断哪些文档回答了它们，"
        "再运行 weiwo eval retrieval {1} --learn",
        "nothing_new": "没有可学的新内容：此后没有哪次混合检索的段落被答案引用",
        "learned": "策略 {} 从 {:,} 次检索中被引用的内容学习了（影子状态）",
    },
}


def count(number: int, what: str) -> str:
    """A number of things."""
    return counted(number, what, system_language())


word: Final = in_system_language(_WORDS)
"""A phrase by its name, with its values filled in."""
