"""Checkpoints of a thread, newest first, each with the previous and the next step.

Only the graph's own checkpoints are listed, not those inside tasks. A fork can start from any of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.text import Text

from weiwo.app.cli.errors import UsageError
from weiwo.app.errors import unknown_thread
from weiwo.app.session.checkpoint_events import finished_tasks
from weiwo.app.session.session import Session
from weiwo.app.session.thread import MOST_CHECKPOINTS, Thread
from weiwo.app.session.waiting import Waiting
from weiwo.graph.persistence.threads import FORK_KEY, find_checkpoint, thread_exists
from weiwo.state import Plan
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

_SHORTEST: Final = 13
"""Least characters of a shown checkpoint id. Ids begin with the time, so 13 separate those 0.4 ms apart."""


@dataclass(frozen=True)
class CheckpointView:
    """A checkpoint as shown to a person.

    Attributes:
        id: Its id.
        label: The beginning of its id, unique in the thread.
        parent: The label of the checkpoint before it. Empty for the first.
        created: When it was written.
        next: The next steps. Empty if the question is answered.
        what: The step that led to it, in a few words.
        forked: Whether the run branched off here instead of continuing the checkpoint listed below.
    """

    id: str
    label: str
    parent: str
    created: datetime
    next: tuple[str, ...]
    what: str
    forked: bool


async def list_checkpoints(session: Session, thread_id: str) -> list[CheckpointView]:
    """List the latest checkpoints of a thread, newest first, at most `MOST_CHECKPOINTS`.

    Raises:
        MisuseError: There is no such thread.
    """
    place: Any = {"configurable": {"thread_id": thread_id}}
    found = [item async for item in session.graph.aget_state_history(place, limit=MOST_CHECKPOINTS)]
    if not found:
        raise unknown_thread(thread_id)
    shown = [item for item in found if item.next != ("__start__",)] or found
    by_id = {_id(item): item for item in found}
    # Unique prefixes of the ids, all of the same length.
    lengths = (length for length in range(_SHORTEST, 37) if len({name[:length] for name in by_id}) == len(by_id))
    length = next(lengths, 36)
    labels = {name: name[:length] for name in by_id}
    views = []
    for position, entry in enumerate(shown):
        parent = by_id.get(_parent_id(entry))
        below = shown[position + 1] if position + 1 < len(shown) else None
        metadata = entry.metadata or {}
        strayed = below is not None and parent is not None and parent.next != ("__start__",) and parent is not below
        forked = FORK_KEY in metadata or metadata.get("source") == "fork" or strayed
        # A copied checkpoint has the oldest with the same parent as its original.
        twin = next((_id(item) for item in reversed(found) if _parent_id(item) == _parent_id(entry)), "")
        done = await finished_tasks(session.saver, entry) if "executor" in entry.next else {}
        views.append(
            CheckpointView(
                id=_id(entry),
                label=labels[_id(entry)],
                parent=labels.get(_parent_id(entry), ""),
                created=datetime.fromisoformat(entry.created_at) if entry.created_at else datetime.now(UTC),
                next=entry.next,
                what=_describe_step(entry, parent, labels.get(twin, ""))
                + (f"; {len(done)} of its tasks had finished" if done else ""),
                forked=forked,
            )
        )
    return views


async def find_thread_checkpoint(session: Session, thread_id: str | None, prefix: str) -> tuple[str, str]:
    """Return the ids of the thread and the checkpoint named by the beginning of the checkpoint's id.

    Raises:
        MisuseError: There is no such thread.
        UsageError: There is not exactly one such checkpoint.
    """
    if thread_id is not None and not await thread_exists(session.saver, thread_id):
        raise unknown_thread(thread_id)
    try:
        return await find_checkpoint(session.saver, prefix, thread_id)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def load_checkpoint(session: Session, thread_id: str, checkpoint_id: str) -> Thread:
    """Load a thread as of a checkpoint."""
    snapshot = await session.graph.aget_state(
        {"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}}
    )
    return Thread(
        thread_id, snapshot.values, Waiting((), "", snapshot.next), await finished_tasks(session.saver, snapshot)
    )


def shorten_id(checkpoint_id: str) -> str:
    """Shorten a checkpoint id for messages."""
    return checkpoint_id[:_SHORTEST]


def print_history(console: Console, views: Sequence[CheckpointView]) -> None:
    """Print the views on a terminal, each on a line."""
    for view in views:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{view.label}  ", "cyan")
        line.append(f"{view.created.astimezone():%Y-%m-%d %H:%M:%S}  ", "dim")
        line.append(f"{_describe_next(view):<14}", "yellow" if view.next else "green")
        line.append(_describe_view(view))
        console.print(line, no_wrap=True, overflow="ellipsis")


def format_history(views: Sequence[CheckpointView]) -> str:
    """Format the views for a pipe: id, time, next step and previous step, separated by tabs."""
    return "".join(
        f"{view.label}\t{view.created.isoformat(timespec='milliseconds')}\t{_describe_next(view)}\t{_describe_view(view)}\n"
        for view in views
    )


def history_to_json(thread_id: str, views: Sequence[CheckpointView]) -> dict[str, Any]:
    """Return the views as a single object."""
    whole = {view.label: view.id for view in views}
    return {
        "thread_id": thread_id,
        "checkpoints": [
            {
                "checkpoint_id": view.id,
                "label": view.label,
                "parent": whole.get(view.parent),
                "created": view.created.isoformat(timespec="milliseconds"),
                "next": list(view.next),
                "what": view.what,
                "forked": view.forked,
            }
            for view in views
        ],
    }


def _describe_next(view: CheckpointView) -> str:
    return f"→ {' '.join(view.next)}" if view.next else "end"


def _describe_view(view: CheckpointView) -> str:
    whence = f" (continues from {view.parent})" if view.forked and not view.what.startswith("fork of") else ""
    return one_line(view.what + whence, 500)


def _id(snapshot: "StateSnapshot") -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


def _parent_id(snapshot: "StateSnapshot") -> str:
    return str((snapshot.parent_config or {}).get("configurable", {}).get("checkpoint_id", ""))


def _describe_step(snapshot: "StateSnapshot", parent: "StateSnapshot | None", twin: str) -> str:
    """Describe the step that led to a checkpoint: a fork, an edit by hand, or a node and its result."""
    metadata, values = snapshot.metadata or {}, snapshot.values
    if changes := metadata.get(FORK_KEY):
        return f"fork: {changes}"
    source = metadata.get("source")
    if source == "fork":
        return f"fork of {twin}"
    if source == "update":
        return "the state was edited by hand"
    node = parent.next[0] if parent is not None and parent.next else ""
    before = parent.values if parent is not None else {}
    return next(_by_node(node, values, before), node or "begun")


def _by_node(node: str, values: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    plan: Plan | None = values.get("plan")
    if node in {"", "__start__"}:
        messages = values.get("messages") or ()
        last = str(messages[-1].text) if messages else ""
        yield f"asked: {values.get('question') or last}"
    elif node == "master" and values.get("assessment"):
        yield f"judged {values['assessment'].level}"
    elif node == "planner" and plan is not None:
        same = before.get("plan") is not None and before["plan"].revision == plan.revision
        yield f"planned {_count_tasks(plan)}" + (
            " as before" if same else f", revision {plan.revision}" * bool(plan.revision)
        )
    elif node == "approval":
        if words := values.get("feedback"):
            yield f"plan rejected: {words}"
        edited = plan is not None and before.get("plan") is not None and before["plan"].revision != plan.revision
        yield "plan edited by a user" if edited else "plan approved"
    elif node == "executor" and plan is not None:
        outcomes = values.get("outcomes") or {}
        usable = sum(task_id in outcomes and outcomes[task_id].usable for task_id in plan.ids)
        yield (
            f"{usable} of {_count_tasks(plan)} have a value"
            if len(plan.ids) > 1
            else ("a value" if usable else "no value")
        )
    elif node == "reflection" and values.get("reflections"):
        last = values["reflections"][-1]
        yield f"{last.decision}: {last.reason}"
    elif node == "writer" and values.get("result"):
        yield f"answered: {values['result'].get('status', '')}"


def _count_tasks(plan: Plan) -> str:
    return f"{len(plan.ids)} task{'' if len(plan.ids) == 1 else 's'}"
