"""Exported results: a result as a file of Markdown, HTML, Word, PowerPoint, JSON, BibTeX or CSL-JSON.

`render` gives the bytes of one format, `export` writes a file.
"""

from weiwo.app.export.files import export
from weiwo.app.export.formats import FORMATS, ExportError, Format, format_of, render

__all__ = ["FORMATS", "ExportError", "Format", "export", "format_of", "render"]
