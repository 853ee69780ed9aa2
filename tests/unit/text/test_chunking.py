"""Passages: whole, bounded, and where they say they are."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import assert_linear
from weiwo.text.chunking import _LARGEST_CODE, LARGEST, Chunk, chunk_text, measure_weight
from weiwo.text.markdown import find_unbroken

PARAGRAPH = "The bridge was opened in 1849. It joins Buda and Pest across the Danube. " * 4
HEADING_ROOM = 30

_line = st.one_of(
    st.text(alphabet=st.characters(exclude_characters="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=60),
    st.sampled_from(
        ["# Title", "## Section", "### Deeper", "", "", "```", "- item one", "| a | b |", "===", "---", "    x"]
    ),
    st.sampled_from([PARAGRAPH, "汉武帝生于公元前156年。" * 30, "word " * 400, "x" * 3_000, "\t", "# " + "y" * 300]),
)
documents = st.lists(_line, max_size=25).map("\n".join)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def lines_of(piece: Chunk, text: str) -> str:
    return "\n".join(text.split("\n")[piece.first - 1 : piece.last])


@given(text=documents, markdown=st.booleans())
def test_a_passage_stands_in_the_lines_it_names(text: str, *, markdown: bool) -> None:
    title, pieces = chunk_text(text, markdown=markdown)
    for piece in pieces:
        assert 1 <= piece.first <= piece.last <= text.count("\n") + 1
        assert piece.text in lines_of(piece, text)
    assert pieces or not (title or text.strip())


@given(text=documents, markdown=st.booleans())
def test_nothing_is_lost(text: str, *, markdown: bool) -> None:
    title, pieces = chunk_text(text, markdown=markdown)
    kept = squeezed(title + "".join(" ".join(piece.headings) + piece.text for piece in pieces))
    for line in text.split("\n"):
        content = squeezed(re.sub(r"^ {0,3}#{1,6}[ \t]|[ \t]#+[ \t]*$", "", line))
        if len(content) < 60 and not re.fullmatch(r"[=#-]*", content):
            assert content in kept
    assert sum(len(piece.text) for piece in pieces) <= len(text)


@given(text=documents, markdown=st.booleans())
def test_passages_are_bounded_and_in_order(text: str, *, markdown: bool) -> None:
    _, pieces = chunk_text(text, markdown=markdown)
    assert all(piece.text.strip() for piece in pieces)
    for piece in pieces:
        most = _LARGEST_CODE if find_unbroken(piece.text) else LARGEST
        assert measure_weight(piece.text) <= most + HEADING_ROOM
    assert all(before.last <= after.first for before, after in pairwise(pieces))


def test_an_article_keeps_its_title_and_headings() -> None:
    text = f"# Bridge\n\nIntro here.\n\n## History\n\n{PARAGRAPH}\n\n### Fire\n\nIt burned.\n\n## Today\n\nIt stands.\n"
    title, pieces = chunk_text(text, markdown=True)
    assert title == "Bridge"
    assert [(piece.headings, piece.first, piece.last) for piece in pieces] == [
        ((), 3, 3),
        (("History",), 5, 7),
        (("History", "Fire"), 9, 11),
        (("Today",), 13, 15),
    ]
    assert pieces[2].text == "### Fire\n\nIt burned."


def test_short_paragraphs_are_joined_and_long_ones_parted_between_sentences() -> None:
    short = "\n\n".join(["One short paragraph of seven words here."] * 20)
    assert all(60 <= measure_weight(piece.text) <= 80 for piece in chunk_text(short, markdown=True)[1])
    long = "This sentence has exactly seven words here. " * 100
    pieces = chunk_text(long, markdown=True)[1]
    assert len(pieces) == 4
    assert all(piece.text.endswith(".") and piece.text.startswith("This") for piece in pieces)


def test_chinese_passages_have_at_most_400_characters() -> None:
    pieces = chunk_text("汉武帝刘彻生于公元前156年，在位五十四年。" * 100, markdown=False)[1]
    assert all(120 <= len(re.findall("[一-龥]", piece.text)) <= 400 for piece in pieces)
    assert all(piece.text.endswith("。") for piece in pieces)


def test_code_is_not_taken_for_headings() -> None:
    _, pieces = chunk_text("# T\n\n```sh\n# not a heading\n\necho\n```\n\ntext\n", markdown=True)
    assert len(pieces) == 1
    assert "# not a heading\n\necho" in pieces[0].text


def test_underlined_headings_and_headings_alone_are_kept() -> None:
    title, pieces = chunk_text("Title\n=====\n\nPart\n----\n\nwords\n\n## Empty\n", markdown=True)
    assert title == "Title"
    assert [(piece.headings, piece.text) for piece in pieces] == [
        (("Part",), "Part\n----\n\nwords"),
        (("Empty",), "## Empty"),
    ]


@pytest.mark.parametrize(
    ("text", "markdown", "title", "texts"),
    [
        ("# Only a title\n", True, "Only a title", ["Only a title"]),
        ("Plain title\n\nBody.", False, "Plain title", ["Plain title\n\nBody."]),
        ("A sentence.\n\nBody.", False, "name", ["A sentence.\n\nBody."]),
        ("", True, "name", []),
        (" \n\t\n", False, "name", []),
    ],
)
def test_titles(text: str, *, markdown: bool, title: str, texts: list[str]) -> None:
    found, pieces = chunk_text(text, markdown=markdown, name="name")
    assert (found, [piece.text for piece in pieces]) == (title, texts)


@pytest.mark.trial
@pytest.mark.parametrize("unit", ["a ", "汉", "Hello there. ", "# h\n", "- x\n", "p\n\n"])
def test_long_input_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: chunk_text(text, markdown=True), unit, short=5_000)
    _, pieces = chunk_text(unit * 10_000, markdown=True)
    assert pieces
    assert all(measure_weight(piece.text) <= LARGEST + HEADING_ROOM for piece in pieces)


@pytest.mark.parametrize("markdown", [True, False])
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_fenced_block_and_the_rows_of_a_table_stay_whole(fence: str, *, markdown: bool):
    told = "The importer reads each file once and tells what it could not read. " * 12
    code = "\n".join(f"step {n}: run(first. second) and wait; then go on. Next word {n}" for n in range(40))
    rows = "\n".join(f"| host {n} | It was built. It was sold. It was lost. | {n} |" for n in range(30))
    table = f"| name | told | n |\n|---|---|---|\n{rows}"
    _, pieces = chunk_text(f"{told}\n{fence}\n{code}\n{fence}\n{told}\n\n{table}\n", markdown=markdown)
    assert sum(code in piece.text for piece in pieces) == 1
    for row in rows.splitlines():
        assert any(row in piece.text for piece in pieces)


def test_code_too_long_for_a_passage_is_parted_between_lines():
    lines = [f"call number {n} with these. and those words of no meaning" for n in range(400)]
    _, pieces = chunk_text("```\n" + "\n".join(lines) + "\n```\n", markdown=True)
    assert len(pieces) > 1
    assert {line for piece in pieces for line in piece.text.splitlines()} == {*lines, "```"}


ROWS = "\n".join(
    f"| Pier {n} | {n * 40} crowns a day for a ship of up to {n} hundred tons, water and light apart |"
    for n in range(60)
)
LONG = f"| Pier | Fee |\n| --- | --- |\n{ROWS}"


@pytest.mark.parametrize(
    ("before", "after", "caption"),
    [
        (
            "Table 3: Fees of the eastern piers. They hold from May.\n\n",
            "",
            "Table 3: Fees of the eastern piers. They hold from May.",
        ),
        ("表2 东码头收费\n\n", "", "表2 东码头收费"),
        ("", "\n\nTabelle 4. Gebühren der Kais im Osten.", "Tabelle 4. Gebühren der Kais im Osten."),
        ("Fees of the eastern piers\n\n", "", "Fees of the eastern piers"),
        ("The piers were rebuilt. Their fees rose.\n\n", "\n\nThey rose again.", ""),
        ("Two lines\nof an introduction\n\n", "", ""),
    ],
)
def test_each_part_of_a_table_has_its_caption(before, after, caption):
    _, chunks = chunk_text(f"# Harbour\n\nThe harbour has piers.\n\n## Fees\n\n{before}{LONG}{after}\n", markdown=True)
    parts = [one for one in chunks if "| Pier " in one.text]
    assert len(parts) > 3
    assert {one.caption for one in parts if caption not in one.text or not caption} == {caption}
    assert all(one.caption in {"", caption} and one.headings == ("Fees",) for one in parts)


def test_a_heading_is_no_caption():
    _, chunks = chunk_text(f"# Harbour\n\nText.\n\n## Fees\n\n{LONG}\n", markdown=True)
    assert {one.caption for one in chunks} == {""}
