"""What is remembered, as JSON values: as the command and the server list it."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the first line of a question is told before anything heavy is imported
    from weiwo.nodes.memory.earlier_answers import EarlierAnswer
    from weiwo.nodes.memory.plan_templates import PlanTemplate
    from weiwo.nodes.memory.wishes import Wish


def wish_as_json(one: "Wish") -> dict[str, str]:
    """A standing wish, and the day on which it was stated."""
    return {"key": one.key, "text": one.text, "since": datetime.fromtimestamp(one.at, UTC).date().isoformat()}


def answer_as_json(one: "EarlierAnswer") -> dict[str, str]:
    """An earlier answer: its question, the thread it stands on, and when it was given."""
    at = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds")
    return {"key": one.key, "question": one.question, "thread_id": one.thread_id, "answered_at": at}


def plan_as_json(one: "PlanTemplate") -> dict[str, Any]:
    """A remembered plan, and how it fared."""
    return {"key": one.key, **one.model_dump(mode="json", exclude={"context", "runs"}), "tools": list(one.tools)}
