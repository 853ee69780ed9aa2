"""Blocks of an answer, parsed from its Markdown: headings, paragraphs, lists, tables, code, quotations, rules."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from weiwo.nodes.writer.document import DELIMITER, split_row
from weiwo.state import Block, BlockKind


def parse_blocks(text: str, starts: Sequence[int]) -> list[Block]:
    """The blocks of an answer, each with the claims in it by position.

    Args:
        text: The answer as Markdown.
        starts: Where each of its claims begins, as offsets into `text`, in order.
    """
    lines = text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    tokens = _block_parser().parse(text)
    blocks: list[Block] = []
    for token in tokens:
        if token.level or token.map is None or token.nesting < 0:
            continue
        first, last = token.map[0], min(token.map[1], len(lines))
        here = range(bisect_left(starts, offsets[first]), bisect_left(starts, offsets[last]))
        blocks.append(_block(token, "\n".join(lines[first:last]).rstrip("\n"), tuple(here)))
    return blocks


@cache
def _block_parser() -> MarkdownIt:
    """A parser of blocks alone: what is inside them is not looked at here."""
    return MarkdownIt("commonmark").enable("table").disable("inline")


_KINDS: Final[dict[str, BlockKind]] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "hr": "rule",
}


def _block(token: Token, source: str, claims: tuple[int, ...]) -> Block:
    kind = _KINDS.get(token.type, "paragraph")
    level = int(token.tag[1]) if kind == "heading" else 0
    rows = [split_row(line) for line in source.splitlines() if not DELIMITER.match(line)] if kind == "table" else []
    language = token.info.strip() if kind == "code" else ""
    return Block(kind=kind, text=source, level=level, language=language, rows=tuple(rows), claims=claims)
