"""Mentions of a table in a question: its columns, its values, and the table itself.

In "total amount in the north of orders", "amount" is a column of the table orders and "north" a value. A name written
in the table takes precedence over an assumed name: a part of a header or of a value, its beginning, or a word of the
same meaning (`text/data/table_synonyms.toml`). A word that may mean several columns or values is a doubt.
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
_DENYING: Final = data_words(_SYNONYMS, "words", "denying")
_DENYING_BEGINNINGS: Final = tuple(data_words(_SYNONYMS, "words", "denying_beginnings"))
_DENYING_HAN: Final = data_pattern(_SYNONYMS, "words", "denying_han")
IDLE: Final = data_words(_FILE, "words", "idle")
NOUNS: Final = data_words(_FILE, "words", "nouns")
_IDLE_HAN: Final = data_pattern(_FILE, "words", "idle_han")
_SAYS_OTHER: Final = data_pattern(_FILE, "words", "other")
"""Words with another function in questions. They do not mention a column or value of the same name."""
_PATTERN_WORDS: Final = lazy(r"(?<!\\)[a-z]{2,}")
_CUED: Final = ("cues", "compare", "dates")
_WORD: Final = lazy(r"[^\W_]+(?:'s)?")
_HAN: Final = lazy(f"[{HAN}]")
_HAN_RUN: Final = lazy(f"[{HAN}]{{2,}}")
_ASKED_HAN: Final = lazy(rf"的(?P<noun>[{HAN}]{{1,6}}?)是(?:什么|哪)")
"""Noun that "the cheapest … is what" asks for. It may be a single character: 药 for 药品名称."""
_BRACKETED: Final = lazy(r"[(（\[]([^()（）\[\]]{0,100})[)）\]]")
_SHORTEST_WORD: Final = 3
_SHORTEST_BEGINNING: Final = 4
_PEOPLE_GROUPS: Final = ("employee", "person")
_PEOPLE_COUNTS: Final = ("employee", "people")
_MOST_VALUES: Final = 2_000
_LONGEST_HAN_NAME: Final = 12
"""Most characters of a Chinese name that may be abbreviated. Longer texts are sentences."""


class Mention(NamedTuple):
    """A mention of a column, a value or the table itself in a question.

    Attributes:
        kind: `column`, `value` or `table`.
        start: Start in the question.
        end: End in the question.
        column: Index of the column. -1 for the table.
        value: The value, in the spelling of the table. Empty for a column or the table.
        assumed: Whether the question does not use the words of the table.
    """

    kind: str
    start: int
    end: int
    column: int
    value: str = ""
    assumed: bool = False


class Implied(NamedTuple):
    """A word that implies a column: "cheapest" implies a column of amounts.

    Attributes:
        cue: The operation on the rows: `min`, `max` or `sum`.
        start: Start in the question.
        end: End in the question.
        column: Index of the column. None if the table has no fitting column.
    """

    cue: str
    start: int
    end: int
    column: int | None


class AmbiguousWord(NamedTuple):
    """A word of a question that may mean several columns or values.

    Attributes:
        word: The word.
        names: The headers and values.
    """

    word: str
    names: tuple[str, ...]


# -- names that stand in the table --------------------------------------------------------------------------------


def find_mentions(text: str, table: Mapping[str, Any]) -> list[Mention]:
    """Return the mentions of a table in a question, in its own words, in order of position.

    Of overlapping names the longer counts. A name that several columns have gives several mentions with one span.

    Args:
        text: The question, folded.
        table: The description of the table.
    """
    called = list_table_forms(str(table["name"]))  # whoever says "orders" means rows, not the column of their numbers
    wanted: list[tuple[str, str, int, str]] = []
    for at, column in enumerate(table["columns"]):
        wanted += [(form, "column", at, "") for form in _list_forms(str(column["name"])) if form not in called]
        values = ((fold_value(value), value) for value in column["values"])
        wanted += [(form, "value", at, item) for form, item in values if not _SAYS_OTHER.fullmatch(form)]
    wanted += [(form, "table", -1, "") for form in called]
    taken: list[Mention] = []
    for form, kind, at, value in sorted(wanted, key=lambda item: (-len(item[0]), item[1] != "column")):
        if len(form) < 2 and not (len(form) == 1 and _HAN.search(form) and kind == "value"):
            continue
        for start in _find_form(text, form):
            end = start + len(form)
            over = [item for item in taken if item.start < end and start < item.end]
            alike = all((item.start, item.end) == (start, end) and item.kind == kind for item in over)
            if alike and not any(item.column == at for item in over):
                taken.append(Mention(kind, start, end, at, value))
    return sorted(taken, key=lambda item: item.start)


def _find_form(text: str, form: str) -> Iterator[int]:
    """Yield the offsets at which a form stands in a text as a separate word."""
    start = text.find(form)
    while start >= 0:
        end = start + len(form)
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if not (_joins(before, form[0]) or _joins(form[-1], after)):
            yield start
        start = text.find(form, start + 1)


def _joins(text: str, other: str) -> bool:
    """Report whether two characters belong to one word: both are letters or digits, and not Chinese."""
    return bool(text and other) and all(c.isalnum() and not _HAN.match(c) for c in (text, other))


_PERIOD: Final = lazy(
    r"(?:fy ?)?[12]\d{3}(?:年|财年)?(?: (?:q|h)[1-4])?|q[1-4](?: [12]\d{3})?|(?:[12]\d{3}年)?第?[1-4一二三四]季度"
)
_DATED: Final = lazy(r"(?P<year>[12]\d{3}) (?P<part>[a-z][a-z0-9]{1,11})")


def _list_forms(name: str) -> list[str]:
    """Return the forms in which a question may name a column: "amounts", "net amount" … for "amount (net)"."""
    plain = fold_value(_BRACKETED.sub("", name)).replace("_", " ")
    forms = {fold_value(name), plain}
    for inner in map(fold_value, _BRACKETED.findall(name)[:1]):  # "amount (net)" is "net amount", too
        forms |= {f"{inner} {plain}", f"{plain} {inner}"} if plain.isascii() else {f"{inner}{plain}", f"{plain}{inner}"}
    if dated := _DATED.fullmatch(plain):  # "2024 Q1", as two header rows are joined, is "Q1 2024", too
        forms |= {f"{dated['part']} {dated['year']}", f"{dated['part']} of {dated['year']}"}
    for form in list(forms):
        if form.isascii() and form[-1:].isalpha():
            forms |= {f"{form}s", form.removesuffix("s")} | ({f"{form[:-1]}ies"} if form.endswith("y") else set())
            forms |= {f"{form}es"} if form.endswith(("x", "s", "ch", "sh")) else set()
    return [form for form in forms if form and form not in IDLE and not _SAYS_OTHER.fullmatch(form)]


def list_table_forms(name: str) -> list[str]:
    """Return the forms in which a question may name a table: its name, or a word of it, singular or plural."""
    plain = re.sub(r"[_/,-]+", " ", fold_value(name))
    words = [word for word in plain.split() if not word.isdecimal()]
    forms = dict.fromkeys(form for word in [" ".join(plain.split()), *words] for form in _list_forms(word))
    return [form for form in forms if form not in _list_function_words()]


# -- words of the same meaning ------------------------------------------------------------------------------------


@cache
def _list_groups() -> Mapping[str, frozenset[str]]:
    """Return the groups of synonyms by name, each as a set of words."""
    return {name: frozenset(split_cell(cell)) for name, cell in data_rows(_SYNONYMS, "groups")}


@cache
def _list_implied() -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
    """Return, for each word that implies a column, its possible meanings: operation and the column's synonym groups."""
    implied: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for cue, groups, phrases in data_rows(_SYNONYMS, "implied"):
        for phrase in split_cell(phrases):
            implied.setdefault(phrase, []).append((cue, split_cell(groups)))
    return implied


