"""Mentions: the columns and values of a table, and the table itself, as a question names them.

A name that stands in the table goes before one that is assumed: a part of a header or of a value, its beginning, or a
word of the same meaning (`text/data/table_synonyms.toml`). A word that may mean several columns or values is a doubt.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, Final, NamedTuple

from weiwo.text.data_files import data_pattern, data_rows, data_words, read_data, split_cell
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.tools.tables.columns import fold_value

_FILE: Final = "tables"
_SYNONYMS: Final = "table_synonyms"
IDLE: Final = data_words(_FILE, "words", "idle")
NOUNS: Final = data_words(_FILE, "words", "nouns")
_IDLE_HAN: Final = data_pattern(_FILE, "words", "idle_han")
_SAYS_OTHER: Final = data_pattern(_FILE, "words", "other")
"""Words that a question has for other ends: a column or a value of that name is meant only where both are named."""
_PATTERN_WORDS: Final = lazy(r"(?<!\\)[a-z]{2,}")
_CUED: Final = ("cues", "compare", "dates")
_WORD: Final = lazy(r"[^\W_]+(?:'s)?")
_HAN: Final = lazy(f"[{HAN}]")
_HAN_RUN: Final = lazy(f"[{HAN}]{{2,}}")
_BRACKETED: Final = lazy(r"[(（\[]([^()（）\[\]]{0,100})[)）\]]")
_SHORTEST_WORD: Final = 3
_SHORTEST_BEGINNING: Final = 4
_PEOPLE_GROUPS: Final = ("employee", "person")
_MOST_VALUES: Final = 2_000
_LONGEST_HAN_NAME: Final = 12
"""Characters of a Chinese name that may be shortened; longer ones are sentences."""


class Mention(NamedTuple):
    """A column, a value or the table itself, as a question names it.

    Attributes:
        kind: `column`, `value` or `table`.
        start: Where it begins in the question.
        end: Where it ends.
        column: The column, by its place; -1 for the table.
        value: The value, in the spelling of the table.
        assumed: The question does not say it in the words of the table.
    """

    kind: str
    start: int
    end: int
    column: int
    value: str = ""
    assumed: bool = False


class Implied(NamedTuple):
    """A word that implies its column, such as "cheapest".

    Attributes:
        cue: What is made of the rows: `min`, `max` or `sum`.
        start: Where it begins in the question.
        end: Where it ends.
        column: The column; None where the table has none that fits.
    """

    cue: str
    start: int
    end: int
    column: int | None


class Doubt(NamedTuple):
    """A word of a question that may mean several columns or values."""

    word: str
    names: tuple[str, ...]


# -- names that stand in the table --------------------------------------------------------------------------------


def find_mentions(text: str, table: Mapping[str, Any]) -> list[Mention]:
    """Find what a question names of a table, longer names first, none within another."""
    called = list_table_forms(str(table["name"]))  # whoever says "orders" means rows, not the column of their numbers
    wanted: list[tuple[str, str, int, str]] = []
    for at, column in enumerate(table["columns"]):
        wanted += [(form, "column", at, "") for form in _list_forms(str(column["name"])) if form not in called]
        values = ((fold_value(value), value) for value in column["values"])
        wanted += [(form, "value", at, one) for form, one in values if not _SAYS_OTHER.fullmatch(form)]
    wanted += [(form, "table", -1, "") for form in called]
    taken: list[Mention] = []
    for form, kind, at, value in sorted(wanted, key=lambda one: (-len(one[0]), one[1] != "column")):
        if len(form) < 2 and not (len(form) == 1 and _HAN.search(form) and kind == "value"):
            continue
        for start in _find_form(text, form):
            end = start + len(form)
            over = [one for one in taken if one.start < end and start < one.end]
            alike = all((one.start, one.end) == (start, end) and one.kind == kind for one in over)
            if alike and not any(one.column == at for one in over):
                taken.append(Mention(kind, start, end, at, value))
    return sorted(taken, key=lambda one: one.start)


def _find_form(text: str, form: str) -> Iterator[int]:
    """Yield where a form stands in a text as a word of its own."""
    start = text.find(form)
    while start >= 0:
        end = start + len(form)
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if not (_joins(before, form[0]) or _joins(form[-1], after)):
            yield start
        start = text.find(form, start + 1)


def _joins(one: str, other: str) -> bool:
    """Tell whether two characters are of one word: letters or digits that are not Chinese."""
    return bool(one and other) and all(c.isalnum() and not _HAN.match(c) for c in (one, other))


def _list_forms(name: str) -> list[str]:
    """List how a column may be named: as it stands, without a unit in brackets, in the plural or singular."""
    plain = fold_value(_BRACKETED.sub("", name)).replace("_", " ")
    forms = {fold_value(name), plain}
    for inner in map(fold_value, _BRACKETED.findall(name)[:1]):  # "amount (net)" is "net amount", too
        forms |= {f"{inner} {plain}", f"{plain} {inner}"} if plain.isascii() else {f"{inner}{plain}", f"{plain}{inner}"}
    for form in list(forms):
        if form.isascii() and form[-1:].isalpha():
            forms |= {f"{form}s", form.removesuffix("s")} | ({f"{form[:-1]}ies"} if form.endswith("y") else set())
            forms |= {f"{form}es"} if form.endswith(("x", "s", "ch", "sh")) else set()
    return [form for form in forms if form and form not in IDLE and not _SAYS_OTHER.fullmatch(form)]


def list_table_forms(name: str) -> list[str]:
    """List how a table may be named: whole, or by a word of its name."""
    plain = re.sub(r"[_/,-]+", " ", fold_value(name))
    words = [word for word in plain.split() if not word.isdecimal()]
    forms = dict.fromkeys(form for word in [" ".join(plain.split()), *words] for form in _list_forms(word))
    return [form for form in forms if form not in _list_function_words()]


# -- words of the same meaning ------------------------------------------------------------------------------------


@cache
def _list_groups() -> Mapping[str, frozenset[str]]:
    """The groups of words of one meaning, by name."""
    return {name: frozenset(split_cell(cell)) for name, cell in data_rows(_SYNONYMS, "groups")}


@cache
def _list_implied() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """What words imply, by word: cues, each with the groups of its column."""
    implied: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for cue, groups, phrases in data_rows(_SYNONYMS, "implied"):
        for phrase in split_cell(phrases):
            implied.setdefault(phrase, []).append((cue, split_cell(groups)))
    return implied


@cache
def _list_function_words() -> frozenset[str]:
    """Words that are the question's own: those of its cues, comparisons and dates, and those that say nothing more."""
    patterns = [pattern for section in _CUED for pattern in read_data(_FILE)[section].values()]
    return frozenset({*IDLE, *NOUNS, *_PATTERN_WORDS.findall(" ".join(patterns))})


