"""What is remembered, as the command and the server list it."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from weiwo.state.kinds import Language
from weiwo.text.localization import localized
from weiwo.text.printable import one_line

if TYPE_CHECKING:  # the first line of a question is told before anything heavy is imported
    from weiwo.nodes.memory.memory_store import MemoryStore
    from weiwo.nodes.memory.reuse import EarlierAnswer, PlanTemplate
    from weiwo.nodes.memory.wishes import Wish


_LEFT_WATCHES: Final = localized("cli.memory", "left_watches")
_MOST_NAMED: Final = 5


async def describe_left_watches(memory: "MemoryStore", language: Language) -> str:
    """One line on the standing questions that Weiwo 0.1 left in a home; empty where it left none."""
    left = await memory.list("watches")
    named = [f"{one.key} {one_line(str(one.value.get('question')), 100)}" for one in left[:_MOST_NAMED]]
    return _LEFT_WATCHES[language].format(len(left), "; ".join(named)) if left else ""


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
