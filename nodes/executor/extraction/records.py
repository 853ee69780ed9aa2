"""Records: values that table rows, CSV rows and keyed lines give a thing under the relation's own word."""

import re
from collections.abc import Iterator
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import Page, name_key
from weiwo.nodes.executor.extraction.figure_patterns import measures
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import parse_date
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.relations import Relation

_KEYED: Final = data_pattern("extraction", "records", "keyed")
_NAME_KEYS: Final = frozenset(["name", "title", "名称", "姓名", "名字", "标题", "item", "product"])
_KEY_UNIT: Final = lazy(r"\s?[(（\[](?P<unit>[^()（）\[\]]{1,12})[)）\]]$")


def recorded_values(page: Page, relation: Relation, kind: str) -> Iterator[tuple[StatedValue, str]]:
    """Values that table rows, CSV rows and keyed lines give the subject under the relation's own word, and the line."""
    rows = [line.strip() for line in page.text.splitlines() if line.strip()]
    keyed = [found for line in rows if len(line) < 300 and (found := _KEYED.match(line))]
    owners = [name_key(one["value"]) for one in keyed if one["key"].strip().lower() in _NAME_KEYS]
    if owners == [page.subject.key] if owners else page.titled:
        yield from (pair for one in keyed for pair in _cell(one["key"], one["value"], one[0], relation, kind))
    header: list[str] = []
    for line in rows:
        cells = _cells(line, header)
        if page.titled and len(cells) == 2:
            yield from _cell(cells[0], cells[1], line, relation, kind)
        elif header and len(cells) == len(header) and name_key(cells[0]) == page.subject.key:
            for key, cell in zip(header[1:], cells[1:], strict=True):
                yield from _cell(key, cell, line, relation, kind)
        header = (header or cells) if cells else []


def _cells(line: str, header: list[str]) -> list[str]:
    """The cells of a table row, or of a CSV line below its header; none for prose."""
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("|").split("|")]
    for mark in ("\t", ",", ";"):
        cells = [cell.strip() for cell in line.split(mark)]
        if len(cells) > 1 and (len(cells) == len(header) if header else cells[0].lower() in _NAME_KEYS):
            return cells
    return []


def _cell(key: str, cell: str, line: str, relation: Relation, kind: str) -> Iterator[tuple[StatedValue, str]]:
    """The value of a cell, if its key is the relation's own word and the value is of the kind."""
    unit = _KEY_UNIT.search(key)
    word = (key[: unit.start()] if unit else key).strip().lower().replace("_", " ")
    word = re.sub(r"日期|时间| date$| year$", "", word)
    words = [*relation.asks.values(), *relation.says.values(), tuple(relation.noun.values())]
    own = {one for group in words for one in group}
    shown = f"{cell} {unit['unit']}" if unit else cell.strip("* ")
    if word not in own - {"in", "by"} or not shown:
        return
    if kind == "date":
        try:
            yield StatedValue(parse_date(shown).iso(), shown, 0, len(line)), line
        except ValueError:
            return
    elif kind == "quantity":
        found = find_numbers(shown)
        if len(found) == 1 and measures(found[0], relation):
            yield StatedValue(found[0].value, shown, 0, len(line), found[0].unit or ""), line
    elif len(shown) <= 60 and not re.search(r"[.!?。！？；;]\s|\d", shown):
        yield StatedValue(shown, shown, 0, len(line)), line
