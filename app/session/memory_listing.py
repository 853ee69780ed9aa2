"""Listing of the memory for command and server."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from weiwo.state.kinds import Language
from weiwo.text.localization import localize_message
from weiwo.text.printable import one_line

if TYPE_CHECKING:  # the first line of a question is told before anything heavy is imported
    from weiwo.nodes.memory.memory_store import MemoryStore
    from weiwo.nodes.memory.reuse import EarlierAnswer, PlanTemplate
    from weiwo.nodes.memory.wishes import Wish


_LEFT_WATCHES: Final = localize_message("cli.memory", "left_watches")
_MOST_NAMED: Final = 5


async def describe_left_watches(memory: "MemoryStore", language: Language) -> str:
    """Describe the standing questions left by Weiwo 0.1 in a line, or return an empty string."""
    left = await memory.list("watches")
    named = [f"{item.key} {one_line(str(item.value.get('question')), 100)}" for item in left[:_MOST_NAMED]]
    return _LEFT_WATCHES[language].format(len(left), "; ".join(named)) if left else ""


def wish_as_json(wish: "Wish") -> dict[str, str]:
    """Return a standing wish as `key`, `text` and `since`, the day on which the user stated it."""
    return {"key": wish.key, "text": wish.text, "since": datetime.fromtimestamp(wish.at, UTC).date().isoformat()}


def answer_as_json(answer: "EarlierAnswer") -> dict[str, str]:
    """Return an earlier answer as `key`, `question`, `thread_id` and `answered_at`, without its text."""
    at = datetime.fromtimestamp(answer.at, UTC).isoformat(timespec="seconds")
    return {"key": answer.key, "question": answer.question, "thread_id": answer.thread_id, "answered_at": at}


def plan_as_json(template: "PlanTemplate") -> dict[str, Any]:
    """Return a remembered plan as JSON values, with the names of its tools and the results of past use."""
    return {
        "key": template.key,
        **template.model_dump(mode="json", exclude={"context", "runs"}),
        "tools": list(template.tools),
    }
