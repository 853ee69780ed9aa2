"""Complete means complete: what an answer leaves open is planned, then named; and nothing is answered from memory."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, Request, fake
from tests.support.run import search_tool
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.nodes.writer.closing import _gives_value, _own_words
from weiwo.nodes.writer.opening import PartCheck
from weiwo.state import Outcome
from weiwo.state.ledger import QuestionPart
from weiwo.state.settings import Context

pytestmark = pytest.mark.usefixtures("indexed_home")

QUESTION = "Who built the bridge of Ansel, and what did it cost?"
BUILT = "The bridge of Ansel was built by Ida Holm."
COST = "It is recorded that the bridge of Ansel cost 4 million crowns."
BORN = "Ida Holm was born in Malmby."
FACTS = {"builder": BUILT, "cost": COST, "Ida Holm born": BORN}


def vertex(name: str, asks: str, query: str) -> dict[str, Any]:
    args = {"query": query}
    return {"id": name, "description": asks, "tool_binding": "corpus_search", "args": args, "thought": f"for {name}"}


def reads(value: str, quote: str, **more: Any) -> dict[str, Any]:
    quotes = [{"passage": 0, "text": quote}]
    return {"next": "answer", "value": value, "quotes": quotes, "confidence": 0.9, **more}


BUILDER = vertex("t1", "Who built the bridge of Ansel?", "builder")
PRICE = vertex("t2", "What did the bridge of Ansel cost?", "cost")
BIRTHPLACE = vertex("t2", "Where was {{t1.ret}} born?", "{{t1.ret}} born")


def assess(outside: float = 1.0, **more: Any) -> dict[str, Any]:
    scores = dict.fromkeys(("multi_step", "external_information", "tool_use", "comparison_or_calculation"), outside)
    return {"standalone_question": "", **scores, "reason": "r", **more}


TALK = (("human", "Hello"), ("ai", "Hello!"))


async def asked(
    question: str = QUESTION, chat: FakeModel | None = None, *, before: Sequence[tuple[str, str]] = (), **script: Any
) -> tuple[dict[str, Any], FakeModel]:
    chat = chat or fake(**script)
    graph = build_graph(models=chat, tools=[search_tool(FACTS.get)])
    given = {"messages": [*before, ("human", question)]} if before else {"question": question}
    result = (await graph.ainvoke(given, context=Context(web=False)))["result"]
    check_result(result)
    return result, chat


async def half_covered(plans: list[dict[str, Any]], **more: Any) -> tuple[dict[str, Any], FakeModel]:
    return await asked(
        AssessmentReply=assess(parts=["the builder", "the cost"]),
        PlanReply=plans,
        ReadReply=lambda r: (
            reads("4 million crowns", "cost 4 million crowns") if COST in r.text else reads("Ida Holm", "by Ida Holm")
        ),
        draft=draft_what_is_there,
        **more,
    )


def draft_what_is_there(request: Request) -> str:
    """A draft that says first what is missing, and then what there is."""
    facts = [fact for fact in FACTS.values() if fact in request.text]
    missing = "" if any(COST in fact for fact in facts) else "**MISSING:** what the bridge of Ansel cost\n\n"
    return missing + " ".join(f"{fact} [{n}]" for n, fact in enumerate(facts, 1))


async def test_a_part_the_plan_left_out_is_planned_and_answered() -> None:
    first, second = {"thought": "One look-up.", "vertices": [BUILDER]}, {"thought": "The cost.", "vertices": [PRICE]}
    result, chat = await half_covered([first, second])
    assert [one["decision"] for one in result["reflections"]] == ["finish", "deepen", "finish"]
    assert (result["status"], result["gaps"]) == ("complete", [])
    assert "4 million crowns" in result["answer"]
    assert len(chat.asked("draft")) == 2  # of the first nothing was spoken
    assert result["plan"]["thought"] == "The cost."
    assert [one["thought"] for one in result["plan"]["vertices"]] == ["for t1", "for t2"]


async def test_a_part_for_which_there_is_no_plan_is_named() -> None:
    result, _ = await half_covered([{"thought": "", "vertices": [BUILDER]}])
    assert (result["status"], result["stop_reason"]) == ("partial", "not_found")
    assert [gap["text"] for gap in result["gaps"]] == ["Not found: what the bridge of Ansel cost"]
    assert (
        result["answer"] == f"{BUILT} [1]\n\nNot found: what the bridge of Ansel cost"
    )  # said once, though twice named


async def test_a_draft_that_does_not_say_what_is_missing_leaves_it_to_reflection_and_so_do_later_ones() -> None:
    drafts = iter(("\nIda Holm built it [1].", *2 * [f"{BUILT[:-1]} [1]."]))
    chat = fake(
        AssessmentReply=assess(parts=["the builder", "the cost"]),
        PlanReply=lambda _: {"thought": "", "vertices": [BUILDER]},
        ReadReply=reads("Ida Holm", "by Ida Holm"),
        ReflectionReply={"decision": "finish", "reason": "r"},
        draft=lambda _: next(drafts),
    )
    for calls in (["draft", "ReflectionReply", "draft"], ["ReadReply", "ReflectionReply", "draft"]):
        result, _ = await asked(chat=chat)
        assert [request.schema for request in chat.requests][-3:] == calls
        assert result["answer"].startswith(f"{BUILT[:-1]} [1].\n\nNot answered: ")
        assert (result["status"], result["stop_reason"]) == ("partial", "not_found")


@pytest.mark.parametrize(("weak", "kind"), [({"basis": "implied"}, "implied"), ({"confidence": 0.4}, "doubted")])
async def test_a_chain_that_hangs_on_a_weak_value_is_partial_and_says_so(weak: dict[str, Any], kind: str) -> None:
    result, chat = await asked(
        "Where was the builder of the bridge of Ansel born?",
        AssessmentReply=assess(parts=["the birthplace"]),
        PlanReply={"thought": "", "vertices": [BUILDER, BIRTHPLACE]},
        ReadReply=lambda r: (
            reads("Malmby", "born in Malmby") if BORN in r.text else reads("Ida Holm", "Ida Holm", **weak)
        ),
        ReflectionReply={"decision": "finish", "reason": "r"},
        draft=lambda r: f"{BORN} [{1 if r.text.index(BORN) < r.text.index(BUILT) else 2}]",
    )
    assert (result["status"], result["stop_reason"]) == ("partial", "weak_evidence")
    assert [(gap["kind"], gap["task_id"]) for gap in result["gaps"]] == [(kind, "t1")]
    assert "The answer depends on this: “Ida Holm”" in result["answer"]
    assert "“Ida Holm”" in chat.asked("ReflectionReply")[0].text.split("Weak values:")[1]


NAMESAKE = "Rosa Mundt, a builder of bridges, was born in Malmby."


@pytest.mark.parametrize(
    ("passage", "quote"), [(NAMESAKE, "was born in Malmby"), (f"{BUILT} {BORN}", "Ida Holm was born in Malmby")]
)
async def test_a_chain_whose_link_no_passage_carries_is_partial(passage: str, quote: str) -> None:
    """A reader skips the first step of the chain; the answer is whole only where a passage tells both."""
    question = "Where was the builder of the bridge of Ansel born?"
    chat = fake(
        AssessmentReply=assess(parts=["the birthplace"]),
        PlanReply={"thought": "", "vertices": [vertex("t1", question, "builder")]},
        ReadReply=reads("Malmby", quote, sentence="The builder of the bridge of Ansel was born in Malmby."),
        ReflectionReply={"decision": "finish", "reason": "r", "missing": []},
        draft="The builder of the bridge of Ansel was born in Malmby [1].",
    )
    graph = build_graph(models=chat, tools=[search_tool(lambda _: passage)])
    result = (await graph.ainvoke({"question": question}, context=Context(web=False)))["result"]
    check_result(result)
    linked = passage != NAMESAKE
    assert result["status"] == ("complete" if linked else "partial"), result["answer"]
    assert bool(result["gaps"]) != linked


async def test_a_false_premise_that_is_corrected_is_a_complete_answer() -> None:
    said = {"next": "premise_wrong", "value": BUILT, "quotes": [{"passage": 1, "text": BUILT}], "confidence": 0.9}
    after = vertex("t2", "What else was built in {{t1.ret}}?", "{{t1.ret}}")
    result, _ = await asked(
        "What else was built in the year when Olaf Berg built the bridge of Ansel?",
        AssessmentReply=assess(parts=["other buildings of that year"]),
        PlanReply={"thought": "", "vertices": [{**BUILDER, "ret": "date"}, after]},
        ReadReply={**said, "missing": "that Olaf Berg built it"},
        ReflectionReply={"decision": "finish", "reason": "r"},
        draft=f"{BUILT} [1]",
    )
    assert (result["status"], result["gaps"]) == ("complete", [])
    assert result["outcomes"]["t1"]["premise"] == "that Olaf Berg built it"
    assert (result["outcomes"]["t1"]["type"], result["outcomes"]["t2"]["status"]) == ("text", "blocked")


@pytest.mark.parametrize(
    ("question", "level"), [("Who built the bridge of Ansel?", "moderate"), ("谁建造了安塞尔桥？", "moderate")]
)
async def test_a_value_is_looked_up_however_low_a_model_scores_the_question(question: str, level: str) -> None:
    result, _ = await asked(
        question,
        AssessmentReply=assess(0.0),
        ReadReply={"next": "give_up", "missing": "the builder"},
        ReflectionReply={"decision": "finish", "reason": "r"},
        draft="It was Olaf Berg.",
    )
    assert (result["level"], result["status"] == "complete") == (level, False)
    assert result["usage"]["tool_calls"] > 0


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("Explain how bridges carry loads", "(from the model, no source)"),
        ("请解释拱桥的原理", "（出自模型，没有来源）"),
    ],
)
async def test_an_account_from_memory_is_marked_and_not_complete(question: str, mark: str) -> None:
    said = "An arch carries loads by compression."
    result, _ = await asked(question, before=TALK, AssessmentReply=assess(0.0), draft=said)
    assert (result["status"], result["stop_reason"]) == ("unsourced", "no_source")
    assert result["answer"].endswith(mark)


async def test_talk_and_writing_are_complete_without_a_source() -> None:
    for question in ("Hello, who are you?", "Write a haiku about snow"):
        result, _ = await asked(question, AssessmentReply=assess(0.0), draft="Snow falls.")
        assert (result["status"], "no source" in result["answer"]) == ("complete", False)


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize(
    ("draft", "given", "missing", "left"),
    [
        ("MISSING: none\nAda was born.", True, (), "Ada was born."),
        ("Here is the answer:\n\nMISSING: the price; the year\nAda.", True, ("the price", "the year"), "Ada."),
        ("以下是答案：\n**MISSING:** 无\n李白。", True, (), "李白。"),
        ("Here is the answer:\n\nAda was born.", False, (), "Here is the answer:\n\nAda was born."),
        ("No label.\nMISSING: it says nothing here", False, (), "No label.\nMISSING: it says nothing here"),
    ],
)
async def test_the_line_is_taken_out_also_after_a_lead_in(
    draft: str, *, given: bool, missing: tuple[str, ...], left: str, size: int
) -> None:
    async def deltas() -> AsyncGenerator[str, None]:
        for start in range(0, len(draft), size):
            yield draft[start : start + size]

    check = PartCheck()
    assert "".join([delta async for delta in check.strip(deltas())]) == left
    assert (check.given, check.missing) == (given, missing)


async def test_a_draft_that_leaves_a_part_out_is_partial_and_names_it() -> None:
    two = {"thought": "", "vertices": [BUILDER, PRICE]}
    result, _ = await asked(
        AssessmentReply=assess(parts=["the builder", "the cost"]),
        PlanReply=two,
        ReadReply=lambda request: (
            reads("4 million crowns", "4 million crowns")
            if BUILT not in request.text
            else reads("Ida Holm", "by Ida Holm")
        ),
        ReflectionReply={"decision": "finish", "reason": "r", "missing": []},
        draft=f"{BUILT[:-1]} [1].",
    )
    assert result["status"] == "partial"
    assert any("cost" in gap["text"].lower() for gap in result["gaps"])
    assert [part["outcome"] for part in result["parts"]].count("answered") == 1


async def test_what_needs_nothing_outside_is_searched_first_and_then_told_from_knowledge_and_marked() -> None:
    chat = fake(
        AssessmentReply=assess(0.0),
        ReadReply={"next": "give_up", "missing": "no passage tells"},
        ReflectionReply={"decision": "finish", "reason": "r", "missing": []},
        draft="Recursion is a function that calls itself.",
    )
    result, _ = await asked("What is recursion?", chat)
    assert "Recursion is a function that calls itself." in result["answer"]
    assert "(from the model, no source)" in result["answer"]
    assert (result["status"], result["stop_reason"], result["citations"]) == ("unsourced", "no_source", [])
    assert result["plan"] is not None


def test_a_part_that_names_only_the_form_of_an_answer_asks_for_no_words() -> None:
    asked = ("the best ferry", "reasons", "理由")
    parts = [QuestionPart(attribute=words, outcome="not_asked") for words in asked]
    assert [bool(_own_words(part, parts)) for part in parts] == [True, False, False]


@pytest.mark.parametrize(
    ("value", "text", "given"),
    [
        (["Rome", "Bari"], "rome and bari", True),
        (["Rome", "Bari"], "chrome from bari", False),
        (14.0, "in 2014", False),
        (14.0, "it took 14 weeks", True),
        (["北京", "上海"], "有北京和上海。", True),
    ],
)
def test_the_values_of_a_task_are_given_as_words_of_their_own(value: Any, text: str, *, given: bool) -> None:
    kind = "list[text]" if isinstance(value, list) else "number"
    outcome = Outcome(task_id="t1", status="succeeded", value=value, type=kind)
    assert _gives_value(text, outcome, "en") is given
