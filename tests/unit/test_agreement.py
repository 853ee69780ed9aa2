"""Independent sources: who agrees, who truly disagrees, and who only says it otherwise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.agreement import DOUBT_LEFT, independent, weighed
from nodes.rules.read import Reading, read
from nodes.rules.reading.asked import analyse
from nodes.rules.reading.sameness import Stated, contradicts, same
from state import Evidence, Quote, Rival, ValueType, passage_id
from text.language import detect_language


def page(title: str, text: str, source: str, **more: str) -> Evidence:
    return Evidence(id=passage_id(text), text=text, source=source, title=title, **more)


def answer(question: str, ret: ValueType, passages: list[Evidence]) -> Reading:
    language = detect_language(question)
    return weighed(read(question, ret, passages, language), question, ret, passages, language)


def by_model(value: object, passage: Evidence, text: str = "") -> Reading:
    quotes = (Quote(evidence_id=passage.id, text=text or passage.text),)
    return Reading(value=value, evidence_ids=(passage.id,), quotes=quotes, confidence=0.8)


WEND = page("River Wend", "The River Wend is 310 kilometres long.", "a.md")
LONGER = page("River Wend", "The River Wend is a river of Arvania. It is 318 kilometres long.", "b.md")
LENGTH = "How long is the River Wend?"


def test_sources_that_disagree_are_told_with_their_words() -> None:
    reading = answer(LENGTH, "number", [WEND, LONGER])
    assert reading.value == 310
    (rival,) = reading.rivals
    assert rival.value == 318
    assert rival.evidence_ids == (LONGER.id,)
    assert [quote.text for quote in rival.quotes] == ["It is 318 kilometres long."]
    assert reading.support == 1
    assert LONGER.id not in reading.evidence_ids


def test_one_source_does_not_disagree_with_itself() -> None:
    alone = page("River Wend", LONGER.text, "a.md")
    reading = answer(LENGTH, "number", [WEND, alone])
    assert reading.rivals == ()
    assert reading.support == 1
    same_site = [
        page("River Wend", one.text, f"https://{host}.rivers.org/wend") for one, host in ((WEND, "www"), (LONGER, "en"))
    ]
    assert answer(LENGTH, "number", same_site).rivals == ()


def test_agreement_of_independent_sources_raises_confidence() -> None:
    pages = [page("River Wend", f"{WEND.text} {more}", f"https://{more}.org/") for more in ("", "Alpha", "Beta")]
    alone, two, three = (answer(LENGTH, "number", pages[:n]) for n in (1, 2, 3))
    assert [one.support for one in (alone, two, three)] == [1, 2, 3]
    assert alone.confidence < two.confidence < three.confidence < 1
    assert two.confidence == pytest.approx(1 - (1 - alone.confidence) * DOUBT_LEFT, abs=2e-3)
    against = answer(LENGTH, "number", [*pages, LONGER])
    assert against.rivals[0].value == 318
    assert against.support == 3
    assert against.confidence < three.confidence


def test_the_value_of_most_sources_wins_over_the_first() -> None:
    more = page("River Wend", "The River Wend, a quiet river, is 318 kilometres long, as the guide says.", "c.md")
    reading = answer(LENGTH, "number", [WEND, LONGER, more])
    assert (reading.value, reading.support) == (318, 2)
    assert [(rival.value, rival.evidence_ids) for rival in reading.rivals] == [(310, (WEND.id,))]
    one_site = [page("River Wend", one.text, f"https://x.org/{n}") for n, one in enumerate((LONGER, more))]
    assert answer(LENGTH, "number", [WEND, *one_site]).value == 310


def test_another_wording_agrees() -> None:
    one = page("River Wend", "The River Wend is about 310 kilometres long in all.", "a.md")
    two = page("Rivers", "Among them the River Wend is 310 kilometres long.", "b.md")
    alone, both = (answer(LENGTH, "number", pages) for pages in ([one], [one, two]))
    assert both.support == 2
    assert both.confidence > alone.confidence


def test_a_copied_sentence_is_no_second_source() -> None:
    told = "The River Wend, which rises in the hills above the town of Brenn, is 310 kilometres long."
    pages = [
        page("River Wend", f"{told} {more}", f"https://{n}.org/")
        for n, more in enumerate(("Fish live in it, and otters have come back.", "Its name is older than the towns."))
    ]
    assert answer(LENGTH, "number", pages).support == 1


@pytest.mark.parametrize(
    ("question", "ret", "one", "two"),
    [
        ("When was Ola Brede born?", "date", "born on 12 July 1715.", "born in 1715."),
        ("When was Ola Brede born?", "date", "born in 1715.", "born around 1716."),
        ("When was Ola Brede born?", "date", "born on 25 December 1642.", "born on 4 January 1643."),  # two calendars
        ("How tall is Ola Brede?", "number", "8,849 metres high.", "8,848.86 metres high."),
        ("How tall is Ola Brede?", "number", "8,849 metres high.", "8,844 metres high."),
        ("How tall is Ola Brede?", "number", "about 6,400 metres high.", "6,300 metres high."),
        ("How tall is Ola Brede?", "number", "8,400 metres high.", "8.4 kilometres high."),
        ("birth year of Ola Brede", "number", "born on 12 July 1715.", "born around 1716."),
        ("Who was Ola Brede's father?", "text", "the son of Nils Otto Brede.", "the son of Nils Brede."),
        ("Who was Ola Brede's father?", "text", "the son of Nils Otto Brede.", "the son of N. O. Brede."),
    ],
)
def test_a_value_told_otherwise_agrees(question: str, ret: ValueType, one: str, two: str) -> None:
    pages = [page("Ola Brede", f"Ola Brede was {text}", source) for text, source in ((one, "a.md"), (two, "b.md"))]
    for ordered in (pages, pages[::-1]):
        reading = answer(question, ret, ordered)
        assert reading.value is not None
        assert reading.rivals == ()
        assert reading.support == 2


@pytest.mark.parametrize(
    ("question", "ret", "one", "two"),
    [
        ("When was Ola Brede born?", "date", "born on 12 July 1715.", "born on 12 July 1716."),
        ("birth year of Ola Brede", "number", "born on 12 July 1715.", "born in 1722."),
        ("How tall is Ola Brede?", "number", "8,400 metres high.", "8.9 kilometres high."),
        (
            "What is the population of Ola Brede?",
            "number",
            "a town of 5,200 inhabitants.",
            "a town of 7,400 inhabitants.",
        ),
        ("Who was Ola Brede's father?", "text", "the son of Nils Brede.", "the son of Lars Holm."),
    ],
)
def test_another_value_is_a_rival(question: str, ret: ValueType, one: str, two: str) -> None:
    pages = [page("Ola Brede", f"Ola Brede was {text}", source) for text, source in ((one, "a.md"), (two, "b.md"))]
    reading = answer(question, ret, pages)
    assert len(reading.rivals) == 1
    assert reading.rivals[0].evidence_ids == (pages[1].id,)
    swapped = answer(question, ret, pages[::-1])
    assert swapped.rivals[0].evidence_ids == (pages[0].id,)


def test_rivals_are_told_in_the_unit_of_the_value() -> None:
    pages = [
        page("Mount Ola", "Mount Ola is 8,400 metres high.", "a.md"),
        page("Mount Ola", "Mount Ola is 8.9 kilometres high.", "b.md"),
    ]
    assert answer("How high is Mount Ola?", "number", pages).rivals[0].value == 8900


@pytest.mark.parametrize(
    ("question", "ret", "one", "two"),
    [
        # figures of different years
        (
            "What is the population of Ola?",
            "number",
            "In 1990 Ola had a population of 5,200.",
            "In 2020 Ola had a population of 7,400.",
        ),
        ("Ola有多少人口？", "number", "2010年Ola人口为5200人。", "2020年Ola人口为7400人。"),
        # two places of different size, two of several authors, a name in two scripts
        ("Where was Ola born?", "text", "Ola was born in Aldport.", "Ola was born in Arvania."),
        ("Who wrote Ola?", "text", "Ola was written by Nils Brede.", "Ola was written by Lars Holm."),
        ("Who is the mother of Ola?", "text", "The mother of Ola is Grete Lund.", "Ola的母亲是林岚。"),
        # both values in one sentence
        (
            "When was Ola born?",
            "date",
            "Ola was born in 1715.",
            "Ola was born in 1722, though others say in 1715.",
        ),
    ],
)
def test_what_may_both_be_true_is_no_rival(question: str, ret: ValueType, one: str, two: str) -> None:
    pages = [page("Ola", one, "a.md"), page("Ola", two, "b.md")]
    reading = answer(question, ret, pages)
    assert reading.value is not None
    assert reading.rivals == ()


def test_a_date_of_another_or_for_something_else_is_no_rival() -> None:
    pages = [
        page("Lena Harrow", "Lena Harrow (4 March 1871 – 9 May 1940) was a Danish engineer.", "a.md"),
        page("Lena Harrow House", "Lena Harrow House is a museum. It was opened in 1952.", "b.md"),
        page("Lena Harrow", "Lena Harrow married Otto Brandt, who was born in 1868.", "c.md"),
    ]
    assert answer("When was Lena Harrow born?", "date", pages).rivals == ()


def test_population_figures_of_one_year_disagree_and_so_do_those_of_pages_of_one_year() -> None:
    one, two = "In 2020 Ola had a population of 5,200.", "In 2020 Ola had a population of 7,400."
    pages = [page("Ola", one, "a.md"), page("Ola", two, "b.md")]
    assert answer("What is the population of Ola?", "number", pages).rivals
    dated = [
        page("Ola", "Ola has a population of 5,200.", "a.md", date="2001-01-01"),
        page("Ola", "Ola has a population of 7,400.", "b.md", date="2021-01-01"),
    ]
    assert answer("What is the population of Ola?", "number", dated).rivals == ()


def test_a_count_of_people_needs_no_unit_to_be_contradicted() -> None:
    pages = [
        page("Ola", "Ola has a population of 277,242.", "a.md"),
        page("Ola", "Ola has 275,372 inhabitants.", "b.md"),
    ]
    for ordered in (pages, pages[::-1]):
        assert len(answer("What is the population of Ola?", "number", ordered).rivals) == 1


def test_that_one_page_has_a_date_and_another_none_does_not_make_figures_agree() -> None:
    pages = [
        page("Ola", "Ola has a population of 5,200.", "a.md"),
        page("Ola", "Ola has a population of 7,400.", "b.md", date="2021-01-01"),
    ]
    for ordered in (pages, pages[::-1]):
        assert len(answer("What is the population of Ola?", "number", ordered).rivals) == 1
    of_a_year = page("Ola", "In 1990 Ola had a population of 7,400.", "b.md")
    assert answer("What is the population of Ola?", "number", [pages[0], of_a_year]).rivals == ()


@pytest.mark.parametrize(
    ("question", "title", "told", "others"),
    [
        (
            "When was Harnmoor founded?",
            "Harnmoor prepares for its great feast",
            "Harnmoor, the organisers say, was founded in 1358.",
            (
                "The abbey near Harnmoor was founded in 1358.",
                "Harnmoor says that Otley, its twin, was founded in 1358.",
            ),
        ),
        (
            "云洛市始建于哪一年？",
            "云洛市筹备城庆",
            "据组织者介绍，云洛市始建于1358年。",
            ("王城始建于1358年，与云洛市为邻。",),
        ),
    ],
)
def test_a_story_that_says_it_of_the_subject_itself_is_heard(
    question: str, title: str, told: str, others: tuple[str, ...]
) -> None:
    name = title[:3] if title[0] == "云" else "Harnmoor"
    known = page(name, f"{name}始建于1354年。" if title[0] == "云" else f"{name} was founded in 1354.", "a.md")
    (rival,) = answer(question, "date", [known, page(title, told, "b.md")]).rivals
    assert rival.value == "1358"
    for text in others:
        assert answer(question, "date", [known, page(title, text, "b.md")]).rivals == ()


def test_what_a_model_read_is_weighed_too() -> None:
    more = page("River Wend", "The River Wend, 310 kilometres long, rises near Brenn.", "c.md")
    reading = weighed(by_model(310, WEND), LENGTH, "number", [WEND, LONGER, more], "en")
    assert reading.value == 310
    assert reading.support == 2
    assert [rival.value for rival in reading.rivals] == [318]
    assert reading.quotes == by_model(310, WEND).quotes


def test_rivals_that_a_model_told_of_count_unless_they_are_the_value() -> None:
    others = [
        Rival(value=318, evidence_ids=(LONGER.id,), quotes=(Quote(evidence_id=LONGER.id, text=LONGER.text),)),
        Rival(value=310.2, evidence_ids=(LONGER.id,), quotes=(Quote(evidence_id=LONGER.id, text="310.2 kilometres"),)),
    ]
    reading = weighed(by_model(310, WEND), LENGTH, "number", [WEND, LONGER], "en", others)
    assert [rival.value for rival in reading.rivals] == [318]


def test_lists_passages_and_explanations_are_left_as_they_are() -> None:
    for value, ret in ((["a", "b"], "list[text]"), (["text"], "passages"), ("Because " + "of it " * 60, "text")):
        reading = by_model(value, WEND)
        assert weighed(reading, LENGTH, ret, [WEND, LONGER], "en") == reading
    nothing = Reading(value=None, missing="none")
    assert weighed(nothing, LENGTH, "number", [WEND], "en") is nothing


def test_sources_are_sites_files_and_texts() -> None:
    story = (
        "The Cinder Tower in Aldport was closed on Tuesday after a fire broke out on the third floor, officials said."
    )
    passages = [
        page("", "One.", "https://www.a.org/1"),
        page("", "Two.", "https://m.a.org/2"),
        page("", story, "https://b.org/"),
        page("", f"LONDON (Reuters) - {story}", "https://c.org/"),
        page("", "Three.", "notes/a.md"),
        page("", "Four.", "notes/b.md"),
        page("", "Five.", "https://c.org/other"),
    ]
    assert [[one.text[:4] for one in group] for group in independent(passages)] == [
        ["One.", "Two."],
        ["The ", "LOND", "Five"],
        ["Thre"],
        ["Four"],
    ]


_VALUES = st.one_of(
    st.text(max_size=30),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.sampled_from(["1715", "-156", "1715-07-12", "林岚", "N. O. Brede", "J.", "《潮声》", ""]),
)


@settings(deadline=None)
@given(_VALUES, _VALUES, st.sampled_from([LENGTH, "When was Ola born?", "birth year of Ola", "林岚的母亲是谁？", ""]))
def test_any_two_values_are_the_same_or_not_whichever_comes_first(one: object, other: object, question: str) -> None:
    asked = analyse(question, "text")
    a, b = Stated(one, f"It is {one}.", "km"), Stated(other, f"It is {other} metres.", "m", approximate=True)  # type: ignore[arg-type]
    assert same(asked, a, b) == same(asked, b, a)
    assert not (same(asked, a, b) and contradicts(asked, a, b))
    assert not contradicts(asked, a, a)
