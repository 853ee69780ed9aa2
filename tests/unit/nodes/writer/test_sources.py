"""The numbered sources of an answer: which, in what order, and what a reader sees of them."""

from tests.support.states import got, lost, passage, search
from weiwo.nodes.writer.pieces import Piece
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.sources import _MAX_SOURCES, _describe_calculation, gather_sources
from weiwo.state import Plan, Quote, Task

ADA = passage("Ada Lovelace was born in 1815.", "ada.md", "Ada")
ALAN = passage("Alan Turing was born in 1912.", "alan.md")
OTHER = passage("Something else.", "x.md", rank=3)
BETTER = passage("Something nearer.", "y.md", rank=1)
PLAN = Plan(
    tasks=(
        search("a", "When was Ada born?"),
        search("b", "When was Alan born?"),
        Task(id="c", description="Years", tool="date_difference", args={"start": "{{a.ret}}", "end": "{{b.ret}}"}),
    )
)
DETAIL = {"unit": "years", "start": "1815", "end": "1912", "earlier": "start"}
OUTCOMES = {
    "c": got("c", 97, "number", tool="date_difference", detail={"computation": DETAIL}, evidence_ids=(ADA.id, ALAN.id)),
    "b": got("b", "1912", on=ALAN),
    "a": got("a", "1815", on=ADA, quotes=(Quote(evidence_id=ADA.id, text="born in 1815"),)),
}
EVIDENCE = {item.id: item for item in (OTHER, BETTER, ALAN, ADA)}


def test_what_outcomes_rest_on_comes_first_in_plan_order_then_the_rest_by_rank_then_calculations():
    sources = gather_sources(PLAN, OUTCOMES, EVIDENCE, "en")
    assert [s.evidence.source if s.evidence else s.outcome.task_id for s in sources.items] == [
        "ada.md",
        "alan.md",
        "y.md",
        "x.md",
        "c",
    ]
    assert [s.n for s in sources.items] == [1, 2, 3, 4, 5]
    assert set(sources.passages) == {1, 2, 3, 4}
    assert set(sources.calculations_by_number) == {5}


def test_final_numbers_follow_the_order_of_first_citation():
    rendering = Rendering(gather_sources(PLAN, OUTCOMES, EVIDENCE, "en"))
    texts = ("It took 97 years [5].", "\nAlan [2] came after [5].", "\nAda [1] came first.")
    assert "".join(rendering.add(Piece(text)) for text in texts) == (
        "It took 97 years [1].\nAlan [2] came after [1].\nAda [3] came first."
    )
    assert [(c.n, c.source) for c in rendering.citations] == [(1, "task:c"), (2, "alan.md"), (3, "ada.md")]


def test_a_reader_is_led_to_the_source_and_the_words():
    sources = gather_sources(PLAN, OUTCOMES, EVIDENCE, "en")
    ada, alan, years = sources.list_citations({1: 1, 2: 2, 5: 3})
    assert (ada.title, ada.source, ada.quote, ada.evidence_id) == ("Ada", "ada.md", "born in 1815", ADA.id)
    assert (alan.title, alan.quote) == ("alan.md", ALAN.text)
    assert (years.title, years.evidence_id) == ("Calculation", "c")
    assert "1815" in years.quote
    assert "97" in years.quote


def test_words_within_longer_words_are_quoted_once():
    quotes = tuple(Quote(evidence_id=ADA.id, text=text) for text in ("in 1815", ADA.text, "born in 1815"))
    (ada,) = gather_sources(None, {}, {ADA.id: ADA}, "en").items
    assert ada.quote == ""
    (ada, *_) = gather_sources(PLAN, {"a": got("a", "1815", on=ADA, quotes=quotes)}, EVIDENCE, "en").items
    assert ada.quote == ADA.text


def test_calculations_are_told_in_the_answers_language():
    assert gather_sources(PLAN, OUTCOMES, EVIDENCE, "zh").items[-1].to_citation(1, "zh").title == "计算"
    dated = got(
        "c", 56, "number", tool="date_difference", detail={"computation": {**DETAIL, "start": "-156", "end": "-100"}}
    )
    assert "公元前156年" in _describe_calculation(dated, "zh")
    assert "156 BC" in _describe_calculation(dated, "en")
    formula = got("d", 12, "number", tool="calculator", detail={"computation": {"expression": "3 * 4"}})
    assert _describe_calculation(formula, "en") == "3 * 4 = 12"


def test_numbers_are_found_by_id():
    sources = gather_sources(PLAN, OUTCOMES, EVIDENCE, "en")
    assert sources.numbers_of((ALAN.id,), ("c",)) == (2, 5)
    assert sources.numbers_of(("nothing",), ("nobody",)) == ()


def test_the_rest_is_bounded_but_nothing_that_is_needed_is_left_out():
    rest = {p.id: p for p in (passage(f"Text number {n}.") for n in range(60))}
    assert len(gather_sources(PLAN, {}, rest, "en").items) == _MAX_SOURCES
    needed = got("a", "1815", evidence_ids=tuple(rest))
    assert len(gather_sources(PLAN, {"a": needed}, rest, "en").items) == 60


def test_the_same_text_stands_once_unless_it_is_relied_upon():
    accented, plain = passage("Café Müller, opened in 1978."), passage("Cafe Muller, opened in 1978.")
    both = {accented.id: accented, plain.id: plain}
    assert accented.id != plain.id
    assert len(gather_sources(PLAN, {}, both, "en").items) == 1
    relied = {"a": got("a", "1978", on=accented), "b": got("b", "1978", on=plain)}
    sources = gather_sources(PLAN, relied, both, "en")
    assert sources.numbers_of((plain.id,), ()) != ()


def test_failed_and_earlier_tasks_are_no_calculation():
    outcomes = {"c": lost("c", detail={"computation": {}}), "old": got("old", 5, "number", detail={"computation": {}})}
    assert gather_sources(PLAN, outcomes, {}, "en").items == ()


def test_without_a_plan_there_may_still_be_passages():
    assert [s.evidence for s in gather_sources(None, {}, {ADA.id: ADA}, "en").items] == [ADA]


def test_a_passage_that_is_not_at_hand_is_no_source():
    assert gather_sources(PLAN, {"a": got("a", "1815", on=ADA)}, {}, "en").items == ()
