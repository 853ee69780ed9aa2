"""Passages that a search found, the sentences that fit best in bold, or with `**` around them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from weiwo.tools.printable import one_line, printable

if TYPE_CHECKING:
    from rich.text import Text

    from weiwo.state import Evidence

_LONGEST_PASSAGE: Final = 400


def render_passage(extract: Mapping[str, Any]) -> "Text":
    """The passage of an extract as styled text for a terminal, its highlights in bold."""
    from rich.text import Text  # noqa: PLC0415 - a pipe needs none

    text = Text()
    for piece, highlighted in _pieces(extract):
        text.append(piece, "bold" if highlighted else "")
    return Text("\n").join(line for line in text.split("\n") if line.plain.strip())


def plain_extract(extract: Mapping[str, Any]) -> str:
    """The passage of an extract as one line of plain text, with `**` around its highlights."""
    pieces = ((" ".join(piece.split()), highlighted) for piece, highlighted in _pieces(extract))
    return " ".join(f"**{piece}**" if highlighted else piece for piece, highlighted in pieces if piece)


def place_of(passage: "Evidence") -> str:
    """Where a passage stands: its source and the place in it."""
    return one_line(", ".join(part for part in (passage.source, passage.locator) if part), 500)


def excerpt_of(passage: "Evidence") -> str:
    """The text of a passage, as one line."""
    return one_line(printable(passage.text), _LONGEST_PASSAGE)


def _pieces(extract: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The passage in pieces, each with whether it is highlighted; offsets that make no sense are passed over.

    Marks by which the source itself makes something bold are left out.
    """
    text = str(extract.get("text") or "")
    position = 0
    for start, end in extract.get("highlights") or ():
        if position <= start < end <= len(text):
            yield printable(text[position:start].replace("**", "")), False
            yield printable(text[start:end].replace("**", "")), True
            position = end
    yield printable(text[position:].replace("**", "")), False
