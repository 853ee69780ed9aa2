"""Ranks and ordinals: "the highest" where the sources have only the second-highest, another number of a floor or a place."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.text.language import HAN, fold
from weiwo.text.patterns import lazy

_ORDINALS: Final = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_RANK: Final = rf"{_ORDINALS}|\d+(?:st|nd|rd|th)"
_ORDINAL: Final = lazy(rf"(?i)\b({_ORDINALS})[\s-]([a-z]{{3,20}})")
_SUPERLATIVE: Final = lazy(
    r"(?i)(?<![a-z-])(?<!\d(?:st|nd|rd|th)[\s-])((?:high|tall|larg|bigg|small|long|short|old|young|new|deep|wid|fast|slow|heavi|busi|rich|low|earli|great)est)\b"
)
_HAN_RANK: Final = lazy(rf"([{HAN}]{{2}})第([一二三四五六七八九十\d]{{1,3}})([{HAN}]{{1,2}})")


def find_misranked(statement: str, grounds: Grounds) -> Iterator[str]:
    """A rank or ordinal where the sources give what it counts with others only: "the highest" of the second-highest."""
    texts = [source.text for source in grounds.sources]
    for found in _ORDINAL.finditer(statement):
        noun = rf"{re.escape(fold(found[2]))}\b"
        there = {m for text in texts for m in re.findall(rf"({_ORDINALS})[\s-]{noun}", text)}
        if there and found[1].lower() not in there:
            yield f"“{found[0]}”: the sources say {', '.join(sorted(there)[:3])}"
    for found in _SUPERLATIVE.finditer(statement):
        behind = re.findall(r"[\w-]+", fold(statement[found.end() : found.end() + 60]))[:3]
        for size in (3, 2, 1, 0):
            phrase = re.escape(" ".join([found[1].lower(), *behind[:size]]))
            ranked = [m for text in texts for m in re.findall(rf"(?:({_RANK})[\s-])?\b{phrase}\b", text)]
            if ranked:
                if all(ranked):
                    yield f"“{found[1]}”: the sources say {ranked[0]}-{found[1]}"
                break
    for found in _HAN_RANK.finditer(statement):
        there = {
            m
            for text in texts
            for m in re.findall(rf"{found[1]}第([一二三四五六七八九十\d]{{1,3}}){found[3][0]}", text)
        }
        if there and found[2] not in there:
            yield f"“{found[0]}”: the sources say 第{min(there)}"
