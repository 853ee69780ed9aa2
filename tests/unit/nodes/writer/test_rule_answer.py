"""Answers by rule: statements where all is shown, else extracts; and what is said where nothing speaks of the subject."""

import pytest

from tests.support.fake_model import fake
from tests.support.run import search_tool, services
from tests.support.states import got, lost, passage, search, state_of
from weiwo.nodes.writer import rule_answer
from weiwo.nodes.writer.rule_answer import answer_by_rule
from weiwo.nodes.writer.sources import gather_sources
from weiwo.state import Evidence, Limits, Outcome, OutcomeDetail, Plan, Quote, Rival, TaskTrace
from weiwo.tools.tables.query_table import QueryTable

WEND = passage("The River Wend rises in Arvania. It is 310 kilometres long.", "wend.md", "River Wend")
OTHER = passage("The bakery opens at seven and closes at noon.", "bakery.md", "Bakery hours")
ASKED = "How long is the River Wend?"
FOUND = got("a", 310, "number", on=WEND, quotes=(Quote(evidence_id=WEND.id, text="It is 310 kilometres long."),))


def answer(question: str, outcome: Outcome, *evidence: Evidence, language: str = "en", run=None, broken: str = ""):
    plan = Plan(tasks=(search("a", question, ret="number"),))
    known = {one.id: one for one in evidence}
    run = run or services()
    state = state_of(
        question, run, level="moderate", plan=plan, outcomes={"a": outcome}, evidence=evidence, language=language
    )
    return answer_by_rule(state, gather_sources(plan, {"a": outcome}, known, language), run, broken)


def test_what_is_shown_is_asserted_with_the_words_it_quotes() -> None:
    found = answer(ASKED, FOUND.model_copy(update={"detail": OutcomeDetail(unit="km")}), WEND, OTHER)
    assert found.whole
    assert [sentence for sentence, _, _ in found.statements] == ["River Wend – length: 310 kilometres [1]."]
    assert [extract.evidence_id for extract in found.extracts.items] == [WEND.id]
    (extract,) = found.extracts.items
    assert [extract.text[start:end] for start, end in extract.highlights] == ["It is 310 kilometres long."]


def test_a_value_that_its_passage_does_not_carry_is_not_asserted() -> None:
    found = answer(ASKED, FOUND.model_copy(update={"value": 999, "detail": OutcomeDetail(unit="km")}), WEND, OTHER)
    assert found.statements == ()
    assert found.shows_subject


@pytest.mark.parametrize(("language", "asked"), [("en", ASKED), ("zh", "River Wend有多长？")])
def test_sources_that_disagree_are_both_shown_and_neither_is_asserted(language: str, asked: str) -> None:
    guide = passage("The River Wend is 290 kilometres long.", "guide.md", "A guide")
    rival = Rival(value=290, evidence_ids=(guide.id,), quotes=(Quote(evidence_id=guide.id, text=guide.text),))
    disputed = FOUND.model_copy(update={"detail": OutcomeDetail(unit="km"), "rivals": (rival,), "decided_by": "rule"})
    found = answer(asked, disputed, WEND, guide, OTHER, language=language)
    assert found.shows_subject
    assert found.mechanisms == []
    ((sentence, _, _),) = found.statements
    assert all(part in sentence for part in ("310", "290", "[1][2]"))
    assert [extract.evidence_id for extract in found.extracts.items] == [WEND.id, guide.id]


def test_of_two_questions_the_answered_one_is_told_and_the_other_named() -> None:
    plan = Plan(tasks=(search("a", ASKED, ret="number"), search("b", "Who discovered the neutron?", ret="text")))
    found = FOUND.model_copy(update={"detail": OutcomeDetail(unit="km")})
    outcomes, run = {"a": found, "b": lost("b")}, services()
    asked = "How long is the River Wend and who discovered the neutron?"
    state = state_of(asked, run, level="complex", plan=plan, outcomes=outcomes, evidence=(WEND, OTHER))
    told = answer_by_rule(state, gather_sources(plan, outcomes, {one.id: one for one in (WEND, OTHER)}, "en"), run)
    assert [sentence for sentence, _, _ in told.statements] == ["River Wend – length: 310 kilometres [1]."]
    assert told.open == ("Who discovered the neutron?",)
    assert "Who discovered the neutron?" in told.lead
    assert told.shows_subject
    assert WEND.id in [extract.evidence_id for extract in told.extracts.items]


def test_what_was_not_found_is_answered_by_the_closest_passages() -> None:
    found = answer("Why is the River Wend so long?", lost("a"), OTHER, WEND)
    assert found.shows_subject
    assert found.mechanisms == []
    assert WEND.id in [extract.evidence_id for extract in found.extracts.items]
    assert len(found.notices) == 1


