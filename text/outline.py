"""Document outlines: the headings of Markdown and reStructuredText, and the rows they take."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from weiwo.text.patterns import lazy

_HASHES: Final = lazy(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_UNDERLINE: Final = lazy(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE: Final = lazy(r" {0,3}(`{3,}|~{3,})")
_ADORNMENT: Final = lazy(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_LONGEST_HEADING: Final = 200


class Heading(NamedTuple):
    """A heading, and the rows it takes.

    Attributes:
        level: How deep it is, from 1.
        name: Its words.
        first: Its first row, from 0.
        end: The row after its last; equal to `first` for a heading that has no row of its own.
    """

    level: int
    name: str
    first: int
    end: int


class Fence:
    """Tells, row by row, whether we are inside a fenced block of Markdown."""

    def __init__(self) -> None:
        self._mark = ""

    def __bool__(self) -> bool:
        return bool(self._mark)

    def take_row(self, line: str) -> bool:
        """Take the next row in. Returns whether it opens or closes a block, or looks like it inside one."""
        if "`" not in line and "~" not in line:
            return False
        found = _FENCE.match(line)
        if found is None:
            return False
        if not self._mark:
            self._mark = found[1]
        elif found[1].startswith(self._mark) and not line[found.end() :].strip():
            self._mark = ""
        return True


def find_markdown_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """The headings of a Markdown text, hashed or underlined, outside fenced blocks."""
    fence, start = Fence(), 0
    for row, line in enumerate(lines):
        if fence.take_row(line) or fence:
            continue
        found = _match_heading(lines, row, start)
        if found is not None:
            yield found
            start = row + 1


def _match_heading(lines: Sequence[str], row: int, start: int) -> Heading | None:
    """The heading that ends on a row."""
    line = lines[row]
    if len(line) > _LONGEST_HEADING or line.lstrip(" ")[:1] not in {"#", "=", "-"}:
        return None
    if (found := _HASHES.fullmatch(line)) and found[2]:
        return Heading(len(found[1]), found[2], row, row + 1)
    above = lines[row - 1].strip() if row > start else ""
    alone = row - 1 == start or not lines[row - 2].strip() if above else False
    if alone and len(above) <= _LONGEST_HEADING and _UNDERLINE.fullmatch(line) and any(c.isalnum() for c in above):
        return Heading(1 if "=" in line else 2, above, row - 1, row + 1)
    return None


def find_rst_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """The headings of a reStructuredText document: underlined, or over- and underlined.

    Levels follow the order in which the adornments first come (docutils, "Sections").
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
