"""Tables: a figure that a source's table has in another row or column, a row that is not the extreme of its column."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import find_months
from weiwo.nodes.writer.verification.quantities import close, find_quantities
from weiwo.text.dates import find_dates
from weiwo.text.patterns import lazy

MOST_CELLS: Final = 2_000

_COMPARED: Final = lazy(r"(?i)\b(?:than|compared|against|versus|from)\b|[比较]")
_MOST: Final = lazy(
    r"(?i)(?<!second-)(?<!second )(?<!third )\b(?:highest|largest|greatest|biggest|most|longest|tallest|heaviest)\b|(?<!第[二三四])最[高大多长重]"
)
_LEAST: Final = lazy(
    r"(?i)(?<!second-)(?<!second )(?<!third )\b(?:lowest|smallest|fewest|least|shortest|lightest)\b|(?<!第[二三四])最[低小少短轻]"
)


class _Cell(NamedTuple):
    """A figure of a table: its row, its column and its value."""

    row: int
    column: int
    value: float


class _Table(NamedTuple):
    """A table: its header, the label of each row, and its figures."""

    columns: list[str]
    labels: list[str]
    cells: list[_Cell]


def find_misplaced(statement: str, grounds: Grounds) -> Iterator[str]:
    """Figures that stand in another row or column than the statement names, and extremes that another row has."""
    claim = Clause(statement)
    for source in grounds.sources:
        prose = [one.value for clause in source.sentences if not clause.head for one in clause.quantities]
        for head, rows in groupby(source.sentences, key=lambda clause: clause.head):
            table = _parsed(head, rows) if head else None
            if table is None or not (named := _named(table.labels, claim)):
                continue
            matched = _share_of_words(table.columns, claim)
            yield from _elsewhere(claim, table, named, matched, prose)
            yield from _not_extreme(statement, table, named, matched)


def _parsed(head: str, rows: Iterable[Clause]) -> _Table:
    split = [row.text.split(" , ") for row in rows]
    cells = [
        _Cell(n, column, figures[0].value)
        for n, row in enumerate(split)
        for column, cell in enumerate(row)
        if column and (figures := find_quantities(cell))
    ]
    return _Table(head.split(" , "), [row[0] for row in split], cells[:MOST_CELLS])


def _named(labels: list[str], claim: Clause) -> list[int]:
    """The rows that a claim names, by all words of their label, a year or a month; of nested labels the longest."""
    words = [frozenset(content_words(label)) for label in labels]
    found = [n for n, label in enumerate(labels) if _says(words[n], claim) or _same_time(label, claim)]
    return [n for n in found if not any(words[n] < words[other] for other in found)]


def _says(words: Iterable[str], claim: Clause) -> bool:
    known = [not match_keys(word).isdisjoint(claim.keys) for word in words]
    return bool(known) and all(known)


def _same_time(label: str, claim: Clause) -> bool:
    months = find_months(label)
    dates = {span.date for span in find_dates(label)}
    return bool(months and set(months) <= set(find_months(claim.text))) or bool(
        dates and dates <= {span.date for span in claim.dates}
    )


def _share_of_words(columns: list[str], claim: Clause) -> list[float]:
    """The share of each column's words that a claim has; the column of labels has none."""
    shares = [0.0]
    for column in columns[1:]:
        words = set(content_words(column))
        met = sum(not match_keys(word).isdisjoint(claim.keys) for word in words)
        shares.append(met / len(words) if words else 0.0)
    return shares


def _elsewhere(
    claim: Clause, table: _Table, named: list[int], matched: list[float], prose: list[float]
) -> Iterator[str]:
    for figure in claim.quantities:
        places = [cell for cell in table.cells if close(cell.value, figure.value)]
        loose = figure.about or figure.bound or _COMPARED.search(claim.text, 0, figure.start)
        if not places or loose or any(close(figure.value, value) for value in prose):
            continue
        written = claim.text[figure.start : figure.end]
        if not any(cell.row in named for cell in places):
            yield f"“{written}”: the table gives it of “{table.labels[places[0].row]}”"
        elif max(matched) == 1 and all(0 < sum(matched[cell.column : cell.column + 1]) < 1 for cell in places):
            yield f"“{written}”: the table gives it under “{(table.columns[places[0].column :] or [''])[0]}”"


def _not_extreme(statement: str, table: _Table, named: list[int], matched: list[float]) -> Iterator[str]:
    most, least = _MOST.search(statement), _LEAST.search(statement)
    columns = [n for n, share in enumerate(matched) if share and share == max(matched)]
    if bool(most) == bool(least) or len(named) != 1 or len(columns) != 1:
        return
    values = {cell.row: cell.value for cell in table.cells if cell.column == columns[0]}
    if named[0] in values and len(values) > 1:
        extreme = max(values.values()) if most else min(values.values())
        if values[named[0]] != extreme:
            said = most or least
            yield f"“{said[0] if said else ''}”: another row of the table is"
