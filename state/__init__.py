"""What flows: the typed graph state and the values in it. Imports nothing of ours."""

import os

# Read when LangGraph is imported: checkpoints then revive the types of the graph's schemas and no others.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from state.answer import Answer, Citation, Claim, Decision, Reflection, Status, Verdict
from state.assessment import Assessment, Level, TeamConfig, TeamName
from state.evidence import (
    Evidence,
    Failure,
    FailureKind,
    MonitorReport,
    Outcome,
    OutcomeStatus,
    Quote,
    Rival,
    passage_id,
)
from state.limits import Limits, ModelCall, Usage
from state.plan import ITEM, REFERENCE, Plan, PlanFormatError, Task, references
from state.values import VALUE_TYPES, DecidedBy, JsonValue, Language, Value, ValueType, item_type

__all__ = [
    "ITEM",
    "REFERENCE",
    "VALUE_TYPES",
    "Answer",
    "Assessment",
    "Citation",
    "Claim",
    "DecidedBy",
    "Decision",
    "Evidence",
    "Failure",
    "FailureKind",
    "JsonValue",
    "Language",
    "Level",
    "Limits",
    "ModelCall",
    "MonitorReport",
    "Outcome",
    "OutcomeStatus",
    "Plan",
    "PlanFormatError",
    "Quote",
    "Reflection",
    "Rival",
    "Status",
    "Task",
    "TeamConfig",
    "TeamName",
    "Usage",
    "Value",
    "ValueType",
    "Verdict",
    "item_type",
    "passage_id",
    "references",
]
