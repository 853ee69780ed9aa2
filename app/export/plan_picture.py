"""Layered drawing of a plan as SVG: tasks in layers by dependency, ordered for short arrows.

Layers are columns, or rows if the plan is longer than it is wide. The picture has no script, no style attribute and no
link. Its colours are classes of the page.
"""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from rich.cells import cell_len

from weiwo.app.export.report import Step, word
from weiwo.state.kinds import Language

_WIDTH: Final = 232
_LINE: Final = 17
_PADDING: Final = 10
_GAP: Final = (56, 18)
"""Gap between layers, and between the tasks of a layer."""
_CELLS: Final = 32
"""Columns of text in a box, a Chinese character taking two."""
_BOLD_CELLS: Final = 27
"""Columns of bold text in a box."""
_LINES: Final = 3
_WIDEST: Final = 4
"""Largest number of layers that are drawn as columns. More layers are drawn as rows."""
_MOST: Final = 60
"""Largest number of tasks that are drawn. A larger picture would not be readable."""
_SWEEPS: Final = 4
_MARKS: Final = {"succeeded": "✓", "empty": "○", "failed": "✗", "blocked": "⊘"}


class _Box(NamedTuple):
    x: int
    y: int
    height: int
    lines: tuple[str, ...]
    foot: str


def draw_plan(steps: Sequence[Step], edges: Sequence[tuple[str, str]], language: Language) -> str:
    """Draw the plan as an SVG element. Returns an empty string for too few or too many tasks.

    Args:
        steps: Its tasks.
        edges: Pairs of task ids, the second building on the first.
        language: The language of its few words.
    """
    if not 1 < len(steps) <= _MOST:
        return ""
    known = {step.id: step for step in steps}
    layers = _arrange_layers(list(known), [edge for edge in edges if edge[0] != edge[1]])
    across = len(layers) <= _WIDEST
    boxes = _place([[known[task_id] for task_id in layer] for layer in layers], language, across=across)
    width = max(box.x for box in boxes.values()) + _WIDTH + 2
    height = max(box.y + box.height for box in boxes.values()) + 2
    arrows = "".join(_arrow(boxes[a], boxes[b], across=across) for a, b in edges if a != b)
    drawn = "".join(_box(known[task_id], box) for task_id, box in boxes.items())
    name = escape(word(language, "plan"))
    return (
        f'<svg class="plan" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="{name}" xmlns="http://www.w3.org/2000/svg"><defs><marker id="tip" viewBox="0 0 8 8" refX="8"'
        ' refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>'
        f"{arrows}{drawn}</svg>"
    )


