"""What the commands over memory say beside what is remembered, in the language of this machine's user."""

from typing import Final

from weiwo.app.render.labels import in_system_language
from weiwo.state.kinds import Language

_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "no_store": "memory; its store cannot be used; see weiwo doctor",
        "several": "{!r}; several begin so; give more of it",
        "no_key": "{!r}; there is none of that key; {} lists them",
        "key_or_all": "{} forget; it takes a KEY, or --all; give one of them",
        "forgotten": "forgotten: {}",
        "none_forgotten": "forgotten: none; there was none",
        "no_wishes": 'nothing is remembered; weiwo memory add "I work in euros" is an example',
        "no_answers": "no answer is kept; one is when a model answers a question that opens a conversation completely",
        "answers_forgotten": "answers forgotten: {}",
        "bad_answer": "that answer is not given again",
        "no_plans": "no plan is remembered yet; one is kept when a model's plan leads to a complete answer",
        "bad_plan": "the plan behind it is not used again; weiwo plans lists it",
        "pinned": "pinned {}",
        "unpinned": "unpinned {}",
        "no_folder": "procedures; no folder is set; set WEIWO_PROCEDURES=FOLDER or give --procedures FOLDER",
        "no_procedures": "{} holds no procedure yet; examples/procedures/ has ten",
    },
    "zh": {
        "no_store": "记忆的存储无法使用；见 weiwo doctor",
        "several": "{!r}：有多项以此开头；请多写几位",
        "no_key": "{!r}：没有这个编号；{} 可列出全部",
        "key_or_all": "{} forget：需要给出 KEY 或 --all，二者之一",
        "forgotten": "已忘记：{}",
        "none_forgotten": "已忘记：无；本来就没有",
        "no_wishes": "还没有记住什么；例如 weiwo memory add “以后都用人民币”",
        "no_answers": "还没有保留答案；模型完整回答了开启会话的问题时会保留",
        "answers_forgotten": "已忘记的答案：{}",
        "bad_answer": "这个答案不会再给出",
        "no_plans": "还没有记住计划；模型的计划得出完整答案时会保留",
        "bad_plan": "所用的计划不会再用；weiwo plans 可列出",
        "pinned": "已固定 {}",
        "unpinned": "已取消固定 {}",
        "no_folder": "没有设置流程文件夹；请设置 WEIWO_PROCEDURES=FOLDER 或给出 --procedures FOLDER",
        "no_procedures": "{} 中还没有流程；examples/procedures/ 有十个例子",
    },
}


word: Final = in_system_language(_WORDS)
"""A phrase by its name, with its values filled in."""
