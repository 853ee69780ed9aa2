"""Pieces of an answer that state nothing: headings, labels, and sentences that only announce what follows."""

import re
from typing import Final

from weiwo.nodes.writer.verification.counts import counts_things
from weiwo.nodes.writer.verification.particulars import find_particulars
from weiwo.text.language import HAN, fold
from weiwo.text.patterns import lazy

LONGEST_ANNOUNCEMENT: Final = 200
"""Characters of a sentence that only announces what follows."""
LONGEST: Final = 2_000
"""Characters of a claim that are read."""

_ANNOUNCES: Final = lazy(
    r"(?i)^(?:here(?:['’]s| is| are)\b|below\b|(?:the following|this) (?:table|list|section|report|answer|comparison|overview)\b"
    r".{0,30}\b(?:compares?|lists?|shows?|summari[sz]es?|covers?|describes?|gives?|sets?|contains?|explains?)\b"
    r"|以下|下面|下表|如下)"
)
_MARKUP: Final = lazy(r"^\s{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+|\d{1,3}[.)]\s+)+")
_EMPHASIS: Final = lazy(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")


def plain_claim(text: str) -> str:
    """A claim without its Markdown: no heading signs, bullets, emphasis and cell borders."""
    bare = _EMPHASIS.sub("", _MARKUP.sub("", text[:LONGEST].strip()))
    return re.sub(r"(?<!\s)\s*+\|\s*+|\|\s*+", " , ", bare).strip(" ,") if bare.count("|") >= 2 else bare


def is_heading(text: str) -> bool:
    """Whether a piece of an answer is a heading or a label and states nothing: it is no claim."""
    line = text.strip()
    if line.startswith("#"):
        return True
    bare = plain_claim(line)
    bold = bool(re.fullmatch(r"(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[:：]?", line))
    short = len(bare) <= 60 and not re.search(r"\d", bare)
    if (bold or bare.endswith((":", "："))) and short:
        return True
    return (
        short
        and not re.search(rf"[{HAN}]|[.!?…]$", bare)
        and len(bare.split()) <= 3
        and bare.istitle()
        and not find_particulars(bare).names
    )


def announces(text: str, question: str) -> bool:
    """Whether a sentence only announces what follows it ("Here is the comparison of A and B:"), without any figure."""
    bare = plain_claim(text)
    leads, opens = bare.endswith((":", "：")), _ANNOUNCES.match(bare) is not None
    if len(bare) > LONGEST_ANNOUNCEMENT or not (leads or opens):
        return False
    stated = find_particulars(bare)
    figures = [number for number in stated.numbers if not counts_things(bare, number)]
    if figures or stated.dates or stated.versions or stated.codes:
        return False
    return (leads and opens) or all(fold(name) in fold(question) for name in stated.names)
