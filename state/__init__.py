"""What flows: the typed graph state and the values in it. Imports nothing of ours.

The values are imported when the first of them is asked for, so that `state.errors` alone costs nothing.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

# Read when LangGraph is imported: checkpoints then revive the types of the graph's schemas and no others.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

if TYPE_CHECKING:
    from weiwo.state.answer import (
        DOUBTFUL,
        Answer,
        Block,
        BlockKind,
        Citation,
        Claim,
        Decision,
        Extract,
        Gap,
        Reflection,
        Status,
        Verdict,
    )
    from weiwo.state.assessment import Assessment, Clarification, Level, TeamConfig, TeamName
    from weiwo.state.evidence import (
        AheadValue,
        Evidence,
        Failure,
        FailureKind,
        Finding,
        Hop,
        Inconsistency,
        MonitorReport,
        Outcome,
        OutcomeDetail,
        OutcomeStatus,
        Quote,
        Rival,
        WeakValue,
        passage_id,
    )
    from weiwo.state.limits import Limits, ModelCall, Usage
    from weiwo.state.plan import ITEM, REFERENCE, Expectation, Plan, PlanFormatError, Task, references
    from weiwo.state.plan_form import Complaint
    from weiwo.state.query import QueryFrame
    from weiwo.state.repair import Repair
    from weiwo.state.report import Outline, OutlinedSection, Section, SectionPiece
    from weiwo.state.values import VALUE_TYPES, DecidedBy, JsonValue, Language, Value, ValueType, item_type

__all__ = [
    "DOUBTFUL",
    "ITEM",
    "REFERENCE",
    "VALUE_TYPES",
    "AheadValue",
    "Answer",
    "Assessment",
    "Block",
    "BlockKind",
    "Citation",
    "Claim",
    "Clarification",
    "Complaint",
    "DecidedBy",
    "Decision",
    "Evidence",
    "Expectation",
    "Extract",
    "Failure",
    "FailureKind",
    "Finding",
    "Gap",
    "Hop",
    "Inconsistency",
    "JsonValue",
    "Language",
    "Level",
    "Limits",
    "ModelCall",
    "MonitorReport",
    "Outcome",
    "OutcomeDetail",
    "OutcomeStatus",
    "Outline",
    "OutlinedSection",
    "Plan",
    "PlanFormatError",
    "QueryFrame",
    "Quote",
    "Reflection",
    "Repair",
    "Rival",
    "Section",
    "SectionPiece",
    "Status",
    "Task",
    "TeamConfig",
    "TeamName",
    "Usage",
    "Value",
    "ValueType",
    "Verdict",
    "WeakValue",
    "item_type",
    "passage_id",
    "references",
]

_MODULES = (  # cheap ones first
    *("values", "evidence", "limits", "query", "assessment", "answer", "report", "plan", "repair"),
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        if name in __all__:
            for module in _MODULES:
                if hasattr(found := import_module(f"{__name__}.{module}"), name):
                    globals()[name] = getattr(found, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
