"""Another way by rule: the failed tasks asked otherwise or, where nothing of a model's plan worked, the rules' plan."""

from collections.abc import Collection, Mapping, Sequence

from nodes.rules.plan import repair, rule_plan
from state import Language, Outcome, Plan


def another_way(
    question: str,
    plan: Plan,
    failed: Collection[str],
    outcomes: Mapping[str, Outcome],
    language: Language,
    tools: Collection[str],
    *,
    earlier: Sequence[Plan] = (),
) -> Plan | None:
    """The next revision of a plan, by rule.

    Args:
        question: The question as it stands on its own.
        plan: The plan that ran.
        failed: Ids of the tasks that did not come to what they were for.
        outcomes: What each task came to.
        language: The language of the question.
        tools: Names of the tools at hand.
        earlier: Earlier revisions of the plan; what they asked is not planned again.

    Returns:
        The plan, or None where nothing else can be tried.
    """
    nothing_worked = not any(task.id in outcomes and outcomes[task.id].usable for task in plan.tasks)
    if plan.decided_by == "model" and nothing_worked and failed:
        ruled = rule_plan(question, language, tools, revision=plan.revision + 1)
        if all(_asks(ruled) != _asks(past) for past in (*earlier, plan)):
            return ruled
    return repair(plan, failed, outcomes, language, tools)


def _asks(plan: Plan) -> frozenset[tuple[str, str]]:
    """What a plan asks of which tools, whatever its tasks are called."""
    return frozenset(
        (task.tool, str(task.args.get("query", task.description)).strip().casefold()) for task in plan.tasks
    )
