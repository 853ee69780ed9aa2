"""Tracing in LangSmith (names, tags and metadata of a run's parts), and async routing functions.

LangGraph traces each node with the metadata of the run, such as `thread_id`. In addition, every node records the level
of the question and the id of the run, and everything below a task records the task and its tool.
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
    """Wrap a pure routing function as an async function, which LangGraph runs on the event loop, not in a thread.

    The annotations are kept, from which LangGraph reads the names of the nodes.
    """

    @wraps(route)
    async def route_on_loop(state: Any) -> T:
        return route(state)

    return route_on_loop


def name_run() -> str:
    """Return the id of a new run: the LangSmith trace id of the graph's run, or a random id if it is not traced.

    By this id in the thread's state, a user's feedback on an answer is attached to the trace.
    """
    traced = get_current_run_tree()
    return (uuid4() if traced is None else traced.parent_run_id or traced.id).hex


def annotate_node(run: str, level: str) -> None:
    """Add the id of the run and the level of the question to the trace of the current node, if it is traced."""
    if (traced := get_current_run_tree()) is not None:
        traced.add_metadata({"weiwo_run": run, "level": level})
        traced.add_tags([f"level:{level}"])


def task_config(task: Task) -> RunnableConfig:
    """Return LangChain's config with the trace name, tags and metadata for all work of a task."""
    return {
        "run_name": f"task {task.id}",
        "tags": [f"task:{task.id}", f"tool:{task.tool}"],
        "metadata": {"task": task.id, "tool": task.tool},
    }
