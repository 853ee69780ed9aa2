"""PDF, by page."""

import logging
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from weiwo.text.chunking import chunk_sections
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, import_parser, make_passages
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from pypdf import PdfReader

_MOST_PAGES: Final = 20_000
_BROKEN: Final = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError, RecursionError),
    *(TypeError, ValueError, struct.error, zlib.error, OSError),
)
"""What pypdf raises over a broken document besides its own errors: it takes what it reads at its word."""


class Pdf:
    """An open PDF, read page by page.

    Attributes:
        locked: Whether it cannot be read without its password.
        count: Its pages; 0 if it is locked.
        bad: The numbers of the pages that could not be read so far.

    Raises:
        UnreadableError: It is damaged, or there is no parser for it.
    """

    def __init__(self, file: BinaryIO) -> None:
        pypdf = self._pypdf = import_parser("pypdf")
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters of it is raised
        self.bad: list[int] = []
        try:
            self._reader: PdfReader = pypdf.PdfReader(file)
            self.locked = bool(self._reader.is_encrypted and not self._reader.decrypt(""))
            self.count = 0 if self.locked else len(self._reader.pages)
        except pypdf.errors.DependencyError:
            raise UnreadableError("encrypted; to open it: pip install 'weiwo[documents]'", passing=True) from None
        except RecursionError:
            raise UnreadableError("damaged PDF: its parts contain each other") from None
        except (pypdf.errors.PyPdfError, *_BROKEN) as error:
            raise UnreadableError(f"damaged PDF: {one_line(str(error), 120)}") from None

    def read_pages(self, most: int) -> Iterator[tuple[int, str]]:
        """The number and the text of each page that can be read.

        Args:
            most: Pages to stop after.
        """
        for number in range(1, min(self.count, most) + 1):
            try:
                text = clean_text(self._reader.pages[number - 1].extract_text())
            except (self._pypdf.errors.PyPdfError, *_BROKEN):  # the others may be whole
                self.bad.append(number)
                continue
            yield number, text

    def read_metadata(self) -> tuple[str, str | None]:
        """The title and date that it states; a title that only names the file it was made from counts for nothing."""
        try:
            stated = self._reader.metadata
            title = choose_title(stated.title) if stated else ""
            created = stated.creation_date if stated else None
        except (self._pypdf.errors.PyPdfError, *_BROKEN):  # broken metadata is no metadata
            return "", None
        made_from = title.lower().startswith(("microsoft word", "microsoft powerpoint", "untitled")) or (
            title.rpartition(".")[2].lower() in {"doc", "docx", "ppt", "pptx", "tex", "dvi", "indd", "pdf", "qxd"}
        )
        return "" if made_from else title, find_saved_date(created)


def format_page(number: int) -> str:
    """A page of a document, for people."""
    return f"page {number}"


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a PDF; a passage stays on its page.

    Raises:
        UnreadableError: It needs a password, is damaged, or is all pictures.
    """
    pdf = Pdf(file)
    if pdf.locked:
        raise UnreadableError("encrypted; save it without a password")
    found: list[Passage] = []
    for number, text in pdf.read_pages(_MOST_PAGES):
        found += make_passages(chunk_sections(text, ())[1], within=format_page(number), page=number)
    if not found:
        raise UnreadableError(
            f"damaged PDF: none of its {pdf.count} pages can be read"
            if pdf.bad
            else "no text, only pictures; run OCR on it"
        )
    title, date = pdf.read_metadata()
    yield Part(title or name, found, date, losses=_find_losses(pdf.bad, pdf.count))


def _find_losses(bad: list[int], count: int) -> list[Loss]:
    cut = [Loss("pages_beyond_limit", count - _MOST_PAGES, (str(_MOST_PAGES),))] if count > _MOST_PAGES else []
    return [*count_places("pages_unreadable", bad), *cut]
