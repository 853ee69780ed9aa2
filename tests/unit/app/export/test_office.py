"""Word and PowerPoint files: read back with the libraries that wrote them, and with nothing that leads outside."""

import io
import re
import zipfile

import docx
import pptx
import pytest

from tests.support.results import make_result
from tests.unit.nodes.shared.prompting.test_exfiltration import VECTORS
from weiwo.app.export import render

KNOWN = "https://docs.example.org/api?x=1"


def parts_of(package: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}


def document_of(**changes: object) -> "docx.document.Document":
    return docx.Document(io.BytesIO(render(make_result(**changes), "docx")))


def slides_of(**changes: object) -> list[list[str]]:
    presentation = pptx.Presentation(io.BytesIO(render(make_result(**changes), "pptx")))
    slides = []
    for slide in presentation.slides:
        texts = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
        tables = [shape.table for shape in slide.shapes if shape.has_table]
        slides.append(
            [*texts, *(" | ".join(cell.text for cell in row.cells) for table in tables for row in table.rows)]
        )
    return slides


@pytest.mark.parametrize("kind", ["docx", "pptx"])
def test_links_lead_to_cited_sources_only_whatever_the_answer_holds(kind: str) -> None:
    hostile = "\n\n".join(VECTORS)
    result = make_result(f"Aurora costs 20 euros [1].\n\n{hostile}", question=hostile[:3_000])
    for holder in (result["citations"][1], result["evidence"][1], result["plan"]["vertices"][0], result["gaps"][0]):
        holder |= {name: hostile for name in ("title", "source", "quote", "text", "description") if name in holder}
    parts = parts_of(render(result, kind))
    targets = {
        target
        for name, part in parts.items()
        if name.endswith(".rels")
        for target in re.findall(r'<Relationship [^>]*Target="([^"]*)"[^>]*TargetMode="External"', part)
    }
    targets |= {
        target
        for name, part in parts.items()
        if name.endswith(".rels")
        for target in re.findall(r'<Relationship [^>]*TargetMode="External"[^>]*Target="([^"]*)"', part)
    }
    assert targets == {KNOWN}


@pytest.mark.parametrize("kind", ["docx", "pptx"])
@pytest.mark.parametrize("text", ["\ufffe\uffff\x0b\ud800x", "&#11;&#x202e;&#0;x", "𝒳🙂" * 50, "", "\n\n"])
def test_any_text_makes_a_file(kind: str, text: str) -> None:
    result = make_result(text, question=text or "?", claims=[], status=text)
    result["citations"][0] |= {"title": text, "quote": text}
    parts = parts_of(render(result, kind))
    assert "\u202e" not in "".join(parts.values())


@pytest.mark.parametrize("kind", ["docx", "pptx"])
def test_properties_are_those_of_the_answer(kind: str) -> None:
    opened = docx.Document if kind == "docx" else pptx.Presentation
    properties = opened(io.BytesIO(render(make_result(), kind))).core_properties
    assert (properties.title, properties.author, properties.comments) == ("What does Aurora cost?", "Weiwo", "")
    assert properties.created is not None
    assert (properties.created.isoformat()[:10], properties.modified) == ("2025-01-02", properties.created)
    unknown = parts_of(render(make_result(thread_id="mine"), kind))["docProps/core.xml"]
    assert "created" not in unknown
    assert "2013" not in unknown


def test_a_document_has_its_headings_lists_tables_and_code() -> None:
    file = document_of()
    told = [(paragraph.style.name, paragraph.text) for paragraph in file.paragraphs if paragraph.text]
    assert told[0] == ("Title", "What does Aurora cost?")
    assert [text for style, text in told if style == "Heading 1"] == [
        "Prices",
        "Sources",
        "How it was found",
        "Limits and gaps",
    ]
    assert ("List Number", "First, install it[1].") in told
    assert ("List Bullet 2", "On Linux, take the package.") in told
    assert ("Quote", "Words of the maker.") in told
    assert ("Normal", 'print("<b>hello</b>")') in told
    assert [cell.text for cell in file.tables[0].rows[1].cells] == ["2021", "15[2]"]
    assert told[-1][0] == "List Bullet", "what limits the answer is told last"


