"""PDF, by page."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, Final

from tools.corpus.chunks import chunk_along
from tools.corpus.encodings import UnreadableError
from tools.corpus.formats.base import Part, date_of, package, passages, tidy, title_of
from tools.corpus.records import Passage
from tools.printable import one_line

if TYPE_CHECKING:
    from pypdf import PdfReader

_MOST_PAGES: Final = 20_000


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a PDF; a passage stays on its page.

    Raises:
        UnreadableError: It needs a password, is damaged, or is all pictures.
    """
    pypdf = package("pypdf")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters of it is raised
    try:
        reader = pypdf.PdfReader(file)
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
    except pypdf.errors.DependencyError:
        raise UnreadableError("encrypted; to open it: pip install 'weiwo[documents]'", passing=True) from None
    except (pypdf.errors.PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise UnreadableError(f"damaged PDF: {one_line(str(error), 120)}") from None
    if locked:
        raise UnreadableError("encrypted; save it without a password")
    found: list[Passage] = []
    bad: list[int] = []
    for number in range(1, min(count, _MOST_PAGES) + 1):
        try:
            text = tidy(reader.pages[number - 1].extract_text())
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - a broken page raises whatever it happens to break; the others may be whole
            bad.append(number)
            continue
        found += passages(chunk_along(text, ())[1], within=f"page {number}", page=number)
    if not found:
        raise UnreadableError(
            f"damaged PDF: none of its {count} pages can be read" if bad else "no text, only pictures; run OCR on it"
        )
    title, date = _stated(reader)
    yield Part(title or name, found, date, note=_note(bad, count))


def _note(bad: list[int], count: int) -> str:
    cut = f"only the first {_MOST_PAGES:,} of {count:,} pages are indexed" if count > _MOST_PAGES else ""
    if not bad:
        return cut
    numbers = ", ".join(map(str, bad[:8])) + (", …" if len(bad) > 8 else "")
    return f"page {numbers} cannot be read; the rest is indexed"


def _stated(reader: "PdfReader") -> tuple[str, str | None]:
    """The title and date that a PDF states; titles that only name the file they were made from count for nothing."""
    try:
        stated = reader.metadata
        title = title_of(stated.title) if stated else ""
        created = stated.creation_date if stated else None
    except Exception:  # noqa: BLE001 - broken metadata, whatever it raises, is no metadata
        return "", None
    made_from = title.lower().startswith(("microsoft word", "microsoft powerpoint", "untitled")) or (
        title.rpartition(".")[2].lower() in {"doc", "docx", "ppt", "pptx", "tex", "dvi", "indd", "pdf", "qxd"}
    )
    return "" if made_from else title, date_of(created.isoformat()) if created else None
