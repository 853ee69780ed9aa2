"""Text as typeset becomes the text that was meant, line for line."""

import pytest

from tests.support.work import assert_linear
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.typeset import normalize_typeset


@pytest.mark.parametrize(
    ("typeset", "meant"),
    [
        ("⽤⼾⼿册由⻘岚公司发布，⻚眉⻛格", "用戶手册由青岚公司发布，页眉风格"),
        ("用 户 手 册", "用户手册"),
        ("第 一 章　总 则", "第一章总则"),
        ("永\n和\n九\n年\n岁在癸丑", "永和九年\n\n\n\n岁在癸丑"),
        ("ア ク セ ス", "アクセス"),
    ],
)
def test_what_was_typeset_is_put_right(typeset: str, meant: str) -> None:
    assert normalize_typeset(typeset) == meant
    assert normalize_typeset(typeset).count("\n") == typeset.count("\n")


@pytest.mark.parametrize(
    "text", ["张三 李四 王五", "a 中 b 文 c", "赵 钱 孙", "是\n否\n", "plain words", "", "2 月 3 日"]
)
def test_what_was_meant_stays(text: str) -> None:
    assert normalize_typeset(text) == text


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("民國七十八年", PartialDate(1989)),
        ("中华民国99年", PartialDate(2010)),
        ("民國三十八年十月一日成立", PartialDate(1949, 10, 1)),
        ("平成30年4月1日施行", PartialDate(2018, 4, 1)),
        ("令和元年五月", PartialDate(2019, 5)),
        ("１９８９年３月", PartialDate(1989, 3)),
    ],
)
def test_years_of_eras_are_years(text: str, date: PartialDate) -> None:
    assert [span.date for span in find_dates(text)] == [date]


@pytest.mark.parametrize("text", ["民国时期", "平成年间", "民国以来三百年"])
def test_an_era_alone_is_no_year(text: str) -> None:
    assert not find_dates(text)


def test_it_takes_time_in_proportion() -> None:
    assert_linear(normalize_typeset, "用 户 ")
    assert_linear(normalize_typeset, "永\n")
