"""The first line of a draft, in which the model names unanswered parts of the question: "MISSING: a; b".

It is a check of coverage without a call of its own. The line is not shown. It comes before anything is spoken, so that
missing parts can still be planned for. If that was done before, they are named below the answer. If a draft lacks the
line, the reflection checks instead.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from weiwo.nodes.shared.planning.replanning import read_missing
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.prompt import MARK
from weiwo.state import Reflection
from weiwo.state.events import ReflectedEvent
from weiwo.state.search import SearchState
from weiwo.text.patterns import lazy

_LONGEST: Final = 1_000
"""Longest coverage line, in characters."""
_LONGEST_LEAD_IN: Final = 80
"""Characters of a line such as "Here is the answer:" that some models put first."""
_AROUND: Final = "*_`#> \t\r\n"


class PartCheck:
    """Reader of a draft's first line about the question's parts ("MISSING: a; b").

    Attributes:
        given: Whether the draft has the line.
        missing: The parts without an answer. Empty for "MISSING: none".
    """

    def __init__(self) -> None:
        self.given = False
        self.missing: tuple[str, ...] = ()

    async def strip(self, deltas: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """Yield the text of a draft without the line about missing parts, and set `given` and `missing` from it."""
        head, read = "", False
        async with aclosing(deltas):
            async for delta in deltas:
                if read:
                    yield delta
                    continue
                head += delta
                line, end, _ = _first_line(head)
                if end or len(head) > _LONGEST or not (_may_be_mark(line) or _may_lead_in(line)):
                    read = True
                    yield self._read(head)
        if not read:
            yield self._read(head)

    def _read(self, head: str) -> str:
        """Return the beginning of a draft without the line about missing parts, and set `given` and `missing`.

        Without such a line, the beginning is returned unchanged.
        """
        line, _, rest = _first_line(head)
        said = line.strip(_AROUND)
        if not said.upper().startswith(MARK):
            return head
        self.given = True
        self.missing = read_missing(re.split("[;；]", said[len(MARK) :].strip(_AROUND)))
        return rest.lstrip("\n")


def _first_line(head: str) -> tuple[str, str, str]:
    """Return the first line, its line end or "" if not received yet, and the rest.

    An introduction such as "Here it is:" is skipped: "Here it is:", "MISSING: a" gives "MISSING: a".
    """
    line, end, rest = head.lstrip().partition("\n")
    if end and _may_lead_in(line) and line.rstrip(_AROUND).endswith((":", "：")):
        return rest.lstrip().partition("\n")
    return line, end, rest


def is_check_line(piece: str) -> bool:
    """Report whether a piece of a draft is a line "MISSING: …". Some models write it again without being asked."""
    return piece.strip(_AROUND).upper().startswith(MARK)


def _may_lead_in(line: str) -> bool:
    return len(line) <= _LONGEST_LEAD_IN and not _may_be_mark(line)


def _may_be_mark(line: str) -> bool:
    begun = line.lstrip(_AROUND).upper()
    return MARK.startswith(begun[: len(MARK)])


def record_check(missing: tuple[str, ...], state: SearchState, services: RunContext) -> Reflection | None:
    """Return a reflection about the parts that a draft names as missing, and emit an event for it.

    Its decision is `deepen` (plan for the parts) once, and `finish` (only name them) after that or if no time is left.
    None if nothing is missing.
    """
    last = state["reflections"][-1]
    if not missing:
        return None
    time_left = services.work_seconds() > 0 and not services.budget.find_exhausted_limit()
    found = Reflection(
        decision="deepen" if last.draft_checks == "deepen" and time_left else "finish",
        reason="; ".join(missing)[:300],
        decided_by="model",
        missing=missing,
        revision=last.revision,
        report=last.report,
    )
    told = ReflectedEvent(decision=found.decision, reason=found.reason, decided_by="model", task_ids=[])
    services.emit(told)
    return found


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
"""Courtesies so far, or nothing: only the following text tells whether the opening says anything."""


_CLOSING: Final = lazy(
    r"(?i)\s*+(?:i hope (?:this|that|it)\b|(?:i )?hope (?:this|that) helps|(?:please )?(?:feel free|let me know)\b"
    r"|if you (?:have|need) (?:any|more|further)\b|希望(?:这|以上|对)[^。！!]{0,12}(?:帮助|帮到)"
    r"|(?:如有|如果您?还?有|若有)[^。！!]{0,12}(?:问题|疑问|需要))[^.!?。！？\n]{0,80}[.!。！]?\s*+"
)


def is_closing(piece: str) -> bool:
    """Report whether a piece of a draft is an empty closing courtesy: "Let me know if you need more" and the like."""
    return _CLOSING.fullmatch(piece) is not None


async def skip_opening(pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """Yield the pieces of a draft without an empty opening like "Sure! Here is the answer:".

    An opening that names the following content stays.

    Args:
        pieces: The draft, split into sentences and blocks.
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
