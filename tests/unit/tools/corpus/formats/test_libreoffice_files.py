"""Files written by LibreOffice 7.4: old Office files, through it where it is installed, and OpenDocument."""

import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from weiwo.tools.corpus.formats import Part, find_format, libre_office, load_reader

FILES = Path(__file__).parents[4] / "data" / "documents" / "libreoffice.zip"
pytestmark = pytest.mark.processes
RTF = r"""{\rtf1\ansi{\fonttbl{\f0 Times;}}
{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc0\levelstartat3{\leveltext\'02\'00.;}{\levelnumbers\'01;}\fi-360\li720}\listid7}}
{\*\listoverridetable{\listoverride\listid7\listoverridecount0\ls1}}
Lease\par The rent is 900.{\footnote {\super 1} Due on the 3rd.}\par
\pard\ls1\ilvl0\fi-360\li720 Third clause\par
\pard\ls1\ilvl0\fi-360\li720 Fourth clause\par
\pard A remark.{\*\annotation pending review}\par }"""
needs_soffice = pytest.mark.skipif(libre_office.find_soffice() is None, reason="no soffice on the PATH")


def read(name: str, data: bytes | None = None) -> Part:
    if data is None:
        with zipfile.ZipFile(FILES) as files:
            data = files.read(name)
    kind = find_format(name)
    assert kind is not None
    (part,) = load_reader(kind)(io.BytesIO(data), "Name")
    return part


def texts(part: Part) -> str:
    return "\n\n".join(passage.text for passage in part.passages)


@needs_soffice
def test_a_doc_keeps_heading_header_footer_and_the_columns_of_its_table():
    part = read("a.doc")
    assert part.title == "Lease"
    assert "| North | 12 | 300 |\n| South |  | 600 |" in texts(part)
    assert {"Orrin Trust", "Confidential"} <= set(texts(part).split("\n"))
    assert not part.losses


@needs_soffice
def test_slides_of_a_ppt_keep_titles_and_their_own_notes():
    slides = {passage.locator: passage.text for passage in read("b.ppt").passages}
    assert slides["slide 1"].startswith("Budget 2025\n\nThe budget is 4.2 million.\n\nMention the deadline.")
    assert slides["slide 2"] == "Only a title"
    assert "Thank Ann." in slides["slide 3"]
    assert "<number>" not in "".join(slides.values())


@needs_soffice
def test_an_xls_shows_its_formats_and_dates_of_1904():
    assert "late | 7.5% | 2024-03-01\nearly | 2.0% | 2023-12-31" in texts(read("c.xls"))


@needs_soffice
def test_an_rtf_keeps_footnotes_comments_and_the_numbers_of_its_lists():
    text = texts(read("a.rtf", RTF.encode()))
    for words in ("3. Third clause\n4. Fourth clause", "Due on the 3rd.", "[Comment: pending review]"):
        assert words in text


def test_an_xls_shows_its_formats_and_dates_of_1904_without_libreoffice_too(monkeypatch):
    pytest.importorskip("xlrd")
    monkeypatch.setattr(libre_office, "find_soffice", lambda: None)
    part = read("c.xls")
    assert "late | 7.5% | 2024-03-01\nearly | 2.0% | 2023-12-31" in texts(part)
    assert not part.losses
    assert [cell.value for cell in part.tables[0].rows[1][1:]] == [0.075, datetime(2024, 3, 1)]  # noqa: DTZ001 - a sheet has no zone


def test_an_xls_that_xlrd_does_not_read_goes_to_xberg(monkeypatch):
    xlrd = pytest.importorskip("xlrd")
    monkeypatch.setattr(libre_office, "find_soffice", lambda: None)
    monkeypatch.setattr(xlrd, "open_workbook", lambda **_: 1 / 0)
    assert "shown as stored" in read("c.xls").note


@pytest.mark.parametrize("name", ["a.doc", "b.ppt", "d.rtf"])
def test_without_libreoffice_the_loss_is_told(name, monkeypatch):
    monkeypatch.setattr(libre_office, "find_soffice", lambda: None)
    part = read(name, RTF.encode() if name == "d.rtf" else None)
    assert part.passages
    assert "install LibreOffice" in part.note


def test_a_conversion_that_fails_is_told_and_xberg_reads_on(monkeypatch):
    monkeypatch.setattr(libre_office, "find_soffice", lambda: "/bin/false")
    part = read("a.doc")
    assert "The rent is 900" in texts(part)
    assert "LibreOffice cannot convert it" in part.note


def test_an_odt_keeps_its_formulas_and_the_numbers_of_its_lists():
    assert texts(read("f.odt")) == "The area is  (a + b)/2 = x^2"
    assert texts(read("l.odt")).split("\n") == [
        "Clauses", "3. Third clause", "a) First point", "b) Second point", "4. Fourth clause", "", "Between.", "5. Fifth clause",
    ]  # fmt: skip


def test_tables_of_a_pdf_keep_their_rows_apart_in_any_language():
    text = texts(read("zh.pdf"))
    for row in ("| 北店 | 奥斯特 | 1250 | 80 |", "| 重量 | 12 公斤 |", "| 厂家 | 奥林机械有限公司 |"):
        assert f"\n{row}\n" in text
    assert "\n产品信息\n" in text
    assert "| Manufacturer | Orrin Works Ltd, 3 Elm Street, Oslo |\n| Warranty | 24 months from delivery |" in texts(
        read("label.pdf")
    )
