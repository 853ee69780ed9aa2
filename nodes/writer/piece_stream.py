"""A stream of Markdown cut into pieces that can be checked and spoken: sentences, items, rows of tables, code.

A piece ends where what follows it has certainly begun. It never ends inside code, a formula, a citation mark or a row.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Final

from weiwo.nodes.shared.markdown.citation_marks import find_marks
from weiwo.nodes.shared.markdown.spans import FENCE, code_spans
from weiwo.nodes.shared.prompting.sanitizer import remove_hidden
from weiwo.nodes.writer.document import (
    DELIMITER,
    INDENTED,
    ITEM,
    LINE,
    ROW,
    UNDERLINE,
    claim_spans,
    is_label,
    leads_items,
    mask_opaque,
)
from weiwo.text.language import sentences
from weiwo.text.patterns import lazy

LONGEST_PIECE: Final = 8_000
"""Characters after which prose without an end is cut."""
LONG: Final = 500
"""Characters of a sentence that is hardly going to end."""
_SOURCE_LIST: Final = lazy(
    r"\s*+(?:[*#_]++\s*+)?(?:sources?|references?|citations?|bibliography|来源|参考(?:资料|文献|来源)?"
    r"|引用)[ \t]*+[*_]*+[ \t]*+(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_DEFINITION: Final = lazy(r"\s*+\[\^?\d{1,3}\]:")
"""A footnote or a link definition under a citation's number."""
_LISTED: Final = lazy(r"\s*(?:[-*+•|]|\d{1,3}[.)、]|\[\^?\d|【\d|<?https?://|\n|$)")
_OPEN_END: Final = lazy(r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500}|\\)$")
"""A mark, or its link, that may still be coming; a bracket open for longer than any mark is none."""
_QUOTED: Final = lazy(r" {0,3}>")
_BARRED: Final = lazy(r"(?:\A|(?<=\n))[^\n|]*+\|")
_BLANK: Final = lazy(r"(?:[ \t]*\n)*")
_UNDECIDED: Final = lazy(r"\s*(?:[-*+•`~#>|=_$ ]{1,80}|\d{1,3}[.)]?|:?-[-:|\s]*)?")
"""The beginning of a line that does not tell yet what it opens."""
_FORMULA: Final = lazy(r"\s{0,12}(?:(\$\$)|(\\\[(?!\d)))")
_STOP: Final = lazy(r"[.!?。！？；｡\n]")
_WRAPPER: Final = lazy(r"\s{0,3}(`{3,}|~{3,})(?:markdown|md)[ \t]*")
"""A fence around a whole answer, at its beginning or behind a sentence that announces it."""


