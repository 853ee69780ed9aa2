"""How much of what a question says a line says, and where: in its own words, its key, its headings or the passage.

A question's names have to be there; of its other words nearly all. What the words before a number or after "which"
name is the answer's own sort and is weighed with the answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from nodes.rules.reading.lines import Line
from nodes.rules.reading.synonyms import CHINESE, ENGLISH
from nodes.rules.words import FUNCTION_WORDS, stem, terms
from text.language import HAN, fold
from text.patterns import lazy

OWN, KEY, HEAD, LEAD, PASSAGE = 1.0, 1.0, 0.9, 0.8, 0.6
"""What a word counts by where it stands."""

_SYNONYM: Final = 0.9
_MOSTLY: Final = 0.7
_LIGHT: Final = frozenset(
    stem(word)
    for word in [
        "get",
        "receive",
        "have",
        "has",
        "need",
        "require",
        "take",
        "allow",
        "use",
        "used",
        "set",
        "must",
        "should",
        "own",
        "provide",
        "give",
        "offer",
        "happen",
        "work",
        "do",
        "go",
        "come",
        "new",
        "currently",
        "available",
        "long",
        "often",
        "many",
        "much",
        "kind",
        "type",
        "sort",
        "people",
        "person",
        "work",
        "keep",
    ]
)
_TOKEN: Final = lazy(rf"[{HAN}]+|[^\W_{HAN}]+(?:[._'’&/-][^\W_{HAN}]+)*")
_CAPITAL: Final = lazy(r"[A-Z]|\d")
_SPLIT_ZH: Final = lazy(
    r"请问|可以|需要|应该|应当|必须|能够|一共|总共|目前|现在|通常|一般|具体|分别|的话|如果|"
    r"是否|我们|他们|一次|[的了是在吗呢吧被由把将给对和与或及之于]"
)
_EDGE_ZH: Final = lazy("^[有为到从会要能最个每达共按用以让请叫]+|[有为到从会要能最个每达共按用以让请叫才就]+$")
_ASKING_ZH: Final = lazy(
    r"什么时候|什么时间|什么地方|什么人|什么|何时|何地|何处|何人|何年|哪一?[年天月日位个所座家款种类项条门]|哪里|哪儿|哪些|哪几[个位项]|哪|谁|"
    r"多少[钱个名位条次天元人台份项种页张件门分]?|几[个名位条次天元人台份项种页张件门分年月周点号]|多[久长高大重深宽远快]时?间?|如何|怎么样|怎样|怎么|为什么|为何|多少"
)
_YEAR_ZH: Final = lazy(r"((?:19|20)\d\d)年(?:度|的)?")
_ASKING_EN: Final = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "why", "how"])


@dataclass(frozen=True)
class Word:
    """One word of a question, or one stretch of a Chinese one.

    Attributes:
        text: The stem, or the Chinese characters.
        weight: How much it tells.
        name: Whether it is a name, number or identifier, which nothing can stand for.
    """

    text: str
    weight: float = 1.0
    name: bool = False

    @property
    def chinese(self) -> bool:
        """Whether it is a stretch of Chinese."""
        return bool(re.match(f"[{HAN}]", self.text))


class Said:
    """A text, ready to be compared with words."""

    def __init__(self, text: str) -> None:
        self.text = fold(text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its stems and its tokens as written."""
        tokens = [token for token in _TOKEN.findall(self.text) if not re.match(f"[{HAN}]", token)]
        parts = [part for token in tokens for part in re.split(r"[._'’&/-]", token)]
        return frozenset({*tokens, *parts, *(stem(token) for token in (*tokens, *parts))})

    def has(self, word: Word) -> float:
        """How surely the text says a word, 0 to 1."""
        if word.chinese:
            return _has_zh(word.text, self.text)
        if word.text in self.stems:
            return 1.0
        if word.name:
            return 0.0
        return _SYNONYM if ENGLISH.get(word.text, frozenset()) & self.stems else 0.0


@lru_cache(maxsize=8_192)
def said(text: str) -> Said:
    """A text, ready to be compared; headings and titles recur."""
    return Said(text)


