"""Tracing and async routing: names, tags and metadata for finding a run's parts in LangSmith.

LangGraph traces each node under the run's own metadata, `thread_id` among it. In addition, every node records the level
of the question and the run's name, and everything below a task records the task and its tool.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langsmith.run_helpers import get_current_run_tree

from weiwo.state import Task

T = TypeVar("T")


def on_loop(route: Callable[[Any], T]) -> Callable[[Any], Awaitable[T]]:
    """Wrap a pure routing function as an async function.

    LangGraph reads its annotations for the names of the nodes.
    """

    @wraps(route)
    async def route_on_loop(state: Any) -> T:
        return route(state)

    return route_on_loop


def name_run() -> str:
    """Return a new run name: the LangSmith trace id of the graph's run, else a random id.

    A person's feedback on an answer thus finds its trace by the thread's own state.
    """
    traced = get_current_run_tree()
    return (uuid4() if traced is None else traced.parent_run_id or traced.id).hex


def annotate_node(run: str, level: str) -> None:
    """Add the run and the question's level to the trace of the current node, if traced."""
    if (traced := get_current_run_tree()) is not None:
        traced.add_metadata({"weiwo_run": run, "level": level})
        traced.add_tags([f"level:{level}"])


def task_config(task: Task) -> RunnableConfig:
    """Return the run name, tags and metadata for all work of a task or task instance."""
    return {
        "run_name": f"task {task.id}",
        "tags": [f"task:{task.id}", f"tool:{task.tool}"],
        "metadata": {"task": task.id, "tool": task.tool},
    }
