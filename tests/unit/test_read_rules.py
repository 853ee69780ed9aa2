"""The rule reader: what it reads, whom it does not mistake for whom, and when it says nothing."""

import time
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.rules.read import Reading, read
from nodes.rules.reading.asked import analyse
from nodes.rules.reading.nearest import nearest
from nodes.rules.reading.places import find_countries, is_country
from nodes.rules.reading.relations import RELATIONS, Kind
from nodes.rules.reading.requests import converted, question_of, unit_wanted
from nodes.rules.words import coverage, stem, terms
from state import VALUE_TYPES, Evidence, ValueType, passage_id
from text.language import detect_language


def page(title: str, text: str, source: str = "") -> Evidence:
    return Evidence(id=passage_id(text), text=text, source=source or f"{title}.md", title=title)


LENA = page(
    "Lena Harrow",
    "Lena Harrow (4 March 1871 – 9 May 1940) was a Danish engineer and the author of The Long Tide. She was born in "
    "Odense, Denmark. She was a daughter of Poul Harrow and Grete Lund. She studied at the University of Copenhagen. "
    "In 1902 she married Otto Brandt, who was born in 1868 in Kiel. Her pupil, Ida Holm, was born in 1890.",
)
TOWER = page(
    "Cinder Tower",
    "The Cinder Tower is a lattice tower in Aldport. It is 212 metres (696 ft) tall and has 1,204 steps. It was designed "
    "by the architect Marta Quill and completed in 1931. Construction began in 1926. It was opened on 3 June 1932. "
    "The tower stands on the River Wend, which is 310 kilometres long. It was not painted in 1950.",
)
NOVEL = page(
    "The Long Tide",
    "The Long Tide is a novel by Lena Harrow, published in 1899. A film adaptation directed by Sven Aker was released "
    "in 1934. The book sold 40,000 copies because its story was first printed in a newspaper.",
)
COUNTRY = page(
    "Arvania",
    "Arvania is a country in Europe. Its capital and largest city is Aldport. It has a population of about 3.2 million. "
    "Four towns stand on the Wend: Aldport, Brenn, Cole and Dunmar.",
)
ELDER = page("Cato the Elder", "Cato the Elder was born in 234 BC. He died in 149 BC.")
YOUNGER = page("Cato the Younger", "Cato the Younger was born in 95 BC in Rome. He died in 46 BC at Utica.")
EN = [LENA, TOWER, NOVEL, COUNTRY, ELDER, YOUNGER]

ZH_POET = page(
    "林岚",
    "林岚（1881年9月25日－1936年10月19日），原名林树，是中国诗人。他出生于浙江宁波，1904年毕业于东山大学。"
    "林岚的父亲林远山生于1850年，弟弟林白生于1885年。他著有《潮声》《夜航》和《晚灯》。",
)
ZH_NOVEL = page("夜航", "《夜航》是林岚创作的长篇小说，1918年5月发表在《新声》杂志上。全书共42章。")
ZH_RIVER = page(
    "清河", "清河是东州最长的河流，全长约630公里，流域面积约18万平方公里。它流经江城、南浦和北湾，最后注入东海。"
)
ZH_EMPEROR = page(
    "景宣帝",
    "景宣帝刘衡是皇帝，公元前156年出生于长安，公元前87年去世。他派张远出使西域，张远生于公元前164年。"
    "景宣帝的父亲是景文帝，母亲是王娡。",
)
ZH = [ZH_POET, ZH_NOVEL, ZH_RIVER, ZH_EMPEROR]


def answer(question: str, ret: ValueType = "text", passages: list[Evidence] | None = None) -> Reading:
    language = detect_language(question)
    given = passages or (ZH if language == "zh" else EN)
    reading = read(question, ret, given, language)
    texts = {p.id: p.text for p in given}
    assert all(quote.text in texts[quote.evidence_id] for quote in reading.quotes)
    assert set(reading.evidence_ids) <= set(texts)
    assert 0 <= reading.confidence <= 1
    assert (reading.value is None) == bool(reading.missing)
    return reading


