"""A stream cut into pieces: nothing lost, marks kept with what they prove, pieces out as soon as they can be; claims."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.work import assert_linear
from weiwo.nodes.writer.document import claim_spans, find_heading, label_cell
from weiwo.nodes.writer.generate import _replace_claim
from weiwo.nodes.writer.piece_stream import split_pieces
from weiwo.text.markdown import FENCE, find_opaque

EN = (
    "Emperor Wu of Han was older, by 56 years [1]. He was born in 156 BC.[2] Caesar, e.g. the dictator, was born on "
    "12 July 100 BC! [3][4]\n\nDr. Smith agrees at 3.5 per cent [5, 6]. So does U.S. law [7-8]. The end?"
)
ZH = "汉武帝比凯撒年长56岁[1]。汉武帝生于公元前156年。[2]凯撒生于公元前100年！【3】两人从未见过面。［4］完。"
PARTS = st.sampled_from(
    [
        *"ab .!?。！？[]【】1,、\n",
        "Dr. ",
        "[1]",
        "[2][3]",
        "【4】",
        " [5, 6]",
        "[7-9]",
        "He was born in 156 BC. ",
        "生于1956年。",
        *["\n\n", "\n- ", "\n  - ", "\n    ", "\n1. ", "\n```py\n", "\n```\n", "\n~~~\n", "| a | b |\n", "|---|---|\n"],
        *[
            "--- | ---\n",
            "a | b\n",
            "## H\n",
            "\n---\n",
            "\n> q",
            "$$\n",
            "\\[",
            "``",
            "`x[0]`",
            "===\n",
            "**b**",
            "\\",
            "\t",
        ],
    ]
)
DOCUMENT = """# Plans

**Recommendation:** take Cirrus [2].
| Plan | Price |
|:-----|------:|
| Aurora | 20 euros [1] |
| Dune | 4 \\| 5 euros [2] |

- Boreal
  - costs 35 euros [1]

    and has no SSO [1].
    1. Nested [2].

> A quotation
> over lines. [2]

Setext heading
--------------

Plan | Price
--- | ---
Dune | 50 euros [2]

~~~python
x[0] = {"a": [1, 2]}  # [1]

# done.
~~~

    indented[1] = 2

$$
x_{[1]} = 20
$$

Run `a | b[1]` or ``c ` d``. Done [1].
"""
CLAIMS = [
    *[
        "**Recommendation:** take Cirrus [2].",
        "20 euros [1]",
        "4 \\| 5 euros [2]",
        "costs 35 euros [1]",
    ],
    *["and has no SSO [1].", "Nested [2].", "A quotation\n> over lines. [2]", "50 euros [2]"],
    *["Run `a | b[1]` or ``c ` d``.", "Done [1]."],
]


async def given_as(pieces: Iterable[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def cut(pieces: Iterable[str]) -> list[str]:
    return [segment async for segment in split_pieces(given_as(pieces))]


def chunked(text: str, sizes: list[int]) -> list[str]:
    pieces, start = [], 0
    while start < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[start : start + size])
        start += size
    return pieces


@pytest.mark.parametrize("text", [EN, ZH])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
async def test_marks_stay_with_their_sentence_however_the_text_comes(text, size):
    found = await cut(chunked(text, [size]))
    assert "".join(found) == text
    assert found == await cut([text])
    expected = {
        EN: [["[1]"], ["[2]"], ["[3]", "[4]"], ["[5, 6]"], ["[7-8]"], []],
        ZH: [["[1]"], ["[2]"], ["【3】"], ["［4］"], []],
    }[text]
    assert len(found) == len(expected)
    for segment, marks in zip(found, expected, strict=True):
        assert all(mark in segment for mark in marks)
        assert not segment.lstrip().startswith(("[", "【", "［"))


@given(st.lists(PARTS, max_size=40), st.lists(st.integers(1, 9), min_size=1, max_size=5))
@examples(120)
async def test_joined_they_are_the_text(parts, sizes):
    text = "".join(parts)
    found = await cut(chunked(text, sizes))
    assert "".join(found) == (text if text.strip() else "")
    assert all(segment.strip() for segment in found)


@given(st.lists(PARTS, max_size=40), st.lists(st.integers(1, 9), min_size=1, max_size=5))
@examples(300)
async def test_any_text_is_cut_the_same_however_it_comes(parts, sizes):
    text = "".join(parts)
    assert await cut(chunked(text, sizes)) == await cut([text])


@pytest.mark.parametrize("text", ["a\n````。``", "a. B\n- ```c` d\n", "a\n```py\nb\n```\nC."])
@pytest.mark.parametrize("size", [1, 2, 3])
async def test_backticks_open_a_fence_only_where_none_follows_in_the_line(text, size):
    assert await cut(chunked(text, [size])) == await cut([text])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 24, 10_000])
async def test_a_document_is_cut_the_same_however_it_comes(size):
    pieces = await cut(chunked(DOCUMENT, [size]))
    assert "".join(pieces) == DOCUMENT
    assert pieces == await cut([DOCUMENT])
    assert [piece[start:end] for piece in pieces for start, end in claim_spans(piece)] == CLAIMS


@given(st.lists(PARTS, max_size=40))
@examples(120)
async def test_claims_do_not_overlap_nor_lie_in_code(parts):
    text = "".join(parts)
    for piece in [text, *await cut([text])]:
        code = [one for one in find_opaque(piece) if one.code and FENCE.match(piece, one.start)]
        spans = claim_spans(piece)
        assert all(0 <= start < end <= len(piece) for start, end in spans)
        assert all(left[1] <= right[0] for left, right in pairwise(spans))
        blocks = [one for one in code if piece[: one.start].endswith(("\n", "")[not one.start])]
        assert not [s for s in spans for one in blocks if s[0] < one.end and one.start < s[1]]


