"""Messages that ask nothing of the outside world: greetings, thanks, questions about Weiwo, writing help."""

import re
from typing import Final, Literal

from text.patterns import lazy

Talk = Literal["greeting", "identity", "ability", "thanks", "farewell", "writing_help"]

_PATTERNS: Final[tuple[tuple[Talk, re.Pattern[str]], ...]] = (
    (
        "greeting",
        lazy(
            r"(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|how are you(?: doing)?(?: today)?"
            r"|how do you do|what'?s up|nice to meet you|yo"
            r"|你好|您好|嗨|哈喽|早上好|早安|上午好|下午好|晚上好|大家好|在吗|在不在|你好吗|最近(?:怎么样"
            r"|好吗))(?: there| weiwo|啊|呀|呢)?",
            re.IGNORECASE,
        ),
    ),
    (
        "identity",
        lazy(
            r"(?:(?:so )?(?:who|what)(?: exactly)? are you(?: exactly)?|what(?:'s| is) (?:your name|weiwo)"
            r"|who(?:'s| is) weiwo"
            r"|introduce yourself|tell me (?:about yourself|who you are)|are you (?:a |an )?(?:bot|robot|human"
            r"|ai|chatgpt|gpt|person)"
            r"|who (?:made|created|built) you"
            r"|你是谁|您是谁|你是什么|你叫什么(?:名字)?|你的名字(?:是什么|叫什么)?|介绍一下你自己"
            r"|自我介绍(?:一下)?|帷幄是什么|什么是帷幄"
            r"|你是(?:一个?)?(?:机器人|人工智能|ai|人|真人)|谁(?:创造|开发|做)了你)(?:呢|啊|吗|呀)?",
            re.IGNORECASE,
        ),
    ),
    (
        "ability",
        lazy(
            r"(?:what can you do(?: for me)?|what do you do|how (?:can|do) (?:you help(?: me)?|i use (?:you"
            r"|weiwo|this)|you work)"
            r"|help|what are (?:you able to do|your (?:capabilities|features|abilities))|can you help(?: me)?"
            r"|你能做什么|你会做?什么|你可以做什么|你能干什么|你有什么(?:功能|能力|用)|你能帮我(?:做什么|什么"
            r"|吗)|怎么(?:使用|用)(?:你|帷幄)?"
            r"|帮助|你能做些什么|你是怎么工作的)(?:呢|啊|吗|呀)?",
            re.IGNORECASE,
        ),
    ),
    (
        "thanks",
        lazy(
            r"(?:thanks?(?: you)?(?: (?:so|very) much| a lot)?|many thanks|thx|cheers|great|ok(?:ay)?|good job"
            r"|well done|nice"
            r"|got it|i see|awesome|perfect|谢谢(?:你|您|啦|了)?|多谢|感谢(?:你|您)?|非常感谢|辛苦了|好的"
            r"|明白了|知道了|太好了|太棒了|不错)"
            r"(?:[,，!！ ]*(?:that (?:helps|helped)|thanks?(?: you)?|weiwo|谢谢(?:你|您)?|帷幄))?",
            re.IGNORECASE,
        ),
    ),
    (
        "farewell",
        lazy(r"(?:bye|goodbye|see you(?: later)?|good night|farewell|再见|拜拜|晚安|回头见)(?: bye)?", re.IGNORECASE),
    ),
)
_WRITING: Final = lazy(
    r"(?:please |can you |could you |help me (?:to )?|i need you to )*(?:"
    r"(?:write|draft|compose)(?: me| us)? (?:an? |some |the |my |this )?(?:\w+ ){0,4}?"
    r"(?:poem|email|e-mail|mail|letter|essay|story|song|haiku|speech|article|post|tweet|message|cover letter"
    r"|resume|cv|report"
    r"|paragraph|limerick|sonnet|blog|invitation|toast|novel|joke|slogan|note|proposal|code|function|script|program)"
    r"|(?:translate|rewrite|rephrase|paraphrase|proofread|polish|shorten|correct|edit|summari[sz]e|improve)\b.{0,40}?"
    r"(?:\b(?:this|these|my|the following|below|into|to (?:english|chinese|french|german|spanish|japanese))\b|[:\"“'])"
    r"|tell me a (?:joke|story)|brainstorm)",
    re.IGNORECASE,
)
_WRITING_ZH: Final = lazy(
    r"(?:请|帮我|帮忙|给我|替我|麻烦你?|能不能|能否|可以|你能)*(?:"
    r"(?:写|撰写|创作|起草|拟)(?:一?[首封篇个段份则副条]|首|封|篇|段|一下|点)"
    r"|(?:翻译|润色|改写|校对|修改|缩写|扩写|总结|概括)(?:一?下|成|为|这|我|以下|下面|:|“|\")"
    r"|把.{1,80}(?:翻译|改写|润色|译)[成为]"
    r"|讲个?(?:笑话|故事))"
)
_WAKE: Final = lazy(
    r"^(?:(?:hi|hello|hey|你好|您好|嗨)(?: there| weiwo)?|weiwo|帷幄)[\s,，!！.。]+(?=\S)", re.IGNORECASE
)
_LONGEST: Final = 80


def talk(question: str) -> Talk | None:
    """What kind of talk a message is; None where it asks about the world."""
    text = question.strip(" \t?？!！.。~～,，")
    if _WRITING.match(text) or _WRITING_ZH.match(text):
        return "writing_help"
    if len(text) > _LONGEST:
        return None
    for form in (text, _WAKE.sub("", text).strip(" ,，!！")):
        for kind, pattern in _PATTERNS:
            if pattern.fullmatch(form):
                return kind
    return None
