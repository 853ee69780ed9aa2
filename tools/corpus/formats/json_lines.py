"""JSON Lines: every line a record with its own title and text.

A record with a title or an id is a document of its own, as its author meant it: it is found, linked and cited like a
file. One without a title goes by the name of the file and its id. Records with neither are passages of the file. In a
file so long that a document a line would cost more than it gives, titles head their passages, as headings would.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import BinaryIO, Final

from weiwo.text.chunking import LARGEST, chunk_text
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.json_records import JsonRecord, read_record
from weiwo.tools.corpus.formats.line_stream import read_lines, split_parts
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.losses import Loss
from weiwo.tools.corpus.records import Passage

_SINGLY_BYTES: Final = 100_000_000
"""Size of a file up to which each titled record is a document."""

_SURELY_SMALL: Final = 2 * LARGEST  # characters: a word takes one and a blank
_HOPELESS: Final = 1_000


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the records; lines that are no JSON are left out and noted.

    Raises:
        UnreadableError: There is no record in it.
    """
    size = file.seek(0, 2)
    file.seek(0)
    losses: list[Loss] = []
    records = _read_records(read_lines(file), losses)
    if size > _SINGLY_BYTES:
        passages = (piece for number, found in records for piece in _make_passages(number, found, headed=True))
        yield from split_parts(passages, name, losses=losses)
        return
    rest: list[Passage] = []
    titled = False
    for number, found in records:
        pieces = _make_passages(number, found, headed=False)
        if (found.title or found.id) and pieces:
            titled = True
            title = found.title or f"{name} {found.id}"
            digest = sha256(f"{number} {found.date} {title}\n{found.text}".encode()).hexdigest()
            yield Part(title, pieces, found.date, str(number), digest)
        else:
            rest += pieces
    yield from split_parts(rest, name, losses=losses, more=titled)


def _read_records(numbered: Iterable[tuple[int, str]], losses: list[Loss]) -> Iterator[tuple[int, JsonRecord]]:
    bad, good, first_bad = 0, 0, 0
    for number, line in numbered:
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            bad, first_bad = bad + 1, first_bad or number
            if bad >= _HOPELESS and not good:
                break
            continue
        good += 1
        yield number, read_record(value)
    if bad and not good:
        raise UnreadableError(f"not JSON Lines: line {first_bad} is no JSON, nor is any other")
    if bad:
        losses.append(Loss("lines_no_json", bad, (str(first_bad),)))


def _make_passages(number: int, found: JsonRecord, *, headed: bool) -> list[Passage]:
    text = found.text.strip()
    headings = (found.title,) if headed and found.title and text else ()
    locator = f"line {number}, id {found.id}" if found.id else f"line {number}"
    if len(text) < _SURELY_SMALL:
        text = text or found.title
        return [Passage(text, headings, locator, number, number)] if text else []
    pieces = chunk_text(text, markdown=False)[1]
    return [Passage(piece.words, (*headings, *piece.headings), locator, number, number) for piece in pieces]
