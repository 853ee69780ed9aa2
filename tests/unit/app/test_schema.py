"""The JSON schema of a result: takes what the state's own types produce, refuses what breaks a promise."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from tests.support.result_schema import generate
from weiwo.state import Block, Claim, Evidence, Extract, Failure, Outcome, Plan, Quote, Rival, Usage
from weiwo.state.answer import Citation, Gap, Mark
from weiwo.state.ledger import QuestionPart
from weiwo.state.limits import ModelCall
from weiwo.state.result import Result, Review

SCHEMA = json.loads((Path(__file__).parents[3] / "app" / "result.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

PLAN = Plan.from_json(
    {
        "vertices": [
            {
                "id": "a",
                "description": "A?",
                "tool_binding": "corpus_search",
                "args": {"query": "a"},
                "ret": "list[text]",
            },
            {"id": "b", "tool_binding": "corpus_search", "args": {}, "ret": "date", "for_each": "{{a.ret}}"},
        ]
    }
)
CALL = ModelCall(role="planner", purpose="plan", model="openai:m", mode="json_text", error="timeout")
FAILED = Outcome(task_id="b", status="failed", failure=Failure(task_id="b", kind="timeout", message="m"))
QUOTES = (Quote(evidence_id="e", text="甲"),)
DISAGREED = Outcome(
    task_id="a",
    status="succeeded",
    value=["甲"],
    type="list[text]",
    support=2,
    rivals=(Rival(value=["乙"], evidence_ids=("e",), quotes=QUOTES),),
)
FOUND = Evidence(
    id="e", text="甲", source="a.md", task_ids=("a",), provider="p", also=("b.md",), flags=("instructions",)
)
RESULT = Result(
    question="谁？",
    language="zh",
    status="partial",
    stop_reason="not_found",
    level="complex",
    team="planner_enhanced",
    answer="甲。[1]",
    marks=(Mark(n=1, start=2, end=5),),
    citations=(Citation(n=1, source="a.md", title="A", quote="甲", evidence_id="e", also=("b.md",)),),
    claims=(Claim(text="甲。", citations=(1,), verdict="supported"),),
    lead="answer",
    parts=(QuestionPart(attribute="谁", outcome="answered", claims=(0,), task_ids=("a",)),),
    gaps=(Gap(kind="failed", text="m", task_id="b"),),
    plan=PLAN.form,
    outcomes={"a": DISAGREED, "b": FAILED},
    evidence=(FOUND,),
    reflections=(Review(decision="retry", reason="timeout", decided_by="rule"),),
    usage=Usage(calls=(CALL,)),
    thread_id="t",
    extracts=(Extract(n=1, source="a.md", title="A", text="甲。", highlights=((0, 2),), evidence_id="e"),),
    asserted=("look_up:name",),
    blocks=(Block(kind="paragraph", text="甲。[1]", claims=(0,)),),
    checked=True,
)
COMPLEX = RESULT.to_json()
NOTHING = {"citations": (), "claims": (), "extracts": (), "asserted": (), "outcomes": {}, "evidence": (), "blocks": ()}
ALONE = {"status": "complete", "stop_reason": "finished", "level": "simple", "team": "writer_only", "plan": None}
SIMPLE = RESULT.model_copy(update={**NOTHING, **ALONE, "parts": (), "gaps": (), "reflections": ()}).to_json()


def changed(path, value):
    """The complex result with one place changed; `None` as value takes the last key away."""
    result = copy.deepcopy(COMPLEX)
    place = result
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("result", [COMPLEX, SIMPLE], ids=["complex", "simple"])
def test_good_results_pass(result):
    assert list(VALIDATOR.iter_errors(result)) == []


def test_the_published_files_are_those_that_the_model_gives():
    stale = [path.name for path, text in generate().items() if path.read_text("utf-8") != text]
    assert stale == [], "run `make result-schema`"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(([key], None) for key in COMPLEX),
        (["surplus"], 1),
        (["question"], ""),
        (["language"], "German!"),
        (["status"], "done"),
        (["level"], "hard"),
        (["team"], "everybody"),
        (["citations", 0, "n"], 0),
        (["citations", 0, "quote"], None),
        (["claims", 0, "verdict"], "true"),
        (["extracts", 0, "highlights"], [[0]]),
        (["extracts", 0, "evidence_id"], None),
        (["claims", 0, "citations"], ["1"]),
        (["plan"], {}),
        (["plan", "vertices", 0, "ret"], "string"),
        (["plan", "vertices", 0, "tool_binding"], None),
        (["plan", "edges"], [["a"]]),
        (["outcomes", "a", "status"], "ok"),
        (["outcomes", "a", "decided_by"], "llm"),
        (["outcomes", "a", "task_id"], "a"),
        (["evidence", 0, "rank"], 1),
        (["parts", 0, "task_ids"], ["a"]),
        (["outcomes", "b", "value"], "a value without success"),
        (["outcomes", "a", "support"], -1),
        (["outcomes", "a", "rivals", 0, "quotes"], None),
        (["outcomes", "a", "rivals", 0, "evidence_ids"], None),
        (["citations", 0, "also"], ["b.md", "b.md"]),
        (["evidence", 0, "also"], [""]),
        (["evidence", 0, "flags"], "instructions"),
        (["evidence", 0, "task_ids"], None),
        (["reflections", 0, "decision"], "give up"),
        (["usage", "seconds"], -1),
        (["usage", "calls", 0, "role"], "boss"),
        (["usage", "calls", 0, "tokens"], 1),
    ],
    ids=lambda part: ".".join(map(str, part)) if isinstance(part, list) else "",
)
def test_bad_results_do_not(path, value):
    assert not VALIDATOR.is_valid(changed(path, value))
