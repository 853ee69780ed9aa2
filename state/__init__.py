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
    from weiwo.state.assessment import Assessment, Clarification, Level, Strategy, TeamConfig, TeamName
    from weiwo.state.evidence import (
        AheadValue,
        Evidence,
        Failure,
        Finding,
        Hop,
        Inconsistency,
        MonitorReport,
        Outcome,
        OutcomeDetail,
        OutcomeStatus,
        PassageCall,
        Quote,
        Rival,
        WeakValue,
    )
    from weiwo.state.kinds import VALUE_TYPES, DecidedBy, FailureKind, Language, ValueType, item_type
    from weiwo.state.limits import ModelCall, Usage
    from weiwo.state.passage_identity import passage_id
    from weiwo.state.plan import ITEM, REFERENCE, Expectation, Plan, PlanFormatError, Task, references
    from weiwo.state.plan_form import Complaint
    from weiwo.state.query import QueryFrame
    from weiwo.state.repair import Repair
    from weiwo.state.report import Outline, OutlinedSection, Section, SectionPiece
    from weiwo.state.run_limits import Limits
    from weiwo.state.values import JsonValue, Value

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
    "PassageCall",
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
    "Strategy",
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

if not TYPE_CHECKING:
    _MODULES = {
        "answer": (
            *("DOUBTFUL", "Answer", "Block", "BlockKind", "Citation", "Claim", "Decision", "Extract", "Gap"),
            *("Reflection", "Status", "Verdict"),
        ),
        "assessment": ("Assessment", "Clarification", "Level", "Strategy", "TeamConfig", "TeamName"),
        "evidence": (
            *("AheadValue", "Evidence", "Failure", "Finding", "Hop", "Inconsistency", "MonitorReport", "Outcome"),
            "PassageCall",
            *("OutcomeDetail", "OutcomeStatus", "Quote", "Rival", "WeakValue"),
        ),
        "kinds": ("VALUE_TYPES", "DecidedBy", "FailureKind", "Language", "ValueType", "item_type"),
        "limits": ("ModelCall", "Usage"),
        "passage_identity": ("passage_id",),
        "plan": ("Expectation", "Plan", "PlanFormatError"),
        "plan_form": ("Complaint",),
        "query": ("QueryFrame",),
        "repair": ("Repair",),
        "report": ("OutlinedSection", "Outline", "Section", "SectionPiece"),
        "run_limits": ("Limits",),
        "task": ("ITEM", "REFERENCE", "Task", "references"),
        "values": ("JsonValue", "Value"),
    }
    _HOMES = {name: module for module, names in _MODULES.items() for name in names}

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, and no module but its own."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return globals()[name]