@pytest.mark.parametrize(
    ("question", "ret", "value"),
    [
        ("When was Lena Harrow born?", "date", "1871-03-04"),
        ("birth year of Lena Harrow", "date", "1871-03-04"),
        ("When did Lena Harrow die?", "date", "1940-05-09"),
        ("when was lena harrow born", "date", "1871-03-04"),
        ("When was Otto Brandt born?", "date", "1868"),
        ("When was Ida Holm born?", "date", "1890"),
        ("When was Cato the Younger born?", "date", "-95"),
        ("When was Cato the Elder born?", "date", "-234"),
        ("When did Cato the Elder die?", "date", "-149"),
        ("Where did Cato the Younger die?", "text", "Utica"),
        ("In which country was Lena Harrow born?", "text", "Denmark"),
        ("Where was Otto Brandt born?", "text", "Kiel"),
        ("Who was the father of Lena Harrow?", "text", "Poul Harrow"),
        ("Who was the mother of Lena Harrow?", "text", "Grete Lund"),
        ("Which university did Lena Harrow study at?", "text", "University of Copenhagen"),
        ("Who wrote The Long Tide?", "text", "Lena Harrow"),
        ("Who is the author of The Long Tide?", "text", "Lena Harrow"),
        ("When was The Long Tide published?", "date", "1899"),
        ("How tall is the Cinder Tower?", "number", 212),
        ("Find the height of the Cinder Tower in metres", "number", 212),
        ("How tall is the Cinder Tower in feet?", "number", 696),
        ("How many steps does the Cinder Tower have?", "number", 1204),
        ("Who was the architect of the Cinder Tower?", "text", "Marta Quill"),
        ("When was the Cinder Tower completed?", "date", "1931"),
        ("When was the Cinder Tower opened?", "date", "1932-06-03"),
        ("On which river does the Cinder Tower stand?", "text", "River Wend"),
        ("What is the capital of Arvania?", "text", "Aldport"),
        ("What is the population of Arvania?", "number", 3_200_000),
        ("Which four towns stand on the Wend?", "list[text]", ["Aldport", "Brenn", "Cole", "Dunmar"]),
        ("Was Lena Harrow born in Odense?", "boolean", True),
        ("Was Lena Harrow born in Kiel?", "boolean", False),
        ("Was Cato the Elder born in 234 BC?", "boolean", True),
        ("林岚是哪一年出生的？", "date", "1881-09-25"),
        ("林岚哪年去世", "date", "1936-10-19"),
        ("林岚的父亲是谁？", "text", "林远山"),
        ("林岚的弟弟是谁？", "text", "林白"),
        ("林岚出生在哪里？", "text", "浙江宁波"),
        ("林岚毕业于哪所大学？", "text", "东山大学"),
        ("林白是哪一年出生的？", "date", "1885"),
        ("《夜航》的作者是谁？", "text", "林岚"),
        ("《夜航》是什么时候发表的？", "date", "1918-05"),
        ("清河全长多少公里", "number", 630),
        ("清河有多长？", "number", 630),
        ("清河注入哪里？", "text", "东海"),
        ("景宣帝是哪一年出生的？", "date", "-156"),
        ("景宣帝哪一年去世？", "date", "-87"),
        ("张远生于哪一年？", "date", "-164"),
        ("景宣帝的母亲是谁？", "text", "王娡"),
        ("林岚写了哪些作品？", "list[text]", ["潮声", "夜航", "晚灯"]),
        ("清河流经哪些城市？", "list[text]", ["江城", "南浦", "北湾"]),
        ("林岚是中国诗人吗？", "boolean", True),
    ],
)
def test_reads(question: str, ret: ValueType, value: object) -> None:
    reading = answer(question, ret)
    assert reading.value == value
    assert reading.quotes


@pytest.mark.parametrize(
    ("question", "ret"),
    [
        ("What was Lena Harrow's shoe size?", "number"),
        ("Who was Lena Harrow's lawyer?", "text"),
        ("Who directed the Cinder Tower?", "text"),
        ("How wide is the Cinder Tower?", "number"),
        ("How many windows does the Cinder Tower have?", "number"),
        ("When was the Golden Gate Bridge opened?", "date"),
        ("Who was the wife of Poul Harrow?", "text"),
        ("When was Sven Aker born?", "date"),
        ("When was the Cinder Tower painted?", "date"),
        ("What is the currency of Arvania?", "text"),
        ("Why did Lena Harrow leave Denmark?", "text"),
        ("Was Sven Aker born in Kiel?", "boolean"),
        ("林岚的身高是多少？", "number"),
        ("林岚的妻子是谁？", "text"),
        ("清河有多宽？", "number"),
        ("《夜航》的译者是谁？", "text"),
        ("王羲之是哪一年出生的？", "date"),
        ("东山大学有多少个食堂", "number"),
        ("林远山是哪一年去世的？", "date"),
    ],
)
def test_says_nothing_rather_than_invent(question: str, ret: ValueType) -> None:
    reading = answer(question, ret)
    assert reading.value is None
    assert reading.missing


