"""Markdown on a terminal: headings, lists, tables, quotations and code in readable form.

`rich.markdown` breaks lines at blanks only and centres headings. Here prose wraps as Chinese readers expect, citation
marks stand out, and line ends of a paragraph stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from weiwo.app.render.text_wrapping import Flow
from weiwo.text.citation_marks import split_sealed
from weiwo.text.markdown import ATTRIBUTION, Node, Run, parse_markdown
from weiwo.text.patterns import lazy

_UNVERIFIED: Final = lazy(r"\(unverified\)|（未核实）")
_DEEPEST: Final = 8
"""Levels of lists and quotations that are indented."""


class Markdown:
    """Printable Markdown text. Control characters must have been removed before.

    Args:
        text: The text, its citation marks sealed.
        passages: Texts to print in place of quotations. A quotation is replaced if the attribution below it ends with
            the citation mark of that number. The texts are printed as they are, not as Markdown.
    """

    def __init__(self, text: str, passages: Mapping[int, Text] | None = None) -> None:
        self._text = text
        self._passages = passages or {}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, (tight, block) in enumerate(self._draw()):
            if number and not tight:
                yield Text()
            yield block

    def _draw(self) -> Iterator[tuple[bool, RenderableType]]:
        nodes = parse_markdown(self._text)
        for above, node, below in zip((None, *nodes), nodes, (*nodes[1:], None), strict=False):
            attribution = list(split_sealed(_words_of(below))) if below and node.kind == "quote" else []
            passage = self._passages.get(attribution[-1][1]) if attribution else None
            if passage is not None:
                yield False, _QuotedParagraph(passage, "│ ")
            elif above and above.kind == "quote" and _words_of(node).startswith(ATTRIBUTION):
                yield True, Flow(Text("  ") + _style_runs(node.runs), indent=4)
            else:
                yield from _draw_blocks([node])


def _words_of(node: Node) -> str:
    return "".join(run.text for run in node.runs)


def _draw_blocks(nodes: Sequence[Node], around: tuple[str, ...] = ()) -> Iterator[tuple[bool, RenderableType]]:
    """Yield `(tight, block)` for each block to print. `tight` says that no empty line precedes the block.

    Args:
        nodes: The blocks.
        around: The prefix of each line, for each enclosing list or quotation.
    """
    for node in nodes:
        match node.kind:
            case "heading":
                heading = _style_runs(node.runs)
                heading.stylize("bold underline" if node.level == 1 else "bold")
                yield False, Flow(heading)
            case "paragraph":
                yield node.tight, _draw_paragraph(node, around)
            case "list":
                for number, item in enumerate(node.children, node.start):
                    marker = f"{number}. " if node.start else "• "
                    yield from _draw_item(item, around, marker, apart=not around and number == node.start)
            case "quote":
                yield from _draw_blocks(node.children, (*around, "│ "))
            case "code":
                indent = 2 + len("".join(around[:_DEEPEST]))
                yield False, Padding(Text(node.text, "cyan", overflow="fold"), (0, 0, 0, indent))
            case "rule":
                yield False, Rule(style="dim")
            case _:
                yield False, _draw_table(node)


def _draw_item(
    item: Node, around: tuple[str, ...], marker: str, *, apart: bool
) -> Iterator[tuple[bool, RenderableType]]:
    """Yield the blocks of a list item with a marker."""
    rest = item.children
    if not rest or rest[0].kind == "paragraph":
        first, rest = rest[0] if rest else Node("paragraph", tight=True), rest[1:]
        yield first.tight and not apart, _draw_paragraph(first, around, marker)
    yield from _draw_blocks(rest, (*around, " " * len(marker)))


def _draw_paragraph(node: Node, around: tuple[str, ...], marker: str = "") -> RenderableType:
    indent, text = "".join(around[:_DEEPEST]), _style_runs(node.runs)
    if "│" in indent:
        return _QuotedParagraph(Text(marker) + text, indent)
    return Flow(Text(indent + marker) + text, indent=len(indent + marker))


class _QuotedParagraph:
    """A paragraph with a bar before each line."""

    def __init__(self, text: Text, indent: str) -> None:
        self._text = text
        self._indent = indent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = self._indent.replace("│", "|") if options.ascii_only else self._indent
        for line in Flow(self._text).lines(max(2, options.max_width - len(bar))):
            yield Text.assemble((bar, "dim"), line)


def _style_runs(runs: Sequence[Run]) -> Text:
    """Return the styled text of a paragraph, a cell or a heading."""
    text = Text()
    for run in runs:
        styles = {"bold": run.bold, "italic": run.italic, "strike": run.strike, "cyan": run.code}
        style = " ".join(name for name, applies in styles.items() if applies)
        for part, number in split_sealed(run.text):
            text.append(part, f"{style} cyan" if number else style)
    text.highlight_regex(_UNVERIFIED, "yellow")
    return text


def _draw_table(node: Node) -> Table:
    """Draw a table. The cells wrap like prose."""
    head, *body = node.rows or ((),)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for cell in head:
        table.add_column(Flow(_style_runs(cell)))
    for row in body:
        table.add_row(*(Flow(_style_runs(cell)) for cell in row))
    return table
