"""Keywords for a search engine out of a natural question."""

import re
from typing import Final

from nodes.rules.forms import SLOT, word_set
from nodes.rules.reading.requests import question_of
from state import Language
from text.patterns import lazy

LONGEST: Final = 300
"""Characters of a query; what follows in a longer question is left to the passages' reader."""

_STOP: Final = word_set(
    "who whom whose what when where which why how is are was were do does did has have had "
    "can could will would the a an "
    "of in on at to from by for with and or that this these those it its his her their there be been being as than "
    "many much please tell me list name give show find"
)
_EXTRA: Final = (
    (lazy(r"^(?:when|(?:in |on )?(?:what|which) (?:year|date|day)\b).*\bborn\b", re.IGNORECASE), "birth date"),
    (
        lazy(r"^(?:when|(?:in |on )?(?:what|which) (?:year|date|day)\b).*\bdie\b", re.IGNORECASE),
        "died death date",
    ),
    (lazy(r"^where .*\bborn\b", re.IGNORECASE), "birthplace"),
    (lazy(r"^where .*\bdie\b", re.IGNORECASE), "died place of death"),
    (lazy(r"^how tall\b", re.IGNORECASE), "height"),
    (lazy(r"^how high\b", re.IGNORECASE), "height elevation"),
    (lazy(r"^how long (?:is|are|was)\b", re.IGNORECASE), "length"),
    (lazy(r"^how deep\b", re.IGNORECASE), "depth"),
    (lazy(r"^how wide\b", re.IGNORECASE), "width"),
    (lazy(r"^how heavy\b", re.IGNORECASE), "weight"),
    (lazy(r"^how (?:large|big)\b", re.IGNORECASE), "area size"),
    (lazy(r"^how far\b", re.IGNORECASE), "distance"),
    (lazy(r"^how fast\b", re.IGNORECASE), "speed"),
)
_WORD: Final = lazy(r"\{\{.*?\}\}|\{\}(?:'s)?|[^\s,;:?!\"“”()]+")

_ZH_EXTRA: Final = (
    (lazy(r"有?多高"), " 高度 海拔 "),
    (lazy(r"有?多长"), " 全长 长度 "),
    (lazy(r"有?多深"), " 深度 "),
    (lazy(r"有?多宽"), " 宽度 "),
    (lazy(r"有?多重"), " 重量 "),
    (lazy(r"有?多大"), " 面积 "),
    (lazy(r"有?多快"), " 速度 "),
    (lazy(r"有?多远"), " 距离 "),
)
_WHO_DID: Final = lazy(
    r"^(?:是)?(?:谁|哪一?位[\u4e00-\u9fff]{0,4}?|什么人|何人|哪个人)(?:最早|首先|最先|第一个)?"
    r"(?P<verb>发现|发明|创作|创立|创办|创建|建立|设计|建造|提出|撰写|写|画|执导|导演|拍摄|编写|翻译|谱写|统一|征服|修建|建)"
    r"(?:出|了|过|的)*(?P<what>[^?？]{1,60})[?？]?$"
)
"""谁发明了X, whose words stand in the order of no text."""
_ZH_FRAME: Final = lazy(
    r"(?:位于|坐落于|于|是|在|为|有|到)?(?:哪几[年个位座条部天]|哪一?(?:年|天|日|个|位|座|条|所|部|本|家|些|国"
    r"|里|儿|种)|什么时候|什么时间|什么地方|什么|何时|何地|何处|谁"
    r"|多少(?:个|位|座|条|所|部|本|家|名|种|次)?|几(?=[个岁年月位座条部])|哪里|哪儿|哪)"
    r"|(?:^|(?<=[\s}]))的|(?<=\S)的(?=\S)|吗|呢|[？?。，,！!、]|是否|是不是|请问|分别|了(?=$)|的(?=$)|是(?=$)|有(?=$)"
)


def keywords(question: str, language: Language) -> str:
    """The words of a question worth searching for; `{}` and references keep their place, the subject comes first.

    Args:
        question: A question, its subject still a slot or already filled.
        language: Its language.

    Returns:
        A query; the question itself where nothing would be left.
    """
    asked = question_of(question)
    found = _english(asked) if language == "en" else _chinese(asked)
    return (found or question)[:LONGEST].strip()


def _english(question: str) -> str:
    words = [word.rstrip(".") for word in _WORD.findall(question)]
    kept = [word for word in words if word.lower() not in _STOP]
    kept += next((extra.split() for pattern, extra in _EXTRA if pattern.search(question)), [])
    if any(word.startswith(SLOT) for word in kept):
        kept = [SLOT, *(word for word in kept if not word.startswith(SLOT))]
    return " ".join(dict.fromkeys(kept))


def _chinese(question: str) -> str:
    text = _WHO_DID.sub(r"\g<what> \g<verb>", question)
    for pattern, words in _ZH_EXTRA:
        text = pattern.sub(words, text)
    text = _ZH_FRAME.sub(" ", text.replace(SLOT, f"{SLOT} "))
    return " ".join(dict.fromkeys(text.split()))
