"""Questions over a table, read by rule as requests to `query_table`.

"What is the total amount in the North?" asks for a sum of the column Amount over rows with the Region North. A word is
a cue (how many, total, average, highest), a column, a value, the table's own name, a condition, or a filler. In a
first, strict reading every name must occur in the table. If that gives no request, a loose reading accepts synonyms and
parts of names, and leaves a few words unused. The answer mentions both. A word that reverses the sense of the question,
or has two possible meanings, makes no request: a wrong figure is worse than none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from weiwo.nodes.shared.question.marked_question import MarkedQuestion
from weiwo.nodes.shared.question.table_columns import TableColumns
from weiwo.nodes.shared.question.table_mentions import (
    IDLE,
    NOUNS,
    Implied,
    Mention,
    counts_people,
    find_assumed,
    find_implied,
    find_mentions,
    has_implied,
    is_denied,
    list_values_with,
    means_same,
    names_period,
)
from weiwo.nodes.shared.question.table_periods import UnknownYearError, find_period, list_years
from weiwo.state import JsonValue
from weiwo.text.data_files import data_pattern, data_words, read_data
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.tools.tables.columns import NUMERIC, ORDERED, fold_value

_FILE: Final = "tables"
_SYNONYMS: Final = "table_synonyms"
_CUES: Final = {name: data_pattern(_FILE, "cues", name) for name in read_data(_FILE)["cues"]}
_IDLE_HAN: Final = data_pattern(_FILE, "words", "idle_han")
_VERBS: Final = data_words(_SYNONYMS, "words", "verbs")
_PEOPLE: Final = data_words(_SYNONYMS, "words", "people")
_TURNING: Final = data_words(_SYNONYMS, "words", "turning")
_TURNING_HAN: Final = data_pattern(_SYNONYMS, "words", "turning_han")
_FORM: Final = data_pattern("question", "patterns", "form_aside")
_LONGEST: Final = 300
_MOST_TABLES: Final = 60
_MOST_ALIKE: Final = 4
"""Most columns with names that differ only in brackets, like "amount (net)", for which a figure each is given."""
_WORD: Final = lazy(r"[^\W_]+")
_HAN: Final = lazy(f"[{HAN}]")
_HAN_WORDS: Final = lazy(rf"[{HAN}]{{2,}}")
_BESIDE_COLUMN: Final = lazy(r"\b(after|before|since|until|over|under|above|below)\s+(?:the\s+)?@")
_MADE: Final = ("distinct", "median", "mean", "sum", "count")
_WORDED: Final = ("max", "min", "top", *_MADE, "when", "who")
"""Cues that are whole words, and are recognised anywhere in the question."""
_MOST_YEARS: Final = 6
_MOST_NAMED: Final = 5
_MOST_UNUSED: Final = 2
_LONGEST_UNUSED_HAN: Final = 4
"""Most Chinese characters that may be left unused (`_MOST_UNUSED`: most words).

Otherwise the question is no request.
"""


class Refusal(NamedTuple):
    """Reason why a question is no table request.

    Attributes:
        kind: `several`: a word may mean several columns or values. `unknown`: a name is in no column. `year`: a month
            or a quarter without its year.
        word: The word.
        names: Its possible meanings, or the available columns.
    """

    kind: Literal["several", "unknown", "year"]
    word: str
    names: tuple[str, ...] = ()


def read_table_question(question: str, tables: Sequence[Mapping[str, Any]]) -> dict[str, JsonValue] | None:
    """Return the arguments of `query_table` for a question, or None if the question is no request.

    "What is the total amount in the North?" gives a sum over the column Amount with a filter on Region. None also if
    more than one table or column may be meant.

    Args:
        question: The question, in English or Chinese.
        tables: Description of each table by the catalog.
    """
    if not asks_table(question):
        return None
    text, proper = _FORM.sub("", fold_value(question)), _list_proper(question)
    # Names of tables that join similar tables of a document.
    together = {table["name"] for table in tables if table.get("parts")}
    for loose in (False, True):
        found: list[tuple[_Reading, dict[str, JsonValue]]] = []
        for table in _list_askable(tables):
            reading = _Reading(text, table, loose=loose, proper=proper)
            if (request := reading.read()) is not None:
                found.append((reading, request))
        # A column that counts people tells more of them than the number of rows that name some.
        found = [item for item in found if item[0].counts_people] or found
        least = min((reading.strain for reading, _ in found), default=(0, 0))
        found = [(reading, request) for reading, request in found if reading.strain == least]
        named = [request for reading, request in found if reading.names_table] or [request for _, request in found]
        joined = [request for request in named if request["table"] in together]
        if len(named) == 1 or len(joined) == 1:
            return named[0] if len(named) == 1 else joined[0]
        if found:
            return None
    return None


def explain_refusal(question: str, tables: Sequence[Mapping[str, Any]]) -> Refusal | None:
    """Return the word because of which a question is no table request, with the reason.

    None if no single word is at fault.
    """
    text, proper = _FORM.sub("", fold_value(question)), _list_proper(question)
    for table in _list_askable(tables):
        reading = _Reading(text, table)
        if reading.read() is None and reading.doubtful:
            tried = [(item, _Reading(text, table, item.column).read()) for item in reading.doubtful]
            fit = [item for item, request in tried if request is not None]
            if len(fit) > 1:
                return Refusal(
                    "several", fit[0].value, tuple(str(table["columns"][item.column]["name"]) for item in fit)
                )
    for table in _list_askable(tables):
        reading = _Reading(text, table, loose=True, proper=proper)
        if reading.read() is None and reading.refusal is not None:
            return reading.refusal
    return None


def _list_askable(tables: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the tables that were read completely."""
    return (table for table in tables[:_MOST_TABLES] if table["columns"] and not table["torn"])