def _is_of_groups(header: str, groups: Iterable[str]) -> bool:
    """Tell whether a header has a word of some groups."""
    known = _list_groups()
    plain = fold_value(_BRACKETED.sub("", header)).replace("_", " ")
    words = set(_WORD.findall(plain))
    return any(
        word == plain or word in words or (_HAN.match(word) and word in plain)
        for group in groups
        for word in known[group]
    )


def names_people(header: str) -> bool:
    """Tell whether a column holds the names of people."""
    return _is_of_groups(header, _PEOPLE_GROUPS)


def find_implied(text: str, table: Mapping[str, Any], taken: Sequence[Mention], types: Iterable[str]) -> list[Implied]:
    """Find the words of a question that imply their column.

    Args:
        text: The question, folded.
        table: What is known of the table.
        taken: What the question names in the words of the table.
        types: Types of columns that have a highest and a lowest.
    """
    ordered = frozenset(types)
    found: list[Implied] = []
    for phrase, meanings in sorted(_list_implied().items(), key=lambda one: -len(one[0])):
        for start in _find_form(text, phrase):
            end = start + len(phrase)
            over = [(one.start, one.end) for one in taken] + [(one.start, one.end) for one in found]
            if any(first < end and start < last for first, last in over):
                continue
            fitting = ((cue, _find_column(groups, table, ordered)) for cue, groups in meanings)
            cue, column = next(((cue, at) for cue, at in fitting if at is not None), (meanings[0][0], None))
            found.append(Implied(cue, start, end, column))
    return found


def has_implied(text: str) -> bool:
    """Tell whether a question has a word that implies its column."""
    return any(phrase in text for phrase in _list_implied())


def _find_column(groups: Iterable[str], table: Mapping[str, Any], types: frozenset[str]) -> int | None:
    """Find the one column of the first group that has any."""
    for group in groups:
        fit = [
            at
            for at, column in enumerate(table["columns"])
            if column["type"] in types and not column["mixed"] and _is_of_groups(str(column["name"]), (group,))
        ]
        if fit:
            return fit[0] if len(fit) == 1 else None
    return None


# -- names that are assumed ---------------------------------------------------------------------------------------


def find_assumed(
    text: str, table: Mapping[str, Any], taken: Iterable[tuple[int, int]]
) -> tuple[list[Mention], list[Doubt]]:
    """Find what a question names of a table in other words.

    Args:
        text: The question, folded.
        table: What is known of the table.
        taken: Stretches of the question that are understood already.

    Returns:
        What is meant, and the words that may mean several things.
    """
    names = _Names(table)
    free = list(text)
    for start, end in taken:
        free[start:end] = "\0" * (end - start)
    left = "".join(free)
    function_words = _list_function_words()
    words = [
        (found.start(), found.end(), names.resolve(word))
        for found in _WORD.finditer(left)
        if not _HAN.search(word := found[0].removesuffix("'s"))
        and len(word) >= _SHORTEST_WORD
        and word not in function_words
        and not _SAYS_OTHER.fullmatch(word)
    ]
    found = _settle_together(words)
    for run in _HAN_RUN.finditer(left):
        found += [(run.start() + start, run.start() + end, fits) for start, end, fits in names.resolve_han(run[0])]
    mentions = [
        Mention("value" if value else "column", start, end, column, value, assumed=True)
        for start, end, fits in found
        if len(fits) == 1
        for column, value in fits
    ]
    doubts = [Doubt(text[start:end], names.list_names(fits)) for start, end, fits in found if len(fits) > 1]
    return mentions, doubts


