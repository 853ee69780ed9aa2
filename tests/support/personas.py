"""Model personalities for whole runs: what a good model answers to each of Weiwo's prompts.

`good` reads the prompts it is sent (tools, passages, findings) and answers as a careful model would, for the
questions the tests ask over the sample corpus. The others in `tests.support.openai_server` make worse models of it.
"""

import re
from typing import Any

from tests.support.fake_model import check_parts
from tests.support.openai_server import Json, Reply, asked_schema, last_message, prompt, structured, text

WU_OR_CAESAR = "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?"
WU_OR_CAESAR_ZH = "汉武帝和凯撒谁年长?大多少岁?"
HELLO = "Hello, who are you?"
UNANSWERABLE = "What was Julius Caesar's shoe size?"

FACTS = [
    (r"Emperor Wu", r"(?:He was )?born in 156 BC", "-156"),
    (r"Caesar", r"(?:He was )?born in Rome on 12 July 100 BC", "-100-07-12"),
    (r"汉武帝", r"公元前156年出生", "-156"),
    (r"凯撒", r"公元前100年7月12日出生", "-100-07-12"),
]
"""What a task asks about, the words that tell, and the value."""


def good(request: Json) -> Reply:
    """A model that does what the prompts ask."""
    makers = {
        "AssessmentReply": _assess,
        "PlanReply": _plan,
        "ReadReply": _read,
        "BatchReadReply": _read_batch,
        "ReflectionReply": _reflect,
    }
    name = asked_schema(request)
    if name in makers:
        return structured(request, makers[name](request))
    if name == "RewriteReply":
        return structured(request, {"sentences": []})
    if name == "EntailmentReply":
        return structured(request, judge_all(request, "supported"))
    if name == "RepairReply":
        return structured(request, {"vertices": []})
    return text(check_parts(_write(request), prompt(request)))


def judge_all(request: Json, verdict: str) -> Json:
    """One verdict for every claim that a request lists, with the words around the value that is doubted in it."""
    passages, _, claims = _user_text(request).rpartition("\nClaims:\n")
    listed = re.findall(r"^(\d+)\. .*(?:\n   Doubt: “([^”]*)”)?", claims, re.MULTILINE)
    return {"verdicts": [{"n": int(n), "verdict": verdict, "quote": _around(value, passages)} for n, value in listed]}


def _around(value: str, passages: str) -> str:
    """The line of a passage that holds a value."""
    return next((line for line in passages.splitlines() if value and value in line and line[:1] != "<"), "")


def _assess(request: Json) -> Json:
    question = _user_text(request).split("Last message: ")[-1].splitlines()[0]
    compares = bool(re.search(r"older|谁年长", question))
    outside = 0.0 if question.startswith("Hello") else 1.0
    return {
        "standalone_question": question,
        "multi_step": float(compares),
        "external_information": outside,
        "tool_use": outside,
        "comparison_or_calculation": float(compares),
        "reason": "two births are compared" if compares else "one message",
    }


def _plan(request: Json) -> Json:
    chinese = "汉武帝" in _user_text(request)
    asked = (
        [("汉武帝生于哪一年?", "汉武帝 出生"), ("凯撒生于哪一年?", "凯撒 出生")]
        if chinese
        else [
            ("When was Emperor Wu of Han born?", "Emperor Wu of Han born"),
            ("When was Julius Caesar born?", "Julius Caesar born"),
        ]
    )
    vertices: list[Json] = [
        {
            "id": f"task_{n}",
            "description": description,
            "tool_binding": "corpus_search",
            "args": {"query": query},
            "ret": "date",
        }
        for n, (description, query) in enumerate(asked, 1)
    ]
    vertices.append(
        {
            "id": "task_3",
            "description": "两人相差多少岁?" if chinese else "How many years lie between the births?",
            "tool_binding": "date_difference",
            "args": {"start": "{{task_1.ret}}", "end": "{{task_2.ret}}", "unit": "years"},
            "ret": "number",
        }
    )
    return {"thought": "Two births, then the difference.", "vertices": vertices, "edges": [["task_1", "task_3"]]}


def _read(request: Json) -> Json:
    said = _user_text(request)
    task = re.search(r"^Task: (.*)$", said, re.MULTILINE)
    if answer := _answer(task[1] if task else "", said):
        return {"next": "answer", **answer}
    return {"next": "give_up", "value": None, "quotes": [], "confidence": 0.0, "missing": "no passage tells"}


def _read_batch(request: Json) -> Json:
    said = _user_text(request)
    asked = re.findall(r"^Task (\d+): (.*)$", said, re.MULTILINE)
    return {"answers": [{"task": int(n), **found} for n, task in asked if (found := _answer(task, said))]}


def _answer(asked: str, said: str) -> Json:
    for subject, words, value in FACTS:
        if re.search(subject, asked) and re.search(r"born|出生|生于", asked):
            for n, passage in _passages(said):
                if found := re.search(words, passage):
                    return {"value": value, "quotes": [{"passage": n, "text": found[0]}], "confidence": 0.95}
    return {}


def _reflect(_: Json) -> Json:
    return {"decision": "finish", "reason": "nothing more can be found", "missing": []}


def _write(request: Json) -> str:
    said = _user_text(request)
    if "Findings:" not in said:
        return "Hello! I am Weiwo. I plan before I search."
    numbers = {}
    for n, passage in _passages(said):
        for subject, words, _value in FACTS:
            if re.search(words, passage):
                numbers.setdefault(subject, n)
    sum_ = re.search(r'<calculation n="(\d+)">', said)
    if "汉武帝" in said.split("Findings:")[0] and {"汉武帝", "凯撒"} <= numbers.keys() and sum_:
        return (
            f"汉武帝比凯撒年长56岁[{sum_[1]}]。汉武帝生于公元前156年[{numbers['汉武帝']}]。"
            f"凯撒生于公元前100年7月12日[{numbers['凯撒']}]。"
        )
    if {"Emperor Wu", "Caesar"} <= numbers.keys() and sum_:
        return (
            f"Emperor Wu of Han was older than Julius Caesar, by 56 years [{sum_[1]}]. "
            f"Emperor Wu of Han was born in 156 BC [{numbers['Emperor Wu']}]. "
            f"Julius Caesar was born on 12 July 100 BC [{numbers['Caesar']}]."
        )
    return "The sources do not say." if "汉" not in said.split("Findings:")[0] else "资料中没有找到答案。"


def _passages(said: str) -> list[tuple[int, str]]:
    return [(int(n), body) for n, body in re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', said, re.DOTALL)]


def _user_text(request: Json) -> str:
    """The newest message that carries the task; a repair turn comes after it."""
    users = [message for message in request["messages"] if message["role"] == "user"]
    return prompt({"messages": users}) if users else last_message(request)


def with_bad_plans(times: int) -> Any:
    """A good model whose first plans bind a tool that does not exist."""
    made = iter(range(times))

    def handler(request: Json) -> Reply:
        if asked_schema(request) == "PlanReply" and (number := next(made, None)) is not None:
            plan = _plan(request)
            plan["vertices"][0]["tool_binding"] = f"crystal_ball_{number}"
            return structured(request, plan)
        return good(request)

    return handler
