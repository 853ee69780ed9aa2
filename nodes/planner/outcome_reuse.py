"""What a finished plan hands to a changed one: outcomes of tasks that ask the same, whatever their ids."""

from collections.abc import Collection, Mapping

from weiwo.state import Evidence, Outcome, Plan


def reuse_outcomes(
    old: Plan, new: Plan, outcomes: Mapping[str, Outcome], changed: Collection[str] = ()
) -> dict[str, Outcome]:
    """The outcomes that stay true when a person changes a plan or a value.

    `changed` names the tasks of the new plan whose values change.

    Returns:
        By their ids in the new plan, the usable outcomes of tasks that ask the same of the same inputs.
    """
    stale = {*changed, *new.descendants(changed)}
    return {
        task_id: outcomes[former].model_copy(update={"task_id": task_id})
        for task_id, former in _former_ids(old, new).items()
        if task_id not in stale and former in outcomes and outcomes[former].usable
    }


def reuse_passages(
    old: Plan, new: Plan, kept: Collection[str], evidence: Mapping[str, Evidence]
) -> dict[str, Evidence]:
    """The passages that the kept tasks found, their origins under the ids of the new plan."""
    renamed: dict[str, list[str]] = {}
    for task_id, former in _former_ids(old, new).items():
        if task_id in kept:
            renamed.setdefault(former, []).append(task_id)
    found: dict[str, Evidence] = {}
    for key, passage in evidence.items():
        origins = tuple(task_id for former in passage.task_ids for task_id in renamed.get(former, ()))
        if origins:
            found[key] = passage.model_copy(update={"task_ids": origins})
    return found


def _former_ids(old: Plan, new: Plan) -> dict[str, str]:
    """What the tasks of the new plan were called in the old one, where they are the same."""
    before = old.keys()
    former = {key: task_id for task_id, key in before.items()}
    return {
        task_id: task_id if before.get(task_id) == key else former[key]
        for task_id, key in new.keys().items()
        if key in former
    }