def test_the_namesakes_page_alone_does_not_answer() -> None:
    assert answer("When was Cato the Elder born?", "date", [YOUNGER]).value is None


def test_detail_tells_unit_and_approximation() -> None:
    assert answer("How tall is the Cinder Tower?", "number").detail["unit"] == "m"
    assert answer("清河有多长？", "number").detail == {"unit": "km", "approximate": True, "shown": "630公里"}
    vague = page("Ola Brede", "Ola Brede was born around 1715 in Aldport.")
    assert answer("When was Ola Brede born?", "date", [vague]).detail["approximate"] is True


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("In which year was Lena Harrow born?", 1871),
        ("birth year of Lena Harrow", 1871),
        ("Find the birth year of Lena Harrow", 1871),
        ("Lena Harrow's year of birth", 1871),
        ("When was Cato the Elder born?", -234),
        ("the year the Cinder Tower was completed", 1931),
        ("林岚的出生年份", 1881),
        ("查找林岚的生年", 1881),
        ("林岚的卒年", 1936),
        ("景宣帝是哪一年出生的", -156),
        ("《夜航》的发表年份", 1918),
    ],
)
def test_a_year_asked_for_as_a_number_is_read_from_a_date(question: str, value: int) -> None:
    assert answer(question, "number").value == value


def test_a_count_is_not_taken_for_a_year() -> None:
    calendar = page("Calendar", "The calendar of Lena Harrow had a year of 365 days. Lena Harrow built 12 towers.")
    assert answer("In which year was Lena Harrow born?", "number", [calendar]).value is None
    assert answer("How many towers did Lena Harrow build?", "number", [calendar]).value == 12


@pytest.mark.parametrize(
    ("request_", "ret", "value"),
    [
        ("Find the author of The Long Tide", "text", "Lena Harrow"),
        ("Identify the capital of Arvania", "text", "Aldport"),
        ("Determine when the Cinder Tower was completed", "date", "1931"),
        ("Find out who designed the Cinder Tower", "text", "Marta Quill"),
        ("Look up Lena Harrow's father", "text", "Poul Harrow"),
        ("Search for the date of birth of Lena Harrow", "date", "1871-03-04"),
        ("Extract the birth date of Lena Harrow", "date", "1871-03-04"),
        ("Height of the Cinder Tower (in metres)", "number", 212),
        ("Height of the Cinder Tower (ft)", "number", 696),
        ("Get the height of the Cinder Tower in km", "number", 0.212),
        ("Obtain the length of the River Wend in metres", "number", 310_000),
        ("Retrieve the length of the River Wend in miles", "number", 192.6),
        ("确定《夜航》的作者", "text", "林岚"),
        ("查询清河的长度", "number", 630),
        ("获取清河的长度（米）", "number", 630_000),
        ("清河的长度（单位：公里）", "number", 630),
        ("请查找林岚的出生日期", "date", "1881-09-25"),
        ("列出林岚的作品", "list[text]", ["潮声", "夜航", "晚灯"]),
    ],
)
def test_requests_are_read_as_the_questions_they_stand_for(request_: str, ret: ValueType, value: object) -> None:
    assert answer(request_, ret).value == value


def test_the_unit_of_a_converted_figure_is_the_one_asked_for() -> None:
    detail = answer("Length of the River Wend (in metres)", "number").detail
    assert detail == {"unit": "m", "shown": "310 kilometres"}


