"""`for_each`: one instance of a task per item of a list known only at run time, joined in item order."""

from collections.abc import Mapping, Sequence

from state import ITEM, REFERENCE, Failure, FailureKind, JsonValue, Outcome, Quote, Task, item_type


def items_of(task: Task, inputs: Mapping[str, Outcome]) -> tuple[list[JsonValue], Outcome | None]:
    """The items a `for_each` task runs over: blanks dropped, an item that stands twice runs once.

    Returns:
        The items in order, and the outcome they came from.
    """
    match = REFERENCE.fullmatch((task.for_each or "").strip())
    source = inputs.get(match[1]) if match else None
    if source is None:
        return [], None
    values = source.value if isinstance(source.value, list) else [source.value]
    kept = [value for value in values if value is not None and str(value).strip()]
    distinct: dict[str, JsonValue] = {}
    for value in kept:
        distinct.setdefault(str(value).strip().casefold(), value)
    return list(distinct.values()), source


def instance_of(
    task: Task, item: JsonValue, position: int, source: Outcome, inputs: Mapping[str, Outcome]
) -> tuple[Task, dict[str, Outcome]]:
    """The instance for one item.

    Inside it `{{item}}`, and a reference to the very task it iterates over, mean the item.
    """
    bound = Outcome(task_id=source.task_id, status="succeeded", value=item, type=item_type(source.type))
    instance = task.model_copy(update={"id": f"{task.id}[{position + 1}]", "for_each": None})
    return instance, {**inputs, ITEM: bound, source.task_id: bound}


def join(task: Task, items: Sequence[JsonValue], by_position: Mapping[int, Outcome], cut: int) -> Outcome:
    """One outcome for the whole: values in item order, and what is missing said.

    Args:
        task: The `for_each` task.
        items: The items that ran.
        by_position: Outcome of each instance.
        cut: Items that the limit left out.
    """
    outcomes = [by_position[position] for position in range(len(items))]
    found = [(item, outcome) for item, outcome in zip(items, outcomes, strict=True) if outcome.usable]
    missing = [str(item) for item, outcome in zip(items, outcomes, strict=True) if not outcome.usable]
    notes = []
    if cut:
        notes.append(f"{cut} more items were cut by the limit of {len(items)}")
    if missing:
        notes.append(f"no value for {', '.join(missing)}")
    failure = None
    if items and not found:
        kinds = {outcome.failure.kind for outcome in outcomes if outcome.failure is not None}
        kind: FailureKind = kinds.pop() if len(kinds) == 1 else "incomplete"
        failure = Failure(task_id=task.id, kind=kind, message=f"none of the {len(items)} items has a value")
    values: list[JsonValue] = []
    for _, outcome in found:
        if isinstance(outcome.value, list):
            values.extend(outcome.value)
        else:
            values.append(outcome.value)
    quotes: list[Quote] = [quote for outcome in outcomes for quote in outcome.quotes]
    return Outcome(
        task_id=task.id,
        status="succeeded" if failure is None else ("empty" if failure.kind == "empty" else "failed"),
        value=values if failure is None else None,
        type=task.value_type,
        evidence_ids=tuple(dict.fromkeys(key for outcome in outcomes for key in outcome.evidence_ids)),
        quotes=tuple(quotes),
        tool=task.tool,
        attempts=sum(outcome.attempts for outcome in outcomes),
        seconds=sum(outcome.seconds for outcome in outcomes),
        decided_by="model" if any(outcome.decided_by == "model" for outcome in outcomes) else "rule",
        confidence=min((outcome.confidence for _, outcome in found), default=1.0),
        detail={"items": [item for item, _ in found], "missing": list(missing)},
        failure=failure,
        note="; ".join(notes),
    )
