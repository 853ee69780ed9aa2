"""Readers for office formats from before 2007 (.doc, .ppt, .xls), and for .xlsb, .rtf and .msg.

If LibreOffice is installed, it converts them to the formats that our own readers read. Otherwise xlrd reads .xls, and
xberg converts the others to Markdown, which loses headings, notes and list numbers. The type of a file is taken from
its bytes, because many .doc files are a DOCX, an RTF or a web page under another name.
"""

import asyncio
import io
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO, Final
from zipfile import is_zipfile

from weiwo.text.chunking import chunk_text
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats import libre_office, xls
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import (
    Part,
    PartReader,
    choose_title,
    clean_text,
    import_parser,
    make_passages,
    require_passages,
)
from weiwo.tools.corpus.formats.zip_files import OLE
from weiwo.tools.corpus.losses import Loss
from weiwo.tools.corpus.records import Passage

_STREAMS: Final = (
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)
"""Names of OLE streams, with the MIME type of a file that has such a stream."""
_CONVERTED: Final = {
    "application/msword": (".doc", "docx"),
    "application/rtf": (".rtf", "docx"),
    "application/vnd.ms-powerpoint": (".ppt", "pptx"),
    "application/vnd.ms-excel": (".xls", "xlsx"),
}
"""MIME types that LibreOffice converts, with the file ending and the target format."""
_XLSB: Final = "application/vnd.ms-excel.sheet.binary.macroEnabled.12"
_PICTURE: Final = lazy(r"!\[[^\]\[\n]{0,500}\]\([^)\n]{0,500}\)")
_ESCAPED: Final = lazy(r"\\([!-/:-@\[-`{-~])")
_SLIDE: Final = lazy(r"(?m)^-----$")


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a document in an old Office format, or in the format that its bytes turn out to be.

    Raises:
        UnreadableError: The file is encrypted, damaged, empty or of another type, or neither LibreOffice nor xberg is
            installed.
    """
    data = file.read()
    kind = _detect_type(data, file)
    file.seek(0)
    if "/" not in kind:
        module, _, function = kind.partition(":")
        other: PartReader = getattr(import_module(f"weiwo.tools.corpus.formats.{module}"), function or "read")
        return other(file, name)
    if kind in _CONVERTED and libre_office.find_soffice() is not None:
        ending, target = _CONVERTED[kind]
        try:
            made = libre_office.convert(data, ending, target)
        except UnreadableError as error:
            return _read_by_xberg(data, kind, name, str(error))
        converted: PartReader = import_module(f"weiwo.tools.corpus.formats.{target}").read
        return converted(io.BytesIO(made), name)
    if kind in _CONVERTED and _CONVERTED[kind][1] == "xlsx" and find_spec("xlrd") is not None:
        with suppress(UnreadableError):
            return xls.read(data, name)
    return _read_by_xberg(data, kind, name, "")


def _read_by_xberg(data: bytes, kind: str, name: str, failed: str) -> Iterator[Part]:
    """Read a document of the MIME type `kind` through xberg. Only slides have positions.

    `failed` is the reason why LibreOffice failed, recorded as a loss, or empty.
    """
    document = _convert(data, kind)
    slides = _SLIDE.split(document.content)[1:] if "powerpoint" in kind else []
    passages = [item for n, slide in enumerate(slides, 1) for item in _cut(slide, name, f"slide {n}", n)[1]]
    title, whole = _cut(document.content, name, "", None) if not slides else ("", passages)
    stated = document.metadata
    losses = [Loss("other", 1, (one_line(warning.message, 200),)) for warning in document.processing_warnings]
    if "excel" in kind:
        losses.append(Loss("number_formats_not_read"))
    elif kind in _CONVERTED:
        losses.append(Loss("old_office_structure", 1, (_CONVERTED[kind][0],)))
    if failed:
        losses.append(Loss("other", 1, (failed,)))
    date = find_saved_date(stated.modified_at, stated.created_at)
    best = choose_title(stated.title, stated.subject, title) or name
    return require_passages(Part(best, whole, date, losses=losses))


def _detect_type(data: bytes, file: BinaryIO) -> str:
    """Return the real type of a file: a MIME type, or "module" or "module:function" for one of our own readers.

    Raises:
        UnreadableError: The file is encrypted or of an unsupported type.
    """
    if data.startswith(b"{\\rtf"):
        return "application/rtf"
    if data.startswith(OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise UnreadableError("encrypted; save it without a password")
        found = next((kind for stream, kind in _STREAMS if stream.encode("utf-16-le") in data), "")
        if not found:
            raise UnreadableError("unsupported file type")
        return found
    if is_zipfile(file):
        file.seek(0)
        inside = data[:200_000] + data[-200_000:]
        members = (
            ("word/", "docx"),
            ("ppt/", "pptx"),
            ("xl/workbook.bin", _XLSB),
            ("xl/", "xlsx"),
            ("mimetype", "odf"),
        )
        return next((kind for member, kind in members if member.encode() in inside), "docx")
    head = data[:2_000].lower()
    return f"text_documents:read_{'web_page' if b'<html' in head or b'<table' in head else 'plain_text'}"


def _convert(data: bytes, kind: str) -> Any:
    xberg = import_parser("xberg")
    config = xberg.ExtractionConfig(output_format="markdown", disable_ocr=True, use_cache=False)
    given = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=kind)

    async def extract() -> Any:
        return await xberg.extract(given, config)

    found = asyncio.run(extract())
    if not found.results:
        raise UnreadableError("damaged: nothing in it is readable")
    return found.results[0]


def _cut(markdown: str, name: str, within: str, page: int | None) -> tuple[str, list[Passage]]:
    text = _ESCAPED.sub(r"\1", _PICTURE.sub("", clean_text(markdown))).replace("<br>", " ")
    title, chunks = chunk_text(text, markdown=True, name=name)
    return title, make_passages(chunks, unit="", within=within, page=page)
