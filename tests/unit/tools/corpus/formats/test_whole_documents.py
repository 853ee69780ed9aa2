"""No word that a person sees in a file is lost without a word: a fixed set of small files, and what each is to say."""

import io
import json
import zipfile
from email.message import EmailMessage

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from tests.support import documents
from tests.support.office_files import chart, odf, p, run, shape, slides, table, tc, word, word_part
from weiwo.tools.corpus.formats import find_format, load_reader

DEL = '<w:del w:id="1"><w:r><w:delText>4,100</w:delText></w:r></w:del>'
INS = f'<w:ins w:id="2">{run("5,250")}</w:ins>'
BOX = "<w:pict><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></w:pict>"
NOTES = word_part("w:footnotes", f'<w:footnote w:id="3">{p("Subject to section 9.")}</w:footnote>')
COMMENTS = word_part("w:comments", f'<w:comment w:id="4" w:author="Jo">{p("Too low?")}</w:comment>')
HEADER = word_part("w:hdr", p("Contract no. 4711"))
CHART = ("chart", "charts/chart1.xml", chart({"2025": [("Ostrel", "0.075"), ("Mirren", "12")]}, "Vacancy", "0.0%"))
DIAGRAM = word_part("dgm:dataModel", "<dgm:pt><dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t></dgm:pt>")
CHOICE = f"<w:r><mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent></w:r>"
LEVELS = (("chineseCounting", "第%1条"), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("bullet", "•"))
NUMBERS = word_part(
    "w:numbering",
    '<w:abstractNum w:abstractNumId="7">'
    + "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{"<w:isLgl/>" * (n == 1)}<w:lvlText w:val="{text}"/></w:lvl>'
        for n, (kind, text) in enumerate(LEVELS)
    )
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2">'
    '<w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>',
)


def numbered(text: str, level: int, run_of: int = 1) -> str:
    own = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{run_of}"/></w:numPr>'
    return f"<w:p><w:pPr>{own}</w:pPr>{run(text)}</w:p>"


M = "<m:r><m:t>{}</m:t></m:r>"
MERGED = table(
    tc("Town") + tc("Rates", '<w:gridSpan w:val="2"/>'),
    tc("Ostrel", '<w:vMerge w:val="restart"/>') + tc("May") + tc("7"),
    tc("", "<w:vMerge/>") + tc("June") + tc("8"),
)