@cache
def _list_function_words() -> frozenset[str]:
    """Return the words of questions that name nothing: those of cues, comparisons and dates, and fillers."""
    patterns = [pattern for section in _CUED for pattern in read_data(_FILE)[section].values()]
    return frozenset({*IDLE, *NOUNS, *_PATTERN_WORDS.findall(" ".join(patterns))})


def _is_of_groups(header: str, groups: Iterable[str]) -> bool:
    """Report whether a header has a word of one of the named synonym groups."""
    known = _list_groups()
    plain = fold_value(_BRACKETED.sub("", header)).replace("_", " ")
    words = set(_WORD.findall(plain))
    return any(
        word == plain or word in words or (_HAN.match(word) and word in plain)
        for group in groups
        for word in known[group]
    )


def means_same(word: str, header: str) -> bool:
    """Report whether a word is a synonym of a header: "salary" of "wage"."""
    return _is_of_groups(header, [name for name, words in _list_groups().items() if word in words])


def names_period(header: str) -> bool:
    """Report whether a column is named after a year or a part of one ("2024 Q1"), and so has figures of that time."""
    plain = fold_value(_BRACKETED.sub("", header)).replace("_", " ")
    return _PERIOD.fullmatch(plain) is not None


def names_people(header: str) -> bool:
    """Report whether the header of a column of texts says that it has names of people: "employee"."""
    return _is_of_groups(header, _PEOPLE_GROUPS)


