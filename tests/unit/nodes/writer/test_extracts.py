"""What is shown of a search: which passages, which of their sentences, and whether they speak of the subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.excerpt import WHOLE
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence, passage_id
from weiwo.state.query import QueryFrame
from weiwo.text.language_detection import detect_language
from weiwo.text.terms import terms

DANUBE = (
    "Danube",
    "The Danube is the second-longest river in Europe, after the Volga. It flows through Vienna and Budapest to the Black Sea. The river is 2,850 kilometres long. Its basin is shared by 19 countries.",
)
BUDAPEST = (
    "Széchenyi Chain Bridge",
    "The Széchenyi Chain Bridge spans the Danube in Budapest. It was designed by William Tierney Clark and opened in 1849. At that time its main span of 202 metres was one of the longest in the world.",
)
VISTULA = ("Vistula", "The Vistula is the longest river in Poland. It is 1,047 kilometres long. It passes Warsaw.")
YANGTZE = ("长江", "长江是亚洲第一长河。全长约6300千米，发源于青藏高原。流域面积约180万平方千米，由上海入海。")
YELLOW = ("黄河", "黄河是中国第二长河。全长约5464千米，流经九个省区。它因含沙量大而得名。")
CHAIN = ("塞切尼链桥", "塞切尼链桥横跨布达佩斯的多瑙河，主跨202米。")
BREMEN = ("Bremen", "Bremen is a port on the Weser. Its market square has a statue of Roland.")


def passages(*told):
    return [
        Evidence(id=passage_id(text), text=text, source=f"/{rank}.md", title=title, rank=rank, score=1 / rank)
        for rank, (title, text) in enumerate(told, 1)
    ]


def frame(question, answer_type="text", subjects=()):
    found = tuple(dict.fromkeys(terms(question)))
    language = detect_language(question)
    return QueryFrame(question=question, language=language, terms=found, answer_type=answer_type, subjects=subjects)


def bold(found):
    return [item.text[start:end] for item in found.items for start, end in item.highlights]


ROWS = [
    ("How long is the Danube?", "quantity", (DANUBE, VISTULA, BUDAPEST), "The river is 2,850 kilometres long."),
    ("how long is the danube", "quantity", (VISTULA, DANUBE, BUDAPEST), "The river is 2,850 kilometres long."),
    ("how long is the river dnaube", "quantity", (BUDAPEST, DANUBE, VISTULA), "The river is 2,850 kilometres long."),
    ("ＤＡＮＵＢＥ river longest", "text", (DANUBE, VISTULA, BUDAPEST), DANUBE[1].partition(". ")[0] + "."),
    (
        "Who designed the Szechenyi bridge?",
        "person",
        (BUDAPEST, DANUBE),
        "It was designed by William Tierney Clark and opened in 1849.",
    ),
    (
        "When did the chain bridge open?",
        "date",
        (BUDAPEST, DANUBE),
        "It was designed by William Tierney Clark and opened in 1849.",
    ),
    ("长江全长多少千米？", "quantity", (YANGTZE, YELLOW), "全长约6300千米，发源于青藏高原。"),
    ("長江全長多少", "quantity", (YANGTZE, YELLOW), "全长约6300千米，发源于青藏高原。"),
    ("黄河为什么叫黄河，因何得名", "text", (YANGTZE, YELLOW), "它因含沙量大而得名。"),
]


@pytest.mark.parametrize(("question", "answer_type", "found", "sentence"), ROWS)
def test_the_sentence_that_answers_is_highlighted(question, answer_type, found, sentence):
    chosen = choose_extracts(frame(question, answer_type), passages(*found))
    assert sentence in bold(chosen)
    assert chosen.about_subject


def test_an_extract_leads_to_its_passage():
    found = passages(DANUBE, VISTULA)
    first, second = choose_extracts(frame("How long is the Danube?"), found).items
    assert (first.n, second.n) == (1, 2)
    assert (first.source, first.title, first.evidence_id) == ("/1.md", "Danube", found[0].id)
    assert first.text == DANUBE[1]
    assert 0 <= second.score < first.score <= 1


def test_parts_of_a_question_are_highlighted_in_different_passages():
    chosen = choose_extracts(frame("Is the Danube or the Vistula longer?", "name"), passages(DANUBE, VISTULA, BREMEN))
    assert all(item.highlights for item in chosen.items)


def test_what_is_superseded_comes_last_and_says_so():
    old, new = passages(("Policy", "The daily allowance is 45 euros."), ("Policy", "The daily allowance is 72 euros."))
    found = choose_extracts(frame("daily allowance"), [old.model_copy(update={"superseded_by": "policy-v2.md"}), new])
    assert [(item.title, "72" in item.text) for item in found.items] == [
        ("Policy", True),
        ("Policy (older version; current: policy-v2.md)", False),
    ]


def test_of_a_thing_the_passage_that_introduces_it_comes_first():
    told = ("Danube", "Crossings of the Danube are many. The Danube has 130 bridges.")
    asked = frame("danube", subjects=("danube",)).model_copy(update={"shape": "open"})
    found = choose_extracts(asked, passages(told, DANUBE, BUDAPEST))
    assert [item.text for item in found.items] == [DANUBE[1], told[1], BUDAPEST[1]]


def test_what_shares_no_word_with_a_look_up_is_not_shown_beside_what_does():
    found = choose_extracts(frame("how long is the danube", "quantity"), passages(DANUBE, BREMEN))
    assert [item.title for item in found.items] == ["Danube"]


def test_of_two_dates_that_of_the_relation_asked_for_is_highlighted():
    tower = ("Tower", "It was tallest until 1930, when the tower was passed. The tower was completed on 31 March 1889.")
    asked = frame("when was the tower built", "date").model_copy(update={"relation": "construction"})
    found = choose_extracts(asked, passages(tower), sentences_shown=1)
    assert bold(found) == ["The tower was completed on 31 March 1889."]


def test_of_passages_that_two_searches_put_first_that_which_says_more_comes_first():
    found = passages(BREMEN, DANUBE)
    level = [one.model_copy(update={"rank": 1, "tool": one.title}) for one in found]
    chosen = choose_extracts(frame("how long is the danube near bremen", "quantity"), level)
    assert [item.title for item in chosen.items] == ["Danube", "Bremen"]


def test_of_things_compared_that_which_is_not_shown_yet_comes_before_more_of_the_first():
    more = ("Danube basin", "The Danube is a long river: a long, long river. Danube boats are long.")
    compared = frame("Is the Danube a longer river than the Vistula?", "boolean", ("Danube", "Vistula"))
    compared = compared.model_copy(update={"shape": "comparison"})
    found = choose_extracts(compared, passages(DANUBE, more, VISTULA), passages_shown=2)
    assert {item.title for item in found.items} == {"Danube", "Vistula"}


def test_a_passage_with_words_of_the_question_comes_before_one_that_has_them_in_its_title_alone():
    title, told = (
        "Lease of 7 Birch Lane",
        ("Repairs are for the landlord.", "Pets are allowed.", "Rent is due monthly."),
    )
    ledger = ("Ledger", "7 Birch Lane | Wilk | 1480")
    found = choose_extracts(frame("who lives at 7 birch lane?"), passages(*((title, one) for one in told), ledger))
    assert "Ledger" in {item.title for item in found.items}


def test_a_look_up_keeps_the_order_of_its_search_where_sentences_fit_alike():
    told = [(f"Note {n}", f"The harbour of Tarn is deep, says pilot {n}.") for n in range(6)]
    found = choose_extracts(frame("how deep is the harbour of Tarn"), passages(*told))
    assert [item.title for item in found.items] == ["Note 0", "Note 1", "Note 2"]


def test_a_copy_of_a_shown_passage_is_passed_over():
    copy = (DANUBE[0], DANUBE[1] + " More on page two.")
    chosen = choose_extracts(frame("How long is the Danube?"), passages(DANUBE, copy, VISTULA))
    assert [item.source for item in chosen.items] == ["/1.md", "/3.md"]


def test_a_sentence_that_asks_gives_way_to_one_that_tells():
    told = ("", "黄河全长多少千米？很多人问过。黄河全长约5464千米。")
    assert bold(choose_extracts(frame("黄河全长多少千米"), passages(told), sentences_shown=1)) == [
        "黄河全长约5464千米。"
    ]


FAQ = "**Q: How long does the battery last?**\nA: About 30 months.\n\n**Q: Is it waterproof?**\nA: No."
SECTION = "## **Nobel Prizes**\n\nMarie Curie shared the Nobel Prize in Physics of 1903."
TABLE = "| Product | Delivery time |\n| --- | --- |\n| Gateway | 15 days |\n| Node | 2 days |"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("how long does the battery last", FAQ, "A: About 30 months."),
        ("is it waterproof", FAQ, "A: No."),
        ("which product has a delivery time of 15 days", TABLE, "Gateway | 15 days"),
        ("delivery time product", TABLE, "Gateway | 15 days"),
        ("nobel prizes curie", SECTION, "Marie Curie shared the Nobel Prize in Physics of 1903."),
    ],
)
def test_what_a_question_or_a_header_leads_to_is_highlighted(question, text, answer):
    found = bold(choose_extracts(frame(question), passages(("", text)), sentences_shown=1))
    assert [one.strip(" |") for one in found] == [answer]


ABOUT = [
    ("How tall is Mount Fuji?", ("Mount Fuji",), False),
    ("How long is the Danube?", ("Danube",), True),
    ("how long is the dnaube", ("dnaube",), True),
    ("How long is the Vistual?", ("the Vistual",), True),
    ("How long is the Mississippi?", ("Mississippi",), False),
    ("Which is longer, the Danube or the Mississippi?", ("Danube", "Mississippi"), True),
    ("What is the boiling point of helium?", (), False),
    ("danube length", (), True),
    ("长江有多长？", ("长江",), True),
    ("長江有多長？", ("長江",), True),
    ("富士山有多高？", ("富士山",), False),
    ("氦的沸点是多少？", (), False),
    ("？？？", (), False),
    ("塞切尼练桥有多长？", ("塞切尼练桥",), True),
    ("塞切尼大学有多大？", ("塞切尼大学",), False),
]


@pytest.mark.parametrize(("question", "subjects", "about"), ABOUT)
def test_it_says_whether_any_passage_speaks_of_the_subject(question, subjects, about):
    found = passages(DANUBE, VISTULA, BUDAPEST, YANGTZE, YELLOW, CHAIN, BREMEN)
    assert choose_extracts(frame(question, subjects=subjects), found).about_subject is about


def test_nothing_is_shown_of_nothing():
    chosen = choose_extracts(frame("How long is the Danube?", subjects=("Danube",)), [])
    assert chosen.items == ()
    assert not chosen.about_subject


@pytest.mark.parametrize("text", ["", " \n\t", "。", "…", "x" * 5_000, "|a|b|\n|-|-|\n|1|2|\n", "\ud800", "1\n" * 900])
def test_odd_passages_do_no_harm(text):
    chosen = choose_extracts(frame("How long is the Danube?", "quantity"), passages(("", text), DANUBE))
    assert "The river is 2,850 kilometres long." in bold(chosen)


def test_of_a_long_passage_the_part_around_the_highlights_is_shown():
    filler = "Many ships pass here on most days of the year. " * 30
    told = ("Rivers", f"{filler}The Danube is a river. It is 2,850 kilometres long. {filler}")
    (item,) = choose_extracts(frame("How long is the Danube?", "quantity"), passages(told), sentences_shown=1).items
    assert len(item.text) <= WHOLE + 100
    assert item.text.startswith("… ")
    assert item.text.endswith(" …")
    assert "The Danube is a river. It is 2,850 kilometres long." in item.text


def test_a_sentence_that_leans_on_the_one_before_is_shown_with_it():
    apart = "There is nothing else to be said of it at all. " * 40
    told = ("", f"Clark was an engineer. He designed the bridge. {apart}")
    (item,) = choose_extracts(frame("who designed the bridge"), passages(told), sentences_shown=1).items
    assert item.text.startswith("Clark was an engineer. He designed the bridge.")


WORDS = st.sampled_from(
    [
        "danube",
        "Danube",
        "river",
        "long",
        "2,850",
        "km",
        ".",
        "。",
        "!",
        "？",
        "\n",
        " ",
        "…",
        "长江",
        "全长",
        "It",
        "|",
        "- ",
    ]
)
TEXTS = st.lists(WORDS, max_size=120).map(" ".join) | st.text(max_size=200)


@given(
    st.lists(st.tuples(st.text(max_size=10), TEXTS), max_size=7),
    st.sampled_from(["How long is the Danube?", "长江全长多少", "danube", ""]),
    st.sampled_from(["text", "date", "quantity", "person", "list", "boolean"]),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_highlights_are_within_the_text_apart_and_few(told, question, answer_type, shown, most):
    chosen = choose_extracts(frame(question, answer_type), passages(*told), passages_shown=shown, sentences_shown=most)
    assert len(chosen.items) <= shown
    assert sum(len(item.highlights) for item in chosen.items) <= most
    for item in chosen.items:
        ends = [0, *(bound for span in item.highlights for bound in span), len(item.text)]
        assert ends == sorted(ends)
        assert all(item.text[start:end].strip() for start, end in item.highlights)


MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
STATES = [
    (f"Minutes {n}", f"The board met. As of {month} 2025, {100 + n} robots are deployed at 9 sites.")
    for n, month in enumerate(MONTHS)
]
STATES_ZH = [(f"第{n}次例会", f"截至2025年{n}月，公司共有员工{1000 + n}人。会议讨论了预算。") for n in range(1, 12)]


@pytest.mark.parametrize(
    ("question", "told", "newest", "dates"),
    [
        ("How many robots are deployed today?", STATES, "110 robots", ("2025-11", "2025-10", "2025-09")),
        ("robots deployed currently", STATES, "110 robots", ("2025-11", "2025-10", "2025-09")),
        ("现在有多少员工", STATES_ZH, "1011人", ("2025-11", "2025-10", "2025-09")),
        ("最新的员工有多少", STATES_ZH, "1011人", ("2025-11", "2025-10", "2025-09")),
    ],
)
def test_of_many_that_say_the_same_the_newest_comes_first_and_the_periods_are_named(question, told, newest, dates):
    found = choose_extracts(frame(question, "number"), passages(*told))
    assert newest in found.items[0].text
    assert found.periods[:3] == dates
    assert len(found.periods) == len(told)
    assert found.about_subject


def test_a_question_of_a_month_is_not_led_to_the_newest():
    found = choose_extracts(frame("How many robots were deployed in March 2025?", "number"), passages(*STATES))
    assert found.periods == ()


def test_pairs_of_characters_across_two_words_of_a_chinese_question_leave_no_doubt():
    shiyin = ("拾音 · 安装", "拾音的安装：pip install shiyin。需要Python 3.9以上。")
    other = ("拾音", "拾音把录音转成文字。")
    found = choose_extracts(frame("怎么安装拾音"), passages(shiyin, other))
    assert found.features["covered"] == 1.0
    absent = choose_extracts(frame("怎么卸载拾音"), passages(shiyin, other))
    assert absent.features["covered"] < 0.7


def test_of_several_questions_each_has_its_own_passage():
    asked = parse_question("How long is the Danube, and how tall is the Ulm minster?", "en")
    minster = ("Ulm minster", "The minster of Ulm has a spire of 161 metres.")
    others = [(f"Town {n}", f"The Danube passes town number {n} on its long way.") for n in range(6)]
    found = choose_extracts(asked, passages(DANUBE, *others, minster)).items
    assert any("161 metres" in one.text for one in found[:2])
    assert [one.n for one in found] == list(range(1, len(found) + 1))


TERM = "## 1. Term\n\nThe lease begins on {} and ends on {}. Either party may end it with {} days' notice."


def test_of_documents_made_from_one_form_that_whose_head_names_what_is_asked_about_comes_first():
    leases = [
        ("Ann Lee", "May 1", "June 1", 30),
        ("Tom Roe", "May 2", "June 2", 45),
        ("Ida Holm", "May 3", "June 3", 60),
    ]
    found = []
    for n, (tenant, *term) in enumerate(leases):
        told = [(TERM.format(*term), ("Lease", "1. Term")), (f"**Tenant:** {tenant}\n**Flat:** {n}B", ("Lease",))]
        for text, headings in told:
            place = {"source": f"/{n}.md", "title": "Lease", "headings": headings, "rank": len(found) + 1}
            found.append(Evidence(id=passage_id(f"{n}{text}"), text=text, score=1 / (len(found) + 1), **place))
    shown = choose_extracts(parse_question("How much notice does Ida Holm have to give?", "en"), found)
    assert "60 days' notice" in " ".join(bold(shown)[:3])


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("How long is the Zembla Bridge?", ("Zembla Bridge",)),  # there is a bridge, and it is another
        ("How long is the Chain Bridge?", ()),
        ("Who built the Tower Bridge?", ()),  # nothing but kinds: they are all there is to go by
    ],
)
def test_a_word_for_a_kind_of_thing_makes_no_name_known(question, absent):
    shown = choose_extracts(parse_question(question, "en"), passages(DANUBE, BUDAPEST, VISTULA))
    assert shown.absent == absent
