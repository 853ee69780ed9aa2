"""Office Open XML packages: parts, relations, and shared drawing elements.

Word, PowerPoint and Excel share the drawing elements. Names are local names: namespaces are dropped, so that Strict and
Transitional documents are the same. Elements that wrap text without being text (`w:ins`, `w:sdt`, `w:smartTag`) are
traversed, whatever their name. If a part has alternatives for newer and older programs (`mc:AlternateContent`), one is
read.
"""

import zlib
from collections.abc import Callable, Iterator
from itertools import zip_longest
from posixpath import basename, dirname, join, normpath
from typing import Final
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile

from weiwo.text.patterns import lazy
from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.list_numbers import WRITERS
from weiwo.tools.corpus.formats.office_math import write_office_formula
from weiwo.tools.corpus.formats.table_rows import Grid
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.tables.number_format import render_stored

Element = ET.Element
BROKEN: Final = (KeyError, BadZipFile, EOFError, NotImplementedError, zlib.error, ET.ParseError)
"""Errors from reading an archive member that is missing, damaged, compressed in an unsupported way, or not XML."""

_LEFT_OUT: Final = frozenset({"del", "moveFrom", "delText"})
_MOST_POINTS: Final = 20_000
_MOST_DEPTH: Final = 500
_NUMBER_TYPE: Final = lazy(
    r"(arabic|alphaLc|alphaUc|romanLc|romanUc|ea1Chs|ea1Cht|ea1JpnKor)\w{0,4}?(Plain|Period|ParenR|ParenBoth)"
)
_NUMBER_FORMS: Final = {
    "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I",
    **dict.fromkeys(("ea1Chs", "ea1Cht", "ea1JpnKor"), "一, 二, 三, ..."),
}  # fmt: skip
_NUMBER_MARKS: Final = {"Plain": "{}", "Period": "{}.", "ParenR": "{})", "ParenBoth": "({})"}


class Package:
    """An open Office Open XML package: a ZIP archive of XML parts that refer to each other by relations."""

    def __init__(self, archive: ZipFile, what: str) -> None:
        """Open a package.

        `what` names the expected document in the error message.

        Raises:
            UnreadableError: The package has no main document.
        """
        self._archive = archive
        self._names = {name.replace("\\", "/").lstrip("/").lower(): name for name in archive.namelist()}
        self._bad: list[str] = []
        self._embedded: list[str] = []
        self._pictures: list[str] = []
        mains = [target for kind, target in self.read_relations("").values() if kind == "officeDocument"]
        self.main = next((name for name in mains if self.has(name)), "")  # name of the main part
        if not self.main:
            raise UnreadableError(f"damaged: it contains no {what}")

    @property
    def losses(self) -> list[Loss]:
        """Return the losses: unreadable parts, embedded files and unread pictures."""
        return [
            *count_places("members_unreadable", self._bad),
            *count_places("embedded_files", self._embedded),
            *count_places("pictures_without_text", dict.fromkeys(self._pictures)),
        ]

    def has(self, name: str) -> bool:
        """Report whether the package has a part."""
        return name.lower() in self._names

    def read_bytes(self, name: str) -> bytes:
        """Return the bytes of a part. Raises any of the errors in `BROKEN`."""
        return self._archive.read(self._names[name.lower()])

    def read_part(self, name: str) -> Element:
        """Return a part as XML without namespaces.

        An unreadable part gives an empty element and is recorded as a loss.
        """
        try:
            return _choose_alternatives(read_xml(self._archive, self._names[name.lower()]))
        except BROKEN:
            self._bad.append(name)
            return Element("unreadable")

    def read_relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part: by relation id, the kind and the name of the part it leads to.

        `{"rId3": ("image", "word/media/image1.png")}`. Links to the outside are left out. The empty name stands for the
        package.
        """
        folder = dirname(name)
        part = join(folder, "_rels", f"{basename(name)}.rels")
        return {
            item.get("Id", ""): (
                item.get("Type", "").rpartition("/")[2],
                resolve_member(folder, item.get("Target", "")),
            )
            for item in (self.read_part(part).iter("Relationship") if self.has(part) else ())
            if item.get("TargetMode") != "External"
        }

    def find_related(self, name: str, kind: str) -> Iterator[str]:
        """Yield the names of a part's existing target parts, for a given kind of relation."""
        yield from (to for what, to in self.read_relations(name).values() if what == kind and self.has(to))

    def read_related(self, name: str, kind: str) -> Element:
        """Return the XML of a part's first target part for a given kind of relation, or an empty element."""
        part = next(self.find_related(name, kind), "")
        return self.read_part(part) if part else Element("absent")

    def read_properties(self) -> tuple[str, str | None]:
        """Return the stated title, which may be empty, and the ISO date of the last change or creation, or None."""
        stated = self.read_related("", "core-properties")
        return stated.findtext("title") or "", find_saved_date(stated.findtext("modified"), stated.findtext("created"))

    def note_damaged(self, what: str) -> None:
        """Record a part of the package as unreadable."""
        self._bad.append(what)

    def note_embedded(self, what: str) -> None:
        """Record an embedded file as not read."""
        self._embedded.append(what)

    def note_pictures(self, element: Element, place: str) -> None:
        """Record `place` as having unread pictures if the element has any."""
        pictures = (item for item in element.iter() if item.tag in {"blip", "imagedata", "contentPart"})
        if any(picture.get("r:embed") or picture.get("r:id") for picture in pictures):
            self._pictures.append(place)


