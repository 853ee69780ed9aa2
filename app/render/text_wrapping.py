"""Text wrapping between words and between Chinese characters.

Rich breaks lines at blanks only, so that a Chinese sentence after a short word starts a line of its own. Here a line
may end after any Chinese character, but no line starts with a closing mark or ends with an opening one.
"""

import re
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from weiwo.text.patterns import lazy

_IDEOGRAPHS: Final = (
    "\u3005-\u3007\u3021-\u30ff\u3100-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_CJK: Final = f"\u2e80-\u2fff{_IDEOGRAPHS}"
_OPENING: Final = "（《〈「『【〔"
_CLOSING: Final = "，。、！？；：）》〉」』】〕"
# Quotation marks and dashes belong to whatever they touch: they are Chinese and Western alike.
_UNIT: Final = lazy(
    rf"[{_OPENING}“‘]*(?:[{_CJK}]|[^\s{_CJK}{_OPENING}{_CLOSING}]+)?[{_CLOSING}”’…—·]*(?:\[\d+\])*\s*",
    re.DOTALL,
    costly=_IDEOGRAPHS,
)


class Flow:
    """A text as wrapped lines.

    Attributes:
        text: The text; its line ends are kept.
        indent: Blanks before every line but the first.
    """

    def __init__(self, text: Text, indent: int = 0) -> None:
        self.text = text
        self.indent = indent

    def lines(self, width: int) -> list[Text]:
        """Return the wrapped lines, each at most `width` cells wide if possible."""
        found: list[Text] = []
        for paragraph in self.text.split("\n", allow_blank=True):
            for line in paragraph.divide(_breaks(paragraph.plain, max(2, width - self.indent))):
                line.rstrip()
                found.append(Text(" " * self.indent if found else "") + line)
        return found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines(options.max_width):
            line.no_wrap = True
            line.overflow = "ignore"
            yield line

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = max((cell_len(line) + self.indent for line in self.text.plain.split("\n")), default=0)
        return Measurement(min(2, options.max_width), min(longest, options.max_width))


def _units(text: str) -> Iterator[str]:
    """Yield the pieces of a text that must not be broken. Joined together, the pieces give the text.

    A word with its punctuation and blanks is a piece, and so is each Chinese character.
    """
    position = 0
    while position < len(text):
        match = _UNIT.match(text, position)
        piece = match[0] if match and match[0] else text[position]
        yield piece
        position += len(piece)


def _breaks(text: str, width: int) -> list[int]:
    offsets: list[int] = []
    position = used = 0
    for unit in _units(text):
        visible = cell_len(unit.rstrip())
        if used and used + visible > width:
            offsets.append(position)
            used = 0
        if visible > width:
            pieces = chop_cells(unit, width)
            for piece in pieces[:-1]:
                position += len(piece)
                offsets.append(position)
            position += len(pieces[-1])
            used = cell_len(pieces[-1])
            continue
        used += cell_len(unit)
        position += len(unit)
    return offsets
