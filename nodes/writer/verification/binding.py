"""Binding of values: a figure, date, name or attribute that the sources give of something else than a statement does.

Sources often give several values of one kind side by side: "the amber group (n = 93) and the clear group (n = 91)". Each
such value has a window, the words between its neighbours, and those words label it. A statement ties a value to the wrong
thing where its words stand in the window of a rival, and none of them in a window of the value itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys, split_clauses
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.marks import CONTRASTS, WORDS, Mark, same_value
from weiwo.nodes.writer.verification.particulars import name_words
from weiwo.nodes.writer.verification.quantities import PHYSICAL, Quantity
from weiwo.nodes.writer.verification.windows import Window, find_windows, keys
from weiwo.text.contrasts import opposites
from weiwo.text.language import fold
from weiwo.text.patterns import lazy
from weiwo.text.terms import stem

BESIDE: Final = 0.55
"""Share of a statement's words that must stand in the window of a rival in the same sentence."""
APART: Final = 0.65
"""The same for a rival in another sentence."""
NAMED: Final = 0.5
"""The same for a rival in another sentence, where a name is among the words that tell."""
MOST_VALUES: Final = 40
MOST_OWN: Final = 20
MOST_RIVALS: Final = 100

_COUNTED: Final = lazy(r"\s(?!times\b|of\b)(?:[a-z][a-z-]+\s){0,1}[a-z][a-z-]+\b")
_COMPARED: Final = lazy(r"(?i)\bthan\b|比")


class _Place(NamedTuple):
    """A window of a source, and the number of that source."""

    source: int
    window: Window


class _Told(NamedTuple):
    """A value of a statement: its window, the words that label it there, and those that say what it counts."""

    window: Window
    words: frozenset[str]
    counted: frozenset[str]


class _Rival(NamedTuple):
    """A place whose words a statement has: whether they suffice in one sentence and in two, and name what is counted."""

    place: _Place
    beside: bool
    apart: bool
    heads: bool


def find_borrowed(statement: str, grounds: Grounds) -> Iterator[str]:
    """Values that the sources give of something else than what stands beside them in the statement."""
    titles = [Clause(source.title).keys for source in grounds.sources]
    parts = split_clauses(statement)
    windows = find_windows(statement)
    for window in windows[:MOST_VALUES]:
        mark = window.mark
        written = statement[mark.start : mark.end]
        part = next((part for part in parts if written in part), statement)
        if mark.kind in PHYSICAL and any(fold(written) in fold(source.title) for source in grounds.sources):
            continue  # what the passage is about
        if len(window.group) > 1 or _unbound(mark, statement, Clause(part), titles):
            continue
        places = [
            _Place(n, one) for n, source in enumerate(grounds.sources) for one in source.windows.get(mark.kind, ())
        ]
        fellows = [one.mark for one in windows if one.mark.kind == mark.kind]
        narrow = next((one.tight for one in find_windows(part) if one.mark.value == mark.value), window.tight)
        told = [_Told(window, words, _counted(mark, statement)) for words in {window.tight, narrow}]
        if any(_elsewhere(one, fellows, places, titles, grounds.keys) for one in told):
            yield f"“{written}”: the sources give it of something else"
        elif not mark.kind.startswith(WORDS) and _turned(window, places):
            yield f"“{written}”: the sources give it in the other direction"


def _unbound(mark: Mark, statement: str, part: Clause, titles: Sequence[frozenset[str]]) -> bool:
    """Whether a value is bound to nothing: a small count, a word of a comparison or denial, the subject of a source."""
    if mark.kind.startswith(CONTRASTS):
        return bool(part.negations or _COMPARED.search(statement))
    if mark.kind == "name":
        words = keys([*name_words(str(mark.value)), *content_words(str(mark.value))])
        return bool(part.negations) or any(not words.isdisjoint(title) for title in titles)
    return mark.kind == "small" and not _counted(mark, statement)


def _counted(mark: Mark, statement: str) -> frozenset[str]:
    """What a figure counts: the words directly behind it, in English."""
    if mark.kind not in {"small", "count"} or not isinstance(mark.value, Quantity):
        return frozenset()
    behind = _COUNTED.match(statement, mark.end)
    return frozenset(content_words(behind[0])) if behind else frozenset()


