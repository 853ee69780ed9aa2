"""Whether words in a sentence are said of the subject rather than of another who is named beside it."""

import re
from typing import Final

from nodes.rules.reading.standing import PREPOSITION, View
from text.language import HAN
from text.names import Name
from text.patterns import lazy

_KIN: Final = (
    "father mother son daughter wife husband brother sister uncle aunt nephew niece cousin grandfather grandmother "
    "grandson granddaughter widow friend rival pupil student teacher successor predecessor author director composer"
)
_KIN_OF: Final = lazy(rf"(?i)\b(?:{'|'.join(_KIN.split())})s? of (?:the )?$")
_KIN_ZH: Final = lazy(
    "^的?(?:父亲|母亲|儿子|女儿|妻子|丈夫|弟弟|哥哥|兄|弟|姐姐|妹妹|祖父|祖母|叔父|侄子|长子|次子|幼子|外孙|学生|老师|弟子|好友|作者|导演|雕塑家)"
)
_CLAUSE_ZH: Final = lazy("[，。；、：,;（）()]")
_FILLER_ZH: Final = lazy(
    r"(?:公元)?前?[\d一二三四五六七八九十〇零]{1,5}(?:世纪|年代|年|月|日|时|号)(?:初|末|底|前后|左右|间)?|他们?|她|它|其|该|这|本|于|在|约|大约|"
    r"[^，]{0,6}(?:以后|之后|时|后)|曾|正式|首次|先后|最终|终于|前一[天日]|次日|第?二天|当[天日]|同[年月日]|应该?是?|才|并|也|又|就|将|已|被|一般认为|据说|可能|通常|即|至|到|从|自|[\d\s]"
)


_DENIED: Final = lazy(r"(?i)\b(?:not|never)\s(?:\w+\s)?$|(?:没有?|未|并不?|不)$")


def binding(view: View, start: int, end: int, *, strict: bool = False) -> float:
    """How surely the words at `start:end` of the sentence are said of the subject and not of another, 0 to 1.

    Args:
        view: The sentence.
        start: Start of the words, in the sentence.
        end: Their end.
        strict: Whether another name nearby makes it improbable, as with births and deaths.
    """
    sentence = view.sentence
    if _DENIED.search(sentence, max(0, start - 16), start):
        return 0.1
    before = [span for span in view.mentions if span[1] <= start]
    if any(a <= start < b for a, b in view.mentions):
        return 1.0
    if not before:
        behind = [span for span in view.mentions if span[0] >= end]
        if behind and behind[0][0] - end <= 60:
            between = sentence[end : behind[0][0]]
            return 0.95 if not re.search("[;；。]", between) else 0.6
        if not view.carried:
            return 0.4 if view.mentions else 0.7
        anchor = (0, 0)
    else:
        anchor = before[-1]
    if re.search(f"[{HAN}]", sentence[max(0, start - 12) : end]):
        return _binding_zh(view, anchor, start, strict=strict)
    return _binding_en(view, anchor, start, strict=strict)


def _binding_en(view: View, anchor: tuple[int, int], start: int, *, strict: bool) -> float:  # noqa: PLR0911 - a decision list reads best flat
    sentence = view.sentence
    gap = sentence[anchor[1] : start]
    if anchor[1] and re.match(r"['’]s? (?!(?:[a-z]+ ){0,2}$)", gap) and strict:
        return 0.1
    if anchor[1] and strict and _KIN_OF.search(sentence[max(0, anchor[0] - 40) : anchor[0]]):
        return 0.15
    intruders = [
        name for name in view.names if name.start >= anchor[1] and name.end <= start and not _is_subject(view, name)
    ]
    if not intruders:
        return 1.0
    last = intruders[-1]
    tail = sentence[last.end : start]
    if strict and not tail.strip(" ,("):
        return 0.05  # "a team led by Peter Hall, born in 1931"
    relative = re.match(r"[^,]{0,12}(?:\([^)]*\) ?)?(?P<comma>,?) (?:who|which|whose|that)\b", tail)
    if relative:
        # "an outfielder in Major League Baseball who played": the clause is not the league's.
        loose = re.search(r"(?i)\b(?:in|for|at|from) (?:the )?$", sentence[max(0, last.start - 12) : last.start])
        return 0.8 if loose and not relative["comma"] else 0.05
    if re.search(r"(?i)\b(?:he|she|it|they)\b", tail):
        return 0.8
    if PREPOSITION.search(sentence[max(0, last.start - 60) : last.start]):
        return 0.85
    if re.search(r"[,;] ?(?:and |but )?$", sentence[: last.start]) and "," not in tail:
        return 0.1 if strict else 0.4
    return 0.25 if strict else 0.6


def _is_subject(view: View, name: Name) -> bool:
    return any(a < name.end and name.start < b for a, b in view.mentions)


def _binding_zh(view: View, anchor: tuple[int, int], start: int, *, strict: bool) -> float:
    sentence = view.sentence
    gap = sentence[anchor[1] : start]
    cuts = list(_CLAUSE_ZH.finditer(sentence, anchor[1], start))
    clause = sentence[cuts[-1].end() if cuts else anchor[1] : start]
    if anchor[1] and not cuts and _KIN_ZH.match(gap):
        return 0.1 if strict else 0.5
    if (
        anchor[1]
        and strict
        and gap.startswith("的")
        and len(gap) > 2
        and not re.search("[，。；][^，。；]{0,8}[他她]", gap)
    ):
        return 0.1
    clause = re.sub("[在于从到][^，]{1,12}$", "", clause)
    left = _FILLER_ZH.sub("", clause)
    if not cuts or len(left) <= 1:
        return 1.0 if anchor[1] or len(left) <= 1 or not strict else 0.5
    return 0.15 if strict else 0.75