def asks_table(question: str) -> bool:
    """Report whether a question asks for a count, a sum, a mean or an extreme over rows."""
    text = fold_value(question[: _LONGEST + 1])
    if len(text) > _LONGEST:
        return False
    return has_implied(text) or any(_CUES[cue].search(text) for cue in ("max", "min", "top", *_MADE))


def touches_table(question: str, tables: Sequence[Mapping[str, Any]]) -> bool:
    """Report whether a question mentions a column or value of any table, also by a synonym.

    A table with nothing but text, like a list of titles, counts only if the question counts rows.
    """
    text = fold_value(question[:_LONGEST])
    counts = has_implied(text) or any(_CUES[cue].search(text) for cue in ("count", "distinct"))
    for table in _list_askable(tables):
        if not counts and all(column["type"] == "text" for column in table["columns"]):
            continue
        mentions = find_mentions(text, table)
        taken = [(mention.start, mention.end) for mention in mentions]
        if any(mention.kind != "table" for mention in mentions) or any(find_assumed(text, table, taken)):
            return True
    return False


def _list_proper(question: str) -> frozenset[str]:
    """Return the words written as names, folded: "noor" and "haddad" in "How many orders did Noor Haddad place?".

    Empty if most words have a capital.
    """
    words = list(_WORD.finditer(question))
    between = ((after, question[before.end() : after.start()]) for before, after in pairwise(words))
    begun = {word.start() for word, marks in between if set(".?!:") & set(marks)}
    named = [word for word in words[1:] if word[0][0].isupper() and word.start() not in begun]
    return frozenset(fold_value(item[0]) for item in named) if len(named) * 2 <= len(words) else frozenset()


