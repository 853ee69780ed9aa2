"""The moments of a thread: its checkpoints, newest first, each with what led to it and what comes next.

They are the checkpoints of the graph itself; those inside tasks are not for people. A fork starts from any of them.
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
from weiwo.app.session.thread import MOST_MOMENTS, Thread
from weiwo.app.session.waiting import Waiting
from weiwo.graph.persistence.threads import FORK_KEY, find_checkpoint, thread_exists
from weiwo.state import Plan
from weiwo.text.printable import one_line

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

_SHORTEST: Final = 13
"""Characters of an id that part moments 0.4 ms from each other: the ids begin with the time."""


@dataclass(frozen=True)
class Moment:
    """A checkpoint, as a person sees it.

    Attributes:
        id: Its id.
        label: The beginning of its id that no other of the thread has.
        parent: The label of the one before it; empty for the first.
        created: When it was written.
        next: What comes next; empty where the question is answered.
        what: What led to it, in a few words.
        forked: Whether a fork begins here, or the run left the branch below for an earlier one.
    """

    id: str
    label: str
    parent: str
    created: datetime
    next: tuple[str, ...]
    what: str
    forked: bool


async def history(session: Session, thread_id: str) -> list[Moment]:
    """The moments of a thread, newest first.

    Raises:
        UsageError: There is no such thread.
    """
    place: Any = {"configurable": {"thread_id": thread_id}}
    found = [one async for one in session.graph.aget_state_history(place, limit=MOST_MOMENTS)]
    if not found:
        raise unknown_thread(thread_id)
    shown = [one for one in found if one.next != ("__start__",)] or found
    labels = _labels([_id(one) for one in found])
    by_id = {_id(one): one for one in found}
    moments = []
    for position, one in enumerate(shown):
        parent = by_id.get(_parent_id(one))
        below = shown[position + 1] if position + 1 < len(shown) else None
        metadata = one.metadata or {}
        strayed = below is not None and parent is not None and parent.next != ("__start__",) and parent is not below
        forked = FORK_KEY in metadata or metadata.get("source") == "fork" or strayed
        done = await finished_tasks(session.saver, one) if "executor" in one.next else {}
        moments.append(
            Moment(
                id=_id(one),
                label=labels[_id(one)],
                parent=labels.get(_parent_id(one), ""),
                created=datetime.fromisoformat(one.created_at) if one.created_at else datetime.now(UTC),
                next=one.next,
                what=_what(one, parent, labels.get(_twin(one, found), ""))
                + (f"; {len(done)} of its tasks had finished" if done else ""),
                forked=forked,
            )
        )
    return moments


async def find_moment(session: Session, thread_id: str | None, prefix: str) -> tuple[str, str]:
    """The thread and checkpoint that a person named.

    Raises:
        UsageError: There is no such thread, or no one such checkpoint.
    """
    if thread_id is not None and not await thread_exists(session.saver, thread_id):
        raise unknown_thread(thread_id)
    try:
        return await find_checkpoint(session.saver, prefix, thread_id)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def load(session: Session, thread_id: str, checkpoint_id: str) -> Thread:
    """A thread as it was at a checkpoint."""
    snapshot = await session.graph.aget_state(
        {"configurable": {"thread_id": thread_id, "checkpoint_id": checkpoint_id}}
    )
    return Thread(
        thread_id, snapshot.values, Waiting((), "", snapshot.next), await finished_tasks(session.saver, snapshot)
    )


def short(checkpoint_id: str) -> str:
    """The beginning of an id, as messages name it."""
    return checkpoint_id[:_SHORTEST]


def print_history(console: Console, moments: Sequence[Moment]) -> None:
    """Print the moments on a terminal, one a line."""
    for one in moments:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{one.label}  ", "cyan")
        line.append(f"{one.created.astimezone():%Y-%m-%d %H:%M:%S}  ", "dim")
        line.append(f"{_next(one):<14}", "yellow" if one.next else "green")
        line.append(_said(one))
        console.print(line, no_wrap=True, overflow="ellipsis")


def plain_history(moments: Sequence[Moment]) -> str:
    """The moments for a pipe: id, time, what comes next and what led to it, parted by tabs."""
    return "".join(
        f"{one.label}\t{one.created.isoformat(timespec='milliseconds')}\t{_next(one)}\t{_said(one)}\n"
        for one in moments
    )


def as_json(thread_id: str, moments: Sequence[Moment]) -> dict[str, Any]:
    """The moments as one object."""
    whole = {one.label: one.id for one in moments}
    return {
        "thread_id": thread_id,
        "checkpoints": [
            {
                "checkpoint_id": one.id,
                "label": one.label,
                "parent": whole.get(one.parent),
                "created": one.created.isoformat(timespec="milliseconds"),
                "next": list(one.next),
                "what": one.what,
                "forked": one.forked,
            }
            for one in moments
        ],
    }


def _next(moment: Moment) -> str:
    return f"→ {' '.join(moment.next)}" if moment.next else "end"


def _said(moment: Moment) -> str:
    whence = f" (goes on from {moment.parent})" if moment.forked and not moment.what.startswith("fork of") else ""
    return one_line(moment.what + whence, 500)


def _id(snapshot: "StateSnapshot") -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


def _parent_id(snapshot: "StateSnapshot") -> str:
    return str((snapshot.parent_config or {}).get("configurable", {}).get("checkpoint_id", ""))


def _labels(ids: Sequence[str]) -> dict[str, str]:
    """The shortest beginnings of one length that tell the ids apart."""
    lengths = (length for length in range(_SHORTEST, 37) if len({one[:length] for one in ids}) == len(set(ids)))
    length = next(lengths, 36)
    return {one: one[:length] for one in ids}


def _twin(snapshot: "StateSnapshot", found: Sequence["StateSnapshot"]) -> str:
    """The id of the checkpoint that a copy is a copy of: the oldest with the same parent."""
    return next((_id(one) for one in reversed(found) if _parent_id(one) == _parent_id(snapshot)), "")


def _what(snapshot: "StateSnapshot", parent: "StateSnapshot | None", twin: str) -> str:
    """What led to a checkpoint: the node that ran since its parent, and what came of it."""
    metadata, values = snapshot.metadata or {}, snapshot.values
    if changes := metadata.get(FORK_KEY):
        return f"fork: {changes}"
    source = metadata.get("source")
    if source == "fork":
        return f"fork of {twin}"
    if source == "update":
        return "the state was changed by hand"
    node = parent.next[0] if parent is not None and parent.next else ""
    before = parent.values if parent is not None else {}
    return next(_by_node(node, values, before), node or "begun")


def _by_node(node: str, values: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    plan: Plan | None = values.get("plan")
    if node in {"", "__start__"}:
        yield f"asked: {values.get('question') or _last_words(values)}"
    elif node == "master" and values.get("assessment"):
        yield f"judged {values['assessment'].level}"
    elif node == "planner" and plan is not None:
        same = before.get("plan") is not None and before["plan"].revision == plan.revision
        yield f"planned {_counted(plan)}" + (
            " as before" if same else f", revision {plan.revision}" * bool(plan.revision)
        )
    elif node == "approval":
        if words := values.get("feedback"):
            yield f"plan sent back: {words}"
        edited = plan is not None and before.get("plan") is not None and before["plan"].revision != plan.revision
        yield "plan edited by a person" if edited else "plan approved"
    elif node == "executor" and plan is not None:
        outcomes = values.get("outcomes") or {}
        usable = sum(task_id in outcomes and outcomes[task_id].usable for task_id in plan.ids)
        yield (
            f"{usable} of {_counted(plan)} have a value" if len(plan.ids) > 1 else ("a value" if usable else "no value")
        )
    elif node == "reflection" and values.get("reflections"):
        last = values["reflections"][-1]
        yield f"{last.decision}: {last.reason}"
    elif node == "writer" and values.get("result"):
        yield f"answered: {values['result'].get('status', '')}"


def _counted(plan: Plan) -> str:
    return f"{len(plan.ids)} task{'' if len(plan.ids) == 1 else 's'}"


def _last_words(values: Mapping[str, Any]) -> str:
    messages = values.get("messages") or ()
    return str(messages[-1].text) if messages else ""