WORD = {
    "insertion": (
        word(p(run("The fee is ") + DEL + INS + run(" a month."))),
        ["fee is 5,250 a month"],
        ["4,100"],
        "deleted",
    ),
    "inserted paragraph": (word(f'<w:ins w:id="1">{p("Sold to Quist.")}</w:ins>'), ["Sold to Quist."], [], ""),
    "moved": (
        word(
            p(f'<w:moveFrom w:id="1">{run("old place")}</w:moveFrom>{run("x")}')
            + p(f'<w:moveTo w:id="2">{run("new place")}</w:moveTo>')
        ),
        ["new place"],
        ["old place"],
        "deleted",
    ),
    "block control": (
        word(f"<w:sdt><w:sdtContent>{p('Ida Thornquist')}</w:sdtContent></w:sdt>"),
        ["Ida Thornquist"],
        [],
        "",
    ),
    "inline control": (
        word(p(f"{run('by ')}<w:sdt><w:sdtContent>{run('Brennick')}</w:sdtContent></w:sdt>")),
        ["by Brennick"],
        [],
        "",
    ),
    "control around rows": (
        word(f"<w:tbl><w:sdt><w:sdtContent><w:tr>{tc('a1')}{tc('b1')}</w:tr></w:sdtContent></w:sdt></w:tbl>"),
        ["| a1 | b1 |"],
        [],
        "",
    ),
    "smart tag": (word(p(f"<w:smartTag>{run('Ostrel')}</w:smartTag>{run(' harbour')}")), ["Ostrel harbour"], [], ""),
    "field": (
        word(p(f"{run('on ')}<w:fldSimple w:instr='DATE'>{run('7 July')}</w:fldSimple>")),
        ["on 7 July"],
        ["DATE"],
        "",
    ),
    "link": (word(p(f"<w:hyperlink r:id='x'>{run('a link')}</w:hyperlink>")), ["a link"], [], ""),
    "text box": (word(p(f"<w:r>{BOX.format(p('Opened in 1987'))}</w:r>")), ["Opened in 1987"], [], ""),
    "text box in two forms": (
        word(p(CHOICE.format(p("Once only"), p("Once only")))),
        ["Once only"],
        ["Once only\n\nOnce only"],
        "",
    ),
    "footnote": (
        word(p(f"{run('Free.')}<w:r><w:footnoteReference w:id='3'/></w:r>"), f=("footnotes", "footnotes.xml", NOTES)),
        ["Subject to section 9."],
        [],
        "",
    ),
    "comment": (
        word(p(f"{run('Fee 5.')}<w:r><w:commentReference w:id='4'/></w:r>"), c=("comments", "comments.xml", COMMENTS)),
        ["[Comment, Jo: Too low?]"],
        [],
        "",
    ),
    "header": (
        word(f"{p('Body.')}<w:sectPr><w:headerReference r:id='h'/></w:sectPr>", h=("header", "header1.xml", HEADER)),
        ["Contract no. 4711"],
        [],
        "",
    ),
    "hidden text": (
        word(p(run("seen ") + run("unseen", "<w:rPr><w:vanish/></w:rPr>"))),
        ["seen"],
        ["unseen"],
        "hidden text",
    ),
    "not hidden": (word(p(run("seen", '<w:rPr><w:vanish w:val="0"/></w:rPr>'))), ["seen"], [], ""),
    "uneven table": (
        word(table(tc("Pier A"), tc("Pier B") + tc("18 metres"))),
        ["Pier A", "| Pier B | 18 metres |"],
        [],
        "",
    ),
    "merged cells": (word(MERGED), ["| Town | Rates | Rates |", "| Ostrel | June | 8 |"], [], ""),
    "nested table": (word(table(tc("x") + tc(table(tc("in") + tc("side")) + p("after")))), ["in, side after"], [], ""),
    "framed text": (word(table(tc(p("First.") + p("Second.")))), ["First.\n\nSecond."], ["|"], ""),
    "formula": (
        word(
            p(
                "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>"
            )
        ),
        ["a/b"],
        [],
        "",
    ),
    "ruby": (
        word(p(f"<w:ruby><w:rt>{run('せいらん')}</w:rt><w:rubyBase>{run('青岚')}</w:rubyBase></w:ruby>{run('驛')}")),
        ["青岚(せいらん)驛"],
        [],
        "",
    ),
    "chart": (
        word(p("<w:r><w:drawing><c:chart r:id='k'/></w:drawing></w:r>"), k=CHART),
        ["Vacancy", "| Ostrel | 7.5% |"],
        [],
        "",
    ),
    "formula in brackets": (
        word(
            p(
                f"<m:oMath><m:sSup><m:e><m:d><m:e>{M.format('1+x')}</m:e></m:d></m:e><m:sup>{M.format('n-1')}</m:sup></m:sSup>"
                f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{M.format('k')}</m:sub><m:e>{M.format('cos')}</m:e>"
                "</m:nary></m:oMath>"
            )
        ),
        ["(1+x)^(n-1) ∑_k cos"],
        [],
        "",
    ),
    "numbers of clauses": (
        word(
            numbered("Term", 0)
            + numbered("Length", 1)
            + numbered("Notice", 1)
            + numbered("Either side", 2)
            + numbered("Fee", 0)
            + numbered("Due", 1)
            + numbered("Anew", 0, 2)
            + numbered("A dash", 3),
            n=("numbering", "numbering.xml", NUMBERS),
        ),
        [
            "第一条 Term",
            "1.1 Length",
            "1.2 Notice",
            "(a) Either side",
            "第二条 Fee",
            "2.1 Due",
            "第五条 Anew",
            "\nA dash",
        ],
        [],
        "",
    ),
    "picture": (
        word(p(run("See below.")) + p("<w:r><w:drawing><a:blip r:embed='k'/></w:drawing></w:r>")),
        ["See below."],
        [],
        "a picture is not read: paragraph 2",
    ),
    "diagram": (
        word(
            p("<w:r><w:drawing><dgm:relIds r:dm='k'/></w:drawing></w:r>"),
            k=("diagramData", "diagrams/data1.xml", DIAGRAM),
        ),
        ["Step one"],
        [],
        "",
    ),
    "embedded file": (
        word(p(f"{run('See:')}<w:r><w:object><o:OLEObject ProgID='Excel.Sheet.12'/></w:object></w:r>")),
        ["See:"],
        [],
        "Excel.Sheet.12",
    ),
    "page within": (
        word('<w:altChunk r:id="a"/>', a=("aFChunk", "a.htm", "<p>Merged letter</p>")),
        ["Merged letter"],
        [],
        "",
    ),
    "word art": (word(p('<w:r><w:pict><v:textpath string="SALE"/></w:pict></w:r>')), ["SALE"], [], ""),
    "check box": (
        word(
            p(
                f"<w:r><w:fldChar><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>{run('yes')}"
            )
        ),
        ["☒yes"],
        [],
        "",
    ),
    "choice": (
        word(
            p(
                '<w:r><w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val="maybe"/></w:ddList></w:ffData></w:fldChar></w:r>'
            )
        ),
        ["maybe"],
        ["no"],
        "",
    ),
    "outline level": (word(p("Kapitel", '<w:outlineLvl w:val="0"/>') + p("Text.")), ["Text."], [], ""),
    "Chinese": (word(p(run("月费为") + DEL + INS + run("元。"))), ["月费为5,250元。"], ["4,100"], "deleted"),
}

