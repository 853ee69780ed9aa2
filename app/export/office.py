"""Shared parts of Word and PowerPoint export: properties, XML-safe text, reproducible packages."""

import io
import math
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from rich.cells import cell_len

from weiwo.app.export.chart import Chart
from weiwo.app.export.document import plain
from weiwo.app.export.report import Report
from weiwo.text.markdown import Run
from weiwo.text.patterns import lazy

_DATA: Any = CategoryChartData  # which has no types
_NO_XML: Final = re.compile("[\ufffe\uffff]")
_DATES: Final = re.compile(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>")
_ANY_DAY: Final = (1980, 1, 1, 0, 0, 0)
_LONGEST_PROPERTY: Final = 255
_LINE: Final = 90
"""Columns of text that a table has room for."""
_MARGIN: Final = 5
"""Columns of text beside that of a cell."""
_LONGEST_WORD: Final = 16
"""Columns of text up to which a word is kept whole."""
_WORD: Final = lazy(r"[!-~\u00c0-\u024f]+")


class OfficeWriter(ABC):
    """Writer of a report as an Office file.

    Args:
        report: The report.
        file: An empty document of `python-docx` or `python-pptx`.
    """

    def __init__(self, report: Report, file: Any) -> None:
        self._report, self._language, self._file = report, report.language, file

    def write(self) -> bytes:
        """Write the report, and return the bytes of the file."""
        _set_properties(self._file.core_properties, self._report)
        self._fill()
        saved = io.BytesIO()
        self._file.save(saved)
        return _repack(saved.getvalue())

    @abstractmethod
    def _fill(self) -> None:
        """Write the contents of the report."""


def xml_text(text: str) -> str:
    """Remove characters forbidden in XML from a printable text."""
    return _NO_XML.sub("", text)


def _set_properties(properties: Any, report: Report) -> None:
    """Set the properties of a document, replacing the properties of the library's template.

    Args:
        properties: Of a `python-docx` or `python-pptx` document.
        report: The report. If the day of the answer is not known, the file names none.
    """
    properties.title = xml_text(" ".join(report.title.split()))[:_LONGEST_PROPERTY]
    properties.author = properties.last_modified_by = "Weiwo"
    properties.subject = properties.comments = properties.keywords = ""
    properties.revision = 1
    properties.language = "zh-CN" if report.language == "zh" else report.language
    element = properties._element  # noqa: SLF001 - the libraries can set a date, and cannot take one away
    for date in [child for child in element if str(child.tag).rpartition("}")[2] in {"created", "modified"}]:
        element.remove(date)
    if report.day:
        properties.created = properties.modified = datetime.fromisoformat(report.day)


def chart_data(chart: Chart) -> tuple[Any, Any]:
    """Return the type and the data of a chart for `python-pptx`."""
    data: Any = _DATA()
    data.categories = [xml_text(label) for label in chart.labels]
    for series in chart.series:
        data.add_series(xml_text(series.name), series.values)
    return XL_CHART_TYPE.LINE_MARKERS if chart.line else XL_CHART_TYPE.COLUMN_CLUSTERED, data


def share_width(rows: Sequence[Sequence[Sequence[Run]]]) -> list[float]:
    """Return the share of a table's width for each column.

    A column with longer text gets more, and each column has room for its longest word.

    Args:
        rows: The cells of the table, all rows equally long.
    """
    columns = [[plain(cell) for cell in column] for column in zip(*rows, strict=True)]
    lengths = [sum(map(cell_len, texts)) / len(texts) for texts in columns]
    words = [max((len(word) for text in texts for word in _WORD.findall(text)), default=0) for texts in columns]
    roots = [math.sqrt(max(length, 1.0)) for length in lengths]  # text of twice the length wraps, and needs less
    least = [(min(word, _LONGEST_WORD) + _MARGIN) / _LINE for word in words]
    shares = [max(root / sum(roots), word) for root, word in zip(roots, least, strict=True)]
    return [share / sum(shares) for share in shares]


def _repack(package: bytes, *, dated: bool = True) -> bytes:
    """Repack a package without timestamps, so that the same report gives the same file.

    Args:
        package: The package. The workbook behind a chart is repacked with it.
        dated: Whether its properties keep their dates.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            kept = zipfile.ZipInfo(part.filename, _ANY_DAY)
            kept.compress_type = zipfile.ZIP_DEFLATED
            content = old.read(part)
            if part.filename.endswith(".xlsx"):
                content = _repack(content, dated=False)
            elif not dated and part.filename == "docProps/core.xml":
                content = _DATES.sub(b"", content)
            new.writestr(kept, content)
    return packed.getvalue()
