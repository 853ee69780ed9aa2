"""Plans and what they can have come to, drawn at random."""

from typing import Any

from hypothesis import strategies as st

from tests.support.states import got, lost, search
from weiwo.state import Outcome, Plan, Task

NAMES = st.sampled_from([*(f"task_{n}" for n in range(1, 8)), "a", "b", "task_1b", "任务"])


@st.composite
def plans(draw: Any) -> Plan:
    """A valid plan of up to seven look-ups, some of which ask the same."""
    ids = draw(st.lists(NAMES, unique=True, max_size=7, min_size=1))
    tasks: list[Task] = []
    for task_id in ids:
        sources = draw(st.lists(st.sampled_from([task.id for task in tasks]), max_size=2)) if tasks else []
        about = draw(st.sampled_from(["x", "y", "z"])) + "".join(f" {{{{{source}.ret}}}}" for source in sources)
        tasks.append(search(task_id, f"What of {about}?", about, "text"))
    links = draw(st.lists(st.tuples(*[st.integers(0, len(ids) - 1)] * 2), max_size=2))
    return Plan(tasks=tuple(tasks), links=tuple((ids[a], ids[b]) for a, b in links if a < b))


def finished(plan: Plan, data: st.DataObject) -> dict[str, Outcome]:
    """Any outcomes that a plan can have come to: nothing is finished whose inputs are not."""
    outcomes: dict[str, Outcome] = {}
    for task_id in plan.order():
        ready = all(outcomes[source].usable for source in plan.upstream(task_id))
        found = ready and data.draw(st.booleans())
        outcomes[task_id] = got(task_id, f"value of {task_id}", "text") if found else lost(task_id)
    return outcomes
