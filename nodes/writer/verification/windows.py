"""Windows: the values of a text, each with the words between its neighbours of the same kind, which label it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys
from weiwo.nodes.writer.verification.marks import WORDS, Mark, figure_label, find_marks
from weiwo.nodes.writer.verification.particulars import is_han
from weiwo.text.patterns import lazy
from weiwo.text.relations import quantity_words

MOST_SENTENCES: Final = 200

_CUTS: Final = (
    lazy(r"[;；。]|[.!?]\s"),
    lazy(r",\s|，|\b(?:while|but|whereas)\b|而|但"),
    lazy(r"、|\b(?:and|or)\b(?!\s\d)|和|与|及"),
)
"""What parts two values, the strongest first."""
_BOUND: Final = lazy(r"(?i)\b(?:than|before|after|until)\s$|[低高早晚]于$")


class Window(NamedTuple):
    """A value of a text with the words that label it.

    Attributes:
        mark: The value.
        group: The values that nothing parts from it; itself among them.
        words: The words that may be its own.
        tight: The words that are.
        near: Keys of the words that are.
        wide: Keys of those that may be.
        bounded: Whether it is the end of a range or of a comparison.
        han: Whether the text is Chinese.
        sentence: Number of the sentence in its source.
    """

    mark: Mark
    group: tuple[Mark, ...]
    words: frozenset[str]
    tight: frozenset[str]
    near: frozenset[str]
    wide: frozenset[str]
    bounded: bool
    han: bool
    sentence: int = 0


def source_windows(sentences: Sequence[Clause]) -> dict[str, tuple[Window, ...]]:
    """The windows of a source's sentences by the kind of their value."""
    found: dict[str, list[Window]] = {}
    for number, clause in enumerate(sentences[:MOST_SENTENCES]):
        for window in find_windows(clause.text, clause.head):
            found.setdefault(window.mark.kind, []).append(window._replace(sentence=number))
    return {kind: tuple(these) for kind, these in found.items()}


@lru_cache(maxsize=2_048)
def find_windows(text: str, head: str = "") -> tuple[Window, ...]:
    """The values of a sentence, or of a table row under its header, with their windows."""
    marks = find_marks(text)
    found = []
    for mark in marks:
        fellows = [other for other in marks if other.kind == mark.kind]
        at = fellows.index(mark)
        start, end, group = _bounds(text, fellows, at, wide=False)
        near = _labels(text, marks, group, start, end)
        start, end, group = _bounds(text, fellows, at, wide=True)
        wide = _labels(text, marks, group, start, end)
        if head:
            near = wide = _labels(text, marks, group, 0, len(text)) | set(content_words(head))
        bounded = bool(_BOUND.search(text[max(0, mark.start - 16) : mark.start]))
        found.append(
            Window(mark, group, frozenset(wide), frozenset(near), keys(near), keys(wide), bounded, is_han(text))
        )
    return tuple(found)


def _bounds(text: str, fellows: Sequence[Mark], at: int, *, wide: bool) -> tuple[int, int, tuple[Mark, ...]]:
    """Where the window of a mark begins and ends, and which marks share it."""
    low, high, start, end = at, at, 0, len(text)
    while low > 0:
        if cut := _cut(text, fellows[low - 1].end, fellows[low].start):
            start = cut[0] if wide else cut[1]
            break
        low -= 1
    while high < len(fellows) - 1:
        if cut := _cut(text, fellows[high].end, fellows[high + 1].start):
            end = cut[1] if wide else cut[0]
            break
        high += 1
    return start, end, tuple(fellows[low : high + 1])


def _cut(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the first of the strongest cuts between two places begins and where the last one ends; none in a bare list."""
    if next(content_words(_CUTS[-1].sub(" ", text[start:end])), None) is None:
        return None
    for pattern in _CUTS:
        if found := list(pattern.finditer(text, start, end)):
            return found[0].start(), found[-1].end()
    return None


def _labels(text: str, marks: Iterable[Mark], group: Sequence[Mark], start: int, end: int) -> set[str]:
    """The content words of a window, with the countries, figures, versions and years in it that are of another kind."""
    others = [mark for mark in marks if start <= mark.start and mark.end <= end and mark not in group]
    for mark in (*group, *others):
        if mark in group or not mark.kind.startswith(WORDS):
            text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
    words = {word for word in content_words(text[start:end]) if not word[0].isdigit()}
    words |= {f"@{mark.value}" for mark in others if mark.kind == "country"}
    if group[0].kind.startswith(WORDS):
        return words
    return words | {f"#{figure_label(mark)}" for mark in others if not mark.kind.startswith(WORDS)}


def keys(words: Iterable[str]) -> frozenset[str]:
    """What the words of a window are matched by."""
    return frozenset(key for word in words for key in label_keys(word))


@lru_cache(maxsize=32_768)
def label_keys(word: str) -> frozenset[str]:
    """What a word of a window is matched by: itself, its root, and the measures it says, as "height" and "tall" do.

    A pair of Han characters says what its last one does: of 塔高330米 the pair is 塔高.
    """
    said = quantity_words()
    last = word[-1] if is_han(word) else word
    measures = said.get(word, frozenset()) | said.get(last, frozenset())
    return match_keys(word).union(f"measure {name}" for name in measures)
