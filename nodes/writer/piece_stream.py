"""Markdown stream split into pieces that can be checked: sentences, items, table rows, blocks of code.

A piece ends where the following text has certainly begun. It never ends inside code, a formula, a citation mark or a
row.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from itertools import takewhile
from typing import Final

from weiwo.nodes.shared.prompting.sanitizer import remove_hidden
from weiwo.nodes.writer.document import claim_spans, is_title, leads_items
from weiwo.text.citation_marks import find_marks
from weiwo.text.language import sentences
from weiwo.text.markdown import Line, find_code_spans, find_inline_opaque, mask, scan_lines
from weiwo.text.patterns import lazy

_LONGEST_PIECE: Final = 8_000
"""Characters after which prose without an end is cut."""
_LONG: Final = 500
"""Characters of a sentence that is hardly going to end."""
_SOURCE_LIST: Final = lazy(
    r"\s*+(?:[*#_]++\s*+)?(?:sources?|references?|citations?|bibliography|来源|参考(?:资料|文献|来源)?"
    r"|引用|出典|参考文献|출처|참고(?: ?문헌| ?자료)?|quellen(?:verzeichnis)?|literatur|belege|références"
    r"|bibliographie|fuentes|referencias"
    r"|bibliografía|fonti|riferimenti|bronnen|fontes|referências|źródła|källor|kilder|kaynaklar|источники|литература|джерела"
    r"|المصادر|المراجع|स्रोत|संदर्भ|แหล่งที่มา|อ้างอิง|nguồn)[ \t]*+[*_]*+[ \t]*+(?:[:：]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_DEFINITION: Final = lazy(r"\s*+\[\^?\d{1,3}\]:")
"""A footnote or a link definition under a citation's number."""
_LISTED: Final = lazy(r"\s*(?:[-*+•|]|\d{1,3}[.)、]|\\?[\[【［〔(（]\^?\d|<?https?://|\n|$)")
_OPEN_END: Final = lazy(
    r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500}|\\|<(?:s|su|sup|c|ci|cit|cite)?|<(?:sup|cite)>[^<>\n]{0,60}(?:</?\w{0,4})?)$"
)
"""End of a text in which a citation mark or its link may still be incomplete."""
_UNDECIDED: Final = lazy(
    r"[ \t>]*(?:[-*+•`~#>|:=_$\\ \t]{1,80}|(?:(?:[-*+]|\d{1,9}[.)、])[ \t]+){0,9}\d{1,9}[.)、]?[ \t]*(?:[-`~]{1,80})?)?"
    r"|[ \t>]*(?:(?:[-*+]|\d{1,9}[.)、])[ \t]+){0,9}`{3,}[^`\n]*"
)
"""Beginning of a line whose kind (text, item, fence …) depends on what follows.

After three backticks it is a fence unless a backtick follows in the same line.
"""
_FORMULA: Final = lazy(r"\$\$|\\\[(?!\d)")
_STOP: Final = lazy(r"[.!?。！？；｡\n]")
_WORD_END: Final = lazy(r"[\s\u2e80-\U0010ffff]")
"""Character behind a complete word. The word behind a stop tells whether a sentence ends there."""
_WRAPPER: Final = lazy(r"\s{0,3}(`{3,}|~{3,})(?:markdown|md)[ \t]*")
"""A fence around a whole answer, at its beginning or behind a sentence that announces it."""