def counts_people(header: str) -> bool:
    """Report whether the header of a column of numbers says that it counts people: "employees"."""
    return _is_of_groups(header, _PEOPLE_COUNTS)


def is_denied(word: str, table: Mapping[str, Any]) -> bool:
    """Report whether a text of the table says the contrary of a word: "paid" for "unpaid", "not paid" for "paid"."""
    denied = {word.removeprefix(beginning) for beginning in _DENYING_BEGINNINGS if word.startswith(beginning)}
    texts = (fold_value(text) for column in table["columns"] for text in (column["name"], *column["values"]))
    if _HAN.search(word):
        return any(word in text and _DENYING_HAN.search(text.replace(word, "", 1)) for text in texts)
    contrary = {f"{beginning}{word}" for beginning in _DENYING_BEGINNINGS}
    return any(
        words & (denied | contrary) or (word in words and _denies(text, {word}))
        for text in texts
        for words in [set(_WORD.findall(text))]
    )


def find_implied(text: str, table: Mapping[str, Any], taken: Sequence[Mention], types: Iterable[str]) -> list[Implied]:
    """Return the words of a question that imply a column, each with the column, or None if no single column fits.

    Args:
        text: The question, folded.
        table: The description of the table.
        taken: The mentions in the words of the table. Words inside them imply nothing.
        types: Types of columns that have a highest and a lowest.
    """
    ordered = frozenset(types)
    found: list[Implied] = []
    for phrase, meanings in sorted(_list_implied().items(), key=lambda item: -len(item[0])):
        for start in _find_form(text, phrase):
            end = start + len(phrase)
            over = [(mention.start, mention.end) for mention in taken] + [(item.start, item.end) for item in found]
            if any(first < end and start < last for first, last in over):
                continue
            fitting = ((cue, _find_column(groups, table, ordered)) for cue, groups in meanings)
            cue, column = next(((cue, at) for cue, at in fitting if at is not None), (meanings[0][0], None))
            found.append(Implied(cue, start, end, column))
    return found


def has_implied(text: str) -> bool:
    """Report whether a question has a word that implies a column, like "cheapest"."""
    return any(phrase in text for phrase in _list_implied())


