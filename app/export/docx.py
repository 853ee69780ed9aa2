"""A Word document: headings, lists, tables and code as Word's own, citations as links to numbered sources."""

from collections.abc import Sequence
from typing import Any, Final

from docx import Document
from docx.enum.text import WD_UNDERLINE
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor
from docx.text.paragraph import Paragraph
from docx.text.run import Run as WordRun
from pptx.chart.xmlwriter import ChartXmlWriter

from weiwo.app.export.chart import Block, Chart
from weiwo.app.export.office import OfficeWriter, chart_data, share_width, xml_text
from weiwo.app.export.report import Report, Source, status_word, word
from weiwo.state.answer import DOUBTFUL
from weiwo.text.markdown import Node, Run

_FONTS: Final = {"ascii": "Calibri", "hAnsi": "Calibri", "eastAsia": "Microsoft YaHei", "cs": "Calibri"}
_CODE_FONT: Final = "Consolas"
_DIM, _BAD, _LINK = RGBColor(0x5D, 0x66, 0x72), RGBColor(0xB3, 0x26, 0x1E), RGBColor(0x17, 0x56, 0xA9)
_XML: Any = ChartXmlWriter  # which has no types
_CHART_TYPE: Final = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
_CHART_RELATION: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart"
_CHART_FRAME: Final = (
    '<w:drawing xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<wp:inline><wp:extent cx="5760000" cy="2880000"/><wp:docPr id="{id}" name="Chart {id}"/><wp:cNvGraphicFramePr/>'
    '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">'
    '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="{relation}"/>'
    "</a:graphicData></a:graphic></wp:inline></w:drawing>"
)
"""A frame of 16 by 8 centimetres."""
_SHADE: Final = "F2F4F7"
_MOST_COLUMNS: Final = 5
"""Columns that have room for text of the usual size."""
_DEEPEST: Final = 3
"""Levels of lists that the styles of the template know."""


def render_docx(report: Report) -> bytes:
    """Render a report as a Word document."""
    return _Writer(report, Document()).write()


