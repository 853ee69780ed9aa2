"""Lazy patterns."""

import re

import pytest

from weiwo.text.language import HAN
from weiwo.text.patterns import lazy, whole_word

PATTERNS = (rf"[{HAN}]+|[^\W_{HAN}]+", rf"(?<=[{HAN}]) (?=[{HAN}\d])|\d", r"[a-z]+")
TEXTS = (
    "",
    "plain words 12",
    "naïve – “words” 3",
    "多瑙河 长 2850 公里",
    "ideographic 〇 zero",
    "𠮷野家 in 中",
    "ロンドン 5",
    "\udcff ,， 7",
    "déjà vu 8, " * 300,
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_lazy_pattern_finds_what_a_compiled_one_finds_whatever_came_before(pattern):
    compiled = re.compile(pattern)
    for texts in (TEXTS, TEXTS[::-1]):
        own = lazy(pattern)
        for text in texts:
            assert own.findall(text) == compiled.findall(text)
            assert [one.span() for one in own.finditer(text, 1)] == [one.span() for one in compiled.finditer(text, 1)]
            assert own.sub("-", text, count=1) == compiled.sub("-", text, count=1)
            assert own.split(text) == compiled.split(text)
        assert own.flags == compiled.flags


def test_costly_characters_may_be_others_than_the_han():
    kana = "\u3041-\u3096\u30a1-\u30fa"
    own = lazy(f"[{kana}]", costly=kana)
    assert [own.findall(text) for text in ("london", "河", "ロンドン")] == [[], [], ["ロ", "ン", "ド", "ン"]]


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("14", "It fell to 14 weeks, from 22.", True),
        ("22", "It fell to 14 weeks, from 22.", True),
        ("14", "It opened in 2014.", False),
        ("14", "It costs 1.14 or 14.5 euros.", False),
        ("rome", "a chrome bar", False),
        ("rome", "in rome, italy", True),
        ("c++ (2023)", "about c++ (2023)", True),
        ("北京", "他在北京大学", True),
        ("5", "共5座", True),
    ],
)
def test_a_whole_word_stands_alone(word: str, text: str, *, found: bool) -> None:
    assert bool(re.search(whole_word(word), text)) is found
