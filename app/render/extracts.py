"""Extracts on the screen: passages as they stand in their sources, the sentences that fit best in bold.

On a terminal they are drawn from the result's own list, so the Markdown of the same passages is taken out of the
answer first; on a pipe the Markdown stays, with `**` around what is bold here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from weiwo.app.render.labels import describe_place
from weiwo.text.patterns import lazy
from weiwo.tools.printable import one_line, printable

if TYPE_CHECKING:
    from rich.text import Text

    from weiwo.state import Evidence

_LONGEST_PASSAGE: Final = 400
_QUOTED: Final = lazy(r"(?:^>[^\n]*\n?)+", re.MULTILINE)
_MARK: Final = lazy(r"\[(\d{1,4})\]\Z")


def render_extracts(extracts: Sequence[Mapping[str, Any]], language: str = "en") -> "list[Text]":
    """Extracts as styled text for a terminal: a line with number and source each, then the passage.

    The lines below the first are for the caller to indent.
    """
    from rich.text import Text  # noqa: PLC0415 - a pipe needs none

    heads = [
        Text.assemble((f"[{extract.get('n', 0)}] ", "cyan"), (source_line(extract, language), "dim"), "\n")
        for extract in extracts
    ]
    return [head + render_passage(extract) for head, extract in zip(heads, extracts, strict=True)]


def render_passage(extract: Mapping[str, Any]) -> "Text":
    """The passage of an extract as styled text for a terminal, its highlights in bold."""
    from rich.text import Text  # noqa: PLC0415 - as above

    text = Text()
    for piece, highlighted in _pieces(extract):
        text.append(piece, "bold" if highlighted else "")
    return Text("\n").join(line for line in text.split("\n") if line.plain.strip())


def plain_extract(extract: Mapping[str, Any]) -> str:
    """The passage of an extract as one line of plain text, with `**` around its highlights."""
    pieces = ((" ".join(piece.split()), highlighted) for piece, highlighted in _pieces(extract))
    return " ".join(f"**{piece}**" if highlighted else piece for piece, highlighted in pieces if piece)


def source_line(extract: Mapping[str, Any], language: str = "en") -> str:
    """Title, source and place of an extract, on one line."""
    title, source = one_line(str(extract.get("title") or "")), one_line(str(extract.get("source") or ""), 500)
    place = describe_place(language, one_line(str(extract.get("locator") or "")))
    parts = [title, source if source != title else "", place]
    return " · ".join(part for part in parts if part)


def place_of(passage: "Evidence") -> str:
    """Where a passage stands: its source and the place in it."""
    return one_line(", ".join(part for part in (passage.source, passage.locator) if part), 500)


def excerpt_of(passage: "Evidence") -> str:
    """The text of a passage, as one line."""
    return one_line(printable(passage.text), _LONGEST_PASSAGE)


def split_answer(answer: str, extracts: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """What an answer says before its extracts and after them, without the Markdown of the extracts.

    Args:
        answer: The answer. A passage stands in it as a quotation below a line with its title and its number.
        extracts: The extracts it shows.
    """
    numbers = {str(extract.get("n")) for extract in extracts}
    kept: list[str] = []
    first = position = 0
    for quoted in _QUOTED.finditer(answer):
        above = answer[position : quoted.start()].rstrip()
        head = above.rpartition("\n")[2].rstrip()
        if (mark := _MARK.search(head)) and mark[1] in numbers:
            kept.append(above[: len(above) - len(head)])
            first = first or len(kept)
            position = quoted.end()
    if not kept:
        return answer.strip(), ""
    after = "".join([*kept[first:], answer[position:]])
    return kept[0].strip(), after.strip()


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