SPANNED = (
    "<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan='2'>{0}</a:tc><a:tc hMerge='1'>{3}</a:tc><a:tc>{3}</a:tc></a:tr>"
    "<a:tr><a:tc>{1}</a:tc><a:tc>{2}</a:tc><a:tc>{2}</a:tc></a:tr></a:tbl></p:graphicFrame>"
).format(*(f"<a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody>" for text in ("Year", "2024", "2025", "")))
SLIDES = {
    "chart alone": (
        slides("<p:graphicFrame><c:chart r:id='k'/></p:graphicFrame>", related={"k": CHART}),
        ["| Mirren | 1200.0% |"],
        [],
        "",
    ),
    "diagram": (
        slides(
            "<p:graphicFrame><dgm:relIds r:dm='k'/></p:graphicFrame>", related={"k": ("diagramData", "d.xml", DIAGRAM)}
        ),
        ["Step one"],
        [],
        "",
    ),
    "group": (slides(f"<p:grpSp><p:grpSp>{shape('deep')}</p:grpSp></p:grpSp>"), ["deep"], [], ""),
    "alternative": (
        slides(f"<mc:AlternateContent><mc:Choice>{shape('new')}</mc:Choice></mc:AlternateContent>"),
        ["new"],
        [],
        "",
    ),
    "table": (slides(SPANNED), ["| Year | Year |", "| 2024 | 2025 | 2025 |"], [], ""),
    "notes": (
        slides(
            shape("A"), related={"n": ("notesSlide", "notes.xml", word_part("p:notes", shape("Say hello", "body")))}
        ),
        ["Say hello"],
        [],
        "",
    ),
    "comment": (
        slides(
            shape("A"),
            related={"n": ("comments", "c.xml", word_part("p:cmLst", "<p:cm><p:text>Check this</p:text></p:cm>"))},
        ),
        ["[Comment: Check this]"],
        [],
        "",
    ),
    "embedded": (
        slides(shape("A") + "<p:graphicFrame><p:oleObj progId='Visio'/></p:graphicFrame>"),
        ["A"],
        [],
        "Visio",
    ),
    "footer": (slides(shape("T", "title") + shape("Confidential", "ftr")), ["Confidential"], [], ""),
}


