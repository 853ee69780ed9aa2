"""Source code and configuration, split at top-level definitions, with names as headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, Final

from weiwo.text.chunking import SMALLEST, chunk_sections, measure_weight
from weiwo.text.outline import Heading
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import Part, make_passages, read_text

_WORDS: Final = (
    "pub public private protected internal static final abstract async export default declare sealed open override"
    " inline extern unsafe const virtual data suspend"
)
_KEYWORDS: Final = (
    "def class function func fn fun interface struct enum trait impl type module namespace object record protocol"
    " extension macro_rules! message service"
)
_DEFINITION: Final = lazy(
    rf"(?:(?:{'|'.join(_WORDS.split())})(?:\([a-z]+\))?\s++){{0,8}}"
    rf"(?:(?:{'|'.join(_KEYWORDS.split())})\b\*?\s*(?:<[^>]*>\s*|\([^)]*\)\s+)?(?P<named>[\w$.:]+)"
    r"|(?:const|let|var)\s+(?P<bound>[\w$]+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\([^)]*\)|[\w$]+)\s*=>"
    r"|[\w:<>,*&\[\] \t]+?[\s*&](?P<typed>[\w:~]+)\s*\([^;]*$)"
)
_STATEMENT: Final = lazy(r"(?:SELECT|CREATE|ALTER|INSERT)\b.*?(?P<object>[\w.\"`]+)\s*\(?", re.IGNORECASE)
_SECTION: Final = lazy(r"\[{1,2}(?P<section>[^\[\]\n]{1,80})\]{1,2}\s*|(?P<key>[A-Za-z_][\w-]{0,60}):\s*")
_YAML_KEY: Final = lazy(r"([ ]{0,200})(?:- )?([\w.\"'/-][^:#\n]{0,100}):(?:\s|$)")
_STATEMENTS: Final = frozenset(
    {"if", "for", "while", "switch", "return", "else", "catch", "with", "elif", "sizeof", "try", "finally", "except"}
)
_LABELS: Final = frozenset({"default", "public", "private", "protected"})
_ABOVE: Final = ("@", "#[", "//", "/*", " *", "*", "#", "--", "template")
_LONGEST_LINE: Final = 300
_MOST_NAMES: Final = 4


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a program or a configuration file. Small neighbouring definitions share a passage.

    An empty file is valid, too.
    """
    text = read_text(file)
    rows = text.split("\n")
    _, chunks = chunk_sections(text, _join_definitions(rows, list(_find_definitions(rows))), by_line=True)
    yield Part(name, make_passages(chunks))


def read_yaml(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a YAML file. A passage starting inside a mapping has the path of keys as headings."""
    for part in read(file, name):
        file.seek(0)
        rows = read_text(file).split("\n")
        part.passages = [
            replace(passage, headings=path) if (path := _find_path(rows, passage.first_line - 1)) else passage
            for passage in part.passages
        ]
        yield part


def _find_path(rows: Sequence[str], at: int) -> tuple[str, ...]:
    """Return the keys above a line of YAML under which it is indented, outermost first.

    For `port: 80` below `http:` below `server:` they are ("server", "http"). Empty for a line at the left margin.

    Args:
        rows: The lines of the file.
        at: Number of the line, from 0.
    """
    path: list[str] = []
    indent = len(rows[at]) - len(rows[at].lstrip()) if at < len(rows) else 0
    for row in range(at - 1, -1, -1):
        if not indent:
            break
        found = _YAML_KEY.match(rows[row])
        if found and len(found[1]) < indent:
            path.append(found[2].strip("\"' "))
            indent = len(found[1])
    return tuple(reversed(path))


def _find_definitions(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the start row and the name of each top-level definition.

    The start includes the comments and decorators right above it.
    """
    floor = 0
    for row, line in enumerate(rows):
        if not line or line[0] in " \t#/*})" or len(line) > _LONGEST_LINE:
            continue
        found = _DEFINITION.match(line) or _SECTION.fullmatch(line) or _STATEMENT.match(line)
        name = next(filter(None, found.groups()), "") if found else ""
        if not name or name in _STATEMENTS | _LABELS or line.split(maxsplit=1)[0].rstrip("(") in _STATEMENTS:
            continue
        start = row
        while start > floor and rows[start - 1].startswith(_ABOVE):
            start -= 1
        yield start, name.strip('"`: ')
        floor = row + 1


def _join_definitions(rows: Sequence[str], found: Sequence[tuple[int, str]]) -> Iterator[Heading]:
    """Yield a heading for each definition, with the names of several small neighbouring definitions joined.

    "read, write" is the heading of two small functions. The headings have no lines of their own.

    Args:
        rows: The lines of the file.
        found: Start row and name of each definition.
    """
    first, names, size = 0, list[str](), 0.0
    ends = [*(start for start, _ in found[1:]), len(rows)]
    for (start, name), end in zip(found, ends[: len(found)], strict=True):
        if not names:
            first, size = start, 0.0
        names.append(name)
        size += measure_weight("\n".join(rows[start:end]))
        if size >= SMALLEST or end == len(rows):
            more = ", …" if len(names) > _MOST_NAMES else ""
            yield Heading(1, ", ".join(names[:_MOST_NAMES]) + more, first, first)
            names = []
