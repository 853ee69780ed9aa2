"""A tool call that waits for a person, since the tool may change something."""

import json
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.output import screen
from weiwo.app.cli.questions.requests import QUIT, RequestKind, read_line
from weiwo.app.render.labels import label
from weiwo.app.render.progress import Progress
from weiwo.app.session.run_end import APPROVE, RunEnd
from weiwo.tools.printable import one_line, printable

TYPE: Final = "allow_tool"
"""The `type` of such a request (`weiwo.nodes.executor.task_calls.consent.REQUEST`, which is heavy to import)."""
_YES: Final = frozenset({"a", "allow", "approve", "y", "yes", "批准", "允许", "同意", "好", "是"})
_NO: Final = frozenset({"r", "reject", "refuse", "n", "no", "拒绝", "不", "否"})
_LONGEST_ARGUMENTS: Final = 4_000


def _fields(ended: RunEnd) -> dict[str, Any]:
    """`$defs/waiting_for_consent` of the result's schema."""
    told = {name: ended.request.get(name, "") for name in ("task", "tool", "server")}
    return {"asks": TYPE, **told, "arguments": ended.request.get("arguments", {})}


def _name(ended: RunEnd) -> str:
    return one_line(str(ended.request.get("tool", "")), 80)


def _draw(ended: RunEnd, _: Progress) -> None:
    request = ended.request
    server = f" ({one_line(str(request['server']), 60)})" if request.get("server") else ""
    shown = json.dumps(request.get("arguments", {}), ensure_ascii=False, indent=2, default=str)
    text = Text(f"{_name(ended)}{server}\n", "bold")
    if about := request.get("about"):
        text.append(f"{one_line(str(about), 300)}\n", "dim")
    screen().print(text.append(printable(shown[:_LONGEST_ARGUMENTS]), "not bold"))


def _converse(_ended: RunEnd, language: str) -> Any:
    while True:
        command, _, rest = read_line(label(language, "consent_prompt")).partition(" ")
        word = command.casefold()
        if word in _YES:
            return APPROVE
        if word in QUIT:
            return None
        if word in _NO:
            return {"reject": rest.strip() or "no"}


CONSENT: Final = RequestKind(
    answers="--approve or --reject WORDS",
    subject="the tool call",
    waits=lambda ended: f"the tool {_name(ended)} waits to be allowed",
    fields=_fields,
    draw=_draw,
    converse=_converse,
)
