"""Batched reading: several tasks read in a single call, each with separate quotes.

Tasks that come to read at the same time are read together. The fixed part of a call is paid once for all of them, and a
passage that several tasks found is shown once. The batch is optional: an answer that is missing there, or has no words
from a passage, is read by its task alone. So is every task with long passages, with a list as its value, or with a
model that takes no schemas.

Like a data loader's batch, a batch is full at `MOST_TASKS`, or when no other task that may join is still searching.
That counts tasks, not time, so it does not depend on the speed of each task. The tasks of a batch have the order in
which they were started, and the first of them sends the call, at its own expense.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.executor.prompt import BATCH, STATEMENT, TYPE_HINTS
from weiwo.nodes.executor.reading.reader import finds_hops, judge_answer
from weiwo.nodes.executor.reading.reading import Judgement
from weiwo.nodes.executor.replies import BatchReadReply
from weiwo.nodes.executor.task_state import OF_CORPUS
from weiwo.nodes.shared.prompting.passage_prompt import format_passages
from weiwo.nodes.shared.question.arithmetic import today
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Task, ValueType
from weiwo.state.query import QueryFrame

_LEAST_TASKS: Final = 2
MOST_TASKS: Final = 8
_PASSAGES: Final = 2
"""Number of best passages of each task in a shared prompt. A task that they do not answer is read alone, with more."""
_LONGEST_PASSAGES: Final = 3_000
"""Most characters of these passages of one task. A task with longer passages is read alone."""
SCALARS: Final = frozenset({"text", "number", "date", "boolean"})
"""Types that are not lists."""


@dataclass(frozen=True)
class ReadRequest:
    """A task's request to be read.

    Attributes:
        frame: The task, with references filled.
        ret: The wanted type.
        passages: The passages found, best first.
        wants_sentence: Whether the value is also wanted as a sentence for the user's answer.
    """

    frame: QueryFrame
    ret: ValueType
    passages: Sequence[Evidence]
    wants_sentence: bool = False

    @property
    def shown_passages(self) -> Sequence[Evidence]:
        """Passages shown in a shared prompt."""
        return self.passages[:_PASSAGES]

    @property
    def shareable(self) -> bool:
        """Report whether the request can share a prompt: it has short passages and needs a single look-up."""
        short = bool(self.passages) and sum(len(item.text) for item in self.shown_passages) <= _LONGEST_PASSAGES
        return short and not finds_hops(self.frame, self.ret)


@dataclass
class _Member:
    request: ReadRequest
    place: int
    turn: "asyncio.Future[Judgement | list[_Member] | None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass
class ReadBatches:
    """Batches of a single execution.

    Attributes:
        expected: Ids of the tasks that may yet come to be read in a batch.
    """

    expected: set[str] = field(default_factory=set)
    _places: dict[str, int] = field(default_factory=dict)
    _waiting: list[_Member] = field(default_factory=list)
    _failed: bool = False

    def expect(self, task: Task, services: RunContext) -> None:
        """Add a started task to the expected tasks, if it may be read in a batch."""
        alike = task.tool in OF_CORPUS and task.ret in SCALARS and services.strategy.reads_together
        if alike and not self._failed and services.models.holds_schemas("executor"):
            self.expected.add(task.id)
            self._places.setdefault(task.id, len(self._places))

    def leave(self, task_id: str) -> None:
        """Remove a task from the expected tasks. If no task is expected any more, the waiting ones are read."""
        self.expected.discard(task_id)
        if not self.expected:
            self._fill()

    async def read(self, task_id: str, request: ReadRequest, models: ChatModels) -> Judgement | None:
        """Return the judgement of a task read in a batch, or None if the task must be read alone.

        Args:
            task_id: The task. It must have given up its lease, because the other tasks need slots to get here.
            request: The request of the task.
            models: Models whose budget is charged if this task sends the call for the batch.
        """
        if task_id not in self.expected or not request.shareable:
            self.leave(task_id)
            return None
        own = _Member(request, self._places[task_id])
        self._waiting.append(own)
        self.leave(task_id)
        if len(self._waiting) == MOST_TASKS:
            self._fill()
        try:
            given = await own.turn
        except asyncio.CancelledError:
            if not own.turn.cancelled() and isinstance(
                chosen := own.turn.result(), list
            ):  # cancelled just as it was chosen to send the call
                _let_read_alone(chosen)
            raise
        if not isinstance(given, list):
            return given
        judgements: dict[int, Judgement] = {}
        try:
            judgements = await self.read_together([item.request for item in given], models)
        finally:
            for n, entry in enumerate(given):
                if not entry.turn.done():
                    entry.turn.set_result(judgements.get(n))
        return judgements.get(given.index(own))

    async def read_together(self, requests: Sequence[ReadRequest], models: ChatModels) -> dict[int, Judgement]:
        """Return the judgements of several tasks read in a single call, by position.

        Tasks without an answer are left out.

        Empty if this or an earlier call failed.
        """
        if self._failed:
            return {}
        try:
            return await _read_together(requests, models)
        except ModelCallError:
            self._failed = True  # the trace has the error; from now on tasks are read alone
            return {}

    def _fill(self) -> None:
        """Start a batch with the waiting requests: the first of them sends the call. A single request is read alone.

        The requests have the order in which their tasks were started, so that the prompt does not depend on the speed
        of each search.
        """
        waiting = sorted((item for item in self._waiting if not item.turn.done()), key=lambda item: item.place)
        self._waiting = []
        if len(waiting) < _LEAST_TASKS or self._failed:
            _let_read_alone(waiting)
        elif waiting:
            waiting[0].turn.set_result(waiting)


def _let_read_alone(members: Sequence[_Member]) -> None:
    for member in members:
        if not member.turn.done():
            member.turn.set_result(None)


async def _read_together(requests: Sequence[ReadRequest], models: ChatModels) -> dict[int, Judgement]:
    """Ask a model for the values of several tasks, and return the judgement of each answered task, by position."""
    shown = {passage.id: passage for request in requests for passage in request.shown_passages}
    passages = [*shown.values()]
    lines = [f"Task {n}: {request.frame.question}\nWanted: {request.ret}" for n, request in enumerate(requests, 1)]
    more = [*dict.fromkeys(TYPE_HINTS[request.ret] for request in requests)]
    more += [STATEMENT.rstrip()] if any(request.wants_sentence for request in requests) else []
    prompt = "\n".join([f"Today: {today()}", *lines, *more, format_passages(passages)])
    messages = [SystemMessage(BATCH), HumanMessage(prompt)]
    reply = await models.request_structured_reply("executor", "read", messages, BatchReadReply)
    judgements: dict[int, Judgement] = {}
    for answer in reply.answers:
        place = answer.task - 1
        if 0 <= place < len(requests) and place not in judgements:
            asked = requests[place]
            judgement = await judge_answer(
                answer, asked.frame, asked.ret, passages, asked.passages, wants_sentence=asked.wants_sentence
            )
            if judgement is not None:
                judgements[place] = judgement
    return judgements
