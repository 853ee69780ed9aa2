"""The lines of a document with what they stand under: sentences, list items, "key: value" lines and table cells.

In a handbook a sentence seldom says what it is about: the title, the heading, the column or the sentence before does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from state import Evidence
from text.language import sentences
from text.patterns import lazy

LONGEST_LINE: Final = 1_200
"""Characters of one line that are looked at."""

MOST_LINES: Final = 1_500
"""Lines of one passage that are looked at."""

_HEADING: Final = lazy(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+(?P<name>.*?)[ \t#]*$")
_RULE: Final = lazy(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*$")
_KEY: Final = lazy(
    r"(?:[-*+•·][ \t]+|\d{1,3}[.)、][ \t]*)?(?P<key>(?:[^\s:：|*_][^:：|，。]{0,44}?|\*\*[^*:：]{1,44}\*{0,2}))"
    r"\*{0,2}(?:：|:(?=\s|\*))\*{0,2}[ \t]*(?P<value>\S.*?)[ \t]*$"
)
_ASKS: Final = lazy(r"(?:\*\*|#+ |[-*] )?(?:Q\d*[:.：] ?|问[：:])?.*[?？]\**$")
_ANSWERS: Final = lazy(r"(?:\*\*)?(?:A\d*[:.：]|答[：:])(?:\*\*)?\s*")


@dataclass(frozen=True)
class Line:
    """A sentence, a "key: value" line or a table cell.

    Attributes:
        passage: The passage.
        place: The passage's position among those read, from 0.
        start: Where it starts in the passage's text.
        text: Its words, verbatim.
        key: What a keyed line or a cell gives the value of: "Default timeout", "Growth / Monthly price".
        value: Where that value stands in `text`; (0, 0) for a sentence.
        label: The first cell of a table row, which says what the row is about.
        lead: What it directly goes on from: the sentence before, the line that opens its list, the question it answers.
        heads: The titles it stands under, the document's first.
    """

    passage: Evidence
    place: int
    start: int
    text: str
    key: str = ""
    value: tuple[int, int] = (0, 0)
    label: str = ""
    lead: str = ""
    heads: tuple[str, ...] = field(default=())

    @property
    def keyed(self) -> bool:
        """Whether it gives the value of something named."""
        return self.value[1] > self.value[0]


def lines(passages: Sequence[Evidence]) -> Iterator[Line]:
    """Every line of the passages with what it stands under, in the order of the text."""
    for place, passage in enumerate(passages):
        for _, line in zip(range(MOST_LINES), _of_passage(passage, place), strict=False):
            yield line


def _of_passage(passage: Evidence, place: int) -> Iterator[Line]:
    text = passage.text
    heads: list[tuple[int, str]] = []
    lead, header = "", list[str]()
    for start, end in _blocks(text):
        block = text[start:end]
        found = _HEADING.match(block)
        if found:
            level, name = len(found["marks"]), found["name"]
            heads = [(depth, above) for depth, above in heads if depth < level] + [(level, name)]
            lead, header = name if name.endswith(("?", "？")) else "", []
            continue
        above = (*((passage.title,) if passage.title else ()), *(name for _, name in heads))
        if block.lstrip().startswith("|"):
            if _RULE.fullmatch(block):
                continue
            if not header:
                header = [text[a:b] for a, b in _cells(text, start, end)]
            else:
                yield from _row(passage, place, (start, end), header, above)
            continue
        header = []
        made = list(_plain(passage, place, (start, end), lead, above))
        yield from made
        stripped = block.strip()
        listed = re.match(r"\s*(?:[-*+•·]|\d{1,3}[.)、])\s", block)
        if _ASKS.fullmatch(stripped) or not listed:
            lead = stripped[-300:]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Lines of the text, a wrapped paragraph being one, none blank."""
    spans = sentences(text)
    position, run = 0, (0, 0)
    for line in text.splitlines(keepends=True):
        start, end = position, position + len(line.rstrip())
        position += len(line)
        if not line.strip():
            continue
        # A sentence that began on the line before makes both one block.
        wrapped = run[1] and any(a < start < b for a, b in spans)
        if wrapped:
            run = (run[0], end)
            continue
        if run[1]:
            yield run
        run = (start, end)
    if run[1]:
        yield run


def _plain(passage: Evidence, place: int, span: tuple[int, int], lead: str, heads: tuple[str, ...]) -> Iterator[Line]:
    start, end = span
    block = passage.text[start:end]
    keyed = _KEY.fullmatch(block.strip()) if len(block) <= LONGEST_LINE else None
    if keyed and not _ANSWERS.match(block.strip()) and not re.match(r"(?i)Q\d*$|问$|https?$", keyed["key"]):
        shift = start + len(block) - len(block.lstrip())
        first = shift + keyed.start("key")
        value = (shift + keyed.start("value") - first, shift + keyed.end("value") - first)
        key = keyed["key"].strip("*_ ")
        yield Line(passage, place, first, passage.text[first : shift + keyed.end("value")], key, value, "", lead, heads)
        return
    before = lead
    inside = [(a, b) for a, b in sentences(block)]
    for a, b in inside:
        words = block[a : min(b, a + LONGEST_LINE)]
        said = _ANSWERS.match(words)
        skipped = said.end() if said else 0
        if not words.endswith(("?", "？")):
            yield Line(passage, place, start + a + skipped, words[skipped:], lead=before, heads=heads)
        before = words


def _row(
    passage: Evidence, place: int, span: tuple[int, int], header: list[str], heads: tuple[str, ...]
) -> Iterator[Line]:
    cells = _cells(passage.text, *span)
    if not cells:
        return
    first, last = cells[0][0], cells[-1][1]
    row = passage.text[first:last]
    label = passage.text[slice(*cells[0])]
    for name, (a, b) in zip(header[1:], cells[1:], strict=False):
        if b > a:
            key = f"{label} / {name} / {header[0]}"
            yield Line(passage, place, first, row, key, (a - first, b - first), label, "", heads)


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the cells of a table row stand, without the blanks around them."""
    bars = [start + found.start() for found in re.finditer(r"(?<!\\)\|", text[start:end])]
    if not bars:
        return []
    if text[start : bars[0]].strip():
        bars.insert(0, start - 1)
    if text[bars[-1] + 1 : end].strip():
        bars.append(end)
    spans = []
    for left, right in pairwise(bars):
        cell = text[left + 1 : right]
        blank = len(cell) - len(cell.lstrip())
        spans.append((left + 1 + blank, max(left + 1 + blank, left + 1 + len(cell.rstrip()))))
    return spans
