"""Tracing and routing on the event loop: names, tags and metadata by which a run's parts are found in LangSmith.

LangGraph traces each node under the run's own metadata, `thread_id` among it. Beside that, every node tells the level
of the question and the run's name, and everything below a task tells the task and its tool.
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
    """A pure routing function as an async one; LangGraph reads its annotations for the names of the nodes."""

    @wraps(route)
    async def routed(state: Any) -> T:
        return route(state)

    return routed


def name_run() -> str:
    """A fresh name for a run: the id under which LangSmith traces the graph's run, else a random one.

    So what a person says of an answer later finds its trace by the thread's own state.
    """
    traced = get_current_run_tree()
    return (uuid4() if traced is None else traced.parent_run_id or traced.id).hex


def annotate_node(run: str, level: str) -> None:
    """Tell the run and the level of its question in the trace of the node at work, where there is one."""
    if (traced := get_current_run_tree()) is not None:
        traced.add_metadata({"weiwo_run": run, "level": level})
        traced.add_tags([f"level:{level}"])


def task_config(task: Task) -> RunnableConfig:
    """The name, the tags and the metadata of everything that a task, or an instance of one, does."""
    return {
        "run_name": f"task {task.id}",
        "tags": [f"task:{task.id}", f"tool:{task.tool}"],
        "metadata": {"task": task.id, "tool": task.tool},
    }
