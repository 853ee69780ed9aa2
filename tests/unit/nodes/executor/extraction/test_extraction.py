"""Extraction asserts only what one clause about the very subject says; rows of invented documents, traps included."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from weiwo.nodes.executor.extraction.entity_matching import page_name
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.shared.planning.rule_plan import VALUE_TYPES
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, JsonValue, ValueType
from weiwo.state.passage_identity import passage_id
from weiwo.state.query import AnswerType, QueryFrame
from weiwo.text.language_detection import detect_language
from weiwo.text.terms import terms

DATA = Path(__file__).resolve().parents[4] / "data"

RETURNS: dict[str, ValueType] = {
    "date": "date",
    "year": "date",
    "number": "number",
    "quantity": "number",
}


class Row(NamedTuple):
    """A question with its frame, the documents as "title | text", and the value; None where nothing may be asserted."""

    question: str
    subject: str
    relation: str
    kind: AnswerType
    value: JsonValue
    documents: tuple[str, ...]


def passages(documents: tuple[str, ...]) -> list[Evidence]:
    found = []
    for number, document in enumerate(documents):
        title, _, text = document.partition(" | ")
        found.append(Evidence(id=passage_id(document), text=text, source=f"doc{number}.md", title=title))
    return found


def read(row: Row) -> Reading | None:
    frame = QueryFrame(
        question=row.question,
        language=detect_language(row.question),
        subjects=(row.subject,),
        relation=row.relation,
        answer_type=row.kind,
        terms=tuple(terms(row.question)),
    )
    return extract_value(frame, RETURNS.get(row.kind, "text"), passages(row.documents))


MORROW = "Ada Morrow | Ada Morrow (3 May 1901 – 9 June 1977) was a Welsh engineer. Her sister Ida Morrow died in 1950."
TALL = (
    "Grey Spire | The Grey Spire is a television tower in Norwick. It is 212 metres (696 ft) tall and opened in 1968."
)
VALE = "Aldport | Aldport is a town on the river Vale. The grammar school was founded in 1611. The town was founded in 1204."
BRIDGES = "Bridges | | Bridge | Length | Opened |\n| --- | --- | --- |\n| Oldbridge | 210 m | 1881 |\n| Newbridge | 300 m | 1990 |"
PEOPLE = "a | name,born,released,height\nRex Tiller,12 July 1970,1999,1.70 m\nAnn Oakes,,2003,1.6 m"
LU = "陆知远 | 陆知远（1903年4月2日－1988年11月5日），江苏苏州人，桥梁工程师。他的弟弟陆知明生于1910年。"
BRIDGE_ZH = "青石大桥 | 青石大桥是一座公路桥，全长1234米，主塔高约98米。大桥由林致远设计。大桥于1986年10月1日建成通车。"

ASSERTED = [
    Row("How long is the Hvita?", "Hvita", "length", "quantity", 185,
        ("Hvita | The Hvita is the longest river of the north. It is 185 km long and flows entirely within Nordmark.",)),
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", "1971-06-04",
        ("Tom Reed | Tom Reed is a cellist. He was born on 4 June 1971 in Oslo, and studied in Leiden, Holland.",)),
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", "1971-06-04",
        ("A guide | The young cellist Tom Reed was born on 4 June 1971.",)),
    Row("白石峰有多高？", "白石峰", "height", "quantity", 3120,
        ("白石峰 | 2019年5月，两国共同宣布白石峰的高度为3120米。",)),
    Row("When was Ada Morrow born?", "Ada Morrow", "birth", "date", "1901-05-03", (MORROW,)),
    Row("when did ada morrow die", "ada morrow", "death", "date", "1977-06-09", (MORROW,)),
    Row("What year was Ada Morrow born?", "Ada Morrow", "birth", "year", "1901-05-03", (MORROW,)),
    Row("How tall is the Grey Spire?", "Grey Spire", "height", "quantity", 212, (TALL,)),
    Row("When did the Grey Spire open?", "Grey Spire", "opening", "date", "1968", (TALL,)),
    Row("When was Aldport founded?", "Aldport", "founding", "date", "1204", (VALE,)),
    Row("How long is Oldbridge?", "Oldbridge", "length", "quantity", 210, (BRIDGES,)),
    Row("When was Newbridge opened?", "Newbridge", "opening", "date", "1990", (BRIDGES,)),
    Row("When was Rex Tiller born?", "Rex Tiller", "birth", "date", "1970-07-12", (PEOPLE,)),
    Row("What is the population of Vale?", "Vale", "population", "number", 5400,
        ("Vale | Vale is a town. In 1990 it had 3,100 inhabitants. It has 5,400 inhabitants today.",)),
    Row("What is the population of Vale?", "Vale", "population", "number", 5200,
        ("Vale | Vale is a town. Its population was 4,100 at the 2001 census. Its population was 5,200 in 2011.",)),
    Row("How large is Lake Tarn in area?", "Lake Tarn", "area", "quantity", 77.5,
        ("Lake Tarn | Lake Tarn is a lake in Norwick. It covers an area of 77.5 square kilometres.",)),
    Row("When was Marcus Vale born?", "Marcus Vale", "birth", "date", "-63-09-23",
        ("Marcus Vale | Marcus Vale was a general. He was born in Tarn on 23 September 63 BC and died at Nola in AD 14.",)),
    Row("When did Marcus Vale die?", "Marcus Vale", "death", "date", "14",
        ("Marcus Vale | Marcus Vale was a general. He was born in Tarn on 23 September 63 BC and died at Nola in AD 14.",)),
    Row("When was Fernhill founded?", "Fernhill", "founding", "date", "1998",
        ("Fernhill | - Founded: 1998\n- Headquarters: Tarn\n- Founder: Ines Calder",)),
    Row("Where is the headquarters of Fernhill?", "Fernhill", "headquarters", "place", "Tarn",
        ("Fernhill | - Founded: 1998\n- Headquarters: Tarn\n- Founder: Ines Calder",)),
    Row("Who is the founder of Fernhill?", "Fernhill", "founder", "person", "Ines Calder",
        ("Fernhill | - Founded: 1998\n- Headquarters: Tarn\n- Founder: Ines Calder",)),
    Row("青石大桥的设计师是谁？", "青石大桥", "architect", "person", "林致远", ("青石大桥 | 类型：公路桥\n设计师：林致远",)),
    Row("陆知远是哪年出生的？", "陆知远", "birth", "date", "1903-04-02", (LU,)),
    Row("陆知远什么时候去世？", "陆知远", "death", "date", "1988-11-05", (LU,)),
    Row("青石大桥全长多少米？", "青石大桥", "length", "quantity", 1234, (BRIDGE_ZH,)),
    Row("青石大桥什么时候建成？", "青石大桥", "construction", "date", "1986-10-01", (BRIDGE_ZH,)),
    Row("苏远是什么时候去世的？", "苏远", "death", "date", "1990", ("苏远 | 苏远是诗人，1921年出生于浙江绍兴，1990年在北京去世。",)),
    Row("云洛市的人口是多少？", "云洛市", "population", "number", 3200000, ("云洛市 | 云洛市位于南方，2020年人口约为320万。",)),
    Row("谁设计了青石大桥？", "青石大桥", "architect", "person", "林致远", (BRIDGE_ZH,)),
    Row("云洛大学成立于哪年？", "云洛大学", "founding", "date", "1911", ("云洛大学 | 云洛大学创办于1911年，前身是云洛学堂。",)),
]  # fmt: skip

SILENT = [
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", None,
        ("A guide | The sister of Tom Reed was born on 4 June 1971.",)),
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", None,
        ("Tom Reed | Tom Reed is a cellist. Anna Reed is his sister. She was born on 4 June 1971 in Oslo.",)),
    Row("白石峰有多高？", "白石峰", "height", "quantity", None,
        ("白石峰 | 有人误以为白石峰的高度为3120米。",)),
    Row("When did Ida Morrow die?", "Morrow", "death", "date", None, (MORROW,)),
    Row("When did Ada Morrow's sister die?", "Ada Morrow's sister", "death", "date", None, (MORROW,)),
    Row("How tall is the Grey Spire?", "Grey Spire", "height", "quantity", None,
        ("Grey Spire | The Grey Spire is a tower.\n\n## Second tower\n\nIt is 90 m tall.",)),
    Row("陆知远什么时候去世？", "陆知远", "death", "date", None, ("陆知远 | 陆知远是桥梁工程师。\n\n## 陆知明\n\n他于1950年去世。",)),
    Row("When did the sister of Ada Morrow die?", "Ada Morrow", "death", "date", None, (MORROW,)),
    Row("When was Aldport founded?", "Aldport", "founding", "date", None,
        ("Aldport | Aldport is a town on the river Vale. The grammar school was founded in 1611.",)),
    Row("When was Aldport founded?", "Aldport", "founding", "date", None,
        ("Aldport | Aldport is a town, and the college in Aldport was founded in 1888.",)),
    Row("How tall is the Grey Spires?", "Grey Spires", "height", "quantity", None, (TALL,)),
    Row("When was Adam Morrow born?", "Adam Morrow", "birth", "date", None, (MORROW,)),
    Row("When was Julius Vane founded?", "Julius Vane", "founding", "date", None,
        ("Julius Vane Magazine | Julius Vane Magazine is a monthly. It was founded in 1931.",)),
    Row("When was Julius Vane born?", "Julius Vane", "birth", "date", None,
        ("Julius Vane (film) | Julius Vane is a 1953 film. It was born of a stage play in 1950.",)),
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", None,
        ("Tom Reed (cricketer) | Tom Reed (born 3 May 1950) is a cricketer.", "Tom Reed (painter) | Tom Reed (1871–1930) was a painter.")),
    Row("When was Ann Oakes born?", "Ann Oakes", "birth", "date", None, (PEOPLE,)),
    Row("When was Superb released?", "Superb", "release", "date", None,
        ("Superb (It's Fine) | \"Superb (It's Fine)\" is a song. It was released in April 2001.",)),
    Row("When was Low Water released?", "Low Water", "release", "date", None,
        ("Low Water | Low Water is a film. It was released on 3 May 2001 in Norwick and on 4 June 2002 in Vale.",)),
    Row("Where was Orla Finch born?", "Orla Finch", "birth", "place", None,
        ("Orla Finch | Orla Finch is a potter. She was born on 4 March 1950 in Tarn, Norwick, and lives in Vale.",)),
    Row("Who wrote The Salt Road?", "The Salt Road", "author", "person", None,
        ("The Salt Road (novel) | The Salt Road is a 1967 novel written by Ines Calder and published by Finch Press.",)),
    Row("Who directed Low Water?", "Low Water", "director", "person", None,
        ("Low Water | Low Water is a 2001 drama film written and directed by Per Holm and Ane Lie.",)),
    Row("《夜航》的作者是谁？", "夜航", "author", "person", None, ("夜航 | 《夜航》是一部长篇小说。它的作者是沈一舟。",)),
    Row("Who wrote Low Water?", "Low Water", "author", "person", None,
        ("Low Water | Low Water is a film based on a novel written by Ines Calder.",)),
    Row("Who designed Oldbridge?", "Oldbridge", "architect", "person", None, ("Oldbridge | Oldbridge was designed by a Welsh firm in 1870.",)),
    Row("When was the river that flows through Tarn bridged, in which year built?", "Tarn", "construction", "date", None,
        ("Tarn | Tarn was built in 1204.",)),
    Row("When was the west wing of Tarn Castle built?", "Tarn Castle", "construction", "date", None, ("Tarn Castle | Tarn Castle was built in 1204.",)),
    Row("How tall is Grey Spire?", "Grey Spire", "height", "quantity", None, ("Grey Spire | The Grey Spire stands near a 90-metre tall chimney.",)),
    Row("How deep is Lake Tarn?", "Lake Tarn", "depth", "quantity", None, ("Lake Tarn | Lake Tarn is 12 km long.",)),
    Row("How tall is Mount Tarn?", "Mount Tarn", "height", "quantity", None, ("Mount Tarn | Mount Tarn is between 1,200 and 1,300 m high.",)),
    Row("When was Ada Crane born?", "Ada Crane", "birth", "date", None, ("Ada Crane | Ada Crane was a nun. She was probably born in 1402.",)),
    Row("When will Newbridge open?", "Newbridge", "opening", "date", None, ("Newbridge | Newbridge is planned to be opened in 2031.",)),
    Row("When was Otto Lind born?", "Otto Lind", "birth", "date", None,
        ("Otto Lind | Otto Lind was a king. He married Berta, who was born in 1820 and died in 1890.",)),
    Row("When did Otto Lind die?", "Otto Lind", "death", "date", None,
        ("Otto Lind | Otto Lind was a king. He was succeeded by his son Karl. He died in 1890.",)),
    Row("Who is the author of The Salt Road?", "Salt Road", "author", "person", None, ("Ines Calder | Ines Calder was a novelist from Tarn.",)),
    Row("When was the mayor of Aldport born?", "mayor of Aldport", "birth", "date", None, (VALE,)),
    Row("When did Mr Grey die?", "Grey", "death", "date", None, ("Lady Grey | Lady Grey died in 1850 in Tarn.",)),
    Row("陆知明是哪年去世的？", "陆知明", "death", "date", None, (LU,)),
    Row("陆知远的弟弟是哪年出生的？", "陆知远", "birth", "date", None, (LU,)),
    Row("青石大桥有多高？", "青石大桥", "height", "quantity", None, (BRIDGE_ZH,)),
    Row("青石是什么时候建成的？", "青石", "construction", "date", None, (BRIDGE_ZH,)),
    Row("云洛市什么时候成立？", "云洛市", "founding", "date", None, ("云洛市 | 云洛市位于南方。云洛大学创办于1911年。",)),
    Row("苏远是哪年出生的？", "苏远", "birth", "date", None, ("苏远 | 苏远娶许静，许静是教师，1925年出生。",)),
    Row("苏远是哪年出生的？", "苏远", "birth", "date", None, ("苏远 | 苏远据说生于1921年。",)),
    Row("云洛大学哪年成立？", "云洛大学", "founding", "date", None, ("云洛大学 | 云洛大学于1961年举行成立五十周年庆典。",)),
    Row("中原市的人口是多少？", "中原市", "population", "number", None, ("中原市 | 2020年中原市总人口为14.",)),
    Row("谁写了《夜航》？", "夜航", "author", "person", None, ("夜航船 | 《夜航船》的作者是沈一舟。",)),
]  # fmt: skip


@pytest.mark.parametrize("row", ASSERTED, ids=lambda row: f"{row.subject}-{row.relation}-{row.value}")
def test_a_value_in_one_clause_about_the_subject_is_asserted(row: Row) -> None:
    found = read(row)
    assert found is not None
    assert found.value == row.value
    cited = {one.id: one.text for one in passages(row.documents)}
    assert all(quote.text in cited[quote.evidence_id] for quote in found.quotes)


@pytest.mark.parametrize("row", SILENT, ids=lambda row: f"{row.subject}-{row.relation}-{row.documents[0][:24]}")
def test_anything_else_is_left_unsaid(row: Row) -> None:
    assert read(row) is None


CLAUSES = [json.loads(line) for line in (DATA / "clauses.jsonl").read_text(encoding="utf-8").splitlines()]
"""Questions with a title, a text and the value that one clause of it gives; null where it gives none."""


@pytest.mark.parametrize("row", CLAUSES, ids=lambda row: f"{row['question']}-{row['text'][:40]}")
def test_a_clause_gives_the_value_that_a_question_asks_for_or_none(row: dict[str, str]) -> None:
    frame = parse_question(row["question"], detect_language(row["question"]))
    document = Evidence(id=passage_id(row["text"]), text=row["text"], source="doc.md", title=row["title"])
    found = extract_value(frame, VALUE_TYPES.get(frame.answer_type, "text"), [document])
    assert (found and str(found.value).removesuffix(".0")) == row["value"]


RIVALS = [
    Row("When was Tom Reed born?", "Tom Reed", "birth", "date", "1971-06-04",
        ("Tom Reed | Tom Reed (born 3 May 1950) is a cricketer.", "Tom Reed | Tom Reed (born 4 June 1971) is a cricketer.")),
    Row("How long is Old Bridge?", "Old Bridge", "length", "quantity", 290,
        ("Old Bridge | Old Bridge is 210 m long.", "A guide | Old Bridge is 290 m long.")),
    Row("云洛市的人口是多少？", "云洛市", "population", "number", 3400000,
        ("云洛市 | 云洛市位于南方，人口约为320万。", "云洛市概况 | 云洛市现有人口340万人。")),
]  # fmt: skip


@pytest.mark.parametrize("row", RIVALS, ids=lambda row: f"{row.subject}-{row.relation}")
def test_documents_that_differ_are_told_as_rivals(row: Row) -> None:
    found = read(row)
    assert found is not None
    assert found.value != row.value
    (rival,) = found.rivals
    assert rival.value == row.value
    assert [quote.text for quote in rival.quotes] == [row.documents[1].partition(" | ")[2]]


def test_a_document_that_differs_from_itself_is_told_by_none() -> None:
    row = Row("How long is Old Bridge?", "Old Bridge", "length", "quantity", None,
        ("Old Bridge | Old Bridge is 210 m long. Old Bridge is 250 m long.",))  # fmt: skip
    assert read(row) is None


def test_the_name_of_its_site_is_no_part_of_a_title() -> None:
    assert page_name("Vale – Town Almanac", "https://www.townalmanac.test/vale.html") == "Vale"
    assert page_name("Vale – Town Almanac", "https://vale.test/almanac") == "Vale – Town Almanac"
    assert page_name("Vale – Town Almanac", "notes/vale.md") == "Vale – Town Almanac"


def test_a_value_that_two_documents_give_has_both() -> None:
    row = Row(
        "When was Ada Morrow born?",
        "Ada Morrow",
        "birth",
        "date",
        None,
        (MORROW, "Notes | Ada Morrow was born in 1901."),
    )
    found = read(row)
    assert found is not None
    assert (found.value, len(found.evidence_ids)) == ("1901-05-03", 2)


def test_a_frame_without_subject_or_relation_reads_nothing() -> None:
    frame = QueryFrame(question="When?", language="en", relation="birth", answer_type="date")
    assert extract_value(frame, "date", passages((MORROW,))) is None
    assert (
        extract_value(
            frame.model_copy(update={"subjects": ("Ada Morrow",), "relation": ""}), "date", passages((MORROW,))
        )
        is None
    )
    assert extract_value(frame.model_copy(update={"subjects": ("Ada Morrow",)}), "boolean", passages((MORROW,))) is None
