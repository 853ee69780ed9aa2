"""Files of a result: what is refused before anything is asked, and how they are written."""

import json
import os
import stat
import sys

import pytest

from tests.support.results import make_result
from weiwo.app.export import FORMATS, ExportError, export, format_of, render
from weiwo.app.export.files import check_outputs


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("a.md", "md"),
        ("A.HTML", "html"),
        ("a.b.json", "json"),
        ("a.csl.json", "csl"),
        ("报告.html", "html"),
        ("a.bib", "bib"),
    ],
)
def test_the_ending_names_the_format(name, format_):
    assert format_of(name).name == format_


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("a.txt", "the ending names no known format; use one of .md .html .docx .pptx .json .weiwo .bib .csl.json"),
        ("json", "the ending names no known format"),
        (".json", "the ending names no known format"),
        ("folder", "is a folder"),
        ("folder.md", "is a folder"),
        ("nowhere/a.md", "does not exist; create it first"),
        ("pipe.md", "cannot be overwritten"),
    ],
)
def test_what_cannot_be_written_is_refused_first(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(ExportError, match=says):
        check_outputs(["good.md", path])


def test_a_file_named_twice_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExportError, match="named twice"):
        check_outputs(["a.md", str(tmp_path / "x" / ".." / "a.md")])


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr("weiwo.app.export.files.find_spec", lambda _: None)
    with pytest.raises(ExportError, match=r"pip install 'weiwo\[documents\]'"):
        check_outputs(["a.docx"])
    with pytest.raises(ExportError, match="is unknown"):
        render(make_result(), "pdf")


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_a_file_is_replaced_whole_and_keeps_its_mode_and_its_link(tmp_path):
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert export(make_result(), link) == link
    assert link.is_symlink()
    assert real.read_text().startswith("# What does Aurora cost?")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("weiwo.app.export.files.os.fsync", full)
    with pytest.raises(ExportError, match="No space left"):
        export(make_result(), tmp_path / "a.md")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.md", "old")]


def test_json_is_the_result_and_hides_nothing():
    result = make_result(question="what \u202eis\u202c it \x9b?")
    written = render(result, "json").decode()
    assert json.loads(written) == result
    assert "\u202e" not in written


@pytest.mark.parametrize("name", FORMATS)
def test_rendering_twice_gives_the_same(name):
    assert render(make_result(), name) == render(make_result(), name)


def test_markdown_has_its_sources_below_the_answer_and_its_limits_last():
    written = render(make_result(), "md").decode()
    lines = written.splitlines()
    assert lines[0] == "# What does Aurora cost?"
    assert written.index("## Prices") < written.index("## Sources") < written.index("Limits and gaps")
    assert "- Aurora: prices \\& plans · <https://docs.example.org/api?x=1> · dated 2024-03-05" in lines
    old = lines.index(
        "- Pricing 100% {old} · `docs/pricing_v1.2.md` · no date stated; file of 2022-01-31"
        " · version 1.2 · superseded by pricing\\_v2.md"
    )
    assert lines[old + 1].startswith("  - \\[2\\] page 2 “")
