"""The earlier revisions of a thread's plan, as `weiwo show` prints them."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from weiwo.app.render.labels import label
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.revisions import Revision
from weiwo.state import REFERENCE, Outcome, Task
from weiwo.tools.printable import one_line

_LONGEST = 200


def print_revisions(console: Console, revisions: Sequence[Revision], language: str) -> None:
    """Print the earlier revisions: what was kept, what was replaced and what it had come to, why, and by what."""
    ascii_only = console.options.ascii_only
    console.print(Text(label(language, "revisions"), "bold"))
    for one in revisions:
        head = f"  revision {one.plan.revision} · {one.plan.decided_by}"
        kept = ", ".join(one_line(task.id, 40) for task in one.kept)
        console.print(Flow(Text(f"{head} · {label(language, 'kept', kept)}" if kept else head, "dim"), indent=4))
        for task in one.replaced:
            line = Text.assemble(("    - " if ascii_only else "    − ", "red"), _asks(task))
            if said := _came_to(one.outcomes.get(task.id), language):
                line.append(f"{' -- ' if ascii_only else ' — '}{said}", "dim")
            console.print(Flow(line, indent=6))
        reason = f": {one_line(one.reason, _LONGEST)}" if one.reason else ""
        why = f"    {'~' if ascii_only else '↻'} {label(language, one.decision, one.decided_by)}{reason}"
        console.print(Flow(Text(why, "yellow"), indent=6))
        for task in one.added:
            console.print(Flow(Text.assemble(("    + ", "green"), _asks(task)), indent=6))


def _asks(task: Task) -> str:
    query = task.args.get("query")
    asked = f" “{_line(query)}”" if isinstance(query, str) else ""
    return f"{one_line(task.id, 40)}: {_line(task.description)} · {one_line(task.tool, 60)}{asked}"


def _line(text: str) -> str:
    return one_line(REFERENCE.sub(r"‹\1›", text), _LONGEST)


def _came_to(outcome: Outcome | None, language: str) -> str:
    """Why a task was replaced: what it had come to, if it was nothing."""
    if outcome is None or outcome.usable:
        return ""
    said = label(language, {"empty": "not_found", "failed": "failed"}.get(outcome.status, "blocked"))
    why = outcome.failure.message if outcome.failure and outcome.status != "blocked" else ""
    return f"{said}: {one_line(why, _LONGEST)}" if why else said
