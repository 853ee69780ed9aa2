"""`for_each`: one instance of a task for each item of a list that is known only at run time.

Results are joined in the order of the items. A list that a source gave is taken without repetition, since a repeated
item is there by accident. A list that another `for_each` task made keeps all its values, since each belongs to an item
of its own (two people may come from the same country), but equal items are looked up once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.executor.task_state import TaskInput
from weiwo.state import (
    ITEM,
    REFERENCE,
    Failure,
    FailureKind,
    Finding,
    JsonValue,
    Language,
    Outcome,
    OutcomeDetail,
    Quote,
    Task,
    TaskTrace,
    item_type,
)
from weiwo.state.task import rename_references
from weiwo.text.localization import localize_message, localized_phrases

_NAMED = 10
"""Most items without a value that are named in a note. `OutcomeDetail.missing` has all."""
_NONE: Final = localize_message("executor.for_each", "none")
_NOTES: Final = localized_phrases("executor.for_each", "notes")


@dataclass(frozen=True)
class ForEach:
    """Items of a `for_each` task, and the instances that look them up.

    Attributes:
        items: The items, in order.
        positions: For each item, the index of its instance in `starts`.
        starts: Inputs of the instances, one for each distinct item.
        cut: Number of further items left out by the limit.
    """

    items: Sequence[JsonValue]
    positions: Sequence[int]
    starts: Sequence[TaskInput]
    cut: int = 0


def read_for_each(task: Task, inputs: Mapping[str, Outcome], max_items: int) -> ForEach:
    """Return the items of a `for_each` task, and an instance for each distinct item, at most `max_items` instances."""
    found, source = list_items(task, inputs)
    items: list[JsonValue] = []
    positions: list[int] = []
    starts: list[TaskInput] = []
    known: dict[str, int] = {}
    for item in found:
        key = _key(item)
        if source is not None and key not in known and len(starts) < max_items:
            known[key] = len(starts)
            instance, bound = make_instance(task, item, known[key], source, inputs)
            starts.append({"task": instance, "inputs": bound})
        if key in known:
            items.append(item)
            positions.append(known[key])
    return ForEach(items, positions, starts, len(found) - len(items))


def list_items(task: Task, inputs: Mapping[str, Outcome]) -> tuple[list[JsonValue], Outcome | None]:
    """Return the non-blank items of a `for_each` task, and the outcome they come from.

    Equal items are listed once, unless a `for_each` task made the list. Without a referenced input, the result is []
    and None.
    """
    match = REFERENCE.fullmatch((task.for_each or "").strip())
    source = inputs.get(match[1]) if match else None
    if source is None:
        return [], None
    values = source.value if isinstance(source.value, list) else [source.value]
    kept: list[JsonValue] = [value for value in values if value is not None and _key(value)]
    if source.detail.items is not None:  # made by a `for_each` task: one value per item
        return kept, source
    distinct: dict[str, JsonValue] = {}
    for value in kept:
        distinct.setdefault(_key(value), value)
    return list(distinct.values()), source


def _key(item: JsonValue) -> str:
    """Return the text by which items are compared, without case and surrounding blanks: "acme" for " Acme "."""
    return str(item).strip().casefold()


def make_instance(
    task: Task, item: JsonValue, position: int, source: Outcome, inputs: Mapping[str, Outcome]
) -> tuple[Task, dict[str, Outcome]]:
    """Return the instance of a task for a single item, and the inputs of the instance.

    In the instance, `{{item}}` and a reference to the task that produced the list both mean the item.

    Args:
        task: The `for_each` task.
        item: The item.
        position: Index of the instance, from 0. Ids count from 1: `task_2[1]` is the first instance.
        source: The outcome with the list.
        inputs: The inputs of the task.
    """
    ahead = TaskTrace(ahead=source.trace.ahead)  # values for all items: each is known by its question
    bound = Outcome(task_id=source.task_id, status="succeeded", value=item, type=item_type(source.type), trace=ahead)
    instance = task.model_copy(update={"id": f"{task.id}[{position + 1}]", "for_each": None})
    return instance, {**inputs, ITEM: bound, source.task_id: bound}


def make_other_instance(task: Task, fan: ForEach, position: int) -> Task:
    """Return an instance of another task, to replace an existing instance and run over the same item.

    Its number in the id comes after those of all instances. In the other task `{{item}}` means the item.

    Args:
        task: The other task.
        fan: The items and instances.
        position: Index of the existing instance.
    """
    own = fan.starts[position]
    source, root = own["inputs"][ITEM].task_id, own["task"].id.rpartition("[")[0]
    args = {name: rename_references(value, {}, item=source) for name, value in task.args.items()}
    asked = {"args": args, "description": rename_references(task.description, {}, item=source), "for_each": None}
    return task.model_copy(update={"id": f"{root}[{len(fan.starts) + position + 1}]", **asked})


def join_outcomes(task: Task, fan: ForEach, by_position: Mapping[int, Outcome], language: Language = "en") -> Outcome:
    """Return the outcome of a `for_each` task: the values of the instances as a list, in the order of the items.

    The detail names the item of each value and the items without one. Without any value it is empty or failed.
    """
    outcomes = [by_position[position] for position in range(len(fan.starts))]
    values: list[JsonValue] = []
    items: list[JsonValue] = []
    lacking: list[str] = []
    usable = [outcome for outcome in outcomes if outcome.usable]
    contested: list[str] = []
    for item, position in zip(fan.items, fan.positions, strict=True):
        entry = by_position[position]
        if entry.usable:
            more = entry.value if isinstance(entry.value, list) else [entry.value]
            values.extend(more)
            items.extend([item] * len(more))
            contested.extend([str(item)] if entry.rivals else [])
        else:
            lacking.append(str(item))
    missing = list(dict.fromkeys(lacking))
    told = [outcome for outcome in outcomes if outcome.usable and outcome.detail.sentence]
    findings = [Finding(text=element.detail.sentence, evidence_ids=element.evidence_ids) for element in told]
    quotes: list[Quote] = [quote for outcome in outcomes for quote in outcome.quotes]
    # Premises wrongly assumed for items are corrected in the note.
    corrections = [str(outcome.value) for outcome in outcomes if outcome.premise][:_NAMED]
    failure = None if usable or not outcomes else _failure(task, outcomes, language)
    limited = any(outcome.failure is not None and outcome.failure.kind == "limit" for outcome in outcomes)
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
        findings=tuple(findings) if len(told) == len(usable) else (),
        decided_by="model" if any(outcome.decided_by == "model" for outcome in outcomes) else "rule",
        confidence=min((outcome.confidence for outcome in usable), default=1.0),
        detail=OutcomeDetail(
            items=tuple(items),
            missing=tuple(missing),
            approximate=any(outcome.detail.approximate for outcome in usable),
        ),
        trace=TaskTrace(
            limited=limited,
            searches=tuple(dict.fromkeys(tried for outcome in outcomes for tried in outcome.trace.searches)),
            opened=tuple(dict.fromkeys(page for outcome in outcomes for page in outcome.trace.opened)),
            found=tuple(element for outcome in outcomes for element in outcome.trace.found),
            unread=tuple(dict.fromkeys(page for outcome in outcomes for page in outcome.trace.unread)),
        ),
        failure=failure,
        note="; ".join(filter(None, (_note(fan, missing, contested, language), *corrections))),
        basis="implied" if any(outcome.basis == "implied" for outcome in usable) else "stated",
    )


def _failure(task: Task, outcomes: Sequence[Outcome], language: Language) -> Failure:
    kinds = {outcome.failure.kind for outcome in outcomes if outcome.failure is not None}
    kind: FailureKind = kinds.pop() if len(kinds) == 1 else "incomplete"
    return Failure(task_id=task.id, kind=kind, message=_NONE[language].format(len(outcomes)))


def _note(fan: ForEach, missing: Sequence[str], contested: Sequence[str], language: Language) -> str:
    cut, none, more, disputed = _NOTES[language]
    notes = []
    if fan.cut:
        notes.append(cut.format(fan.cut, len(fan.starts)))
    if missing:
        others = more.format(len(missing) - _NAMED) if len(missing) > _NAMED else ""
        notes.append(none.format(", ".join(missing[:_NAMED]), others))
    if contested:
        notes.append(disputed.format(", ".join(dict.fromkeys(contested[:_NAMED]))))
    return "; ".join(notes)