def _workbook(fill) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _formatted(book) -> None:
    sheet = book.active
    for row in (["Branch", "Rate", "Rent", "Since"], ["Ostrel", 0.075, 1250.5, 45000]):
        sheet.append(row)
    for place, code in (("B2", "0.0%"), ("C2", '"EUR "#,##0.00'), ("D2", "d mmm yyyy")):
        sheet[place].number_format = code


def _merged(book) -> None:
    for row in (["Sales 2025"], ["Region", "Town", "Sum"], ["North", "Ostrel", 1], [None, "Mirren", 2]):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    book.active.merge_cells("A3:A4")


def _hidden(book) -> None:
    book.active.append(["seen", "x"])
    other = book.create_sheet("Secret")
    other.append(["unseen"])
    other.sheet_state = "hidden"


def _formulas(book) -> None:
    for row in (["Item", "Total"], ["Timber", "=SUM(1,2)"]):
        book.active.append(row)


def _commented(book) -> None:
    for row in (["Item", "Sum"], ["Timber", 3]):
        book.active.append(row)
    book.active["B2"].comment = Comment("estimated", "Jo")


def _charted(book) -> None:
    for row in (["Town", "Sum"], ["Ostrel", 3]):
        book.active.append(row)
    shown = BarChart()
    shown.title = "Sums by town"
    shown.add_data(Reference(book.active, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    book.active.add_chart(shown, "D2")


def _charted_from_elsewhere() -> bytes:
    """A workbook whose chart holds values that none of its sheets has."""
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_workbook(_charted))) as before, zipfile.ZipFile(data, "w") as after:
        for name in before.namelist():
            after.writestr(name, CHART[2] if name == "xl/charts/chart1.xml" else before.read(name))
    return data.getvalue()


def _preamble(book) -> None:
    for row in (["Account: 7"], [], ["Day", "Text", "Sum"], *([f"2026-01-{n:02d}", "fee", n] for n in range(1, 29))):
        book.active.append(row)


SHEETS = {
    "formats": (_workbook(_formatted), ["Ostrel | 7.5% | EUR 1,250.50 | 2023-03-15"], ["0.075"], ""),
    "merged": (_workbook(_merged), ["North | Mirren | 2", "Sales 2025\n"], ["Sales 2025 |"], ""),
    "hidden sheet": (_workbook(_hidden), ["seen"], ["unseen"], "hidden sheet is left out: Secret"),
    "uncomputed": (_workbook(_formulas), ["Timber | =SUM(1,2)"], [], "never calculated: Sheet!B2"),
    "comment": (_workbook(_commented), ["Timber | 3 [Comment: estimated]"], [], ""),
    "chart title": (_workbook(_charted), ["Sums by town"], [], ""),
    "chart values": (_charted_from_elsewhere(), ["| Ostrel | 7.5% |"], [], ""),
    "preamble": (_workbook(_preamble), ["Account: 7", "Day | Text | Sum\n2026-01-01"], [], ""),
}

