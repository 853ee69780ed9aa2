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
"""Slots for a noun in -er or -or: "Bolt is the owner of Acme" gets the slots of "Bolt owns Acme"."""
_NEAR: Final = 3
"""Words before a name among which the preposition that governs it may stand, as in "by the composer"."""


class Slots(NamedTuple):
    """Relation word of a statement and the argument slot of each name.

    "Acme was bought by Bolt in Leeds" has the relation "bought" and the slots acme: object, bolt: subject, leeds: in.

    Attributes:
        of_names: The slot of each folded name: "subject", "object", "equal" or a preposition, such as "in".
        relation: The word that says the relation, folded.
        passive: Whether the statement tells of an act done to something: "Acme was bought", "the founding of Acme".
        by_agent: Whether a passive statement has a "by" and so may say who acts.
        has_object: Whether a possible object directly follows the relation word, as in "opened the school".
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
        relates: Reports whether a folded word states the relation looked for. Slots are yielded for each word that
            does. If None, the verb is found by its position, which works for short statements only.

    Yields:
        The slots. Nothing if the text lacks one of the names or a relation word.
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
        places: For each folded name, the range of indexes in `words` where the name stands.
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
    """Return whether two folded words are listed in the table `converses` for the same relation.

    "pupil" and "taught" are, both for teaching, although their slots are exchanged. False for words that are not
    listed.
    """
    relation = _converses().get(stem(word), ("", {}))[0]
    return bool(relation) and relation == _converses().get(stem(other), ("", {}))[0]


def is_timeless(word: str) -> bool:
    """Report whether a folded word expresses a relation for which the tense does not matter.

    These are birth and authorship, as in "wrote". False for "taught", and for words that are not listed.
    """
    return _converses().get(stem(word), ("", {}))[0] in data_words("claims", "timeless")


@cache
def _converses() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Return, by the stem of each listed word, the name of the relation and the slots that the word renames.

    "pupil" gives ("teaching", {"equal": "object", "of": "subject"}): "Ann is a pupil of Bolt" means that Bolt teaches
    Ann.
    """
    rows = data_rows("claims", "converses")
    turned = {word: [pair.split(" > ") for pair in split_cell(pairs)] for word, _, pairs in rows}
    return {stem(word): (relation, dict(turned[word])) for word, relation, _ in rows}


def _is_act(words: Sequence[str], verb: int) -> bool:
    """Report whether the word at the index `verb` names an act done to something: "founding" in "the founding of Acme"."""
    return words[verb].endswith(("ing", "ion", "ment")) and words[verb + 1 : verb + 2] == ["of"]


def _has_object(words: Sequence[str], verb: int) -> bool:
    """Report whether the word after the relation word is a determiner or a content word, and so may begin an object."""
    return any(_tells(word) or word in _DETERMINERS for word in words[verb + 1 : verb + 2])


def _find_relation(words: Sequence[str], named: set[int]) -> int | None:
    """Return the index of the word that states the relation, or None if there is no candidate.

    This is the verb, or the noun after "is": "bought" in "Acme was bought by Bolt", "mayor" in "Dana Lee is the mayor
    of Orla". Of several candidates, passive participles are preferred, and then the one closest before the last name or
    figure.

    Args:
        words: The folded words of the statement.
        named: Indexes of the words that belong to names.
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
    """Report whether the word at the index `verb` is a passive participle.

    It is one after a form of "be" ("was bought"), unless a content word follows, and before "by" and a name ("Harbour,
    written by Ann Lee"). Names between "be" and the word are skipped, as in the question "Was Acme bought?".

    Args:
        words: The folded words of the statement.
        verb: Index of the word.
        named: Indexes of the words that belong to names.
    """
    if words[verb + 1 : verb + 2] == ["by"] and verb + 2 in named and words[verb].endswith(("ed", "en")):
        return True
    before = next((at for at in range(verb - 1, -1, -1) if at not in named), None)
    return before is not None and words[before] in _BE and (verb + 1 == len(words) or not _tells(words[verb + 1]))


def _slot(words: Sequence[str], place: range, verb: int, *, copular: bool) -> str:
    """Return the slot of the name at a range of words, as if the statement were in the active voice.

    A preposition up to three words before the name gives the slot, a possessive 's gives "of". Without either, the slot
    is "equal" if `copular`, else "subject" before the verb and "object" after it.

    Args:
        words: The folded words of the statement.
        place: Indexes of the words of the name.
        verb: Index of the relation word.
        copular: Whether the relation word is a noun after a form of "be" or a determiner, as in "is the mayor".
    """
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
