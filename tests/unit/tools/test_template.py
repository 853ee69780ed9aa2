"""Templates of reports: what is a place to fill, and what stays as it stands."""

import docx
import pytest

from weiwo.state.settings import SettingsError
from weiwo.tools.template import Slot, parse_template, read_template

TEXT = """# Note

About {{question}}.

## Opening

{{ In which year was it opened? }} (as told)

## Manager

## Numbers

### Pallets

### Gates

Two of them: {{ name the gates }}
"""


def test_placeholders_and_empty_headings_are_slots():
    template = parse_template(TEXT)
    assert template.slots == (
        Slot("Opening", "In which year was it opened?"),
        Slot("Manager", "Manager"),
        Slot("Pallets", "Pallets"),
        Slot("Gates", "name the gates"),
    )
    assert "About {{question}}." in template.body
    assert "{{0}} (as told)" in template.body
    assert "Two of them: {{3}}" in template.body


def test_a_word_file_is_read_as_its_markdown(tmp_path):
    document = docx.Document()
    document.add_heading("Note", 0)
    document.add_heading("Opening", 2)
    document.add_paragraph("{{ In which year was it opened? }}")
    document.add_heading("Manager", 2)
    document.save(str(tmp_path / "note.docx"))
    slots = read_template(str(tmp_path / "note.docx"), 20).slots
    assert slots == (Slot("Opening", "In which year was it opened?"), Slot("Manager", "Manager"))


@pytest.mark.parametrize(
    ("slot", "subjects", "asked"),
    [
        (Slot("Opening", "When was it opened?"), ("Norholm",), "Norholm: When was it opened?"),
        (Slot("Opening", "When was Norholm opened?"), ("Norholm",), "When was Norholm opened?"),
        (Slot("Opening", "the year and why"), ("Norholm",), "Norholm: Opening: the year and why"),
        (Slot("启用", "哪一年启用？"), ("青禾仓库",), "青禾仓库: 哪一年启用？"),
        (Slot("Manager", "Manager"), (), "Tell all: Manager"),
    ],
)
def test_a_slot_names_what_the_question_is_about(slot, subjects, asked):
    assert slot.ask("Tell all?", subjects) == asked


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("gone.md", None, "cannot be read: No such file"),
        ("bare.md", b"only text", "has nothing to fill"),
        ("many.md", b"# a\n" * 4, "4 places to fill, but max_tasks is 3"),
        ("binary.md", b"\xff\xfe\x00", "not UTF-8 text"),
        ("fake.docx", b"no archive", "is not a Word file"),
        ("huge.md", b"x" * 1_000_001, "is larger than"),
    ],
)
def test_what_is_no_template_is_told_in_a_line(tmp_path, name, content, why):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=why) as told:
        read_template(str(tmp_path / name), 3)
    assert "\n" not in str(told.value)


def test_hostile_braces_are_read_once():
    assert parse_template("{{ " * 200_000).slots == ()
