"""Plan tree for a terminal: each task below a parent task, each instance below a task.

The parent is the task with the finding that raised this task, or else the task it builds on. A task that builds on
several others and was not raised by a finding has no single parent. It stands at the top level and names them.
"""

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text
from rich.tree import Tree

from weiwo.app.render.labels import label
from weiwo.app.render.progress import Progress, Row
from weiwo.app.render.text_wrapping import Flow
from weiwo.text.printable import one_line

_MARKS: Final = {
    "waiting": ("·", "-", "dim"),
    "succeeded": ("✓", "+", "green"),
    "empty": ("○", "o", "yellow"),
    "failed": ("✗", "x", "red"),
    "blocked": ("⊘", "/", "yellow"),
    "unknown": ("•", "*", "dim"),
}
_FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_SECONDS: Final = 0.08
_LONGEST_DESCRIPTION: Final = 160
_LONGEST_VALUE: Final = 200
_LONGEST_ASKED: Final = 80
_INSTANCES: Final = 12
_TELLING: Final = frozenset({"running", "failed", "empty"})


def plan_tree(progress: Progress, title: Text, language: str, *, ascii_only: bool = False, brief: bool = False) -> Tree:
    """Draw the current plan.

    Args:
        progress: The run so far.
        title: The head of the tree.
        language: The language of the few words around.
        ascii_only: Whether the terminal can show ASCII characters only.
        brief: Whether to show only the tasks that run, failed or found nothing, and the number of the others, for a
            screen that is too small.
    """
    tree = Tree(Flow(title), guide_style="dim")
    branches: dict[str, Tree] = {}
    rows = [row for row in progress.rows.values() if not brief or row.state in _TELLING]
    if len(rows) < len(progress.rows):
        tree.add(Text(label(language, "more", len(progress.rows) - len(rows)), "dim"))
    for row in rows:
        above = row.parent if row.parent in branches else row.upstream[0] if len(row.upstream) == 1 else ""
        parent = branches.get(above, tree)
        branch = parent.add(Flow(row_text(progress, row, language, ascii_only=ascii_only), indent=2))
        branches[row.task_id] = branch
        shown = _choose_instances(row, 3 if brief else _INSTANCES)
        for position in shown:
            instance = row.instances[position]
            branch.add(Flow(row_text(progress, instance, language, ascii_only=ascii_only), indent=2))
        if len(shown) < len(row.instances):
            branch.add(Text(label(language, "more", len(row.instances) - len(shown)), "dim"))
    if followed := procedure_line(progress, language):
        tree.add(Flow(Text(f"{'#' if ascii_only else '§'} {followed}", "cyan"), indent=2))
    if progress.expected:
        tree.add(Flow(Text(expected_line(progress.expected, language), "dim"), indent=2))
    for remark in progress.remarks:
        tree.add(Flow(Text(f"{'~' if ascii_only else '↻'} {one_line(remark)}", "yellow"), indent=2))
    return tree


def procedure_line(progress: Progress, language: str) -> str:
    """Describe the procedure of the current plan and the deviations from the procedure.

    Returns an empty string if the plan follows no procedure.
    """
    if not progress.procedure:
        return ""
    line = label(language, "follows", one_line(progress.procedure, _LONGEST_DESCRIPTION))
    departs = label(language, "departs", one_line(progress.departure, 400)) if progress.departure else ""
    return line + departs


def expected_line(expected: Mapping[str, Any], language: str) -> str:
    """Describe the expected cost of a question in a line."""
    unknown = label(language, "unknown", expected["unknown"]) if expected.get("unknown") else ""
    return label(language, "expected", _takes(expected, language)) + unknown


def comparison_lines(result: Mapping[str, Any], language: str) -> list[str]:
    """Return two lines, the expected and the actual cost of an answer. Empty if no cost was expected."""
    expected, usage = (result.get("plan") or {}).get("expected"), result.get("usage") or {}
    if not expected:
        return []
    took = {**usage, "tokens": usage.get("input_tokens", 0) + usage.get("output_tokens", 0)}
    return [expected_line(expected, language), label(language, "took", _takes(took, language))]


