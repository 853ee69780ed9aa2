"""The earlier revisions of a thread's plan: what each handed on, what was replaced, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.text import Text

from weiwo.app.render.labels import label
from weiwo.app.render.text_wrapping import Flow
from weiwo.nodes.shared.planning.task_identity import list_past_keys
from weiwo.state import REFERENCE, Outcome, Plan, Reflection, Task
from weiwo.tools.printable import one_line

_LONGEST = 200


@dataclass(frozen=True)
class Revision:
    """An earlier revision of a plan, beside the one that followed it.

    Attributes:
        plan: The plan as it was.
        kept: Its tasks that the next revision has, too.
        replaced: Its tasks that the next one has not.
        added: The tasks of the next one that it has not.
        decision: What ended it: `replan` or `deepen`, `rejected` by a person, or `edited` by one.
        reason: Why, in words; empty where a person edited it.
        decided_by: A model, a rule or a person.
        outcomes: What its replaced tasks came to, as far as they ran.
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
        """The revision as JSON values."""
        return {
            "plan": self.plan.to_json(),
            "kept": [task.id for task in self.kept],
            "replaced": [task.id for task in self.replaced],
            "added": [task.id for task in self.added],
            "because": {"decision": self.decision, "reason": self.reason, "decided_by": self.decided_by},
            "outcomes": {key: one.model_dump(mode="json", exclude={"task_id"}) for key, one in self.outcomes.items()},
        }


def revisions_of(values: Mapping[str, Any]) -> list[Revision]:
    """The earlier revisions in the state of a thread, oldest first."""
    plans: list[Plan] = [*(values.get("revisions") or ()), *([values["plan"]] if values.get("plan") else ())]
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
    decided = [one for one in reflections if one.revision == plan.revision and one.decision in {"replan", "deepen"}]
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


def print_revisions(console: Console, revisions: Sequence[Revision], language: str) -> None:
    """Print the earlier revisions: what was kept, what was replaced and what it had come to, why, and by what."""
    ascii_only = console.options.ascii_only
    console.print(Text(label(language, "revisions"), "bold"))
    for one in revisions:
        head = f"  revision {one.plan.revision} · {one.plan.decided_by}"
        kept = ", ".join(one_line(task.id, 40) for task in one.kept)
        console.print(Flow(Text(f"{head} · {label(language, 'kept', kept)}" if kept else head, "dim"), indent=4))
        for task in one.replaced:
            line = Text.assemble(("    - " if ascii_only else "    − ", "red"), _asks(task))
            if said := _came_to(one.outcomes.get(task.id), language):
                line.append(f"{' -- ' if ascii_only else ' — '}{said}", "dim")
            console.print(Flow(line, indent=6))
        reason = f": {one_line(one.reason, _LONGEST)}" if one.reason else ""
        why = f"    {'~' if ascii_only else '↻'} {label(language, one.decision, one.decided_by)}{reason}"
        console.print(Flow(Text(why, "yellow"), indent=6))
        for task in one.added:
            console.print(Flow(Text.assemble(("    + ", "green"), _asks(task)), indent=6))


def _asks(task: Task) -> str:
    query = task.args.get("query")
    asked = f" “{_line(query)}”" if isinstance(query, str) else ""
    return f"{one_line(task.id, 40)}: {_line(task.description)} · {one_line(task.tool, 60)}{asked}"


def _line(text: str) -> str:
    return one_line(REFERENCE.sub(r"‹\1›", text), _LONGEST)


def _came_to(outcome: Outcome | None, language: str) -> str:
    """Why a task was replaced: what it had come to, if it was nothing."""
    if outcome is None or outcome.usable:
        return ""
    said = label(language, {"empty": "not_found", "failed": "failed"}.get(outcome.status, "blocked"))
    why = outcome.failure.message if outcome.failure and outcome.status != "blocked" else ""
    return f"{said}: {one_line(why, _LONGEST)}" if why else said
