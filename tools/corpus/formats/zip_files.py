"""Archives: a guard against zip bombs, and archives of files (.zip), read like a folder.

Archives are opened only if what they unpack to is bounded. Each file in one is a document by the reader of its own
format, within limits.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from posixpath import basename, normpath
from typing import BinaryIO, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.corpus.formats.parts import Part, clean_text
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

MOST_BYTES: Final = 500_000_000
"""Maximum unpacked size of all members together."""

_MOST_MEMBERS: Final = 20_000
"""Maximum number of members of an archive."""

_MOST_RATIO: Final = 200
"""Maximum compression ratio of an archive that unpacks to more than `_SMALL` bytes."""

_SMALL: Final = 20_000_000
OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of Office files from before 2007, and of encrypted ones."""


@contextmanager
def open_archive(file: BinaryIO) -> Iterator[ZipFile]:
    """Context manager that opens an archive if the stated sizes are within bounds. `zipfile` reads no more than stated.

    Raises:
        UnreadableError: The file is no archive, is encrypted, or unpacks to too much.
    """
    head = file.read(len(OLE))
    file.seek(0)
    if head == OLE:
        raise UnreadableError(
            "encrypted, or in a format from before 2007; save it again in the current format, without a password"
        )
    try:
        opened = ZipFile(file)
    except (BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise UnreadableError(f"damaged ({error}); download it or save it again") from None
    with opened:
        _check_size(opened, file.seek(0, 2))
        yield opened


def _check_size(opened: ZipFile, size: int) -> None:
    members = opened.infolist()
    total = sum(member.file_size for member in members)
    why = ""
    if len(members) > _MOST_MEMBERS:
        why = f"has {len(members):,} members, more than {_MOST_MEMBERS:,}"
    elif total > MOST_BYTES:
        why = f"unpacks to {total:,} bytes, more than {MOST_BYTES:,}"
    elif total > _SMALL and total > _MOST_RATIO * size:
        why = f"unpacks to {total // max(size, 1):,} times its size, more than {_MOST_RATIO}"
    if why:
        raise UnreadableError(f"possible zip bomb: it {why}; if you trust it, split it into smaller files")
    if any(member.flag_bits & 1 for member in members):
        raise UnreadableError("encrypted; save it without a password")


_MOST_FILES: Final = 2_000
_UTF8: Final = 0x800
_LISTED: Final = 200


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the files of an archive, a document each. The document of the archive itself lists the file names.

    Raises:
        UnreadableError: The archive is damaged, encrypted, unpacks to too much, or holds no supported file.
    """
    unread: list[str] = []
    broken: list[str] = []
    taken: list[str] = []
    with open_archive(file) as archive:
        members = [(item, _name_member(item)) for item in archive.infolist() if not item.is_dir()]
        for member, path in members[:_MOST_FILES]:
            if any(part.startswith((".", "__MACOSX")) for part in path.split("/")):
                continue
            try:
                parts = _read_member(archive, member, path)
            except Exception:  # noqa: BLE001 - parsers raise anything over a broken file; it is named, the others are read
                broken.append(path)
                continue
            if not parts:
                unread.append(path)
                continue
            taken.append(path)
            yield from parts
    if not taken:
        raise UnreadableError(_why_empty(unread, broken))
    beyond = [Loss("files_beyond_limit", len(members) - _MOST_FILES)] if len(members) > _MOST_FILES else []
    losses = [*count_places("members_not_read", unread), *count_places("members_unreadable", broken), *beyond]
    listed = "\n".join(f"- {path}" for path in taken[:_LISTED])
    yield Part(name, [Passage(f"{name}:\n{listed}", (), "", 1, 1)], losses=losses)


def _why_empty(unread: Sequence[str], broken: Sequence[str]) -> str:
    """Return the reason why no file of an archive could be read, and what to do, in a line.

    Args:
        unread: Paths of the files of unsupported types.
        broken: Paths of the files that their readers refused.
    """
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        return f"its files cannot be read: {one_line(broken[0], 100)}{more}; make the archive again from whole files"
    if unread:
        return (
            "it contains only unsupported file types; unpack archives in it, and convert other files, for example to "
            "PDF"
        )
    return "it contains no files; add the documents to it"


def _read_member(archive: ZipFile, member: ZipInfo, path: str) -> list[Part]:
    """Return the documents in an archived file, or an empty list for an unsupported type or a nested archive.

    Raises:
        Exception: Any error of the file's reader.
    """
    from weiwo.tools.corpus.formats import find_format, load_reader  # noqa: PLC0415 - that lists this module

    kind = find_format(path)
    if kind is None or kind.type == "zip":
        return []
    data = archive.read(member)
    title = basename(path)
    parts = list(load_reader(kind)(io.BytesIO(data), title))
    digest = sha256(data).hexdigest()
    return [
        replace(part, key=f"{path}#{n}" if n else path, sha256=f"{digest[:56]}{n:08x}" if n else digest)
        for n, part in enumerate(parts)
    ]


def _name_member(member: ZipInfo) -> str:
    """Return the path of a file in an archive, relative to its root, without `..`.

    A name that is not marked as UTF-8 is decoded by detecting its encoding.
    """
    name = member.filename
    if not member.flag_bits & _UTF8:
        try:
            name = decode(name.encode("cp437"))
        except (UnicodeEncodeError, UnreadableError, BadZipFile):
            name = member.filename
    return normpath("/" + clean_text(name).replace("\\", "/").replace("\n", " ")).lstrip("/")