def _arrange_layers(ids: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Arrange tasks in layers by the longest path to each task.

    Each layer is ordered by the mean position of the tasks' neighbours.

    Args:
        ids: The tasks.
        edges: The dependencies. A cycle is cut where it closes.
    """
    depth = dict.fromkeys(ids, 0)
    for _ in ids:  # the longest way has as many steps as there are tasks, at most
        deeper = {b: depth[a] + 1 for a, b in edges if depth[b] <= depth[a] < len(ids) - 1}
        if not deeper:
            break
        depth.update(deeper)
    used = sorted(set(depth.values()))
    layers = [[task_id for task_id in ids if depth[task_id] == level] for level in used]
    beside: dict[str, list[str]] = {task_id: [] for task_id in ids}
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    for sweep in range(_SWEEPS):
        for fixed, moved in pairwise(layers if sweep % 2 == 0 else layers[::-1]):
            place = {task_id: float(position) for position, task_id in enumerate(fixed)}
            _sort_by_middle(moved, place, beside)
    return layers


def _sort_by_middle(layer: list[str], place: Mapping[str, float], beside: Mapping[str, Sequence[str]]) -> None:
    """Sort a layer by the mean position of each task's neighbours in the previous layer.

    A task without neighbours keeps its position.
    """
    middle = {}
    for position, task_id in enumerate(layer):
        near = [place[other] for other in beside[task_id] if other in place]
        middle[task_id] = sum(near) / len(near) if near else float(position)
    layer.sort(key=middle.__getitem__)


def _place(layers: Sequence[Sequence[Step]], language: Language, *, across: bool) -> dict[str, _Box]:
    """Place a box for each task, with the layers side by side or stacked, each centred."""
    texts = {step.id: (_wrap_text(step.text), _foot(step, language)) for layer in layers for step in layer}
    heights = {task_id: _PADDING * 2 + _LINE * (len(lines) + bool(foot)) for task_id, (lines, foot) in texts.items()}
    lengths = [sum((heights[step.id] if across else _WIDTH) + _GAP[1] for step in layer) - _GAP[1] for layer in layers]
    boxes: dict[str, _Box] = {}
    along = 2
    for layer, length in zip(layers, lengths, strict=True):
        side = 2 + (max(lengths) - length) // 2
        for step in layer:
            x, y = (along, side) if across else (side, along)
            boxes[step.id] = _Box(x, y, heights[step.id], *texts[step.id])
            side += (heights[step.id] if across else _WIDTH) + _GAP[1]
        along += (_WIDTH if across else max(heights[step.id] for step in layer)) + _GAP[0]
    return boxes


def _foot(step: Step, language: Language) -> str:
    """Return the last line of a box: the value of the task, or why there is none. Empty if the task did not run."""
    if step.state == "succeeded":
        return f"✓ {step.value or word(language, 'succeeded')}"
    name = {"empty": "not_found", "failed": "failed", "blocked": "blocked"}.get(step.state)
    return f"{_MARKS[step.state]} {word(language, name)}" if name else ""


def _wrap_text(text: str) -> tuple[str, ...]:
    """Wrap text into the lines of a box, at blanks or between Chinese characters.

    Text that does not fit ends in "…".
    """
    out, line, word_start = [], "", 0
    for sign in text:
        if cell_len(line + sign) > _CELLS:
            cut = word_start if word_start and line[word_start - 1] == " " else len(line)
            out.append(line[:cut].rstrip())
            line, word_start = line[cut:].lstrip(), 0
        line += sign
        if sign == " ":
            word_start = len(line)
    out.append(line)
    if len(out) > _LINES:
        out = [*out[: _LINES - 1], _clip_line(out[_LINES - 1] + "……")]
    return tuple(out)


def _clip_line(line: str, cells: int = _CELLS) -> str:
    if cell_len(line) <= cells:
        return line.replace("……", "…")
    while cell_len(line) > cells - 1:
        line = line[:-1]
    return line.rstrip("… ") + "…"


def _box(step: Step, box: _Box) -> str:
    rows = [
        f'<text x="{box.x + _PADDING}" y="{box.y + _PADDING + 13 + _LINE * row}">{escape(line)}</text>'
        for row, line in enumerate(box.lines)
    ]
    if box.foot:
        y = box.y + _PADDING + 13 + _LINE * len(box.lines)
        rows.append(
            f'<text class="value" x="{box.x + _PADDING}" y="{y}">{escape(_clip_line(box.foot, _BOLD_CELLS))}</text>'
        )
    told = escape(" · ".join(part for part in (step.id, step.text, step.tool, step.value) if part))
    return (
        f'<g class="task {step.state if step.state in _MARKS else "waiting"}"><title>{told}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{box.height}" rx="6"/>{"".join(rows)}</g>'
    )


def _arrow(start: _Box, end: _Box, *, across: bool) -> str:
    if across:
        x1, y1, x2, y2 = start.x + _WIDTH, start.y + start.height // 2, end.x, end.y + end.height // 2
        middle = (x1 + x2) // 2
        path = f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}"
    else:
        x1, y1, x2, y2 = start.x + _WIDTH // 2, start.y + start.height, end.x + _WIDTH // 2, end.y
        middle = (y1 + y2) // 2
        path = f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}"
    return f'<path class="edge" marker-end="url(#tip)" d="{path}"/>'
