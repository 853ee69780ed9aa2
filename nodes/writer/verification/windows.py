"""Windows: the values of a text, each with the words between its neighbours of the same kind, which label it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys
from weiwo.nodes.writer.verification.marks import WORDS, Mark, figure_label, find_marks
from weiwo.nodes.writer.verification.particulars import is_han
from weiwo.text.patterns import lazy
from weiwo.text.relations import quantity_words

_MOST_SENTENCES: Final = 200

_CUTS: Final = (
    lazy(r"[;；。]|[.!?]\s"),
    lazy(r",\s|，|\b(?:while|but|whereas)\b|而|但"),
    lazy(r"、|\b(?:and|or)\b(?!\s\d)|和|与|及"),
)
"""What parts two values, the strongest first."""


class Window(NamedTuple):
    """A value of a text with the words that label it.

    Attributes:
        mark: The value.
        group: The values that nothing parts from it; itself among them.
        words: The words that label it.
        keys: What they are matched by.
        han: Whether the text is Chinese.
        sentence: Number of the sentence in its source.
    """

    mark: Mark
    group: tuple[Mark, ...]
    words: frozenset[str]
    keys: frozenset[str]
    han: bool
    sentence: int = 0


def source_windows(sentences: Sequence[Clause]) -> dict[str, tuple[Window, ...]]:
    """The windows of a source's sentences by the kind of their value."""
    found: dict[str, list[Window]] = {}
    for number, clause in enumerate(sentences[:_MOST_SENTENCES]):
        for window in find_windows(clause.text, clause.head):
            found.setdefault(window.mark.kind, []).append(window._replace(sentence=number))
    return {kind: tuple(these) for kind, these in found.items()}


@lru_cache(maxsize=2_048)
def find_windows(text: str, head: str = "") -> tuple[Window, ...]:
    """The values of a sentence, or of a table row under its header, with their windows."""
    marks = find_marks(text)
    found = []
    for mark in marks:
        start, end, group = _bounds(text, [other for other in marks if other.kind == mark.kind], mark)
        words = _labels(text, marks, group, 0 if head else start, len(text) if head else end)
        words |= set(content_words(head))
        found.append(Window(mark, group, frozenset(words), keys(words), is_han(text)))
    return tuple(found)


def _bounds(text: str, fellows: Sequence[Mark], mark: Mark) -> tuple[int, int, tuple[Mark, ...]]:
    """Where the window of a mark begins and ends, and which marks share it."""
    low = high = fellows.index(mark)
    start, end = 0, len(text)
    while low > 0:
        if cut := _cut(text, fellows[low - 1].end, fellows[low].start):
            start = cut[1]
            break
        low -= 1
    while high < len(fellows) - 1:
        if cut := _cut(text, fellows[high].end, fellows[high + 1].start):
            end = cut[0]
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
