"""Answers on a terminal: their Markdown as people read it, whole at any width, whatever it holds."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from weiwo.app.render.markdown import Markdown
from weiwo.text.citation_marks import seal_marks

TABLE = "| City | 人口 |\n| --- | ---: |\n| London | 8.9 million [1] |\n| 北京 | 2189万 [2] |\n"


def drawn(text: str, width: int = 60, *, color: bool = False) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=color, color_system="standard" if color else None).print(
        Markdown(seal_marks({"answer": text}))
    )
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def test_heading_and_emphasis_lose_their_signs() -> None:
    assert (
        drawn("## Two **bold** words [1]\n\nThen *prose* with `code`.") == "Two bold words [1]\n\nThen prose with code."
    )


def test_nested_list_keeps_bullets_numbers_and_indentation() -> None:
    text = "Before:\n- one [1]\n- two\n  3. inner\n  4. next\n\nAfter."
    assert drawn(text) == "Before:\n\n• one [1]\n• two\n  3. inner\n  4. next\n\nAfter."


def test_table_has_its_cells_in_columns() -> None:
    lines = drawn(TABLE).splitlines()
    assert lines[0].split() == ["City", "人口"]
    assert set(lines[1]) == {"─"}
    assert [line.split(maxsplit=1) for line in lines[2:]] == [["London", "8.9 million [1]"], ["北京", "2189万 [2]"]]


def test_code_stands_as_it_was_written() -> None:
    assert drawn("```python\ndef f(x):\n    return x[0]  # **no** bold\n```") == (
        "  def f(x):\n      return x[0]  # **no** bold"
    )


def test_quotation_has_a_bar_on_each_line() -> None:
    lines = drawn("> many words that wrap over the edge of a narrow screen", 24).splitlines()
    assert len(lines) > 2
    assert all(line.startswith("│ ") for line in lines)


def test_chinese_wraps_between_characters_and_marks_stay() -> None:
    lines = drawn("- 汉武帝刘彻出生于公元前156年，是西汉的第七位皇帝。[3][4]", 24).splitlines()
    assert all(cell_len(line) <= 24 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])
    assert (
        "".join(line.removeprefix("  ") for line in lines)
        == "• 汉武帝刘彻出生于公元前156年，是西汉的第七位皇帝。[3][4]"
    )


def test_signs_that_are_no_markdown_stay() -> None:
    assert (
        drawn("5 * 3 * 2 = 30, snake_case_name, a < b, <b>x</b>") == "5 * 3 * 2 = 30, snake_case_name, a < b, <b>x</b>"
    )


def test_citation_marks_stand_out() -> None:
    assert "\x1b[36m[1]\x1b[0m" in drawn("A fact [1].", color=True)


@pytest.mark.parametrize("width", [20, 80])
@given(st.text(alphabet=st.sampled_from("ab 汉.\n|-#>*`~[]()1_<"), max_size=120))
def test_any_text_is_drawn_within_the_screen(width: int, text: str) -> None:
    lines = drawn(text, width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    kept = "".join(re.findall(r"[ab汉]", drawn(text, 400)))
    assert set(kept) <= set(text)


@given(st.text(st.sampled_from("ab1.)-=[]: \n\n中，　\xa0!?")))
def test_words_alone_are_printed_as_the_parser_would(text: str) -> None:
    marked = f"{text}\n\n*end*"  # which takes the parser
    assert drawn(f"{text}\n\nend") == drawn(marked)
