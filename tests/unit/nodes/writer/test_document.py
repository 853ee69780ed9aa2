"""A stream cut into sentences: nothing lost, marks kept with what they prove, sentences out as soon as they can be."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.work import assert_linear
from weiwo.nodes.writer.piece_stream import split_pieces

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
    ]
)


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


@pytest.mark.parametrize(("piece", "step"), [(EN, 6), ("[", 500)])
def test_a_long_answer_takes_linear_time(piece, step):
    assert_linear(lambda text: asyncio.run(cut(chunked(text, [step]))), piece, 20_000)
