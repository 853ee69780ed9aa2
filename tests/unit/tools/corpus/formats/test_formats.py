"""Each kind of file: its words, its title, and places that lead to the words."""

import html
import io
import json
import re
import zipfile

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import documents
from weiwo.text.chunking import _LARGEST_CODE, LARGEST, measure_weight
from weiwo.text.typeset import normalize_typeset
from weiwo.tools.corpus.formats import FORMATS, Part, find_format, load_reader
from weiwo.tools.corpus.formats import xlsx as xlsx_format
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.records import Passage

LONG = "This sentence has exactly seven words here. " * 60
ZH = "汉武帝刘彻生于公元前156年，在位五十四年。"


def parts(name: str, data: str | bytes) -> list[Part]:
    kind = find_format(name)
    assert kind is not None
    return list(load_reader(kind)(io.BytesIO(data.encode() if isinstance(data, str) else data), "Name"))


def part(name: str, data: str | bytes) -> Part:
    (one,) = parts(name, data)
    return one


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", normalize_typeset(text))


def shown(one: Part) -> list[tuple[tuple[str, ...], str]]:
    return [(piece.headings, piece.locator) for piece in one.passages]


def test_every_kind_can_be_read() -> None:
    for ending in FORMATS:
        assert callable(load_reader(FORMATS[ending]))
    assert find_format("a/README") == find_format("b.TXT") == FORMATS[".txt"]
    assert find_format("noending") is FORMATS[".txt"]
    assert find_format("a/x.bin") is find_format("a/.md") is None


def test_front_matter_gives_title_and_date_and_is_kept() -> None:
    text = "---\ntitle: 'The Bridge'\ndate: 2024-3-5\ntags: [a]\n---\n\n# Heading\n\nWords.\n"
    one = part("a.md", text)
    assert (one.title, one.date) == ("The Bridge", "2024-03-05")
    assert "tags: [a]" in one.passages[0].text
    assert one.passages[0].locator == "lines 2-4"
    assert [piece.locator for piece in one.passages[1:]] == ["line 9"]
    assert part("a.md", "---\n\n# Only\n\nWords.\n").title == "Name"


def test_a_long_table_keeps_its_header_with_each_run_of_rows() -> None:
    rows = "".join(f"| river {number} | {number * 7} km long and winding |\n" for number in range(200))
    one = part("a.md", f"# Rivers\n\n| name | length |\n| --- | --- |\n{rows}\nAfter.\n")
    tables = [piece for piece in one.passages if "| river" in piece.text]
    assert len(tables) > 3
    assert all(piece.text.startswith("| name | length |\n| --- | --- |\n| river") for piece in tables)
    numbers = re.findall(r"\| river (\d+) \|", "".join(piece.text for piece in tables))
    assert numbers == [str(number) for number in range(200)]
    assert (tables[0].first_line, tables[1].first_line) == (3, tables[0].last_line + 1)


def test_rst_sections() -> None:
    text = "=====\nTitle\n=====\n\nIntro.\n\nPart\n----\n\nWords.\n\nDeeper\n~~~~~~\n\nMore.\n\nNext\n----\n\nEnd.\n"
    one = part("a.rst", text)
    assert one.title == "Title"
    assert [piece.headings for piece in one.passages] == [(), ("Part",), ("Part", "Deeper"), ("Next",)]