class _Writer(OfficeWriter):
    """Writer of a Word document."""

    def _fill(self) -> None:
        report, file = self._report, self._file
        self._set_styles()
        self._text(file.add_paragraph(style="Title"), report.title)
        if report.question_below:
            self._text(file.add_paragraph(), report.question_below, dim=True)
        about = f"{status_word(report)} · {report.about}"
        self._text(file.add_paragraph(), about, dim=True)
        self._blocks(report.nodes)
        if doubtful := sorted(DOUBTFUL & set(report.verdicts), reverse=True):
            # The legend of the wavy underline.
            paragraph = file.add_paragraph()
            for verdict in doubtful:
                run = paragraph.add_run(word(self._language, verdict))
                run.font.underline, run.font.size = WD_UNDERLINE.WAVY, Pt(9)
                paragraph.add_run("   ")
        if report.sources:
            self._heading("sources", 1)
            for cited in report.documents:
                self._document(cited)
        if report.part_rows:
            self._heading("parts", 1)
            self._table([[[Run(cell)] for cell in row] for row in report.part_rows])
        if len(report.steps) > 1:
            self._heading("plan", 1)
            self._table([[[Run(cell)] for cell in row] for row in report.plan_rows])
        if report.notes:
            self._heading("limits", 1)
            for note in report.notes:
                self._text(file.add_paragraph(style="List Bullet"), note)
        self._number_pages()

    # --- blocks ---

    def _heading(self, name: str, level: int) -> None:
        self._text(self._file.add_heading(level=level), word(self._language, name))

    def _blocks(self, nodes: Sequence[Block], depth: int = 0, style: str | None = None) -> None:
        for node in nodes:
            if isinstance(node, Chart):
                self._chart(node)
                continue
            match node.kind:
                case "heading":
                    self._runs(self._file.add_heading(level=min(node.level, 6)), node.runs)
                case "paragraph":
                    self._runs(self._file.add_paragraph(style=style), node.runs)
                case "list":
                    self._list(node, min(depth + 1, _DEEPEST))
                case "quote":
                    self._blocks(node.children, depth, "Quote")
                case "table":
                    self._table([[list(cell) for cell in row] for row in node.rows])
                case "code":
                    self._code(node.text)
                case "rule":
                    self._rule()
                case "item":
                    self._blocks(node.children, depth, style)

    def _list(self, node: Node, depth: int) -> None:
        """Write a list with Word's own numbering. A numbered list starts anew."""
        suffix = f" {depth}" if depth > 1 else ""
        style = f"List {'Number' if node.start else 'Bullet'}{suffix}"
        number = self._restart_numbering(style, node.start) if node.start else None
        for item in node.children:
            first, *rest = item.children or (Node("paragraph"),)
            if first.kind != "paragraph":
                first, rest = Node("paragraph"), list(item.children)
            paragraph = self._file.add_paragraph(style=style)
            if number is not None:
                numbering = _paragraph_element(paragraph).get_or_add_pPr().get_or_add_numPr()
                numbering.get_or_add_ilvl().val = 0
                numbering.get_or_add_numId().val = number
            self._runs(paragraph, first.runs)
            self._blocks(rest, depth, f"List Continue{suffix}")

    def _restart_numbering(self, style: str, start: int) -> int:
        """Create a separate numbering for a list of a style, and return its id."""
        numbering = self._file.part.numbering_part.element
        used = self._file.styles[style].element.pPr.numPr.numId.val
        fresh = numbering.add_num(numbering.num_having_numId(used).abstractNumId.val)
        fresh.add_lvlOverride(ilvl=0).add_startOverride(start)
        return int(fresh.numId)

    def _table(self, rows: Sequence[Sequence[Sequence[Run]]]) -> None:
        if not rows or not rows[0]:
            return
        table = self._file.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
        table.autofit = False
        section = self._file.sections[0]
        room = section.page_width - section.left_margin - section.right_margin
        for column, share in zip(table.columns, share_width(rows), strict=True):
            column.width = int(room * share)  # LibreOffice goes by the grid, Word by the cells
            for cell in column.cells:
                cell.width = int(room * share)
        size = Pt(8 if len(rows[0]) > _MOST_COLUMNS else 9.5)
        for number, row in enumerate(rows):
            for cell, runs in zip(table.rows[number].cells, row, strict=False):
                paragraph = cell.paragraphs[0]
                paragraph.paragraph_format.space_after = Pt(2)
                self._runs(paragraph, runs, bold=number == 0)
                for written in paragraph.runs:
                    written.font.size = size
                if number == 0:
                    _shade(_paragraph_element(paragraph).getparent().get_or_add_tcPr())
            first = _paragraph_element(table.cell(number, 0).paragraphs[0])
            properties = first.getparent().getparent().get_or_add_trPr()  # of the row around the cell
            properties.append(_element("cantSplit"))
            if number == 0:
                properties.append(_element("tblHeader"))
        self._file.add_paragraph().paragraph_format.space_after = Pt(4)

    def _chart(self, chart: Chart) -> None:
        """Insert a native Word chart, drawn from the numbers embedded in the chart."""
        kind, data = chart_data(chart)
        package = self._file.part.package
        name = package.next_partname("/word/charts/chart%d.xml")
        xml = _XML(kind, data).xml.replace('sz="1800"', 'sz="900"').encode()  # the size of slides
        relation = self._file.part.relate_to(Part(name, _CHART_TYPE, xml, package), _CHART_RELATION)
        drawing = parse_xml(_CHART_FRAME.format(id=len(self._file.part.rels) + 1_000, relation=relation))
        self._file.add_paragraph().add_run().font.element.append(drawing)

    def _code(self, text: str) -> None:
        paragraph = self._file.add_paragraph()
        _shade(_paragraph_element(paragraph).get_or_add_pPr())
        run = paragraph.add_run(xml_text(text))
        _set_fonts(run, _CODE_FONT)
        run.font.size = Pt(9)

    def _rule(self) -> None:
        borders = _element("pBdr")
        borders.append(_element("bottom", val="single", sz=6, space=1, color="BBBBBB"))
        _paragraph_element(self._file.add_paragraph()).get_or_add_pPr().append(borders)

    def _document(self, cited: Sequence[Source]) -> None:
        """Write a document entry, followed by each cited passage."""
        paragraph, source = self._file.add_paragraph(), cited[0]
        paragraph.paragraph_format.keep_with_next = True
        paragraph.paragraph_format.space_after = Pt(2)
        if source.url:
            self._link(paragraph, source.title, url=source.url)
        else:
            paragraph.add_run(xml_text(source.title)).bold = True
        if line := source.description(self._language):
            paragraph.add_run().add_break()
            self._text(paragraph, line, dim=True)
        for item in cited:
            self._source(item)
        paragraph = self._file.paragraphs[-1]
        paragraph.paragraph_format.space_after = Pt(8)

    def _source(self, source: Source) -> None:
        """Write a numbered passage. The number is the target of citations."""
        paragraph = self._file.add_paragraph()
        paragraph.paragraph_format.space_after = Pt(1)
        paragraph.paragraph_format.left_indent, paragraph.paragraph_format.first_line_indent = Pt(26), Pt(-26)
        paragraph.paragraph_format.tab_stops.add_tab_stop(Pt(26))
        _paragraph_element(paragraph).append(_element("bookmarkStart", id=source.n, name=f"source_{source.n}"))
        paragraph.add_run(f"[{source.n}]\t")
        _paragraph_element(paragraph).append(_element("bookmarkEnd", id=source.n))
        quote = f"“{source.quote}”" if source.quote else ""
        self._text(paragraph, "  ".join(filter(None, (source.place(self._language), quote))), dim=True)

    # --- text ---

    def _text(self, paragraph: Paragraph, text: str, *, dim: bool = False) -> None:
        run = paragraph.add_run(xml_text(text))
        if dim:
            run.font.color.rgb, run.font.size = _DIM, Pt(9)

    def _runs(self, paragraph: Paragraph, runs: Sequence[Run], *, bold: bool = False) -> None:
        for run in runs:
            if run.cites:
                self._link(paragraph, run.text, anchor=f"source_{run.cites}")
            elif run.text == "\n":
                paragraph.add_run().add_break()
            elif run.link:
                self._link(paragraph, run.text, url=run.link)
            else:
                self._style(paragraph.add_run(xml_text(run.text)), run, bold=bold)

    def _style(self, written: WordRun, run: Run, *, bold: bool) -> None:
        written.bold = True if run.bold or bold else None
        written.italic = True if run.italic else None
        written.font.strike = True if run.strike else None
        if run.code:
            _set_fonts(written, _CODE_FONT)
        if self._report.is_doubtful(run):
            written.font.underline = WD_UNDERLINE.WAVY
            written.font.color.rgb = _BAD

    def _link(self, paragraph: Paragraph, text: str, *, url: str = "", anchor: str = "") -> None:
        """Write a link to a web address (`url`), or a raised link to a source in this document (`anchor`)."""
        link = _element("hyperlink", **({"anchor": anchor} if anchor else {}))
        if url:
            kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
            link.set(qn("r:id"), paragraph.part.relate_to(url, kind, is_external=True))
        run = paragraph.add_run(xml_text(text))
        run.font.color.rgb = _LINK
        if anchor:
            run.font.superscript = True
        link.append(run.font.element)
        _paragraph_element(paragraph).append(link)

    def _set_styles(self) -> None:
        """Replace the template's styles by fonts with Chinese support and quiet headings."""
        for style in self._file.styles:
            fonts = style.element.find(qn("w:rPr") + "/" + qn("w:rFonts"))
            if style.name == "Normal" or fonts is not None:
                _set_fonts(style, "")
        self._file.styles["Normal"].font.size = Pt(10.5)
        self._file.styles["Title"].font.size = Pt(20)
        quote = self._file.styles["Quote"]  # slanted, Chinese is hard to read
        quote.font.italic, quote.font.color.rgb, quote.paragraph_format.left_indent = False, _DIM, Pt(14)
        page = self._file.sections[0]
        page.page_width, page.page_height = Mm(210), Mm(297)
        page.left_margin = page.right_margin = Mm(24)
        for level in range(1, 7):
            self._file.styles[f"Heading {level}"].font.color.rgb = RGBColor(0x1D, 0x21, 0x26)
        language = _element("lang", val="en-US", eastAsia="zh-CN")
        self._file.styles["Normal"].element.get_or_add_rPr().append(language)

    def _number_pages(self) -> None:
        paragraph = self._file.sections[0].footer.paragraphs[0]
        paragraph.alignment = 1
        field = _element("fldSimple", instr="PAGE")
        _paragraph_element(paragraph).append(field)
        run = paragraph.add_run("1")
        run.font.size = Pt(9)
        field.append(run.font.element)


def _paragraph_element(paragraph: Paragraph) -> Any:
    """Return the XML of a paragraph. python-docx exposes this element through the paragraph format."""
    return paragraph.paragraph_format.element


def _element(tag: str, **values: object) -> Any:
    """Create an element of WordprocessingML with attributes."""
    element = OxmlElement(f"w:{tag}")
    for key, value in values.items():
        element.set(qn(f"w:{key}"), str(value))
    return element


def _set_fonts(holder: Any, name: str) -> None:
    """Set the fonts of a run or a style: the document fonts, or a given font for Latin letters."""
    properties = holder.font.element.get_or_add_rPr()
    fonts = properties.get_or_add_rFonts()
    for key in list(fonts.attrib):
        del fonts.attrib[key]
    for key, font in _FONTS.items():
        fonts.set(qn(f"w:{key}"), name if name and key != "eastAsia" else font)


def _shade(properties: Any) -> None:
    properties.append(_element("shd", val="clear", color="auto", fill=_SHADE))