@pytest.mark.parametrize(
    ("request_", "question"),
    [
        ("Find the author of Emma", "the author of Emma"),
        ("Please find out when Emma was published", "when Emma was published"),
        ("List all novels by Jane Austen", "all novels by Jane Austen"),
        ("Get Jane Austen's birthplace", "Jane Austen's birthplace"),
        ("Height of Mount Kenya", "height of Mount Kenya"),
        ("请帮我查找鲁迅的生年", "鲁迅的生年"),
        ("Get Out release date", "Get Out release date"),
        ("Name of the river", "name of the river"),
        ("List of rivers", "List of rivers"),
        ("Search engines by market share", "Search engines by market share"),
        ("Tell me about the Nile", "Tell me about the Nile"),
        ("提取公积金需要什么材料", "提取公积金需要什么材料"),
        ("搜索引擎是什么", "搜索引擎是什么"),
    ],
)
def test_only_orders_are_stripped(request_: str, question: str) -> None:
    assert question_of(request_) == question


@pytest.mark.parametrize(
    ("text", "unit", "rest"),
    [
        ("height of X (in metres)", "m", "height of X"),
        ("length of X in square kilometres?", "km²", "length of X?"),
        ("X的高度（以米为单位）", "m", "X的高度"),
        ("X的面积，单位：平方公里", "km²", "X的面积"),
        ("How many feet tall is X?", "ft", "How many feet tall is X?"),
        ("population of X (in 2020)", "", "population of X (in 2020)"),
        ("Who was born in Rome?", "", "Who was born in Rome?"),
        ("age of X in years", "", "age of X in years"),
    ],
)
def test_units_wanted(text: str, unit: str, rest: str) -> None:
    assert unit_wanted(text) == (unit, rest)


def test_conversions_claim_no_more_digits_than_they_have() -> None:
    assert converted(1047, "km", "m") == 1_047_000
    assert converted(8848.86, "m", "km") == 8.84886
    assert converted(1047, "km", "mi") == 650.6
    assert converted(5, "km", "kg") is None
    assert converted(0, "km", "ft") == 0


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is Arvania?", "Arvania is a country in Europe. Its capital and largest city is Aldport."),
        ("Who was Lena Harrow?", LENA.text[: LENA.text.index(" She was born")]),
        ("Tell me about Arvania", "Arvania is a country in Europe. Its capital and largest city is Aldport."),
        ("Describe the Cinder Tower", TOWER.text[: TOWER.text.index(" It was designed")]),
        ("清河是什么？", ZH_RIVER.text[: ZH_RIVER.text.index("它流经")]),
        ("林岚是谁？", ZH_POET.text[: ZH_POET.text.index("他出生")]),
        ("什么是《夜航》？", ZH_NOVEL.text.removesuffix("全书共42章。")),
        ("介绍一下清河", ZH_RIVER.text),
    ],
)
def test_definitions_are_the_opening_words_of_the_page(question: str, value: str) -> None:
    assert answer(question).value == value


def test_a_later_part_of_a_page_does_not_define() -> None:
    later = page("Lena Harrow", "In 1902 the town gave Lena Harrow its medal, which is now lost. She kept a dog.")
    first = page("Lena Harrow", f"# Lena Harrow\n\n{LENA.text}")
    assert str(answer("Who was Lena Harrow?", "text", [later, first]).value).startswith("Lena Harrow (4 March")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("谁发现了云矿？", "陶然"),
        ("云矿由谁发现？", "陶然"),
        ("云矿是谁发现的？", "陶然"),
        ("云矿的发现者是谁？", "陶然"),
        ("陶然发现了什么？", "云矿"),
        ("谁发明了风车仪？", "梁启明"),
        ("梁启明发明了什么？", "风车仪"),
        ("谁下令修建了月宫？", "明成祖朱棣"),
        ("月宫由谁建造？", "明成祖朱棣"),
        ("谁主持修建了长堤？", "苏启"),
    ],
)
def test_makers_in_both_word_orders(question: str, value: str) -> None:
    pages = [
        page("陶然", "陶然是中国药学家，云矿的发现者。她于1930年出生在宁波。"),
        page("梁启明", "梁启明是工匠。公元132年，他发明了风车仪，这是最早的仪器。"),
        page("月宫", "月宫由明成祖朱棣下令建造，1406年开始兴建。"),
        page("长堤", "长堤位于东州，由苏启主持修建，1090年完工。"),
    ]
    assert answer(question, "text", pages).value == value