ODF_DELETED = (
    '<text:tracked-changes><text:changed-region text:id="c"><text:deletion><text:p>gone</text:p></text:deletion>'
    '</text:changed-region></text:tracked-changes><text:p>Fee<text:change text:change-id="c"/> 5.</text:p>'
)
ODF_NOTE = "<text:p>Free.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Not on Sundays.</text:p></text:note-body></text:note></text:p>"
ODF_TABLE = (
    '<table:table><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Ostrel</text:p></table:table-cell>'
    "<table:table-cell><text:p>1</text:p></table:table-cell></table:table-row><table:table-row><table:covered-table-cell/>"
    "<table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table>"
)
ODF_SHEET = (
    '<table:table table:name="R"><table:table-row><table:table-cell><text:p>Town</text:p></table:table-cell><table:table-cell>'
    "<text:p>Rate</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Ostrel</text:p>"
    '</table:table-cell><table:table-cell office:value="0.075"><text:p>7.5%</text:p></table:table-cell></table:table-row></table:table>'
)
ODF_HIDDEN = '<office:automatic-styles><style:style style:name="h"><style:table-properties table:display="false"/></style:style></office:automatic-styles>'
OPEN = {
    "a.odt deletion": (odf("text", ODF_DELETED), ["Fee 5."], ["gone"], "deleted"),
    "b.odt footnote": (odf("text", ODF_NOTE), ["Not on Sundays."], [], ""),
    "c.odt box": (
        odf("text", "<text:p>A<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>"),
        ["boxed"],
        [],
        "",
    ),
    "d.odt rows": (odf("text", ODF_TABLE), ["| Ostrel | 2 |"], [], ""),
    "e.ods values": (odf("spreadsheet", ODF_SHEET), ["Ostrel | 7.5%"], ["0.075"], ""),
    "f.ods hidden": (
        odf("spreadsheet", ODF_SHEET + ODF_SHEET.replace('name="R"', 'name="S" table:style-name="h"'), ODF_HIDDEN),
        ["7.5%"],
        [],
        "hidden sheet is left out: S",
    ),
    "g.odp": (
        odf(
            "presentation",
            "<draw:page><draw:frame><draw:text-box><text:p>Slide words</text:p></draw:text-box></draw:frame></draw:page>",
        ),
        ["Slide words"],
        [],
        "",
    ),
}


def _mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["Date"] = "报价", "a@b.c", "Mon, 2 Mar 2026 10:00:00 +0100"
    message.set_content("The price is 5,250 dollars.")
    message.add_alternative("<p>The price is <b>5,250</b> dollars.</p>", subtype="html")
    message.add_attachment(WORD["insertion"][0], maintype="application", subtype="x", filename="terms.docx")
    message.add_attachment(b"\x00", maintype="application", subtype="x", filename="x.bin")
    inner = EmailMessage()
    inner["Subject"] = "Re: inner"
    inner.set_content("Forwarded words.")
    message.add_attachment(inner)
    return message.as_bytes()


BOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Rates\n", "Some words."]},
        {
            "cell_type": "code",
            "source": "print(7.5)",
            "outputs": [
                {"output_type": "stream", "text": ["7.5 %\n"]},
                {"output_type": "error", "ename": "KeyError", "evalue": "'x'"},
            ],
        },
    ]
}
PAGE = "<table><tr><th></th><th colspan=2>2024</th></tr><tr><td rowspan=2>Ostrel</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
OTHERS = {
    "a.eml": (_mail(), ["The price is 5,250", "fee is 5,250 a month", "Forwarded words."], ["<b>", "4,100"], "x.bin"),
    "b.ipynb": (json.dumps(BOOK).encode(), ["Some words.", "7.5 %", "KeyError: 'x'"], [], ""),
    "d.doc": (WORD["insertion"][0], ["fee is 5,250"], ["4,100"], "deleted"),
    "e.xls": (
        b"<html><table><tr><td>Town</td><td>Sum</td></tr><tr><td>Ostrel</td><td>3</td></tr></table></html>",
        ["| Ostrel | 3 |"],
        [],
        "",
    ),
    "f.html": (PAGE.encode(), ["|  | 2024 | 2024 |", "| Ostrel | 3 | 4 |"], [], ""),
    "g.html": (
        "<p>この<ruby>青<rp>(</rp><rt>あお</rt><rp>)</rp>岚<rt>らん</rt></ruby>です</p>".encode(),
        ["青岚(あおらん)です"],
        [],
        "",
    ),
    "h.csv": (
        "账户名称：张三\n\n交易日期,摘要,金额\n2026-01-03,工资,88\n2026-01-04,水费,3\n".encode("gb18030"),
        ["账户名称", "交易日期,摘要,金额\n2026"],
        [],
        "",
    ),
    "i.csv": (b"sep=;\nTown;People\nOstrel;12.400\n", ["Town;People\nOstrel"], ["sep="], ""),
    "j.docm": (WORD["insertion"][0], ["fee is 5,250"], [], "deleted"),
}

