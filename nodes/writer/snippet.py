"""Search-result snippets: the best sentences of each shown passage, in a few lines of Markdown.

A snippet is what an answer shows of an extract, while the whole text of the extract stays in the result. It is a
quotation followed by a line that attributes it, with title, headings and citation mark. A table or CSV row is shown
cell by cell with the names from its header. Code keeps its lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.state import Extract
from weiwo.text.citation_marks import shield_brackets
from weiwo.text.language import HAN, sentences
from weiwo.text.markdown import ATTRIBUTION
from weiwo.text.passage_context import format_contexts
from weiwo.text.patterns import lazy
from weiwo.text.records import read_header, split_keyed, split_row

_FIRST: Final = 300
"""Columns of text of the first snippet, about four lines of a terminal; a Chinese character takes two."""
_FURTHER: Final = 160
_LONGEST_SENTENCE: Final = 240
"""Width up to which a highlighted sentence is shown whole, in columns: the answer may stand at its end."""
_LISTED: Final = 75
"""Least width that a line "label: value" is counted with, in columns, since it takes a line of its own."""
_LEAST: Final = 30
"""Width that must be left for a further block, in columns."""
_MOST_CELLS: Final = 8
_CUT: Final = " …"
_HEADING: Final = lazy(r"\s{0,3}#{1,6}\s+(.{1,200}?)[\s#]*")
_FENCE: Final = lazy(r"\s*(?:```|~~~)")
_RULE: Final = lazy(r"[\s|:=*_-]*")
_STRUCTURED: Final = lazy(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s|>|:\s)")
_BULLET: Final = lazy(r"^\s*(?:[-*+•>:]\s+)+")
_LINK: Final = lazy(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_EMPTY: Final = lazy(r"\[\s*\]\([^()\s]{0,500}\)")
_MARKED: Final = lazy(r"\*{2,3}|(?<!\w)_{2}(?=\S)|(?<=\S)_{2}(?!\w)")


@dataclass(slots=True)
class _Block:
    """A paragraph, list item, table row or line of code of an extract.

    Attributes:
        kind: "text", "row", "code", or "keyed" for a line "label: value".
        pieces: Its text in pieces, each with a flag for highlighted text.
        heading: The heading above it, or "".
    """

    kind: str
    pieces: list[tuple[str, bool]]
    heading: str

    @property
    def has_highlight(self) -> bool:
        """Report whether any piece of the block is highlighted."""
        return any(bold for _, bold in self.pieces)

    @property
    def chosen_width(self) -> int:
        """Width of the highlighted sentences in terminal columns, each limited to the length shown."""
        return sum(min(_width(text), _LONGEST_SENTENCE) for text, bold in self.pieces if bold)

    @property
    def width(self) -> int:
        """Width of the block in terminal columns."""
        return sum(_width(text) for text, _ in self.pieces)


def format_snippets(extracts: Sequence[tuple[Extract, str]], *, bold: bool = True) -> list[str]:
    """Return each extract as a quotation around its best sentences, followed by a citation line.

    "> **The rent is 500 euros.** It is due." is followed by "— Title · Heading [1]". All brackets except the citation
    marks are shielded.

    Args:
        extracts: The extracts with their marks, best first. The first one is shown with more text.
        bold: Whether the highlighted sentences are in bold.
    """
    lengths = [_FIRST] + [_FURTHER] * len(extracts)
    contexts = format_contexts([extract for extract, _ in extracts])
    return [
        _format_one(extract, context, mark, length, bold=bold)
        for (extract, mark), context, length in zip(extracts, contexts, lengths, strict=False)
    ]


def _format_one(extract: Extract, context: str, mark: str, length: int, *, bold: bool) -> str:
    blocks = list(_blocks(extract)) or [_Block("text", [(" ".join(extract.text.split()), False)], "")]
    ahead = sum(block.chosen_width for block in blocks)  # kept free for what is highlighted further down
    shown, first = list[_Block](), _first_shown(blocks, length)
    for at, block in enumerate(blocks[first:], first):
        ahead -= block.chosen_width
        listed = bool(shown) and block.kind == blocks[at - 1].kind == "keyed"
        wanted = listed or block.kind not in {"row", "keyed"}
        wanted &= not shown or block.heading == shown[0].heading
        if block.has_highlight or not shown or (wanted and length - ahead >= _LEAST):
            shortened = _shorten_block(block, max(length - ahead, block.chosen_width), alone=not shown)
            if shortened.width or not shown:
                shown.append(shortened)
            length -= max(shortened.width, _LISTED * listed)
    heading = next((block.heading for block in shown), "")
    place = f"{context} · {heading}" if heading and heading not in context else context
    body = "\n".join(f"> {_render_block(block, bold=bold)}" for block in shown)
    return f"{shield_brackets(body)}\n\n{ATTRIBUTION}{shield_brackets(place)} {mark}"


def _first_shown(blocks: Sequence[_Block], length: int) -> int:
    """Return the index of the first block to show in a snippet.

    This is the first highlighted block, or the first block under the same heading if all text from there to the
    highlighted block fits.

    Args:
        blocks: The blocks of the extract.
        length: Width of the snippet, in columns.
    """
    chosen = next((at for at, block in enumerate(blocks) if block.has_highlight), 0)
    section = [at for at, block in enumerate(blocks[: chosen + 1]) if block.heading == blocks[chosen].heading]
    before = blocks[section[0] : chosen] if section else []
    whole = sum(block.width for block in before) + (blocks[chosen].width if blocks else 0)
    prose = all(block.kind in {"text", "code"} for block in before)
    return section[0] if section and prose and whole <= length else chosen


def _blocks(extract: Extract) -> Iterator[_Block]:
    """Yield the blocks of an extract's text: paragraphs, items, table rows and lines of code.

    Headings and code fences are no blocks. They become the `heading` and the `kind` of blocks.
    """
    heading, fenced, position = "", False, 0
    header: list[str] = []  # the first row of the table that a line is in
    names: list[str] = []
    unnamed = 0  # rows of names that are still to come
    open_block: _Block | None = None
    lines = extract.text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        start, position = position, position + len(line)
        if line.lstrip().startswith("|") and _RULE.fullmatch(line.strip()):
            continue  # between a table's header and its rows
        found = None if fenced else _HEADING.fullmatch(line.strip())
        if not fenced and not found and line.strip() in extract.headings:
            continue  # it stands beside the title
        if found or _FENCE.match(line) or not line.strip() or _RULE.fullmatch(line.strip()):
            fenced ^= _FENCE.match(line) is not None
            heading = _plain(found[1]) if found else heading
        elif not fenced and (cells := split_row(line, header, extract.source)):
            bold = any(a < position and start < b for a, b in extract.highlights)
            if not header:
                names, unnamed = read_header(cells, _next_row(lines[at + 1 :], cells, extract.source))
            if not unnamed and cells != names:
                yield from [open_block] if open_block else []
                open_block = _Block("row", [(_tell_row(names, cells), bold)], heading)
            header, unnamed = header or cells, max(0, unnamed - 1)
            continue
        else:
            pieces = list(_pieces(line.rstrip("\n"), start, extract.highlights))
            apart = fenced or _STRUCTURED.match(line) or split_keyed(line)
            if open_block is not None and open_block.kind == "text" and not apart:
                tight = re.search(f"[{HAN}，。；：]$", open_block.pieces[-1][0]) is not None
                open_block.pieces += [("" if tight else " ", False), *pieces]
            else:
                yield from [open_block] if open_block else []
                kind = "code" if fenced else "keyed" if split_keyed(line) else "text"
                open_block = _Block(kind, pieces, heading)
            continue
        yield from [open_block] if open_block else []
        open_block, header = None, []
    yield from [open_block] if open_block else []


def _next_row(lines: Sequence[str], header: Sequence[str], source: str) -> list[str]:
    """Return the cells of the row below the first row of a table, or an empty list if there is none."""
    below = next((line for line in lines[:2] if not _RULE.fullmatch(line.strip())), "")
    return split_row(below, header, source)


def _tell_row(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return a table row as text: "Mill: Acme · Founded: 1900", or "Acme: 1900" without column names."""
    if not names:
        return ": ".join(map(_plain, cells))
    pairs = [*zip(names, cells, strict=False)][:_MOST_CELLS]
    return " · ".join(f"{_plain(name)}: {_plain(cell)}" for name, cell in pairs if cell)