@pytest.mark.parametrize(
    ("question", "language", "lead"),
    [
        (
            "Where did the engineer who charted the River Wend study law?",
            "en",
            "Closest passages; nothing is asserted.",
        ),
        ("文德河发源的国家的首都在哪里？", "zh", "以上是最接近的段落，未作断言。"),
    ],
)
def test_passages_on_the_subject_are_shown_in_neutral_words(question: str, language: str, lead: str) -> None:
    chinese = passage("文德河发源于阿尔瓦尼亚，全长310千米。", "he.md", "文德河")
    found = answer(question, lost("a"), chinese if language == "zh" else WEND, language=language)
    assert found.shows_subject
    assert (found.lead_kind, found.lead, found.notices) == ("neutral", "", (lead,))


@pytest.mark.parametrize(
    ("question", "language", "name", "other"),
    [
        ("How long is the Mirzapur canal?", "en", "Mirzapur", OTHER),
        ("米尔扎运河有多长？", "zh", "米尔扎运河", passage("面包店早上七点开门。", "店.md", "面包店")),
    ],
)
def test_a_name_that_occurs_nowhere_is_said_to_with_the_three_doors(
    question: str, language: str, name: str, other: Evidence
) -> None:
    found = answer(question, lost("a"), other, language=language)
    assert not found.whole
    assert not found.shows_subject
    assert found.extracts.absent == (name,)
    assert name in found.lead
    assert len(found.notices) == 2
    assert len(found.extracts.items) == 1


@pytest.mark.parametrize(
    ("question", "language", "missing"),
    [
        ("Which is longer, the River Wend or the Mirzapur canal?", "en", "Mirzapur"),
        ("文德河和米尔扎运河哪个更长？", "zh", "米尔扎运河"),
    ],
)
def test_of_things_compared_the_one_that_no_passage_speaks_of_is_named(question, language, missing) -> None:
    chinese = passage("文德河发源于阿尔瓦尼亚，全长310千米。", "he.md", "文德河")
    found = answer(question, lost("a"), chinese if language == "zh" else WEND, OTHER, language=language)
    assert found.shows_subject
    assert found.extracts.absent == (missing,)
    assert found.lead_kind == "neutral"
    assert found.lead == ""
    assert missing in found.notices[0]
    assert "Wend" not in found.notices[0]
    assert len(found.notices) == 2


def test_without_any_passage_it_says_what_would_help() -> None:
    found = answer(ASKED, lost("a"))
    assert not found.whole
    assert not found.shows_subject
    assert found.lead == "Not in your documents: no passage mentions it."
    assert found.notices[-1] == "To find more: add documents about it, allow a web search or set up a model."


@pytest.mark.parametrize(
    ("broken", "calls", "told"),
    [
        ("the endpoint does not answer", 40, "add documents about it or ask again (the model gave no usable answer)"),
        ("the run's limit max_model_calls was reached", 0, "add documents about it"),
        ("", 40, "add documents about it"),
    ],
)
def test_a_model_that_is_set_up_and_a_web_that_is_searched_are_not_advised(broken: str, calls: int, told: str) -> None:
    web = search_tool(lambda _: None, "web_search")
    run = services(web, model=fake(), limits=Limits(max_model_calls=calls))
    assert answer(ASKED, lost("a"), run=run, broken=broken).notices[-1] == f"To find more: {told}."


@pytest.mark.parametrize(
    ("question", "language", "text"),
    [
        ("what went wrong with the server", "en", "The disk of the host was full, so it stopped."),
        ("how do I configure retries in the client", "en", "Set `attempts` to 5."),
        ("怎么安装 PyJWT", "zh", "PyJWT：运行 pip install PyJWT 即可。"),
        ("凯撒大帝什么时候出生", "zh", "Julius Caesar was born in 100 BC."),
    ],
)
def test_of_words_that_are_no_names_and_of_names_in_another_script_nothing_is_denied(question, language, text) -> None:
    found = answer(question, lost("a"), passage(text, "a.md", "Notes"), language=language)
    assert found.extracts.absent == ()
    assert "nowhere" not in found.lead
    assert "没有出现" not in found.lead


@pytest.mark.parametrize(
    ("question", "language", "says"),
    [
        ("how many robots are deployed?", "en", "{} robots were deployed by May {}."),
        ("公司共有多少员工", "zh", "截至{1}年6月，公司共有员工{0}人。"),
    ],
)
def test_passages_that_say_the_same_of_several_dates_stand_newest_first(question, language, says) -> None:
    years = [passage(says.format(100 + year, year), f"{year}.md", "Minutes") for year in (2024, 2026, 2025)]
    found = answer(question, lost("a"), *years, language=language)
    assert [extract.source for extract in found.extracts.items] == ["2026.md", "2025.md", "2024.md"]
    assert all(str(year) in found.notices[0] for year in (2024, 2025, 2026))