_Fit = tuple[int, str]
"""A column by its place, and a value of it; without a value the column itself."""
_Found = tuple[int, int, list[_Fit]]


def _settle_together(words: Sequence[_Found]) -> list[_Found]:
    """Settle words that may mean several things by other words of the question: "sales rep", "Noor Haddad"."""
    settled: list[_Found] = []
    for start, end, fits in words:
        shared = [[fit for fit in fits if fit in other] for place, _, other in words if place != start]
        narrower = [both for both in shared if both and len(both) < len(fits)]
        settled.append((start, end, min(narrower, key=len, default=fits)))
    return settled


def list_values_with(word: str, table: Mapping[str, Any]) -> list[str]:
    """List the values of a table that have a word among others."""
    return list(dict.fromkeys(value for _, value in _Names(table).find_values({word})))


class _Names:
    """The headers and values of a table, to be found by their parts."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._headers = [str(column["name"]) for column in table["columns"]]
        self._plain = [fold_value(_BRACKETED.sub("", name)).replace("_", " ") for name in self._headers]
        self._values = [
            [(fold_value(value), value) for value in column["values"][:_MOST_VALUES]] for column in table["columns"]
        ]

    def resolve(self, word: str) -> list[_Fit]:
        """Return what a word may mean, by the likeliest of its readings that there is."""
        forms = {word, word.removesuffix("s"), f"{word}s"}
        headers = [set(_WORD.findall(plain)) for plain in self._plain]
        if fits := [(at, "") for at, words in enumerate(headers) if words & forms]:
            return fits
        if fits := self.find_values(forms):
            return fits
        groups = [name for name, words in _list_groups().items() if forms & words]
        if fits := [(at, "") for at, header in enumerate(self._headers) if groups and _is_of_groups(header, groups)]:
            return fits
        if len(word) < _SHORTEST_BEGINNING:
            return []
        if fits := [(at, "") for at, words in enumerate(headers) if any(own.startswith(word) for own in words)]:
            return fits
        return [
            (at, value)
            for at, values in enumerate(self._values)
            for own, value in values
            if any(part.startswith(word) for part in _WORD.findall(own))
        ]

    def find_values(self, words: AbstractSet[str]) -> list[_Fit]:
        """Find the values that have one of some words."""
        return [
            (at, value)
            for at, values in enumerate(self._values)
            for own, value in values
            if words & set(_WORD.findall(own))
        ]

    def list_names(self, fits: Iterable[_Fit]) -> tuple[str, ...]:
        """List the headers and values of some readings."""
        return tuple(dict.fromkeys(value or self._headers[at] for at, value in fits))

    def resolve_han(self, run: str) -> list[_Found]:
        """Return the stretches of a run of Chinese that mean a column or a value, the longest first."""
        wanted: dict[str, list[_Fit]] = {}
        for at, plain in enumerate(self._plain):
            for part in _list_parts(plain):
                wanted.setdefault(part, []).append((at, ""))
        for at, values in enumerate(self._values):
            for own, value in values:
                for part in _list_parts(own):
                    if part in run:
                        wanted.setdefault(part, []).append((at, value))
        for group, words in _list_groups().items():
            fits = [(at, "") for at, header in enumerate(self._headers) if _is_of_groups(header, (group,))]
            for word in words if fits else ():
                if _HAN.match(word) and len(word) > 1:
                    wanted.setdefault(word, []).extend(fit for fit in fits if fit not in wanted.get(word, ()))
        found: list[_Found] = []
        for part in sorted(wanted, key=lambda one: -len(one)):
            start = run.find(part)
            end = start + len(part)
            if start >= 0 and not any(one[0] < end and start < one[1] for one in found):
                found.append((start, end, wanted[part]))
        return found


def _list_parts(name: str) -> list[str]:
    """List the beginnings and the ends of a Chinese name that may stand for it."""
    if not _HAN_RUN.fullmatch(name) or len(name) > _LONGEST_HAN_NAME:
        return []
    sizes = range(len(name) - 1, max(1, len(name) // 2 - 1), -1)
    parts = dict.fromkeys(part for size in sizes for part in (name[:size], name[-size:]))
    return [part for part in parts if not _IDLE_HAN.fullmatch(part)]
