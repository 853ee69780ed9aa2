"""Tables and field lists of reStructuredText, rewritten in place for Markdown readers.

Tables become Markdown rows, and fields become `name: value` lines.
"""

from collections.abc import Sequence
from typing import Final
from unicodedata import east_asian_width

from weiwo.text.patterns import lazy

_SIMPLE: Final = lazy(r"\s{0,20}={2,200}(?: {1,40}={2,200}){1,60}\s*")
_GRID: Final = lazy(r"\s{0,20}\+[-=]{2,300}(?:\+[-=]{2,300}){0,60}\+\s*")
_FIELD: Final = lazy(r"\s{0,20}:([^:\n]{1,60}):(?:\s+(.*))?")
_DIRECTIVES: Final = ("..",)
_MOST_ROWS: Final = 5_000


def write_tables(lines: Sequence[str]) -> list[str]:
    """Rewrite the tables of a reStructuredText as Markdown rows, and its fields as `name: value` lines.

    Args:
        lines: The lines of the text.

    Returns:
        As many lines.
    """
    found = list(lines)
    at = 0
    while at < len(found):
        if _SIMPLE.fullmatch(found[at]):
            at = _write_simple(found, at)
        elif _GRID.fullmatch(found[at]):
            at = _write_grid(found, at)
        elif (field := _FIELD.fullmatch(found[at])) and not _is_option(found, at):
            at = _write_field(found, at, field[1], field[2] or "")
        else:
            at += 1
    return found


def _is_option(lines: Sequence[str], at: int) -> bool:
    """Report whether a field is an option of a directive above it, like `:width: 50` below `.. image:: a.png`."""
    while at and lines[at].startswith((" ", "\t")) and lines[at].strip():
        at -= 1
    return lines[at].startswith(_DIRECTIVES)


def _write_field(lines: list[str], at: int, name: str, value: str) -> int:
    indent = len(lines[at]) - len(lines[at].lstrip())
    end = at + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > indent:
        value += f" {lines[end].strip()}"
        lines[end] = ""
        end += 1
    lines[at] = f"{name}: {value.strip()}"
    return end


def _write_simple(lines: list[str], start: int) -> int:
    """Rewrite a table between rules of `=`.

    A row without a first cell continues the row above. Returns the next line to process.
    """
    rule = lines[start]
    spans = [found.span() for found in lazy(r"=+").finditer(rule)]
    rules = [start]
    at = start + 1
    while at < len(lines) and at - start < _MOST_ROWS and len(rules) < 3:
        if _SIMPLE.fullmatch(lines[at]):
            rules.append(at)
            if at + 1 >= len(lines) or not lines[at + 1].strip():
                break
        at += 1
    if len(rules) < 2:
        return start + 1
    rows: list[list[str]] = []
    ends = [*(left for left, _ in spans[1:]), None]
    for line in (_fill_wide(lines[n]) for n in range(start + 1, rules[-1]) if n not in rules):
        cells = [line[left:end].replace("\0", "").strip() for (left, _), end in zip(spans, ends, strict=True)]
        if rows and not cells[0] and any(cells):
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        elif any(cells) and not set(line.strip()) <= {"-", " "}:
            rows.append(cells)
    return _put_rows(lines, start, rules[-1] + 1, rows)


def _fill_wide(line: str) -> str:
    """Append a filler to each double-width character."""
    return line if line.isascii() else "".join(c + "\0" * (east_asian_width(c) in "WF") for c in line)


def _write_grid(lines: list[str], start: int) -> int:
    """Rewrite a table drawn with `+`, `-` and `|`, unless cells span several columns. Returns the next line."""
    end = start + 1
    while end < len(lines) and end - start < _MOST_ROWS and lines[end].lstrip().startswith(("|", "+")):
        end += 1
    width = lines[start].count("+") - 1
    rows: list[list[str]] = []
    fresh = True
    for line in lines[start + 1 : end]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if _GRID.fullmatch(line):
            fresh = True
        elif len(cells) != width:
            return end  # a table with spanning cells is left unchanged
        elif fresh:
            rows.append(cells)
            fresh = False
        else:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
    return _put_rows(lines, start, end, rows)


def _put_rows(lines: list[str], start: int, end: int, rows: Sequence[Sequence[str]]) -> int:
    if not rows:
        return end
    written = ["", *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)]
    written.insert(2, "|" + " --- |" * len(rows[0]))
    if len(written) <= end - start:
        lines[start:end] = [*written, *[""] * (end - start - len(written))]
    return end
