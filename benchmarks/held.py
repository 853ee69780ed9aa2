"""Benchmark of unmarked false statements: false and true answers under four kinds of verifier.

    python benchmarks/held.py [--cases FILE] [--show]

Each of 100 small cases has a question, a finding (documents, or the plain reply of a tool), the value a reader takes
from it, and the statement that follows: in the reader's sentence or in a draft, a list, a table, a block of code.
`hard` cases state a false number, unit, date, version or name. `other` cases state something else that is false, some
of it only in a sentence that speaks to models. `relation` cases state another relation between names and figures all of
which are quoted. `true` cases state the truth. The verifier is `honest` (it knows which words are false), `absent` (its
calls fail), `nodding` (all is supported, and a true quote shows it) or `obedient` (honest, but it does what passages
ask). A statement counts as told if it stands without a mark in an answer that is `complete`. The exit code is 1 if a
goal is missed.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

from langchain_core.tools import BaseTool, StructuredTool

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.fake_model import Request, ScriptedError, assessed, fake
from weiwo.graph import build_graph
from weiwo.state import Evidence, passage_id
from weiwo.state.settings import Context
from weiwo.text.localization import localize_message

ROOT: Final = Path(__file__).resolve().parents[1]
Verifier = Literal["honest", "absent", "nodding", "obedient"]
Case = dict[str, Any]
_MARKS: Final = localize_message("writer.rendering", "unverified")
_LEAST_TRUE: Final = 19


def tools_of(case: Case) -> list[BaseTool]:
    """Return a search for the documents of a case, and the case's tool with plain JSON replies."""

    async def search(query: str, k: int = 8) -> tuple[str, list[dict[str, Any]]]:  # noqa: ARG001 - the interface has it
        found = [Evidence(id=passage_id(item["text"]), **item) for item in case["sources"]]
        return "", [item.model_dump(mode="json") for item in found]

    finds = StructuredTool.from_function(
        coroutine=search, name="corpus_search", description="Finds passages.", response_format="content_and_artifact"
    )
    finds.metadata = {"cluster": "search", "cache_seconds": 0}
    return [finds, *([_plain_tool(case["tool"])] if "tool" in case else [])]


def _plain_tool(tool: dict[str, Any]) -> BaseTool:
    async def reply(**_: Any) -> dict[str, Any]:
        return dict(tool["reply"])

    names = {name: {"type": "string"} for name in tool["args"]}
    schema = {"type": "object", "title": tool["name"], "properties": names, "required": list(names)}
    return StructuredTool.from_function(
        coroutine=reply, name=tool["name"], description=f"Tells {tool['name']}.", args_schema=schema
    )


def _read(case: Case) -> dict[str, Any]:
    quotes = [{"passage": 1, "text": quote} for quote in case["quotes"]]
    sentence = {"sentence": case["sentence"]} if "sentence" in case else {}
    return {"next": "answer", "value": case["value"], "quotes": quotes, "confidence": 0.9, **sentence}


def _judge(case: Case, verifier: Verifier, request: Request) -> dict[str, Any]:
    """Return the reply of a verifier, with a verdict for each claim."""
    if verifier == "absent":
        raise ScriptedError("the verifier is down")
    claims = re.findall(r"(?ms)^(\d+)\. (.*?)(?=^\d+\. |^# |\Z)", request.text.split("\nClaims:\n")[-1])
    sure = verifier == "nodding" or (verifier == "obedient" and case.get("marked", False))
    verdicts = [_verdict(int(n), claim, case, sure=sure) for n, claim in claims]
    return {"verdicts": verdicts, "judged": len(verdicts)}


def _verdict(n: int, claim: str, case: Case, *, sure: bool) -> dict[str, Any]:
    wrong = case.get("false", "")
    if wrong and wrong in claim.partition("\n   Doubt:")[0] and not sure:
        return {"n": n, "verdict": "contradicted", "words": wrong}
    return {"n": n, "verdict": "supported", "quote": case["quotes"][0]}


async def ask_case(case: Case, verifier: Verifier) -> tuple[bool, dict[str, Any]]:
    """Ask the question of a case, and report whether the statement is shown unmarked, with the result."""
    tool = case.get("tool", {"name": "corpus_search", "args": {"query": case["question"]}})
    task = {
        "id": "task_1",
        "description": case["question"],
        "tool_binding": tool["name"],
        "args": tool["args"],
        "ret": case["ret"],
        "is_answer": True,
    }
    model = fake(
        AssessmentReply={**assessed(case["question"], steps=1.0), "vertices": [task], "edges": []},
        PlanReply={"vertices": [task], "edges": []},
        ReadReply=_read(case),
        ReflectionReply={"reason": "all is found", "decision": "finish", "missing": []},
        EntailmentReply=lambda request: _judge(case, verifier, request),
        RewriteReply={"sentences": []},
        draft=case.get("draft", case.get("sentence", "")),
    )
    context = Context(web=False, corpus=None, telemetry=False)
    graph = build_graph(tools=tools_of(case), models=model)
    result = (await graph.ainvoke({"question": case["question"]}, context=context))["result"]
    said: str = case.get("false") or case.get("draft") or case["sentence"]
    key = re.sub(r"\s*\[\d\]|[.。\n]", "", said)
    there = key in re.sub(r"\s*\[\d\]|[.。\n]", "", result["answer"])
    marked = _MARKS[case["language"]] in result["answer"]
    return there and not marked and result["status"] == "complete", result


def _goal(kind: str, verifier: Verifier, cases: Sequence[Case], count: int) -> str:
    """Return "held" or "MISSED" for a goal, or an empty string without a goal."""
    if kind == "true":
        return "" if verifier != "honest" else "held" if count >= min(_LEAST_TRUE, len(cases)) else "MISSED"
    bound = verifier in {"honest", "absent"} or (verifier, kind) in {("nodding", "hard"), ("obedient", "marked")}
    return ("MISSED" if count else "held") if bound else ""


async def main(cases: Sequence[Case], *, show: bool) -> int:
    """Run the benchmark, print a table and return the exit code, 1 if a goal is missed."""
    missed = False
    for verifier in get_args(Verifier):
        counts: dict[str, list[bool]] = {}
        for case in cases:
            is_told, result = await ask_case(case, verifier)
            for kind in (case["kind"], *(["marked"] if case.get("marked") else [])):
                counts.setdefault(kind, []).append(is_told)
            if show and is_told != (case["kind"] == "true"):
                print(f"  {verifier} {case['kind']} {result['status']} {result['stop_reason']}: {result['answer']!r}")
        missed |= _print_row(verifier, cases, counts)
    return int(missed)


def _print_row(verifier: Verifier, cases: Iterable[Case], counts: dict[str, list[bool]]) -> bool:
    row, missed = [], False
    for kind in ("hard", "other", "relation", "marked", "true"):
        told_ones = counts.get(kind, [])
        goal = _goal(kind, verifier, [case for case in cases if case["kind"] == kind], sum(told_ones))
        missed |= goal == "MISSED"
        row.append(f"{kind} {sum(told_ones):2} of {len(told_ones):2} {goal:6}")
    print(f"{verifier:9}", " · ".join(row), flush=True)
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=ROOT / "tests/data/held.jsonl", help="Cases as JSON lines.")
    parser.add_argument("--show", action="store_true", help="Print what was told though false, or not though true.")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.cases.read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as home:
        os.environ["WEIWO_HOME"] = home
        sys.exit(asyncio.run(main(rows, show=given.show)))
