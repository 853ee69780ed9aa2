"""PPTX, by slide."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.parts import (
    Part,
    choose_title,
    import_parser,
    make_passages,
    require_passages,
)
from weiwo.tools.corpus.formats.zip_archive import open_office
from weiwo.tools.corpus.records import Passage


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a presentation; a slide's title heads its passages, its notes come last.

    Raises:
        UnreadableError: It is encrypted, is no PPTX, or is empty.
    """
    with open_office(file, import_parser("pptx").Presentation, "presentation") as show:
        found: list[Passage] = []
        first_title = ""
        for number, slide in enumerate(show.slides, 1):
            title = slide.shapes.title
            heading = choose_title(title.text_frame.text) if title is not None and title.has_text_frame else ""
            first_title = first_title or heading
            body = DocumentBuilder()
            if heading:
                body.add_paragraph(heading, 1)
            _add_shapes(body, slide.shapes, title)
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                body.add_paragraph(slide.notes_slide.notes_text_frame.text, 1)
            _, chunks = body.cut_chunks()
            headings = (heading,) if heading else ()
            pieces = make_passages(chunks, unit="", within=f"slide {number}", page=number)
            found += [replace(piece, headings=headings) for piece in pieces]
        stated = show.core_properties
        return require_passages(
            Part(
                choose_title(first_title, stated.title) or name, found, find_saved_date(stated.modified, stated.created)
            )
        )


def _add_shapes(body: DocumentBuilder, shapes: Iterable[Any], title: Any) -> None:
    """The texts of shapes, those in groups included, from top to bottom as their author stacked them."""
    for number, shape in enumerate(shapes, 2):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes"):
            _add_shapes(body, shape.shapes, title)
        elif getattr(shape, "has_table", False):
            body.add_table([([cell.text for cell in row.cells], number) for row in shape.table.rows])
        elif shape.has_text_frame:
            body.add_paragraph(shape.text_frame.text, number)
