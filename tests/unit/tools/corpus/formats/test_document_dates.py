"""The date of a document: its own words, then metadata that is no template's, then its file name."""

import io
from datetime import UTC, datetime

import pytest

from weiwo.tools.corpus.formats import find_format, load_reader
from weiwo.tools.corpus.formats.document_dates import _find_stated_date, date_part, find_saved_date
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.records import Passage

TEMPLATE = datetime(2013, 12, 23, 23, 15, tzinfo=UTC)
SAVED = datetime(2024, 5, 6, 7, tzinfo=UTC)


def passage(text: str) -> Passage:
    return Passage(text, (), "line 1", 1, 1)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Leave policy\nVersion 2.1, 3 May 2024\nEvery employee has 27 days.", "2024-05-03"),
        ("**Last updated:** 2024-05-03", "2024-05-03"),
        ("Effective from March 2023", "2023-03"),
        ("Board minutes\n\n4 April 2024", "2024-04-04"),
        ("请假制度\n修订日期：2024年5月3日", "2024-05-03"),
        ("发布于2023年11月", "2023-11"),
        ("The bridge was opened on 3 May 1931.", None),
        ("Updated in 2024", None),
        ("Effective 2024-01-01 to 2024-12-31", None),
        ("The date of the battle is given as 14 October 1066 by the monks of Battle Abbey and others.", None),
        ("Report\nby A. Berg\nfor the board\nThe plan was made here.\nUpdated: 2019-01-01", None),
        ("报告\n作者\n概要\n本计划已经通过。\n修订日期：2019年1月1日", None),
        ("word\n" * 40 + "Updated: 2024-05-03", None),
    ],
)
def test_a_document_states_its_date_in_its_opening_lines(text: str, date: str | None) -> None:
    assert _find_stated_date([passage(text)]) == date


def test_the_date_of_a_template_is_no_date() -> None:
    assert find_saved_date(str(TEMPLATE), None) is None
    assert find_saved_date(str(TEMPLATE), str(SAVED)) == "2024-05-06"
    assert find_saved_date(str(SAVED), str(TEMPLATE)) == "2024-05-06"


@pytest.mark.parametrize(
    ("kind", "name", "stated", "text", "date"),
    [
        ("docx", "a.docx", "2022-01-01", "Dated 3 May 2024", "2024-05-03"),
        ("docx", "a.docx", "2022-01-01", "No date.", "2022-01-01"),
        ("markdown", "a.md", "2022-01-01", "Dated 3 May 2024", "2022-01-01"),
        ("markdown", "plan 2024-02-03.md", None, "No date.", "2024-02-03"),
        ("code", "a.py", None, "updated: 2024-02-03", None),
    ],
)
def test_the_best_date_there_is(kind: str, name: str, stated: str | None, text: str, date: str | None) -> None:
    assert date_part(Part("T", [passage(text)], stated), kind, name) == date


def test_a_new_word_document_has_no_date_until_it_is_saved_with_one() -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("Every employee has 27 days of leave.")
    kind = find_format("a.docx")
    assert kind is not None

    def read() -> str | None:
        file = io.BytesIO()
        document.save(file)
        (part,) = load_reader(kind)(file, "a")
        return part.date

    assert read() is None
    document.core_properties.modified = SAVED
    assert read() == "2024-05-06"
