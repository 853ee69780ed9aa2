"""Tables: a figure that a source's table has in another row than a statement names."""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Final

from weiwo.nodes.writer.verification.clauses import Clause, content_words, match_keys
from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.particulars import find_months
from weiwo.nodes.writer.verification.quantities import close, find_quantities
from weiwo.text.dates import find_dates
from weiwo.text.patterns import lazy

MOST_CELLS: Final = 2_000

_COMPARED: Final = lazy(r"(?i)\b(?:than|compared|against|versus|from)\b|[比较]")


def find_misplaced(statement: str, grounds: Grounds) -> Iterator[str]:
    """Figures that stand in another row than the statement names."""
    claim = Clause(statement)
    for source in grounds.sources:
        prose = [one.value for clause in source.sentences if not clause.head for one in clause.quantities]
        for head, rows in groupby(source.sentences, key=lambda clause: clause.head):
            split = [row.text.split(" , ") for row in rows] if head else []
            labels = [row[0] for row in split]
            if named := _named(labels, claim):
                yield from _elsewhere(claim, split, labels, named, prose)


def _named(labels: list[str], claim: Clause) -> set[int]:
    """The rows that a claim names, by all words of their label, a year or a month; of nested labels the longest."""
    words = [frozenset(content_words(label)) for label in labels]
    found = [n for n, label in enumerate(labels) if _says(words[n], claim) or _same_time(label, claim)]
    return {n for n in found if not any(words[n] < words[other] for other in found)}


def _says(words: Iterable[str], claim: Clause) -> bool:
    known = [not match_keys(word).isdisjoint(claim.keys) for word in words]
    return bool(known) and all(known)


def _same_time(label: str, claim: Clause) -> bool:
    months = set(find_months(label))
    dates = {span.date for span in find_dates(label)}
    return bool(months or dates) and months <= set(find_months(claim.text)) and dates <= {d.date for d in claim.dates}


def _elsewhere(
    claim: Clause, rows: list[list[str]], labels: list[str], named: set[int], prose: list[float]
) -> Iterator[str]:
    cells = ((n, find_quantities(cell)) for n, row in enumerate(rows) for cell in row[1:])
    values = [(n, found[0].value) for n, found in islice(cells, MOST_CELLS) if found]
    for figure in claim.quantities:
        places = [n for n, value in values if close(value, figure.value)]
        loose = figure.about or figure.bound or _COMPARED.search(claim.text, 0, figure.start)
        if places and not loose and named.isdisjoint(places) and not any(close(figure.value, v) for v in prose):
            yield f"“{claim.text[figure.start : figure.end]}”: the table gives it of “{labels[places[0]]}”"
