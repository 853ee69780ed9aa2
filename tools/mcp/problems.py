"""Problems of MCP servers: what is wrong with one, in a line for people, in each language.

What servers and programs say of themselves stays in their own words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.state import Language
from weiwo.tools.printable import one_line
from weiwo.tools.redaction import redacted

ProblemLine = Mapping[Language, str]
"""A line by language."""

_LONGEST_LINE: Final = 300
_NAMED: Final = 3
_WORDS: Final[Mapping[str, ProblemLine]] = {
    "down": {
        "en": "MCP server {} is down: {}; the run goes on without it",
        "zh": "MCP 服务器 {} 不可用：{}；本次运行不使用它",
    },
    "listed": {"en": "MCP server {} {}", "zh": "MCP 服务器 {} {}"},
    "taken": {
        "en": "MCP server {}: {} is another tool's name; it is left out",
        "zh": "MCP 服务器 {}：{} 已是另一个工具的名称，因此略去",
    },
    "unanswered": {"en": "it has not answered yet", "zh": "尚未应答"},
    "lost": {"en": "the connection was lost", "zh": "连接中断"},
    "unstartable": {"en": "it cannot be started: {}", "zh": "无法启动：{}"},
    "no_program": {"en": "there is no program {!r} on the PATH", "zh": "PATH 中没有程序 {!r}"},
    "late": {"en": "it did not answer within {:.0f} s", "zh": "在 {:.0f} 秒内没有应答"},
    "unreachable": {"en": "nothing answers at {}", "zh": "{} 没有应答"},
    "status": {"en": "HTTP {}", "zh": "HTTP {}"},
    "ended": {"en": "it ended", "zh": "程序已结束"},
    "login": {"en": "it wants a login; weiwo tools --login {}", "zh": "需要登录；请运行 weiwo tools --login {}"},
    "said": {"en": "{}", "zh": "{}"},
    "too_long": {"en": "it sent a message that is too long", "zh": "它发来的消息过长"},
    "no_mcp": {"en": "no MCP: {!r}", "zh": "不是 MCP：{!r}"},
    "flood": {"en": "it sent {:,} messages that answer nothing", "zh": "它发来 {:,} 条不应答任何请求的消息"},
    "last_words": {"en": "its last words: {}", "zh": "它最后的输出：{}"},
    "with": {"en": "{}; {}", "zh": "{}；{}"},
    "many_tools": {
        "en": "lists more than {:,} tools; the first {:,} are used",
        "zh": "列出的工具超过 {:,} 个；只使用前 {:,} 个",
    },
    "twice": {"en": "lists {} more than once; the first of each is used", "zh": "重复列出 {}；同名的只用第一个"},
    "unfit": {
        "en": "describes arguments of {} in no usable way; these are left out",
        "zh": "对 {} 的参数描述无法使用；这些工具被略去",
    },
    "speaks": {
        "en": "speaks to the model in what it says of {}; that is left out, and each use is asked",
        "zh": "在 {} 的说明中对模型下指令；这些说明被略去，每次使用都会先询问",
    },
    "more": {"en": "{} and {} more", "zh": "{} 等，另有 {} 个"},
}


def describe_problem(kind: str, *values: Any) -> ProblemLine:
    """A line of a kind, with its values; those that are lines themselves in the same language."""

    def fill(language: Language) -> str:
        own = (value[language] if isinstance(value, Mapping) else value for value in values)
        return _WORDS[kind][language].format(*own)

    return {"en": fill("en"), "zh": fill("zh")}


def join_names(names: Sequence[str]) -> ProblemLine:
    """The first few of some names."""
    first = describe_problem("said", ", ".join(repr(name) for name in names[:_NAMED]))
    return describe_problem("more", first, len(names) - _NAMED) if len(names) > _NAMED else first


def clean_problem(line: ProblemLine, secrets: Sequence[str]) -> ProblemLine:
    """A problem as one bounded line without secrets."""
    return {language: one_line(redacted(text, secrets), _LONGEST_LINE) for language, text in line.items()}