class _Reading:
    """An attempt to read a question as a request over one table.

    Understood words are taken out of the text until nothing is left.
    """

    def __init__(
        self,
        text: str,
        table: Mapping[str, Any],
        chosen: int | None = None,
        *,
        loose: bool = False,
        proper: AbstractSet[str] = frozenset(),
    ) -> None:
        """Find the mentions in the question.

        Args:
            text: The question, folded.
            table: The description of the table.
            chosen: The column meant by a value, if several have the value.
            loose: Names may be assumed, and words left unused.
            proper: Words that are written as names.
        """
        self._chosen, self._loose, self._proper = chosen, loose, proper
        self.doubtful: list[Mention] = []
        self.refusal: Refusal | None = None
        self._table = table
        self._columns: Sequence[Mapping[str, Any]] = table["columns"]
        self._facts = TableColumns(table)
        self._text = text
        self._filters: list[dict[str, JsonValue]] = []
        self._mentions = find_mentions(text, table)
        self._implied: list[Implied] = []
        self._assumed: list[dict[str, JsonValue]] = []
        self._unused: list[str] = []
        self._period: tuple[int, int] | None = None
        self._people: int | None = None  # index of the column with numbers of people
        self._counts_key = False  # the question names the column that identifies rows
        self.counts_people = False  # the question counts people, and a column has such numbers
        self.names_table = any(mention.kind == "table" for mention in self._mentions)

    @property
    def strain(self) -> tuple[int, int]:
        """Number of unused words, and of assumed names. The reading with the least is the best."""
        return len(self._unused), len(self._assumed)

    def read(self) -> dict[str, JsonValue] | None:
        """Return the question as a table request, or None if too many words are not understood.

        Only a loose reading assumes names and leaves words unused.
        """
        if self._loose and not self._assume():
            return None
        if not (self._mentions or self._implied) or not self._take_values():
            return None
        understood = [(item.start, item.end) for item in self._implied] + ([self._period] if self._period else [])
        request = self._read_marked(MarkedQuestion(self._text, self._table, self._mentions, understood))
        if request is None:
            return None
        names = _list_columns(request)
        assumed: list[JsonValue] = [item for item in self._assumed if item["column"] in names]
        told: dict[str, list[JsonValue]] = {"assumed": assumed, "unused": [*self._unused]}
        return {**request, **{name: words for name, words in told.items() if words}}

    def _read_marked(self, marked: MarkedQuestion) -> dict[str, JsonValue] | None:
        top = marked.take(_CUES["top"])
        if not (marked.take_dates() and marked.take_amounts()):
            return None
        self._filters += marked.filters
        by = marked.take(_CUES["by"])
        cues = dict.fromkeys((item.cue for item in self._implied), True)
        dated = bool(_CUES["when"].search(marked.text))
        for cue in ("distinct", "max", "min", "median", "mean", "count", "sum"):
            cues[cue] = marked.take(_CUES[cue]) is not None or cues.get(cue, False)
        which = marked.take(_CUES["which"]) or marked.take(_CUES["which_han"])
        who = marked.take(_CUES["who"])
        if not self._nothing_left(marked.text):
            return None
        asked = marked.asked
        group = self._after(by.end(), asked) if by else None
        thing = self._find_thing(which, asked) if which is not None else None
        if thing is None and (who is not None or top is not None):
            thing = self._facts.find_names(people=who is not None)
        if top is not None and by is not None and not (cues["max"] or cues["min"]):
            cues["max"], group = True, None
        amount = int(next(filter(None, top.groups()))) if top else 1
        alike = {item.column for item in asked if [other.start for other in asked].count(item.start) > 1}
        if alike & {group, thing}:
            return None
        rest = [item.column for item in asked if item.column not in {group, thing}] or self._list_counts(cues)
        if len(alike) > 1 and set(rest) == alike:
            return self._each(cues, rest, group)
        asks = which is not None or who is not None
        if self._loose and (len(set(rest)) > 1 or cues["count"]) and not (cues["max"] or cues["min"]):
            # "the total amount of orders", a row each; "opened in Q1", a condition
            self._counts_key = any(map(self._facts.is_key, rest))
            rest = [at for at in rest if not self._facts.is_key(at) and not self._is_dated(at)]
        if self._loose and thing is None and group is None and not asks and (cues["max"] or cues["min"]):
            rest, thing = self._split_thing(rest, dated=dated)
        return self._request(cues, rest, group, thing, amount, dated=dated, asks=asks)

    def _list_counts(self, cues: Mapping[str, bool]) -> list[int]:
        """Return the index of the column that counts people, in a list, if the question asks for that, else []."""
        self.counts_people = cues["count"] and self._people is not None
        return [self._people] if self.counts_people and self._people is not None else []

    # -- names that are assumed -----------------------------------------------------------------------------------

    def _assume(self) -> bool:
        """Add mentions by synonyms, parts of names and periods.

        Returns False if a word may mean several things, or if the year of a period is not known.
        """
        for mention in self._mentions:
            word = self._text[mention.start : mention.end]
            if mention.kind == "table" and (values := list_values_with(word, self._table)):
                self.refusal = Refusal("several", word, (str(self._table["name"]), *values[:_MOST_NAMED]))
                return False
        self._implied = find_implied(self._text, self._table, self._mentions, ORDERED)
        if not self._take_period():
            return False
        taken = [(item.start, item.end) for item in self._mentions]
        taken += [(item.start, item.end) for item in self._implied]
        taken += [self._period] if self._period else []
        taken += [found.span() for cue in _WORDED for found in _CUES[cue].finditer(self._text)]
        mentions, doubts = find_assumed(self._text, self._table, taken)
        if doubts:
            self.refusal = Refusal("several", *doubts[0])
            return False
        for mention in mentions:
            self._note_assumed(self._text[mention.start : mention.end], mention.column, mention.value)
        self._mentions = sorted((*self._mentions, *mentions), key=lambda item: item.start)
        for implied in self._implied:
            if implied.column is not None:
                self._note_assumed(self._text[implied.start : implied.end], implied.column)
        return True

    def _note_assumed(self, words: str, column: int, value: str = "") -> None:
        self._assumed.append({"words": words.strip(), "column": self._facts.name(column), "value": value})

    def _take_period(self) -> bool:
        """Turn a quarter or a month into a condition on the date column. Returns False if its year is not known."""
        # The question's dates are those of a named column, else those of the only date column.
        dated = [at for at, column in enumerate(self._columns) if column["type"] in {"date", "datetime"}]
        named = [at for at in dated if any(mention.column == at for mention in self._mentions)]
        fit = named if len(named) == 1 else dated
        if len(fit) != 1 or not self._facts.is_clean(fit[0], {"date", "datetime"}):
            return True
        column = fit[0]
        try:
            period = find_period(self._text, list_years(self._columns[column]))
        except UnknownYearError as error:
            years = sorted(list_years(self._columns[column]))
            self.refusal = Refusal("year", str(error), tuple(str(year) for year in years[:_MOST_YEARS]))
            return not years
        if period is None or any(
            mention.start < period.end and period.start < mention.end for mention in self._mentions
        ):
            return True
        self._period = (period.start, period.end)
        months: list[JsonValue] = [period.first, period.last]
        whole: dict[str, JsonValue] = {"op": "between", "value": months}
        condition = whole if period.first < period.last else {"op": "=", "value": period.first}
        self._filters.append({"column": self._facts.name(column), **condition})
        if period.year_assumed:
            value = period.first if period.first == period.last else f"{period.first} – {period.last}"
            self._note_assumed(self._text[period.start : period.end], column, value)
        return True

    def _split_thing(self, rest: Sequence[int], *, dated: bool) -> tuple[list[int], int | None]:
        """Return the columns that give the order, and the column that is asked for, or None for the latter.

        "cheapest club" orders by the price and asks for the club.

        Args:
            rest: The named columns without a function so far.
            dated: Whether the question asks for the newest or oldest.
        """
        implied = next((item.column for item in self._implied if item.column is not None), None)
        if implied is None and dated:
            implied = self._facts.find_only("date")
        ordered = [at for at in dict.fromkeys(rest) if self._facts.is_clean(at, ORDERED)]
        named = [at for at in dict.fromkeys(rest) if self._columns[at]["type"] == "text"]
        if len(named) == 1 and len(ordered) <= 1 and len(named) + len(ordered) == len(set(rest)):
            target = ordered[0] if ordered else implied
            return ([target], named[0]) if target is not None else (list(rest), None)
        if not rest and implied is not None and self.names_table:
            return [
                implied
            ], self._facts.find_names() if self._facts.find_names() is not None else self._facts.find_namesake()
        return list(rest), None

    def _find_thing(self, which: re.Match[str], asked: Sequence[Mention]) -> int | None:
        """Return the index of the column that "which …" asks for: the one beside the cue, or the name of a row.

        None without.

        Args:
            which: The match of the cue in the marked text.
            asked: The mentioned columns.
        """
        ahead, behind = which.string[which.end() :][:1], which.string[: which.start()].rstrip()[-1:]
        if "~" in (ahead if ahead in {"@", "~"} else behind):
            return self._facts.find_names()
        if ahead == "@":
            return self._after(which.end(), asked)
        backwards = sorted(asked, key=lambda item: -item.start)
        return next((mention.column for mention in backwards if mention.start < which.start()), None)

    def _each(self, cues: Mapping[str, bool], columns: Sequence[int], group: int | None) -> dict[str, JsonValue] | None:
        """Return a request with a figure for each column that a name may mean: amount (net) and (gross) for "amount".

        None unless the question asks for exactly one sum, mean or median.
        """
        made = [cue for cue in ("median", "mean", "sum") if cues[cue]]
        other = any(cues[cue] for cue in ("max", "min", "distinct", "count"))
        if len(made) != 1 or other or len(columns) > _MOST_ALIKE or group is not None:
            return None
        measures = [self._measure(made[0], at, grouped=False) for at in columns]
        if None in measures:
            return None
        return {"table": str(self._table["name"]), "filters": [*self._filters], "measures": [*measures]}

    def _request(
        self,
        cues: Mapping[str, bool],
        rest: Sequence[int],
        group: int | None,
        thing: int | None,
        amount: int,
        *,
        dated: bool,
        asks: bool,
    ) -> dict[str, JsonValue] | None:
        """Return the request that cues and columns form, or None if they do not form a single one.

        Args:
            cues: The operations that the question asks for, by name.
            rest: The named columns without another function.
            group: The column of "by …" or "per …".
            thing: The column that is asked for.
            amount: Number of rows asked for.
            dated: Whether the newest or oldest is asked for.
            asks: Whether the question says "which" or "who".
        """
        extreme = "max" if cues["max"] else "min" if cues["min"] else ""
        made = next((cue for cue in _MADE if cues[cue]), "")
        if (cues["max"] and cues["min"]) or len(set(rest)) > 1 or (asks and thing is None):
            return None
        target = rest[0] if rest else next((item.column for item in self._implied if item.column is not None), None)
        if made == "sum" and cues["count"] and target is None:
            made = "count"  # "how many … in total"
        if target is None and self._loose and (extreme or made in {"sum", "mean", "median"}):
            target = self._find_called()
        request: dict[str, JsonValue] = {"table": str(self._table["name"]), "filters": [*self._filters]}
        if extreme and target is None and dated:
            target = self._facts.find_only("date")
            if thing is None and group is None and self.names_table and not asks and not made:
                thing = self._facts.find_names()  # "the newest club"
        if extreme and not made:
            if group is None:
                return self._extreme(request, extreme, target, thing, amount)
            if target is None or thing is not None or not self._facts.is_clean(target, ORDERED):
                return None
            largest: dict[str, JsonValue] = {"function": extreme, "column": self._facts.name(target)}
            return {**request, "measures": [largest], "group_by": [self._facts.name(group)], "top": 200}
        measure = self._measure(made, target, grouped=extreme != "")
        if measure is None:
            return None
        request["measures"] = [measure]
        if extreme and thing is not None and group is None:
            return {**request, "group_by": [self._facts.name(thing)], "descending": extreme == "max", "top": amount}
        if extreme or thing is not None:
            return None
        return {**request, "group_by": [self._facts.name(group)], "top": 200} if group is not None else request

    def _extreme(
        self, request: dict[str, JsonValue], extreme: str, target: int | None, thing: int | None, amount: int
    ) -> dict[str, JsonValue] | None:
        if target is None:
            if thing is None or not self.names_table:
                return None
            if self._columns[thing]["distinct"] < self._table["rows"]:  # "which city has the most orders"
                counted: dict[str, JsonValue] = {
                    "measures": [{"function": "count"}],
                    "group_by": [self._facts.name(thing)],
                }
                return {**request, **counted, "descending": extreme == "max", "top": amount}
            # Each thing has a single row, so a count says nothing: "most goals" of goals.csv.
            target = self._facts.find_namesake()
            if target is None:
                return None
        if not self._facts.is_clean(target, ORDERED):
            return None
        if thing is None:
            if amount > 1:
                return None
            return {**request, "measures": [{"function": extreme, "column": self._facts.name(target)}]}
        if thing == target:
            return None
        ordered: dict[str, JsonValue] = {
            "order_by": self._facts.name(target),
            "descending": extreme == "max",
            "top": amount,
        }
        return {**request, "columns": [self._facts.name(thing)], **ordered}

    def _measure(self, made: str, target: int | None, *, grouped: bool) -> dict[str, JsonValue] | None:
        if made == "count" and target is not None and names_period(self._facts.name(target)):
            made = "sum"  # "how many ships came in Q1", of a column that counts them
        if made == "count":
            known = self.names_table or bool(self._generic)
            known = known or self._counts_key
            return self._count_things(target) if target is not None else {"function": "count"} if known else None
        if target is None or not made:
            return None
        if made == "distinct":
            return {"function": "distinct", "column": self._facts.name(target)} if not grouped else None
        return {"function": made, "column": self._facts.name(target)} if self._facts.is_clean(target, NUMERIC) else None

    def _is_dated(self, at: int) -> bool:
        """Report whether a column is a date column on which a condition is set."""
        conditional = any(item["column"] == self._facts.name(at) for item in self._filters)
        return conditional and self._columns[at]["type"] in {"date", "datetime"}

    def _count_things(self, at: int) -> dict[str, JsonValue] | None:
        """Return the measure that counts the things of a column, or None if that is not clear.

        Rows are counted if each has its own thing, else distinct values. Quantities are added up.
        """
        column = self._columns[at]
        if not self._loose or column["mixed"]:
            return None
        if self._facts.is_quantity(at):
            return {"function": "sum", "column": self._facts.name(at)} if self._facts.is_clean(at, NUMERIC) else None
        if column["distinct"] == self._table["rows"]:
            return {"function": "count"}
        return {"function": "distinct", "column": self._facts.name(at)} if column["type"] == "text" else None

    def _find_called(self) -> int | None:
        """Return the index of the number column that the question names by the word for the table, or None.

        Examples are "total rent" of rent.csv, and "highest wage" of wages.csv with a column "salary".
        """
        words = {self._text[mention.start : mention.end] for mention in self._mentions if mention.kind == "table"}
        names = [fold_value(str(column["name"])) for column in self._columns]
        if not (found := [at for at, name in enumerate(names) if name in words]):
            alike = [(word, at) for word in words for at, name in enumerate(names) if means_same(word, name)]
            found = list(dict.fromkeys(at for _, at in alike))
            if len(found) == 1:
                self._note_assumed(alike[0][0], found[0])
        return found[0] if len(found) == 1 and self._facts.is_clean(found[0], ORDERED) else None

    def _take_values(self) -> bool:
        """Turn the mentioned values into conditions.

        Returns False if a value occurs in several columns and the question names none of them.
        """
        named = {mention.column for mention in self._mentions if mention.kind == "column"} | {self._chosen}
        spans: dict[tuple[int, int], list[Mention]] = {}
        for item in self._mentions:
            if item.kind == "value":
                spans.setdefault((item.start, item.end), []).append(item)
        chosen: dict[int, list[JsonValue]] = {}
        self._used: set[int] = set()
        for alike in spans.values():
            several = [entry for entry in alike if entry.column in named] if len(alike) > 1 else alike
            if len(several) != 1:
                self.doubtful = alike
                return False
            chosen.setdefault(several[0].column, []).append(several[0].value)
        for column, values in chosen.items():
            name = self._facts.name(column)
            many = len(values) > 1
            self._filters.append({"column": name, "op": "in" if many else "=", "value": values if many else values[0]})
        self._valued = set(chosen)
        return True

    def _nothing_left(self, marked: str) -> bool:
        """Report whether all words are understood, but for a few that can be noted as unused."""
        words = [word for word in _WORD.findall(marked) if not _HAN.search(word)]
        self._generic = [word for word in words if word in NOUNS]
        if "行" in marked or "记录" in marked or "条" in self._text:
            self._generic.append("行")
        han = _IDLE_HAN.sub("", "".join(_HAN.findall(marked)))
        left = [word for word in words if word not in IDLE and word not in NOUNS]
        if not self._loose:
            return not left and not han
        counted = _CUES["count"].search(self._text)  # which takes 人 of 多少人
        han_words = _HAN.findall(marked + (counted[0] if counted else ""))
        people = [word for word in (*words, *han_words) if word in _PEOPLE]
        counts = [
            at
            for at, column in enumerate(self._columns)
            if counts_people(str(column["name"])) and self._facts.is_quantity(at)
        ]
        if people and len(counts) == 1:
            self._people = counts[0]
        elif not self._facts.lists_people():
            people = []
        self._generic += people
        left = [word for word in left if word not in people]
        if any(is_denied(word, self._table) for word in (*left, *_HAN_WORDS.findall(han))):
            return False
        named = set(_BESIDE_COLUMN.findall(marked))  # "after 24h", if 24h is part of a header
        left = [word for word in dict.fromkeys(left) if len(word) > 1 and word not in _VERBS and word not in named]
        if set(left) & _TURNING or _TURNING_HAN.search(han):
            return False
        names = [word for word in left if word in self._proper]
        if names:
            self.refusal = Refusal("unknown", " ".join(names), tuple(str(column["name"]) for column in self._columns))
            return False
        if len(left) > _MOST_UNUSED or len(han) > _LONGEST_UNUSED_HAN:
            return False
        self._unused = [*left, *([han] if han else [])]
        return True

    def _after(self, at: int, asked: Sequence[Mention]) -> int | None:
        return next(
            (mention.column for mention in sorted(asked, key=lambda item: item.start) if mention.start >= at), None
        )


def _list_columns(request: Mapping[str, Any]) -> set[str]:
    """Return the names of the columns that a request uses."""
    parts = [*request.get("filters", ()), *request.get("measures", ())]
    plain = [request.get("order_by", ""), *request.get("columns", ()), *request.get("group_by", ())]
    return {*plain, *(str(part.get("column", "")) for part in parts)}
