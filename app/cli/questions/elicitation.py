"""What an MCP server asks the user in mid-call: a form, filled in field by field, or a page to open."""

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.output import screen
from weiwo.app.cli.questions.requests import QUIT, RequestKind, language_of, read_line
from weiwo.app.render.labels import label
from weiwo.app.render.progress import Progress
from weiwo.app.session.run_end import RunEnd
from weiwo.tools.printable import one_line

TYPE: Final = "elicit"
"""The `type` of such a request (`weiwo.nodes.executor.task_calls.elicitation.REQUEST`, which is heavy to import)."""
_DECLINE: Final = frozenset({"d", "decline", "谢绝"})
_CANCEL: Final = frozenset({"c", "cancel", "取消"})
_OPENED: Final = frozenset({"a", "accept", "y", "yes", "好", "是"})


def _fields(ended: RunEnd) -> dict[str, Any]:
    """`$defs/waiting_for_input` of the result's schema."""
    told = {name: ended.request.get(name, "") for name in ("task", "tool", "server", "mode", "message", "url")}
    return {"asks": TYPE, **told, "schema": ended.request.get("schema", {}), "acts": bool(ended.request.get("acts"))}


def _name(ended: RunEnd) -> str:
    return one_line(str(ended.request.get("server", "")), 60)


def _draw(ended: RunEnd, progress: Progress) -> None:
    request, language = ended.request, language_of(progress)
    said = label(language, "elicit_said", _name(ended), one_line(str(request.get("tool", "")), 80))
    text = Text(f"{said}\n", "bold").append(f"  “{one_line(str(request.get('message', '')), 1_000)}”\n", "not bold")
    if request.get("url"):
        text.append(f"  {one_line(str(request['url']), 2_000)}\n", "not bold cyan")
    for name in _properties(request):
        text.append(f"  {_field_line(name, request)}\n", "not bold")
    for warning in request.get("warnings") or ():
        text.append(f"! {one_line(str(warning), 300)}\n", "not bold yellow")
    text.rstrip()
    screen().print(text)


def _converse(ended: RunEnd, language: str) -> Any:
    """The answer in MCP's own form; values go through the form's schema where the run takes them."""
    names, values = list(_properties(ended.request)), {}
    commands = label(language, "elicit_prompt")
    if not names:
        while True:
            word = read_line(label(language, "elicit_opened") + commands).casefold()
            if word in _OPENED:
                return {"action": "accept", "content": {}}
            if word in QUIT | _DECLINE | _CANCEL:
                return _leaving(word)
    for name in names:
        words = read_line(f"{_field_line(name, ended.request)}  {commands}")
        if words.casefold() in QUIT | _DECLINE | _CANCEL:
            return _leaving(words.casefold())
        if words:
            values[name] = words
    return {"action": "accept", "content": values}


def _leaving(word: str) -> Any:
    return None if word in QUIT else {"action": "decline" if word in _DECLINE else "cancel"}


def _properties(request: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (request.get("schema") or {}).get("properties", {})
    return found


def _field_line(name: str, request: Mapping[str, Any]) -> str:
    """A field in a line: its name, what it takes, whether it must be."""
    from weiwo.nodes.executor.task_calls.elicitation import field_line

    return one_line(field_line(name, request["schema"]), 500)


ELICITATION: Final = RequestKind(
    answers='--reply "VALUE, or name=VALUE; …" (or decline, cancel; for a page: accept)',
    subject="--reply",
    waits=lambda ended: f"the MCP server {_name(ended)} asks something",
    fields=_fields,
    draw=_draw,
    converse=_converse,
)
