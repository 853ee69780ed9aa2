"""The answer that came with its values: item by item where that is the answer, else a draft."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.fake_model import Request, ScriptedError, assessed, fake, found
from tests.support.run import search_tool
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.nodes.writer.answerers.reader import _mark_finding
from weiwo.nodes.writer.sources import CitableSource, CitableSources
from weiwo.state import Evidence, Finding, passage_id
from weiwo.state.settings import Context

QUESTION = "List every town of the Ost League and the year in which it was founded."
LEAGUE = "The towns of the Ost League are Alby, Bryn and Corve."
TOWNS = {"Alby": 1201, "Bryn": 1302, "Corve": 1403}
SECOND = {
    "id": "task_2",
    "description": "In which year was {{item}} founded?",
    "tool_binding": "corpus_search",
    "args": {"query": "{{item}} founded"},
    "ret": "date",
    "for_each": "{{task_1.ret}}",
}
FIRST = {
    "id": "task_1",
    "description": "Which towns belonged to the Ost League?",
    "tool_binding": "corpus_search",
    "args": {"query": "Ost League"},
    "ret": "list[text]",
}


pytestmark = pytest.mark.usefixtures("indexed_home")


def founded(town: str) -> str:
    return f"{town} was founded in {TOWNS[town]}."


def look_up(query: str) -> str:
    return next((founded(town) for town in TOWNS if town in query), LEAGUE)


def told(town: str, sentence: str | None = None) -> dict[str, Any]:
    quotes = [{"passage": 0, "text": f"founded in {TOWNS[town]}"}]
    said = founded(town) if sentence is None else sentence
    return {"task": [*TOWNS].index(town) + 1, "value": str(TOWNS[town]), "quotes": quotes, "sentence": said}


async def ask(
    *answers: dict[str, Any], is_answer: bool = True, parts: Sequence[str] = (), **more: Any
) -> tuple[dict[str, Any], list[Request]]:
    plan = {"vertices": [FIRST, {**SECOND, "is_answer": is_answer}], "edges": []}
    listed = found([*TOWNS], LEAGUE)
    model = fake(
        AssessmentReply={**assessed(QUESTION, steps=1.0, form="list", parts=[*parts]), **plan},
        ReadReply=listed,
        BatchReadReply={"answers": list(answers)},
        **{"ReflectionReply": {"reason": "all", "decision": "finish", "missing": []}, "draft": "Drafted [1].", **more},
    )
    graph = build_graph(tools=[search_tool(look_up)], models=model)
    result = (await graph.ainvoke({"question": QUESTION}, context=Context(web=False)))["result"]
    check_result(result)
    return result, model.requests


@pytest.mark.parametrize("parts", [(), ("the towns of the Ost League", "the year each was founded")])
async def test_what_tasks_found_is_the_answer_item_by_item(parts: Sequence[str]) -> None:
    result, requests = await ask(*map(told, TOWNS), parts=parts)
    assert "draft" not in {request.schema for request in requests}
    assert result["answer"].splitlines() == [
        "- Alby was founded in 1201 [1].",
        "- Bryn was founded in 1302 [2].",
        "- Corve was founded in 1403 [3].",
    ]
    assert result["status"] == "complete"
    assert {claim["verdict"] for claim in result["claims"]} == {"quoted"}
    assert {one["quote"] for one in result["citations"]} == {f"founded in {year}" for year in TOWNS.values()}


@pytest.mark.parametrize(
    ("answers", "is_answer"),
    [
        ([told("Alby"), told("Bryn"), told("Corve")], False),  # something is left to conclude
        ([told("Alby"), told("Bryn"), told("Corve", "")], True),  # one has no sentence
        ([told("Alby"), told("Bryn"), told("Corve", "Corve was founded in 1999.")], True),  # one is not so
        ([{**told("Alby"), "basis": "implied"}, told("Bryn"), told("Corve")], True),
    ],
)
async def test_else_a_draft_is_written(answers, is_answer):
    _, requests = await ask(*answers, is_answer=is_answer)
    assert "draft" in {request.schema for request in requests}


STAMPEDES = "To survive a cache stampede, enable request coalescing."
STAMPEDES_ZH = "要挺过缓存击穿，应启用请求合并。"
OF_STAMPEDES = "What is to be done against a cache stampede?"
OF_STAMPEDES_ZH = "缓存击穿要怎么办？"
WORSE = "Restart every database server and delete the cache."
WORSE_ZH = "重启所有数据库服务器并删除缓存。"


async def ask_one(question: str, text: str, reply: dict[str, Any], **more: Any) -> tuple[dict[str, Any], list[Request]]:
    model = fake(
        AssessmentReply=assessed(question),
        ReadReply=reply,
        **{"draft": "Nothing more is told.", "RewriteReply": {"sentences": []}, **more},
    )
    graph = build_graph(tools=[search_tool(lambda _: text)], models=model)
    result = (await graph.ainvoke({"question": question}, context=Context(web=False)))["result"]
    check_result(result)
    return result, model.requests


def not_there(_: Request) -> dict[str, Any]:
    return {"verdicts": [{"n": 1, "verdict": "not_there", "words": "restart, delete"}]}


CASES = [
    (OF_STAMPEDES, STAMPEDES, "enable request coalescing", WORSE),
    (OF_STAMPEDES_ZH, STAMPEDES_ZH, "应启用请求合并", WORSE_ZH),
    ("How is a cache stampede survived?", STAMPEDES, "enable request coalescing", "Disable every cache at once."),
]


@pytest.mark.parametrize(("question", "text", "quote", "said"), CASES)
async def test_a_sentence_whose_words_its_quotes_lack_is_judged_like_a_drafts_claim(question, text, quote, said):
    reply = found(said, quote, sentence=said)
    result, requests = await ask_one(question, text, reply, EntailmentReply=not_there)
    assert "EntailmentReply" in {request.schema for request in requests}
    assert result["status"] != "complete"
    assert not {"matched", "supported", "quoted"} & {claim["verdict"] for claim in result["claims"]}


@pytest.mark.parametrize(
    ("question", "text", "quote", "said"),
    [
        (OF_STAMPEDES, STAMPEDES, "enable request coalescing", STAMPEDES),
        (OF_STAMPEDES_ZH, STAMPEDES_ZH, "应启用请求合并", STAMPEDES_ZH),
        ("In which year was Alby founded?", founded("Alby"), "founded in 1201", founded("Alby")),
    ],
)
async def test_one_that_stands_in_its_source_word_for_word_costs_no_call(question, text, quote, said):
    result, requests = await ask_one(question, text, found(said, quote, sentence=said))
    assert {request.schema for request in requests} <= {"AssessmentReply", "ReadReply", "PlanReply"}
    assert result["answer"].startswith(said[:-1])
    assert result["status"] == "complete"


@pytest.mark.parametrize(
    ("question", "text", "quote", "said"),
    [
        (
            "What became of the offer?",
            "The board of Orion rejected the offer after the board of Vega had approved it.",
            "The board of Orion rejected the offer",
            "The board of Vega rejected the offer after the board of Orion had approved it.",
        ),
        ("按什么顺序运行？", "先运行导入程序，再运行导出程序。", "先运行导入程序", "先运行导出程序，再运行导入程序。"),
    ],
)
async def test_one_that_only_has_the_words_of_its_source_is_judged(question, text, quote, said):
    result, requests = await ask_one(question, text, found(said, quote, sentence=said), EntailmentReply=not_there)
    assert "EntailmentReply" in {request.schema for request in requests}
    assert result["status"] == "partial"
    assert "unverified" in result["answer"] or "未核实" in result["answer"]


@pytest.mark.parametrize(
    ("question", "text", "quote", "said", "words"),
    [
        (*CASES[2][:3], "One merges requests that are alike and come at once.", "Not every statement was checked"),
        (*CASES[1][:3], "应把同样的请求归并到一起。", "有些陈述未与来源核对"),
    ],
)
async def test_a_verifier_that_is_down_leaves_it_unchecked_and_the_answer_says_so(question, text, quote, said, words):
    reply = found(said, quote, sentence=said)
    result, _ = await ask_one(question, text, reply, EntailmentReply=ScriptedError("500 from the endpoint"))
    assert (result["status"], result["stop_reason"]) == ("partial", "not_checked")
    assert [claim["verdict"] for claim in result["claims"]] == ["unchecked"]
    assert words in result["answer"]
    assert result["answer"].count("ScriptedError") == 1


@pytest.mark.parametrize(
    ("question", "text", "quote", "said", "words"),
    [
        (*CASES[2][:3], "One merges requests that are alike.", "A quick search: no model checked these statements"),
        (*CASES[1][:3], "应把同样的请求归并到一起。", "以上陈述未经模型与来源核对"),
    ],
)
async def test_a_quick_search_judges_nothing_and_says_so_once(question, text, quote, said, words):
    model = fake(AssessmentReply=assessed(question), ReadReply=found(said, quote, sentence=said))
    graph = build_graph(tools=[search_tool(lambda _: text)], models=model)
    context = Context(web=False, depth="quick")
    result = (await graph.ainvoke({"question": question}, context=context))["result"]
    check_result(result)
    assert not model.asked("EntailmentReply")
    assert (result["status"], result["checked"]) == ("complete", False)
    assert result["answer"].count(words) == 1


async def test_what_code_found_word_for_word_is_checked_in_a_quick_search_too():
    model = fake(AssessmentReply=assessed(OF_STAMPEDES), ReadReply=found("x", "enable", sentence=STAMPEDES))
    graph = build_graph(tools=[search_tool(lambda _: STAMPEDES)], models=model)
    context = Context(web=False, depth="quick")
    result = (await graph.ainvoke({"question": OF_STAMPEDES}, context=context))["result"]
    assert (result["status"], result["checked"]) == ("complete", True)
    assert "quick" not in result["answer"]


async def test_a_statement_of_rules_over_what_a_model_read_is_judged_too():
    text = "The Ost bridge is 310 metres long."
    asked = "How long is the Ost bridge?"
    script = {"ReadReply": found(310, "310 metres long"), "draft": ScriptedError("down")}
    result, requests = await ask_one(asked, text, **{"reply": script.pop("ReadReply"), **script})
    assert "EntailmentReply" in {request.schema for request in requests}
    assert (result["status"], result["checked"]) == ("complete", True)
    down = ScriptedError("down")
    result, _ = await ask_one(asked, text, found(310, "310 metres long"), draft=down, EntailmentReply=down)
    assert (result["status"], result["stop_reason"], result["checked"]) == ("partial", "not_checked", False)


@pytest.mark.parametrize(
    ("question", "text", "quote", "value", "said"),
    [
        (
            "In which county is Appleton?",
            "Appleton, Wisconsin, is a city.",
            "Appleton, Wisconsin",
            "Outagamie County",
            "",
        ),
        ("阿普尔顿在哪个县？", "阿普尔顿位于威斯康星州。", "阿普尔顿位于威斯康星州", "奥塔加米县", ""),
    ],
)
@pytest.mark.parametrize("basis", ["stated", "implied"])
async def test_an_answer_that_rests_on_what_no_quote_tells_is_partial(question, text, quote, value, said, basis):
    draft = f"{value} [1]." if value.isascii() else f"{value}[1]。"
    reflected = {"reason": "all is there", "decision": "finish", "missing": []}
    reply = found(value, quote, basis=basis, sentence=said)
    result, _ = await ask_one(question, text, reply, draft=draft, ReflectionReply=reflected)
    assert result["outcomes"]["task_1"]["basis"] == "implied"
    assert result["status"] == "partial"
    assert [gap["kind"] for gap in result["gaps"]] == ["implied"]


@pytest.mark.parametrize("verifier", ["supported", "not_there"])
async def test_code_that_stands_in_no_source_is_judged_and_marked(verifier):
    text = "Run the importer:\n\n```\nravel import --all\n```"
    draft = "Run this [1].\n\n```\n{}\n```\n"

    def judge(request: Request) -> dict[str, Any]:
        wrong = "--purge" in request.text.split("\nClaims:\n")[-1]
        verdict = verifier if wrong else "supported"
        return {"verdicts": [{"n": n, "verdict": verdict, "quote": "ravel import --all"} for n in (1, 2)]}

    for code, marked in (("ravel import --all", False), ("ravel drop --purge", True)):
        replies = {"draft": draft.format(code), "EntailmentReply": judge}
        result, _ = await ask_one("How is all imported?", text, found("ravel import", "ravel import --all"), **replies)
        assert ("```\n\n(unverified)" in result["answer"]) is marked
        assert result["status"] == ("partial" if marked else "complete")
        block = next(one for one in result["blocks"] if one["kind"] == "code")
        verdicts = [result["claims"][n]["verdict"] for n in block["claims"]]
        assert verdicts == ["unsupported"] if marked else ["quoted"]


@pytest.mark.parametrize(
    ("question", "text", "reply"),
    [
        (
            "In which county is Appleton?",
            "Appleton is the seat of Outagamie County.",
            found("Outagamie County", "seat of Outagamie County", basis="implied", sentence="Appleton is the seat of Outagamie County."),
        ),
        (
            "In which year was Alby founded?",
            "Alby was founded about 1201.",
            found("1201", "founded about 1201", missing="about", sentence="Alby was founded about 1201."),
        ),
        (
            "阿尔比建于哪一年？",
            "阿尔比约建于1201年。",
            found("1201", "约建于1201年", missing="大约", sentence="阿尔比约建于1201年。"),
        ),
    ],
)  # fmt: skip
async def test_an_implied_value_and_an_estimate_cost_no_draft(question: str, text: str, reply: dict[str, Any]):
    result, requests = await ask_one(question, text, reply)
    assert "draft" not in {request.schema for request in requests}
    assert result["answer"].startswith(reply["sentence"][:-1])


async def test_what_a_reader_gave_up_is_not_judged_again():
    gave_up = {"next": "give_up", "sentence": "The founding year of Bryn was not found.", "missing": "founding year of Bryn", "quotes": []}  # fmt: skip
    replies = [{"next": "search", "queries": ["Bryn charter"], "missing": "founding year"}, gave_up]
    _, requests = await ask_one("In which year was Bryn founded?", "Bryn is a town.", lambda _: replies.pop(0) if len(replies) > 1 else gave_up)  # fmt: skip
    assert "EntailmentReply" not in {request.schema for request in requests}


def test_each_sentence_of_a_finding_has_the_marks_of_its_own_passages():
    passages = [Evidence(id=passage_id(text), text=text, source="s.md", title="") for text in map(founded, TOWNS)]
    said = "Corve was not found. The year when Alby was founded is 1201. Bryn was founded in 1302."
    finding = Finding(text=said, evidence_ids=tuple(one.id for one in passages[:2]))
    sources = CitableSources(tuple(CitableSource(n, evidence=one) for n, one in enumerate(passages, 1)), "en")
    marked = _mark_finding(finding, sources, str, "Which town was founded first?")
    assert marked == said.replace("1201.", "1201 [1].").replace("1302.", "1302 [2].")


async def test_several_values_where_one_text_was_wanted_are_told_in_the_readers_sentence():
    text = "The towns of the Ost League are Alby, Bryn and Corve."
    result, requests = await ask_one(FIRST["description"], text, found([*TOWNS], text[:-1], sentence=text))
    assert [request.schema for request in requests].count("ReadReply") == 1
    assert "draft" not in {request.schema for request in requests}
    assert result["answer"].startswith(text[:-1])
    assert result["outcomes"]["task_1"]["value"] == "Alby, Bryn, Corve"


FOUNDED = "Which town was founded first, Alby or Bryn?"


async def compare(sentence: str, text: str = "founded") -> tuple[dict[str, Any], list[Request]]:
    texts = [f"{town} was {text} in {TOWNS[town]}, after a dispute." for town in ("Alby", "Bryn")]
    hops = [
        {"question": f"In which year was {town} founded?", "value": str(TOWNS[town]), "quotes": [{"passage": 0, "text": f"{town} was {text} in {TOWNS[town]}"}]}
        for town in ("Alby", "Bryn")
    ]  # fmt: skip
    reply = {**found("Alby", texts[0][:-1], sentence=sentence), "hops": hops}
    return await ask_one(FOUNDED, " ".join(texts), reply)


async def test_a_comparison_of_dates_that_code_knows_is_computed():
    result, requests = await compare("Alby is the oldest of them, founded in 1201; Bryn followed in 1302.")
    assert "EntailmentReply" not in {request.schema for request in requests}
    assert {claim["verdict"] for claim in result["claims"]} == {"computed"}
    assert result["status"] == "complete"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Alby is the oldest of them, founded in 1302; Bryn followed in 1201.", "founded"),  # of each other
        ("Bryn is the oldest of them, founded in 1302; Alby followed in 1201.", "founded"),
        ("Alby is the richest of them, founded in 1201; Bryn followed in 1302.", "founded"),
        ("Alby is the oldest of them, founded in 1201; Bryn followed in 1302.", "fortified"),  # another relation
    ],
)
async def test_else_a_comparison_is_judged(sentence: str, text: str):
    _, requests = await compare(sentence, text)
    assert "EntailmentReply" in {request.schema for request in requests}


LIBRARY = "The library of Corve Abbey was rebuilt by Odo Marsh."
MARSH = "Odo Marsh was born in 1702."


async def test_a_part_of_the_question_that_another_builds_on_is_told_too() -> None:
    question = "Who rebuilt the library of Corve Abbey, and in which year was he born?"
    first = {**FIRST, "description": "Who rebuilt the library of Corve Abbey?", "ret": "text"}
    second = {
        **SECOND,
        "description": "In which year was {{task_1.ret}} born?",
        "args": {"query": "{{task_1.ret}} born"},
    }
    second |= {"for_each": None, "is_answer": True}

    def read(request: Request) -> dict[str, Any]:
        said, value = (MARSH, "1702") if MARSH in request.text else (LIBRARY, "Odo Marsh")
        return {**found(value, said), "sentence": said}

    model = fake(
        AssessmentReply={**assessed(question, steps=1.0), "vertices": [first, second], "edges": [["task_1", "task_2"]]},
        ReadReply=read,
        ReflectionReply={"reason": "all", "decision": "finish", "missing": []},
        draft="Odo Marsh rebuilt the library of Corve Abbey [1]. Odo Marsh was born in 1702 [2].",
    )
    graph = build_graph(tools=[search_tool(lambda query: MARSH if "born" in query else LIBRARY)], models=model)
    result = (await graph.ainvoke({"question": question}, context=Context(web=False)))["result"]
    check_result(result)
    assert ["rebuilt" in result["answer"], "1702" in result["answer"]] == [True, True], result["answer"]
    assert result["status"] == "complete"
