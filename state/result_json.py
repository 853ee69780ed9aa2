"""A result as JSON values. Generated from state/result.py by `make result-schema`; do not edit."""

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12


class ResultJson(TypedDict, total=False):
    """An answer and everything behind it; `weiwo.state.result.Result` says what each field is."""

    question: str
    standalone: str
    language: str
    status: Literal["complete", "extracts", "partial", "unsourced", "failed"]
    stop_reason: str
    level: Literal["simple", "moderate", "complex"]
    team: Literal["writer_only", "executor_inclusive", "planner_enhanced"]
    answer: str
    marks: list[dict[str, Any]]
    citations: list[dict[str, Any]]
    claims: list[dict[str, Any]]
    wishes: list[str]
    lead: Literal["answer", "neutral", "denial"]
    parts: list[dict[str, Any]]
    gaps: list[dict[str, Any]]
    plan: dict[str, Any] | None
    outcomes: dict[str, dict[str, Any]]
    evidence: list[dict[str, Any]]
    reflections: list[dict[str, Any]]
    usage: dict[str, Any]
    thread_id: str
    extracts: list[dict[str, Any]]
    confidence: float | None
    asserted: list[str]
    notices: list[str]
    blocks: list[dict[str, Any]]
    checked: bool
    from_thread: str
    answered_at: str
    refreshed: dict[str, Any] | None
    files: list[str]
