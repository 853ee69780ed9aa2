"""Slides: statements as points, tables and code on separate slides, numbered sources at the end.

Each section of the answer begins a new slide. Text is laid out by estimate: a slide takes as many lines as its box has
room for, and the rest goes to the next slide.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeVar

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.util import Inches, Pt
from rich.cells import cell_len

from weiwo.app.export.chart import Chart
from weiwo.app.export.document import cut_runs, plain
from weiwo.app.export.office import OfficeWriter, chart_data, share_width, xml_text
from weiwo.app.export.report import Report, Source, status_word, word
from weiwo.text.language import sentences
from weiwo.text.markdown import Node, Run

T = TypeVar("T")
_COLOUR: Any = RGBColor  # which has no types
_INK, _DIM, _BAD = _COLOUR(0x1D, 0x21, 0x26), _COLOUR(0x5D, 0x66, 0x72), _COLOUR(0xB3, 0x26, 0x1E)
_LINK, _HEAD = _COLOUR(0x17, 0x56, 0xA9), _COLOUR(0xE8, 0xEB, 0xEF)
_WIDTH, _HEIGHT = Inches(13.333), Inches(7.5)
_LEFT, _TOP, _ROOM_WIDE, _ROOM_HIGH = Inches(0.7), Inches(1.45), Inches(11.9), Inches(5.4)
_ONLY_TITLE, _POINTS = 5, 1
"""Layouts of the library's template."""
_SIZE: Final = 18
_LINES: Final = {18: 14, 12: 21}
"""Lines that a slide has room for, by size of type."""
_BELOW: Final = 0.3
"""Space below a paragraph, in lines."""
_CELLS: Final = {18: 92, 12: 138}
"""Columns of text in a line, a Chinese character taking two."""
_LEAD_LINES: Final = 4
"""Largest height in lines of a text that is placed on the slide of the table or chart that follows it."""
_TABLE_CELLS, _TABLE_LINES = 130, 13
"""Columns and lines that a table has room for."""
_LONG_POINT: Final = 190
"""Columns of text above which a paragraph is split into sentences."""
_NO_BULLET: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}buNone"
_DEEPEST: Final = 3
_LONGEST_QUOTE: Final = 200
_CODE_LINES: Final = 20
_CODE_CELLS: Final = 118


class _Point(NamedTuple):
    """A paragraph on a slide."""

    runs: tuple[Run, ...]
    level: int = 0
    number: str = ""


def render_pptx(report: Report) -> bytes:
    """Render a report as slides."""
    return _Writer(report, Presentation()).write()


