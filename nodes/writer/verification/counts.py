"""Small numbers that only count what a statement tells of or lists, and state no figure."""

import re
from typing import Final

from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, Quantity
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy

MOST_UNLISTED: Final = 5
"""Things up to this number, written as a word, count what the answer tells of: "two founders"."""
_REPEATED: Final = lazy(r"[次倍遍]|\s(?:times|fold)\b")


def counts_things(sentence: str, number: Quantity) -> bool:
    """Whether a small number only counts what the answer is about: "the oldest of the three", "三人中"."""
    if number.value == 1 and number.kind == "s" and sentence[number.start] == "一":
        return True  # 一年, a year
    if sentence.startswith("一、", number.start):
        return True  # the first of those that it lists
    if number.kind == "%" or not 1 < number.value <= LARGEST_COUNT or number.value != int(number.value):
        return False
    before, after = sentence[: number.start], sentence[number.end :]
    worded = not re.search(r"\d", sentence[number.start : number.end])
    return bool(
        re.search(r"(?i)\b(?:of|all|these|those|both|among) (?:the |these |those )?$", before)
        or (worded and not number.unit and number.value <= MOST_UNLISTED and not _REPEATED.match(after))
        or (re.search(r"(?i)\bthe $", before) and re.match(r"(?i)[,.;]|\s+(?:is|are|was|were|has|have|had)\b", after))
        or re.search(r"[这那]$", before)
        or re.match(rf"[一二三四五六七八九十两\d]+个?[{HAN}]{{0,4}}?(?:之?中|里|都|均|当中)", sentence[number.start :])
        or re.match(r"(?i) of (?:the|these|those|them|its)\b", after)
    )
