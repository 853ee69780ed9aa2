"""Rule-based questions over a table: the words of a question held against the columns and values of known tables.

A request is made only where every word is accounted for: a cue (how many, total, average, highest), a column, a value,
the table's own name, a condition, or a word that says nothing more. One word too many, or two readings, and there is no
request: a wrong figure is worse than none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple

from weiwo.state import JsonValue
from weiwo.text.cell_values import parse_amount
from weiwo.text.data_files import data_pattern, data_words, read_data
from weiwo.text.dates import find_dates
from weiwo.text.language import HAN
from weiwo.text.patterns import lazy
from weiwo.text.records import NAME_KEYS
from weiwo.tools.tables.columns import NUMERIC, ORDERED, fold_value

_FILE: Final = "tables"
_CUES: Final = {name: data_pattern(_FILE, "cues", name) for name in read_data(_FILE)["cues"]}
_COMPARE: Final = {name: data_pattern(_FILE, "compare", name) for name in read_data(_FILE)["compare"]}
_DATES: Final = {name: data_pattern(_FILE, "dates", name) for name in read_data(_FILE)["dates"]}
_IDLE: Final = data_words(_FILE, "words", "idle")
_IDLE_HAN: Final = data_pattern(_FILE, "words", "idle_han")
_NOUNS: Final = data_words(_FILE, "words", "nouns")
_SIGNS: Final = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<", "eq": "="}
_DAYS: Final = {"since": ">=", "after": ">", "before": "<", "until": "<=", "on": "="}
_AMOUNT: Final = lazy(
    r"(?:us\$|[$€£¥])?(?<![a-z\d.])\d[\d,]*(?:\.\d+)?(?:\s?(?:thousand|million|billion)|[万亿千])?(?:\s?(?:元|美元|欧元)|%)?"
)
_YEAR: Final = lazy(r"(?<![a-z\d.,])(?:19|20)\d\d(?![\d.,]\d|\d)")
_MONTH: Final = lazy(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\b(?=[\d, .]{0,6}\b\d{4})")
_SAYS_OTHER: Final = data_pattern(_FILE, "words", "other")
"""Words that a question has for other ends: a column or a value of that name is meant only where both are named."""
_FORM: Final = data_pattern("question", "patterns", "form_aside")
_LONGEST: Final = 300
_MOST_TABLES: Final = 60
_MOST_ALIKE: Final = 4
"""Columns of one name, but for what stands in brackets, of which each figure is given."""
_WORD: Final = lazy(r"[^\W_]+")
_MARKS: Final = lazy(r"[\s?？。.!！,，、:：;；'\"“”‘’()（）《》]+")
_HAN: Final = lazy(f"[{HAN}]")
_BRACKETED: Final = lazy(r"[(（\[]([^()（）\[\]]{0,100})[)）\]]")
_BESIDE: Final = frozenset({"", "=", "is", "of", "in", "the", "为", "是", "的"})
"""What may stand between a column and its value."""
_MADE: Final = ("distinct", "median", "mean", "sum", "count")


class _Mention(NamedTuple):
    """A column, a value or the table itself, as a question names it."""

    kind: str  # `column`, `value`, `table`
    start: int
    end: int
    column: int
    value: str = ""


def read_table_question(question: str, tables: Sequence[Mapping[str, Any]]) -> dict[str, JsonValue] | None:
    """The request that a question is, over the one table that it can be asked of.

    Args:
        question: The question, in English or Chinese.
        tables: What is known of each table, as the catalog describes it.

    Returns:
        The arguments of `query_table`; None where the question is none, or more than one table or column may be meant.
    """
    text = _FORM.sub("", fold_value(question))
    if not asks_table(question):
        return None
    found: list[tuple[bool, dict[str, JsonValue]]] = []
    together = {table["name"] for table in tables if table.get("parts")}  # like tables of a document as one
    for table in tables[:_MOST_TABLES]:
        if table["columns"] and not table["torn"]:
            reading = _Reading(text, table)
            if (request := reading.read()) is not None:
                found.append((reading.names_table, request))
    named = [request for names, request in found if names] or [request for _, request in found]
    joined = [request for request in named if request["table"] in together]
    return named[0] if len(named) == 1 else joined[0] if len(joined) == 1 else None


def find_doubt(question: str, tables: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]] | None:
    """The value of a question that stands in several columns of its table, with these; None where that is not it."""
    for table in tables[:_MOST_TABLES]:
        if table["columns"] and not table["torn"]:
            reading = _Reading(fold_value(question), table)
            if reading.read() is None and reading.doubtful:
                tried = [(one, _Reading(fold_value(question), table, one.column).read()) for one in reading.doubtful]
                fit = [one for one, request in tried if request is not None]
                if len(fit) > 1:
                    return fit[0].value, [str(table["columns"][one.column]["name"]) for one in fit]
    return None


def asks_table(question: str) -> bool:
    """Whether a question has a word for what is made of rows: a count, a sum, a mean, an extreme."""
    text = fold_value(question[: _LONGEST + 1])
    return len(text) <= _LONGEST and any(_CUES[cue].search(text) for cue in ("max", "min", "top", *_MADE))


class _Reading:
    """One question read over one table: what was understood is taken out of the text, until nothing is left."""

    def __init__(self, text: str, table: Mapping[str, Any], chosen: int | None = None) -> None:
        self._chosen = chosen  # the column whose values are meant, where several have them
        self.doubtful: list[_Mention] = []
        self._table = table
        self._columns: Sequence[Mapping[str, Any]] = table["columns"]
        self._text = text
        self._filters: list[dict[str, JsonValue]] = []
        self._mentions = _find_mentions(text, table)
        self.names_table = any(one.kind == "table" for one in self._mentions)

    def read(self) -> dict[str, JsonValue] | None:
        if not self._mentions or not self._take_values():
            return None
        marked = self._mark()
        top, marked = _take(_CUES["top"], marked)
        for reader in (self._take_dates, self._take_amounts):
            left = reader(marked)
            if left is None:
                return None
            marked = left
        by, marked = _take(_CUES["by"], marked)
        cues: dict[str, bool] = {}
        dated = bool(_CUES["when"].search(marked))
        for cue in ("distinct", "max", "min", "median", "mean", "count", "sum"):
            hit, marked = _take(_CUES[cue], marked)
            cues[cue] = hit is not None
        which, marked = _take(_CUES["which"], marked)
        if which is None:
            which, marked = _take(_CUES["which_han"], marked)
        who, marked = _take(_CUES["who"], marked)
        if not self._nothing_left(marked):
            return None
        asked = [one for one in self._mentions if one.kind == "column" and one.start in self._free]
        group = self._after(by.end(), asked) if by else None
        thing = self._find_thing(which, asked) if which is not None else None
        if thing is None and (who is not None or top is not None):
            thing = self._find_names()
        if top is not None and by is not None and not (cues["max"] or cues["min"]):
            cues["max"], group = True, None
        amount = int(next(filter(None, top.groups()))) if top else 1
        alike = {one.column for one in asked if [other.start for other in asked].count(one.start) > 1}
        if alike & {group, thing}:
            return None
        rest = [one.column for one in asked if one.column not in {group, thing}]
        if len(alike) > 1 and set(rest) == alike:
            return self._each(cues, rest, group)
        return self._request(cues, rest, group, thing, amount, dated=dated, asks=which is not None or who is not None)

    def _find_thing(self, which: re.Match[str], asked: Sequence[_Mention]) -> int | None:
        """The column that "which …" asks for: the one named beside the cue, or the name of a row."""
        ahead, behind = which.string[which.end() :][:1], which.string[: which.start()].rstrip()[-1:]
        if "~" in (ahead if ahead in {"@", "~"} else behind):
            return self._find_names()
        return self._after(which.end(), asked) if ahead == "@" else self._before(which.start(), asked)

    def _each(self, cues: Mapping[str, bool], columns: Sequence[int], group: int | None) -> dict[str, JsonValue] | None:
        """The request of a figure of each column that one name may mean: "amount", of amount (net) and (gross)."""
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
        """The request of cues over columns; None where they do not come to one."""
        extreme = "max" if cues["max"] else "min" if cues["min"] else ""
        made = next((cue for cue in _MADE if cues[cue]), "")
        if (cues["max"] and cues["min"]) or len(set(rest)) > 1 or (asks and thing is None):
            return None
        target = rest[0] if rest else None
        if made == "sum" and cues["count"] and target is None:
            made = "count"  # "how many … in total"
        request: dict[str, JsonValue] = {"table": str(self._table["name"]), "filters": [*self._filters]}
        if extreme and target is None and dated:
            target = self._only("date")
        if extreme and not made:
            if group is None:
                return self._extreme(request, extreme, target, thing, amount)
            if target is None or thing is not None or not self._is_clean(target, ORDERED):
                return None
            largest: dict[str, JsonValue] = {"function": extreme, "column": self._name(target)}
            return {**request, "measures": [largest], "group_by": [self._name(group)], "top": 200}
        measure = self._measure(made, target, grouped=extreme != "")
        if measure is None:
            return None
        request["measures"] = [measure]
        if extreme and thing is not None and group is None:
            return {**request, "group_by": [self._name(thing)], "descending": extreme == "max", "top": amount}
        if extreme or thing is not None:
            return None
        return {**request, "group_by": [self._name(group)], "top": 200} if group is not None else request

    def _extreme(
        self, request: dict[str, JsonValue], extreme: str, target: int | None, thing: int | None, amount: int
    ) -> dict[str, JsonValue] | None:
        if target is None:
            if thing is None or not self.names_table:
                return None
            if self._columns[thing]["distinct"] < self._table["rows"]:  # "which city has the most orders"
                counted: dict[str, JsonValue] = {"measures": [{"function": "count"}], "group_by": [self._name(thing)]}
                return {**request, **counted, "descending": extreme == "max", "top": amount}
            target = (
                self._find_namesake()
            )  # of things with a row each, counting tells nothing: "most goals" of goals.csv
            if target is None:
                return None
        if not self._is_clean(target, ORDERED):
            return None
        if thing is None:
            if amount > 1:
                return None
            return {**request, "measures": [{"function": extreme, "column": self._name(target)}]}
        if thing == target:
            return None
        ordered: dict[str, JsonValue] = {"order_by": self._name(target), "descending": extreme == "max", "top": amount}
        return {**request, "columns": [self._name(thing)], **ordered}

    def _measure(self, made: str, target: int | None, *, grouped: bool) -> dict[str, JsonValue] | None:
        if made == "count":
            known = self.names_table or bool(self._generic)
            return {"function": "count"} if target is None and known else None
        if target is None or not made:
            return None
        if made == "distinct":
            return {"function": "distinct", "column": self._name(target)} if not grouped else None
        return {"function": made, "column": self._name(target)} if self._is_clean(target, NUMERIC) else None

    def _is_clean(self, at: int, types: AbstractSet[str]) -> bool:
        column = self._columns[at]
        return column["type"] in types and not column["mixed"] and not column["unread"]

    def _name(self, at: int) -> str:
        return str(self._columns[at]["name"])

    def _find_names(self) -> int | None:
        """The column that names what a row is of, if one does: "name", or a column that is called as the table is."""
        names = [fold_value(str(one["name"])) for one in self._columns]
        known = [at for at, name in enumerate(names) if name in NAME_KEYS]
        known = known or [at for at, name in enumerate(names) if name in _table_forms(str(self._table["name"]))]
        return known[0] if len(known) == 1 else None

    def _find_namesake(self) -> int | None:
        """The column that is called as the table is, where there is one."""
        called = _table_forms(str(self._table["name"]))
        found = [at for at, one in enumerate(self._columns) if fold_value(str(one["name"])) in called]
        return found[0] if len(found) == 1 else None

    def _only(self, kind: str) -> int | None:
        """The one column of a type, if there is one."""
        found = [at for at, column in enumerate(self._columns) if column["type"] == kind]
        return found[0] if len(found) == 1 else None

    def _take_values(self) -> bool:
        """Turn the values named into conditions; False where one is of several columns and none of them is named."""
        named = {one.column for one in self._mentions if one.kind == "column"} | {self._chosen}
        spans: dict[tuple[int, int], list[_Mention]] = {}
        for one in self._mentions:
            if one.kind == "value":
                spans.setdefault((one.start, one.end), []).append(one)
        chosen: dict[int, list[JsonValue]] = {}
        self._used: set[int] = set()
        for alike in spans.values():
            several = [one for one in alike if one.column in named] if len(alike) > 1 else alike
            if len(several) != 1:
                self.doubtful = alike
                return False
            chosen.setdefault(several[0].column, []).append(several[0].value)
        for column, values in chosen.items():
            name = self._name(column)
            many = len(values) > 1
            self._filters.append({"column": name, "op": "in" if many else "=", "value": values if many else values[0]})
        self._valued = set(chosen)
        return True

    def _mark(self) -> str:
        """The text with `@` for a column, `~` for the table, and blanks for values; of the length that it had."""
        letters = list(self._text)
        self._free: set[int] = set()
        for one in self._mentions:
            letters[one.start : one.end] = " " * (one.end - one.start)
            if one.kind == "table":
                letters[one.start] = "~"
            if one.kind == "column" and not self._goes_with_value(one):
                letters[one.start] = "@"
                self._free.add(one.start)
        return "".join(letters)

    def _goes_with_value(self, mention: _Mention) -> bool:
        """Whether a column is named beside its value: "the pro plan", 区域为华东."""
        for other in self._mentions:
            if other.kind == "value" and other.column == mention.column:
                first, last = sorted((other, mention), key=lambda one: one.start)
                if _MARKS.sub("", self._text[first.end : last.start]) in _BESIDE:
                    return True
        return False

    def _take_dates(self, marked: str) -> str | None:
        """Conditions on dates; None where there is one, and not one column it can be of."""
        written = _MONTH.sub(lambda month: month[0].capitalize(), marked)
        spans = [(one.start, one.end, one.date.iso()) for one in find_dates(written) if one.until is None]
        if not spans and self._only("date") is not None:
            spans = [(one.start(), one.end(), one[0]) for one in _YEAR.finditer(marked)]
        if not spans:
            return marked
        column = self._only("date")
        if column is None or not self._is_clean(column, {"date"}):
            return None
        days = [day for *_, day in spans]
        covered = marked
        for start, end, _ in reversed(spans):
            covered = f"{covered[:start]}&{covered[end:]}"
        if len(days) == 2 and (found := _DATES["between"].search(covered)):
            self._filters.append({"column": self._name(column), "op": "between", "value": [*days]})
        elif len(days) == 1:
            hit = next(((n, f) for n, p in _DATES.items() if n != "between" and (f := p.search(covered))), None)
            if hit is None:
                return None
            name, found = hit
            self._filters.append({"column": self._name(column), "op": _DAYS[name], "value": days[0]})
        else:
            return None
        left = covered[: found.start()] + " " * (found.end() - found.start()) + covered[found.end() :]
        return self._realign(marked, left)

    def _realign(self, before: str, left: str) -> str:
        """The places of columns after the text was shortened: they stand in the same order."""
        starts = [at for at, c in enumerate(before) if c == "@"]
        moved = [at for at, c in enumerate(left) if c == "@"]
        places = dict(zip(starts, moved, strict=True))
        self._mentions = [
            one._replace(start=places[one.start]) if one.start in self._free and one.kind == "column" else one
            for one in self._mentions
        ]
        self._free = set(moved)
        return left

    def _take_amounts(self, marked: str) -> str | None:
        """Conditions on numbers, each on the column named before it, else behind it; None where there is none."""
        while found := _AMOUNT.search(marked):
            amounts = [found, *(_AMOUNT.finditer(marked, found.end()))]
            flat = marked
            for one in reversed(amounts):
                flat = f"{flat[: one.start()]}#{flat[one.end() :]}"
            hit = next(((n, f) for n, p in _COMPARE.items() if (f := p.search(flat))), None)
            if hit is None:
                return None
            name, match = hit
            column = self._numbered(flat, match.start(), match.end())
            order = flat[: match.start()].count("#")
            values = [self._amount(one[0], column) for one in amounts[order : order + match[0].count("#")]]
            if column is None or None in values:
                return None
            shown: JsonValue = values if name == "between" else values[0]
            self._filters.append({"column": self._name(column), "op": _SIGNS.get(name, "between"), "value": shown})
            rest = flat[: match.start()] + " " * len(match[0]) + flat[match.end() :]
            for at, one in enumerate(amounts):
                if not order <= at < order + match[0].count("#"):
                    rest = rest.replace("#", one[0], 1)
            marked = self._realign(marked, rest)
            marked = self._drop_column(marked, column)
        return marked

    def _numbered(self, flat: str, start: int, end: int) -> int | None:
        """The number column a condition is of: the nearest named before it, else the first behind it."""
        starts = sorted(self._free)
        before = flat[:start].count("@")
        near = [*reversed(starts[:before]), *starts[before + flat[start:end].count("@") :]]
        named = [one.column for at in near for one in self._mentions if one.kind == "column" and one.start == at]
        fit = [at for at in named if self._is_clean(at, {"number"})]
        return fit[0] if len(set(fit)) == 1 else None

    def _drop_column(self, marked: str, column: int) -> str:
        """Take the column of a condition out: it was named for that alone."""
        for one in self._mentions:
            if one.kind == "column" and one.column == column and one.start in self._free:
                self._free.discard(one.start)
                return marked[: one.start] + " " + marked[one.start + 1 :]
        return marked

    def _amount(self, written: str, column: int | None) -> JsonValue:
        amount = parse_amount(fold_value(written))
        unit = self._columns[column]["unit"] if column is not None else ""
        return amount[0] if amount is not None and amount[1] in {"", unit} else None

    def _nothing_left(self, marked: str) -> bool:
        """Whether nothing is left that was not understood."""
        words = [word for word in _WORD.findall(marked) if not _HAN.search(word)]
        self._generic = [word for word in words if word in _NOUNS]
        if "行" in marked or "记录" in marked or "条" in self._text:
            self._generic.append("行")
        han = "".join(_HAN.findall(marked))
        return all(word in _IDLE or word in _NOUNS for word in words) and not _IDLE_HAN.sub("", han)

    def _after(self, at: int, asked: Sequence[_Mention]) -> int | None:
        return next((one.column for one in sorted(asked, key=lambda one: one.start) if one.start >= at), None)

    def _before(self, at: int, asked: Sequence[_Mention]) -> int | None:
        return next((one.column for one in sorted(asked, key=lambda one: -one.start) if one.start < at), None)


def _take(pattern: re.Pattern[str], marked: str) -> tuple[re.Match[str] | None, str]:
    """The first match of a cue, and the text with blanks in its place."""
    found = pattern.search(marked)
    if found is None:
        return None, marked
    return found, marked[: found.start()] + " " * (found.end() - found.start()) + marked[found.end() :]


def _find_mentions(text: str, table: Mapping[str, Any]) -> list[_Mention]:
    """What a question names of a table, longer names first, none within another."""
    called = _table_forms(str(table["name"]))  # whoever says "orders" means rows, not the column of their numbers
    wanted: list[tuple[str, str, int, str]] = []
    for at, column in enumerate(table["columns"]):
        wanted += [(form, "column", at, "") for form in _forms(str(column["name"])) if form not in called]
        values = ((fold_value(value), value) for value in column["values"])
        wanted += [(form, "value", at, one) for form, one in values if not _SAYS_OTHER.fullmatch(form)]
    wanted += [(form, "table", -1, "") for form in called]
    taken: list[_Mention] = []
    for form, kind, at, value in sorted(wanted, key=lambda one: (-len(one[0]), one[1] != "column")):
        if len(form) < 2 and not (len(form) == 1 and _HAN.search(form) and kind == "value"):
            continue
        for start in _find_form(text, form):
            end = start + len(form)
            over = [one for one in taken if one.start < end and start < one.end]
            alike = all((one.start, one.end) == (start, end) and one.kind == kind for one in over)
            if alike and not any(one.column == at for one in over):
                taken.append(_Mention(kind, start, end, at, value))
    return sorted(taken, key=lambda one: one.start)


def _find_form(text: str, form: str) -> Iterator[int]:
    """Where a form stands in a text as a word of its own."""
    start = text.find(form)
    while start >= 0:
        end = start + len(form)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_joins(before, form[0]) or _joins(form[-1], after)):
            yield start
        start = text.find(form, start + 1)


def _joins(one: str, other: str) -> bool:
    """Whether two characters are of one word: letters or digits that are not Chinese."""
    return bool(one and other) and all(c.isalnum() and not _HAN.match(c) for c in (one, other))


def _forms(name: str) -> list[str]:
    """How a column may be named: as it stands, without a unit in brackets, in the plural or singular."""
    plain = fold_value(_BRACKETED.sub("", name)).replace("_", " ")
    forms = {fold_value(name), plain}
    for inner in map(fold_value, _BRACKETED.findall(name)[:1]):  # "amount (net)" is "net amount", too
        forms |= {f"{inner} {plain}", f"{plain} {inner}"} if plain.isascii() else {f"{inner}{plain}", f"{plain}{inner}"}
    for form in list(forms):
        if form.isascii() and form[-1:].isalpha():
            forms |= {f"{form}s", form.removesuffix("s")} | ({f"{form[:-1]}ies"} if form.endswith("y") else set())
    return [form for form in forms if form and form not in _IDLE and not _SAYS_OTHER.fullmatch(form)]


def _table_forms(name: str) -> list[str]:
    """How a table may be named: whole, or by a word of its name."""
    plain = re.sub(r"[_/,-]+", " ", fold_value(name))
    words = [word for word in plain.split() if not word.isdecimal()]
    return list(dict.fromkeys(form for word in [" ".join(plain.split()), *words] for form in _forms(word)))
