"""Read-ahead: values of waiting tasks, found in the passages of the task that they wait for.

The reader of a task is shown the tasks that wait for its value. What it gives for them, with quotes, is checked like
any value, for the question with the task's own value filled in. The values are stored in the outcome of the task
(`TaskTrace.ahead`). A waiting task that finds its own question there takes the value, and neither searches nor asks. So
the values are checkpointed, resumed and forked with the value they came with. Any other task runs as usual.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from weiwo.nodes.executor.for_each import list_items, make_instance
from weiwo.nodes.executor.reading.batch_reader import SCALARS
from weiwo.nodes.executor.reading.reader import judge_answer
from weiwo.nodes.executor.reading.reading import Judgement
from weiwo.nodes.executor.task_state import OF_CORPUS
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import AheadValue, Evidence, Outcome, OutcomeDetail, Plan, Task
from weiwo.text.language import fold

MOST: Final = 40
"""Most values for waiting tasks that are taken from one reply."""


def list_waiting(task: Task, plan: Plan | None, services: RunContext) -> Sequence[Task]:
    """Return the look-ups in documents that wait for the given task and no other.

    Empty for a web search, for a model that takes no schemas, and in a quick search.
    """
    if plan is None or task.tool not in OF_CORPUS or not services.strategy.reads_together:
        return ()
    if not services.models.holds_schemas("executor"):
        return ()
    found = (item for item in plan.tasks if item.tool in OF_CORPUS and item.ret in SCALARS)
    return [item for item in found if set(plan.upstream(item.id)) == {task.id} == set(item.references)]


async def read_ahead(
    judgement: Judgement,
    waiting: Sequence[Task],
    source: Outcome,
    passages: Sequence[Evidence],
    services: RunContext,
) -> Outcome:
    """Return the outcome of a task with the valid values that its reader gave for waiting tasks.

    For each question, the first valid value is kept. Without any, the outcome is returned unchanged.

    Args:
        judgement: The reading of the task, with the values for waiting tasks.
        waiting: The waiting tasks.
        source: The outcome of the task.
        passages: The passages of the task.
        services: The run's resources.
    """
    known, by_id = {task.id: task for task in waiting}, {passage.id: passage for passage in passages}
    shown = [by_id[key] for key in judgement.shown if key in by_id]
    found: dict[str, AheadValue] = {}
    for answer in judgement.ahead[:MOST]:
        task = known.get(answer.task.strip())
        question = _fill_question(task, answer.item, source, services) if task is not None else ""
        if task is not None and question and question not in found:
            frame = parse_question(question, services.asked_in)
            judged = await judge_answer(answer, frame, task.ret, shown, passages, wants_sentence=task.is_answer)
            found |= _hold(question, task, judged)
    if not found:
        return source
    return source.model_copy(update={"trace": source.trace.model_copy(update={"ahead": tuple(found.values())})})


def _hold(question: str, task: Task, judged: Judgement | None) -> dict[str, AheadValue]:
    """Return a value for a waiting task as {question: value}, or {} if it is disputed, implied or has a remark."""
    if judged is None or judged.reading.rivals or judged.reading.basis != "stated" or judged.reading.missing:
        return {}
    reading = judged.reading
    value = AheadValue(
        question=question,
        type=task.ret,
        value=reading.value,
        evidence_ids=reading.evidence_ids,
        quotes=reading.quotes,
        confidence=reading.confidence,
        sentence=reading.detail.sentence,
    )
    return {question: value}


def _fill_question(task: Task, item: str, source: Outcome, services: RunContext) -> str:
    """Return the question of a waiting task with the value filled in, for one item if the task runs for each.

    Empty if the value has no such item.
    """
    inputs = {source.task_id: source}
    if task.for_each is None:
        return fill_text(task.description, inputs, services.language)
    items, _ = list_items(task, inputs)
    same = next((entry for entry in items if fold(str(entry)) == fold(item.strip())), None)
    if same is None:
        return ""
    instance, bound = make_instance(task, same, 0, source, inputs)
    return fill_text(instance.description, bound, services.language)


def take_ahead(task: Task, inputs: Mapping[str, Outcome], services: RunContext) -> Outcome | None:
    """Return the outcome of a task from a value read ahead with one of its inputs, or None without that value."""
    if not any(source.trace.ahead for source in inputs.values()):
        return None
    question = fill_text(task.description, inputs, services.language)
    ahead = (item for source in inputs.values() for item in source.trace.ahead)
    value = next((item for item in ahead if item.question == question and item.type == task.ret), None)
    if value is None:
        return None
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=value.value,
        type=task.ret,
        evidence_ids=value.evidence_ids,
        quotes=value.quotes,
        tool=task.tool,
        decided_by="model",
        confidence=value.confidence,
        detail=OutcomeDetail(sentence=value.sentence),
    )
