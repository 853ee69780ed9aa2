"""The rule reader on articles: whose event a date is, counts of people, rivers and their towns, titles of web pages."""

import pytest

from nodes.agreement import weighed
from nodes.rules.read import Reading, read
from nodes.rules.reading.people_zh import is_person_zh
from nodes.rules.reading.relations import RELATIONS
from nodes.rules.reading.subject import Subject
from state import Evidence, ValueType, passage_id
from text.language import detect_language

BURNED = (
    "A fire in 1661 destroyed most of the houses. "
    "The guildhall that replaced them was finished in 1672, and the school was opened in 1732."
)
BURNED_ZH = "一场大火烧毁了集市周围的房屋。新的会馆于1672年建立，学堂则成立于1732年。"


def on(title: str, text: str, question: str, ret: ValueType = "text", source: str = "") -> Reading:
    page = Evidence(id=passage_id(text), text=text, source=source or "https://a.test/p", title=title)
    return read(question, ret, [page], detect_language(question))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"The town was founded in 1118, when the abbot granted it a market. {BURNED}", "1118"),
        (f"{BURNED} It was established in 1118 as a toll station.", "1118"),
        (f"{BURNED} Aldport was founded by wool merchants in 1118.", "1118"),
        (f"Aldport is a market town. {BURNED} The town dates back to 1118.", "1118"),
        (f"Aldport is a market town. {BURNED}", None),
        (f"For two centuries the town had no wall. {BURNED}", None),
        ("Aldport is a market town. A second mill was opened in 1924.", None),
        ("Aldport is a market town. Its school was established in 1801.", None),
        ("Aldport is a market town. The school was established in 1801.", None),
        ("Aldport is a market town. In 1801 the school of the guild was established.", None),
        ("The settlement was established in 1118.", "1118"),
        ("Aldport is a market town. The name is found in the tax rolls of Aldport from 1540 on.", None),
        ("Aldport is a market town. Work on the walls began early. The town itself was established in 1118.", "1118"),
    ],
)
def test_the_founding_of_something_else_in_a_town_is_not_the_towns(text: str, value: str | None) -> None:
    assert on("Aldport", text, "When was Aldport founded?", "date").value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"云洛市建于1118年。{BURNED_ZH}", "1118"),
        (f"{BURNED_ZH}该市始建于1118年。", "1118"),
        (f"{BURNED_ZH}这座城市于1118年建立。", "1118"),
        (f"关于云洛市早期的历史，文书不多。{BURNED_ZH}", None),
        ("云洛市四面环山。第一所学堂成立于1732年。", None),
    ],
)
def test_the_founding_of_something_else_in_a_chinese_town_is_not_the_towns(text: str, value: str | None) -> None:
    assert on("云洛市", text, "云洛市是什么时候建立的？", "date").value == value


@pytest.mark.parametrize(
    ("title", "text", "question", "value"),
    [
        (
            "Norrland Ceramics",
            (
                "Norrland Ceramics is a family firm. The company was established in 1876, a year of bank failures. "
                "A second works was opened in 1885, and a strike in 1907 lasted eleven weeks."
            ),
            "When was Norrland Ceramics founded?",
            "1876",
        ),
        ("Harrow", "The college was founded in 1850.", "When was Harrow founded?", "1850"),
        ("Saltgate Bridge", "The bridge opened in 1905.", "When was Saltgate Bridge opened?", "1905"),
        (
            "Saltgate Bridge",
            (
                "Saltgate Bridge is a road bridge. Work began in 1900. The bridge was opened in 1905, "
                "and a tram line was opened in 1911."
            ),
            "When was Saltgate Bridge opened?",
            "1905",
        ),
    ],
)
def test_plain_references_are_the_subject(title: str, text: str, question: str, value: str) -> None:
    assert on(title, text, question, "date").value == value


@pytest.mark.parametrize(
    "question",
    [
        "How many employees does Brakton Turbines have?",
        "How many people does Brakton Turbines employ?",
        "How many people work for Brakton Turbines?",
        "What is the number of employees of Brakton Turbines?",
    ],
)
@pytest.mark.parametrize(
    "text", ["Brakton Turbines employs 5,923 people.", "The company has 5,923 employees.", "Its staff numbers 5,923."]
)
def test_staff_is_counted_in_many_words(question: str, text: str) -> None:
    text += " It trains 41 apprentices a year and runs a museum with 389 machines."
    assert on("Brakton Turbines", text, question, "number").value == 5923


@pytest.mark.parametrize("question", ["云洛公司有多少员工？", "云洛公司的员工人数是多少？", "云洛公司有多少名职工？"])
@pytest.mark.parametrize("text", ["云洛公司有5923名员工。", "云洛公司现有员工5923人。"])
def test_chinese_staff_is_counted(question: str, text: str) -> None:
    assert on("云洛公司", f"{text}每年培训41名学徒。", question, "number").value == 5923


def test_people_who_do_something_are_no_population() -> None:
    commute = "About 1,801 people travel to the coast for work every day."
    told = f"The population of Quennock is 76,107, a tenth of it students. {commute}"
    assert on("Quennock", told, "What is the population of Quennock?", "number").value == 76_107
    assert on("Quennock", commute, "What is the population of Quennock?", "number").value is None
    assert (
        on("Quennock", "12,000 people live in Quennock.", "How many people live in Quennock?", "number").value == 12_000
    )


