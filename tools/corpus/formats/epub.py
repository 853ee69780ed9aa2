"""EPUB: the chapters of a book in reading order."""

from collections.abc import Iterator
from posixpath import dirname
from typing import BinaryIO, Final
from urllib.parse import unquote
from zipfile import ZipFile

from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.ooxml import BROKEN, find_xml, read_xml, resolve_member
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, find_date, make_passages, require_passages
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import count_places
from weiwo.tools.corpus.records import Passage

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_MOST_CHAPTERS: Final = 5_000


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read an EPUB book.

    A passage stays in its chapter, and its positions count the chapter's paragraphs.

    Raises:
        UnreadableError: The book is protected, is no EPUB, or is empty.
    """
    with open_archive(file) as opened:
        try:
            root = read_xml(opened, _CONTAINER).find(".//rootfile")
            at = root.get("full-path", "") if root is not None else ""
            book = read_xml(opened, at)
        except BROKEN as error:
            raise UnreadableError(f"damaged: it contains no book ({error})") from None
        items = {item.get("id"): item for item in book.iterfind(".//manifest/item")}
        # The spine lists the members in the order of reading.
        listed = [items[ref] for item in book.iterfind(".//spine/itemref") if (ref := item.get("idref")) in items]
        pages = [unquote(item.get("href", "")) for item in listed if "html" in item.get("media-type", "html")]
        members = [resolve_member(dirname(at), page.partition("#")[0]) for page in pages]
        found, bad = _read_chapters(opened, members)
        if bad and not found:
            raise UnreadableError("damaged: none of its chapters can be read")
        stated = {field: book.findtext(f".//metadata/{field}") for field in ("title", "date")}
        losses = count_places("chapters_unreadable", bad)
        return require_passages(
            Part(choose_title(stated["title"]) or name, found, find_date(stated["date"]), losses=losses)
        )


def _read_chapters(opened: ZipFile, names: list[str]) -> tuple[list[Passage], list[int]]:
    # Encrypted fonts are common and harmless, so only encrypted chapters count.
    locked = {unquote(item.get("URI", "")) for item in find_xml(opened, _ENCRYPTION).iter("CipherReference")}
    found: list[Passage] = []
    bad: list[int] = []
    for number, member in enumerate(names[:_MOST_CHAPTERS], 1):
        if member in locked:
            raise UnreadableError("copy-protected; its text cannot be read")
        try:
            page = parse_html(clean_text(decode(opened.read(member))), by_block=True)
        except (UnreadableError, *BROKEN):
            bad.append(number)
            continue
        title, chunks = page.body.cut_chunks()
        for piece in make_passages(chunks, unit="paragraph", within=f"chapter {number}", page=number):
            above = (title, *piece.headings) if title else piece.headings
            found.append(Passage(piece.text, above, piece.locator, piece.first_line, piece.last_line, piece.page))
    return found, bad
