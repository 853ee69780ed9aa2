"""Exported results: a result as a file of Markdown, HTML, Word, PowerPoint, JSON, BibTeX or CSL-JSON.

`render` gives the bytes of one format, `export` writes a file, `FORMATS` lists them. One document model (`report`, with
`document` for the answer and `chart` for its tables of numbers) is read from a result once, and a writer for each
format draws it: `markdown`, `html` (with `chart_picture` and `plan_picture`), `docx` and `pptx` (with `office`),
`bibliography`, `proof` (which `proof_check` and `document_check` check again).
"""

from weiwo.app.export.files import FORMATS, ExportError, Format, export, format_of, render

__all__ = ["FORMATS", "ExportError", "Format", "export", "format_of", "render"]