def test_a_page_is_its_main_content_in_the_lines_of_the_file() -> None:
    page = (
        "<!doctype html>\n<html><head><title>The Bridge &amp; I</title>\n"
        '<meta property="article:published_time" content="2024-05-06T10:00">\n'
        "<script>var x = '<p>not this</p>';</script><style>p {}</style></head>\n<body><nav><a>Menu</a></nav>\n"
        "<main><h1>Bridge</h1>\n<p>It joins Buda\nand Pest &mdash; across the Danube.</p>\n<h2>History</h2>\n"
        "<ul><li>opened 1849</li>\n<li>rebuilt 1949</li></ul><pre>a\n  b</pre>\n"
        "<table><tr><th>Year</th><th>Event</th></tr>\n<tr><td>1849</td><td><p>Opening</p></td></tr></table></main>\n"
        "<footer>Imprint</footer></body></html>"
    )
    one = part("a.html", page)
    assert (one.title, one.date) == ("The Bridge & I", "2024-05-06")
    first, second = one.passages
    assert first.text == "It joins Buda and Pest — across the Danube."
    assert (first.locator, first.headings) == ("lines 7-8", ())
    assert second.headings == ("History",)
    assert second.first_line == 9
    assert "opened 1849\nrebuilt 1949" in second.text
    assert "a\n  b" in second.text
    assert "| Year | Event |\n| --- | --- |\n| 1849 | Opening |" in second.text
    whole = " ".join(piece.text for piece in one.passages)
    assert not [word for word in ("Menu", "Imprint", "not this", "p {}") if word in whole]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<p>a<![CDATA[x]]>b <![if !IE]>c<![endif]>", "c"),
        ("<nav>all of it is here", "all of it is here"),
        ("just text & no tags < at all", "just text & no tags"),
        ("<table><td>one<td>two<tr><td>three</table>", "| three |"),
        ("<p>汉武帝<br>刘彻</p>", "汉武帝\n刘彻"),
        ("</p></div><b>x", "x"),
    ],
)
def test_pages_that_are_not_well_formed(page: str, words: str) -> None:
    assert words in "\n".join(piece.text for piece in part("a.html", page).passages)


def test_a_pdf_is_cut_by_page() -> None:
    one = part("a.pdf", documents.pdf("The bridge opened in 1849.\nIt is long.", LONG[:440], title="Bridges"))
    assert (one.title, one.date) == ("Bridges", "2024-03-05")
    assert [(piece.page, piece.locator) for piece in one.passages] == [(1, "page 1, lines 1-2"), (2, "page 2, line 1")]
    assert "opened in 1849" in one.passages[0].text


def test_a_cell_in_the_last_row_costs_as_much_as_one_in_the_first(monkeypatch) -> None:
    book = openpyxl.Workbook()
    book.active["A1048576"], book.active["XFD1"] = "far below", "far right"
    rendered = []
    real = xlsx_format._SheetReader._read_row
    monkeypatch.setattr(xlsx_format._SheetReader, "_read_row", lambda *given: rendered.append(1) or real(*given))
    file = io.BytesIO()
    book.save(file)
    (passage,) = part("a.xlsx", file.getvalue()).passages
    assert passage.text == "far right\nfar below"
    assert len(rendered) < 5_000


def test_a_wide_row_loses_its_empty_cells_and_what_stands_behind_the_most() -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["ZZ1"], book.active["XFD1"] = "first", None, "last"
    for column in range(1, 700):
        book.active.cell(2, column, f"c{column}")
    file = io.BytesIO()
    book.save(file)
    one = part("a.xlsx", file.getvalue())
    text = "\n".join(passage.text for passage in one.passages)
    assert text.startswith("first | last\nc1 | c2")
    assert text.endswith("c500")
    assert "199 cells are left out" in one.note


def test_a_chapter_that_does_not_unpack_is_left_out_and_named() -> None:
    whole = documents.epub([f"<p>{LONG}</p>", f"<p>{ZH}</p>"])
    with zipfile.ZipFile(io.BytesIO(whole)) as book:
        listed = {item.filename: item for item in book.infolist()}
    first = next(item for name, item in listed.items() if name.endswith("html"))
    at = first.header_offset + 30 + len(first.filename)
    assert first.compress_type == zipfile.ZIP_DEFLATED
    broken = whole[:at] + b"\xff" * 20 + whole[at + 20 :]
    one = part("a.epub", broken)
    assert one.passages
    assert "chapter 1 cannot be read" in one.note


def test_encrypted_pdfs_are_reported_and_those_without_a_password_are_read() -> None:
    with pytest.raises(UnreadableError, match="encrypted"):
        parts("a.pdf", documents.encrypted_pdf("secret"))
    assert "Secret words" in part("a.pdf", documents.encrypted_pdf("")).passages[0].text
    with pytest.raises(UnreadableError, match="empty"):
        parts("a.pdf", documents.pdf(""))