def _takes(figures: Mapping[str, Any], language: str) -> str:
    cost = float(figures.get("cost") or 0)
    counts = [figures.get("tool_calls", 0), figures.get("model_calls", 0), f"{figures.get('tokens', 0):,}"]
    told = label(language, "takes", *counts, duration(float(figures.get("seconds") or 0)))
    return f"{told} · ${cost:.4f}" if cost else told


def row_text(progress: Progress, row: Row, language: str, *, ascii_only: bool = False) -> Text:
    """Format a task as a logical line: mark, description, value or reason, details."""
    text = Text()
    if row.state == "running":
        text.append(spinner(progress.clock(), ascii_only=ascii_only), "cyan")
    else:
        mark, plain, style = _MARKS[row.state]
        text.append(plain if ascii_only else mark, style)
    # Chinese names, file names and the like come from outside: never markup, never control characters.
    text.append(f" {one_line(progress.describe(row) or row.task_id, _LONGEST_DESCRIPTION)}")
    if len(row.upstream) > 1:
        text.append(f" ({label(language, 'from', ', '.join(one_line(name, 40) for name in row.upstream))})", "dim")
    if row.state == "succeeded":
        text.append(" -> " if ascii_only else " → ", "dim")
        text.append(one_line(row.value, _LONGEST_VALUE), "bold")
    elif row.state in {"empty", "failed", "blocked"}:
        said = label(language, "not_found" if row.state == "empty" else row.state)
        text.append(" -- " if ascii_only else " — ", "dim")
        text.append(said, _MARKS[row.state][2])
        if row.reason and row.state != "blocked":
            text.append(f": {one_line(row.reason, _LONGEST_VALUE)}", "dim")
    details = _details(progress, row, language)
    if details:
        text.append((" | " if ascii_only else " · ").join(["", *details]), "dim")
    if row.note:
        text.append(f" ({one_line(row.note, _LONGEST_VALUE)})", "dim yellow")
    return text


def _details(progress: Progress, row: Row, language: str) -> list[str]:
    if row.state == "waiting" and progress.proposed:  # whoever approves it wants to know what will be called
        asks = one_line(progress.fill(row.asks), _LONGEST_ASKED)
        call = one_line(row.planned_tool, 60) + (f": {asks}" if asks else "")
        return [item for item in (one_line(row.task_id, 40), call, one_line(row.ret, 40)) if item]
    if row.state in {"waiting", "blocked"}:
        return []
    details = []
    tool = one_line(row.tool, 60)
    if tool and row.planned_tool and tool != row.planned_tool:
        tool = f"{tool} ({label(language, 'instead', one_line(row.planned_tool, 60))})"
    if tool:
        details.append(tool)
    if row.attempts > 1 and not row.instances:
        details.append(label(language, "calls", row.attempts))
    seconds = row.seconds
    if row.state == "running" and row.started is not None:
        seconds = progress.clock() - row.started
        if seconds < 1:
            return details
    if row.state != "unknown":
        details.append(duration(seconds))
    return details


def _choose_instances(row: Row, most: int) -> list[int]:
    """Return the positions of at most `most` instances to draw, in order.

    Running instances are chosen first, then instances without a value.
    """
    positions = sorted(row.instances)
    if len(positions) <= most:
        return positions
    urgent = {"running": 0, "failed": 1, "empty": 2, "blocked": 2}
    chosen = sorted(positions, key=lambda position: (urgent.get(row.instances[position].state, 3), position))
    return sorted(chosen[:most])


def spinner(now: float, *, ascii_only: bool = False) -> str:
    """Return the sign of running work, "⠋" and the like, for a time of the monotonic clock."""
    frames = "-\\|/" if ascii_only else _FRAMES
    return frames[int(now / _FRAME_SECONDS) % len(frames)]


def duration(seconds: float) -> str:
    """Format seconds for people: "0.04 s", "3.2 s", "2 min 5 s"."""
    if seconds < 0.1:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
