"""Near-duplicate detection: texts with slight differences, for example syndicated stories.

Many sites print the same story under their own bylines. Overlapping runs of words (of Han characters in Chinese) are a
text's shingles. The smallest hashes of these, its sketch, lead to the texts it may equal, so that a set is gone through
once (bottom-k sketches: Broder, "On the resemblance and containment of documents", 1997). The shingles themselves then
decide. They are all at hand, so comparing 64-bit fingerprints gains nothing, and fingerprints blur the difference left
by one dropped sentence.

Similarity is not enough: "Ada was born on 3 May 1900 …" and "Ida was born on 4 May 1901 …" may share every other word.
So two texts are duplicates only if the numbers, dates and names of one occur in the other in the same order. This holds
if a sentence was dropped or a byline put before, and fails if a particular was exchanged for another. A form that was
not filled in has no particulars, and so is no duplicate of a text that has some.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from weiwo.state.cached_property import cached_property
from weiwo.text.analyzer import SIMPLIFIED, STOP_WORDS, plain
from weiwo.text.data_files import data_text
from weiwo.text.language import HAN
from weiwo.text.lexicon import is_common
from weiwo.text.patterns import lazy

_ALIKE: Final = 0.55
"""Minimum Jaccard similarity of the shingles of near duplicates."""

_WITHIN: Final = 0.8
"""Minimum share of a text's shingles found in another text for that text to contain it."""

FEWEST: Final = 12
"""Minimum words or Han characters of a near duplicate. Shorter texts may be alike by chance, and must be equal."""

_SKETCH: Final = 12
_MOST_BEHIND_ONE: Final = 64
_MOST_COMPARED: Final = 8
_WORDS: Final = 3
_CHARACTERS: Final = 4
_TOKEN: Final = lazy(
    rf"没有|[并从尚]未|[并绝]非|[并决]不|[{HAN}]|[-−]?\d+(?:[.,]\d+)*|[%‰$€£¥°]|[^\W\d_{HAN}]+(?:['’-][^\W\d_{HAN}]+)*"
)
_HAN: Final = lazy(f"[{HAN}]")
_NOT: Final = lazy(r"(?<=[a-z])n['’]t\b")

_AGENCY: Final = data_text("bylines", "agency").strip()
_AGENCY_ZH: Final = data_text("bylines", "agency_zh").strip()
_CREDIT_ZH: Final = r"\s*[（(][^（）()\n]{1,40}[）)]"
_BYLINE: Final = lazy(
    rf"\A[^.!?\n]{{0,100}}?\b(?:{_AGENCY})\)?\s*[:–—-]+\s*"
    r"|\A\s*By [A-Z][^.!?\n|·•–—]{1,80}[\n|·•–—]\s*"
    rf"|\A[^，。：！？\n]{{0,40}}?(?:{_AGENCY_ZH})"
    rf"(?:[^，。：\n]{{0,24}}?(?:电|電|讯|訊|报道|報道|消息)(?:{_CREDIT_ZH})?|{_CREDIT_ZH})?[:：\s—-]*"
    r"|[(\[]?(?:Reporting|Additional reporting|Editing|Writing) by [^\n]{1,160}\Z"
    rf"|[\s(–—-]{{1,4}}(?:{_AGENCY})\)?\.?\s{{0,4}}\Z"
    r"|[（(](?:责任编辑|责编|编辑|记者|来源)[:：\s]?[^（）()\n]{1,40}[）)]\s{0,4}\Z"
)
_NUMBER_WORD: Final = lazy(
    "(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|two|three|four|five|six|seven|"
    "eight|nine|ten|eleven|twelve|hundred|thousand|[mb]illion|second|third|half|double|twice"
)
_DENIAL: Final = lazy("no|not|never|nor|without|没有?|[并从尚]?未|[并绝]?非|[并决]?不|无")


