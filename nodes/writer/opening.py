"""Openings that say nothing, such as "Sure! Based on the passages, here is the answer:", taken off a draft."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from weiwo.text.patterns import lazy

_POLITE: Final = (
    r"(?:sure(?: thing)?|okay|ok|(?:great|good) question|(?:i['’]d be |i am |i['’]m )?(?:glad|happy) to help"
    r"|好的)"
)
_YES: Final = r"(?:certainly|absolutely|of course|当然可以|当然|没问题)"
"""What may also answer a question: it goes only where an announcement follows."""
_PAUSE: Final = r"[ \t]*+[!！.。,，:：]++\s*+"
_FILLER: Final = (
    r"(?:here(?:['’]s| is| are| it is)?|below|the|an?|my|your|is|are|as|based|(?:up)?on|according|to|from|of|for"
    r"|with|and|by|these|those|this|all|provided|given|available|retrieved|cited|shown|above|following|follows?|found"
    r"|what|you|i|have|asked|requested|wanted|sources?|passages?|findings?|documents?|information|context|search"
    r"|results?|question|answer|response|reply|table|list|report|section|comparison|summary|overview|short|brief"
    r"|complete|full|final|direct|detailed|concise|markdown|citations?)\b[ \t,]*+"
    r"|(?:以下|下面|如下|根据|基于|依据|按照|综合|以上|上述|所给|所示|给出|提供|检索到?|搜索|查询|找到|查到|这些|各个|资料|来源"
    r"|段落|文献|文档|信息|内容|结果|问题|提问|要求|答案|回答|答复|解答|总结|对比|比较|表格|列表|清单|报告|完整|详细|简短|简要|最终"
    r"|[您你我所对的是为了就该此])[ \t，、]*+"
)
_ANNOUNCEMENT: Final = lazy(
    rf"(?i)\s*+(?:(?:{_POLITE}|{_YES}){_PAUSE}){{0,3}}"
    rf"(\*\*|__|)(?!(?:question|findings|问题)\s*+[:：])(?:{_FILLER}){{1,40}}+(?:\1[:：]|[:：]\1)\s*+"
)
_COURTESY: Final = lazy(rf"(?i)\s*+(?:{_POLITE}{_PAUSE}){{1,3}}")
_UNDECIDED: Final = lazy(rf"(?i)\s*+(?:(?:{_POLITE}|{_YES}){_PAUSE}){{0,3}}")
"""An opening so far: what follows tells whether it says anything."""


async def skip_opening(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """The pieces of a draft without an opening that says nothing; one that names what follows stays.

    Args:
        pieces: The draft, cut into sentences and blocks.
    """
    head: str | None = ""
    async with aclosing(pieces):
        async for piece in pieces:
            if head is None:
                yield piece
                continue
            said = _ANNOUNCEMENT.match(head + piece)
            head = (head + piece)[said.end() if said else 0 :]
            if not _UNDECIDED.fullmatch(head):
                courtesy = _COURTESY.match(head)
                yield head[courtesy.end() if courtesy else 0 :]
                head = None
    if head:
        yield head
