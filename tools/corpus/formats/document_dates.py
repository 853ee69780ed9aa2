"""Document dates, from the text, the metadata or the file name.

Metadata of an empty template are ignored: documents made by python-docx and python-pptx carry the day when the template
was saved, years before the document was written.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from weiwo.text.dates import DateSpan, find_dates
from weiwo.tools.corpus.formats.parts import Part, find_date
from weiwo.tools.corpus.records import Passage

_TEMPLATE_DATES: Final = frozenset({"2013-12-23", "2013-01-27", "1601-01-01", "1970-01-01", "1980-01-01", "2000-01-01"})
"""Days of templates (python-docx, python-pptx) and of clocks that were never set."""

_SAVED: Final = frozenset({"pdf", "docx", "pptx", "odt", "odp", "doc", "ppt", "rtf"})
"""Types of files with metadata that tell when the file was saved, not when the text was written."""

_PROSE: Final = _SAVED | {"markdown", "text", "rst", "html", "epub"}
"""Types of documents that may state their date in the opening lines. Records and code state dates of other things."""

_HEAD_LINES: Final = 25
_OPENING_LINES: Final = 3
_LONGEST_LINE: Final = 160
_PROSE_LINE: Final = re.compile(r"[^\W\d_]\W{0,3}[.!?。！？]\s*$")
"""Line that ends a sentence. Prose ends the head of a document, which has titles and fields."""
_LABEL: Final = re.compile(
    r"\b(?:date|dated|updated|modified|revised|revision|published|effective|issued|approved|version|valid from|"
    r"in force|as of)\b|日期|更新|修订|修改|发布|生效|签发|批准|版本|截至|版次",
    re.IGNORECASE,
)
_BETWEEN: Final = 30
"""Maximum number of characters between a label and its date."""
_AROUND: Final = re.compile(r"[\s*_#>|()（）\[\]【】:：.,，。·—–-]*")


def date_part(part: Part, kind: str, name: str) -> str | None:
    """Return the best date of a part, ISO 8601 (a day or a month), or None.

    For office documents and PDFs, a date in the opening lines comes first, then the metadata. For other types, it is
    the other way round. The last resort is the file name, except for further parts of a file.

    Args:
        part: The part from its reader. Its `date` is from the metadata, or from a field of a record.
        kind: The type of the file, as in `FileFormat.type`.
        name: The file's name.
    """
    if kind in _SAVED:
        return _find_stated_date(part.passages) or part.date or find_date(name)
    stated = part.date or (_find_stated_date(part.passages) if kind in _PROSE else None)
    return stated or (find_date(name) if not part.key else None)


def _find_stated_date(passages: Sequence[Passage]) -> str | None:
    """Return the date in a document's opening lines, ISO 8601 (a day or a month), or None.

    The date must stand behind a word such as "updated" ("Last updated: 3 May 2024"), or alone on a line.
    """
    lines = [line for passage in passages[:3] for line in (*passage.headings, *passage.text.split("\n"))]
    for n, line in enumerate(lines[:_HEAD_LINES]):
        if n >= _OPENING_LINES and _PROSE_LINE.search(line):
            return None  # the head has ended, and dates below are of other things
        if len(line) > _LONGEST_LINE:
            continue
        for span in find_dates(line):
            if span.date.month is not None and span.date.year > 0 and span.until is None and _is_own(line, span):
                return span.date.iso()
    return None


def find_saved_date(*stamps: str | None) -> str | None:
    """Return the ISO date of the first usable timestamp, or None. Malformed stamps and template dates are skipped."""
    for stamp in stamps:
        with suppress(ValueError):
            day = datetime.fromisoformat((stamp or "").strip()[:19]).date().isoformat()
            if day not in _TEMPLATE_DATES:
                return day
    return None


def _is_own(line: str, span: DateSpan) -> bool:
    """Report whether a date in a line is the document's own date: it stands alone, or close behind a label.

    "Updated: 3 May 2024" has a label. "The bridge opened on 3 May 1932" has none.
    """
    before, after = line[: span.start], line[span.end :]
    if _AROUND.fullmatch(before) and _AROUND.fullmatch(after):
        return True
    return any(span.start - label.end() <= _BETWEEN for label in _LABEL.finditer(before)) and len(after) <= _BETWEEN