def test_a_word_document_keeps_headings_and_tables() -> None:
    data = documents.docx(
        [
            ("Title", "Bridges of Budapest"),
            ("", "An overview."),
            ("Heading 1", "Chain Bridge"),
            ("", "It opened in 1849."),
            ("table", [["Year", "Event"], ["1849", "Opening"]]),
            ("Heading 2", "重建"),
            ("List Bullet", ZH),
        ]
    )
    one = part("a.docx", data)
    assert one.title == "Bridges of Budapest"
    assert [piece.headings for piece in one.passages] == [(), ("Chain Bridge",), ("Chain Bridge", "重建")]
    assert one.passages[1].locator == "paragraphs 3-6"
    assert "| 1849 | Opening |" in one.passages[1].text
    assert ZH in one.passages[2].text


def test_slides_keep_their_titles_and_notes() -> None:
    one = part("a.pptx", documents.pptx([("Rivers", "The Danube is long.", "Say hello."), ("桥", "链子桥", "")]))
    assert one.title == "Rivers"
    assert shown(one) == [(("Rivers",), "slide 1"), (("桥",), "slide 2")]
    assert [piece.page for piece in one.passages] == [1, 2]
    assert all(words in one.passages[0].text for words in ("The Danube is long.", "Say hello."))


def test_sheets_keep_their_header_with_each_run_of_rows() -> None:
    rows = [["name", "sold"], *([f"article {number} of the catalogue", number] for number in range(150))]
    one = part("a.xlsx", documents.xlsx({"Sales": rows, "Empty": [], "表": [["城市"], ["北京"]]}))
    sales = [piece for piece in one.passages if piece.page == 1]
    assert len(sales) > 2
    assert all(piece.text.startswith("name | sold\narticle") for piece in sales)
    assert (sales[0].locator.split("-")[0], sales[-1].last_line) == ("sheet Sales, rows 2", 151)
    assert one.passages[-1].headings == ("表",)
    assert "北京" in one.passages[-1].text


def test_a_book_is_cut_by_chapter() -> None:
    one = part("a.epub", documents.epub(["<h1>One</h1><p>It began.</p>", f"<h1>二</h1><p>{ZH}</p>"], title="Tale"))
    assert (one.title, one.date) == ("Tale", "2020-02-03")
    assert shown(one) == [(("One",), "chapter 1, paragraph 2"), (("二",), "chapter 2, paragraph 2")]
    with pytest.raises(UnreadableError, match="protected"):
        parts("a.epub", documents.epub(["<p>x</p>"], locked=True))


def test_zip_bombs_are_not_unpacked() -> None:
    bomb = documents.zipped({"word/document.xml": b"\x00" * 30_000_000})
    assert len(bomb) < 300_000
    for name in ("a.docx", "a.pptx", "a.xlsx", "a.epub"):
        with pytest.raises(UnreadableError, match="zip bomb"):
            parts(name, bomb)
    with pytest.raises(UnreadableError, match="encrypted"):
        parts("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600)


def test_code_is_cut_at_definitions() -> None:
    body = "".join(f"    value_{number} = compute_something({number}, 'with words')\n" for number in range(12))
    source = (
        f'"""Module."""\n\nimport os\n\n\n@decorated\ndef first(x):\n{body}\n\n'
        f"# about Second\nclass Second:\n    def method(self):\n    {body.lstrip()}\n\nasync def third():\n{body}"
    )
    one = part("a.py", source)
    assert [piece.headings for piece in one.passages if piece.headings] == [("first",), ("Second",), ("third",)]
    assert one.passages[1].text.startswith("@decorated\ndef first")
    assert one.passages[2].text.startswith("# about Second\nclass Second")


def test_an_empty_program_is_sound() -> None:
    assert part("__init__.py", "").passages == []
    with pytest.raises(UnreadableError, match="empty"):
        parts("a.txt", "\n")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("export default async function loadUser(id) {", "loadUser"),
        ("export const toName = (user) => {", "toName"),
        ("func (s *Server) Serve(l net.Listener) error {", "Serve"),
        ("pub(crate) fn parse<'a>(x: &'a str) -> X {", "parse"),
        ("public static final class Inner {", "Inner"),
        ("static int main_loop(int argc, char **argv) {", "main_loop"),
        ("CREATE TABLE accounts (", "accounts"),
        ("[tool.ruff]", "tool.ruff"),
        ("services:", "services"),
    ],
)
def test_names_of_definitions(line: str, name: str) -> None:
    body = "".join(f"  x{number} = call(number, {number}, and, some, words)\n" for number in range(12))
    assert part("a.js", f"{line}\n{body}}}\n").passages[0].headings == (name,)


