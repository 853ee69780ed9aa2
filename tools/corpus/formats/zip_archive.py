"""A guard against zip bombs: archives are opened only if what they unpack to is bounded."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final
from zipfile import BadZipFile, ZipFile

from weiwo.tools.corpus.formats.encodings import UnreadableError

MOST_BYTES: Final = 500_000_000
"""Bytes that all members may unpack to."""

_MOST_MEMBERS: Final = 20_000
"""Members an archive may have."""

_MOST_RATIO: Final = 200
"""Bytes that one byte may unpack to, on the whole, in what is not small anyway."""

_SMALL: Final = 20_000_000
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@contextmanager
def open_archive(file: BinaryIO) -> Iterator[ZipFile]:
    """Open an archive whose stated sizes are within bounds; `zipfile` reads no more than is stated.

    Raises:
        UnreadableError: It is none, is encrypted, or unpacks to too much.
    """
    head = file.read(len(_OLE))
    file.seek(0)
    if head == _OLE:
        raise UnreadableError("encrypted, or in the format of before 2007; save it anew without a password")
    try:
        opened = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise UnreadableError(f"damaged: {error}") from None
    with opened:
        _check_size(opened, file.seek(0, 2))
        yield opened


def _check_size(opened: ZipFile, size: int) -> None:
    members = opened.infolist()
    total = sum(member.file_size for member in members)
    if len(members) > _MOST_MEMBERS:
        raise UnreadableError(f"a zip bomb? it holds {len(members):,} members, more than {_MOST_MEMBERS:,}")
    if total > MOST_BYTES:
        raise UnreadableError(f"a zip bomb? it unpacks to {total:,} bytes, more than {MOST_BYTES:,}")
    if total > _SMALL and total > _MOST_RATIO * size:
        raise UnreadableError(f"a zip bomb? it unpacks to {total // max(size, 1):,} times its size")
    if any(member.flag_bits & 1 for member in members):
        raise UnreadableError("encrypted; save it without a password")