FILES = [
    *(
        (f"{kind}: {name}", f"a{ending}", *case)
        for kind, ending, cases in (("word", ".docx", WORD), ("slides", ".pptx", SLIDES), ("sheets", ".xlsx", SHEETS))
        for name, case in cases.items()
    ),
    *((name, name.split(" ")[0], *case) for name, case in {**OPEN, **OTHERS}.items()),
]


@pytest.mark.parametrize(
    ("name", "data", "held", "absent", "note"), [one[1:] for one in FILES], ids=[one[0] for one in FILES]
)
def test_what_a_person_sees_is_read_and_what_is_left_out_is_named(name, data, held, absent, note) -> None:
    kind = find_format(name)
    parts = list(load_reader(kind)(io.BytesIO(data), "Name"))
    text = "\n".join(passage.text for one in parts for passage in one.passages)
    told = "; ".join(one.note for one in parts)
    assert [words for words in held if words not in text] == []
    assert [words for words in absent if words in text] == []
    assert note in told
    assert bool(note) == bool(told)


STRICT = (
    (
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        b"http://purl.oclc.org/ooxml/wordprocessingml/main",
    ),
    (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
    ),
)


def test_a_formula_nested_too_deeply_is_an_error_in_documents_and_slides() -> None:
    formula = f"<m:oMath>{'<m:e>' * 300}{M.format('x')}{'</m:e>' * 300}</m:oMath>"
    slide = f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody><a:p>{formula}</a:p></p:txBody></p:sp>"
    for name, data in (("a.docx", word(p(formula))), ("a.pptx", slides(slide))):
        with pytest.raises(RecursionError):
            list(load_reader(find_format(name))(io.BytesIO(data), name))


def test_a_strict_document_is_read_as_any_other() -> None:
    data = documents.docx([("Heading 1", "Facts"), ("", "The harbour opened in 1911.")])
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    for name, member in members.items():
        for transitional, strict_name in STRICT:
            member = member.replace(transitional, strict_name)  # noqa: PLW2901 - one after the other
        members[name] = member
    strict = documents.zipped(members)
    (one,) = load_reader(find_format("a.docx"))(io.BytesIO(strict), "Name")
    assert one.passages[0].headings == ()
    assert one.title == "Facts"


def test_other_packages_add_formats_by_an_entry_point(tmp_path, monkeypatch) -> None:
    from weiwo.tools.corpus import formats  # noqa: PLC0415 - its cache is cleared

    (tmp_path / "hangul.py").write_text(
        "from weiwo.tools.corpus.formats.parts import Part\nfrom weiwo.tools.corpus.records import Passage\n\n"
        "def read(file, name):\n    yield Part(name, [Passage(file.read().decode(), (), 'line 1', 1, 1)])\n",
        encoding="utf-8",
    )
    info = tmp_path / "hangul-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hangul\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[weiwo.formats]\nhwp = hangul:read\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    formats._list_added.cache_clear()
    try:
        kind = find_format("a.HWP")
        assert kind is not None
        (one,) = load_reader(kind)(io.BytesIO(b"words"), "Name")
        assert (kind.type, one.passages[0].text) == ("hwp", "words")
    finally:
        formats._list_added.cache_clear()
