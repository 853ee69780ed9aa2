"""Small documents of every kind, sound and broken, made when they are needed."""

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF of some pages, a line of the text a line on the page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        shown = "".join(f"({line.translate(_ESCAPED)}) Tj T* " for line in page.split("\n"))
        stream = f"BT /F1 11 Tf 14 TL 50 780 Td {shown}ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Resources << /Font << /F1 3 0 R >> >>"
            b" /Contents %d 0 R >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(f"<< /Title ({title}) /CreationDate (D:20240305120000Z) >>".encode())
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer << /Size %d /Root 1 0 R" % (len(objects) + 1))
    out.write(b" /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects), start))
    return out.getvalue()


_ESCAPED = str.maketrans({"(": r"\(", ")": r"\)", "\\": r"\\"})


def encrypted_pdf(password: str) -> bytes:
    """A PDF that wants a password; without one, it is only marked as encrypted."""
    from pypdf import PdfReader, PdfWriter  # noqa: PLC0415 - heavy

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Secret words."))))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")  # noqa: S106 - a test's
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(blocks: Sequence[tuple[str, Any]]) -> bytes:
    """A Word document of `(style, text)` paragraphs and `("table", rows)` tables."""
    import docx as word  # noqa: PLC0415 - heavy

    document = word.Document()
    for style, content in blocks:
        if style == "table":
            table = document.add_table(len(content), len(content[0]))
            for row, cells in zip(table.rows, content, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            document.add_paragraph(content, style=style or None)
    return _saved(document)


def pptx(slides: Sequence[tuple[str, str, str]]) -> bytes:
    """A presentation of slides: title, text, notes."""
    import pptx as power_point  # noqa: PLC0415 - heavy

    show = power_point.Presentation()
    for title, text, notes in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    return _saved(show)


def xlsx(sheets: dict[str, Sequence[Sequence[Any]]]) -> bytes:
    """A workbook of sheets of rows."""
    import openpyxl  # noqa: PLC0415 - heavy

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def epub(chapters: Sequence[str], *, title: str = "A Book", locked: bool = False) -> bytes:
    """A book of chapters in XHTML."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title><dc:date>2020-02-03</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        **{f"OEBPS/c{n}.xhtml": f"<html><body>{body}</body></html>" for n, body in enumerate(chapters)},
    }
    if locked:
        members["META-INF/encryption.xml"] = (
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<CipherReference URI="OEBPS/c0.xhtml"/></encryption>'
        )
    return zipped(members)


def zipped(members: dict[str, str | bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def good(ending: str, fact: str) -> bytes:
    """A sound document of a kind that states a fact."""
    html = f"<html><head><title>T</title></head><body><h1>Facts</h1><p>{fact}</p></body></html>"
    plain = {
        ".md": f"# Facts\n\n{fact}\n",
        ".txt": f"{fact}\n",
        ".rst": f"Facts\n=====\n\n{fact}\n",
        ".html": html,
        ".csv": f'fact,number\n"{fact}",1\n',
        ".json": json.dumps({"fact": fact}),
        ".jsonl": json.dumps({"text": fact}) + "\n",
        ".py": f'def facts():\n    return "{fact}"\n',
    }
    if ending in plain:
        return plain[ending].encode()
    if ending == ".pdf":
        return pdf(fact)
    if ending == ".docx":
        return docx([("Heading 1", "Facts"), ("", fact)])
    if ending == ".pptx":
        return pptx([("Facts", fact, "")])
    if ending == ".xlsx":
        return xlsx({"Facts": [["fact", "number"], [fact, 1]]})
    return epub([f"<h1>Facts</h1><p>{fact}</p>"])


def corrupt(ending: str, number: int) -> bytes:
    """A broken document of a kind; `number` says how it is broken."""
    noise = bytes((i * 7 + number * 13) % 256 for i in range(1_500))
    if number < 3 and not (number == 0 and ending == ".py"):  # an empty program is sound
        return noise * number
    if ending in {".json", ".jsonl"}:
        return [b'{"a": ', b"[1, 2", b"{a: 1}", b"nonsense", b'{"a" 1}', b'{"a": 1', b"]["][number - 3]
    if ending not in {".pdf", ".docx", ".pptx", ".xlsx", ".epub"}:
        return noise[number:] + b"\x00\x01\x02" * 50
    whole = good(ending, "Lost words.")
    return [
        whole[: len(whole) // 3],
        b"%PDF-1.4\n" + noise if ending == ".pdf" else noise[:200] + whole[200 : len(whole) // 2],
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise,
        zipped({"nothing.txt": "not what it says it is"}),
        *(whole[: count * 5] for count in range(7, 10)),
    ][number - 3]


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def added(archive: bytes, members: dict[str, str | bytes]) -> bytes:
    """An archive with further members."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return zipped({**{name: opened.read(name) for name in opened.namelist()}, **members})
