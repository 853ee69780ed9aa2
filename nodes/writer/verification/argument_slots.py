"""Argument slots: the role of each name in a statement, for a comparison regardless of word order.

"Acme was bought by Bolt" and "Bolt bought Acme" have the same slots: Bolt is the subject and Acme the object of the
same verb. A slot is found by the preposition before a name, or else by the side of the verb on which the name stands.
The passive voice is turned into the active voice. The two sides of "is the head of" share a slot. Words of a relation
that give its names other slots are turned as well: a pupil of Bolt is taught by Bolt.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from weiwo.text.data_files import data_rows, data_words, split_cell
from weiwo.text.language import fold
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS, stem

_WORD: Final = lazy(r"[^\W_]+(?:[.-][^\W_]+)*|['’]s\b|[,;:]")
_BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_DETERMINERS: Final = frozenset({"the", "a", "an", "its", "his", "her", "their", "this"})
_PLACED: Final = frozenset({"in", "on", "at", "about"})
_POSSESSIVES: Final = frozenset({"'s", "’s"})
_HAPPENS: Final = frozenset({"took", "takes", "place"})
_SUBJECT, _OBJECT, _EQUAL = "subject", "object", "equal"
_PASSIVE: Final = {_SUBJECT: _OBJECT, "by": _SUBJECT}
_AGENT: Final = {_EQUAL: _SUBJECT, "of": _OBJECT}
"""Slots of "Bolt is the owner of Acme", as those of a verb."""
_NEAR: Final = 3
"""Words before a name among which the preposition that governs it may stand, as in "by the composer"."""


class Slots(NamedTuple):
    """Relation and argument slots of a statement.

    Attributes:
        of_names: The slot of each folded name: "subject", "object", "equal" or a preposition, such as "in".
        relation: The word that says the relation, folded.
        passive: Whether it says what is done to something: in the passive voice, or as "the founding of Acme".
        by_agent: Whether a passive says who does it.
        has_object: Whether something stands directly behind the relation, as in "opened the school".
    """

    of_names: Mapping[str, str]
    relation: str
    passive: bool
    by_agent: bool
    has_object: bool


def find_slots(text: str, names: Sequence[str], relates: Callable[[str], bool] | None = None) -> Iterator[Slots]:
    """Yield the slots of names in an English statement, for each word that may express the relation.

    Args:
        text: The statement.
        names: The names to look for, as written.
        relates: A function that reports whether a folded word states the relation. By default the statement is short,
            and its verb is found by position.

    Yields:
        The slots. Nothing if a name or the relation is missing.
    """
    words = [fold(word) for word in _WORD.findall(text)]
    places: dict[str, range] = {}
    for name in names:
        own = [fold(word) for word in _WORD.findall(name)]
        start = next((at for at in range(len(words)) if words[at : at + len(own)] == own), None)
        if start is None:
            return
        places[fold(name)] = range(start, start + len(own))
    named = {at for place in places.values() for at in place}
    if relates is None:
        verb = _find_relation(words, named)
        verbs = [] if verb is None else [verb]
    else:
        verbs = [at for at, word in enumerate(words) if at not in named and relates(word)]
    yield from (_slots_of(words, places, verb) for verb in verbs)


def _slots_of(words: Sequence[str], places: Mapping[str, range], verb: int) -> Slots:
    """Return the slots of names relative to the relation word at the index `verb`.

    Args:
        words: The folded words of a statement.
        places: Indexes of the words of each name.
        verb: Index of the relation word.
    """
    named = {at for place in places.values() for at in place}
    own = _converses().get(stem(words[verb]), ("", {}))[1]
    passive = not own and _is_passive(words, verb, named)
    noun = verb > 0 and words[verb - 1] in _DETERMINERS  # "the mayor of Orla, Dana Lee"
    copular = not passive and _HAPPENS.isdisjoint(words) and (noun or not _BE.isdisjoint(words))
    found = {name: _slot(words, place, verb, copular=copular) for name, place in places.items()}
    turned = own or (_PASSIVE if passive else _AGENT if copular and words[verb].endswith(("er", "or")) else {})
    found = {name: turned.get(slot, slot) for name, slot in found.items()}
    done_to = passive or _is_act(words, verb)
    by_agent, has_object = done_to and "by" in words[verb:], not copular and _has_object(words, verb)
    return Slots(found, words[verb], done_to, by_agent, has_object)


def is_one_relation(word: str, other: str) -> bool:
    """Return whether two folded words state the same relation, possibly with the slots exchanged."""
    relation = _converses().get(stem(word), ("", {}))[0]
    return bool(relation) and relation == _converses().get(stem(other), ("", {}))[0]


def is_timeless(word: str) -> bool:
    """Report whether a word expresses a relation without end, so that the tense says nothing."""
    return _converses().get(stem(word), ("", {}))[0] in data_words("claims", "timeless")


@cache
def _converses() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Return the relation of each word and the slots that the word swaps, by stem."""
    rows = data_rows("claims", "converses")
    turned = {word: [pair.split(" > ") for pair in split_cell(pairs)] for word, _, pairs in rows}
    return {stem(word): (relation, dict(turned[word])) for word, relation, _ in rows}


