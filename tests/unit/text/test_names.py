import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import assert_linear
from weiwo.text.names import names


def found(text: str) -> list[str]:
    return [name.text for name in names(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emperor Wu of Han was older than Julius Caesar.", ["Emperor Wu of Han", "Julius Caesar"]),
        ("Leonardo da Vinci never saw the Eiffel Tower.", ["Leonardo da Vinci", "Eiffel Tower"]),
        ("Where is the University of Paris?", ["University of Paris"]),
        ("J. R. R. Tolkien's house", ["J. R. R. Tolkien"]),
        ("Tolkien's and Einstein’s letters", ["Tolkien", "Einstein"]),
        ("Marie Curie and Albert Einstein met in Paris in May 1911.", ["Marie Curie", "Albert Einstein", "Paris"]),
        ("NASA closed INC-49217.", ["NASA", "INC-49217"]),
        ("Apollo 11 and Henry VIII", ["Apollo 11", "Henry VIII"]),
        ('Who wrote "Hamlet"?', ["Hamlet"]),
        ('He said "never again." and left', []),
        ("Mountains are high. Compare them. Was I wrong?", []),
        ("The French composer was in the U.S. in March.", ["U.S."]),
        ("AT&T Inc. was founded by Alexander Graham Bell.", ["AT&T Inc", "Alexander Graham Bell"]),
        ("What Is The Capital Of France", []),
        ("who was older, julius caesar or emperor wu of han", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("汉武帝和凯撒谁年长", ["汉武帝", "凯撒"]),
        ("尤利乌斯·凯撒和汉武帝谁年长", ["尤利乌斯·凯撒", "汉武帝"]),
        ("汉武帝生于公元前156年，凯撒生于公元前100年。", ["汉武帝", "凯撒"]),
        ("《红楼梦》的作者曹雪芹是哪里人", ["红楼梦", "曹雪芹"]),
        ("鲁迅的妻子的出生地", ["鲁迅"]),
        ("诸葛亮死于哪一年", ["诸葛亮"]),
        ("比较北京、上海和广州的人口", ["北京", "上海", "广州"]),
        ("长江比黄河长多少公里", ["长江", "黄河"]),
        ("北京大学和清华大学哪个更早成立", ["北京大学", "清华大学"]),
        ("埃菲尔铁塔有多高", ["埃菲尔铁塔"]),
        ("苹果公司的创始人是谁", ["苹果公司"]),
        ("第二次世界大战什么时候结束", ["第二次世界大战"]),
        ("请问爱因斯坦出生在哪里", ["爱因斯坦"]),
        ("Python和Java的区别是什么", ["Python", "Java"]),
        ("世界上最长的河", []),
        ("今天天气怎么样", []),
        ("光合作用是什么", []),
        ("我们公司的年假政策是什么", []),
        ("你好", []),
    ],
)
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
