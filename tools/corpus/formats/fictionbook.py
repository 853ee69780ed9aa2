"""FictionBook (.fb2) reader: the sections, notes and poems of a book."""

from collections.abc import Iterator
from typing import BinaryIO, Final
from xml.etree import ElementTree as ET

from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.ooxml import Element, drop_namespaces
from weiwo.tools.corpus.formats.parts import Part, choose_title, find_date, make_passages, require_passages

_PARAGRAPHS: Final = frozenset({"p", "v", "subtitle", "text-author", "date"})
_MOST_DEPTH: Final = 100


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a FictionBook. Positions count paragraphs.

    Raises:
        UnreadableError: The file is no FictionBook.
    """
    try:
        root = drop_namespaces(ET.parse(file).getroot())  # noqa: S314 - expat bounds entities itself
    except ET.ParseError as error:
        raise UnreadableError(f"damaged: it contains no FictionBook ({error})") from None
    info = root.find("description/title-info")
    info = Element("title-info") if info is None else info
    names = [" ".join(filter(None, map(author.findtext, _NAMES))) for author in info.iterfind("author")]
    book = _Book()
    title = choose_title(info.findtext("book-title"))
    if names and title:
        book.body.add_paragraph(f"{title}. {', '.join(names)}", 1)
    for body in root.iterfind("body"):
        book.walk(body, 1)
    date = info.find("date")
    stated = None if date is None else find_date(date.get("value") or date.text)
    heading, chunks = book.body.cut_chunks()
    return require_passages(Part(title or heading or name, make_passages(chunks, unit="paragraph"), stated))


_NAMES: Final = ("first-name", "middle-name", "last-name")


class _Book:
    """Collector of the text of a book."""

    def __init__(self) -> None:
        self.body = DocumentBuilder()
        self._place = 0

    def walk(self, container: Element, depth: int) -> None:
        """Add the content of a body, section, poem or citation."""
        if depth > _MOST_DEPTH:
            raise RecursionError
        for child in container:
            if child.tag == "title":
                self._place += 1
                words = " ".join(_gather(line).strip() for line in child.iter("p"))
                self.body.add_heading(min(depth, 6), words, self._place)
            elif child.tag in _PARAGRAPHS:
                self._place += 1
                self.body.add_paragraph(_gather(child).strip(), self._place, item=child.tag == "v")
            elif child.tag == "table":
                rows = [[_gather(cell).strip() for cell in row] for row in child.iter("tr")]
                self.body.add_table([(row, self._place + n) for n, row in enumerate(rows, 1)])
                self._place += len(rows)
            else:
                self.walk(child, depth + (child.tag == "section"))


def _gather(element: Element) -> str:
    """Return the text of a paragraph, with superscripts raised."""
    text = (element.text or "") + "".join(_gather(child) + (child.tail or "") for child in element)
    return raise_figures(text) if element.tag == "sup" else text