def test_figures_as_text_keep_the_words_of_the_passage() -> None:
    assert answer("How tall is the Cinder Tower?").value == "212 metres"
    assert answer("清河有多长？").value == "630公里"
    news = page("", "据报道，春运火车票于1月3日开售，比去年早两天。")
    assert answer("春运火车票什么时候开售？", "text", [news]).value == "1月3日"


def test_open_questions_get_sentences() -> None:
    assert answer("What is The Long Tide?").value == NOVEL.text[: NOVEL.text.index(" The book")]
    why = answer("Why did The Long Tide sell 40,000 copies?")
    assert "because its story" in str(why.value)


def test_passages_are_those_with_half_the_words() -> None:
    reading = answer("height of the Cinder Tower in Aldport", "passages")
    assert reading.value == [TOWER.text]
    assert reading.evidence_ids == (TOWER.id,)


def test_a_pronoun_under_a_title_is_its_subject() -> None:
    work = page("Marta Quill", "Marta Quill was an architect. In 1931 she discovered the Brenn fossil.")
    assert answer("Who discovered the Brenn fossil?", "text", [work]).value == "Marta Quill"


@pytest.mark.parametrize(
    ("question", "subject", "relation", "kind"),
    [
        ("Who wrote The Old Man and the Sea?", "The Old Man and the Sea", "author", "person"),
        ("In which country was Albert Einstein born?", "Albert Einstein", "birth", "country"),
        ("what is the capital of germany", "germany", "capital", "city"),
        ("How tall is the Eiffel Tower?", "Eiffel Tower", "height", "number"),
        ("凯撒是哪一年出生的?", "凯撒", "birth", "date"),
        ("《红楼梦》的作者是谁?", "红楼梦", "author", "person"),
        ("长江全长多少公里?", "长江", "length", "number"),
        ("Bubye River >> country", "Bubye River", "country", "country"),
    ],
)
def test_questions_are_taken_apart(question: str, subject: str, relation: str, kind: str) -> None:
    asked = analyse(question, "text")
    assert asked.subjects[0].removeprefix("the ") == subject
    assert asked.relation is not None
    assert asked.relation.name == relation
    assert asked.kind == kind


def test_the_table_is_sound() -> None:
    assert len({relation.name for relation in RELATIONS}) == len(RELATIONS)
    for relation in RELATIONS:
        assert relation.kind in get_args(Kind)
        assert relation.life in {None, 0, 1}


def test_words() -> None:
    assert stem("wrote") == stem("written") == stem("writes") == stem("writer")
    assert stem("stopped") == stem("stop")
    assert stem("cities") == stem("city")
    assert terms("The rivers of 红楼梦") == ["river", "红楼", "楼梦"]
    assert coverage(["a1", "b"], ["b"]) == 0.5
    assert coverage([], []) == 1


def test_countries() -> None:
    text = "Aracataca, Colombia; New Mexico; 中国和印度尼西亚"
    assert [text[a:b] for a, b in find_countries(text)] == ["Colombia", "中国", "印度尼西亚"]
    assert is_country("the Netherlands")
    assert not is_country("Aracataca")


pieces = st.sampled_from(
    [
        "Lena Harrow",
        "who",
        "when",
        "born",
        " in ",
        "1871",
        ", ",
        "。",
        "的",
        "作者",
        "是",
        "《",
        "》",
        "谁",
        "(",
        ")",
        "–",
        "\n",
        "# ",
    ]
)
texts = st.lists(pieces | st.text(max_size=6), max_size=25).map("".join)


