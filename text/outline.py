"""Document outlines: headings in Markdown and reStructuredText, with row ranges."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from weiwo.text.markdown import parse_blocks
from weiwo.text.patterns import lazy

_ADORNMENT: Final = lazy(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_LONGEST_HEADING: Final = 200


class Heading(NamedTuple):
    """A heading with the row range.

    Attributes:
        level: Heading level, from 1.
        name: The text of the heading.
        first: The first row, from 0.
        end: The row after the last. Equal to `first` for a heading without a row of its own.
    """

    level: int
    name: str
    first: int
    end: int


def read_outline(text: str) -> tuple[list[Heading], list[tuple[int, int]]]:
    """Return the headings of a Markdown text, and the row ranges (first, end) of fenced blocks.

    An underline makes the line above it a heading only if that line stands alone.
    """
    lines = text.split("\n")
    headings, fences = [], []
    for token, inline in pairwise([*parse_blocks(text), None]):
        if token is None or token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        if token.type == "fence":
            fences.append((first, end))
        elif token.type == "heading_open" and not token.level and inline and len(lines[first]) <= _LONGEST_HEADING:
            words = inline.content
            alone = end - first == 2 and not (first and lines[first - 1].strip()) and any(map(str.isalnum, words))
            if words and (alone or token.markup.startswith("#")):
                headings.append(Heading(int(token.tag[1]), words, first, end))
    return headings, fences


def find_rst_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """Yield the headings of a reStructuredText document: underlined, or over- and underlined.

    The first style of adornment in the document is level 1, the next new one level 2 (docutils, "Sections").
    """
    styles: list[tuple[str, bool]] = []
    done = 0
    for row in range(1, len(lines)):
        under = _ADORNMENT.fullmatch(lines[row])
        words = lines[row - 1].rstrip()
        if under is None or row - 1 < done or not any(c.isalnum() for c in words) or len(words) > _LONGEST_HEADING:
            continue
        over = row - 2 >= done and lines[row - 2].rstrip() == lines[row].rstrip()
        blank_above = row - 2 < done or not lines[row - 2].strip()
        if not over and (words[:1].isspace() or not blank_above or len(lines[row].rstrip()) < len(words) // 2):
            continue
        style = (under[1], over)
        if style not in styles:
            styles.append(style)
        yield Heading(styles.index(style) + 1, words.strip(), row - 2 if over else row - 1, row + 1)
        done = row + 1