def _elsewhere(
    told: _Told,
    fellows: Sequence[Mark],
    places: Sequence[_Place],
    titles: Sequence[frozenset[str]],
    known: frozenset[str],
) -> bool:
    """Whether each window of a value has a rival that the words stand beside, and they do not stand in the window."""
    claim = told.window
    own = [place for place in places if any(same_value(claim.mark, other) for other in place.window.group)][:MOST_OWN]
    if not own or (claim.mark.kind == "name" and any(_with_fellow(claim.mark, fellows, one, places) for one in own)):
        return False
    everything = frozenset(key for place in own for key in place.window.wide)
    others = [place for place in places if place not in own and not place.window.bounded][:MOST_RIVALS]
    stated = [any(same_value(place.window.mark, fellow) for fellow in fellows) for place in others]
    rivals = [
        rival
        for place, named in zip(others, stated, strict=True)
        if (rival := _rival(told, place, titles[place.source], known, everything, stated=named))
    ]
    return all(any(_beats(rival, one, claim, titles) for rival in rivals) for one in own)


def _with_fellow(mark: Mark, fellows: Sequence[Mark], own: _Place, places: Iterable[_Place]) -> bool:
    """Whether a sentence that has a name of the statement has another of its names too."""
    there = [one.window.mark for one in places if _same_sentence(one, own)]
    return any(same_value(fellow, one) for fellow in fellows if not same_value(mark, fellow) for one in there)


def _rival(
    told: _Told,
    place: _Place,
    title: frozenset[str],
    known: frozenset[str],
    everything: frozenset[str],
    *,
    stated: bool,
) -> _Rival | None:
    """A place as a rival, where enough of the words stand beside its value and some of them beside no other."""
    claim, counted = told.window, told.counted
    kind, near = claim.mark.kind, place.window.near
    if kind == "country" and not stated:
        return None
    same = claim.han == place.window.han
    about = [word for word in told.words if (same or word.isascii()) and (word[0] in "#@" or _in(word, known))]
    met = [word for word in about if _in(word, near | title)]
    telling = [word for word in met if _in(word, near) and not _in(word, everything)]
    if len(telling) < (2 if kind.startswith(WORDS) and not stated else 1):
        return None
    beside = len(met) >= max(1, (1.0 if kind == "name" else BESIDE) * len(about))
    apart = kind != "small" and len(met) >= max(2, (1.0 if kind == "name" else APART) * len(about))
    apart = apart and any(word[0] != "#" and not _in(word, title) for word in telling)
    apart = apart and _comparable(claim.mark, place.window.mark)
    named = kind not in {"small", "name"} and not kind.startswith(WORDS) and _comparable(claim.mark, place.window.mark)
    named = named and any(word in claim.names and not _in(word, title) for word in telling)
    apart = apart or (named and len(met) >= NAMED * len(about))
    heads = bool(counted) and all(_in(word, near) for word in counted) and any(word in counted for word in telling)
    if kind == "small" and not heads:
        return None
    return _Rival(place, beside or heads, apart, heads)


def _beats(rival: _Rival, own: _Place, claim: Window, titles: Sequence[frozenset[str]]) -> bool:
    """Whether a rival is near enough to a window of the value, which has no word of the claim that the rival lacks."""
    if not (rival.beside if _same_sentence(rival.place, own) else rival.apart):
        return False
    if rival.heads and _same_sentence(rival.place, own):
        return True
    its = own.window.wide if own.source == rival.place.source else own.window.wide | titles[own.source]
    near = rival.place.window.near | titles[rival.place.source]
    return not any(_in(word, its) and not _in(word, near) for word in claim.words)


def _same_sentence(one: _Place, other: _Place) -> bool:
    return (one.source, one.window.sentence) == (other.source, other.window.sentence)


def _comparable(one: Mark, other: Mark) -> bool:
    """Whether two values of different sentences may be rivals: no words of contrast, and figures of the same unit."""
    if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
        return one.value.unit == other.value.unit
    return not one.kind.startswith(CONTRASTS)


def _turned(claim: Window, places: Iterable[_Place]) -> bool:
    """Whether each window of a value has the opposite of a word that the claim has, and neither denies."""
    own = [place.window.text for place in places if same_value(claim.mark, place.window.mark)]
    here, there = Clause(claim.text), [Clause(text) for text in own[:MOST_OWN]]
    when = opposites()[stem("before")][0][0]
    return bool(there) and any(
        axis != when and all(one.axes.get(axis, side) != side and one.negations == here.negations for one in there)
        for axis, side in here.axes.items()
    )


def _in(word: str, known: frozenset[str]) -> bool:
    return not match_keys(word).isdisjoint(known)
