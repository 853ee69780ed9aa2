"""Read-ahead: values of waiting tasks, found in the passages of an upstream task.

The values come with their quotes. The reader of the upstream task is shown the waiting tasks. Its values meet the same
requirements as any value, for the question with the task's own value filled in. They are stored in its outcome
(`TaskTrace.ahead`): a task that finds its own question there takes the value, and neither searches nor asks. Values
are therefore checkpointed, resumed and forked with the value they came with. Any task without a value given ahead runs
as usual.
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
"""Most values for waiting tasks taken from a reading."""


def list_waiting(task: Task, plan: Plan | None, services: RunContext) -> Sequence[Task]:
    """List the look-ups in documents that depend on the given task alone.

    The list is empty for a web search, for a model that takes no schemas, and in a quick search.
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
    """Check the values that a reader gave for waiting tasks, and add the valid ones to the outcome of its task.

    For each question, the first valid value is kept. Without any, the outcome is returned unchanged.
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
    """Return a value for a waiting task, keyed by question.

    Returns an empty dict if the value needs a remark or is in doubt.
    """
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
    """Return the question of a waiting task, for a single item of a `for_each` task.

    Returns an empty string if the value has no such item.
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
    """Return the outcome of a task from a value given ahead by an input.

    Returns None if no input carries a matching value.
    """
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
