"""Questions over a table with marks for columns, and the conditions on dates and amounts taken out of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from weiwo.nodes.shared.question.table_columns import TableColumns
from weiwo.nodes.shared.question.table_mentions import Mention
from weiwo.state import JsonValue
from weiwo.text.cell_values import parse_amount
from weiwo.text.data_files import data_pattern, read_data
from weiwo.text.dates import find_dates
from weiwo.text.patterns import lazy
from weiwo.tools.tables.columns import fold_value

_FILE: Final = "tables"
_COMPARE: Final = {name: data_pattern(_FILE, "compare", name) for name in read_data(_FILE)["compare"]}
_DATES: Final = {name: data_pattern(_FILE, "dates", name) for name in read_data(_FILE)["dates"]}
_SIGNS: Final = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<", "eq": "="}
_DAYS: Final = {"since": ">=", "after": ">", "before": "<", "until": "<=", "on": "="}
_AMOUNT: Final = lazy(
    r"(?:us\$|[$€£¥])?(?<![a-z\d.])\d[\d,]*(?:\.\d+)?(?:\s?(?:thousand|million|billion)|[万亿千])?(?:\s?(?:元|美元|欧元)|%)?"
)
_YEAR: Final = lazy(r"(?<![a-z\d.,])(?:19|20)\d\d(?![\d.,]\d|\d)")
_MONTH: Final = lazy(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\b(?=[\d, .]{0,6}\b\d{4})")
_MARKS: Final = lazy(r"[\s?？。.!！,，、:：;；'\"“”‘’()（）《》]+")
_BESIDE: Final = frozenset({"", "=", "is", "of", "in", "the", "为", "是", "的"})
"""Words that may stand between a column and its value."""


class MarkedQuestion:
    """Question with `@` for a column, `~` for the table, and blanks for all other words understood so far.

    Each `take` method blanks further words. "@ of ~ over 300" becomes "@ of ~         " with the filter `price > 300`.

    Attributes:
        text: The marked question.
        asked: The mentions of columns still marked, with their present positions.
        filters: The conditions taken out of the text, as for `query_table`.
    """

    def __init__(
        self, text: str, table: Mapping[str, Any], mentions: Sequence[Mention], understood: Iterable[tuple[int, int]]
    ) -> None:
        """Mark the mentions in a question. A column named beside its value is blanked.

        Args:
            text: The question, folded.
            table: The description of the table by the catalog.
            mentions: The mentions of the table, its columns and its values.
            understood: Start and end of other words that are understood.
        """
        self._columns: Sequence[Mapping[str, Any]] = table["columns"]
        self._facts = TableColumns(table)
        self.filters: list[dict[str, JsonValue]] = []
        self.asked = [item for item in mentions if item.kind == "column" and not _is_beside_value(item, text, mentions)]
        letters = list(text)
        for start, end in (*understood, *((item.start, item.end) for item in mentions)):
            letters[start:end] = " " * (end - start)
        for mention in mentions:
            if mention.kind == "table":
                letters[mention.start] = "~"
        for mention in self.asked:
            letters[mention.start] = "@"
        self.text = "".join(letters)

    def take(self, cue: re.Pattern[str]) -> re.Match[str] | None:
        """Blank the first match of a cue and return it, or None if there is no match."""
        found = cue.search(self.text)
        if found is not None:
            self.text = _blank(self.text, found)
        return found

    def take_dates(self) -> bool:
        """Turn dates into conditions, and blank them. True also without dates.

        Returns False if there are dates, but not exactly one date column, or no word such as "since" that says the
        condition.
        """
        written = _MONTH.sub(lambda month: month[0].capitalize(), self.text)
        spans = [(date.start, date.end, date.date.iso()) for date in find_dates(written) if date.until is None]
        column = self._facts.find_only("date")
        if not spans and column is not None:
            spans = [(match.start(), match.end(), match[0]) for match in _YEAR.finditer(self.text)]
        if not spans:
            return True
        if column is None or not self._facts.is_clean(column, {"date"}):
            return False
        days: list[JsonValue] = [day for *_, day in spans]
        covered = self.text
        for start, end, _ in reversed(spans):
            covered = f"{covered[:start]}&{covered[end:]}"
        name = self._facts.name(column)
        if len(days) == 2 and (found := _DATES["between"].search(covered)):
            self.filters.append({"column": name, "op": "between", "value": days})
        elif len(days) == 1:
            hit = next(((n, f) for n, p in _DATES.items() if n != "between" and (f := p.search(covered))), None)
            if hit is None:
                return False
            word, found = hit
            self.filters.append({"column": name, "op": _DAYS[word], "value": days[0]})
        else:
            return False
        self._replace_text(_blank(covered, found))
        return True

    def take_amounts(self) -> bool:
        """Turn amounts into conditions on number columns, and blank them. True also without amounts.

        Each condition is on the only number column named before or behind it. Returns False if there is not exactly one
        such column, if no word such as "over" says the condition, or if an amount cannot be parsed or has a unit other
        than the column's.
        """
        while amounts := list(_AMOUNT.finditer(self.text)):
            flat = self.text
            for amount in reversed(amounts):
                flat = f"{flat[: amount.start()]}#{flat[amount.end() :]}"
            hit = next(((n, f) for n, p in _COMPARE.items() if (f := p.search(flat))), None)
            if hit is None:
                return False
            name, match = hit
            column = self._find_number_column(flat, match.start(), match.end())
            first = flat[: match.start()].count("#")
            compared = range(first, first + match[0].count("#"))
            unit = self._columns[column]["unit"] if column is not None else ""
            written = [parse_amount(fold_value(amounts[at][0])) for at in compared]
            values: list[JsonValue] = [item[0] if item and item[1] in {"", unit} else None for item in written]
            if column is None or None in values:
                return False
            value: JsonValue = values if name == "between" else values[0]
            self.filters.append({"column": self._facts.name(column), "op": _SIGNS.get(name, "between"), "value": value})
            rest = _blank(flat, match)
            for at, amount in enumerate(amounts):
                rest = rest if at in compared else rest.replace("#", amount[0], 1)
            self._replace_text(rest)
            self._drop_column(column)
        return True

    def _replace_text(self, text: str) -> None:
        """Take a shortened text, in which the columns keep their order, and move the mentions with it."""
        starts = (at for at, letter in enumerate(self.text) if letter == "@")
        moved = (at for at, letter in enumerate(text) if letter == "@")
        places = dict(zip(starts, moved, strict=True))
        self.asked = [mention._replace(start=places[mention.start]) for mention in self.asked]
        self.text = text

    def _find_number_column(self, flat: str, start: int, end: int) -> int | None:
        """Return the index of the only number column named before or behind a condition, or None.

        Columns of other conditions, and columns with mixed or unread values, do not count.

        Args:
            flat: The text with `#` for each amount.
            start: Start of the condition.
            end: End of the condition.
        """
        starts = sorted({mention.start for mention in self.asked})
        before = flat[:start].count("@")
        near = {*starts[:before], *starts[before + flat[start:end].count("@") :]}
        fit = {
            item.column for item in self.asked if item.start in near and self._facts.is_clean(item.column, {"number"})
        }
        return fit.pop() if len(fit) == 1 else None

    def _drop_column(self, column: int) -> None:
        """Blank the first mention of a column, since its condition uses up the mention."""
        at = next((mention.start for mention in self.asked if mention.column == column), None)
        if at is not None:
            self.asked = [mention for mention in self.asked if mention.start != at]
            self.text = f"{self.text[:at]} {self.text[at + 1 :]}"


def _is_beside_value(mention: Mention, text: str, mentions: Sequence[Mention]) -> bool:
    """Report whether a column is named beside a value of the column: "the pro plan", 区域为华东."""
    for other in mentions:
        if other.kind == "value" and other.column == mention.column:
            first, last = sorted((other, mention), key=lambda item: item.start)
            if _MARKS.sub("", text[first.end : last.start]) in _BESIDE:
                return True
    return False


def _blank(text: str, found: re.Match[str]) -> str:
    """Return a text with blanks in place of a match."""
    return text[: found.start()] + " " * len(found[0]) + text[found.end() :]
