"""The one reading of what a thread waits for, from a snapshot's `next`, tasks and interrupts.

The command, the server and the page all decide by it whether an answer can be taken, and by whom it is awaited.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from langgraph.types import Interrupt, StateSnapshot

from weiwo.state.errors import WeiwoError

_ASKING_NODES: Final = ("approval", "clarify")
"""Nodes of the graph that do nothing but ask a person."""


class AnswerError(WeiwoError, ValueError):
    """An answer fits nothing that waits. The message is one line."""


@dataclass(frozen=True)
class Waiting:
    """What a thread waits for.

    Attributes:
        interrupts: The questions put to a person and not answered.
        asking: The node whose question comes next and was not put yet, since the state was edited or its process was
            killed; empty where there is none.
        under_way: The nodes still to run.
    """

    interrupts: "tuple[Interrupt, ...]"
    asking: str
    under_way: tuple[str, ...]

    @property
    def status(self) -> Literal["waiting", "interrupted", "idle"]:
        """`waiting` for a person, `interrupted` where it can go on by itself, or `idle`."""
        if self.interrupts or self.asking:
            return "waiting"
        return "interrupted" if self.under_way else "idle"

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the interrupts."""
        return tuple(one.id for one in self.interrupts)

    def address(self, answer: Any) -> Any:
        """The answer under the id of the question it is for; unchanged where that question was not put yet.

        Without an address it would, at a second attempt, be taken for the answer to the next question.

        Raises:
            AnswerError: Nothing waits for it, or not under that id, or several questions do.
        """
        if _is_by_id(answer):
            if unknown := sorted(set(answer) - set(self.ids)):
                raise AnswerError(f"interrupt {unknown[0]}; nothing waits for an answer under that id")
            return answer
        if len(self.interrupts) > 1:
            raise AnswerError(f"{len(self.interrupts)} questions wait; answer them by id, as {{id: answer}}")
        if self.interrupts:
            return {self.ids[0]: answer}
        if not self.asking:
            raise AnswerError("nothing of it waits for an answer; go on with input null")
        return answer


def read_waiting(snapshot: "StateSnapshot") -> Waiting:
    """Read what a thread waits for."""
    return judge_waiting([task.name for task in snapshot.tasks], snapshot.interrupts)


def judge_waiting(tasks: Iterable[str], interrupts: "Iterable[Interrupt]") -> Waiting:
    """Judge what a thread waits for, by the names of the tasks that its newest checkpoint leaves and the interrupts."""
    # Not by `next`: of a run that died between a node's writes and its checkpoint, that names nothing.
    under_way, put = tuple(dict.fromkeys(tasks)), tuple(interrupts)
    asking = next((name for name in _ASKING_NODES if under_way == (name,)), "")
    return Waiting(put, "" if put else asking, under_way)


def _is_by_id(answer: Any) -> bool:
    """Whether an answer maps ids of interrupts to answers, as LangGraph reads it."""
    return isinstance(answer, Mapping) and bool(answer) and all(map(_is_id, answer))


def _is_id(key: Any) -> bool:
    return isinstance(key, str) and len(key) == 32 and set(key) <= set("0123456789abcdef")
