"""Clauses of claims and passages: content words, negations and contrasting words, each parsed once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from weiwo.nodes.writer.verification.quantities import Quantity, find_quantities
from weiwo.state.cached_property import cached_property
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import DateSpan, find_dates
from weiwo.text.language import HAN, fold, sentences
from weiwo.text.lexicon import classes, opposites
from weiwo.text.names import names
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS, stem

_MOST_SENTENCES: Final = 400
LONGEST_SENTENCE: Final = 1_500

_WORD: Final = lazy(
    rf"[{HAN}]+|\d+(?:[.,]\d+)*|[^\W\d_{HAN}]+(?:['’._-]?[^\W\d_{HAN}]+|(?<=[A-Za-z])[-_]?\d+(?![\d.]))*"
)
_STRONG: Final = data_pattern("claims", "clauses", "strong")
_NEGATION: Final = data_pattern("claims", "clauses", "negation")
_NO_NEGATION: Final = data_pattern("claims", "clauses", "no_negation")
_LEADS: Final = lazy(r"(?i)^(?:no|yes|overall|in short|in summary)\s?[,:—–-]\s*|^(?:不是|是的|对|否)[，,]\s*")
_HAN_RUN: Final = lazy(f"[{HAN}]+")
_HAN_FUNCTION: Final = data_pattern("claims", "clauses", "han_function")
_RULE: Final = lazy(r":?-+:?")


@dataclass(frozen=True)
class Clause:
    """A clause of a claim or of a passage. Each property is computed on first access.

    Attributes:
        text: As written.
        head: For a table row, the text of the header row. Its words count as words of the clause. Else empty.
        whole: The sentence from which the clause was cut. Empty if the clause is a whole sentence or a row.
    """

    text: str
    head: str = ""
    whole: str = ""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The distinct content words: stems in English, pairs of characters in Chinese."""
        return frozenset(content_words(self.text))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Match keys (`match_keys`) of the words of the clause and of the table header."""
        return frozenset(key for word in (*self.stems, *content_words(self.head)) for key in match_keys(word))

    @cached_property
    def topics(self) -> frozenset[str]:
        """Match keys of the words, plus a key per pair of opposites and word class: "rose" and "fell" share "axis 0"."""
        return frozenset(key for word in (*self.stems, *content_words(self.head)) for key in _topic_keys(word))

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Quantities of the clause, without the numbers inside dates."""
        taken = [(span.start, span.end) for span in self.dates]
        return tuple(q for q in find_quantities(self.text) if not any(a < q.end and q.start < b for a, b in taken))

    @cached_property
    def dates(self) -> tuple[DateSpan, ...]:
        """Dates in the clause."""
        return tuple(find_dates(self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Folded words of the names in the clause."""
        return frozenset(word for name in names(self.text) for word in content_words(name.text))

    @cached_property
    def axes(self) -> dict[int, int]:
        """Side taken on each axis, a pair of opposites: {0: 1} for "rose" and {0: -1} for "fell".

        An axis of which the clause has both sides is left out.
        """
        sides: dict[int, set[int]] = {}
        for word in _marked_words(opposites(), self.text):
            for axis, side in opposites()[word]:
                sides.setdefault(axis, set()).add(side)
        return {axis: found.pop() for axis, found in sides.items() if len(found) == 1}

    @cached_property
    def members(self) -> dict[int, frozenset[int]]:
        """For each class of mutually exclusive words, like colours, the members that the clause has, as indexes.

        "The red door" gives {1: {0}}, "the blue door" {1: {4}}.
        """
        found: dict[int, set[int]] = {}
        for word in _marked_words(classes(), self.text):
            for group, member in classes()[word]:
                found.setdefault(group, set()).add(member)
        return {group: frozenset(these) for group, these in found.items()}

    @cached_property
    def plain(self) -> str:
        """Text in which only real denials remain, for counting.

        "It is not only big" becomes "it is big". Chinese opposites containing 不 or 未 are replaced by a comma.
        """
        text = _NO_NEGATION.sub(" ", self.text)
        for word in _denying_opposites(text):
            text = text.replace(word, "，")
        return text

    @cached_property
    def denying_axes(self) -> frozenset[int]:
        """Axes of the Chinese opposites in the clause that contain 不 or 未.

        Compared with a clause that has no word of that axis, such an opposite counts as a denial.
        """
        return frozenset(axis for word in _denying_opposites(self.text) for axis, _ in opposites()[word])

    @cached_property
    def negations(self) -> int:
        """Number of negating words in the clause."""
        return len(_NEGATION.findall(self.plain))

    @cached_property
    def denied_words(self) -> frozenset[str]:
        """Content words denied in the clause: "rebuilt" in "the mill was not rebuilt".

        For each negation this is the first content word after it, or up to three character pairs of Chinese text.
        """
        behind = (content_words(self.plain[m.end() : m.end() + 60]) for m in _NEGATION.finditer(self.plain))
        first = (list(islice(words, 3)) for words in behind)
        return frozenset(word for words in first for word in (words[:1] if words[:1] < ["\u3000"] else words))


def _denying_opposites(text: str) -> list[str]:
    found = _marked_words(opposites(), _NO_NEGATION.sub(" ", text))
    return [word for word in found if not word.isascii() and _NEGATION.search(word)]


def _marked_words(table: dict[str, tuple[tuple[int, int], ...]], text: str) -> Iterator[str]:
    """Yield the words of a text that are keys of a table of contrasts: opposites or word classes.

    Of overlapping Chinese words the longest is taken.

    Args:
        table: For each stem or Chinese word, the pairs of axis and side, or of class and member.
        text: The text.
    """
    return (word for _, _, word in marked_places(table, text))


def marked_places(table: dict[str, tuple[tuple[int, int], ...]], text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and table key of each word of a text that is listed in a table of contrasts.

    The offsets refer to the folded text. Of overlapping Chinese words the longest is taken.

    Args:
        table: For each stem or Chinese word, the pairs of axis and side, or of class and member.
        text: The text.
    """
    for found in _WORD.finditer(fold(text)):
        word, start = found.group(), found.start()
        if not _HAN_RUN.fullmatch(word):
            if (form := stem(word)) in table:
                yield start, found.end(), form
            continue
        at = 0
        while at < len(word):
            part = next((word[at : at + size] for size in (4, 3, 2) if word[at : at + size] in table), "")
            if part:
                yield start + at, start + at + len(part), part
            at += len(part) or 1


def content_words(text: str) -> Iterator[str]:
    """Yield the content words of a text, without function words: stems in English, pairs of characters in Chinese.

    "The founders built mills" gives "founder", "build", "mill". Pairs of Chinese characters do not span function words.
    """
    for word in _WORD.findall(fold(text)):
        if _HAN_RUN.fullmatch(word):
            for run in _HAN_FUNCTION.sub(" ", word).split():
                yield from (run[at : at + 2] for at in range(len(run) - 1))
                if len(run) == 1:
                    yield run
        elif word not in FUNCTION_WORDS:
            for part in word.split("-"):
                if part and part not in FUNCTION_WORDS:
                    yield stem(part.replace("’", "'").removesuffix("'s"))


def split_clauses(sentence: str) -> list[str]:
    """Split a sentence into clauses, each of which is affirmed or denied by itself.

    "Prices rose, but wages did not." gives "Prices rose" and "wages did not.". A sentence that cannot be split is
    returned whole.
    """
    parts = [part.strip() for part in _STRONG.split(strip_lead(sentence)) if part]
    return [part for part in parts if re.search(r"\w", part)] or [sentence]


def strip_lead(sentence: str) -> str:
    """Remove an opening "No," or "Overall," from a sentence."""
    return _LEADS.sub("", sentence, count=1)


@lru_cache(maxsize=256)
def source_clauses(text: str) -> tuple[tuple[Clause, ...], tuple[Clause, ...]]:
    """Return the sentences of a passage, and the clauses into which they are split.

    A table row is both: a clause with the cells joined by commas, and with the first row of the table as `head`. The
    text is cut after 400 sentences.
    """
    whole: list[Clause] = []
    parts: list[Clause] = []
    header = ""
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if all(_RULE.fullmatch(cell) for cell in cells):
                continue
            row = Clause(" , ".join(cells), header)
            header = header or " , ".join(cells)
            whole.append(row)
            parts.append(row)
            continue
        header = ""
        for start, end in sentences(line)[:_MOST_SENTENCES]:
            sentence = line[start : min(end, start + LONGEST_SENTENCE)]
            whole.append(Clause(sentence))
            parts += [Clause(part, whole=sentence) for part in split_clauses(sentence)]
    return tuple(whole[:_MOST_SENTENCES]), tuple(parts[: 2 * _MOST_SENTENCES])


@lru_cache(maxsize=32_768)
def match_keys(word: str) -> frozenset[str]:
    """Return the match keys of a content word: the word itself, and prefixes of five or six letters of longer words.

    Words match if they share a key: "founded" and "founding" share "found*". A word of fewer than five letters, with
    digits or in Chinese has only itself.
    """
    roots = [f"{word[:5]}*"] if 5 <= len(word) <= 8 else []
    roots += [f"{word[:6]}*"] if len(word) >= 7 else []
    return frozenset((word, *(roots if word.isascii() and word.isalpha() else ())))


@lru_cache(maxsize=32_768)
def _topic_keys(word: str) -> frozenset[str]:
    """Return the match keys of a word, plus a key for each axis of opposites and each word class that has the word."""
    axes = [f"axis {axis}" for axis, _ in opposites().get(word, ())]
    return match_keys(word).union(axes, (f"class {group}" for group, _ in classes().get(word, ())))


def find_matching_words(words: frozenset[str] | set[str], keys: frozenset[str]) -> set[str]:
    """Return those of the words that have a topic key among the given keys. Empty if none match."""
    return {word for word in words if not _topic_keys(word).isdisjoint(keys)}


def overlap(claim: Clause, source: Clause) -> float:
    """Return the share of words that a claim has in common with a source clause, from 0 to about 1.

    The share is relative to the claim's words and, with less weight, to the source's. Figures weigh most, pairs of
    Chinese characters least. 0 if either has no content words.
    """
    wanted = sum(map(_weight, claim.stems))
    if not wanted or not source.stems:
        return 0.0
    shared = sum(map(_weight, find_matching_words(claim.stems, source.topics)))
    size = sum(map(_weight, source.stems))
    return shared / (0.65 * wanted + 0.35 * max(wanted, size))


def _weight(word: str) -> float:
    if word[0].isdigit():
        return 2.0
    return 1.0 if word.isascii() else 0.6