@dataclass(frozen=True)
class Told:
    """A text prepared for comparison, without its byline and the name of its news agency.

    Attributes:
        words: The words and Han characters, folded.
        shingles: Hashes of the overlapping runs of these words.
        written: The same words as written.
    """

    words: tuple[str, ...]
    shingles: frozenset[int]
    written: tuple[str, ...]

    @classmethod
    @lru_cache(maxsize=256)  # merging, citing and choosing take the same passages apart
    def of(cls, text: str) -> "Told":
        """Prepare a text for comparison. Time grows linearly with the length."""
        written = plain(_BYLINE.sub("", text))
        if not written.isascii():
            written = written.translate(SIMPLIFIED)
        tokens = _TOKEN.findall(_NOT.sub(" not", written))
        words = tuple([token.casefold() for token in tokens])
        return cls(words, _shingles(words), tuple(tokens))

    @cached_property
    def particulars(self) -> tuple[str, ...]:
        """Return the particulars in order, folded: numbers, signs, capitalised words, and every Han character.

        "The seven men met Ada on 3 May in Rome" → "seven", "ada", "3", "may", "rome". Numbers may be words, and
        function words ("The") are left out. Han characters are all included because those of a name look like any
        other.
        """
        found: list[str] = []
        for written, word in zip(self.written, self.words, strict=True):
            if written[0].islower():
                particular = _NUMBER_WORD.fullmatch(word) is not None
            else:
                particular = word not in STOP_WORDS or written == "May" or (len(written) > 1 and written.isupper())
            if particular:
                found.append(word)
        return tuple(found)

    @property
    def sketch(self) -> list[int]:
        """Return the sketch: the smallest shingle hashes, partly shared by similar texts."""
        return sorted(self.shingles)[:_SKETCH]

    def likeness(self, other: "Told") -> float:
        """Return the Jaccard similarity of the shingles, 0 to 1."""
        both = len(self.shingles & other.shingles)
        return both / (len(self.shingles) + len(other.shingles) - both)

    def resembles(self, other: "Told", least: float = _ALIKE) -> bool:
        """Report whether both texts are near duplicates, each with little additional text.

        The `particulars` of one text must occur in the other in order, and neither text may deny the other (`_denies`).
        Texts of fewer than `FEWEST` words must be equal.

        Args:
            other: Another text.
            least: The minimum similarity (`likeness`).
        """
        if self.words == other.words:
            return bool(self.words)
        if min(len(self.words), len(other.words)) < FEWEST or self.likeness(other) < least:
            return False
        few, many = sorted((self, other), key=lambda told: len(told.particulars))
        if many.facts and not few.facts:
            return False
        return few.particulars_in(many) and not (_denies(self, other) or _denies(other, self))

    def holds(self, other: "Told") -> bool:
        """Report whether this text contains nearly all of another text, with the other's `particulars` in order.

        False if the other text has fewer than `FEWEST` words.
        """
        both = len(self.shingles & other.shingles)
        return len(other.words) >= FEWEST and both >= _WITHIN * len(other.shingles) and other.particulars_in(self)

    def equals(self, other: "Told") -> bool:
        """Report whether both texts are near duplicates (`resembles`) and have the same `facts` in the same order."""
        return self.facts == other.facts and self.resembles(other)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """Return the `particulars` without common English words.

        A common word is among the particulars only because of a capital at the start of a sentence.
        """
        return tuple(word for word in self.particulars if not (word.isascii() and word.isalpha() and is_common(word)))

    def particulars_in(self, other: "Told") -> bool:
        """Report whether all particulars of this text occur in another text, in the same order."""
        rest = iter(other.particulars)
        return all(particular in rest for particular in self.particulars)


class Known:
    """Index of texts, used to find near duplicates of a new text among them. Texts are looked up by their sketches."""

    def __init__(self) -> None:
        """Start with an empty collection."""
        self._told: list[Told] = []
        self._behind: dict[int, list[int]] = {}

    def find(self, told: Told, *, equal: bool = False) -> int | None:
        """Find a duplicate of a text.

        Args:
            told: The text.
            equal: Whether both must have the same numbers, dates and names. Otherwise either may lack some.

        Returns:
            The number of the earliest duplicate, counting added texts from 0. None for a new text.
        """
        shared = Counter(other for item in told.sketch for other in self._behind.get(item, ()))
        likely = sorted(other for other, _ in shared.most_common(_MOST_COMPARED))
        matches = Told.equals if equal else Told.resembles
        return next((other for other in likely if matches(self._told[other], told)), None)

    def add(self, told: Told) -> int:
        """Add a text and return the number of the text."""
        number = len(self._told)
        self._told.append(told)
        for item in told.sketch:
            behind = self._behind.setdefault(item, [])
            if len(behind) < _MOST_BEHIND_ONE:
                behind.append(number)
        return number


def is_copy(text: str, other: str) -> bool:
    """Report whether two sentences are equal apart from a few words, or one contains the other.

    False for sentences of fewer than `FEWEST` words, which may match by chance.
    """
    a, b = Told.of(text), Told.of(other)
    return min(len(a.words), len(b.words)) >= FEWEST and (a.resembles(b) or a.holds(b) or b.holds(a))


def _size(words: Sequence[str]) -> int:
    if "".join(words).isascii():
        return _WORDS
    return _CHARACTERS if 2 * sum(map(bool, map(_HAN.match, words))) > len(words) else _WORDS


def _shingles(words: Sequence[str]) -> frozenset[int]:
    """Return the hashes of all overlapping runs of `_WORDS` words, or of `_CHARACTERS` characters in Chinese text.

    A shorter text is a single run.
    """
    size = _size(words)
    if len(words) <= size:
        return frozenset([_hash(words)])
    encoded = [_encode_text(word) for word in words]
    joined = b" ".join(encoded)
    ends = list(accumulate(map(len, encoded), lambda end, length: end + 1 + length))
    starts = [0, *(end + 1 for end in ends)]
    return frozenset([_hash_run(joined[a:b]) for a, b in zip(starts, ends[size - 1 :], strict=False)])


def _hash(words: Sequence[str]) -> int:
    return _hash_run(_encode_text(" ".join(words)))


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hash_run(run: bytes) -> int:
    # CRC-32 keeps alike words close; the multiplication (Knuth's) scatters them, so that the smallest are any.
    return zlib.crc32(run) * 2_654_435_761 & 0xFFFFFFFF


def _denies(told: Told, other: Told) -> bool:
    """Report whether one text has a word for "not" inside words that the other text has without it.

    "did not raise rates in March" denies "did raise rates in March".
    """
    size = _size(told.words)
    for at, word in enumerate(told.words):
        if not _DENIAL.fullmatch(word):
            continue
        for before in range(1, size):
            around = (*told.words[max(0, at - before) : at], *told.words[at + 1 : at + 1 + size - before])
            if _hash(around) in other.shingles:
                return True
    return False