def test_a_mark_leads_to_the_entry_of_its_source() -> None:
    body = parts_of(render(make_result(), "docx"))["word/document.xml"]
    marks = set(re.findall(r'w:anchor="(\w+)"', body))
    assert marks == {"source_1", "source_2"}
    assert marks <= set(re.findall(r'<w:bookmarkStart [^>]*w:name="(\w+)"', body))


def test_a_source_tells_date_and_version() -> None:
    text = "\n".join(paragraph.text for paragraph in document_of().paragraphs)
    assert (
        "docs/pricing_v1.2.md · no date stated; file of 2022-01-31 · version 1.2 · superseded by pricing_v2.md" in text
    )
    assert "[2]\tpage 2  “" in text


def test_a_numbered_list_begins_anew() -> None:
    file = document_of(answer="1. a\n2. b\n\nText.\n\n1. c\n", claims=[])
    numbers = [
        paragraph._p.pPr.numPr.numId.val for paragraph in file.paragraphs if paragraph.style.name == "List Number"
    ]
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_doubtful_statement_is_marked() -> None:
    runs = [run for paragraph in document_of().paragraphs for run in paragraph.runs if run.font.underline]
    assert [run.text for run in runs] == ["Then run it (unverified).", "not supported by any source"]


def test_columns_are_as_wide_as_their_text() -> None:
    wide = "a sentence that goes on for longer than a number does"
    table = document_of(answer=f"| n | told |\n| --- | --- |\n| 1 | {wide} |\n| 2 | {wide} |", claims=[]).tables[0]
    narrow, broad = (column.width for column in table.columns)
    assert narrow * 3 < broad
    assert [cell.width for cell in table.rows[1].cells] == [narrow, broad]


def test_points_are_shared_out_evenly() -> None:
    points = "\n".join(f"- Point {n} of the answer." for n in range(12))
    slides = [slide[1].count("Point") for slide in slides_of(answer=points, claims=[]) if "Point" in slide[1]]
    assert slides == [6, 6]


def test_slides_of_an_answer() -> None:
    slides = slides_of()
    assert [slide[0] for slide in slides[:2]] == ["What does Aurora cost?", "Prices"]
    assert slides[1][1].startswith("Aurora costs 20 euros"), "what leads to a table stands above it"
    assert slides[1][-3:] == ["2021 | 15[2]", "2022 | 18[2]", "2023 | 20[1]"]
    assert [slide[0] for slide in slides[-3:]] == ["Sources", "How it was found", "Limits and gaps"]
    assert "version 1.2 · superseded by pricing_v2.md" in slides[-3][1]


def test_what_does_not_fit_goes_on_to_the_next_slide_and_none_is_lost() -> None:
    sentences = [f"Sentence number {n} tells of the year {1900 + n} and of nothing else at all." for n in range(60)]
    rows = "\n".join(f"| {n} | {'word ' * 12} |" for n in range(40))
    answer = f"# Long\n\n{' '.join(sentences)}\n\n| n | text |\n|---|---|\n{rows}\n\n```\n" + "x = 1\n" * 50 + "```\n"
    slides = slides_of(answer=answer, claims=[], citations=[], gaps=[], plan=None, status="complete")
    text = "\n".join("\n".join(slide) for slide in slides)
    assert [text.count(sentence) for sentence in sentences] == [1] * 60
    assert text.count("x = 1") == 50
    assert [text.count(f"\n{n} | word") for n in range(40)] == [1] * 40
    assert all(len(slide[1].split("\n")) <= 20 for slide in slides if len(slide) > 1)
    assert "Long (2)" in [slide[0] for slide in slides]