async def split_pieces(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Cut a stream of Markdown into pieces.

    Joined, the pieces are the text, but for what is left out: characters that cannot be seen, a list of sources of the
    model's own (the answer gets one made by code), a fence around the whole. An exception of the source passes
    through, and what was left of an unfinished piece is dropped with it.
    """
    splitter, filter_ = _Splitter(), _SourceLists()
    async for delta in deltas:
        for piece in filter_.keep(splitter.feed(remove_hidden(delta))):
            yield piece
    for piece in filter_.keep(splitter.finish()):
        if piece.strip():
            yield piece


class _SourceLists:
    """Leaves out lists of sources, up to a paragraph that lists nothing."""

    def __init__(self) -> None:
        self._before = "\n\n"
        self._dropping = False

    def keep(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            begins = self._before.endswith("\n") and bool(_SOURCE_LIST.match(piece) or _DEFINITION.match(piece))
            apart = self._before.endswith("\n\n") or (self._before.endswith("\n") and piece.startswith("\n"))
            goes_on = self._dropping and (not apart or bool(_LISTED.match(piece.lstrip("\n"))))
            self._dropping, self._before = begins or goes_on, piece
            if not self._dropping:
                yield piece


class _Splitter:
    """Cuts text that arrives in parts; the same pieces come out however it is parted."""

    def __init__(self) -> None:
        self._text = ""
        self._seen = 0  # up to where the end of code was looked for
        self._tried = 0  # up to where the end of a sentence was looked for
        self._cited = False
        self._wrapper = ""
        self._in_list = False
        self._in_table = False
        self._paragraph = False  # whether a paragraph is still open behind the last piece

    def feed(self, delta: str) -> Iterator[str]:
        self._text += delta
        yield from self._pieces(last=False)

    def finish(self) -> Iterator[str]:
        yield from self._pieces(last=True)
        if self._text:
            yield self._text
            self._text = ""

    def _pieces(self, *, last: bool) -> Iterator[str]:
        while self._text:
            end = self._end(last=last)
            if end == 0:
                continue
            if end is None and self._too_long():
                yield self._forced()
            elif end is None:
                return
            else:
                yield self._cut(end)

    def _listed(self) -> bool:
        """Whether the text begins in a list."""
        line = self._text.lstrip("\n")
        if self._paragraph or line.startswith((" ", "\t")):
            return self._in_list or bool(ITEM.match(line))
        return bool(ITEM.match(line))

    def _cut(self, end: int) -> str:
        listed = self._listed()
        piece, self._text, self._seen = self._text[:end], self._text[end:], 0
        self._tried = 0
        ended = piece.endswith("\n\n") or not piece.strip()
        line = piece.lstrip("\n")
        self._in_table = bool(ROW.match(line)) and not ended
        self._in_list = listed
        self._cited = self._cited or bool(find_marks(piece))
        self._paragraph = not piece.endswith("\n") and bool(piece.strip())
        return piece

    def _too_long(self) -> bool:
        return len(self._text) > LONGEST_PIECE and not FENCE.match(self._text.lstrip("\n"))

    def _forced(self) -> str:
        """A piece that has no end, up to a blank; what is still open in it ends there."""
        end = max(self._text.rfind(" ", 1, LONGEST_PIECE), self._text.rfind("\n", 1, LONGEST_PIECE)) + 1
        piece = self._cut(end or LONGEST_PIECE)
        return f"{piece}\n\n" if code_spans(piece, 0, len(piece))[1] else piece

    def _end(self, *, last: bool) -> int | None:
        """Where the first piece ends, if what follows it has certainly begun; 0 where a line was only taken off."""
        text = self._text
        blank = _BLANK.match(text)
        body = blank.end() if blank else 0
        first = text.find("\n", body)
        line = text[body : first if first >= 0 else len(text)]
        if self._paragraph and body == 0:
            return self._prose_end(body, last=last)
        if fence := FENCE.match(line + "\n"):
            if first < 0 and not last:
                return None
            wrapper = None if self._cited or self._wrapper else _WRAPPER.fullmatch(line)
            if wrapper or (self._wrapper and line.strip() == self._wrapper):
                self._wrapper = wrapper[1] if wrapper else ""
                self._text = text[:body] + text[first + 1 if first >= 0 else len(text) :]
                return 0
            return self._fence_end(first, fence[2], last=last)
        if ROW.match(line):
            return self._row_end(first, last=last)
        if first < 0 and not last and (_UNDECIDED.fullmatch(line) or "|" in line):
            return None
        return self._lines_end(body, first, line, last=last)

    def _lines_end(self, body: int, first: int, line: str, *, last: bool) -> int | None:
        """The same where neither code nor a row begins."""
        if "|" in line and first >= 0:  # a table perhaps, whose rows do not begin with a bar
            second = self._second(first)
            if second is None and not last:
                return None
            if DELIMITER.match(second or ""):
                return self._run_end(first, _BARRED, last=last)
        if _QUOTED.match(line):
            return self._run_end(first, _QUOTED, last=last)
        if INDENTED.match(line) and not self._in_list and not ITEM.match(line):
            return self._run_end(first, INDENTED, last=last)
        if first >= 0 and LINE.match(line):
            return self._after_blanks(first + 1, last=last)
        if formula := _FORMULA.match(line):
            return self._formula_end(body + formula.end(), "$$" if formula[1] else "\\]", last=last)
        return self._prose_end(body, last=last)

    def _second(self, first: int) -> str | None:
        """The line behind the first; None while it may become the delimiter of a table."""
        end = self._text.find("\n", first + 1)
        line = self._text[first + 1 : end if end >= 0 else len(self._text)]
        return None if end < 0 and not line.strip("|:- \t") else line

    def _after_blanks(self, end: int, *, last: bool) -> int | None:
        """The offset behind the blank lines at `end`, once something has begun there.

        Indentation stays with what follows, unless that goes on with an item.
        """
        text = self._text
        blank = _BLANK.match(text, end)
        after = blank.end() if blank else end
        begun = re.compile(r"[ \t]*").match(text, after)
        inside = begun.end() if begun else after
        if inside == len(text):
            return len(text) if last else None
        line = text[after : inside + 80].split("\n")[0]
        if inside == after or not self._listed() or ITEM.match(line) or FENCE.match(line) or ROW.match(line):
            return after
        if not last and "\n" not in text[inside:] and _UNDECIDED.fullmatch(text[inside:]):
            return None
        return inside

    def _fence_end(self, first: int, fence: str, *, last: bool) -> int | None:
        """Behind the closing fence; each line is looked at once."""
        text = self._text
        closing = re.compile(rf"^[ \t>]{{0,20}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*(?:\n|\Z)", re.MULTILINE)
        closed = closing.search(text, max(first + 1, self._seen)) if first >= 0 else None
        if closed is None or (not closed[0].endswith("\n") and not last):
            self._seen = text.rfind("\n") + 1
            return len(text) if last else None
        return self._after_blanks(closed.end(), last=last)

    def _row_end(self, first: int, *, last: bool) -> int | None:
        """Behind a row of a table; a header goes with the delimiter below it."""
        if first < 0:
            return len(self._text) if last else None
        if not self._in_table:
            second = self._second(first)
            if second is None and not last:
                return None
            if DELIMITER.match(second or ""):
                first = self._text.find("\n", first + 1)
                if first < 0:
                    return len(self._text) if last else None
        return self._after_blanks(first + 1, last=last)

    def _run_end(self, first: int, kind: re.Pattern[str], *, last: bool) -> int | None:
        """Behind the lines of one kind that come first; blank lines end a run, but not one of indented code."""
        text, position = self._text, max(first + 1, self._seen)
        while first >= 0 and position < len(text):
            end = text.find("\n", position)
            line = text[position : end if end >= 0 else len(text)]
            blank, whole = not line.strip(), end >= 0
            decided = not blank and (whole or (len(line) > 4 and kind is not _BARRED))
            if (blank and whole and kind is not INDENTED) or (decided and not kind.match(line)):
                return self._after_blanks(position, last=last)
            if end < 0:
                break
            position = end + 1
            self._seen = position
        return len(text) if last else None

    def _formula_end(self, inside: int, closing: str, *, last: bool) -> int | None:
        found = self._text.find(closing, inside)
        end = self._text.find("\n", found) if found >= 0 else -1
        if end < 0:
            return len(self._text) if last else None
        return self._after_blanks(end + 1, last=last)

    def _prose_end(self, body: int, *, last: bool) -> int | None:
        """The end of the first sentence, item or paragraph."""
        text = self._text
        # A long sentence is looked at again when it has grown by a tenth: work stays in proportion to its length.
        if not last and (not _STOP.search(text, body) or (len(text) < 1.1 * self._tried and "\n" not in text[-40:])):
            return None
        self._tried = len(text) if len(text) > LONG else 0
        limit, start = len(text), body
        for found in re.finditer("\n", text[body:]):
            at = body + found.end()
            stop = text.find("\n", at)
            line = text[at : stop if stop >= 0 else len(text)]
            if stop < 0 and not last and (_UNDECIDED.fullmatch(line) or not line.strip()):
                limit = at - 1
                break
            above = text[start:at]
            if UNDERLINE.match(line) and start == body and above.count("\n") == 1 and is_label(above):
                return self._after_blanks(stop + 1, last=last) if stop >= 0 else len(text) if last else None
            if not line.strip() or any(kind.match(line) for kind in (ITEM, LINE, ROW, FENCE, _QUOTED)):
                if leads_items(above, line):
                    start = at
                    continue
                end = self._after_blanks(at, last=last)
                return _sentence_end(text[: at - 1], body, start) or end
        return _sentence_end(text[:limit], body, start)


def _sentence_end(block: str, body: int, start: int) -> int | None:
    """Where the first sentence of a paragraph ends, marks included, if another has certainly begun after it.

    Args:
        block: The paragraph, and what stands before it.
        body: Where the paragraph begins.
        start: Where the first sentence that may be cut off begins.
    """
    marker = ITEM.match(block, start)
    skip = marker.end() if marker else start
    if _OPEN_END.search(block) or code_spans(block, body, len(block))[1]:
        return None
    spans = [(a + skip, b + skip) for a, b in sentences(mask_opaque(block)[skip:])]
    if len(spans) < 2:
        return None
    end = spans[0][1]
    marks = find_marks(block)
    for mark in marks:
        if mark.start >= end and not block[end : mark.start].strip():
            end = mark.end
    if sum(skip <= mark.start < end for mark in marks) > 1:  # those behind the stop may be of the next sentence
        end = next((body + last for _, last in claim_spans(block[body:])), end)
    end += len(block[end:]) - len(block[end:].lstrip())
    return end if end < len(block) else None