def _pieces(line: str, start: int, highlights: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield a line in pieces, cut at the ends of highlights, each with a flag for highlighted text.

    Args:
        line: The line.
        start: Offset of the line in the text.
        highlights: Start and end of each highlight in the text.
    """
    position = 0
    for first, last in highlights:
        a, b = max(0, first - start), min(len(line), last - start)
        if position <= a < b:
            yield from ((text, on) for text, on in ((line[position:a], False), (line[a:b], True)) if text)
            position = b
    if line[position:] or not position:
        yield line[position:], False


def _shorten_block(block: _Block, length: int, *, alone: bool) -> _Block:
    """Return a block shortened to a width, beginning with its first highlight.

    If a block has several highlights and does not fit, only the highlights are kept. Prose ends with a whole sentence,
    so that no date or figure is cut in two. The result has no pieces if nothing fits.

    Args:
        block: The block.
        length: The width in columns.
        alone: Whether nothing else is shown yet. Prose may then be cut within a sentence.
    """
    if sum(bold for _, bold in block.pieces) > 1 and block.width > length:
        return _Block(block.kind, list(_list_highlighted(block)), block.heading)
    first = next((at for at, (_, bold) in enumerate(block.pieces) if bold), 0)
    before = sum(_width(text) for text, _ in block.pieces[:first])
    whole = before + sum(_width(text) for text, _ in block.pieces[first:])
    kept: list[tuple[str, bool]] = [] if whole <= length else [("… ", False)] if before else []
    for text, bold in block.pieces if whole <= length else block.pieces[first:]:
        if bold:
            fitting = _fit(text, max(length, _LONGEST_SENTENCE))
        elif block.kind == "text":
            fitting = _fit_sentences(text, length) or ("" if kept or not alone else _fit(text, length))
        else:
            fitting = _fit(text, length)
        if not fitting and not kept:
            return _Block(block.kind, [], block.heading)
        kept.append((fitting, bold))
        length -= _width(fitting)
        if len(fitting) < len(text) or length <= 0:
            kept.append((_CUT, False))
            break
    return _Block(block.kind, kept, block.heading)


def _list_highlighted(block: _Block) -> Iterator[tuple[str, bool]]:
    """Yield the highlighted pieces of a block, and " … " where text between them is left out."""
    between = ""
    for text, bold in block.pieces:
        if not bold:
            between += text
            continue
        if between:
            yield " … " if between.strip() else between, False
        yield _fit(text, _LONGEST_SENTENCE), True
        between = ""
    if between.strip():
        yield _CUT, False


def _fit_sentences(text: str, length: int) -> str:
    """Return the first sentences of a text, as many as fit into a width. Empty if none does."""
    if _width(text) <= length:
        return text
    fitting = [text[:end] for _, end in sentences(text) if _width(text[:end]) <= length]
    return fitting[-1].rstrip() if fitting else ""


def _fit(text: str, length: int) -> str:
    """Return the beginning of a text within a width, cut between words."""
    width = 0
    for at, character in enumerate(text):
        width += 2 if ord(character) >= 0x2E80 else 1
        if width > length:
            cut = text.rfind(" ", max(0, at - 30), at)
            return text[: cut if cut > 0 else at].rstrip()
    return text


def _width(text: str) -> int:
    return sum(2 if ord(character) >= 0x2E80 else 1 for character in text)


def _plain(text: str) -> str:
    """Return Markdown without the addresses of links and without bold marks."""
    return _MARKED.sub("", _LINK.sub(r"\1", _EMPTY.sub("", _LINK.sub(r"\1", text)))).strip()


def _render_block(block: _Block, *, bold: bool) -> str:
    """Render a block as a single line of Markdown, with the highlights in bold."""
    if block.kind == "code":
        code = "".join(text for text, _ in block.pieces).strip()
        shown = code if "`" in code else f"`{code}`"
        return f"**{shown}**" if bold and block.has_highlight else shown
    pieces = [(_BULLET.sub("", text, count=1) if not at else text, on) for at, (text, on) in enumerate(block.pieces)]
    line = ""
    for text, on in _merge_pieces(pieces):
        shown = _plain(text) if on else _MARKED.sub("", _LINK.sub(r"\1", text))
        if not (bold and on and shown):
            line += shown
            continue
        # CommonMark takes `**` for emphasis only where a blank or a mark stands beside a mark.
        line += " " if line and not line[-1].isspace() and not shown[0].isalnum() else ""
        line += f"**{shown}**"
        line += " " if not shown[-1].isalnum() else ""
    return re.sub(r"(?<=\S) {2,}", " ", line).strip()


def _merge_pieces(pieces: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Yield pieces with neighbours of the same flag joined. Blanks between two highlights count as highlighted."""
    held, held_on = "", False
    for at, (text, on) in enumerate(pieces):
        bridges = not text.strip() and held_on and any(ahead for _, ahead in pieces[at + 1 : at + 2])
        if on == held_on or bridges or not text:
            held += text
            continue
        if held:
            yield held, held_on
        held, held_on = text, on
    if held:
        yield held, held_on
