"""Bibliographies (BibTeX .bib, RIS .ris): a passage per entry, a line per field."""

from collections.abc import Iterator
from typing import BinaryIO, Final

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import Part, format_range, read_text, split_parts
from weiwo.tools.corpus.records import Passage

_ENTRY: Final = lazy(r"(?m)^[ \t]{0,20}@(\w{1,30})[ \t]{0,20}[{(]")
_FIELD: Final = lazy(r"\s{0,200}([A-Za-z][\w.:-]{0,40})\s{0,20}=\s{0,20}")
_RIS: Final = lazy(r"([A-Z][A-Z0-9])  - ?(.*)")
_LONGEST_ENTRY: Final = 100_000
_ASIDE: Final = frozenset({"comment", "preamble"})
_FIRST: Final = ("title", "author", "year", "date", "journal", "booktitle")
_ACCENTS: Final = lazy(r"\\([`'^\"~=.cvuH])\s?\{?(\\?[A-Za-z])\}?")
_MARKS: Final = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b",
}  # fmt: skip
_RIS_NAMES: Final = {
    "TI": "title", "T1": "title", "AU": "author", "A1": "author", "A2": "editor", "PY": "year", "Y1": "year",
    "DA": "date", "JO": "journal", "JF": "journal", "T2": "journal", "BT": "booktitle", "PB": "publisher",
    "VL": "volume", "IS": "number", "SP": "first page", "EP": "last page", "DO": "doi", "UR": "url",
    "AB": "abstract", "N2": "abstract",
    "KW": "keywords", "N1": "note", "SN": "isbn", "CY": "place", "ED": "editor", "LA": "language", "TY": "type",
}  # fmt: skip


def read_bibtex(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read BibTeX entries, expanding `@string` abbreviations and writing TeX accents as letters."""
    text = read_text(file)
    starts = list(_ENTRY.finditer(text))
    strings: dict[str, str] = {}

    def list_entries() -> Iterator[Passage]:
        line, at = 1, 0
        for n, start in enumerate(starts):
            kind = start[1].lower()
            end = starts[n + 1].start() if n + 1 < len(starts) else len(text)
            body = text[start.end() : min(end, start.end() + _LONGEST_ENTRY)]
            line, at = line + text.count("\n", at, start.start()), start.start()
            if kind == "string":
                strings.update(_read_fields(body, strings))
            elif kind not in _ASIDE:
                key, _, rest = body.partition(",")
                fields = {"type": kind, "key": key.strip(), **_read_fields(rest, strings)}
                yield _make_passage(fields, line, line + text[start.start() : end].rstrip().count("\n"))

    return split_parts(list_entries(), name)


def _read_fields(body: str, strings: dict[str, str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    at = 0
    while field := _FIELD.match(body, at):
        value, at = _read_value(body, field.end(), strings)
        fields[field[1].lower()] = " ".join(_clean_tex(value).split())
        while at < len(body) and body[at] in ", \t\n":
            at += 1
    return fields


def _read_value(body: str, at: int, strings: dict[str, str]) -> tuple[str, int]:
    """Parse a BibTeX value at an offset, and return the value and the offset behind it.

    The value may be in braces, in quotation marks, a number or an abbreviation, and may join several by `#`. `strings`
    has the texts of the abbreviations.
    """
    pieces: list[str] = []
    while at < len(body):
        if body[at] in '{"':
            closing, depth, end = ("}" if body[at] == "{" else '"'), 0, at + 1
            while end < len(body) and (depth or body[end] != closing):
                depth += (body[end] == "{") - (body[end] == "}")
                end += 1
            pieces.append(body[at + 1 : end])
            at = end + 1
        else:
            end = at
            while end < len(body) and body[end] not in ",#}\n":
                end += 1
            word = body[at:end].strip()
            pieces.append(strings.get(word.lower(), word))
            at = end
        rest = body[at : at + 200]
        joint = len(rest) - len(rest.lstrip())
        if rest.lstrip()[:1] != "#":
            break
        at += joint + 1
        while at < len(body) and body[at].isspace():
            at += 1
    return "".join(pieces), at


def _clean_tex(value: str) -> str:
    from unicodedata import normalize  # noqa: PLC0415 - of accents alone

    plain = _ACCENTS.sub(lambda found: normalize("NFC", found[2].lstrip("\\") + _MARKS[found[1]]), value)
    for written, meant in (("\\&", "&"), ("\\%", "%"), ("\\_", "_"), ("--", "–"), ("~", " "), ("\\ss", "ß")):
        plain = plain.replace(written, meant)
    return plain.replace("{", "").replace("}", "")


def read_ris(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read RIS entries, each from a line `TY` to a line `ER`."""

    def list_entries() -> Iterator[Passage]:
        fields: dict[str, str] = {}
        first = last = 1
        for number, line in enumerate(read_text(file).split("\n"), 1):
            found = _RIS.fullmatch(line.rstrip())
            tag = found[1] if found else ""
            if tag == "TY":
                first = number
            if tag == "ER" and fields:
                yield _make_passage(fields, first, number)
                fields = {}
            elif found and found[2].strip() and tag != "ER":
                name_ = _RIS_NAMES.get(tag, tag.lower())
                fields[name_] = f"{fields[name_]}; {found[2].strip()}" if name_ in fields else found[2].strip()
                last = number
            elif line.strip() and fields:
                key = next(reversed(fields))
                fields[key] += f" {line.strip()}"
        if fields:
            yield _make_passage(fields, first, last)

    return split_parts(list_entries(), name)


def _make_passage(fields: dict[str, str], first: int, last: int) -> Passage:
    keys = [*(key for key in _FIRST if key in fields), *(key for key in fields if key not in _FIRST)]
    text = "\n".join(f"{key}: {fields[key]}" for key in keys if fields[key])
    return Passage(text, (), format_range(first, last), first, last)
