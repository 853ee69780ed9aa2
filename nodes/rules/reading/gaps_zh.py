"""Phrases in the place of a Chinese question word, which stands where the answer stands: 由谁审批, 由部门经理审批."""

import re
from collections.abc import Iterator
from typing import Final

from nodes.rules.reading.likeness import Word, said
from nodes.rules.reading.people_zh import person_in
from text.language import HAN
from text.patterns import lazy

Span = tuple[int, int]

_ASKING: Final = lazy(
    r"什么时候|什么时间|什么地方|什么人|什么|何时|何地|何处|何人|哪[一几]?(?:[年天月日位个座家款种类项条门所间些里儿])?|谁|多[少久长高大重深宽远快]|几|如何|怎么样|怎样|怎么"
)
_LONGEST: Final = 28
_UNMARKED: Final = 0.8
_STOP: Final = lazy(r"[，。；！？,;!?（）()|]|：|$")
_LINK: Final = lazy(
    r"\s*(?:分别|主要|一般|通常|就|只能|应|须|需|必须)?(?:是|为|在|由|叫做?|：|:|给|至|到|了|于|向|用|以)?\s*[“\"「]?"
)
_TAIL: Final = lazy('[”」"]?(?:等|之间|以内)?$')
_FUNCTION: Final = "的了是为在由有到从向给用以让被对和与及并将把会要能可需应须这那其该各每"
_LEAD_IN: Final = lazy(r"^(?:如果|若|当|其中|另外|此外|一般|通常|届时|每[年月周]|现在|目前)?[由被让请]?")
_NOT_A_VALUE: Final = lazy(
    rf"^[{_FUNCTION}]*$|^(?:必须|可以|应当?|需要|不得|不能|没有|不|未|已|也|都|均|[了的着过就才敢觉得在并而且还更很、])"
    r"|\.\.\.|…|[“”《》]$|[一二]个|[着过]$"
)
_FILLED: Final = lazy(
    r"[款费率额数量值]?(?:分别|目前|最多|至少|不超过|将|可|已|现)?(?:[是为达约近超有共到至了在：:]|左右|大约|达到|超过|增至|突破)*\s*"
)
_ROLE: Final = lazy(
    r"(?:经理|主管|主任|组长|部长|总监|负责人|部门?|小组|[^的]组|团队|人员|员|老师|教师|教授|客服|管理员|[甲乙双]方|公司|委员会|处|科|中心|本人|家长|医生|工程师|财务|人事)$"
)


def phrases(question: str, sort: str, words: tuple[Word, ...], clause: str) -> Iterator[tuple[Span, float]]:
    """Phrases of a clause that stand where the question word stands in the question, each with how well.

    Args:
        question: The question.
        sort: What it seeks: person, place or phrase.
        words: Its words.
        clause: A clause that says most of them.
    """
    asking = _ASKING.search(question)
    if asking is None:
        return
    copular = question[: asking.start()].endswith(("是", "为", "叫"))
    left = question[: asking.start()].rstrip("是为在由于到有给向：: ")
    right = question[asking.end() :].rstrip("？?。 ")
    right = re.sub(rf"^[{HAN}]?(?=的|$)", "", right) if len(right) <= 1 else right
    hits = [*_behind(left, right, clause, copular=copular), *_ahead(right, clause)]
    for span, sure in hits:
        text = clause[slice(*span)]
        if _telling(text, words) and (sure > _UNMARKED or sort == "person"):
            yield span, sure


def _behind(left: str, right: str, clause: str, *, copular: bool) -> Iterator[tuple[Span, float]]:
    """What follows the words that stand before the question word."""
    for length in range(min(len(left), 10), 1, -1):
        piece = left[-length:]
        at = clause.find(piece)
        if at < 0 or all(c in _FUNCTION for c in piece):
            continue
        link = _LINK.match(clause, at + length)
        start = link.end() if link else at + length
        linked = start > at + length
        stop = _STOP.search(clause, start)
        end = stop.start() if stop else len(clause)
        tail = right[:2]
        if len(tail) == 2 and (cut := clause.find(tail, start)) > start:
            end = min(end, cut)
        end = start + len(_TAIL.sub("", clause[start:end]))
        if len(right) >= 2 and right[-2:] not in clause:
            return
        if end > start:
            yield (start, end), (1.0 if linked else 0.5 if copular else 0.9 if length >= 3 else 0.85)
        return


def _ahead(right: str, clause: str) -> Iterator[tuple[Span, float]]:
    """What stands before the words that follow the question word: 谁负责X, X由谁审批."""
    if len(right) < 2:
        return
    for length in range(min(len(right), 8), 1, -1):
        at = clause.find(right[:length])
        if at <= 0 or all(c in _FUNCTION for c in right[:length]):
            continue
        piece = re.split("[，。；：,;]", clause[:at])[-1]
        marks = list(re.finditer("[由被让请]|[是为](?=.)", piece))
        start = (
            at - len(piece) + (marks[-1].end() if marks else (found.end() if (found := _LEAD_IN.match(piece)) else 0))
        )
        if at - start >= 2 and not clause[start:at].endswith("的"):
            yield (start, at), 0.95 if marks else _UNMARKED
        return


def _telling(text: str, words: tuple[Word, ...]) -> bool:
    """Whether a phrase says more than the question did, and is a phrase at all."""
    if not text or len(text) > _LONGEST or _NOT_A_VALUE.match(text):
        return False
    rest = said(text).text
    for word in words:
        rest = rest.replace(word.text, "")
    return bool(re.search(rf"[{HAN}]{{2}}|[a-z0-9]", rest))


def adjoins(question: str, text: str, span: Span) -> float:
    """How directly a number follows the words that stand before the question word, or precedes those behind it."""
    asking = _ASKING.search(question)
    if asking is None:
        return 0.0
    left = re.sub(r"[是为有达到了约在：: 要需多]+$", "", question[: asking.start()])
    clause = re.split("[，。；]", text[: span[0]])[-1]
    behind = re.match(f"(?:的|带薪)?{re.escape(left[-2:])}", text[span[1] :]) if len(left) >= 2 else None
    if behind:
        return 0.95
    for length in range(min(len(left), 8), 0, -1):
        piece = left[-length:]
        at = clause.rfind(piece)
        if at >= 0 and (length > 1 or len(left) == 1 or not re.match("[的了是]", piece)):
            return (1.0 if length > 1 else 0.9) if _FILLED.fullmatch(clause[at + length :]) else 0.0
    return 0.0


def is_role(text: str) -> bool:
    """Whether a phrase names a person, or one by role: 部门经理."""
    return len(text) <= 10 and (person_in(text) is not None or bool(_ROLE.search(text)))
