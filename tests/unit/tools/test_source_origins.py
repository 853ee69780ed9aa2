"""What a reader sees of further addresses and of sources that disagree."""

import io

from rich.console import Console

from tests.support.run import services
from tests.support.states import got, passage, search, state_of
from weiwo.app.cli.threads.show import _disagreements
from weiwo.app.render.answer import plain_answer, print_answer
from weiwo.nodes.writer.compose import compose_statements
from weiwo.nodes.writer.pieces import add_marks, read_piece
from weiwo.nodes.writer.prompt import findings_prompt
from weiwo.nodes.writer.rendering import Rendering
from weiwo.nodes.writer.result import build_result
from weiwo.nodes.writer.sources import gather_sources, list_relied_on
from weiwo.state import Answer, Plan, Quote, Rival

WEND = passage("The River Wend is 310 kilometres long.", "https://a.org/wend", "River Wend", also=("https://b.org/w",))
GUIDE = passage("It is 318 kilometres long.", "https://c.org/guide", "Guide to Arvania")
OTHER = passage("Another text.", "https://d.org/")
PLAN = Plan(tasks=(search("a", "How long is the River Wend?", ret="number"),))
RIVAL = Rival(value=318, evidence_ids=(GUIDE.id,), quotes=(Quote(evidence_id=GUIDE.id, text=GUIDE.text),))
OUTCOME = got(
    "a",
    310,
    "number",
    on=WEND,
    quotes=(Quote(evidence_id=WEND.id, text=WEND.text),),
    detail={"unit": "km"},
    support=2,
    rivals=(RIVAL,),
)
EVIDENCE = {one.id: one for one in (OTHER, GUIDE, WEND)}
CITATION = {"n": 1, "title": "River Wend", "source": "https://a.org/wend", "quote": "", "also": ["https://b.org/w"]}


def drawn(result: dict) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_answer(console, result, verbose=True)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_passages_of_rivals_are_among_the_sources_with_their_words() -> None:
    sources = gather_sources(PLAN, {"a": OUTCOME}, EVIDENCE, "en")
    assert [one.evidence for one in sources.items] == [WEND, GUIDE, OTHER]
    assert [one.quote for one in sources.items] == [WEND.text, GUIDE.text, ""]
    assert list_relied_on(OUTCOME) == (WEND.id, GUIDE.id)


def test_a_story_found_twice_is_offered_once_unless_relied_upon() -> None:
    story = (
        "The Cinder Tower in Aldport was closed on Tuesday after a fire broke out on the third floor, officials said."
    )
    one, two = passage(story, "https://a.org/"), passage(f"LONDON (Reuters) - {story}", "https://b.org/")
    found = {one.id: one, two.id: two}
    assert len(gather_sources(PLAN, {}, found, "en").items) == 1
    assert len(gather_sources(PLAN, {"a": got("a", 1, evidence_ids=tuple(found))}, found, "en").items) == 2


def test_the_writer_is_told_both_values_with_their_numbers() -> None:
    state = state_of(
        "How long is the River Wend?", services(), plan=PLAN, outcomes={"a": OUTCOME}, evidence=(WEND, GUIDE)
    )
    told = findings_prompt(state, services(), gather_sources(PLAN, {"a": OUTCOME}, EVIDENCE, "en"))
    line = next(line for line in told.splitlines() if line.startswith("- "))
    assert "310" in line
    assert "[1] (2 independent sources)" in line
    assert "DISAGREE" in line
    assert "318 kilometres [2] (“It is 318 kilometres long.”)" in line
    assert GUIDE.text in told.split("Sources:")[1]


def test_the_rules_sentence_passes_the_check_with_its_own_citations() -> None:
    question = "How long is the River Wend?"
    sources = gather_sources(PLAN, {"a": OUTCOME}, EVIDENCE, "en")
    rendering = Rendering(sources)
    for sentence in compose_statements(PLAN, {"a": OUTCOME}, "en"):
        marks = "".join(f"[{n}]" for n in sources.numbers_of(sentence.evidence_ids, sentence.computed_by))
        rendering.add(read_piece(add_marks(sentence.text, marks, "en"), (), sources, question))
    told = "the sources differ: 310 kilometres or 318 kilometres"
    assert rendering.text == f"River Wend – length: {told} [1][2]."
    assert {claim.verdict for claim in rendering.claims} <= {"matched", "quoted"}


def test_the_result_tells_addresses_and_rivals_only_where_there_are_any() -> None:
    plain = got("a", 310, "number", on=GUIDE)
    state = state_of("How long?", services(), plan=PLAN, outcomes={"a": plain}, evidence=(WEND, GUIDE))
    sources = gather_sources(PLAN, {"a": OUTCOME}, EVIDENCE, "en")
    answer = Answer(
        text="x",
        citations=sources.list_citations({1: 1, 2: 2}),
        status="complete",
        stop_reason="finished",
        decided_by="rule",
    )
    result = build_result(state, answer, services()).to_json()
    assert [one.get("also") for one in result["citations"]] == [["https://b.org/w"], None]
    assert [one.get("also") for one in result["evidence"]] == [["https://b.org/w"], None]
    assert not {"support", "rivals"} & result["outcomes"]["a"].keys()
    state["outcomes"]["a"] = OUTCOME
    told = build_result(state, answer, services()).to_json()["outcomes"]["a"]
    assert told["support"] == 2
    assert told["rivals"][0]["value"] == 318


def test_further_addresses_are_told_briefly_in_both_languages() -> None:
    result = {"answer": "x [1]", "citations": [CITATION], "language": "en"}
    assert "    also at https://b.org/w\n" in plain_answer(result)
    assert "also at https://b.org/w" in drawn(result)
    many = {**CITATION, "also": [f"https://s{n}.org/" for n in range(6)]}
    assert "also at https://s0.org/, https://s1.org/, https://s2.org/ and 3 more" in drawn(
        {**result, "citations": [many]}
    )
    chinese = plain_answer({**result, "citations": [many], "language": "zh"})
    assert "    另见 https://s0.org/、https://s1.org/、https://s2.org/等 3 处\n" in chinese
    assert "also" not in plain_answer({**result, "citations": [{**CITATION, "also": []}]})


def test_a_thread_shows_who_disagrees() -> None:
    values = {"plan": PLAN, "outcomes": {"a": OUTCOME}, "evidence": EVIDENCE}
    assert _disagreements(values, "en") == [
        "a: sources disagree: 310 (https://a.org/wend) against 318 (https://c.org/guide)"
    ]
    assert _disagreements(values, "zh") == ["a：资料说法不一：310 (https://a.org/wend)；另有 318 (https://c.org/guide)"]
    assert _disagreements({"plan": PLAN, "outcomes": {"a": got("a", 1, "number")}}, "en") == []
    assert _disagreements({}, "en") == []
