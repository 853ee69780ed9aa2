"""EPUB: the chapters of a book in reading order."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, Final
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile

from tools.corpus.encodings import UnreadableError, decode
from tools.corpus.formats.base import Part, date_of, filled, passages, tidy, title_of
from tools.corpus.formats.markup import markup
from tools.corpus.formats.zips import archive
from tools.corpus.records import Passage

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_MOST_CHAPTERS: Final = 5_000


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a book; a passage stays in its chapter, and its places count the chapter's paragraphs.

    Raises:
        UnreadableError: It is protected, is no EPUB, or is empty.
    """
    with archive(file) as opened:
        try:
            root = _xml(opened, _CONTAINER).find(".//{*}rootfile")
            at = root.get("full-path", "") if root is not None else ""
            book = _xml(opened, at)
        except (KeyError, ET.ParseError, BadZipFile, EOFError) as error:
            raise UnreadableError(f"damaged: no book in it ({error})") from None
        found, bad = _chapters(opened, _spine(book, PurePosixPath(at).parent))
        if bad and not found:
            raise UnreadableError("damaged: none of its chapters can be read")
        stated = {field: book.findtext(f".//{{*}}metadata/{{*}}{field}") for field in ("title", "date")}
        note = f"chapter {', '.join(map(str, bad[:8]))} cannot be read; the rest is indexed" if bad else ""
        return filled(Part(title_of(stated["title"]) or name, found, date_of(stated["date"]), note=note))


def _chapters(opened: ZipFile, names: list[str]) -> tuple[list[Passage], list[int]]:
    locked = _locked(opened)
    found: list[Passage] = []
    bad: list[int] = []
    for number, member in enumerate(names[:_MOST_CHAPTERS], 1):
        if member in locked:
            raise UnreadableError("protected against copying; its text cannot be read")
        try:
            page = markup(tidy(decode(opened.read(member))), by_block=True)
        except (KeyError, BadZipFile, EOFError, UnreadableError, NotImplementedError):
            bad.append(number)
            continue
        title, chunks = page.body.chunks()
        for piece in passages(chunks, unit="paragraph", within=f"chapter {number}", page=number):
            above = (title, *piece.headings) if title else piece.headings
            found.append(Passage(piece.text, above, piece.locator, piece.first_line, piece.last_line, piece.page))
    return found, bad


def _spine(book: ET.Element, folder: PurePosixPath) -> list[str]:
    """The names of the members that make the book, in order."""
    items = {item.get("id"): item for item in book.iterfind(".//{*}manifest/{*}item")}
    listed = [items[ref] for one in book.iterfind(".//{*}spine/{*}itemref") if (ref := one.get("idref")) in items]
    pages = [item for item in listed if "html" in item.get("media-type", "html")]
    return [_within(folder, unquote(item.get("href", "")).partition("#")[0]) for item in pages]


def _within(folder: PurePosixPath, href: str) -> str:
    """The name of a member that a link in a folder leads to."""
    parts: list[str] = []
    for part in (folder / href).parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in {"..", "/", "."}:
            parts.append(part)
    return "/".join(parts)


def _locked(opened: ZipFile) -> set[str]:
    """Members that are encrypted; fonts often are, which does no harm."""
    try:
        listing = _xml(opened, _ENCRYPTION)
    except (KeyError, ET.ParseError, BadZipFile):
        return set()
    return {unquote(one.get("URI", "")) for one in listing.iterfind(".//{*}CipherReference")}


def _xml(opened: ZipFile, member: str) -> ET.Element:
    return ET.fromstring(opened.read(member))  # noqa: S314 - expat bounds the growth of entities itself
