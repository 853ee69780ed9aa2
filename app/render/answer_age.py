"""The age of an earlier answer that is given again, in words."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from weiwo.state.kinds import Language
from weiwo.tools.printable import one_line

_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "now": "a moment ago",
        "minute": "1 minute ago",
        "minutes": "{} minutes ago",
        "hour": "1 hour ago",
        "hours": "{} hours ago",
        "day": "1 day ago",
        "days": "{} days ago",
        "told": "answered {} (thread {}), and nothing it rests on is known to have changed; --fresh asks anew",
    },
    "zh": {
        "now": "刚才",
        **dict.fromkeys(("minute", "minutes"), "{} 分钟前"),
        **dict.fromkeys(("hour", "hours"), "{} 小时前"),
        **dict.fromkeys(("day", "days"), "{} 天前"),
        "told": "{}已回答过（会话 {}），未发现所依据的内容有变化；--fresh 重新查询",
    },
}
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def describe_age(result: Mapping[str, Any], now: datetime | None = None) -> str:
    """When and where a result was first answered, in one line; empty where it was looked up for this question."""
    if not result.get("from_thread"):
        return ""
    words = _WORDS["zh" if result.get("language") == "zh" else "en"]
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(str(result["answered_at"]))).total_seconds()
    unit, length = next(((name, length) for name, length in _UNITS if seconds >= length), ("", 1))
    many = int(seconds // length)
    age = words[f"{unit}s" if many > 1 else unit].format(many) if unit else words["now"]
    return words["told"].format(age, one_line(str(result["from_thread"]), 200))