class _Writer(OfficeWriter):
    """Writer of a PowerPoint presentation."""

    def _fill(self) -> None:
        report, language = self._report, self._language
        self._file.slide_width, self._file.slide_height = _WIDTH, _HEIGHT
        self._title = " ".join(report.title.split())
        self._cover()
        self._sections()
        if report.sources:
            points = [point for cited in report.documents for point in self._document(cited)]
            self._points(word(language, "sources"), points, size=12)
        if report.part_rows:
            self._table(word(language, "parts"), [[(Run(cell),) for cell in row] for row in report.part_rows])
        if len(report.steps) > 1:
            self._table(word(language, "plan"), [[(Run(cell),) for cell in row] for row in report.plan_rows])
        if report.notes:
            self._points(word(language, "limits"), [_Point((Run(note),)) for note in report.notes])
        for number, slide in enumerate(self._file.slides, 1):
            if number > 1:
                box = slide.shapes.add_textbox(_WIDTH - Inches(1.2), _HEIGHT - Inches(0.5), Inches(0.7), Inches(0.3))
                paragraph = box.text_frame.paragraphs[0]
                paragraph.alignment = 3
                self._write(paragraph, (Run(str(number)),), 10, dim=True)

    # --- slides ---

    def _cover(self) -> None:
        slide = self._file.slides.add_slide(self._file.slide_layouts[0])
        title, below = slide.shapes.title, slide.placeholders[1]
        _place(title, Inches(1.2), Inches(2.0), Inches(10.9), Inches(2.2))
        _place(below, Inches(1.2), Inches(4.4), Inches(10.9), Inches(1.2))
        title.text_frame.word_wrap = True
        size = 40 if cell_len(self._title) < 70 else 28 if cell_len(self._title) < 200 else 20
        self._write(title.text_frame.paragraphs[0], (Run(self._title),), size)
        about = f"{status_word(self._report)} · {self._report.about}"
        frame = below.text_frame
        for number, line in enumerate(filter(None, (self._report.question_below, about))):
            self._write(frame.add_paragraph() if number else frame.paragraphs[0], (Run(line),), 14, dim=True)

    def _sections(self) -> None:
        """Write the answer, with a slide or several for each heading, table and piece of code."""
        title, points = self._title, list[_Point]()
        for node in self._report.nodes:
            kind = "chart" if isinstance(node, Chart) else node.kind
            lead = points if kind in {"table", "chart"} and _height(points, _SIZE) <= _LEAD_LINES else []
            if kind in {"heading", "table", "chart", "code"} and points:
                if not lead:
                    self._points(title, points)
                points = []
            if isinstance(node, Chart):
                self._chart(title, node, lead)
            elif kind == "heading":
                title = plain(node.runs)
            elif kind == "table":
                self._table(title, node.rows, lead)
            elif kind == "code":
                self._code(title, node.text)
            else:
                points += _points_of(node)
        if points:
            self._points(title, points)

    def _points(self, title: str, points: Sequence[_Point], *, size: int = _SIZE) -> None:
        """Write paragraphs on as many slides as needed."""
        for number, page in enumerate(_pages(points, size)):
            slide = self._slide(title, number, _POINTS)
            body = slide.placeholders[1]
            _place(body, _LEFT, _TOP, _ROOM_WIDE, _ROOM_HIGH)
            self._paragraphs(body.text_frame, page, size)

    def _paragraphs(self, frame: Any, points: Sequence[_Point], size: int) -> None:
        frame.word_wrap = True
        for position, point in enumerate(points):
            paragraph = frame.paragraphs[0] if position == 0 else frame.add_paragraph()
            paragraph.level = min(point.level, _DEEPEST)
            paragraph.space_after = Pt(size // 3)
            if point.number or size < _SIZE:
                # A numbered paragraph has no bullet of the layout's.
                properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 - no public way
                properties.insert(0, properties.makeelement(_NO_BULLET, {}))
                properties.set("marL", "0")
                properties.set("indent", "0")
            runs = (Run(f"{point.number} "), *point.runs) if point.number else point.runs
            self._write(paragraph, runs, size)

    def _lead(self, slide: Any, points: Sequence[_Point]) -> int:
        """Write the lead-in above a table or a chart, and return the top of the table or chart."""
        if not points:
            return int(_TOP)
        height = int(Pt(_SIZE * 1.35) * _height(points, _SIZE))
        self._paragraphs(slide.shapes.add_textbox(_LEFT, _TOP, _ROOM_WIDE, height).text_frame, points, _SIZE)
        return int(_TOP) + height

    def _table(self, title: str, rows: Sequence[Sequence[Sequence[Run]]], lead: Sequence[_Point] = ()) -> None:
        """Write a table on as many slides as needed, each with the header row."""
        if not rows or not rows[0]:
            return
        head, *body = rows
        shares = share_width(rows)
        cells = [max(4, int(_TABLE_CELLS * share)) for share in shares]

        def lines(row: Sequence[Sequence[Run]]) -> int:
            wanted = [-(-cell_len(plain(cell)) // room) for cell, room in zip(row, cells, strict=False)]
            return max(*wanted, 1)

        pages = _paginate(body, lines, _TABLE_LINES - _height(lead, _SIZE))
        for number, page in enumerate(pages or [[]]):
            slide = self._slide(title, number)
            top = self._lead(slide, () if number else lead)
            shape = slide.shapes.add_table(
                len(page) + 1, len(head), _LEFT, top, _ROOM_WIDE, Inches(0.36) * (len(page) + 1)
            )
            for column, share in zip(shape.table.columns, shares, strict=True):
                column.width = int(_ROOM_WIDE * share)
            for place, row in enumerate([head, *page]):
                for cell, runs in zip(shape.table.rows[place].cells, row, strict=False):
                    cell.fill.solid()
                    cell.fill.fore_color.rgb = _HEAD if place == 0 else _COLOUR(0xFF, 0xFF, 0xFF)
                    bold = tuple(replace(run, bold=True) for run in runs) if place == 0 else runs
                    self._write(cell.text_frame.paragraphs[0], bold, 13)

    def _chart(self, title: str, chart: Chart, lead: Sequence[_Point] = ()) -> None:
        """Insert a native PowerPoint chart with editable numbers."""
        kind, data = chart_data(chart)
        slide = self._slide(title)
        top = self._lead(slide, lead)
        frame = slide.shapes.add_chart(kind, _LEFT, top, _ROOM_WIDE, _TOP + _ROOM_HIGH - top, data)
        drawn = frame.chart
        drawn.font.size = Pt(14)
        drawn.has_title, drawn.has_legend = False, True
        drawn.legend.include_in_layout = False
        if min((value for each in chart.series for value in each.values if value is not None), default=0) >= 0:
            drawn.value_axis.minimum_scale = 0

    def _code(self, title: str, text: str) -> None:
        lines = [
            line[at : at + _CODE_CELLS] for line in text.split("\n") for at in range(0, len(line) or 1, _CODE_CELLS)
        ]
        for number, start in enumerate(range(0, len(lines), _CODE_LINES)):
            slide = self._slide(title, number)
            frame = slide.shapes.add_textbox(_LEFT, _TOP, _ROOM_WIDE, _ROOM_HIGH).text_frame
            frame.word_wrap = True
            for position, line in enumerate(lines[start : start + _CODE_LINES]):
                paragraph = frame.paragraphs[0] if position == 0 else frame.add_paragraph()
                self._write(paragraph, (Run(line, code=True),), 13)

    def _slide(self, title: str, number: int = 0, layout: int = _ONLY_TITLE) -> Any:
        """Add a slide with a title. The second and later slides of a section are numbered."""
        slide = self._file.slides.add_slide(self._file.slide_layouts[layout])
        _place(slide.shapes.title, _LEFT, Inches(0.4), _ROOM_WIDE, Inches(0.9))
        slide.shapes.title.text_frame.word_wrap = True
        shown = f"{title} ({number + 1})" if number else title
        paragraph = slide.shapes.title.text_frame.paragraphs[0]
        paragraph.alignment = 1
        self._write(paragraph, (Run(shown, bold=True),), 26 if cell_len(shown) < 75 else 18)
        return slide

    # --- text ---

    def _write(self, paragraph: Any, runs: Sequence[Run], size: int, *, dim: bool = False) -> None:
        for run in runs:
            if run.text == "\n":
                paragraph.add_line_break()
                continue
            written = paragraph.add_run()
            written.text = xml_text(run.text)
            font = written.font
            font.size, font.color.rgb = Pt(size), _DIM if dim else _INK
            font.bold, font.italic = run.bold or None, run.italic or None
            if run.code:
                font.name = "Consolas"
            if run.link:
                written.hyperlink.address = run.link
            if run.cites:
                font.size, font.color.rgb = Pt(max(size * 2 // 3, 9)), _LINK
            if self._report.is_doubtful(run):
                font.color.rgb = _BAD

    def _document(self, cited: Sequence[Source]) -> Iterator[_Point]:
        """Yield a document entry after the citation numbers, followed by the cited words."""
        source = cited[0]
        line = source.description(self._language)
        runs = [Run(source.title, bold=True, link=source.url), *([Run(f" · {line}")] if line else [])]
        yield _Point(tuple(runs), number="".join(f"[{item.n}]" for item in cited))
        for entry in cited:
            if entry.quote:
                quote = entry.quote if len(entry.quote) <= _LONGEST_QUOTE else entry.quote[: _LONGEST_QUOTE - 1] + "…"
                yield _Point((Run(f"[{entry.n}] {quote}"),), level=1)


def _points_of(node: Node, level: int = 0) -> Iterator[_Point]:
    """Convert a block to paragraphs, with a long paragraph split into sentences."""
    match node.kind:
        case "paragraph":
            yield from (_Point(runs, level) for runs in _sentences(node.runs))
        case "quote":
            for child in node.children:
                yield from _points_of(child, level + 1)
        case "list":
            for number, item in enumerate(node.children, node.start):
                for place, child in enumerate(item.children):
                    deeper = level + (child.kind == "list")
                    for point in _points_of(child, deeper) if child.kind == "list" else _points_of(child, level):
                        first = place == 0 and child.kind == "paragraph" and node.start
                        yield point._replace(number=f"{number}.") if first and not point.number else point
        case "code":
            yield from (_Point((Run(line, code=True),), level) for line in node.text.split("\n"))
        case "table":
            yield from (_Point(tuple(run for cell in row for run in (*cell, Run(" · "))), level) for row in node.rows)


def _sentences(runs: tuple[Run, ...]) -> Iterator[tuple[Run, ...]]:
    """Cut long runs into sentences. A citation mark stays with the preceding text."""
    text = "".join("" if run.cites else run.text for run in runs)
    if cell_len(text) <= _LONG_POINT:
        yield runs
        return
    ends = [end for _, end in sentences(text)][:-1]
    piece = list[Run]()
    for start, run in cut_runs(runs, ends):
        if start in ends and not run.cites and piece:
            yield tuple(piece)
            piece = []
        shown = run if piece else replace(run, text=run.text.lstrip())
        piece += [shown] if shown.text else []
    yield tuple(piece)


def _lines(point: _Point, size: int) -> float:
    """Return the height of a paragraph in lines, including the space below."""
    width = _CELLS[size] - 5 * point.level
    text = "".join(run.text for run in point.runs)
    return sum(max(1, -(-cell_len(line) // width)) for line in text.split("\n")) + _BELOW


def _height(points: Sequence[_Point], size: int) -> float:
    """Return the height of paragraphs in lines."""
    return sum(_lines(point, size) for point in points)


def _pages(points: Sequence[_Point], size: int) -> list[list[_Point]]:
    """Distribute paragraphs evenly over as few slides as possible and return the paragraphs of each slide."""
    room = _LINES[size]
    pages = _paginate(points, lambda point: _lines(point, size), room)
    if len(pages) < 2:
        return pages
    mean = _height(points, size) / len(pages)
    fitting = (_paginate(points, lambda point: _lines(point, size), mean + more) for more in range(room))
    return next((each for each in fitting if len(each) == len(pages)), pages)


def _paginate(items: Sequence[T], lines: Callable[[T], float], room: float) -> list[list[T]]:
    """Group items into pages in order, a new page beginning when the room is used up.

    A page exceeds the room only if a single item does. With items of 2 lines and room for 5, each page has two items.

    Args:
        items: The items.
        lines: Returns the height of an item in lines.
        room: Lines of a page.
    """
    pages: list[list[T]] = []
    left = 0.0
    for item in items:
        needed = lines(item)
        if not pages or needed > left:
            pages.append([])
            left = room
        pages[-1].append(item)
        left -= needed
    return pages


def _place(shape: Any, left: int, top: int, width: int, height: int) -> None:
    shape.left, shape.top, shape.width, shape.height = left, top, width, height
