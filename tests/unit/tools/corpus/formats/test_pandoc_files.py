"""A manual in Chinese written by pandoc 3 in several formats: notes, formulas, figures and tables arrive in each."""

import io
import zipfile
from pathlib import Path

import pytest

from weiwo.tools.corpus.formats import find_format, load_reader

FILES = Path(__file__).parents[4] / "data" / "documents" / "pandoc.zip"


def read(name: str) -> str:
    with zipfile.ZipFile(FILES) as files:
        data = files.read(name)
    kind = find_format(name)
    assert kind is not None
    (part,) = load_reader(kind)(io.BytesIO(data), name)
    return "\n\n".join(passage.text for passage in part.passages)


@pytest.mark.parametrize("ending", ["odt", "pptx", "epub"])
def test_a_formula_is_read(ending):
    assert "a/b=x^2" in "".join(read(f"manual.{ending}").split())


@pytest.mark.parametrize("ending", ["odt", "pptx", "epub", "fb2"])
def test_superscripts_and_notes_are_read(ending):
    text = read(f"manual.{ending}")
    assert "费用为 10⁶ 元" in text
    assert "见附录。" in text


@pytest.mark.parametrize("ending", ["odt", "pptx", "epub", "fb2", "rst"])
def test_a_table_of_wide_characters_keeps_its_columns(ending):
    text = read(f"manual.{ending}")
    assert "| 港口 | 船 |" in text
    assert "| 基尔 | 40 |" in text