def test_that_the_documents_are_in_another_language_is_said() -> None:
    notes = passage("Parents share 49 weeks of leave.", "a.md", "Handbook")
    assert "嵌入模型" in answer("育儿假有多少周", lost("a"), notes, language="zh").notices[-1]


def test_what_differs_because_it_is_of_different_dates_is_no_dispute() -> None:
    new = passage("As of May 2025, the River Wend is 320 kilometres long.", "new.md", "Survey of 2025")
    old = passage("As of May 2019, the River Wend is 310 kilometres long.", "old.md", "Survey of 2019")
    rival = Rival(value=320, evidence_ids=(new.id,), quotes=(Quote(evidence_id=new.id, text=new.text),))
    outcome = got("a", 310, "number", on=old, quotes=(Quote(evidence_id=old.id, text=old.text),))
    found = answer(ASKED, outcome.model_copy(update={"rivals": (rival,), "decided_by": "rule"}), old, new)
    assert found.statements == ()
    assert found.shows_subject
    assert found.notices == ("Closest passages, newest first (2025-05 and 2019-05); nothing is asserted.",)
    assert [extract.evidence_id for extract in found.extracts.items] == [new.id, old.id]


@pytest.mark.parametrize(
    ("question", "language", "line"),
    [
        ("Why is the River Wend so long?", "en", "The web search failed: only your documents were searched."),
        ("River Wend为什么这么长？", "zh", "网络搜索失败：只搜索了您的文档。"),
    ],
)
def test_where_the_web_failed_that_is_said_below_the_documents(question, language, line) -> None:
    silent = TaskTrace(unanswered=("web_search: searxng: brave refused (CAPTCHA)",))
    failed = lost("a", "timeout", tool="web_search").model_copy(update={"trace": silent})
    found = answer(question, failed, WEND, language=language)
    assert [extract.evidence_id for extract in found.extracts.items] == [WEND.id]
    assert found.notices[-1] == line
    elsewhere = answer(question, lost("a", "timeout", tool="corpus_search"), WEND, language=language)
    assert line not in elsewhere.notices


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "The web search found nothing for “River Wend long”."),
        ("zh", "网络上没有找到与“River Wend long”有关的内容。"),
    ],
)
def test_where_the_web_has_nothing_that_is_said_once(language, line) -> None:
    asked = TaskTrace(searches=(("web_search", "River Wend long"), ("web_search", "River Wend")))
    found = answer(
        "Why is the River Wend so long?", lost("a").model_copy(update={"trace": asked}), WEND, language=language
    )
    assert found.notices[-1] == line
    page = WEND.model_copy(update={"tool": "web_search"})
    found = answer(
        "Why is the River Wend so long?", lost("a").model_copy(update={"trace": asked}), page, language=language
    )
    assert line not in found.notices


ROWS = {
    "en": passage("name,plan\nAcme,pro\nBirch,free", "customers.csv", "customers"),
    "zh": passage("名称,套餐\n甲公司,专业版\n乙公司,免费版", "客户.csv", "客户"),
}


@pytest.mark.parametrize(
    ("asked", "language", "line"),
    [
        ("How many of our customers are on pro, roughly?", "en", "or set up a model."),
        ("有多少客户是付费的？", "zh", "或配置模型。"),
    ],
)
def test_where_rows_are_shown_and_counting_was_asked_for_it_says_what_counts_them(asked, language, line) -> None:
    run = services(QueryTable(corpus=None))
    assert answer(asked, lost("a"), ROWS[language], language=language, run=run).notices[-1].endswith(line)
    assert not answer("Why is Acme on the pro plan?", lost("a"), ROWS["en"], run=run).notices[1:]


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("Where does the River Wend rise?", "answer"),
        ("River Wend length in kilometres", "answer"),
        ("Who painted the River Wend in winter?", "neutral"),
        ("Is the River Wend longer than the River Tarn?", "neutral"),
    ],
)
def test_a_sentence_that_says_most_of_the_question_begins_an_answer(question: str, lead: str) -> None:
    found = answer(question, lost("a"), WEND, OTHER)
    assert found.lead_kind == lead
    assert found.mechanisms == []


@pytest.mark.parametrize(("spoken", "lead"), [(["en"], "neutral"), (["en", "zh"], "denial"), ([], "denial")])
def test_documents_in_another_script_deny_nothing(monkeypatch, spoken: list[str], lead: str) -> None:
    monkeypatch.setattr(rule_answer, "document_languages", lambda _: spoken)
    assert answer("文德河有多长？", lost("a"), language="zh").lead_kind == lead
