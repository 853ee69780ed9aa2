"""Perspectives for a deep search: people with an interest in the question, and what each would ask.

The plan then covers each of these perspectives. (Perspective-guided questions: STORM, arXiv 2402.14207, section 3.2.)
"""

from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.reply_types import Line, Reply
from weiwo.nodes.shared.question.arithmetic import today
from weiwo.nodes.shared.run_context import RunContext

MOST: Final = 5
"""Most perspectives of a plan."""
LONGEST: Final = 200
"""Most characters of a perspective."""

SYSTEM: Final = """You prepare a deep search. Before anything is planned, name who would look at the question \
differently and what each would want to know: an expert, a sceptic, a newcomer, whoever else has a stake in it. \
Two to five perspectives, each one line: who, and the one or two things they would ask. Stay with the question: \
no perspective that changes its subject. Write in the language of the question."""


class Perspective(Reply):
    """A perspective on the question, as named by a model.

    Attributes:
        who: The person.
        wants: What they would want to know.
    """

    who: Line
    wants: Line = Field(description="What they would want to know, in one line.")


class PerspectivesReply(Reply):
    """The perspectives a model names."""

    perspectives: list[Perspective]


async def find_perspectives(question: str, services: RunContext) -> tuple[str, ...]:
    """Return the perspectives that a model names for a deep search, a line "who: what" each.

    Empty in any other search, without a model, or if the call fails.
    """
    if not services.strategy.deepens or not services.models.has_decision_model("planner"):
        return ()
    messages = [SystemMessage(SYSTEM), HumanMessage(f"Today: {today()}\nQuestion: {question}")]
    try:
        reply = await services.models.request_structured_reply("planner", "perspectives", messages, PerspectivesReply)
    except ModelCallError:
        return ()  # the trace has the error; the plan is made without perspectives
    lines = (
        f"{perspective.who}: {perspective.wants}" if perspective.who else perspective.wants
        for perspective in reply.perspectives
        if perspective.wants
    )
    return tuple(dict.fromkeys(" ".join(line.split())[:LONGEST] for line in lines))[:MOST]


def format_perspectives(perspectives: tuple[str, ...]) -> str:
    """Format the perspectives as a paragraph of a prompt. Empty without perspectives."""
    return "\n".join(["Perspectives to cover:", *(f"- {line}" for line in perspectives)]) if perspectives else ""