async def test_rows_go_out_one_by_one_and_never_in_part():
    pieces = await cut(chunked("| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nDone.", [3]))
    assert pieces == ["| A | B |\n|---|---|\n", "| 1 | 2 |\n", "| 3 | 4 |\n\n", "Done."]


@pytest.mark.parametrize("before", ["", "Sure! Here it is:\n\n"])
async def test_a_fence_around_the_whole_is_taken_off(before):
    text = f"{before}```markdown\n# Head\n\nA fact [1].\n\n```py\nx = 1\n```\n\nMore [2].\n```\n"
    assert (
        "".join(await cut(chunked(text, [5]))) == f"{before}# Head\n\nA fact [1].\n\n```py\nx = 1\n```\n\nMore [2].\n"
    )


@pytest.mark.parametrize(
    "listed",
    [
        "**Sources:**\n[1] Plans\n",
        "## 来源\n\n1. 手册\n",
        "[^1]: Plans, page 1.\n",
        "## References\n\n\\[1] Harbour Gazette\\\n\\[2] Journal of Piers\n\n\\[3] Wikipedia\n",
        "## Quellen\n\n(1) Hafenordnung\n(2) Handbuch\n",
        "参考文献：\n〔1〕 港の規則\n",
        "**Références :**\n\n［1］ Règlement\n",
    ],
)
async def test_a_list_of_sources_is_left_out(listed):
    assert "".join(await cut(chunked(f"A fact [1].\n\n{listed}\nAnd so on.\n", [4]))) == "A fact [1].\n\nAnd so on.\n"


def test_a_cell_is_told_by_its_row_and_column():
    table = "| Plan | Price | SSO |\n|---|---|---|\n| Aurora [1] | 20 | yes |\n"
    assert label_cell(table, table.index("yes")) == ("Aurora", "SSO")
    assert label_cell(table, table.index("Aurora")) == ("Plan",)
    assert find_heading("# Head\n\n**Kestrel Bus**\n* It lost") == "Kestrel Bus"


async def test_a_sentence_goes_out_as_soon_as_the_next_has_begun():
    sent: list[str] = []

    async def model() -> AsyncIterator[str]:
        for piece in ["Ada was born in 1815 ", "[1]. ", "Alan ", "was born in 1912 [2]."]:
            sent.append(piece)
            yield piece

    stream = split_pieces(model())
    assert await anext(stream) == "Ada was born in 1815 [1]. "
    assert sent == ["Ada was born in 1815 ", "[1]. ", "Alan "]
    assert await anext(stream) == "Alan was born in 1912 [2]."
    await stream.aclose()


async def test_a_mark_that_is_still_coming_is_waited_for():
    assert await cut(["Ada was born in 1815. ", "[", "1", "] Alan came later."]) == [
        "Ada was born in 1815. [1] ",
        "Alan came later.",
    ]


async def test_a_bracket_that_never_closes_does_not_hold_up_the_rest():
    text = "He said [sic that. " + "Then there was a sentence. " * 20
    assert len(await cut(chunked(text, [5]))) > 10


async def test_an_error_passes_through_and_takes_the_unfinished_sentence_with_it():
    async def model() -> AsyncIterator[str]:
        yield "Ada was born in 1815 [1]. Alan was "
        raise ConnectionError("cut")

    stream = split_pieces(model())
    assert await anext(stream) == "Ada was born in 1815 [1]. "
    with pytest.raises(ConnectionError):
        await anext(stream)


async def test_nothing_and_blanks_are_no_sentence():
    assert await cut([]) == []
    assert await cut(["", " ", "\n"]) == []


@pytest.mark.trial
@pytest.mark.parametrize(
    ("piece", "step"),
    [
        *[(EN, 6), ("[", 500), ("| a | 1 |\n", 24), ("- a 1\n", 24), ("> a 1\n", 24), ("a | 1\n--- | ---\n", 24)],
        *[
            ("```\na. b\n", 24),
            ("a. b `c\n", 24),
            ("    a. b\n", 24),
            ("a e.g. b ", 9),
            ("  - a\n", 24),
            ("$$ a. b\n", 24),
        ],
    ],
)
def test_a_long_answer_takes_linear_time(piece, step):
    assert_linear(lambda text: asyncio.run(cut(chunked(text, [step]))), piece, 20_000)


@pytest.mark.parametrize(
    ("piece", "claim", "new", "left"),
    [
        ("- One [1].\n\n", "One [1].", "Two [2].", "- Two [2].\n\n"),
        ("  * [x] One [1].\n", "One [1].", "* Two [2].", "  * [x] Two [2].\n"),
        ("- One [1].\n\n", "One [1].", "", "\n\n"),
        ("- Head\n  - One [1].\n", "One [1].", "", "- Head\n"),
        ("A. One [1]. ", "One [1].", "", "A. "),
        ("| a | 5 [1] | b |\n", "5 [1]", "6 [2]", "| a | 6 [2] | b |\n"),
        ("| a | 5 [1] | b |\n", "5 [1]", "x | y", "| a | x \\| y | b |\n"),
        ("| a | 5 [1] | b |\n", "5 [1]", "| a | 6 [2] | b |", "| a | 6 [2] | b |\n"),
        ("| a | 5 [1] | b |\n", "5 [1]", "", "| a | – | b |\n"),
        ("> One [1].\n\n", "One [1].", "Two.", "> Two.\n\n"),
    ],
)
def test_a_replacement_keeps_markers_borders_and_line_ends(piece, claim, new, left):
    start = piece.index(claim)
    assert _replace_claim(piece, (start, start + len(claim)), new) == left
