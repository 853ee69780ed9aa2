"""Detection of values that the sources state of something else than the claim does.

"The amber group had 93 patients and the clear group had 91" does not support "the clear group had 93 patients". Each
value has a window: the words around it up to the neighbouring values of the same kind. The words in the window label
the value: "amber, group, patients" label 93. A claim borrows its value if the words of the claim stand in the window of
a different value (a rival), and the window of the claimed value does not have all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, split_clauses
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import name_words
from weiwo.nodes.writer.verification.windows import (
    CONTRASTS,
    WORDS,
    ValueSpan,
    Window,
    find_windows,
    keys,
    label_keys,
    same_value,
)
from weiwo.text.language import fold
from weiwo.text.names import names
from weiwo.text.patterns import lazy

_BESIDE: Final = 0.55
"""Share of a claim's words that a rival's window in the same sentence, with the title, must have."""
_APART: Final = 0.65
"""Share of a claim's words that a rival's window in a different sentence, with the title, must have."""
_MOST_VALUES: Final = 40
_MOST_OWN: Final = 20
_MOST_RIVALS: Final = 100

_COMPARED: Final = lazy(r"(?i)\bthan\b|比")
_PRONOUN: Final = lazy(r"(?i)\b(?:he|she|it|they)\b|[他她它]|其(?!他|它|中|余|实|次)")


class _Place(NamedTuple):
    """A window of a source, with the index of the source among the grounds' sources."""

    source: int
    window: Window


class _Rival(NamedTuple):
    """A window of a different value that has words of the claim.

    Attributes:
        place: The window.
        beside: Whether the window has enough of the words to refute a value in the same sentence.
        apart: Whether the window has enough of the words to refute a value in a different sentence.
    """

    place: _Place
    beside: bool
    apart: bool


def find_borrowed(statement: str, grounds: Grounds) -> Iterator[tuple[ValueSpan, str]]:
    """Yield each value of a statement that the sources state of something else, with the text as written.

    For "the clear group had 93 patients", "the amber group had 93 patients and the clear group had 91" yields 93.
    """
    titles = [Clause(source.title).keys for source in grounds.sources]
    parts = split_clauses(statement)
    windows = find_windows(statement)
    for window in windows[:_MOST_VALUES]:
        mark = window.mark
        written = statement[mark.start : mark.end]
        part = next((part for part in parts if written in part), statement)
        if len(window.group) > 1 or _unbound(mark, statement, Clause(part), titles):
            continue
        if mark.kind == "name" and fold(written) in grounds.said:  # a calculation binds it, not the words around it
            continue
        places = [
            _Place(n, item) for n, source in enumerate(grounds.sources) for item in source.windows.get(mark.kind, ())
        ]
        fellows = [item.mark for item in windows if item.mark.kind == mark.kind]
        if _elsewhere(window, fellows, places, titles, grounds):
            yield mark, written


def _unbound(mark: ValueSpan, statement: str, part: Clause, titles: Sequence[frozenset[str]]) -> bool:
    """Report whether a value needs no check of the thing that it is stated of.

    These are small counts, opposites (such as "rose") in a comparison or denial, and names in a denial or in a title of
    a source.

    Args:
        mark: The value.
        statement: The whole statement.
        part: The clause of the statement with the value.
        titles: Match keys of the title of each source.
    """
    if mark.kind.startswith(CONTRASTS):
        return bool(part.negations or _COMPARED.search(statement))
    if mark.kind == "name":
        words = keys([*name_words(str(mark.value)), *content_words(str(mark.value))])
        return bool(part.negations) or any(not words.isdisjoint(title) for title in titles)
    return mark.kind == "small"


