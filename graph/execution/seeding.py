"""Seeds the board of a resumed execution with what the interrupted one had finished."""

import asyncio

from langchain_core.runnables import RunnableConfig

from weiwo.graph.execution.board import Board
from weiwo.graph.execution.line import settled_outcome
from weiwo.graph.execution.task_graph import TaskGraph
from weiwo.nodes.executor.resources import TaskResources
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.state import Usage


class BoardSeeding:
    """Seeds the board with what an interrupted execution had finished.

    Done by the first task that runs: by then LangGraph has settled which Sends it does not run again. Looked up any
    earlier, an outcome that reaches the database in between (from another process, say) would never be posted.
    """

    def __init__(
        self,
        graph: TaskGraph,
        board: Board,
        work: TaskResources,
        config: RunnableConfig,
        intervention: Intervention | None,
    ) -> None:
        self._graph = graph
        self._board = board
        self._work = work
        self._config = config
        self._intervention = intervention
        self._posting: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Seed the board, or wait until it is seeded."""
        self._posting = self._posting or asyncio.create_task(self._post())
        await asyncio.shield(self._posting)

    async def _post(self) -> None:
        try:
            snapshot = await self._graph.aget_state(self._config)
        except ValueError:  # the graph runs without a checkpointer
            return
        for task in snapshot.tasks:
            ran = task.result if isinstance(task.result, dict) else {}
            self._work.services.budget.spent += ran.get("usage", Usage())
            self._work.passages.update(ran.get("evidence", {}))
            outcomes, repairs = ran.get("outcomes", {}), ran.get("repairs", {})
            for outcome in outcomes.values():
                self._work.report_finished(outcome)
            if self._intervention is not None:
                self._intervention.made.update(repairs)
            if outcomes:  # a task's own comes first, then those of what took its place
                own = next(iter(outcomes))
                self._board.post(settled_outcome(own, outcomes, repairs), own)