def _is_act(words: Sequence[str], verb: int) -> bool:
    """Report whether the word at an index names an act done to something: "the founding of Acme"."""
    return words[verb].endswith(("ing", "ion", "ment")) and words[verb + 1 : verb + 2] == ["of"]


def _has_object(words: Sequence[str], verb: int) -> bool:
    """Report whether a possible object directly follows the relation word."""
    return any(_tells(word) or word in _DETERMINERS for word in words[verb + 1 : verb + 2])


def _find_relation(words: Sequence[str], named: set[int]) -> int | None:
    """Return the index of the verb of a statement, or of the noun after "is".

    The candidate closest before the last name or figure is chosen.
    """
    last = max((at for at, word in enumerate(words) if at in named or word[0].isdigit()), default=len(words))
    places = {stem(word) for word in data_words("claims", "places")}
    telling = [at for at in range(last) if at not in named and _tells(words[at]) and words[at] not in _HAPPENS]
    telling = [at for at in telling if stem(words[at]) not in places] or telling
    if not telling:  # "Leeds is where Tom Roe was born"
        telling = [at for at in range(last, len(words)) if at not in named and _is_passive(words, at, named)]
    passive = [at for at in telling if _is_passive(words, at, named)]
    verbs = [at for at in telling if not (at and words[at - 1] in _DETERMINERS)]
    chosen = passive or (telling if not _BE.isdisjoint(words) else verbs or telling)
    return chosen[-1] if chosen else None


def _tells(word: str) -> bool:
    directions = data_words("claims", "directions")
    return word[0].isalpha() and word not in FUNCTION_WORDS and word not in directions and word not in _DETERMINERS


def _is_passive(words: Sequence[str], verb: int, named: Collection[int]) -> bool:
    """Report whether the word at an index is a passive participle.

    The word must follow a form of "be", with names between the two skipped, as in a question. It must not describe a
    noun. A participle before "by" and a name is passive, too: "Harbour, written by Ann Lee".
    """
    if words[verb + 1 : verb + 2] == ["by"] and verb + 2 in named and words[verb].endswith(("ed", "en")):
        return True
    before = next((at for at in range(verb - 1, -1, -1) if at not in named), None)
    return before is not None and words[before] in _BE and (verb + 1 == len(words) or not _tells(words[verb + 1]))


def _slot(words: Sequence[str], place: range, verb: int, *, copular: bool) -> str:
    """Return the slot of the name at a range of words in a statement."""
    if words[place.stop : place.stop + 1] and words[place.stop] in _POSSESSIVES:
        return "of"
    if words[place.stop : place.stop + 2] in (["is", "where"], ["was", "where"]):
        return "in"
    for at in range(place.start - 1, max(-1, place.start - 1 - _NEAR), -1):
        word = words[at]
        if word in _PLACED or word in data_words("claims", "directions"):
            acts = word == "of" and at == verb + 1 and (not copular or _is_act(words, verb))
            return _OBJECT if acts else word
        if at == verb or word in _BE or not word[0].isalpha() or (word in FUNCTION_WORDS and word not in _DETERMINERS):
            break
    if copular:
        return _EQUAL
    return _SUBJECT if place.start < verb else _OBJECT
