"""Sources of an answer as BibTeX and as CSL-JSON, with an entry for each document or page.

Unknown details are left out, above all authors of pages and the day a page was read. A file has its name and version, a
scholarly work its authors, venue and DOI.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from weiwo.app.export.report import Report, Source

_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # BibTeX counts braces, whatever stands before them
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_ISO: Final = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_KEY_WORDS: Final = 3


def render_bibtex(report: Report) -> bytes:
    """Render the sources of a report as BibTeX entries in UTF-8, without calculations."""
    return "\n".join(_bibtex(key, cited) for key, cited in _entries(report)).encode("utf-8", "replace")


def render_csl(report: Report) -> bytes:
    """Render the sources of a report as a CSL-JSON array of items, without calculations."""
    items = [_csl(key, cited) for key, cited in _entries(report)]
    return (json.dumps(items, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _entries(report: Report) -> Iterator[tuple[str, list[Source]]]:
    """Yield each cited document as a unique key and its citations. Calculations are left out."""
    taken: set[str] = set()
    for cited in (those for those in report.documents if those[0].address):
        base = _key(cited[0])
        key, number = base, 1
        while key in taken:
            number += 1
            key = f"{base}-{number}"
        taken.add(key)
        yield key, cited


def _key(source: Source) -> str:
    """Return a key of up to three words of the title, else of the host or the file's name, and the year.

    "Annual Report on Water Use" of 2024 gives `annual-report-on-2024`, before numbers that make keys unique.
    """
    host = urlsplit(source.url).hostname or "" if source.url else ""
    name = source.address.rpartition("/")[2].rpartition(".")[0]
    year = source.date[:4] if _ISO.fullmatch(source.date) and not source.file_date else ""
    for text in (source.title, host.removeprefix("www."), name):
        folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
        if words := re.findall(r"[a-z][a-z0-9]*", folded)[:_KEY_WORDS]:
            return "-".join([*words, year] if year else words)[:60]
    return f"source-{source.n}"


def _bibtex(key: str, cited: Sequence[Source]) -> str:
    first = cited[0]
    found = _ISO.fullmatch(first.date) if not first.file_date else None
    month = int(found[2]) if found and found[2] else 0
    fields = {
        "author": " and ".join(map(_bibtex_name, first.authors)),
        "title": f"{{{_escape_latex(first.title)}}}",
        "year": found[1] if found else "",
        "day": found[3].lstrip("0") if found and found[3] else "",
        "howpublished": "" if first.venue else rf"\url{{{first.url}}}" if first.url else _escape_latex(first.address),
        "journal": _escape_latex(first.venue),
        "doi": first.doi,
        "url": first.url,
        "edition": f"Version {first.version}" if first.version else "",
        "note": _escape_latex(_note(cited)),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    if 1 <= month <= 12:
        lines.insert(2 + bool(first.authors), f"  month = {_MONTHS[month - 1]},")
    return "\n".join([f"@{'article' if first.venue else 'misc'}{{{key},", *lines, "}", ""])


def _csl(key: str, cited: Sequence[Source]) -> dict[str, Any]:
    first = cited[0]
    found = _ISO.fullmatch(first.date) if not first.file_date else None
    item: dict[str, Any] = {"id": key, "type": "webpage" if first.url else "document", "title": first.title}
    if first.url:
        item |= {"URL": first.url, "container-title": urlsplit(first.url).hostname or ""}
    else:
        item["archive_location"] = first.address
    if first.authors:
        item["author"] = [_csl_name(name) for name in first.authors]
    if first.venue:
        item |= {"type": "article-journal", "container-title": first.venue}
    if first.doi:
        item["DOI"] = first.doi
    if found:
        item["issued"] = {"date-parts": [[int(part) for part in found.groups() if part]]}
    if first.version:
        item["version"] = first.version
    if note := _note(cited):
        item["note"] = note
    return item


def _bibtex_name(name: str) -> str:
    """Format a name for BibTeX: "Ann Lee" as `{Ann Lee}`, and "Lee, Ann", which BibTeX can split, unchanged."""
    return _escape_latex(name) if "," in name else f"{{{_escape_latex(name)}}}"


def _csl_name(name: str) -> dict[str, str]:
    """Format a name for CSL: `{"family": "Lee", "given": "Ann"}` for "Lee, Ann".

    "Ann Lee" gives `{"literal": "Ann Lee"}`.
    """
    family, comma, given = name.partition(",")
    return {"family": family.strip(), "given": given.strip()} if comma else {"literal": name}


def _note(cited: Sequence[Source]) -> str:
    """Return the numbers and places of the citations, and a newer version: `cited as [1] page 2, [3]`."""
    told = [f"[{source.n}]" + (f" {source.locator}" if source.locator else "") for source in cited]
    newer = [f"superseded by {source.superseded_by}" for source in cited[:1] if source.superseded_by]
    return "; ".join(["cited as " + ", ".join(told), *newer])


def _escape_latex(text: str) -> str:
    return "".join(_ESCAPES.get(sign, sign) for sign in text)