@settings(max_examples=120, deadline=None)
@given(texts, st.sampled_from(VALUE_TYPES), st.lists(st.tuples(texts, texts), max_size=3))
def test_any_question_over_any_passages(question: str, ret: ValueType, pages: list[tuple[str, str]]) -> None:
    given_ = [page(title, text) for title, text in pages]
    reading = read(question, ret, given_, "en")
    bodies = {p.id: p.text for p in given_}
    assert all(quote.text in bodies[quote.evidence_id] for quote in reading.quotes)
    assert reading.value is not None or reading.missing


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["Ada Kern", "Jonas Vik", "Mira Dahl"]), st.integers(1200, 1990), st.integers(20, 90))
def test_lives_in_many_forms(name: str, born: int, age: int) -> None:
    died = born + age
    forms = [
        f"{name} ({born}–{died}) was a painter.",
        f"{name} was a painter. She was born in {born} and died in {died}.",
        f"{name}, born in {born}, was a painter. She died in Rome in {died}.",
    ]
    for text in forms:
        passages = [page(name, text)]
        assert read(f"When was {name} born?", "date", passages, "en").value == str(born)
        assert read(f"When did {name} die?", "date", passages, "en").value == str(died)
    chinese = [page("林岚", f"林岚生于{born}年，卒于{died}年，是画家。")]
    assert read("林岚是哪一年出生的？", "date", chinese, "zh").value == str(born)
    assert read("林岚哪一年去世？", "date", chinese, "zh").value == str(died)


@pytest.mark.parametrize(
    "text",
    [
        LENA.text * 280,
        "林岚生于1881年，" * 9_000,
        "a" * 100_000,
        "( " * 50_000,
        "Lena Harrow, " * 7_700,
        "the of and by " * 7_000,
        "《》的是由" * 20_000,
        "1871 – " * 14_000,
    ],
    ids=["prose", "chinese", "word", "brackets", "names", "small words", "marks", "years"],
)
def test_a_hundred_kilobytes_are_read_in_time(text: str) -> None:
    began = time.perf_counter()
    for question, ret in (("When was Lena Harrow born?", "date"), ("林岚的父亲是谁？", "text")):
        read(question, ret, [page("Lena Harrow", text)], "en")  # type: ignore[arg-type]
    assert time.perf_counter() - began < 12


LEAVE = page(
    "Leave policy",
    "# Leave policy\n\nFull-time employees receive 25 days of paid vacation per year. Up to 5 unused days may be carried over "
    "to the next year; they expire on 31 March. Overtime is approved by the team lead. Unpaid leave was not introduced "
    "in 2019.\n\n## Contact\n\n- Office hours: 9 a.m. to 5 p.m.\n\n| Grade | Days of notice |\n| --- | --- |\n"
    "| Junior | 14 |\n| Senior | 60 |\n",
)
INCIDENT = page(
    "Incident INC-7", "INC-7 took the shop down for 47 minutes; the root cause was an expired TLS certificate."
)
MANUAL = page(
    "净水器说明书",
    "# 净水器说明书\n\n保修期：两年\n\n滤芯每6个月更换一次。加班申请由部门经理审批。现有员工约850人。满一年享有10天带薪年假。",
)
ORDINARY = [LEAVE, INCIDENT, MANUAL]


@pytest.mark.parametrize(
    ("question", "ret", "value"),
    [
        ("How many vacation days do full-time employees get?", "number", 25),
        ("How many days can be carried over?", "number", 5),
        ("When does carried over vacation expire?", "text", "31 March"),
        ("Who approves overtime?", "text", "team lead"),
        ("What are the office hours?", "text", "9 a.m. to 5 p.m."),
        ("How many days of notice does a senior give?", "number", 60),
        ("What was the root cause of INC-7?", "text", "an expired TLS certificate"),
        ("保修期是多久？", "text", "两年"),
        ("加班申请由谁审批？", "text", "部门经理"),
        ("有多少员工？", "number", 850),
        ("年假有几天？", "number", 10),
    ],
)
def test_ordinary_documents_are_read_by_their_words(question: str, ret: ValueType, value: object) -> None:
    assert read(question, ret, ORDINARY, detect_language(question)).value == value


@pytest.mark.parametrize(
    ("question", "ret"),
    [
        ("How many vacation days do part-time interns of Brook Estates get?", "number"),
        ("When was unpaid leave introduced?", "date"),
        ("How many more days does a senior get than a junior?", "number"),
        ("What was the root cause of INC-8?", "text"),
        ("How many days of notice does a director give?", "number"),
        ("婚假有几天？", "number"),
        ("2023年有多少员工？", "number"),
    ],
)
def test_what_ordinary_documents_do_not_say_is_not_read(question: str, ret: ValueType) -> None:
    assert read(question, ret, ORDINARY, detect_language(question)).value is None


