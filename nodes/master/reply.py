"""What a model replies with when it judges a question: the judgement alone, with a plan, or with a tool."""

from typing import Any, ClassVar

from pydantic import Field

from weiwo.nodes.master.clarify import ClarifyField
from weiwo.nodes.shared.planning.plan_reply import Vertex
from weiwo.nodes.shared.prompting.reply_types import Edges, FormName, Line, Ordinal, Reply, Share
from weiwo.state import JsonValue


class AssessmentReply(Reply):
    """What a model makes of a question."""

    standalone_question: str
    multi_step: Share = Field(description="0 to 1")
    external_information: Share = Field(description="0 to 1")
    tool_use: Share = Field(description="0 to 1")
    comparison_or_calculation: Share = Field(description="0 to 1")
    parts: list[str] = Field(default_factory=list)
    chain: bool = False
    queries: list[str] = Field(default_factory=list)
    form: FormName = ""
    words: Ordinal = 0
    reason: Line = ""
    clarify: ClarifyField = None


class PlannedAssessmentReply(AssessmentReply):
    """What a model makes of a question, and the plan for one that needs it."""

    sparse: ClassVar[bool] = True
    requested_as: ClassVar[str] = "AssessmentReply"

    thought: str = ""
    vertices: list[Vertex] = Field(default_factory=list)
    edges: Edges = Field(default_factory=list)

    def sketch(self) -> dict[str, Any]:
        """The plan in its interchange form; empty where there is none."""
        kept = self.model_dump(include={"thought", "vertices", "edges"}, exclude_none=True)
        return kept if self.vertices else {}


class ToolAssessmentReply(AssessmentReply):
    """What a model makes of a question, and the tool whose one call answers it."""

    sparse: ClassVar[bool] = True
    requested_as: ClassVar[str] = "AssessmentReply"

    tool: Line = ""
    args: dict[str, JsonValue] = Field(default_factory=dict)
