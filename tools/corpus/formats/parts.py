"""Parts: the output of every format reader, a whole document or some of a file's records, cut into passages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from io import TextIOWrapper
from itertools import islice
from types import ModuleType
from typing import BinaryIO, Final

from weiwo.state.table import Table
from weiwo.text.chunking import Chunk
from weiwo.text.language_detection import detect_language
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, printable
from weiwo.text.typeset import normalize_typeset
from weiwo.tools.corpus.formats.encodings import SAMPLE_BYTES, UnreadableError, decode, detect_encoding
from weiwo.tools.corpus.losses import Loss, describe_losses
from weiwo.tools.corpus.records import Passage

_PASSAGES_PER_PART: Final = 2_000
"""Maximum passages of a part of a file of records, so that batches and updates stay small."""

_IN_LINE: Final = lazy("[\x0b\x0c\x85\u2028\u2029]")  # breaks that editors do not count as line ends
_DATE: Final = lazy(r"\b(\d{4})[-/.年]\s?(0?[1-9]|1[0-2])[-/.月]\s?(0?[1-9]|[12]\d|3[01])(?!\d)")
_LONGEST_TITLE: Final = 200
_SAMPLE: Final = 2_000


@dataclass(slots=True)
class Part:
    """A whole document, or some consecutive records of a file."""

    title: str  # the stated title, or the file name
    passages: list[Passage]  # in document order
    date: str | None = None  # ISO date from the metadata or a field, if any
    # Empty for the whole file or its first part. A further part has a key unique in the file, such as its first line.
    key: str = ""
    sha256: str = ""  # hash of the content of a further part; empty for a whole file
    losses: Sequence[Loss] = ()  # content that is missing from the passages
    tables: Sequence[Table] = ()  # tables of the part, in order

    @property
    def note(self) -> str:
        """Return the losses in a single line, or an empty string."""
        return describe_losses(self.losses)


PartReader = Callable[[BinaryIO, str], Iterator[Part]]
"""Reader of an open binary file, called with the file and a default title. Raises `UnreadableError`, or any error of
its parser."""


def read_text(file: BinaryIO) -> str:
    """Return the text of a file, in the lines displayed by an editor.

    Raises:
        UnreadableError: The file is not text.
    """
    return clean_text(decode(file.read()))


def clean_text(text: str) -> str:
    """Remove unprintable characters, and typesetting by `normalize_typeset`. The number of lines stays the same."""
    return normalize_typeset(printable(_IN_LINE.sub(" ", text)))


def format_range(first: int, last: int, unit: str = "line") -> str:
    """Describe a range of lines for people: `line 3`, or `lines 3-7`."""
    return f"{unit}s {first}-{last}" if last > first else f"{unit} {first}"


def make_passages(
    chunks: Iterable[Chunk], *, unit: str = "line", within: str = "", page: int | None = None
) -> list[Passage]:
    """Convert chunks to passages.

    Args:
        chunks: Chunks of a text.
        unit: Word for the chunks' line numbers in locators, such as `paragraph`. Empty to leave the numbers out.
        within: The page or slide of the chunks, for people, such as `page 3`.
        page: Number of the page or slide.
    """
    return [
        Passage(
            text=piece.words,
            headings=piece.headings,
            locator=", ".join(filter(None, (within, format_range(piece.first, piece.last, unit) if unit else ""))),
            first_line=piece.first,
            last_line=piece.last,
            page=page,
            context={"caption": piece.caption} if piece.caption else {},
        )
        for piece in chunks
    ]


def require_passages(part: Part) -> Iterator[Part]:
    """Yield a part if not empty.

    Raises:
        UnreadableError: The part has no passages.
    """
    if not part.passages:
        raise UnreadableError(part.note or "empty")
    yield part


def choose_title(*candidates: object) -> str:
    """Return the first candidate that has a letter or digit, as a single line, or an empty string if none has."""
    lines_of = (one_line(str(candidate), _LONGEST_TITLE) for candidate in candidates if candidate)
    return next((line for line in lines_of if any(c.isalnum() for c in line)), "")


def find_date(text: object) -> str | None:
    """Return the first date with year, month and day in the first 100 characters of a text, or None.

    "Saved 2024/5/3" → "2024-05-03".
    """
    found = _DATE.search(str(text)[:100]) if text else None
    return f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}" if found else None


def detect_part_language(part: Part) -> str:
    """Return the language code of a part, detected from its beginning."""
    sample = ""
    for passage in part.passages:
        sample += passage.text[: _SAMPLE - len(sample)] + " "
        if len(sample) >= _SAMPLE:
            break
    return detect_language(sample)


def import_parser(name: str) -> ModuleType:
    """Import a parser package.

    Raises:
        UnreadableError: The package is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise UnreadableError("needs a parser: pip install 'weiwo[documents]'", passing=True) from None


LONGEST_LINE: Final = 16_000_000
"""Characters after which a line is split."""


def read_lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, numbered from 1, without line ends.

    Raises:
        UnreadableError: The file is not text.
    """
    encoding = detect_encoding(file.read(SAMPLE_BYTES))
    file.seek(0)
    text = TextIOWrapper(file, encoding, errors="replace", newline=None)
    number, whole = 0, True
    while line := text.readline(LONGEST_LINE):
        number += whole
        whole = line.endswith("\n")
        line = line.removesuffix("\n")
        if "\x00" in line:
            raise UnreadableError(f"binary data in line {number}, not text")
        yield number, line if line.isprintable() else clean_text(line)


def split_parts(
    passages: Iterable[Passage],
    title: str,
    *,
    header: str = "",
    losses: Sequence[Loss] = (),
    tables: Sequence[Table] = (),
    more: bool = False,
) -> Iterator[Part]:
    """Yield passages in parts of `_PASSAGES_PER_PART`. The first part of the file is yielded last.

    The file counts as done once its first part is written.

    Args:
        passages: In the order of the file.
        title: The title of all parts.
        header: Text, such as a table header, that is included in the hash of every further part.
        losses: The losses of the file. May be filled while the passages are read.
        tables: Tables of the whole file, attached to the first part. May be filled while the passages are read.
        more: Whether the file has other parts already, so that there may be no passages here.

    Raises:
        UnreadableError: There is no passage.
    """
    rest = iter(passages)
    first = list(islice(rest, _PASSAGES_PER_PART))
    while held := list(islice(rest, _PASSAGES_PER_PART)):
        digest = sha256(header.encode())
        for item in held:
            digest.update("\0".join((item.locator, *item.headings, item.text)).encode())
        yield Part(title, held, key=str(held[0].first_line), sha256=digest.hexdigest())
    if not (first or more):
        raise UnreadableError(describe_losses(losses) or "empty")
    yield Part(title, first, losses=tuple(losses), tables=tuple(tables))
