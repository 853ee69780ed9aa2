"""PPTX, by slide."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from tools.corpus.encodings import UnreadableError
from tools.corpus.formats.base import Part, date_of, filled, package, passages, title_of
from tools.corpus.formats.rendering import Rendering
from tools.corpus.formats.zips import archive
from tools.corpus.records import Passage


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a presentation; a slide's title heads its passages, its notes come last.

    Raises:
        UnreadableError: It is encrypted, is no PPTX, or is empty.
    """
    pptx = package("pptx")
    with archive(file):
        file.seek(0)
        try:
            show = pptx.Presentation(file)
        except (KeyError, ValueError) as error:
            raise UnreadableError(f"damaged: no presentation in it ({error})") from None
        found: list[Passage] = []
        first_title = ""
        for number, slide in enumerate(show.slides, 1):
            title = slide.shapes.title
            heading = title_of(title.text_frame.text) if title is not None and title.has_text_frame else ""
            first_title = first_title or heading
            body = Rendering()
            if heading:
                body.paragraph(heading, 1)
            _shapes(body, slide.shapes, title)
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                body.paragraph(slide.notes_slide.notes_text_frame.text, 1)
            _, chunks = body.chunks()
            found += [_on(number, heading, piece) for piece in passages(chunks, unit="", page=number)]
        stated = show.core_properties
        date = stated.modified or stated.created
        return filled(
            Part(title_of(first_title, stated.title) or name, found, date_of(date.isoformat()) if date else None)
        )


def _on(number: int, heading: str, piece: Passage) -> Passage:
    return Passage(
        text=piece.text,
        headings=(heading,) if heading else (),
        locator=f"slide {number}",
        first_line=piece.first_line,
        last_line=piece.last_line,
        page=number,
    )


def _shapes(body: Rendering, shapes: Iterable[Any], title: Any) -> None:
    """The texts of shapes, those in groups included, from top to bottom as their author stacked them."""
    for number, shape in enumerate(shapes, 2):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes"):
            _shapes(body, shape.shapes, title)
        elif getattr(shape, "has_table", False):
            body.table([([cell.text for cell in row.cells], number) for row in shape.table.rows])
        elif shape.has_text_frame:
            body.paragraph(shape.text_frame.text, number)
