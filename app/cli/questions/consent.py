"""A tool call that waits for a person: shown and asked about on a terminal, told on a pipe, printed as JSON."""

import json
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import WAITING
from weiwo.app.cli.output import page, say, terminal, write_json
from weiwo.app.cli.questions.approval import answering, read_line
from weiwo.app.cli.questions.run_end import APPROVE, RunEnd
from weiwo.app.render.labels import label
from weiwo.app.render.text_wrapping import Flow
from weiwo.tools.printable import one_line, printable

TYPE: Final = "allow_tool"
"""The `type` of such a request (`weiwo.nodes.executor.consent.REQUEST`, which is heavy to import)."""
_YES: Final = frozenset({"a", "allow", "approve", "y", "yes", "批准", "允许", "同意", "好", "是"})
_NO: Final = frozenset({"r", "reject", "refuse", "n", "no", "拒绝", "不", "否"})
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
_LONGEST_ARGUMENTS: Final = 4_000


def as_json(ended: RunEnd) -> dict[str, Any]:
    """What waits, as one object; `$defs/waiting_for_consent` of the result's schema."""
    request = ended.request or {}
    names = ("question", "task", "tool", "server", "arguments")
    return {
        "thread_id": ended.thread_id,
        "status": "waiting",
        "asks": TYPE,
        **{name: request.get(name, {} if name == "arguments" else "") for name in names},
        "how": how(ended.thread_id),
    }


def how(thread_id: str) -> str:
    """The commands that go on with it."""
    return f"weiwo resume {thread_id} --approve or --reject WORDS"


def tell(ended: RunEnd, *, as_object: bool) -> int:
    """Say, where nobody can be asked, what waits and how to go on; returns the exit code."""
    if as_object:
        write_json(as_json(ended))
    else:
        page().print(_drawn(ended))
    say(f"the tool {_name(ended)} waits to be allowed; go on with: {how(ended.thread_id)}")
    return WAITING


def ask_person(ended: RunEnd, language: str) -> Any:
    """Show the call and ask about it.

    Returns:
        The answer to resume with; None if the person would rather decide later.

    Raises:
        CommandError: They stopped the command.
    """
    terminal().print(_drawn(ended))
    for complaint in (ended.request or {}).get("complaints") or ():
        terminal().print(Flow(Text(f"! {one_line(str(complaint), 500)}", "red"), indent=2))
    with answering(f"stopped; the tool was not called; go on with: weiwo resume {ended.thread_id}"):
        while True:
            command, _, rest = read_line(label(language, "consent_prompt")).partition(" ")
            word = command.casefold()
            if word in _YES:
                return APPROVE
            if word in _QUIT:
                return None
            if word in _NO:
                return {"reject": rest.strip() or "no"}
    return None


def leave(ended: RunEnd) -> int:
    """The person decides later: say how; returns the exit code."""
    say(f"the tool {_name(ended)} waits to be allowed; go on with: weiwo resume {ended.thread_id}")
    return WAITING


def _name(ended: RunEnd) -> str:
    return one_line(str((ended.request or {}).get("tool", "")), 80)


def _drawn(ended: RunEnd) -> Text:
    request = ended.request or {}
    server = f" ({one_line(str(request['server']), 60)})" if request.get("server") else ""
    shown = json.dumps(request.get("arguments", {}), ensure_ascii=False, indent=2, default=str)
    text = Text(f"{_name(ended)}{server}\n", "bold")
    if about := request.get("about"):
        text.append(f"{one_line(str(about), 300)}\n", "dim")
    return text.append(printable(shown[:_LONGEST_ARGUMENTS]), "not bold")