def _elsewhere(
    claim: Window,
    fellows: Sequence[ValueSpan],
    places: Sequence[_Place],
    titles: Sequence[frozenset[str]],
    grounds: Grounds,
) -> bool:
    """Report whether each source window of a value loses to a rival window that fits the claim better.

    False if no source has the value.

    Args:
        claim: The window of the value in the claim.
        fellows: The values of the same kind in the claim.
        places: All source windows of values of the same kind.
        titles: Match keys of the title of each source.
        grounds: The sources.
    """
    own = [place for place in places if any(same_value(claim.mark, other) for other in place.window.group)][:_MOST_OWN]
    everything = frozenset(key for place in own for key in place.window.keys)
    strange = bool(own) and all(_names_another(claim, place, grounds) for place in own)
    others = [place for place in places if place not in own][:_MOST_RIVALS]
    stated = [any(same_value(place.window.mark, fellow) for fellow in fellows) for place in others]
    rivals = [
        rival
        for place, named in zip(others, stated, strict=True)
        if (
            rival := _rival(claim, place, titles[place.source], grounds.keys, everything, stated=named, strange=strange)
        )
    ]
    return bool(own) and all(any(_beats(rival, item, claim, titles) for rival in rivals) for item in own)


def _rival(
    claim: Window,
    place: _Place,
    title: frozenset[str],
    known: frozenset[str],
    everything: frozenset[str],
    *,
    stated: bool,
    strange: bool,
) -> _Rival | None:
    """Return a source window of a different value as a rival of the claimed value, or None if it fits too badly.

    At least one word of the claim must stand in this window and in no window of the claimed value. If that word stands
    in the title as well, the window is no rival of values in different sentences, unless `strange`.

    Args:
        claim: The window of the claimed value.
        place: A source window of another value of the same kind.
        title: Match keys of the title of that source.
        known: Match keys of all sources.
        everything: Match keys of all source windows of the claimed value.
        stated: Whether the claim gives the value of `place`, too.
        strange: Whether all source sentences with the claimed value have names, but none of the claim's.
    """
    kind, near = claim.mark.kind, place.window.keys
    same = claim.han == place.window.han
    about = [word for word in claim.words if (same or word.isascii()) and (word[0] == "#" or _in(word, known))]
    met = [word for word in about if _in(word, near | title)]
    telling = [word for word in met if _in(word, near) and not _in(word, everything)]
    if len(telling) < (2 if kind.startswith(WORDS) and not stated else 1):
        return None
    beside = len(met) >= max(1, (1.0 if kind == "name" else _BESIDE) * len(about))
    apart = len(met) >= max(2, (1.0 if kind == "name" else _APART) * len(about))
    apart = apart and not kind.startswith(CONTRASTS)
    told = any(word[0] != "#" and (strange or not _in(word, title)) for word in telling)
    return _Rival(place, beside, apart and told)


def _names_another(claim: Window, place: _Place, grounds: Grounds) -> bool:
    """Report whether the sentence of a source window has names, but none that the claim has.

    False if a pronoun stands before the first name, because it may stand for something named before.
    """
    sentence = grounds.sources[place.source].sentences[place.window.sentence]
    if not sentence.names or any(not label_keys(name).isdisjoint(claim.keys) for name in sentence.names):
        return False
    first = min(name.start for name in names(sentence.text))
    return _PRONOUN.search(sentence.text, 0, first) is None


def _beats(rival: _Rival, own: _Place, claim: Window, titles: Sequence[frozenset[str]]) -> bool:
    """Report whether a rival window has enough words of the claim, and all claim words of the value's own window.

    Args:
        rival: A window of a different value.
        own: A window of the claimed value.
        claim: The window of the value in the claim.
        titles: Match keys of the title of each source, which count as words of its windows.
    """
    if not (rival.beside if _in_same_sentence(rival.place, own) else rival.apart):
        return False
    its = own.window.keys | titles[own.source]
    near = rival.place.window.keys | titles[rival.place.source]
    return not any(_in(word, its) and not _in(word, near) for word in claim.words)


def _in_same_sentence(item: _Place, other: _Place) -> bool:
    return (item.source, item.window.sentence) == (other.source, other.window.sentence)


def _in(word: str, known: frozenset[str]) -> bool:
    return not label_keys(word).isdisjoint(known)
