"""Waiting requests of a thread, read from a snapshot's `next`, tasks and interrupts.

This is the only place that reads them. The command, the server and the page all decide by it whether an answer can be
accepted, and who is expected to give it.
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
    """An answer without a matching request. The message is a single line."""


@dataclass(frozen=True)
class Waiting:
    """Waiting requests of a thread.

    Attributes:
        interrupts: The questions put to a person and not answered.
        asking: The node whose question comes next and was not put yet, since the state was edited or its process was
            killed. Empty if there is none.
        under_way: The nodes still to run.
    """

    interrupts: "tuple[Interrupt, ...]"
    asking: str
    under_way: tuple[str, ...]

    @property
    def status(self) -> Literal["waiting", "interrupted", "idle"]:
        """Status of the thread.

        `waiting` for a person, `interrupted` if it can continue by itself, or `idle`.
        """
        if self.interrupts or self.asking:
            return "waiting"
        return "interrupted" if self.under_way else "idle"

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the interrupts."""
        return tuple(interrupt.id for interrupt in self.interrupts)

    def address(self, answer: Any) -> Any:
        """Map an answer to the id of the waiting question: "yes" becomes `{"0a1b…": "yes"}`.

        An answer that is already mapped is returned unchanged, and so is one to a question that was not put yet, since
        it has no id. An answer without an id would, at a second attempt, be taken for the answer to the next question.

        Raises:
            AnswerError: Nothing waits for it, or not under that id, or several questions wait.
        """
        if _is_by_id(answer):
            if unknown := sorted(set(answer) - set(self.ids)):
                raise AnswerError(f"interrupt {unknown[0]} is not waiting for an answer")
            return answer
        if len(self.interrupts) > 1:
            raise AnswerError(f"{len(self.interrupts)} questions are pending; answer them by id, as {{id: answer}}")
        if self.interrupts:
            return {self.ids[0]: answer}
        if not self.asking:
            raise AnswerError("nothing is waiting for an answer; continue with input null")
        return answer


def read_waiting(snapshot: "StateSnapshot") -> Waiting:
    """Read the waiting requests of a thread."""
    return judge_waiting([task.name for task in snapshot.tasks], snapshot.interrupts)


def judge_waiting(tasks: Iterable[str], interrupts: "Iterable[Interrupt]") -> Waiting:
    """Return the waiting requests of a thread.

    Args:
        tasks: Names of the tasks left to run by the newest checkpoint.
        interrupts: The interrupts of the checkpoint, which are questions put to a person.
    """
    # Not by `next`: of a run that died between a node's writes and its checkpoint, that names nothing.
    under_way, put = tuple(dict.fromkeys(tasks)), tuple(interrupts)
    asking = next((name for name in _ASKING_NODES if under_way == (name,)), "")
    return Waiting(put, "" if put else asking, under_way)


def _is_by_id(answer: Any) -> bool:
    """Report whether an answer maps ids of interrupts, which are 32 hexadecimal digits, to answers."""
    return (
        isinstance(answer, Mapping)
        and bool(answer)
        and all(isinstance(key, str) and len(key) == 32 and set(key) <= set("0123456789abcdef") for key in answer)
    )
