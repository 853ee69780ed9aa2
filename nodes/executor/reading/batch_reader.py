"""Batched reading: tasks that come to read at the same time are read several in one call, each with its own quotes.

What a call says beside its passages is paid once for all of them, and a passage that several tasks found is shown once.
It is an offer: whatever is not answered there, or not with words that stand in a passage, is read by its task alone,
as every task is whose passages are long, whose value is a list, or whose model takes no schemas.

Like a data loader's batch, one is full at `MOST_TASKS`, or when no other task that may join is still searching. That
counts tasks, not time, so it does not hang on how fast each is. The first to come asks, at its own expense.
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
from weiwo.nodes.shared.run_context import RunContext, today
from weiwo.state import Evidence, Task, ValueType
from weiwo.state.query import QueryFrame

_LEAST_TASKS: Final = 2
MOST_TASKS: Final = 8
_PASSAGES: Final = 2
"""Passages shown of each task, the best ones; a task that they do not answer sees more of them alone."""
_LONGEST_PASSAGES: Final = 3_000
"""Characters of them together, up to which a task is read with others."""
SCALARS: Final = frozenset({"text", "number", "date", "boolean"})
"""Types of one value."""


@dataclass(frozen=True)
class ReadRequest:
    """What a task has to be read.

    Attributes:
        frame: The task, its references filled.
        ret: The wanted type.
        passages: What it found, best first.
        wants_sentence: Whether its value is told in a sentence of its own.
    """

    frame: QueryFrame
    ret: ValueType
    passages: Sequence[Evidence]
    wants_sentence: bool = False

    @property
    def shown(self) -> Sequence[Evidence]:
        """The passages that a shared prompt shows."""
        return self.passages[:_PASSAGES]

    @property
    def shareable(self) -> bool:
        """Whether it can share a prompt: there is something to read, not much, and one value to find."""
        short = bool(self.passages) and sum(len(one.text) for one in self.shown) <= _LONGEST_PASSAGES
        return short and not finds_hops(self.frame, self.ret)


@dataclass
class _Member:
    request: ReadRequest
    turn: "asyncio.Future[Judgement | list[_Member] | None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass
class ReadBatches:
    """The batches of one execution.

    Attributes:
        expected: Ids of the tasks that may yet come to read in a batch.
    """

    expected: set[str] = field(default_factory=set)
    _waiting: list[_Member] = field(default_factory=list)
    _failed: bool = False

    def expect(self, task: Task, services: RunContext) -> None:
        """Wait for a task that has begun, if it may be read with others."""
        alike = task.tool in OF_CORPUS and task.ret in SCALARS and services.strategy.reads_together
        if alike and not self._failed and services.models.holds_schemas("executor"):
            self.expected.add(task.id)

    def leave(self, task_id: str) -> None:
        """Wait no longer for a task, which came to read or will not."""
        self.expected.discard(task_id)
        if not self.expected:
            self._fill()

    async def read(self, task_id: str, request: ReadRequest, models: ChatModels) -> Judgement | None:
        """The reading of a task in a batch; None where it is to be read alone.

        Args:
            task_id: The task, whose slot must not be held meanwhile: others need one to come here.
            request: What it has to be read.
            models: Whose expense it is, if this task is the one that asks.
        """
        if task_id not in self.expected or not request.shareable:
            self.leave(task_id)
            return None
        own = _Member(request)
        self._waiting.append(own)
        self.leave(task_id)
        if len(self._waiting) == MOST_TASKS:
            self._fill()
        try:
            given = await own.turn
        except asyncio.CancelledError:
            if not own.turn.cancelled() and isinstance(
                chosen := own.turn.result(), list
            ):  # at the very moment it was to ask
                _let_read_alone(chosen)
            raise
        if not isinstance(given, list):
            return given
        judgements: dict[int, Judgement] = {}
        try:
            judgements = await self.read_together([one.request for one in given], models)
        finally:
            for n, one in enumerate(given):
                if not one.turn.done():
                    one.turn.set_result(judgements.get(n))
        return judgements.get(given.index(own))

    async def read_together(self, requests: Sequence[ReadRequest], models: ChatModels) -> dict[int, Judgement]:
        """The judgement of each of several tasks that has one, by its place; none where such a call has failed."""
        if self._failed:
            return {}
        try:
            return await _read_together(requests, models)
        except ModelCallError:
            self._failed = True  # in the trace; from now on each is read alone
            return {}

    def _fill(self) -> None:
        """Make a batch of those that wait: the first of them asks for all."""
        waiting = [one for one in self._waiting if not one.turn.done()]
        self._waiting = []
        if len(waiting) < _LEAST_TASKS or self._failed:
            _let_read_alone(waiting)
        elif waiting:
            waiting[0].turn.set_result(waiting)


def _let_read_alone(members: Sequence[_Member]) -> None:
    for one in members:
        if not one.turn.done():
            one.turn.set_result(None)


async def _read_together(requests: Sequence[ReadRequest], models: ChatModels) -> dict[int, Judgement]:
    """Ask for the values of several tasks; the judgement of each that has one, by its place."""
    shown = {passage.id: passage for request in requests for passage in request.shown}
    passages = list(shown.values())
    lines = [f"Task {n}: {one.frame.question}\nWanted: {one.ret}" for n, one in enumerate(requests, 1)]
    more = [*dict.fromkeys(TYPE_HINTS[one.ret] for one in requests)]
    more += [STATEMENT.rstrip()] if any(one.wants_sentence for one in requests) else []
    prompt = "\n".join([f"Today: {today()}", *lines, *more, format_passages(passages)])
    messages = [SystemMessage(BATCH), HumanMessage(prompt)]
    reply = await models.structured("executor", "read", messages, BatchReadReply)
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
