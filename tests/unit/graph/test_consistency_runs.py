"""Values that do not fit together, over whole runs: reflection is told of them, and the answer leaves them open."""

import re
from typing import Any, NamedTuple

import pytest

from tests.support.fake_model import Request, assessed, fake, found
from tests.support.run import search_tool
from tests.support.schema import check_result
from weiwo.graph import build_graph


class Case(NamedTuple):
    """A question whose values do not fit.

    Attributes:
        question: The question.
        tasks: Of each what it asks, the passage it finds, and the value a model reads there; of a calculation the
            formula, and no passage; of one that runs over the first's list, both for each item.
        told: What reflection and the answer say of it.
    """

    question: str
    tasks: tuple[tuple[str, Any, Any], ...]
    told: str


CASES = {
    "order": Case(
        "How long did Ada Lovelace live?",
        (
            ("When was Ada Lovelace born?", "Ada Lovelace was born in 1852.", "1852"),
            ("When did Ada Lovelace die?", "Ada Lovelace died in 1815.", "1815"),
        ),
        "“When was Ada Lovelace born” (1852) and “When did Ada Lovelace die” (1815): the first cannot come after",
    ),
    "rivals": Case(
        "How long is the Nile, and what is its length by another source?",
        (
            ("How long is the Nile?", "The Nile is 6,650 kilometres long.", 6650),
            ("What is the length of the Nile?", "The Nile has a length of 6,853 kilometres.", 6853),
        ),
        "(6,650 km) and “What is the length of the Nile” (6,853 km): two values for the same thing",
    ),
}


async def run(case: Case, **more: Any) -> tuple[dict[str, Any], str]:
    """The result of a run, and what reflection was told; a reader is told `more` beside each value."""
    asked = {}
    for what, passages, values in case.tasks:
        if "{{item}}" in what:
            items = case.tasks[0][2]
            for item, passage, value in zip(items, passages, values, strict=True):
                asked[what.replace("{{item}}", item)] = (passage, value)
        elif passages:
            asked[what] = (passages, values)

    def read(request: Request) -> dict[str, Any]:
        passage, value = asked[re.findall(r"^Task: (.*)$", request.text, re.MULTILINE)[-1]]
        return found(value, passage.partition("\n")[0], **more)

    model = fake(
        AssessmentReply=assessed(case.question, steps=1.0),
        PlanReply={"vertices": [vertex(n, *one) for n, one in enumerate(case.tasks, 1)]},
        ReadReply=read,
        ReflectionReply={"reason": "nothing more can be found", "decision": "finish", "missing": []},
        EntailmentReply={"verdicts": []},
        draft=" ".join(f"{passage[:-1]} [{n}]." for n, (passage, _) in enumerate(asked.values(), 1)),
    )
    graph = build_graph(tools=[search_tool(lambda query: asked[query][0])], models=model)
    result = (await graph.ainvoke({"question": case.question}))["result"]
    check_result(result)
    (prompt,) = {request.text for request in model.asked("ReflectionReply")}
    return result, prompt


def vertex(n: int, asked: str, passage: Any, value: Any) -> dict[str, Any]:
    """A task of a plan."""
    tool, args = ("corpus_search", {"query": asked}) if passage else ("calculator", {"expression": value})
    ret = "list[text]" if isinstance(value, list) else "number" if not passage or isinstance(value, int) else "date"
    more = {"for_each": "{{task_1.ret}}"} if "{{item}}" in asked else {}
    return {"id": f"task_{n}", "description": asked, "tool_binding": tool, "args": args, "ret": ret, **more}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("indexed_home")
async def test_it_is_seen_and_told(name):
    result, prompt = await run(CASES[name])
    assert CASES[name].told in prompt.partition("Values that do not fit together:")[2]
    assert [gap["kind"] for gap in result["gaps"]] == ["inconsistent"]
    assert CASES[name].told in result["answer"]
    assert result["status"] == "partial"


@pytest.mark.usefixtures("indexed_home")
async def test_so_are_rival_sources():
    tall, taller = "The Alder Tower is 120 metres tall.", "Others say that the Alder Tower is 150 metres tall."
    tasks = (("How tall is the Alder Tower?", f"{tall}\n{taller}", 120), ("Twice?", "", "2 * {{task_1.ret}}"))
    others = [{"value": 150, "quotes": [{"passage": 1, "text": taller}]}]
    result, prompt = await run(Case("What is twice the height of the Alder Tower?", tasks, ""), others=others)
    (line,) = re.findall(r"^- task_1: disputed by other sources; .*$", prompt, re.MULTILINE)
    assert re.search(r"rests on “The Alder Tower is 120 .*; against it: “Others .* 150 .*; other tasks build on", line)
    assert [gap["kind"] for gap in result["gaps"]] == ["disputed"]
    assert "The answer depends on this: sources disagree about “120”" in result["answer"]
    assert result["status"] == "partial"
