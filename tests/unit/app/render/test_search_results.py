"""Extracts on the screen and on a pipe: highlights, offsets that make no sense, and the answer around them."""

import io
import re

from rich.console import Console

from weiwo.app.render.answer import foot, plain_answer, print_answer
from weiwo.app.render.search_results import plain_extract, render_passage

DANUBE = {
    "n": 1,
    "source": "danube.md",
    "title": "Danube",
    "text": "The Danube is a river.\nIt is 2,850 km long.",
    "highlights": [[23, 43]],
    "score": 1.0,
    "evidence_id": "e1",
    "locator": "lines 3-4",
}
ANSWER = "> The Danube is a river.\n> **It is 2,850 km long.**\n\n— Danube [1]"
RESULT = {
    "answer": ANSWER,
    "language": "en",
    "status": "extracts",
    "stop_reason": "finished",
    "extracts": [DANUBE],
    "citations": [
        {"n": 1, "source": "danube.md", "title": "Danube", "quote": "It is 2,850 km long.", "evidence_id": "e1"}
    ],
}


def on_terminal(result, *, verbose=False):
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system="standard")
    print_answer(console, result, verbose=verbose)
    return console.file.getvalue()


def test_highlights_are_bold_on_a_terminal_and_starred_on_a_pipe():
    (spans,) = [render_passage(DANUBE).spans]
    assert [(span.style, render_passage(DANUBE).plain[span.start : span.end]) for span in spans] == [
        ("bold", "It is 2,850 km long.")
    ]
    assert plain_extract(DANUBE) == "The Danube is a river. **It is 2,850 km long.**"
    marked = {**DANUBE, "text": "**One.** Two.", "highlights": [[9, 13]]}
    assert plain_extract(marked) == "One. **Two.**"


def test_offsets_that_make_no_sense_highlight_nothing():
    for highlights in ([[5, 5]], [[-3, 4]], [[10, 900]], [[9, 3]], [[0, 4], [2, 6]]):
        text = plain_extract({**DANUBE, "text": "0123456789", "highlights": highlights})
        assert text.replace("**", "").replace(" ", "") == "0123456789"
        assert text.count("**") <= 2


def test_control_characters_in_a_passage_move_no_highlight():
    extract = {**DANUBE, "text": "A\x1b[31m b. Long it is.", "highlights": [[10, 21]]}
    assert plain_extract(extract) == "A[31m b. **Long it is.**"


def test_a_terminal_shows_each_passage_once_as_a_quotation_and_where_it_is_from():
    shown = on_terminal(RESULT, verbose=True)
    assert shown.count("2,850 km long") == 1
    assert re.search(r"│ .*\x1b\[1mIt is 2,850 km long\.", shown)
    assert shown.index("2,850") < shown.index("— Danube") < shown.index("Sources")
    assert shown.rstrip().endswith("Danube · danube.md")


def test_a_passage_is_shown_as_its_source_has_it_and_another_quotation_as_markdown():
    table = {**DANUBE, "text": "| a | b |\n|---|---|\n| 1 | 2 |", "highlights": [[20, 29]]}
    answer = "> | a | b |\n> |---|---|\n> **| 1 | 2 |**\n\n— Danube [1]\n\nAs it says:\n\n> *So* it is.\n"
    shown = on_terminal({**RESULT, "answer": answer, "extracts": [table]}, verbose=True)
    lines = [re.sub(r"\x1b\[\d*m", "", line).rstrip() for line in shown.splitlines()]
    assert lines[:4] == ["│ | a | b |", "│ |---|---|", "│ | 1 | 2 |", "  — Danube [1]"]
    assert "│ So it is." in lines


def test_a_pipe_gets_the_answer_as_it_is_and_no_quotation_twice():
    text = plain_answer(RESULT)
    assert text.count("2,850 km long") == 1
    assert "> **It is 2,850 km long.**" in text
    assert text.splitlines()[-1] == "[1] Danube · danube.md"


def test_verbose_a_pipe_gets_each_passage_whole_below_its_source():
    text = plain_answer(RESULT, verbose=True)
    (extract, *_) = RESULT["extracts"]
    below = text.splitlines()[text.splitlines().index("[1] Danube · danube.md") + 1 :]
    assert [line.strip() for line in below] == extract["text"].splitlines()


def test_the_foot_of_extracts_complains_of_nothing():
    assert foot({**RESULT, "thread_id": "t"}).startswith("extracts · 0 model calls")
