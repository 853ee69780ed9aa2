"""What Word and PowerPoint files have in common: properties, text that XML takes, packages that are the same twice."""

import io
import re
import zipfile
from datetime import datetime
from typing import Any, Final

from weiwo.app.export.report import Report

_NO_XML: Final = re.compile("[\ufffe\uffff]")
_ANY_DAY: Final = (1980, 1, 1, 0, 0, 0)
_LONGEST_PROPERTY: Final = 255


def xml_text(text: str) -> str:
    """Printable text without what no XML document may hold."""
    return _NO_XML.sub("", text)


def set_properties(properties: Any, report: Report) -> None:
    """Set the properties of a document in place of those of the library's template.

    Args:
        properties: Of a `python-docx` or `python-pptx` document.
        report: The report. Where the day of the answer is not known, the file names none.
    """
    properties.title = xml_text(" ".join(report.question.split()))[:_LONGEST_PROPERTY]
    properties.author = properties.last_modified_by = "Weiwo"
    properties.subject = properties.comments = properties.keywords = ""
    properties.revision = 1
    properties.language = "zh-CN" if report.language == "zh" else "en"
    element = properties._element  # noqa: SLF001 - the libraries can set a date, and cannot take one away
    for date in [child for child in element if str(child.tag).rpartition("}")[2] in {"created", "modified"}]:
        element.remove(date)
    if report.day:
        properties.created = properties.modified = datetime.fromisoformat(report.day)


def repack(package: bytes) -> bytes:
    """A package whose parts carry no time, so that the same report makes the same file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            kept = zipfile.ZipInfo(part.filename, _ANY_DAY)
            kept.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(kept, old.read(part))
    return packed.getvalue()