def test_the_nearest_sentence_is_quoted_verbatim() -> None:
    quote = nearest("How many unused days can a manager carry over?", ORDINARY, "en")
    assert quote is not None
    assert quote.text in LEAVE.text
    assert quote.text.startswith("Up to 5 unused days")


@pytest.mark.parametrize(
    "question", ["What was Julius Caesar's shoe size?", "What is the parental leave in Germany?", "Who caused INC-9?"]
)
def test_without_the_names_of_a_question_nothing_is_near(question: str) -> None:
    assert nearest(question, ORDINARY, "en") is None


@pytest.mark.parametrize(
    "asked",
    ["In which year was Julius Caesar born?", "birth year of Julius Caesar", "What year was Julius Caesar born?"],
)
def test_a_year_asked_for_as_a_number_is_the_year_of_a_date(asked: str) -> None:
    text = "Julius Caesar was born in Rome on 12 July 100 BC. The Julian calendar has a year of 365 days."
    passage = Evidence(id="c", text=text, source="c.md", title="Julius Caesar")
    assert read(asked, "number", [passage], "en").value == -100


BEETHOVEN = page(
    "Ludwig van Beethoven",
    "Ludwig van Beethoven was a German composer. He was baptised in Bonn on 17 December 1770 and is generally thought to "
    "have been born the day before, on 16 December 1770. He died in Vienna on 26 March 1827.",
)
BEETHOVEN_ZH = page(
    "贝多芬", "贝多芬是德国作曲家。他于1770年12月17日受洗，一般认为前一天即12月16日出生。1827年3月26日在维也纳去世。"
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("When was Beethoven born?", "1770-12-16"),
        ("When was Beethoven baptised?", "1770-12-17"),
        ("When did Beethoven die?", "1827-03-26"),
        ("贝多芬什么时候出生？", "1770-12-16"),
        ("贝多芬什么时候受洗？", "1770-12-17"),
        ("贝多芬什么时候去世？", "1827-03-26"),
    ],
)
def test_of_two_dates_the_one_beside_the_relation_is_taken(question: str, value: str) -> None:
    assert answer(question, "date", [BEETHOVEN, BEETHOVEN_ZH]).value == value


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ("Lena married in 1902 and was born in 1871.", "When was Lena born?", "1871"),
        ("Lena married in 1902 and was born in 1871.", "When did Lena marry?", "1902"),
        ("Lena was crowned in 1804 and died in 1821.", "When was Lena born?", None),
        ("Lena was crowned in 1804 and died in 1821.", "When did Lena die?", "1821"),
        ("In 1902, Lena married Otto; she was born on 3 May 1871.", "When was Lena born?", "1871-05-03"),
        ("In 1902, Lena married Otto; she was born on 3 May 1871.", "When did Lena die?", None),
        ("Lena, crowned in 1804, was born in 1769.", "When was Lena born?", "1769"),
        ("Born in Odense, Lena married Otto in 1902.", "When was Lena born?", None),
        ("Lena was born in Odense, in 1902 she married Otto.", "When was Lena born?", None),
        ("Lena, who founded the school in 1901, died in 1940.", "When did Lena die?", "1940"),
        ("Lena published her book in 1899, was born in 1871 and died in 1940.", "When was Lena born?", "1871"),
        (
            "Lena was arrested on 2 May 1931, six years after she was born, on 1 June 1925.",
            "When was Lena born?",
            "1925-06-01",
        ),
        ("林岚1904年结婚，1881年出生于宁波。", "林岚是哪一年出生的？", "1881"),
        ("林岚1904年毕业于东山大学，后来去世。", "林岚是哪一年去世的？", None),
        ("林岚于1904年加冕，1936年去世。", "林岚是哪一年去世的？", "1936"),
    ],
)
def test_a_date_of_another_event_in_the_sentence_is_not_taken(text: str, question: str, value: str | None) -> None:
    assert answer(question, "date", [page("Lena" if "Lena" in text else "林岚", text)]).value == value


def test_a_day_without_a_year_is_of_the_year_before_it() -> None:
    told = page("林岚", "林岚2021年3月5日退休，5月6日去世。")
    assert answer("林岚什么时候去世？", "date", [told]).value == "2021-05-06"
    impossible = page("林岚", "林岚2021年3月5日退休，2月30日去世。")
    assert answer("林岚什么时候去世？", "date", [impossible]).value is None
