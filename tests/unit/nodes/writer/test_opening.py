"""What a draft opens with: words that say nothing go, those that name what follows stay."""

from collections.abc import AsyncGenerator

import pytest

from weiwo.nodes.writer.opening import is_closing, skip_opening
from weiwo.nodes.writer.piece_stream import split_pieces


async def opened(text: str) -> str:
    async def deltas() -> AsyncGenerator[str, None]:
        for start in range(0, len(text), 5):
            yield text[start : start + 5]

    return "".join([piece async for piece in skip_opening(split_pieces(deltas()))])


@pytest.mark.parametrize(
    "opening",
    [
        "Here is the answer:\n\n",
        "Sure! Based on the passages, here is the answer:\n\n",
        "Certainly! Here's a short summary of the results:\n\n",
        "Based on the provided sources:\n\n",
        "Here is the comparison you asked for:\n\n",
        "**Answer:** ",
        "Okay, ",
        "以下是答案：\n\n",
        "好的，根据以上资料，答案如下：",
        "当然！以下是对比表格：\n\n",
    ],
)
async def test_an_opening_that_says_nothing_is_left_out(opening: str) -> None:
    assert await opened(f"{opening}- Ada was born in 1815 [1].\n") == "- Ada was born in 1815 [1].\n"


@pytest.mark.parametrize(
    "text",
    [
        "The three founders were:\n\n- Ada [1]\n",
        "Here are the three founders:\n\n- Ada [1]\n",
        "以下是三位创始人：\n\n- 甲[1]\n",
        "Certainly. Ada was older [1].",
        "Sources [1] and [2] agree: Ada was older.",
        "根据资料[1]，甲更年长。",
        "**The answer is: Ada** [1].",
        "Question: who was older?\n",
        "From 1815 to 1852: Ada [1].",
        "Sure.",
    ],
)
async def test_what_says_something_stays(text: str) -> None:
    assert await opened(text) == text


@pytest.mark.parametrize(
    ("piece", "closes"),
    [
        ("I hope this helps!", True),
        ("Let me know if you need more.", True),
        ("希望以上内容对您有帮助！", True),
        ("如有其他问题，请随时告诉我。", True),
        ("I hope this helps, and the tower is 330 metres tall. It is blue.", False),
        ("The tower is 330 metres tall [1].", False),
        ("Hope Bay was named in 1902 [1].", False),
        ("希望号于1999年升空[1]。", False),
    ],
)
def test_a_courtesy_that_tells_nothing_closes(piece: str, *, closes: bool) -> None:
    assert is_closing(piece) is closes
