"""Contradictions in words between a claim and the sources, found by comparing clauses.

A clause of the claim contradicts a source clause if one of them denies what the other affirms ("was not rebuilt"), if
they have opposites ("rose", "fell"), or different words of one class ("red", "blue").
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import (
    Clause,
    content_words,
    find_matching_words,
    match_keys,
    overlap,
    split_clauses,
)
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.text.data_files import data_pattern
from weiwo.text.language import fold
from weiwo.text.lexicon import direction_axes, opposites
from weiwo.text.patterns import lazy

_CLOSE: Final = 0.34
"""Least overlap of an English claim and a source clause about the same thing."""
_NEARLY: Final = 0.85
"""Least overlap of a further source clause, as a share of the overlap of the closest one."""
_ALIKE: Final = 0.66
"""Share of a clause's words that the other has to have before a denial in one of them counts as a contradiction."""

_COMPARED: Final = lazy(r"(?i)\bthan\b|比|[高低早晚大小多少]于")
_NONE: Final = data_pattern("claims", "polarity", "none")
_FROM: Final = lazy(r"(?i)\bfrom\s$|[从由自]\s?$")
_TO: Final = lazy(r"(?i)\s(?:\w+\s)?to\s(?:\w+\s)?|[^，。；\d]{0,8}[至到为]\s?")
_PREFIXED: Final = lazy(r"^(?:un|non-?|in|im|dis)([a-z]{4,})$")


def find_contradiction(statement: str, grounds: Grounds) -> Iterator[str]:
    """Yield the contradictions between the clauses of a statement and the closest source clauses, as reasons to show.

    A reason is, for example: “The mill was never rebuilt.” says the opposite. Nothing is yielded if a close source
    clause agrees.
    """
    known = [clause for source in grounds.sources for clause in source.clauses]
    titles = frozenset(word for source in grounds.sources for word in content_words(source.title))
    for part in split_clauses(statement):
        claim = Clause(part)
        if not claim.stems:
            continue
        yield from _find_denied_words(claim, known)
        scored = [(_closeness(claim, clause), clause) for clause in known]
        best = max((score for score, _ in scored), default=0.0)
        least = max(_CLOSE if part.isascii() else 0.25, _NEARLY * best)
        near = [clause for score, clause in scored if score >= least][:12]
        yield from _find_reversed_change(claim, near)
        found = [conflict for clause in near if (conflict := _conflict(claim, clause, titles)) is not None]
        denied = [conflict for conflict in found if conflict]
        if denied and len(denied) == len(found):
            yield denied[0]


def _find_denied_words(claim: Clause, known: list[Clause]) -> Iterator[str]:
    """Yield a reason for each word of an affirmative claim that always follows a "no" or "never" in the sources."""
    for word in sorted(claim.stems) if not claim.negations else ():
        there = [clause for clause in known if word in clause.stems]
        if there and all(_denies(clause, word) for clause in there):
            yield f"“{there[0].text.strip()[:120]}” says the opposite"


def _denies(clause: Clause, word: str) -> bool:
    behind = (list(content_words(clause.plain[m.end() : m.end() + 40]))[:1] for m in _NONE.finditer(clause.plain))
    return any(word in first for first in behind)


def _closeness(claim: Clause, source: Clause) -> float:
    """Return the overlap of two clauses, from 0 to about 1, reduced to 70% if both have names and share none."""
    strangers = bool(claim.names and source.names) and claim.names.isdisjoint(source.names)
    return overlap(claim, source) * (0.7 if strangers else 1.0)


