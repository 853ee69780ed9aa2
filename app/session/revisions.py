"""Earlier revisions of a thread's plan: kept tasks, replaced tasks, and the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from weiwo.nodes.shared.planning.task_identity import list_past_keys
from weiwo.state import Outcome, Plan, Reflection, Task


@dataclass(frozen=True)
class Revision:
    """An earlier revision of a plan, compared with the next.

    Attributes:
        plan: The earlier plan.
        kept: Its tasks that the next revision has, too.
        replaced: Its tasks that the next revision lacks.
        added: The tasks of the next revision that are not in this plan.
        decision: The decision that ended it: `replan` or `deepen`, `rejected` by a person, or `edited` by one.
        reason: The reason, in words. Empty if a person edited it.
        decided_by: A model, a rule or a person.
        outcomes: The outcomes of its replaced tasks, as far as they ran.
    """

    plan: Plan
    kept: tuple[Task, ...]
    replaced: tuple[Task, ...]
    added: tuple[Task, ...]
    decision: str
    reason: str
    decided_by: str
    outcomes: Mapping[str, Outcome]

    def to_json(self) -> dict[str, Any]:
        """Return the revision as JSON: `plan`, task ids in `kept`, `replaced` and `added`, `because`, `outcomes`."""
        return {
            "plan": self.plan.to_json(),
            "kept": [task.id for task in self.kept],
            "replaced": [task.id for task in self.replaced],
            "added": [task.id for task in self.added],
            "because": {"decision": self.decision, "reason": self.reason, "decided_by": self.decided_by},
            "outcomes": {
                key: outcome.model_dump(mode="json", exclude={"task_id"}) for key, outcome in self.outcomes.items()
            },
        }


def revisions_of(values: Mapping[str, Any]) -> list[Revision]:
    """Return the earlier revisions in the state of a thread, oldest first. Empty if the plan was never revised."""
    if not values.get("revisions"):  # most threads have none
        return []
    plans: list[Plan] = [*values["revisions"], *([values["plan"]] if values.get("plan") else ())]
    meanings = list_past_keys(plans)
    outcomes: Mapping[str, Outcome] = values.get("outcomes") or {}
    return [
        _revision(plan, following, values.get("reflections") or (), outcomes, meanings)
        for plan, following in pairwise(plans)
    ]


def _revision(
    plan: Plan,
    following: Plan,
    reflections: Sequence[Reflection],
    outcomes: Mapping[str, Outcome],
    meanings: Mapping[str, str],
) -> Revision:
    keys, later = plan.keys(), following.keys()
    old, new = frozenset(keys.values()), frozenset(later.values())
    replaced = tuple(task for task in plan.tasks if keys[task.id] not in new)
    decided = [
        reflection
        for reflection in reflections
        if reflection.revision == plan.revision and reflection.decision in {"replan", "deepen"}
    ]
    if following.wish:
        why = ("rejected", following.wish, "person")
    elif decided:
        why = (decided[-1].decision, decided[-1].reason, decided[-1].decided_by)
    else:
        why = ("edited", "", "person")
    return Revision(
        plan,
        tuple(task for task in plan.tasks if keys[task.id] in new),
        replaced,
        tuple(task for task in following.tasks if later[task.id] not in old),
        *why,
        {task.id: outcomes[task.id] for task in replaced if task.id in outcomes and meanings[task.id] == keys[task.id]},
    )
