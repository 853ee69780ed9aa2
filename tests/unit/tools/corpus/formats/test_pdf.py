"""PDF: reading order, form values, hyphens, and pages that hold no text, or none that can be decoded."""

import io
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdf
import pytest
from PIL import Image
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from weiwo.tools.corpus.formats import _has_ocr, find_format, ocr
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.formats.pdf import read

DOCUMENTS = Path(__file__).parents[4] / "data" / "documents"
LEFT = ("The Orrin Observatory was", "founded in 1904 by Lena", "Haskell. Its main instru-", "ment is a refractor with", "an aperture of 61 cm.")  # fmt: skip
RIGHT = ("The Pell Library was then", "founded in 1938 by Aron", "Tisch. It lends about nine", "thousand books each year,", "and is shut on Mondays.")  # fmt: skip


def made(*streams: bytes, fields: Sequence[tuple[str, str]] = ()) -> bytes:
    """A PDF whose pages draw these streams; the fields of its form stand on the first page."""
    writer = pypdf.PdfWriter()
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"), NameObject("/BaseFont"): NameObject("/Helvetica")})  # fmt: skip
    for stream in streams:
        page = writer.add_blank_page(612, 842)
        content = DecodedStreamObject()
        content.set_data(stream)
        page[NameObject("/Contents")] = writer._add_object(content)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): writer._add_object(font)})}
        )
    widgets = ArrayObject()
    for n, (name, value) in enumerate(fields):
        box = ArrayObject([FloatObject(x) for x in (50, 700 - 30 * n, 300, 720 - 30 * n)])
        widget = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Annot"),
                NameObject("/Subtype"): NameObject("/Widget"),
                NameObject("/FT"): NameObject("/Tx"),
                NameObject("/T"): TextStringObject(name),
                NameObject("/V"): TextStringObject(value),
                NameObject("/Rect"): box,
                NameObject("/F"): NumberObject(4),
            }
        )
        widgets.append(writer._add_object(widget))
    if fields:
        writer.pages[0][NameObject("/Annots")] = widgets
        form = {NameObject("/Fields"): widgets, NameObject("/NeedAppearances"): BooleanObject(value=True)}
        writer._root_object[NameObject("/AcroForm")] = writer._add_object(DictionaryObject(form))
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def lines(*placed: tuple[float, float, str]) -> bytes:
    """A stream that writes texts at their places."""
    shown = (f"BT /F1 12 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in placed)
    return "\n".join(shown).encode("latin-1")


def one(data: bytes) -> Part:
    (part,) = read(io.BytesIO(data), "a.pdf")
    return part


def flat(part: Part) -> str:
    return " ".join(" ".join(passage.text for passage in part.passages).split())


def test_columns_written_across_are_read_one_after_the_other() -> None:
    woven = [(x, 700 - 16 * n, text) for n, pair in enumerate(zip(LEFT, RIGHT, strict=True)) for x, text in zip((60, 320), pair, strict=True)]  # fmt: skip
    text = flat(one(made(lines((60, 760, "Bulletin of the two houses of the valley, in full, for this year"), *woven))))
    assert "founded in 1904 by Lena Haskell. Its main instrument is a refractor" in text
    assert "founded in 1938 by Aron Tisch. It lends about nine thousand books" in text
    assert text.index("Bulletin") < text.index("Orrin") < text.index("aperture") < text.index("Pell")


def test_the_rows_of_a_table_stay_rows() -> None:
    rows = [("Item", "Price in crowns"), ("Bolt", "12"), ("A very long hinge of brass", "140"), ("Nail", "1"), ("Screw", "3")]  # fmt: skip
    placed = [(x, 700 - 16 * n, text) for n, pair in enumerate(rows) for x, text in zip((60, 320), pair, strict=True)]
    text = flat(one(made(lines(*placed))))
    assert "| Bolt | 12 |" in text
    assert "| A very long hinge of brass | 140 |" in text


def test_the_values_of_a_form_are_read_with_their_names() -> None:
    fields = (("Applicant", "Runa Veld"), ("Amount", "4,500 crowns"), ("Left empty", ""))
    text = flat(one(made(lines((60, 760, "Application for a grant")), fields=fields)))
    assert "Applicant: Runa Veld" in text
    assert "Amount: 4,500 crowns" in text
    assert "Left empty" not in text


def test_a_word_cut_at_the_end_of_a_line_is_whole() -> None:
    text = flat(one(made(lines((60, 700, "The new instru-"), (60, 684, "ment of Well-"), (60, 668, "Known makers")))))
    assert "The new instrument of Well-Known makers" in text


PICTURE = b"0 0 300 300 re f"


def test_pages_that_are_pictures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_find_languages", lambda: "")
    part = one(made(lines((60, 700, "Minutes, page one.")), PICTURE, PICTURE, b"", lines((60, 700, "Page five."))))
    assert [(loss.kind, loss.count, loss.places) for loss in part.losses] == [("pages_without_text", 2, ("2", "3"))]
    with pytest.raises(UnreadableError, match="install tesseract"):
        one(made(PICTURE))
    with pytest.raises(UnreadableError, match="empty"):
        one(made(b""))


@pytest.fixture
def tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A tesseract that says the same of every picture; `slow` beside it makes it wait."""
    program = tmp_path / "tesseract"
    program.write_text(
        '#!/bin/sh\ncase "$1" in --list-langs) echo eng;; *) cat >/dev/null;'
        ' test -e "$(dirname "$0")/slow" && sleep 1; echo Words of a scan.;; esac\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    ocr._find_languages.cache_clear()
    ocr.start_budget()
    yield program
    ocr._find_languages.cache_clear()
    ocr.start_budget()


@pytest.mark.processes
@pytest.mark.usefixtures("tesseract")
def test_pages_that_are_pictures_are_read_where_there_is_tesseract() -> None:
    part = one(made(PICTURE))
    assert (flat(part), part.passages[0].page, part.losses) == ("Words of a scan.", 1, [])


@pytest.mark.processes
def test_slow_pictures_cost_their_own_pages_and_not_the_file(monkeypatch: pytest.MonkeyPatch, tesseract: Path) -> None:
    (tesseract.parent / "slow").touch()
    monkeypatch.setattr(ocr, "_BUDGET_SECONDS", 1.5)
    text = lines((60, 700, "The last page."))
    part = one(made(*[PICTURE] * 6, text))
    assert [passage.text for passage in part.passages] == ["Words of a scan.", "The last page."]
    assert [(loss.kind, loss.places) for loss in part.losses] == [("pages_not_recognized", ("2", "3", "4", "5", "6"))]
    ocr.start_budget()
    assert "Words of a scan." in flat(one(made(PICTURE)))


@pytest.mark.processes
@pytest.mark.usefixtures("tesseract")
@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "webp", "bmp"])
def test_pictures_are_read_as_files(ending: str) -> None:
    data = io.BytesIO()
    picture = Image.new("RGB", (120, 60), "white")
    more = {"save_all": True, "append_images": [picture]} if ending == "tif" else {}
    picture.save(data, {"jpg": "jpeg", "tif": "tiff"}.get(ending, ending), **more)
    data.seek(0)
    (part,) = ocr.read(data, "scan")
    assert [passage.text for passage in part.passages] == ["Words of a scan."] * (2 if ending == "tif" else 1)
    assert part.passages[-1].locator == ("page 2" if ending == "tif" else "")


def test_a_picture_without_words_or_damaged_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "can_recognize", lambda: True)
    data = io.BytesIO()
    Image.new("RGB", (16, 16), "white").save(data, "png")
    with pytest.raises(UnreadableError, match="without recognizable text"):
        list(ocr.read(io.BytesIO(data.getvalue()), "icon"))
    with pytest.raises(UnreadableError, match="damaged picture"):
        list(ocr.read(io.BytesIO(b"no picture at all"), "icon"))
    monkeypatch.setattr(ocr, "can_recognize", lambda: False)
    with pytest.raises(UnreadableError, match="install tesseract"):
        list(ocr.read(io.BytesIO(data.getvalue()), "icon"))


def test_a_picture_is_of_a_format_only_where_it_can_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    _has_ocr.cache_clear()
    try:
        assert find_format("scan.PNG") is None
        (tmp_path / "tesseract").touch(mode=0o755)
        _has_ocr.cache_clear()
        assert (kind := find_format("scan.PNG")) is not None
        assert kind.type == "picture"
    finally:
        _has_ocr.cache_clear()


def test_a_page_some_of_whose_letters_are_not_said_is_named() -> None:
    part = one(made(lines((60, 700, "The fi\x10ty keys of the ol\x10 sig\x10al box hang here."), (60, 650, "Closed."))))
    assert "Closed." in flat(part)
    assert [(loss.kind, loss.places) for loss in part.losses] == [("pages_undecodable_in_part", ("1",))]


def test_a_page_whose_font_says_no_letters_is_named() -> None:
    private = b"BT /F2 12 Tf 60 700 Td <" + b"E000" * 40 + b"> Tj ET"
    data = made(lines((60, 700, "A page with words.")), private)
    reader = pypdf.PdfReader(io.BytesIO(data))
    writer = pypdf.PdfWriter(clone_from=reader)
    table = DecodedStreamObject()
    table.set_data(b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <E000> <E0FF> <E000> endbfrange endcmap end")  # fmt: skip
    descendant = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/CIDFontType2"), NameObject("/BaseFont"): NameObject("/Odd"), NameObject("/CIDSystemInfo"): DictionaryObject({NameObject("/Registry"): TextStringObject("Adobe"), NameObject("/Ordering"): TextStringObject("Identity"), NameObject("/Supplement"): NumberObject(0)})})  # fmt: skip
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type0"), NameObject("/BaseFont"): NameObject("/Odd"), NameObject("/Encoding"): NameObject("/Identity-H"), NameObject("/DescendantFonts"): ArrayObject([writer._add_object(descendant)]), NameObject("/ToUnicode"): writer._add_object(table)})  # fmt: skip
    writer.pages[1]["/Resources"]["/Font"][NameObject("/F2")] = writer._add_object(font)
    out = io.BytesIO()
    writer.write(out)
    part = one(out.getvalue())
    assert [loss.kind for loss in part.losses] == ["pages_undecodable"]
    assert flat(part) == "A page with words."


TABLE = (("Port", "Ships a day", "Country"), ("Kiel", "40", "Germany"), ("Den Helder", "12", "Netherlands"))


def grid(rows: Sequence[Sequence[str]]) -> bytes:
    """Rows of cells 150 points apart between two lines of prose."""
    cells = [(60 + 150 * x, 700 - 20 * y, cell) for y, row in enumerate(rows) for x, cell in enumerate(row)]
    return made(lines((60, 740, "Ports of the north, by ships."), *cells, (60, 600, "Counted in May.")))


def test_rows_below_a_header_are_a_table() -> None:
    (part,) = read(io.BytesIO(grid(TABLE)), "ports.pdf")
    text = "\n".join(passage.text for passage in part.passages)
    assert "| Port | Ships a day | Country |\n|---|---|---|\n| Kiel | 40 | Germany |\n| Den Helder | 12 |" in text
    assert text.startswith("Ports of the north, by ships.")
    assert text.endswith("Counted in May.")


@pytest.mark.parametrize(
    "rows",
    [
        TABLE[:2],  # one row tells of no column
        (("1.", "Open it 2 times"), ("2.", "Close it"), ("3.", "Go")),
    ],
)
def test_what_may_be_no_table_is_text(rows: Sequence[Sequence[str]]) -> None:
    (part,) = read(io.BytesIO(grid(rows)), "ports.pdf")
    assert "|" not in "".join(passage.text for passage in part.passages)


@pytest.mark.parametrize(
    "rows",
    [
        (("Name:", "Kiel"), ("Ships:", "40"), ("Berths:", "12")),
        (("Port", "Country"), ("Kiel", "Germany"), ("Emden", "Germany")),
    ],
)
def test_labels_and_values_that_begin_at_one_edge_are_rows(rows: Sequence[Sequence[str]]) -> None:
    (part,) = read(io.BytesIO(grid(rows)), "ports.pdf")
    text = "".join(passage.text for passage in part.passages)
    assert all(f"| {label} | {value} |" in text for label, value in rows)


def test_labels_that_stand_halfway_down_are_rows_of_a_table() -> None:
    """Tables laid out by WeasyPrint 70 with the vertical alignment that HTML gives them."""
    with zipfile.ZipFile(DOCUMENTS / "weasyprint.zip") as files:
        terms, plans = (rows_of(files.read(name)) for name in ("terms.pdf", "plans.pdf"))
    assert [row[0] for row in terms] == ["Manufacturer", "Coverage", "Warranty", "Exclusions"]
    assert terms[1][1].startswith("Fire, theft and water damage in all rooms of the house, including the cellar")
    assert terms[1][1].endswith("the sum insured each year of the term")
    assert [row[0] for row in plans] == ["Plan", "Basic", "Garden shed and fence", "Full"]
    assert [row[-1] for row in plans] == ["Limit in crowns", "200,000", "15,000", "450,000"]


POLICY = (("Holder", ["Runa Veld"]), ("Covered", ["Fire and theft in", "the house and water", "in its cellar"]), ("Premium", ["1,200 crowns"]), ("Excluded", ["Floods and wear", "by daily use"]))  # fmt: skip


def written_by_height(padding: int) -> bytes:
    """A table whose labels stand halfway down, written line by line from the top of the page."""
    placed: list[tuple[float, float, str]] = []
    top = 700.0
    for label, values in POLICY:
        placed.append((60, top - 6.5 * (len(values) - 1), label))
        placed += [(200, top - 13 * n, value) for n, value in enumerate(values)]
        top -= 13 * len(values) + padding
    return made(lines(*sorted(placed, key=lambda item: (-item[1], item[0]))))


def test_labels_written_between_the_lines_of_their_values_are_paired_only_where_rows_stand_apart() -> None:
    assert rows_of(written_by_height(6)) == [[label, " ".join(values)] for label, values in POLICY]
    assert rows_of(written_by_height(0)) == []


def rows_of(data: bytes) -> list[list[str]]:
    text = "\n".join(passage.text for passage in one(data).passages)
    return [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")]


def test_a_raised_figure_is_told_from_the_one_before_it() -> None:
    """A page laid out by WeasyPrint 70 with exponents, units, a note's mark and an ordinal in superscript."""
    with zipfile.ZipFile(DOCUMENTS / "weasyprint.zip") as files:
        text = "\n".join(passage.text for passage in one(files.read("raised.pdf")).passages)
    assert "The lake holds 4.2 × 10⁶ litres, and the basin covers 15 m² of ground." in " ".join(text.split())
    assert "The 21st of May was dry, as the keeper¹ noted. The load is 10⁻³ of it." in " ".join(text.split())
    assert "| South | 10⁷ | 14 m² |" in text
    assert "by the keeper²\nMill Lane carries the rest, 3 km²." in text
    assert "H2O is water. 106 litres were lost in 2106." in text


def test_equal_figures_that_are_not_raised_stay_as_they_are() -> None:
    """A page laid out by WeasyPrint 70 that has 106 and 10⁶ in a sentence and in a row, in both orders."""
    with zipfile.ZipFile(DOCUMENTS / "weasyprint.zip") as files:
        text = "\n".join(passage.text for passage in one(files.read("mixed.pdf")).passages)
    assert "There were 106 cases and 10⁶ cells in 2106, later 106 of 10⁶." in text
    assert [f"| {name} | {plain} | {power} |" in text for name, plain, power in
            (("North", "106", "10⁶"), ("South", "107", "10⁷"), ("West", "105", "10⁵"))] == [True] * 3  # fmt: skip
    assert "The 5 km² of km2 and (a+b)²." in text