def _find_column(groups: Iterable[str], table: Mapping[str, Any], types: frozenset[str]) -> int | None:
    """Return the index of the column of the first group that has any. None if none has, or the group has several."""
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
) -> tuple[list[Mention], list[AmbiguousWord]]:
    """Return the mentions of a table in synonyms or parts of names, and the words that may mean several.

    Args:
        text: The question, folded.
        table: The description of the table.
        taken: Stretches of the question already understood.
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
        and (len(word) >= _SHORTEST_WORD or (len(word) > 1 and any(map(str.isdecimal, word))))
        and not word.isdecimal()  # a bare number is an amount, not part of a name
        and word not in function_words
        and not _SAYS_OTHER.fullmatch(word)
    ]
    found = _settle_together(words)
    for run in _HAN_RUN.finditer(left):
        found += [(run.start() + start, run.start() + end, fits) for start, end, fits in names.resolve_han(run[0])]
    if (asked := _ASKED_HAN.search(left)) and not any(
        item[0] < asked.end("noun") and asked.start("noun") < item[1] for item in found
    ):
        found += [
            (asked.start("noun"), asked.end("noun"), fits)
            for fits in [names.find_headers(asked["noun"])]
            if len(fits) == 1
        ]
    mentions = [
        Mention("value" if value else "column", start, end, column, value, assumed=True)
        for start, end, fits in found
        if len(fits) == 1
        for column, value in fits
    ]
    doubts = [AmbiguousWord(text[start:end], names.list_names(fits)) for start, end, fits in found if len(fits) > 1]
    return mentions, doubts


_Fit = tuple[int, str]
"""Meaning of a word: index of a column, and a value in it. The value is empty for the column itself."""
_Found = tuple[int, int, list[_Fit]]


def _settle_together(words: Sequence[_Found]) -> list[_Found]:
    """Return words with their meanings, reduced to those that a neighbouring word shares.

    "Noor" may mean several values and "Haddad" as well: together they mean "Noor Haddad".
    """
    settled: list[_Found] = []
    for start, end, fits in words:
        shared = [[fit for fit in fits if fit in other] for place, _, other in words if place != start]
        narrower = [both for both in shared if both and len(both) < len(fits)]
        settled.append((start, end, min(narrower, key=len, default=fits)))
    return settled


def list_values_with(word: str, table: Mapping[str, Any]) -> list[str]:
    """Return the values of a table that contain a word."""
    return list(dict.fromkeys(value for _, value in _Names(table).find_values({word})))


class _Names:
    """Headers and values of a table, searchable by parts."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._headers = [str(column["name"]) for column in table["columns"]]
        self._plain = [fold_value(_BRACKETED.sub("", name)).replace("_", " ") for name in self._headers]
        self._values = [
            [(fold_value(value), value) for value in column["values"][:_MOST_VALUES]] for column in table["columns"]
        ]

    def resolve(self, word: str) -> list[_Fit]:
        """Return the possible meanings of a word: columns and values.

        Kinds of match are tried from the most likely: a word of a header, a word of a value, a synonym, the beginning
        of a header, the beginning of a value. Only the meanings of the first kind that has any are returned.
        """
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
            if any(part.startswith(word) for part in _WORD.findall(own)) and not _denies(own, {word})
        ]

    def find_values(self, words: AbstractSet[str]) -> list[_Fit]:
        """Return the values that have any of the words, without values that deny it."""
        return [
            (at, value)
            for at, values in enumerate(self._values)
            for own, value in values
            if words & set(_WORD.findall(own)) and not _denies(own, words)
        ]

    def find_headers(self, beginning: str) -> list[_Fit]:
        """Return the headers that begin with a text."""
        return [(at, "") for at, plain in enumerate(self._plain) if plain.startswith(beginning)]

    def list_names(self, fits: Iterable[_Fit]) -> tuple[str, ...]:
        """Return the headers and values of the given meanings, as text."""
        return tuple(dict.fromkeys(value or self._headers[at] for at, value in fits))

    def resolve_han(self, run: str) -> list[_Found]:
        """Return the stretches of Chinese text that name a column or value, longest first, each with its meanings."""
        wanted: dict[str, list[_Fit]] = {}
        for at, plain in enumerate(self._plain):
            for part in _list_parts(plain):
                wanted.setdefault(part, []).append((at, ""))
        for at, values in enumerate(self._values):
            for own, value in values:
                for part in _list_parts(own):
                    if part in run and not _DENYING_HAN.search(own.replace(part, "", 1)):
                        wanted.setdefault(part, []).append((at, value))
        for group, words in _list_groups().items():
            fits = [(at, "") for at, header in enumerate(self._headers) if _is_of_groups(header, (group,))]
            for word in words if fits else ():
                if _HAN.match(word) and len(word) > 1:
                    wanted.setdefault(word, []).extend(fit for fit in fits if fit not in wanted.get(word, ()))
        found: list[_Found] = []
        for part in sorted(wanted, key=lambda item: -len(item)):
            start = run.find(part)
            end = start + len(part)
            if start >= 0 and not any(item[0] < end and start < item[1] for item in found):
                found.append((start, end, wanted[part]))
        return found


def _denies(value: str, words: AbstractSet[str]) -> bool:
    """Report whether a value has a negation that is not among the given words, as "not paid" for "paid".

    Callers check that the value fits the words.
    """
    return bool((set(_WORD.findall(value)) & _DENYING) - words)


def _list_parts(name: str) -> list[str]:
    """Return the beginnings and ends of a Chinese name that may stand for it: 药品名, 名称 and others for 药品名称."""
    if not _HAN_RUN.fullmatch(name) or len(name) > _LONGEST_HAN_NAME:
        return []
    sizes = range(len(name) - 1, max(1, len(name) // 2 - 1), -1)
    parts = dict.fromkeys(part for size in sizes for part in (name[:size], name[-size:]))
    return [part for part in parts if not _IDLE_HAN.fullmatch(part)]
