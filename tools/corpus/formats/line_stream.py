"""Line streams: long files of lines, read without being held, handed on in parts."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from io import TextIOWrapper
from itertools import islice
from typing import BinaryIO, Final

from weiwo.tools.corpus.formats.encodings import SAMPLE_BYTES, UnreadableError, detect_encoding
from weiwo.tools.corpus.formats.parts import PASSAGES_PER_PART, Part, clean_text
from weiwo.tools.corpus.losses import Loss, describe_losses
from weiwo.tools.corpus.records import Passage

LONGEST_LINE: Final = 16_000_000
"""Characters of a line; a longer one is parted there."""


def read_lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a text file, numbered from 1, without their ends.

    Raises:
        UnreadableError: It is not text.
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
    passages: Iterable[Passage], title: str, *, header: str = "", losses: Sequence[Loss] = (), more: bool = False
) -> Iterator[Part]:
    """Hand passages on in parts of `PASSAGES_PER_PART`, the first part last.

    The first part stands for the file: once it is written, the file is done.

    Args:
        passages: In the order of the file.
        title: The title of all parts.
        header: What every part depends on beside its own passages.
        losses: What was not taken in; read when all passages are.
        more: Whether the file has other parts, so that this one may be empty.

    Raises:
        UnreadableError: There is no passage.
    """
    rest = iter(passages)
    first = list(islice(rest, PASSAGES_PER_PART))
    while held := list(islice(rest, PASSAGES_PER_PART)):
        digest = sha256(header.encode())
        for one in held:
            digest.update("\0".join((one.locator, *one.headings, one.text)).encode())
        yield Part(title, held, key=str(held[0].first_line), sha256=digest.hexdigest())
    if not (first or more):
        raise UnreadableError(describe_losses(losses) or "empty")
    yield Part(title, first, losses=tuple(losses))
