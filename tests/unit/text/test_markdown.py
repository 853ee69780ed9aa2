"""Markdown, read once: what each line is, what is code, and the tree that terminal and files draw."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.work import assert_linear
from weiwo.text.markdown import Node, Run, find_opaque, parse_blocks, parse_markdown, read_lines, scan_lines
from weiwo.text.outline import Heading, read_outline

WILD = st.lists(
    st.sampled_from(
        [
            *[
                "a",
                "b.",
                "汉。",
                " ",
                "  ",
                "    ",
                "\t",
                "\n",
                "\n\n",
                "\r\n",
                "\r",
                "- ",
                "1. ",
                "> ",
                "# ",
                "=",
                "---",
                "|",
            ],
            *[
                "```",
                "~~~",
                "`",
                "``",
                "$$",
                "\\[",
                "\\]",
                "*",
                "**",
                "[1]",
                "[x](/y)",
                "<b>",
                "![i](/j)",
                "[a]: /u",
                "\\|",
            ],
        ]
    ),
    max_size=40,
).map("".join)


def kinds_of(text: str) -> list[str]:
    return [line.kind for line in read_lines(text)]


def words_of(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        yield from (run.text for run in (*node.runs, *(run for row in node.rows for cell in row for run in cell)))
        yield node.text + node.language
        yield from words_of(node.children)


@given(WILD)
@examples(200)
def test_the_lines_are_the_text(text: str) -> None:
    lines = read_lines(text)
    assert "".join(text[line.start : line.end] for line in lines) == text
    assert all(line.start <= line.inside <= line.end for line in lines)
    assert all(line.kind != "blank" or not text[line.start : line.end].strip("> \t\r\n") for line in lines)


@given(WILD, WILD)
@examples(200)
def test_a_context_moves_no_line(context: str, text: str) -> None:
    lines = scan_lines(text, context)
    assert "".join(text[line.start : line.end] for line in lines) == text
    assert all(line.start <= line.inside <= line.end for line in lines)


@given(WILD)
@examples(200)
def test_fenced_code_is_what_the_parser_says_it_is(text: str) -> None:
    fences = [token.map for token in parse_blocks(text) if token.type == "fence"]
    rows = text.split("\n")
    wanted = ["\n".join(rows[first:end]).rstrip("\n") for first, end in filter(None, fences)]
    found = [text[line.start : line.end] for line in read_lines(text) if line.kind == "fence"]
    if not re.match(r"\s*?[ \t]{4}", text):  # a piece that begins so is read as one of a list
        assert "".join(found).replace("\n", "") == "".join(wanted).replace("\n", "")


@given(WILD)
@examples(200)
def test_opaque_spans_are_in_order_and_apart(text: str) -> None:
    spans = find_opaque(text)
    assert all(one.start < one.end <= len(text) for one in spans)
    assert all(left.end <= right.start for left, right in pairwise(spans))


@given(WILD)
@examples(200)
def test_no_letter_is_lost_in_the_tree(text: str) -> None:
    shown = "".join(words_of(parse_markdown(text)))
    addresses = re.sub(r"\[x\]\(/y\)|!\[i\]\(/j\)", "", text)
    for sign in "汉<":
        assert shown.count(sign) == addresses.count(sign)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# H\na\n===\nb\n\n---\n", ["heading", "title", "rule", "text", "blank", "rule"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", ["head", "delimiter", "row"]),
        ("a | b\n--- | ---\n1 | 2\n\nc", ["head", "delimiter", "row", "blank", "text"]),
        ("| 1 | 2 |\n", ["row"]),
        ("| a | b | c |\n|---|---|\n| 1 | 2 | 3 |\n", ["head", "delimiter", "row"]),
        ("```py\n\nx = 1\n", ["fence", "fence", "fence"]),
        ("- a\n  ```\n  x\n  ```\n", ["text", "fence", "fence", "fence"]),
        ("    x = 1\n", ["code"]),
        ("    - nested\n", ["text"]),
        ("      ```\n      x\n      ```\n", ["fence", "fence", "fence"]),
        ("[a]: https://example.org\n<div>\n", ["text", "text"]),
    ],
)
def test_what_a_line_is(text: str, kinds: list[str]) -> None:
    assert kinds_of(text) == kinds


def test_a_context_tells_what_a_piece_is_nested_in() -> None:
    assert scan_lines("    more\n", "- x\n\n")[0].depth == 1
    assert [line.kind for line in scan_lines("===\n", "x\n")] == ["rule"]
    assert read_lines("- [x] done\n")[0].inside == len("- [x] ")
    assert [(line.inside, line.quoted) for line in read_lines("> a\n> - b\n")] == [(2, True), (8, True)]


def test_the_tree_has_styles_links_and_descriptions() -> None:
    (node,) = parse_markdown("**a** [*b*](/c) ![d](/e) `f` <i>")
    assert (
        node.runs
        == (
            *(Run("a", bold=True), Run(" "), Run("b", italic=True, link="/c"), Run(" ")),
            *(Run("d"), Run(" "), Run("f", code=True), Run(" "), Run("<i>")),
        )
        or "".join(run.text for run in node.runs) == "a b d f <i>"
    )
    assert [(run.text, run.link) for run in node.runs if run.link] == [("b", "/c")]


def test_an_outline_passes_over_code_and_front_matter() -> None:
    text = "---\ntitle: x\n---\n\n# A #\n\n```\n# no\n```\n\nB\n---\ntext\n==\n"
    headings, fences = read_outline(text)
    assert headings == [Heading(1, "A", 4, 5), Heading(2, "B", 10, 12)]
    assert fences == [(6, 9)]


@pytest.mark.trial
@pytest.mark.parametrize(
    "piece", ["> ", "- ", "[", "| a ", "* a\n", "`", "a|b\n", "**a", "<", "a\n", "$", "\\[", "    - a\n"]
)
def test_any_text_takes_linear_time(piece: str) -> None:
    assert_linear(
        lambda text: (read_lines(text), find_opaque(text), parse_markdown(text), read_outline(text)), piece, 20_000
    )
