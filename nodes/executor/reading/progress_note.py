"""The progress note of a task: how far it has come, told to its reader, and which passages its next turn shows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from weiwo.nodes.executor import prompt
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.strategy import FEW_PASSAGES, MANY_PASSAGES
from weiwo.state import Evidence, Hop, Task, ValueType
from weiwo.state.query import QueryFrame

_KEPT_PASSAGES = 3
"""Passages of earlier turns that a later one shows again, where the model named none that it wants to keep."""


@dataclass(frozen=True)
class TaskProgressNote:
    """Progress note in the reader's prompt: how far a task has come.

    Attributes:
        whole: The user's question that the task serves.
        tried: Queries already sent.
        turns_left: How often the task may search or open yet.
        nothing_new: Whether the last turn brought no passage that was not known.
        failed: What did not work, such as a page that could not be opened.
        seen: Ids of the passages that earlier turns showed.
        kept: Ids of those that the model wanted to see again.
        most: Passages that a turn shows for one value, the best ones; the others come next, should they be needed.
        wants_sentence: Whether the task is the whole question, so that its value, in a sentence, is the answer.
        hops: Of a chain of look-ups, what earlier turns found on the way.
        latest: Passages that the last turn found, known ones among them: as many are the first of all.
        waiting: Tasks that wait for this one, of which its passages may tell already.
    """

    whole: str
    tried: Sequence[str]
    turns_left: int
    nothing_new: bool = False
    failed: Sequence[str] = ()
    seen: Collection[str] = ()
    kept: Collection[str] = ()
    most: int = FEW_PASSAGES
    wants_sentence: bool = False
    hops: Sequence[Hop] = ()
    latest: int = 0
    waiting: Sequence[Task] = ()

    def describe_turns(self) -> str:
        """The turns left, in words for the model."""
        if self.turns_left <= 0:
            turns = prompt.LAST_TURN
        else:
            turns = prompt.TURNS_LEFT.format("once" if self.turns_left == 1 else f"{self.turns_left} times")
        if self.nothing_new and len(self.tried) > 1:
            turns = prompt.NOTHING_NEW.format(turns)
        return "\n".join([turns, *map(prompt.DID_NOT_WORK.format, self.failed)])

    def describe_waiting(self) -> str:
        """The tasks that wait, with what to give of them."""
        if not self.waiting:
            return ""
        lines = [
            f"- {task.id}{', for each item' if task.for_each else ''}: {quote_as_data(task.description, 300)}"
            f" (wanted: {task.ret})"
            for task in self.waiting
        ]
        told = prompt.STATEMENT if any(task.is_answer for task in self.waiting) else ""
        return "\n".join([prompt.WAITING, *lines, told])

    def describe_hops(self) -> str:
        """What was found on the way, a line each."""
        lines = [f"- {quote_as_data(hop.question, 200)} → {quote_as_data(hop.value, 200)}" for hop in self.hops]
        return "\n".join([prompt.FOUND_ON_THE_WAY, *lines, ""]) if lines else ""


def choose_passages(
    passages: Sequence[Evidence], progress: TaskProgressNote, ret: ValueType, frame: QueryFrame
) -> list[Evidence]:
    """The best passages at first; later the ones that were kept, then the best of those not shown yet.

    On the way of a chain each turn asks something else, of which a passage shown before may tell: then the best are
    those that the latest searches found, shown before or not.
    """
    several = ret == "passages" or ret.startswith("list") or frame.shape == "comparison"
    most = MANY_PASSAGES if several else progress.most
    if progress.hops and progress.latest:
        latest = passages[: min(progress.latest, most)]
        found = {passage.id for passage in latest}
        return [*(one for one in passages if one.id in progress.kept and one.id not in found), *latest]
    known = [passage for passage in passages if passage.id in progress.seen]
    new = [passage for passage in passages if passage.id not in progress.seen]
    kept = [passage for passage in known if passage.id in progress.kept] or known[:_KEPT_PASSAGES]
    return [*kept, *new[:most]]