STREAM = (
    "The Ostrel is a river of the uplands. On its way the Ostrel flows through Harnmoor, Morvane and Selbrook. "
    "It flows into the Gulf of Merrow."
)
TOWN = (
    "The baker's guild fixes the weight of the loaf on the last Sunday of August. "
    "The river Quillow flows through Aldport from north to south."
)


@pytest.mark.parametrize(
    ("title", "text", "question", "ret", "value"),
    [
        ("Ostrel", STREAM, "Which towns does the Ostrel flow through?", "text", "Harnmoor, Morvane and Selbrook"),
        (
            "Ostrel",
            STREAM,
            "Which towns does the Ostrel flow through?",
            "list[text]",
            ["Harnmoor", "Morvane", "Selbrook"],
        ),
        ("Ostrel", STREAM, "Where does the Ostrel flow into?", "text", "Gulf of Merrow"),
        ("Ostrel", STREAM, "Into which sea does the Ostrel flow?", "text", "Gulf of Merrow"),
        ("Aldport", TOWN, "Which river flows through Aldport?", "text", "Quillow"),
        ("Aldport", TOWN, "On which river does Aldport lie?", "text", "Quillow"),
        (
            "Aldport",
            "Sundays are quiet on the river. The market is held on the last Sunday of August.",
            "Which river flows through Aldport?",
            "text",
            None,
        ),
        ("鹤门大桥", "鹤门大桥横跨岚江。", "鹤门大桥横跨的河流是哪条河流？", "text", "岚江"),
        ("鹤门大桥", "鹤门大桥横跨岚江。", "鹤门大桥横跨哪条河？", "text", "岚江"),
        ("云洛市", "云洛市位于沐川河河畔，磨坊曾经沿河排开。", "哪条河流经云洛市？", "text", "沐川河"),
        ("云洛市", "云洛市位于沐川河河畔，磨坊曾经沿河排开。", "云洛市位于哪条河畔？", "text", "沐川河"),
        ("云洛市", "沐川河自北向南流经云洛市。", "哪条河流经云洛市？", "text", "沐川河"),
        (
            "沐川河",
            "沐川河发源于哈尔山。沐川河依次流经云洛市、丹陇市、望槎市。",
            "沐川河流经哪些城市？",
            "text",
            "云洛市、丹陇市、望槎市",
        ),
    ],
)
def test_rivers_towns_and_bridges(title: str, text: str, question: str, ret: ValueType, value: object) -> None:
    assert on(title, text, question, ret).value == value


@pytest.mark.parametrize("question", ["《灯火季》的作者是谁？", "谁写了《灯火季》？"])
def test_what_a_book_is_about_did_not_write_it(question: str) -> None:
    about = "《灯火季》一半是喜剧，一半是卷宗，写的是为一口井打的官司。"
    assert on("《灯火季》", about, question).value is None
    assert on("《灯火季》", f"{about}《灯火季》的作者是陆闻笛，最初的版本没有署名。", question).value == "陆闻笛"


def test_titles_of_persons_are_not_words_that_end_alike() -> None:
    assert not any(map(is_person_zh, ("卷宗", "椅子", "影子", "主人公")))
    assert all(map(is_person_zh, ("明成祖朱棣", "宋太祖", "唐高宗", "孔子", "韩非子", "周文王", "清圣祖玄烨")))


@pytest.mark.parametrize(
    "title",
    ["Aldport – Town Almanac", "Aldport | Town Almanac", "Aldport - Wikipedia", "云洛市_百科", "云洛市 - 维基百科"],
)
def test_the_name_of_a_site_is_no_part_of_a_title(title: str) -> None:
    subject = Subject("Aldport" if title.isascii() or "–" in title else "云洛市")
    assert subject.title_match(title) >= 0.9
    assert subject.title_match(f"A weekend in {title}") < subject.title_match(title)


def test_inhabitants_and_a_population_are_counted_in_one_unit() -> None:
    pages = [
        Evidence(id=passage_id(text), text=text, source=source, title="Veldwick")
        for text, source in (
            ("At the last census Veldwick had a population of 60,551.", "https://a.test/v"),
            ("Today the town has 62,861 inhabitants.", "https://b.test/v"),
        )
    ]
    question = "What is the population of Veldwick?"
    for given in (pages, pages[::-1]):
        reading = weighed(read(question, "number", given, "en"), question, "number", given, "en")
        assert {reading.value, *(rival.value for rival in reading.rivals)} == {60_551, 62_861}


def test_bounds_in_the_table_are_not_cut_at_their_comma() -> None:
    mouth = next(relation for relation in RELATIONS if relation.name == "mouth")
    assert mouth.inverse.search("it flows into the sea")
    assert mouth.inverse.search("it flows down the hills into the sea")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Lena Harrow married Otto Brandt, who was born in 1868.", "When was Lena Harrow born?"),
        ("Lena Harrow's son Emil died in 1931.", "When did Lena Harrow die?"),
    ],
)
def test_the_life_of_another_in_the_sentence_is_not_the_subjects(text: str, question: str) -> None:
    assert on("Lena Harrow", text, question, "date").value is None


def test_somebody_of_another_year_is_not_who_was_asked_for() -> None:
    text = (
        "Emperor Wu was the seventh emperor of the Han dynasty. He was born in 156 BC. Emperor Wu was succeeded by his"
        " youngest son, Emperor Zhao, who was born in 94 BC."
    )
    assert on("Emperor Wu of Han", text, "Which emperor was born in 156 BC?").value != "Emperor Zhao"
    assert on("Emperor Wu of Han", text, "Which emperor was born in 94 BC?").value == "Emperor Zhao"