async def split_pieces(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Yield the pieces of a Markdown stream.

    "Acme grew [1]. It fell [2].", a blank line and "- item" give "Acme grew [1]. ", "It fell [2]." with the line ends,
    and "- item". Joined, the pieces are the text without invisible characters, a list of sources of the model's own
    (code makes one) and a fence around the whole. If the stream raises, the unfinished piece is dropped.
    """
    splitter, filter_ = _Splitter(), _SourceLists()
    async for delta in deltas:
        for piece in filter_.keep(splitter.feed(remove_hidden(delta))):
            yield piece
    for piece in filter_.keep(splitter.finish()):
        if piece.strip():
            yield piece


class _SourceLists:
    """Filter that drops a list of sources written by the model, up to a paragraph without list entries."""

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
    """Splitter of text that arrives in parts. The pieces are the same however the text is divided into parts."""

    def __init__(self) -> None:
        self._text = ""
        self._context = ""  # what the text begins in, so far as the grammar asks for it
        self._path: list[str] = []  # the items that are open, each as its marker
        self._tried = 0  # how long the text was when no piece had ended in it
        self._cited = False
        self._wrapper = ""

    def feed(self, delta: str) -> Iterator[str]:
        for part in re.findall(r"[^\n]*\n|[^\n]+", delta):
            self._text += part
            # A long piece is looked at again when it has grown by a tenth: work stays in proportion to its length.
            if _WORD_END.search(part) and _STOP.search(self._text) and len(self._text) >= 1.1 * self._tried:
                yield from self._pieces(last=False)

    def finish(self) -> Iterator[str]:
        yield from self._pieces(last=True)

    def _pieces(self, *, last: bool) -> Iterator[str]:
        while self._text:
            lines = scan_lines(self._text, self._context)
            if self._unwraps(lines, last=last):
                continue
            end = self._find_end(lines, last=last)
            if end is None and len(self._text) > _LONGEST_PIECE and not any(line.kind == "fence" for line in lines[:2]):
                yield self._force(lines)
            elif end is None:
                self._tried = len(self._text) if len(self._text) > _LONG else 0
                return
            else:
                yield self._cut(lines, end)

    def _unwraps(self, lines: Sequence[Line], *, last: bool) -> bool:
        """Remove the opening or closing line of a fence around the whole answer from the text.

        Returns whether a line was removed. `lines` must then be scanned again.

        Args:
            lines: The lines of the text.
            last: Whether no more text follows.
        """
        fence = next((line for line in lines if line.kind != "blank"), None)
        if fence is None or fence.kind != "fence":
            return False
        text = self._text[fence.start : fence.end]
        wrapper = None if self._cited or self._wrapper else _WRAPPER.fullmatch(text.rstrip("\n"))
        if not (text.endswith("\n") or last) or not (wrapper or (self._wrapper and text.strip() == self._wrapper)):
            return False
        self._wrapper = wrapper[1] if wrapper else ""
        self._text = self._text[: fence.start] + self._text[fence.end :]
        return True

    def _cut(self, lines: Sequence[Line], end: int) -> str:
        """Remove the first `end` characters from the text and return them.

        The open list items and the open paragraph are remembered for the next piece.
        """
        piece, self._text, self._tried = self._text[:end], self._text[end:], 0
        self._cited = self._cited or bool(find_marks(piece))
        open_paragraph = False
        for line in takewhile(lambda line: line.start < end, lines):
            if line.kind == "blank":
                continue
            if line.item:
                marker = piece[line.start : line.inside] if line.kind == "text" else "- "
                self._path = [*self._path[: line.depth - 1], f"{marker}x"]
            else:
                self._path = self._path[: line.depth]
            open_paragraph = line.kind in {"text", "title"}
        blanks = piece[len(piece.rstrip()) :]
        ends, _, indent = blanks.rpartition("\n")
        behind = "\n" * min(2, ends.count("\n") + 1) + indent if "\n" in blanks else blanks[:1]
        if open_paragraph or self._path:
            self._context = "\n".join(self._path or ["x"]) + (behind if open_paragraph else f"\n\n{indent}")
        else:
            self._context = ""
        return piece

    def _force(self, lines: Sequence[Line]) -> str:
        """Remove and return the beginning of a text that is too long without an end, up to a blank.

        Open code is ended.
        """
        end = max(self._text.rfind(" ", 1, _LONGEST_PIECE), self._text.rfind("\n", 1, _LONGEST_PIECE)) + 1
        piece = self._cut(lines, end or _LONGEST_PIECE)
        if find_code_spans(piece, 0, len(piece))[1] is None:
            return piece
        self._context, self._path = "", []
        return f"{piece}\n\n"

    def _find_end(self, lines: Sequence[Line], *, last: bool) -> int | None:
        """Return the end of the first piece, or None if the text that follows has not certainly begun.

        Args:
            lines: The lines of the text.
            last: Whether no more text will come.
        """
        begun = len(lines) if last else self._count_begun(lines)
        first = next((n for n, line in enumerate(lines[:begun]) if line.kind != "blank"), None)
        if first is None:
            return len(self._text) if last else None
        if lines[first].kind in {"text", "title"} and not lines[first].quoted:
            return self._end_prose(lines, first, begun, last=last)
        # In a table whose rows have no leading bar, the first header cell may be a sentence.
        inside = lines[first].inside
        barred = lines[first].kind != "head" or self._text.startswith("|", inside)
        bar = 0 if barred else self._text.find("|", inside)
        if bar and (end := _sentence_end(self._text, inside, bar, whole=False)) is not None:
            return end
        return self._end_block(lines, self._block_stop(lines, first), begun, last=last)

    def _count_begun(self, lines: Sequence[Line]) -> int:
        """Return the number of lines up to the last one that later text cannot turn into another kind."""
        for n in range(len(lines), 0, -1):
            line = self._text[lines[n - 1].start : lines[n - 1].end]
            if line.strip() and (line.endswith("\n") or not _UNDECIDED.fullmatch(line)):
                return n
        return 0

    def _block_stop(self, lines: Sequence[Line], first: int) -> int:
        """Return the index of the line behind the block that begins at the line `first`.

        A block is a run of quoted lines, code, a paragraph, a heading, a row, or a table without outer bars.
        """
        line = lines[first]
        if line.quoted:
            return first + sum(1 for _ in takewhile(lambda item: item.quoted and item.end > item.start, lines[first:]))
        if line.kind in {"head", "row", "delimiter"} and self._text.startswith("|", line.inside):
            return first + 1 + (line.kind == "head")
        return first + sum(1 for _ in takewhile(lambda item: item.leaf == line.leaf, lines[first:]))

    def _end_block(self, lines: Sequence[Line], stop: int, begun: int, *, last: bool) -> int | None:
        """Return the position where the text behind a block begins, or None if it has not begun.

        Indentation belongs to the text behind, unless that is code, a quotation or an item.

        Args:
            lines: The lines of the text.
            stop: Index of the line behind the block.
            begun: Number of lines that later text cannot change.
            last: Whether no more text will come.
        """
        following = next((line for line in lines[stop:begun] if line.kind != "blank"), None)
        if following is None:
            return len(self._text) if last else None
        line = self._text[following.start : following.end]
        nested = following.depth and not (following.item or following.quoted or following.kind in {"fence", "code"})
        indented = nested and not line.lstrip().startswith("|")
        return following.start + (len(line) - len(line.lstrip()) if indented else 0)

    def _end_prose(self, lines: Sequence[Line], first: int, begun: int, *, last: bool) -> int | None:
        """Return the end of the sentence, item or paragraph at the line `first`, or None if it may still go on."""
        start, text = lines[first].inside, self._text
        if formula := _FORMULA.match(text, start):
            closing = text.find("$$" if formula[0] == "$$" else "\\]", formula.end())
            stop = next((n for n, line in enumerate(lines, 1) if line.start <= closing < line.end), len(lines))
            return self._end_block(lines, stop, begun, last=last) if closing >= 0 or last else None
        stop = self._block_stop(lines, first)
        whole = last or stop < begun
        part = lines[first : stop if whole else begun]
        if not whole and part and "|" in text[part[-1].start : part[-1].end]:  # it may be the header of a table
            part = part[:-1]
        if not part:
            return None
        limit = part[-1].start + len(text[part[-1].start : part[-1].end].rstrip("\n"))
        if not whole and limit == len(text):
            limit = max((found.end() for found in _WORD_END.finditer(text, max(start, limit - 100))), default=start)
        if (end := _sentence_end(text, start, limit, whole=whole)) is not None:
            return end
        if not whole:
            return None
        following = lines[stop] if stop < len(lines) else None
        if leads_items(text, part, following):
            return self._end_prose(lines, stop, begun, last=last)
        stop += lines[first].kind == "title" and is_title(text, part)
        return self._end_block(lines, stop, begun, last=last)


def _sentence_end(text: str, start: int, limit: int, *, whole: bool) -> int | None:
    """Return the end of a paragraph's first sentence with its citation marks, or None if it is the only one so far.

    Args:
        text: The text.
        start: Start of the paragraph.
        limit: End of the text that later text cannot change.
        whole: Whether this is the whole paragraph.
    """
    block = text[start:limit]
    if not whole and _OPEN_END.search(block):
        return None
    marks = find_marks(block)
    plain = mask(block, 0, [(opaque.start, opaque.end, "X") for opaque in find_inline_opaque(block, 0, len(block))])
    words = mask(plain, 0, [(mark.start, mark.end, " ") for mark in marks])
    spans = sentences(plain)
    begun = [n for n, span in enumerate(spans) if re.search(r"\w", words[slice(*span)])]
    if len(begun) < 2:
        return None
    end = spans[begun[1] - 1][1]
    for mark in marks:
        if mark.start >= end and not block[end : mark.start].strip():
            end = mark.end
    if not whole and _is_open(block, end):
        return None
    if sum(mark.start < end for mark in marks) > 1:  # those behind the stop may be of the next sentence
        end = next((last for _, last in claim_spans(block)), end)
    end += len(block[end:]) - len(block[end:].lstrip())
    return start + end if end < len(block) else None


def _is_open(block: str, end: int) -> bool:
    """Report whether code or a formula that begins before `end` is not closed in the block."""
    unpaired = find_code_spans(block, 0, len(block))[1]
    if unpaired is not None and unpaired < end:
        return True
    begun = block[:end]
    return begun.count("$$") % 2 == 1 or any(
        begun.rfind(opening) > begun.rfind(closing) for opening, closing in (("\\[", "\\]"), ("\\(", "\\)"))
    )
