"""What mail, notebooks, slides and PDFs show beside their plain text."""

import io
import json
from email.message import EmailMessage

import docx
import pypdf
import pytest
from pptx import Presentation
from pptx.oxml import parse_xml
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from weiwo.state.table import as_cell
from weiwo.tools.corpus.formats import Part, find_format, load_reader


def read(name: str, data: bytes) -> Part:
    kind = find_format(name)
    assert kind is not None
    (part,) = load_reader(kind)(io.BytesIO(data), "Name")
    return part


def texts(part: Part) -> str:
    return "\n\n".join(passage.text for passage in part.passages)


def test_an_output_that_is_html_alone_is_read():
    table = "<table><tr><th>Town</th><th>Sum</th></tr><tr><td>Ostrel</td><td>40</td></tr></table>"
    outputs = [{"output_type": "display_data", "data": {"text/html": [table]}}]
    book = {"cells": [{"cell_type": "code", "source": "show()", "outputs": outputs}]}
    assert "| Ostrel | 40 |" in texts(read("a.ipynb", json.dumps(book).encode()))


def test_a_subject_of_gb2312_may_hold_characters_of_gbk():
    head = b"From: a@b\nSubject: =?gb2312?B?" + __import__("base64").b64encode("朱镕基".encode("gbk")) + b"?=\n"
    part = read("a.eml", head + "Content-Type: text/plain; charset=gb2312\n\n镕\n".encode("gbk"))
    assert part.title == "朱镕基"
    assert texts(part).endswith("镕")


def test_flowed_lines_are_joined_within_their_quotation():
    body = "The fee for \nlate rent is \n15.\n\n> You asked \n> for it.\n-- \nAnn\n"
    head = "From: a@b\nContent-Type: text/plain; format=flowed\n\n"
    text = texts(read("a.eml", (head + body).encode()))
    assert "The fee for late rent is 15.\n" in text
    assert "> You asked for it.\n" in text


@pytest.mark.parametrize(
    ("plain", "seen"), [("See the HTML part.", True), ("The rent is 900 and due on the 3rd of each month.", False)]
)
def test_the_part_of_a_message_that_says_more_is_read(plain, seen):
    message = EmailMessage()
    message["Subject"] = "Rent"
    message.set_content(plain)
    message.add_alternative("<p>The rent is <b>901</b> and due on the 3rd of each month.</p>", subtype="html")
    text = texts(read("a.eml", message.as_bytes()))
    assert ("901" in text, plain in text) == (seen, not seen)


def test_numbered_paragraphs_of_slides_keep_their_numbers():
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Steps"
    frame = slide.placeholders[1].text_frame
    kind = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    for n, (words, level, form) in enumerate(
        [
            ("First", 0, "arabicPeriod"),
            ("inner", 1, "alphaLcParenR"),
            ("more", 1, "alphaLcParenR"),
            ("Second", 0, "arabicPeriod"),
            ("again", 1, "alphaLcParenR"),
        ]
    ):
        paragraph = frame.paragraphs[0] if n == 0 else frame.add_paragraph()
        paragraph.text, paragraph.level = words, level
        start = ' startAt="3"' if n == 0 else ""
        paragraph._p.get_or_add_pPr().append(parse_xml(f'<a:buAutoNum {kind} type="{form}"{start}/>'))
    out = io.BytesIO()
    show.save(out)
    assert "3. First\na) inner\nb) more\n4. Second\na) again" in texts(read("a.pptx", out.getvalue()))


def _page(*lines: tuple[int, int, str], rotate: int = 0, attached: str = "") -> bytes:
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(400, 600)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F"): font})})
    content = DecodedStreamObject()
    content.set_data("".join(f"BT /F 12 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in lines).encode())
    page[NameObject("/Contents")] = writer._add_object(content)
    if rotate:
        page.rotate(rotate)
    if attached:
        writer.add_attachment(attached, b"words")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_lines_of_a_turned_page_stay_in_order(rotate):
    lines = [(40, 560 - 20 * n, f"Line number {n} of the page") for n in range(6)]
    text = texts(read("a.pdf", _page(*lines, rotate=rotate)))
    assert text.split("\n") == [text for _, _, text in lines]


def test_files_attached_to_a_pdf_are_named():
    assert "fees.xlsx" in read("a.pdf", _page((40, 560, "Some words here"), attached="fees.xlsx")).note


RST = """Pump
====

:Product: KX-40
:Maker: Orrin Works
   in Oslo

========  =====  ======
Branch    City   Rent
========  =====  ======
North     Ostrel 1250
South     Mirren 980
          east
========  =====  ======

+---------+--------+
| Label   | Value  |
+=========+========+
| Voltage | 230 V  |
+---------+--------+
| Length  | 2 m,   |
|         | cable  |
+---------+--------+

.. figure:: x.png
   :width: 40
"""


def test_tables_and_fields_of_rst_are_rows_and_lines():
    part = read("a.rst", RST.encode())
    text = texts(part)
    for words in (
        "Product: KX-40\nMaker: Orrin Works in Oslo\n",
        "| Branch | City | Rent |\n| --- | --- | --- |\n| North | Ostrel | 1250 |\n| South | Mirren east | 980 |\n",
        "| Label | Value |\n| --- | --- |\n| Voltage | 230 V |\n| Length | 2 m, cable |\n",
        "   :width: 40",
    ):
        assert words in text
    assert part.passages[-1].last_line == RST.count("\n")


def test_a_value_of_yaml_carries_the_path_of_its_keys():
    body = "\n".join(f"      key{n}: {'value ' * 12}{n}" for n in range(80))
    part = read("a.yaml", f"server:\n  tls:\n    options:\n{body}\n".encode())
    assert len(part.passages) > 1
    assert part.passages[-1].headings == ("server", "tls", "options")
    assert part.passages[-1].text.startswith("      key") or part.passages[-1].text.startswith("key")


def test_superscripts_of_slides_and_open_documents_stay_apart():
    show = Presentation()
    frame = show.slides.add_slide(show.slide_layouts[1]).placeholders[1].text_frame
    frame.paragraphs[0].add_run().text = "The mass is 10"
    raised = frame.paragraphs[0].add_run()
    raised.text = "6"
    raised.font._element.set("baseline", "30000")
    out = io.BytesIO()
    show.save(out)
    assert "10⁶" in texts(read("a.pptx", out.getvalue()))
    flat = (
        '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
        ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:automatic-styles><style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>'
        '</office:automatic-styles><office:body><office:text><text:p>The mass is 10<text:span text:style-name="T1">6</text:span>.</text:p></office:text></office:body></office:document>'
    )
    assert "10⁶" in texts(read("a.fodt", flat.encode()))


def flat_text(body: str, levels: str) -> bytes:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "style")
    )
    styles = f"<office:styles><text:outline-style style:name='Outline'>{levels}</text:outline-style></office:styles>"
    text = f"<office:body><office:text>{body}</office:text></office:body>"
    return f"<office:document {spaces}>{styles}{text}</office:document>".encode()