def read_xml(archive: ZipFile, member: str) -> Element:
    """Return a member of an archive as XML without namespaces. Raises any of the errors in `BROKEN`."""
    return drop_namespaces(ET.fromstring(archive.read(member)))  # noqa: S314 - expat bounds entities itself


def find_xml(archive: ZipFile, member: str) -> Element:
    """Return an optional member as XML, or an empty element if missing or broken."""
    try:
        return read_xml(archive, member)
    except BROKEN:
        return Element("absent")


def resolve_member(folder: str, link: str) -> str:
    """Return the name of the archive member that a link in a folder leads to: "word" and "../a.xml" → "a.xml".

    A link cannot lead above the top of the archive.
    """
    return normpath(join("/", folder, link)).lstrip("/")


def drop_namespaces(root: Element) -> Element:
    """Replace the tags and attribute names in a tree by their local names, and return the tree.

    `{http://…}p` becomes `p`. Attributes of relations get the prefix `r:`, as in `r:id`.
    """
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
        for key in [key for key in element.attrib if "}" in key]:
            space, _, name = key.rpartition("}")
            element.attrib[f"r:{name}" if space.endswith("/relationships") else name] = element.attrib.pop(key)
    return root


def _choose_alternatives(root: Element) -> Element:
    """Replace each `AlternateContent` in a tree by the content of its branch with most text, and return the tree.

    Of branches with equally much text the first is taken, which is for newer programs.
    """
    waiting = [(root, 0)]
    while waiting:
        parent, depth = waiting.pop()
        while any(child.tag == "AlternateContent" for child in parent):
            depth += 1
            if depth > _MOST_DEPTH:  # the cost grows with the depth, since each level measures all text below
                raise RecursionError
            chosen = (
                max(child, key=lambda branch: sum(map(len, branch.itertext())), default=())
                if child.tag == "AlternateContent"
                else (child,)
                for child in parent
            )
            parent[:] = [item for those in chosen for item in those]
        waiting += [(child, depth + 1) for child in parent]
    return root


def read_value(element: Element, path: str) -> str:
    """Return the attribute `val` of the element at a path, or an empty string."""
    found = element.find(path)
    return found.get("val", "") if found is not None else ""


def list_children(element: Element, wanted: str) -> Iterator[Element]:
    """Yield the children of a given name, including children inside wrapper elements."""
    for child in element:
        if child.tag == wanted:
            yield child
        elif child.tag in {"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"}:
            yield from list_children(child, wanted)


def is_on(element: Element | None) -> bool:
    """Report whether a toggle property, for example `w:vanish`, is present and not off."""
    return element is not None and element.get("val", "1") not in {"0", "false", "off"}


def join_paragraphs(body: Element) -> str:
    """Return the text of a DrawingML text body, a line for each paragraph, with list numbers."""
    numbers = _DrawnNumbers()
    joined = ((numbers.take(paragraph), _join_runs(paragraph)) for paragraph in body.iter("p"))
    return "\n".join(f"{number}{text}" for number, text in joined if text)