def test_csv_keeps_header_and_records_together() -> None:
    rows = "".join(f'river {number},"long,\nwinding ""{number}"""\n' for number in range(100))
    one = part("a.csv", f"name,remark\n{rows}")
    assert len(one.passages) > 2
    assert all(piece.text.startswith("name,remark\nriver") for piece in one.passages)
    assert one.passages[0].first_line == 2
    assert one.passages[-1].last_line == 201
    assert all(piece.text.count('"') % 2 == 0 for piece in one.passages)
    assert part("a.tsv", "1\t2\n3\t4\n").passages[0].text == "1\t2\n3\t4"
    assert part("a.csv", "a,b\n").passages[0].text == "a,b"
    open_quote = 'h,i\n"never closed,1\n' + "x,2\n" * 300
    assert sum(piece.text.count("x,2") for piece in part("a.csv", open_quote).passages) == 300


def test_records_with_a_title_or_an_id_are_documents_and_others_passages() -> None:
    records = [
        {"_id": "k7", "title": "Bridge", "text": "It opened in 1849.", "date": "2024-01-02", "status": "INC-49217"},
        {"_id": "k8", "title": "", "text": ZH},
        {"title": "Long", "text": LONG},
        {"name": None, "value": 3, "nested": {"a": [1, 2]}},
    ]
    found = parts("a.jsonl", "\n".join(json.dumps(record) for record in records) + "\n\n")
    assert [(one.title, one.key, one.date) for one in found] == [
        ("Bridge", "1", "2024-01-02"),
        ("Name k8", "2", None),
        ("Long", "3", None),
        ("Name", "", None),
    ]
    assert found[0].passages[0].text == "It opened in 1849.\ndate: 2024-01-02\nstatus: INC-49217"
    assert [one.passages[0].locator for one in found] == ["line 1, id k7", "line 2, id k8", "line 3", "line 4"]
    assert found[1].passages[0].text == ZH
    assert len(found[2].passages) > 1
    assert [piece.text for piece in found[3].passages] == ["value: 3\nnested.a: 1, 2"]
    assert len({one.sha256 for one in found if one.key}) == 3


def test_long_files_of_records_come_in_parts_that_stay_when_lines_are_added(monkeypatch) -> None:
    lines = [json.dumps({"text": f"Record number {number} of many."}) for number in range(4_500)]
    before, after = parts("a.jsonl", "\n".join(lines)), parts("a.jsonl", "\n".join([*lines, lines[0]]))
    assert [(one.key, len(one.passages)) for one in before] == [("2001", 2_000), ("4001", 500), ("", 2_000)]
    assert [one.sha256 == other.sha256 for one, other in zip(before, after, strict=True)] == [True, False, True]
    monkeypatch.setattr("weiwo.tools.corpus.formats.json_lines._SINGLY_BYTES", 10)
    (one,) = parts("a.jsonl", json.dumps({"title": "Bridge", "text": "It opened."}))
    assert one.passages[0].headings == ("Bridge",)


def test_lines_that_are_no_json_are_noted() -> None:
    one = part("a.jsonl", '{"text": "one"}\nnonsense\n{"text": "two"}\n{"cut')
    assert [piece.text for piece in one.passages] == ["one", "two"]
    assert one.note == "2 lines, the first of them 2, are not JSON; the rest is indexed"
    with pytest.raises(UnreadableError, match="not JSON Lines"):
        parts("a.jsonl", "nonsense\n" * 5_000)


def test_json_is_opened_where_it_is_large() -> None:
    value = {"title": "Config", "items": [{"name": "one", "text": "first thing"}, {"name": "two"}], "long": LONG}
    text = json.dumps(value, indent=1)
    one = part("a.json", text)
    assert one.title == "Config"
    assert (("items", "one"), "lines 4-7") in shown(one)
    assert any(piece.headings == ("items", "two") and "name: two" in piece.text for piece in one.passages)
    for bad in ("[1, 2", "{", "nonsense", "[" * 100_000):
        with pytest.raises(UnreadableError):
            parts("a.json", bad)
    with pytest.raises(UnreadableError, match="empty"):
        parts("a.json", "\n")


_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)*\s*(:?-+:?)?\s*")