def heading(level: int, words: str, more: str = "") -> str:
    return f'<text:h text:outline-level="{level}" {more}>{words}</text:h><text:p>Of {words}.</text:p>'


def test_headings_of_an_open_document_have_the_numbers_that_are_shown():
    levels = (
        '<text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>'
        '<text:outline-level-style text:level="2" style:num-format="1" style:num-prefix="§ " text:display-levels="2"/>'
        '<text:outline-level-style text:level="3" style:num-format=""/>'
    )
    body = (
        heading(1, "Duties") + heading(2, "Fees") + heading(2, "Fines") + heading(3, "Small") + heading(1, "Rights")
        + heading(2, "Leave", 'text:restart-numbering="true" text:start-value="4"')
        + heading(1, "Annex", 'text:is-list-header="true"')
    )  # fmt: skip
    lines = [line for line in texts(read("a.fodt", flat_text(body, levels))).split("\n") if "Of " not in line and line]
    assert lines == ["I. Duties", "§ I.1 Fees", "§ I.2 Fines", "Small", "II. Rights", "§ II.4 Leave", "Annex"]


def test_headings_without_a_numbering_have_no_numbers():
    assert read("a.fodt", flat_text(heading(1, "Duties"), "")).title == "Duties"


def long_rows() -> list[tuple[str, str]]:
    return [
        (f"Pier {n}", f"{n * 40} crowns a day for a ship of up to {n} hundred tons, light apart") for n in range(60)
    ]


def word_table(path: io.BytesIO) -> None:
    document = docx.Document()
    document.add_paragraph("Table 1: Fees of the eastern piers.", style="Caption")
    table = document.add_table(rows=0, cols=2)
    for row in (("Pier", "Fee"), *long_rows()):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(path)


def test_the_caption_of_a_table_is_known_in_each_of_its_parts():
    written = io.BytesIO()
    word_table(written)
    cells = "".join(f"<tr><td>{pier}</td><td>{fee}</td></tr>" for pier, fee in (("Pier", "Fee"), *long_rows()))
    page = f"<html><body><table><caption>Table 1: Fees of the eastern piers.</caption>{cells}</table></body></html>"
    rows = "".join(
        f"<table:table-row><table:table-cell><text:p>{pier}</text:p></table:table-cell>"
        f"<table:table-cell><text:p>{fee}</text:p></table:table-cell></table:table-row>"
        for pier, fee in (("Pier", "Fee"), *long_rows())
    )
    table = f'<table:table xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0">{rows}</table:table>'
    flat = flat_text(f"<text:p>Table 1: Fees of the eastern piers.</text:p>{table}", "")
    for name, data in (("a.docx", written.getvalue()), ("a.html", page.encode()), ("a.fodt", flat)):
        passages = read(name, data).passages
        assert len(passages) > 3, name
        known = [one.context.get("caption", "") or one.text for one in passages]
        assert all("Fees of the eastern piers." in one for one in known), name


def test_records_under_a_name_are_a_table():
    part = read("a.json", json.dumps({"weapons": [{"name": "Bow", "range": 40}, {"name": "Axe", "range": 2}]}).encode())
    (table,) = part.tables
    assert [[as_cell(cell).shown for cell in row] for row in table.rows] == [["name", "range"], ["Bow", "40"], ["Axe", "2"]]  # fmt: skip


def test_dates_of_an_open_document_sheet_are_iso():
    spaces = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    cells = '<table:table-cell office:value-type="string"><text:p>due</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="2026-05-04"><text:p>04.05.26</text:p></table:table-cell>'
    sheet = f'<office:document {spaces}><office:body><office:spreadsheet><table:table table:name="S"><table:table-row>{cells}</table:table-row></table:table></office:spreadsheet></office:body></office:document>'
    assert "due | 2026-05-04" in texts(read("a.fods", sheet.encode()))
