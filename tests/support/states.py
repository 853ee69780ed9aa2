"""States of a thread half-way, for tests that call one agent."""

from collections.abc import Mapping
from typing import Any

from weiwo.nodes.master.complexity import extract_static_features
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Assessment, Evidence, Language, Level, Outcome, Plan, Reflection, Task, TeamConfig, passage_id
from weiwo.state.evidence import Failure, FailureKind
from weiwo.state.search import SearchState


def passage(text: str, source: str = "s.md", title: str = "", **more: Any) -> Evidence:
    """A passage."""
    return Evidence(id=passage_id(text), text=text, source=source, title=title, **more)


def search(task_id: str, description: str, query: str = "q", ret: Any = "date", **more: Any) -> Task:
    """A look-up."""
    return Task(id=task_id, description=description, tool="corpus_search", args={"query": query}, ret=ret, **more)


def got(task_id: str, value: Any, type_: Any = "date", on: Evidence | None = None, **more: Any) -> Outcome:
    """An outcome with a value."""
    if on is not None:
        more["evidence_ids"] = (on.id,)
    return Outcome(task_id=task_id, status="succeeded", value=value, type=type_, **more)


def lost(task_id: str, kind: FailureKind = "empty", message: str = "", **more: Any) -> Outcome:
    """An outcome without one."""
    failure = Failure(task_id=task_id, kind=kind, message=message or f"{task_id}: {kind}")
    return Outcome(task_id=task_id, status="empty" if kind == "empty" else "failed", failure=failure, **more)


def state_of(
    question: str,
    services: RunContext,
    *,
    level: Level = "complex",
    plan: Plan | None = None,
    outcomes: Mapping[str, Outcome] | None = None,
    evidence: tuple[Evidence, ...] = (),
    language: Language = "en",
    **more: Any,
) -> SearchState:
    """What the state holds after a master's turn, and whatever came after it."""
    score = {"simple": 0.1, "moderate": 0.5, "complex": 0.9}[level]
    looks = []
    if plan is not None:
        report = monitor_plan(plan, outcomes or {}, services.settings.limits)
        looks = [Reflection(decision="finish", reason="", decided_by="rule", report=report)]
    names: Any = {"simple": "writer_only", "moderate": "executor_inclusive", "complex": "planner_enhanced"}
    return SearchState(
        question=question,
        messages=[],
        run="test",
        assessment=Assessment(
            frame=(frame := parse_question(question, language)),
            features=extract_static_features(frame),
            static_score=score,
            score=score,
            level=level,
            reason="given",
            decided_by="rule",
        ),
        team=TeamConfig(
            name=names[level],
            agents=("master", "writer"),
            tools=services.registry.names(),
            limits=services.settings.limits,
            expected_model_calls=0,
        ),
        plan=plan,
        revisions=[],
        outcomes=dict(outcomes or {}),
        evidence={item.id: item for item in evidence},
        reflections=more.pop("reflections", looks),
        result={},
        **more,
    )
