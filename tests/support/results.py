"""Results as the writer makes them, for what shows them."""

from typing import Any

ANSWER = """## Prices

Aurora costs **20 euros** a month [1]. It was founded in 2011 [2]; see `aurora --help`.

| Year | Price (EUR) |
|---|---|
| 2021 | 15 [2] |
| 2022 | 18 [2] |
| 2023 | 20 [1] |

1. First, install it [1].
   - On Linux, take the package.
2. Then run it (unverified).

```python
print("<b>hello</b>")
```

> Words of the maker.
"""


def make_result(answer: str = ANSWER, **changes: Any) -> dict[str, Any]:
    """A result about two versions of a private document, a page of the web and a calculation."""
    claims = [
        {"text": "Aurora costs **20 euros** a month.", "citations": [1], "verdict": "quoted"},
        {"text": "It was founded in 2011; see `aurora --help`.", "citations": [2], "verdict": "supported"},
        {"text": "15", "citations": [2], "verdict": "matched"},
        {"text": "18", "citations": [2], "verdict": "matched"},
        {"text": "20", "citations": [1], "verdict": "matched"},
        {"text": "First, install it.", "citations": [1], "verdict": "judgement"},
        {"text": "Then run it (unverified).", "citations": [], "verdict": "unsupported", "reason": "run: nowhere"},
    ]
    result: dict[str, Any] = {
        "question": "What does Aurora cost?",
        "language": "en",
        "status": "partial",
        "stop_reason": "not_found",
        "level": "moderate",
        "team": "executor_inclusive",
        "answer": answer,
        "citations": [
            {
                "n": 1,
                "source": "https://docs.example.org/api?x=1",
                "title": "Aurora: prices & plans",
                "quote": "Aurora costs 20 euros a month.",
                "evidence_id": "e1",
                "locator": "",
                "also": ["https://mirror.example.net/api"],
            },
            {
                "n": 2,
                "source": "docs/pricing_v1.2.md",
                "title": "Pricing 100% {old}",
                "quote": "Aurora was founded in 2011.",
                "evidence_id": "e2",
                "locator": "page 2",
            },
            {
                "n": 3,
                "source": "task:t3",
                "title": "Calculation",
                "quote": "20 - 15 = 5",
                "evidence_id": "t3",
                "locator": "",
            },
        ],
        "claims": claims,
        "gaps": [{"kind": "uncovered", "text": "Not found: what it cost in 2020", "task_id": ""}],
        "plan": {
            "revision": 0,
            "decided_by": "model",
            "vertices": [
                {
                    "id": "t1",
                    "description": "What does Aurora cost now?",
                    "tool_binding": "web_search",
                    "args": {},
                    "ret": "number",
                },
                {
                    "id": "t2",
                    "description": "What did it cost in 2021?",
                    "tool_binding": "corpus_search",
                    "args": {},
                    "ret": "number",
                },
                {
                    "id": "t3",
                    "description": "{{t1.ret}} - {{t2.ret}}",
                    "tool_binding": "calculator",
                    "args": {},
                    "ret": "number",
                },
            ],
            "edges": [["t1", "t3"], ["t2", "t3"]],
        },
        "outcomes": {
            "t1": {
                "status": "succeeded",
                "value": 20,
                "type": "number",
                "tool": "web_search",
                "detail": {"shown": "20 EUR"},
            },
            "t2": {"status": "empty", "value": None, "type": "number", "tool": "corpus_search"},
        },
        "evidence": [
            {
                "id": "e1",
                "source": "https://docs.example.org/api?x=1",
                "title": "Aurora: prices & plans",
                "text": "All plans.\nAurora costs 20 euros\na month. Nova costs 30.",
                "score": 1.0,
                "task_ids": ["t1"],
                "date": "2024-03-05",
            },
            {
                "id": "e2",
                "source": "docs/pricing_v1.2.md",
                "title": "Pricing 100% {old}",
                "text": "Aurora was founded in 2011.",
                "score": 0.5,
                "task_ids": ["t2"],
                "date": "2022-01-31",
                "flags": ["file_date"],
                "superseded_by": "pricing_v2.md",
            },
        ],
        "reflections": [],
        "usage": {
            "model_calls": 4,
            "input_tokens": 9,
            "output_tokens": 9,
            "tool_calls": 2,
            "seconds": 1.0,
            "calls": [],
        },
        "thread_id": "20250102-030405-abcd",
        "extracts": [],
        "asserted": [],
    }
    return {**result, **changes}
