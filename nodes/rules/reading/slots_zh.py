"""The slots of Chinese sentences: "S的*作者*是X", "X*创作*的S", "由X*创作*", "X是S的*作者*"."""

import re
from collections.abc import Iterator
from typing import Final

from nodes.rules.reading.binding import binding
from nodes.rules.reading.phrases import Span, after, before
from nodes.rules.reading.relations import Kind
from nodes.rules.reading.standing import View
from text.language import HAN
from text.patterns import lazy

Hit = tuple[Span | str, float]
"""A value (a span, or a title a pronoun stands for) and how surely the slot gives it."""

_LINK_ZH: Final = lazy(
    r"\s*(?:分别|正|就|便|即)?(?:是|为|叫做?|名叫|即|：|:|由|，名叫|有|系|名为|，(?=[^，。]{2,6}[，。]))?\s*[“\"]?"
)
_BEFORE_OF_ZH: Final = lazy(rf"(?:^|[，。；、是为《“])(?P<v>[{HAN}A-Za-z0-9]{{2,16}}?)[》”]?$")
_PRONOUN_ZH: Final = lazy(r"(?:[他她它]们?|其|该\S{0,4}|本\S{0,2}|全\S)的?$")


def noun_zh(view: View, noun: re.Match[str], kind: Kind | None) -> Iterator[Hit]:
    """Values behind and before a noun: "S的作者是X", "X是S的作者"."""
    sentence = view.sentence
    own = _ownership_zh(view, noun)
    link = _LINK_ZH.match(sentence, noun.end())
    position = link.end() if link else noun.end()
    linked = position > noun.end()
    spans: list[Span] = []
    if not re.match(r"[（(]", sentence[noun.end() : noun.end() + 1]):
        spans = after(view, position, kind or "person")
        yield from ((span, (0.95 if linked else 0.85) * own) for span in spans)
    # "曹雪芹是《红楼梦》的作者", "巴黎，法国首都"
    left = sentence[: noun.start()]
    if linked and spans:
        return
    for copula in list(re.finditer("是|为|，|担任|出任|成为", left))[::-1][:4]:
        if not _owned(view, copula.end(), noun.start()):
            continue
        value = before(view, copula.start(), kind)
        if value is not None:
            yield value, 0.85 * own
            return


def _owned(view: View, start: int, end: int) -> bool:
    """Whether the words before a noun make it the subject's: "是S的", "，该书的"."""
    between = view.sentence[start:end]
    if any(start <= a and b <= end for a, b in view.mentions):
        return True
    return (view.carried and bool(re.match("[该此其这本它他她全]", between))) or (view.about < 0.85 and "的" in between)


def _ownership_zh(view: View, noun: re.Match[str]) -> float:
    left = view.sentence[max(0, noun.start() - 30) : noun.start()]
    mine = [m for m in view.mentions if m[1] <= noun.start()]
    if mine:
        gap = view.sentence[mine[-1][1] : noun.start()]
        if re.fullmatch("[》”」]?的?", gap):
            return 1.0
        if not re.search("[，。；：,;]", gap):
            # "苏轼的弟弟的老师": another owner in between.
            return 0.85 if gap.count("的") <= 1 else 0.3
        return 0.72
    if _PRONOUN_ZH.search(left) and view.carried:
        return 0.95
    clause = re.split("[，。；：,;（]", left)[-1]
    if clause.endswith("的") and len(clause) > 2 and view.about >= 0.85:
        return 0.12  # another's: "汉武帝的父亲" where the subject is someone else
    if not clause:
        return 0.9 if view.carried else 0.7
    return 0.6 * binding(view, noun.start(), noun.end())


def passive_zh(view: View, verb: re.Match[str], kind: Kind | None) -> Iterator[Hit]:
    """The doer of a verb: "由X创作", "X创作的S"."""
    sentence = view.sentence
    left = sentence[max(0, verb.start() - 60) : verb.start()]
    offset = verb.start() - len(left)
    if sentence.startswith("是", verb.end()):
        return  # 写的是打官司: what it tells, not who wrote it
    marks = list(re.finditer(r"[由被]|(?<![只不就还])是(?!一|由|被)(?=[^，]*$)", re.split("[。；]", left)[-1]))
    shift = len(left) - len(re.split("[。；]", left)[-1])
    own = binding(view, verb.start(), verb.end())
    if not view.mentions and not view.carried:
        own = min(own, 0.8)
    if marks:
        mark = marks[-1]
        spans = after(view, offset + shift + mark.end(), kind or "person")
        for span in spans:
            if span[1] <= verb.start() + 1:
                gap = sentence[span[1] : verb.start()]
                yield span, (0.95 if mark.group() != "是" else 0.8) * own * (1.0 if len(gap) < 16 else 0.6)
        if spans:
            return
    if not sentence.startswith(("了", "的", "《"), verb.end()):
        return
    value = before(view, verb.start(), kind or "person")
    if value is not None:
        yield value, 0.8 * own


def object_zh(view: View, verb: re.Match[str]) -> Iterator[Hit]:
    """Titles behind a verb: "S写了《X》"."""
    if not re.match(f"[{HAN}]", verb.group()):
        return
    own = binding(view, verb.start(), verb.end())
    first = re.compile("[^，。；《]{0,14}(?=《)").match(view.sentence, verb.end())
    if first:
        yield from ((span, 0.85 * own) for span in after(view, first.end(), "work"))


def owned_zh(view: View, noun: re.Match[str]) -> Iterator[Hit]:
    """What the subject is the maker of: "S是X的*发现者*"."""
    sentence = view.sentence
    if not sentence.startswith("的", noun.start() - 1):
        return
    piece = _BEFORE_OF_ZH.search(sentence, max(0, noun.start() - 24), noun.start() - 1)
    if piece and binding(view, noun.start(), noun.end()) >= 0.7 and not view.sentence.startswith("是", noun.end()):
        yield piece.span("v"), 0.85 * binding(view, noun.start(), noun.end())


def owner_zh(view: View, mark: re.Match[str]) -> Iterator[tuple[Span | str, float]]:
    """The value before a phrase: "S是汉文帝刘恒之子": the value stands before the phrase, behind 是 or a comma."""
    sentence = view.sentence
    left = re.split("[，。；]", sentence[: mark.start()])[-1]
    start = mark.start() - len(left)
    copula = re.search("[是为系]", left)
    position = start + copula.end() if copula else start
    spans = [span for span in after(view, position, "person") if span[1] >= mark.start() - 1]
    own = binding(view, mark.start(), mark.end()) if not copula else 1.0
    yield from ((span, 0.9 * own) for span in spans)
