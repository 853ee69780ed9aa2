"""Markdown on a terminal: headings, lists, tables, quotations and code as people read them.

`rich.markdown` breaks lines at blanks only and centres headings; here prose wraps as Chinese readers expect, citation
marks stand out, and line ends of a paragraph stay.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from weiwo.app.render.text_wrapping import Flow
from weiwo.text.patterns import lazy

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARK: Final = lazy(r"(?:\[\d+\])+")
_EMPTY_LINES: Final = lazy(r"\n[ \n]*\n")
_SYNTAX: Final = lazy(r"[*_`~#>|<&\\]|[^\S \n]|\][(:]|^ *(?: {4}|[-+=]|[0-9]{1,9}[.)])", re.MULTILINE)
"""What may be more than words and line ends; most answers have none of it, and are printed without the parser."""
_UNVERIFIED: Final = lazy(r"\(unverified\)|（未核实）")
_DEEPEST: Final = 8
"""Levels of lists and quotations that are indented."""
_STYLES: Final = {"strong_open": "bold", "em_open": "italic", "s_open": "strike"}


class Markdown:
    """A Markdown text to print; its control characters must have been taken out."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        above: RenderableType | None = None
        for tight, block in _parsed(self._text) if _SYNTAX.search(self._text) else _plain(self._text):
            if above is not None and not tight:
                yield Text()
            yield block
            above = block


def _plain(text: str) -> Iterator[tuple[bool, RenderableType]]:
    """The paragraphs of a text without Markdown in it."""
    for paragraph in _EMPTY_LINES.split(text.strip()):
        if paragraph:
            words = Text("\n".join(line.strip(" ") for line in paragraph.strip().split("\n")))
            words.highlight_regex(_MARK, "cyan")
            yield False, Flow(words)


def _parsed(text: str) -> Iterator[tuple[bool, RenderableType]]:
    """The blocks of a Markdown text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - as long to import as all of Rich

    return _blocks(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text))


class _Nesting:
    """The lists and quotations around a block.

    Attributes:
        marker: The bullet or number of the item that has just begun; empty once its first paragraph is printed.
        first: Whether that item is the first of a list that stands in no other.
    """

    def __init__(self) -> None:
        self.marker = ""
        self.first = False
        self._prefix: list[str] = []
        self._numbers: list[int | None] = []

    @property
    def indent(self) -> str:
        """What stands before each line."""
        return "".join(self._prefix[:_DEEPEST])

    def apply(self, token: "Token") -> None:
        """Go into a list, an item or a quotation, or out of it."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self.first = not self._prefix
                self._numbers.append(int(token.attrGet("start") or 1) if token.type[0] == "o" else None)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                number = self._numbers[-1]
                self.marker = "• " if number is None else f"{number}. "
                self._numbers[-1] = None if number is None else number + 1
                self._prefix.append(" " * len(self.marker))
            case "blockquote_open":
                self._prefix.append("│ ")
            case "list_item_close" | "blockquote_close":
                self._prefix.pop()
                self.marker = ""

    def paragraph(self, text: Text, *, tight: bool) -> tuple[bool, RenderableType]:
        """A paragraph behind its marker, and whether it follows the block before without an empty line."""
        indent, marker, first = self.indent, self.marker, self.first
        self.marker, self.first = "", False
        if "│" in indent:
            return tight, _Quoted(text, indent)
        lead = indent[: len(indent) - len(marker)] + marker
        return tight and not (marker and first), Flow(Text(lead) + text, indent=len(indent))


def _blocks(tokens: Sequence["Token"]) -> Iterator[tuple[bool, RenderableType]]:
    """The blocks to print, each with whether it follows the one before without an empty line."""
    nesting = _Nesting()
    position = 0
    while position < len(tokens):
        token = tokens[position]
        match token.type:
            case "heading_open":
                heading = _inline(tokens[position + 1])
                heading.stylize("bold underline" if token.tag == "h1" else "bold")
                yield False, Flow(heading)
            case "inline" if tokens[position - 1].type == "paragraph_open":
                yield nesting.paragraph(_inline(token), tight=tokens[position - 1].hidden)
            case "fence" | "code_block":
                code = Text(token.content.rstrip("\n"), "cyan", overflow="fold")
                yield False, Padding(code, (0, 0, 0, 2 + len(nesting.indent)))
            case "html_block":
                yield False, Flow(Text(token.content.rstrip("\n")))
            case "hr":
                yield False, Rule(style="dim")
            case "table_open":
                end = next(n for n in range(position, len(tokens)) if tokens[n].type == "table_close")
                yield False, _table(tokens[position:end])
                position = end
            case _:
                nesting.apply(token)
        position += 1


class _Quoted:
    """A paragraph with a bar before each of its lines."""

    def __init__(self, text: Text, indent: str) -> None:
        self._text = text
        self._indent = indent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = self._indent.replace("│", "|") if options.ascii_only else self._indent
        for line in Flow(self._text).lines(max(2, options.max_width - len(bar))):
            yield Text.assemble((bar, "dim"), line)


def _inline(token: "Token") -> Text:
    """The words of a paragraph, a cell or a heading, with their styles."""
    text = Text()
    styles: list[str] = []
    for child in token.children or ():
        if child.type in _STYLES:
            styles.append(_STYLES[child.type])
        elif child.type.removesuffix("_close") + "_open" in _STYLES and styles:
            styles.pop()
        elif child.type in {"softbreak", "hardbreak"}:
            text.append("\n")
        elif child.type == "code_inline":
            text.append(child.content, " ".join([*styles, "cyan"]))
        else:
            text.append(child.content, " ".join(styles))
    text.highlight_regex(_MARK, "cyan")
    text.highlight_regex(_UNVERIFIED, "yellow")
    return text


def _table(tokens: Sequence["Token"]) -> Table:
    """A table; its cells wrap as prose does."""
    rows: list[list[Text]] = []
    for position, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(_inline(tokens[position + 1]))
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for cell in rows[0] if rows else ():
        table.add_column(Flow(cell))
    for row in rows[1:]:
        table.add_row(*map(Flow, row))
    return table
