"""The JSON schema of a result: takes what the state's own types produce, refuses what breaks a promise."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from weiwo.state import Citation, Claim, Evidence, Extract, Failure, Outcome, Plan, Quote, Rival, Usage
from weiwo.state.limits import ModelCall

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
COMPLEX = {
    "question": "谁？",
    "language": "zh",
    "status": "partial",
    "stop_reason": "not_found",
    "level": "complex",
    "team": "planner_enhanced",
    "answer": "甲。[1]",
    "citations": [
        Citation(n=1, source="a.md", title="A", quote="甲", evidence_id="e").model_dump(mode="json")
        | {"also": ["b.md"]}
    ],
    "claims": [Claim(text="甲。", citations=(1,), verdict="supported").model_dump(mode="json")],
    "extracts": [
        Extract(n=1, source="a.md", title="A", text="甲。", highlights=((0, 2),), evidence_id="e").model_dump(
            mode="json"
        )
    ],
    "asserted": ["look_up:name"],
    "plan": PLAN.to_json(),
    "outcomes": {
        "a": DISAGREED.model_dump(mode="json"),
        "b": FAILED.model_dump(mode="json", exclude={"task_id"}),
    },
    "evidence": [FOUND.model_dump(mode="json")],
    "reflections": [{"decision": "retry", "reason": "timeout", "decided_by": "rule"}],
    "usage": Usage(calls=(CALL,)).model_dump(mode="json"),
    "thread_id": "t",
}
SIMPLE = {
    **COMPLEX,
    "status": "complete",
    "stop_reason": "finished",
    "level": "simple",
    "team": "writer_only",
    "citations": [],
    "claims": [],
    "extracts": [],
    "asserted": [],
    "plan": None,
    "outcomes": {},
    "evidence": [],
    "reflections": [],
}


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
    VALIDATOR.validate(result)


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