def _has_zh(wanted: str, text: str) -> float:
    """The share of a stretch of Chinese that occurs in runs of two and more characters."""
    if wanted in text:
        return 1.0
    if len(wanted) == 1:
        return 0.0
    covered = [False] * len(wanted)
    for at in range(len(wanted) - 1):
        if wanted[at : at + 2] in text:
            covered[at] = covered[at + 1] = True
    for word, others in CHINESE.items():
        at = wanted.find(word)
        if at >= 0 and not all(covered[at : at + len(word)]) and any(other in text for other in others):
            covered[at : at + len(word)] = [True] * len(word)
    return sum(covered) / len(wanted)


def words_of(question: str, ignored: Iterable[str] = ()) -> tuple[Word, ...]:
    """The words of a question that a line has to say.

    Args:
        question: The question.
        ignored: Words that name the sort of the answer.
    """
    left_out = {stem(fold(word)) for word in ignored}
    text = _YEAR_ZH.sub(r"\1 ", question.strip().rstrip("?？。.! "))
    found: dict[str, Word] = {}
    opening = True
    for token in _TOKEN.findall(text):
        if re.match(f"[{HAN}]", token):
            for piece in _SPLIT_ZH.split(_ASKING_ZH.sub("的", token)):
                bare = _EDGE_ZH.sub("", piece)
                if bare and bare not in left_out:
                    found.setdefault(bare, Word(bare, min(2.0, len(bare) / 2)))
            opening = False
            continue
        low = fold(token)
        name = bool(_CAPITAL.search(token if not opening else token[1:]))
        opening = False
        if low in FUNCTION_WORDS | _ASKING_EN and not (name and len(token) > 1 and token.isupper()):
            continue
        if name and not token.islower():
            key = low.removesuffix("'s").removesuffix("’s")
            found.setdefault(key, Word(stem(key) if not any(c.isdigit() for c in key) else key, 1.0, name=True))
            continue
        for part in low.split("-"):
            root = stem(part)
            if root in left_out or part in FUNCTION_WORDS:
                continue
            digits = any(c.isdigit() for c in part)
            found.setdefault(root, Word(part if digits else root, 0.3 if root in _LIGHT else 1.0, name=digits))
    return tuple(found.values())


@dataclass(frozen=True)
class Likeness:
    """What a line says of a question.

    Attributes:
        share: The weighed share of the question's words that it says, itself or by what it stands under.
        own: The share that its own words (or its key) say.
        missing: Weight of what nothing near it says.
        names: Whether the line, or what it stands under, says every name and every stretch of Chinese.
    """

    share: float
    own: float
    missing: float
    names: bool


def likeness(words: Iterable[Word], line: Line, part: str = "") -> Likeness:
    """How much of a question a line says.

    Args:
        words: The question's words.
        line: The line.
        part: The clause of it that is looked at; what stands in the rest of it counts a little less.
    """
    total = reached = own = missing = 0.0
    named = True
    places = (
        (said(part or line.text) if not line.keyed else said(""), OWN),
        (said(line.key), KEY),
        (said(line.text), 0.95 if not line.label else 0.5),
        (said(" ".join(line.heads)), HEAD),
        (said(line.lead), LEAD),
        (said(line.passage.text[:6_000]), PASSAGE),
    )
    for word in words:
        best, mine = 0.0, 0.0
        for position, (place, worth) in enumerate(places):
            if best >= worth:
                break
            level = place.has(word)
            if word.chinese and level < 1:
                level = 0.8 * level if level >= _MOSTLY else 0.0
            best = max(best, level * worth)
            if position <= 2:
                mine = max(mine, level)
        total += word.weight
        reached += word.weight * best
        own += word.weight * mine
        if not best:
            missing += word.weight
        if best < LEAD * _MOSTLY and (word.name or word.chinese):
            named = False
    if not total:
        return Likeness(0.0, 0.0, 0.0, names=False)
    return Likeness(reached / total, own / total, missing, named)


def content(text: str) -> frozenset[str]:
    """The content terms of a text."""
    return frozenset(terms(text))
