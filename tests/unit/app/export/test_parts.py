"""The parts of a question in files: each with its outcome, in both languages."""

import io
import json
from typing import Any

import docx
import pptx
import pytest

from tests.support.results import make_result
from weiwo.app.export import render

PARTS: list[dict[str, Any]] = [
    {"subject": "Burj Khalifa", "attribute": "height", "outcome": "answered", "claims": [0]},
    {"subject": "Burj Khalifa", "attribute": "year | of completion", "outcome": "not_found"},
    {
        "subject": "Ann Lee",
        "attribute": "hiring",
        "outcome": "failed",
        "component": "staff_directory",
        "cause": "connection refused",
        "severity": "error",
    },
]
WORDS = {
    "en": ("Parts of the question", "answered", "not found", "failed (staff_directory: connection refused)"),
    "zh": ("问题的各部分", "已回答", "未找到", "失败 (staff_directory: connection refused)"),
}


def text_of(made: bytes, kind: str) -> str:
    if kind == "docx":
        document = docx.Document(io.BytesIO(made))
        cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
        return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])
    if kind == "pptx":
        shapes = [shape for slide in pptx.Presentation(io.BytesIO(made)).slides for shape in slide.shapes]
        told = [shape.text_frame.text for shape in shapes if shape.has_text_frame]
        tables = [shape.table for shape in shapes if shape.has_table]
        return "\n".join([*told, *(cell.text for table in tables for row in table.rows for cell in row.cells)])
    return made.decode()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", ["md", "html", "docx", "pptx"])
def test_a_file_tells_what_became_of_each_part(kind: str, language: str) -> None:
    text = text_of(render(make_result(parts=PARTS, language=language), kind), kind)
    plain = text.replace("\\", "")
    assert all(word in plain for word in WORDS[language])
    assert "Burj Khalifa · height" in plain
    assert "year | of completion" in plain


@pytest.mark.parametrize("kind", ["md", "html"])
def test_one_part_alone_makes_no_table(kind: str) -> None:
    assert WORDS["en"][0] not in render(make_result(parts=PARTS[:1]), kind).decode()


def test_json_has_the_parts_as_they_are() -> None:
    assert json.loads(render(make_result(parts=PARTS), "json"))["parts"] == PARTS