def _conflict(claim: Clause, source: Clause, titles: frozenset[str]) -> str | None:
    """Return the contradiction between a claim and a source clause as a reason to show.

    Empty if both agree. None if this cannot be decided, for example because the clauses have too few words in common.

    Args:
        claim: A clause of the claim.
        source: A clause of the source.
        titles: Content words of the titles of all sources. The source clause need not repeat them.
    """
    axes = claim.axes.keys() & source.axes.keys()
    if _COMPARED.search(claim.text) and _COMPARED.search(source.text):
        return None  # the order of two things is not told by words alone
    denials = [_denials(claim, source), _denials(source, claim)]
    against = [axis for axis in axes if claim.axes[axis] != source.axes[axis]]
    direction, valuation = direction_axes()
    plainly_denied = sum(denials) % 2 and valuation not in claim.axes  # "did not rise" agrees with "fell"
    same_change = bool(set(find_changes(claim)) & set(find_changes(source)))
    if direction in against and not plainly_denied and (valuation in against or same_change):
        against.remove(direction)  # the values tell the direction
    shared = claim.members.keys() & source.members.keys()
    another = any(claim.members[group].isdisjoint(source.members[group]) for group in shared)
    if (sum(denials) + len(against)) % 2 == 0:
        return f"“{source.text.strip()[:120]}” says another" if another else ""
    if sum(denials) % 2 and (another or _other_figures(claim, source)):
        return None  # what is denied is another thing than what is said
    pivot = {word for word in claim.stems if any(axis in against for axis, _ in opposites().get(word, ()))}
    rest = {word for word in claim.stems - pivot if not word[0].isdigit()}
    met = find_matching_words(rest, source.topics)
    rest -= titles - met  # the subject of a passage is often told by its title alone
    if sum(denials) % 2:
        if not claim.denied_words and claim.negations:
            return None  # "but that one does not": what is denied was said before
        denying = claim if denials[0] % 2 else source
        other = source if denials[0] % 2 else claim
        if not find_matching_words(denying.denied_words or denying.stems, other.topics) or len(met) < _ALIKE * len(
            rest
        ):
            return None
    elif len(met) < min(1, len(rest)) or len(met) < 0.5 * len(rest):
        return None
    if against and source.whole and not any(character.isdigit() for character in claim.text):
        sides = [Clause(part).axes for part in split_clauses(source.whole)]
        if any(side.get(axis) == claim.axes[axis] for side in sides for axis in against):
            return None  # the sentence says both, of different things
    return f"“{source.text.strip()[:120]}” says the opposite"


class Change(NamedTuple):
    """Change of a value, as in "from 22 to 14 weeks".

    Attributes:
        first: The value before, in the base unit of its kind.
        last: The value after.
        kind: The base unit, here "s", or "" for bare numbers.
    """

    first: float
    last: float
    kind: str


def _find_reversed_change(claim: Clause, near: Sequence[Clause]) -> Iterator[str]:
    """Yield a reason for each change of a claim in the wrong direction.

    It is wrong if a close source clause has the reverse ("from 14 to 22" for "from 22 to 14") or the claim's own verb
    does ("rose from 22 to 14"). A claim with a denial is skipped, as are source clauses with a denial or about other
    names.

    Args:
        claim: A clause of the claim.
        near: The source clauses closest to it.
    """
    if claim.negations:
        return
    direction, valuation = direction_axes()
    about = [c for c in near if not c.negations and not (claim.names and c.names and claim.names.isdisjoint(c.names))]
    known = {change for clause in about for change in find_changes(clause)}
    for change in find_changes(claim):
        turned = 1 if change.last > change.first else -1
        if change not in known and Change(change.last, change.first, change.kind) in known:
            yield f"“{claim.text.strip()[:80]}”: the sources say the reverse"
        elif valuation not in claim.axes and claim.axes.get(direction, turned) != turned:
            yield f"“{claim.text.strip()[:80]}”: the values say the reverse"


def find_changes(clause: Clause) -> Iterator[Change]:
    """Yield each change of a value, as in "from 22 to 14 weeks" or 由22周降至14周.

    A first value without a unit takes the unit of the second: both are 22 and 14 weeks, in seconds.
    """
    for item, other in pairwise(clause.quantities):
        led, linked = clause.text[max(0, item.start - 8) : item.start], clause.text[item.end : other.start]
        if _FROM.search(led) and _TO.fullmatch(linked) and item.value != other.value:
            scale = other.base / other.value if other.value and not item.kind else 1.0
            if not item.kind or item.kind == other.kind:
                yield Change(round(item.base * scale, 6), round(other.base, 6), other.kind)


def _denials(clause: Clause, other: Clause) -> int:
    """Count the denials in a clause: negating words, and words with a negating prefix like "unsafe".

    A word with a prefix counts only if the other clause has the word without the prefix ("safe"). A Chinese opposite
    containing 不 or 未 counts if the other clause has no word of the same axis.
    """
    words = re.findall(r"[a-z]+", fold(clause.text))
    prefixed = [found[1] for word in words if (found := _PREFIXED.match(word)) and word not in other.text.casefold()]
    turned = sum(not match_keys(key).isdisjoint(other.keys) for base in prefixed for key in content_words(base))
    return clause.negations + turned + len(clause.denying_axes - other.axes.keys())


def _other_figures(claim: Clause, source: Clause) -> bool:
    """Report whether both clauses give figures and share no figure."""
    figures = [figure.value for figure in source.quantities]
    return bool(figures) and bool(claim.quantities) and not any(q.value in figures for q in claim.quantities)