class _DrawnNumbers:
    """Counter for the numbered paragraphs of a DrawingML text body."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}

    def take(self, paragraph: Element) -> str:
        """Return the number of a paragraph, followed by a blank, or an empty string for no number."""
        properties = paragraph.find("pPr")
        numbered = None if properties is None else properties.find("buAutoNum")
        level = (
            int(properties.get("lvl", "0")) if properties is not None and properties.get("lvl", "0").isdecimal() else 0
        )
        if not any(item.text for item in paragraph.iter("t")):
            return ""
        self._counts = {at: count for at, count in self._counts.items() if at < level + (numbered is not None)}
        found = None if numbered is None else _NUMBER_TYPE.fullmatch(numbered.get("type", ""))
        if numbered is None or found is None:
            return ""
        kind, start = numbered.get("type", ""), numbered.get("startAt", "1")
        before, last = self._counts.get(level, ("", 0))
        number = last + 1 if before == kind else int(start) if start.isdecimal() else 1
        self._counts[level] = (kind, number)
        write = WRITERS.get(_NUMBER_FORMS.get(found[1], "1"), str)
        return _NUMBER_MARKS[found[2]].format(write(number) if 0 < number < _MOST_POINTS else str(number)) + " "


def _join_runs(paragraph: Element) -> str:
    found = []
    raised = False
    formulas = {id(part) for formula in paragraph.iter("oMath") for part in formula.iter() if part is not formula}
    for item in paragraph.iter():
        if id(item) in formulas:
            continue
        if item.tag == "oMath":
            found.append(f" {' '.join(write_office_formula(item).split())} ")
        elif item.tag == "rPr":
            raised = item.get("baseline", "0").removesuffix("%").isdecimal() and item.get("baseline", "0") != "0"
        elif item.tag == "t":
            found.append(raise_figures(item.text or "") if raised else item.text or "")
            raised = False
        elif item.tag in {"br", "tab"} and item is not paragraph:
            found.append("\n" if item.tag == "br" else "\t")
    return "".join(found).strip()


class Drawings:
    """Reader of the charts, diagrams and embedded files displayed by a part."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._relations = package.read_relations(part)

    def read_frame(self, frame: Element, add_text: Callable[[str], None], add_table: Callable[[Grid], None]) -> None:
        """Call `add_text` and `add_table` with the content of the charts and diagrams that a frame displays.

        Embedded files are recorded as not read.
        """
        for item in frame.iter():
            if item.tag in {"chart", "relIds", "oleObj", "OLEObject"}:
                name = self._relations.get(item.get("r:id") or item.get("r:dm") or "", ("", ""))[1]
                part = name if self._package.has(name) else ""
                if item.tag in {"oleObj", "OLEObject"}:
                    self._package.note_embedded(item.get("progId") or item.get("ProgID") or basename(part) or "object")
                elif part:
                    read = _read_chart if item.tag == "chart" else _read_diagram
                    texts, tables = read(self._package.read_part(part))
                    for text in texts:
                        add_text(text)
                    for table in tables:
                        add_table(table)


def _read_diagram(data: Element) -> tuple[list[str], list[Grid]]:
    """Return the texts of a SmartArt diagram, and no tables."""
    points = (join_paragraphs(body) for point in data.iter("pt") for body in point.findall("t"))
    return [text for text in points if text], []


def _read_chart(chart: Element) -> tuple[list[str], list[Grid]]:
    """Return the titles of a chart, and its data as a table with a column for each series."""
    titles = [text for rich in chart.iter("rich") if (text := join_paragraphs(rich))]
    names: list[str] = []
    rows: dict[str, dict[int, str]] = {}
    for number, series in enumerate(chart.iter("ser")):
        names.append(" ".join(_read_points(series.find("tx")).values()))
        categories = _read_points(_find_first(series, "cat", "xVal"))
        values = _read_points(_find_first(series, "val", "yVal"))
        for at in sorted({*categories, *values}):
            rows.setdefault(categories.get(at) or str(at + 1), {})[number] = values.get(at, "")
    if not names:  # newer kind of chart, with levels of categories and values side by side
        levels = [[(item.text or "").strip() for item in level.iter("pt")] for level in chart.iter("lvl")]
        grid: Grid = [list(row) for row in zip_longest(*levels, fillvalue="")]
        return titles, [grid] if levels else []
    shown: Grid = [[name, *(row.get(n, "") for n in range(len(names)))] for name, row in rows.items()]
    return titles, [[["", *names], *shown]]


def _read_points(reference: Element | None) -> dict[int, str]:
    """Return the cached values of a chart's reference, as displayed, by index: {0: "Q1", 1: "Q2"}.

    A category with several levels has their texts joined ("2024 Q1"). Empty without a reference.
    """
    found: dict[int, str] = {}
    if reference is None:
        return found
    if (plain := reference.findtext("v")) is not None:
        return {0: plain}
    code = reference.findtext(".//formatCode") or ""
    for level in [*reference.iter("lvl")] or [reference]:
        points: dict[int, Element] = {}
        for point in level.iter("pt"):
            index = point.get("idx", "")
            points[int(index) if index.isdecimal() else 0] = point
        shown = ""
        for at in range(min(max(points, default=-1) + 1, _MOST_POINTS)) if level.tag == "lvl" else points:
            if (stored := points.get(at)) is not None:
                shown = render_stored(stored.findtext("v") or "", stored.get("formatCode") or code).text
            found[at] = f"{shown} {found[at]}" if at in found else shown
    return found


def _find_first(element: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := element.find(name)) is not None), None)