def header_rows_of(piece: Passage, text: str) -> int:
    """Rows of a table's header that a passage repeats from above its own lines: two, or none."""
    above = re.split("\r\n|\r|\n", text)[: piece.first_line - 1]
    head = piece.text.split("\n")[:2]
    stand_above = any(above[at : at + 2] == head for at in range(len(above) - 1))
    return 2 if stand_above and _RULE.fullmatch(head[1]) and not stands_in_its_lines(piece, text) else 0


def stands_in_its_lines(piece: Passage, text: str, *, header_rows: int = 0) -> bool:
    lines = re.split("\r\n|\r|\n", text)
    named = squeezed("\n".join(lines[piece.first_line - 1 : piece.last_line]))
    words = "\n".join(piece.text.split("\n")[header_rows:])
    return squeezed(words) in named


_words = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"]), max_size=40
)
_line = st.one_of(
    _words,
    st.sampled_from(["", "", "# H", "## Deeper", "Title", "=====", "-----", "def f(x):", "    x = 1", "class A:"]),
    st.sampled_from([LONG, ZH * 20, "word " * 300, "x" * 2_500, "| a | b |", "| --- | --- |", "[section]", "@d"]),
    st.sampled_from(["a\x0cb", "a\u2028b", "a\x85b", "```", "a\tb"]),
)
_texts = st.tuples(st.lists(_line, max_size=20), st.sampled_from(["\n", "\r\n", "\r"])).map(lambda t: t[1].join(t[0]))


@example(text="|\n-|\n" + "This sentence has exactly seven words here. " * 60, name="a.md")
@example(text="| a | b |\n| --- | --- |\n" + "word " * 300, name="a.md")
@given(text=_texts, name=st.sampled_from(["a.md", "a.txt", "a.rst", "a.py", "a.yaml", "a.sql"]))
def test_quoted_words_stand_in_the_lines_named(text: str, name: str) -> None:
    try:
        one = part(name, text)
    except UnreadableError:
        assert not text.strip() or "\ufeff" in text or not re.search(r"\w", text)
        return
    for piece in one.passages:
        assert stands_in_its_lines(piece, text, header_rows=header_rows_of(piece, text))
        assert measure_weight(piece.text) <= (_LARGEST_CODE if "```" in text else LARGEST + 60)
        assert piece.locator in {f"line {piece.first_line}", f"lines {piece.first_line}-{piece.last_line}"}


_cell = _words.map(lambda cell: cell.replace('"', "'").replace("\ufeff", ""))


@given(rows=st.lists(st.lists(_cell, min_size=2, max_size=3), min_size=1, max_size=60))
def test_rows_stand_in_the_lines_named(rows: list[list[str]]) -> None:
    text = "name;remark\n" + "\n".join('"' + '";"'.join(row) + '"' for row in rows)
    for piece in part("a.csv", text).passages:
        assert piece.text.startswith("name;remark\n")
        assert stands_in_its_lines(piece, text, header_rows=1)


@given(blocks=st.lists(st.tuples(st.sampled_from(["p", "h2", "li", "td"]), _words), min_size=1, max_size=20))
def test_words_of_a_page_stand_in_the_lines_named(blocks: list[tuple[str, str]]) -> None:
    text = "<html><body>\n" + "\n".join(f"<{tag}>{html.escape(words)}</{tag}>" for tag, words in blocks)
    try:
        one = part("a.html", text)
    except UnreadableError:
        return
    plain = html.unescape(re.sub(r"<[^>]*>", "", text.replace("|", "¦")))
    for piece in one.passages:
        named = squeezed("\n".join(plain.split("\n")[piece.first_line - 1 : piece.last_line]))
        for row in piece.text.replace("|", "¦").split("\n"):
            assert squeezed(row).strip("¦") in named or "---" in row


@given(
    data=st.binary(max_size=400),
    name=st.sampled_from([f"a{ending}" for ending in FORMATS if find_format(f"a{ending}")]),
)
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    try:
        for one in parts(name, data):
            assert all(piece.text.strip() for piece in one.passages)
    except UnreadableError as error:
        assert "\n" not in str(error)  # noqa: PT017 - what was read is checked above
    except Exception:  # noqa: BLE001 - what a parser raises over noise is the worker's to report
        assert name.endswith((".docx", ".pptx", ".xlsx", ".xlsm", ".pdf", ".epub"))
