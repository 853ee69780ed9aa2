import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.work import assert_linear
from weiwo.text.names import names


def found(text: str) -> list[str]:
    return [name.text for name in names(text)]


@pytest.mark.parametrize(("text", "expected"), read_cases("english_names"))
def test_english(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(("text", "expected"), read_cases("chinese_names"))
def test_chinese(text: str, expected: list[str]) -> None:
    assert found(text) == expected


PIECES = st.sampled_from(
    ["A", "of ", "Paris ", "'s ", ". ", "《", "》", "和", "汉武帝", "·", "阿", "的", "“", "”", "1", '"']
)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=50).map("".join)))
def test_names_are_ordered_pieces_of_the_text(text: str) -> None:
    position = 0
    for name in names(text):
        assert position <= name.start < name.end <= len(text)
        assert text[name.start : name.end] == name.text
        position = name.end


@pytest.mark.trial
@pytest.mark.parametrize(
    "piece", ["A", "A ", "A of ", "J. ", "阿", "阿·", "和", "李白和", "《", '"', "A'", "U.S", "\n", "Of "]
)
def test_long_input_takes_linear_time(piece: str) -> None:
    assert_linear(names, piece)
