"""Tables of a Markdown text, with heading paths."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from weiwo.state.table import Row, Table
from weiwo.text.markdown import DELIMITER, Line, read_lines, split_row
from weiwo.text.patterns import lazy
from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.records import Passage

_RAISED: Final = lazy(r"(?i)<sup>([^<]{0,40})</sup>")
_BREAK: Final = lazy(r"(?i)<br ?/?>")
_STRONG: Final = lazy(r"^(\*\*|__|\*|`)(.+)\1$")


def find_markdown_tables(text: str, *, within: str = "", unit: str = "line", first: int = 1) -> list[Table]:
    """Find the tables in a Markdown text.

    Args:
        text: Markdown.
        within: Place of the text in its document, for people, such as `page 3`.
        unit: Word for the lines of the text. Empty if the lines have no numbers.
        first: Number of the first line.
    """
    if "|" not in text or not any(map(DELIMITER.match, text.split("\n"))):
        return []
    return list(_find_tables(text, read_lines(text), within, unit, first))


def _find_tables(text: str, lines: list[Line], within: str, unit: str, first: int) -> Iterator[Table]:
    heading, headed = "", False
    rows: list[Row] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, first):
        if line.kind in {"head", "row"} and rows and line.kind == "head":
            yield _make_table(heading, rows, numbers, within, unit)
            rows, numbers = [], []
        if line.kind == "head" or (line.kind == "row" and rows):
            rows.append(_split(text[line.inside : line.end]))
            numbers.append(number)
        elif line.kind != "delimiter" and rows:
            yield _make_table(heading, rows, numbers, within, unit)
            rows, numbers = [], []
        if line.kind in {"heading", "title"}:
            written = text[line.inside : line.end].strip()
            title = not headed and (line.kind == "title" or not written.startswith("##"))  # of the document
            heading, headed = "" if title else written.strip("#").strip(), True
    if rows:
        yield _make_table(heading, rows, numbers, within, unit)


def _make_table(heading: str, rows: list[Row], numbers: list[int], within: str, unit: str) -> Table:
    headings = (heading,) if heading else ()
    return Table(heading, rows, numbers, unit, within, header_rows=1, headings=headings)


def _split(row: str) -> list[str]:
    """Return the cells of a row. Superscripts are kept, and emphasis marks are removed."""
    cells = [cell.strip() for cell in split_row(row)]
    if "<" in row:
        cells = [_BREAK.sub(" ", _RAISED.sub(lambda found: raise_figures(found[1]), cell)) for cell in cells]
    return [_STRONG.sub(r"\2", cell) for cell in cells]


def find_passage_tables(passages: Sequence[Passage]) -> list[Table]:
    """Find the Markdown tables in the passages of a document. For readers that provide no tables.

    A table with the same header and heading as the table before continues it.
    """
    found: list[Table] = []
    for passage in passages:
        unit = "line" if passage.page is None else ""
        within = passage.locator if not unit else ""
        for table in find_markdown_tables(passage.text, within=within, unit=unit, first=passage.first_line):
            headings = passage.headings or table.headings
            named = replace(table, name=headings[-1] if headings else "", headings=headings)
            before = found[-1] if found else None
            if before is not None and before.rows[0] == named.rows[0] and before.name == named.name:
                rows, numbers = [*before.rows, *named.rows[1:]], [*before.numbers, *named.numbers[1:]]
                found[-1] = replace(before, rows=rows, numbers=numbers)
            else:
                found.append(named)
    return found
