# ruff: noqa: F403 - for type checkers alone; what exists at run time is `EXPORTED`
"""Typed graph state and the values in the state.

This module imports nothing else of the package. A value is imported on its first use, so that importing `state.errors`
alone costs nothing.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Final

# Read when LangGraph is imported: checkpoints then revive the types of the graph's schemas and no others.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

_MODULES: Final = {
    "answer": "DOUBTFUL Answer Block BlockKind Citation Claim Decision Extract Gap Mark Reflection Status Verdict",
    "assessment": "Assessment Clarification Level Strategy TeamConfig TeamName",
    "evidence": "AheadValue Evidence Failure Finding Hop Inconsistency MonitorReport Outcome OutcomeDetail PassageList"
    " OutcomeStatus TaskTrace PassageCall Publication Quote Rival WeakValue",
    "kinds": "VALUE_TYPES DecidedBy FailureKind Language ValueType item_type",
    "ledger": "Ledger QuestionPart",
    "limits": "ModelCall Usage",
    "passage_identity": "passage_id",
    "plan": "Expectation Plan PlanFormatError",
    "plan_form": "Complaint",
    "query": "QueryFrame",
    "repair": "Repair",
    "report": "OutlinedSection Outline Section SectionPiece",
    "run_limits": "Limits",
    "task": "Alternative ITEM REFERENCE Task references",
    "values": "JsonValue Value",
}
EXPORTED: Final = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The public names, and the module of each."""

if TYPE_CHECKING:
    from weiwo.state.answer import *
    from weiwo.state.assessment import *
    from weiwo.state.evidence import *
    from weiwo.state.kinds import *
    from weiwo.state.ledger import *
    from weiwo.state.limits import *
    from weiwo.state.passage_identity import *
    from weiwo.state.plan import *
    from weiwo.state.plan_form import *
    from weiwo.state.query import *
    from weiwo.state.repair import *
    from weiwo.state.report import *
    from weiwo.state.run_limits import *
    from weiwo.state.task import *
    from weiwo.state.values import *
else:
    __all__ = list(EXPORTED)

    def __getattr__(name: str) -> object:
        """Import a public name on first use, from the defining module only."""
        if name not in EXPORTED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(import_module(f"{__name__}.{EXPORTED[name]}"), name)
        return globals()[name]
