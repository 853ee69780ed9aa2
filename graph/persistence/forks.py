"""Time travel: return to a checkpoint, change the plan or the value of a task, and run on.

    config = await fork(graph, "thread", "1f0e5a3c", outcomes={"task_1": "156 BC"})
    values = await graph.ainvoke(None, config)

A fork is part of the thread it came from. Its first checkpoint becomes the newest of the thread, with the old
checkpoint as its parent. So the thread shows and resumes the fork, and the previous branch stays in the history, to be
shown or forked itself. A run that works on the thread meanwhile loses its claim and ends. Only tasks that depend on a
change run again: a finished task with the same question and the same inputs keeps its outcome and its passages. A task
that had not run yet at the checkpoint has no outcome to keep, so fork after an execution to keep its results. With a
change, usage counts from 0, and reflections on the last run of the plan are dropped. Those on earlier revisions are
kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Overwrite, StateSnapshot

from weiwo.graph.persistence.claims import taking_over
from weiwo.graph.persistence.threads import FORK_KEY, find_checkpoint
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.planning.plan_rules import ANALYSIS
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.task_identity import reuse_outcomes, reuse_passages
from weiwo.state import Evidence, Language, Outcome, OutcomeDetail, Plan, Quote, Task, Usage, passage_id
from weiwo.state.errors import WeiwoError
from weiwo.state.search import Approved, merge_evidence
from weiwo.state.settings import Context, Settings
from weiwo.text.localization import ByLocale
from weiwo.text.values import coerce, render
from weiwo.tools.registry import build_registry

AGAIN: Final = object()
"""In place of a task's value: run the task again, with all tasks that depend on it."""
_PERSON: Final = "person"
"""Tool name in an outcome that a person set."""

_MOST_COMPLAINTS: Final = 3
_TITLE: Final = ByLocale({"en": "The user", "zh": "用户"})


class ForkError(WeiwoError, ValueError):
    """Error for an impossible fork. The message is one line with the object, the cause and the fix.

    Attributes:
        chinese: The message in Chinese, if the web page may show it, else empty.
    """

    def __init__(self, told: str, chinese: str = "") -> None:
        super().__init__(told)
        self.chinese = chinese


@dataclass(frozen=True)
class _InterruptedResults:
    """Results of the tasks that finished in an interrupted execution."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)  # by task id
    evidence: dict[str, Evidence] = field(default_factory=dict)  # passages by id
    usage: Usage = field(default_factory=Usage)


async def fork(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    thread_id: str,
    checkpoint_id: str,
    *,
    plan: Plan | Mapping[str, Any] | str | None = None,
    outcomes: Mapping[str, Any] | None = None,
    context: Context | None = None,
    tools: Sequence[BaseTool] = (),
    metadata: Mapping[str, Any] | None = None,
) -> RunnableConfig:
    """Fork a thread at a checkpoint.

    Nothing runs yet. Invoke the graph with None and the config returned.

    Args:
        graph: A graph of `build_graph`, with a checkpointer.
        thread_id: The thread.
        checkpoint_id: A checkpoint of the thread's main graph (`graph.aget_state_history`), or the first characters of
            its id.
        plan: A plan to continue with, as `Plan` or JSON. It is validated.
        outcomes: Values by task id: of the type that the task returns, text that can be parsed as that type, or `AGAIN`
            to run the task again.
        context: The run's context. With `approve_plan` the user is asked about plans that are neither approved yet nor
            given here.
        tools: Your own tools, as passed to `build_graph`.
        metadata: Additional metadata of the fork's first checkpoint.

    Returns:
        The config of the thread, with the fork as its newest checkpoint.

    Raises:
        ForkError: There is no such checkpoint, nothing is left to run there, or the plan or a value is invalid.
    """
    snapshot = await _at(graph, thread_id, checkpoint_id)
    settings = Settings.resolve(context)
    if plan is None and not outcomes and not {"approval", "executor"} & set(snapshot.next):
        if not snapshot.next:
            raise ForkError(
                f"checkpoint {checkpoint_id}: its question is already answered and nothing was changed; give "
                "a plan, the value of a task, or a new question",
                "这个检查点；它的问题已有答案，也没有任何改动；请给出计划、某个任务的值或新的问题",
            )
        return await branch(graph, thread_id, checkpoint_id)
    ahead = await read_interrupted_results(_saver(graph), snapshot)
    update, changes = await _build_fork_update(snapshot, ahead, plan, outcomes or {}, settings, tools)
    place: RunnableConfig = {**snapshot.config, "metadata": {**(metadata or {}), FORK_KEY: changes}}
    async with taking_over(graph.checkpointer, thread_id):
        await graph.aupdate_state(place, update, as_node="planner")
    return {"configurable": {"thread_id": thread_id}}


async def branch(graph: CompiledStateGraph[Any, Any, Any, Any], thread_id: str, checkpoint_id: str) -> RunnableConfig:
    """Make a checkpoint the newest of the thread, so that a new question continues the conversation from there.

    Returns:
        The config of the thread.

    Raises:
        ForkError: There is no such checkpoint.
    """
    snapshot = await _at(graph, thread_id, checkpoint_id)
    async with taking_over(graph.checkpointer, thread_id):
        await graph.aupdate_state(snapshot.config, None, as_node="__copy__")
    return {"configurable": {"thread_id": thread_id}}


async def read_interrupted_results(saver: BaseCheckpointSaver[Any], snapshot: StateSnapshot) -> _InterruptedResults:
    """Read the results of the tasks that finished before an interruption, which are not in the thread's state yet.

    They are pending writes of the plan graph's checkpoint, in the namespace of the interrupted node. All fields of the
    result are empty if there are no such writes.
    """
    found = _InterruptedResults()
    for task in snapshot.tasks:
        place = {"thread_id": snapshot.config["configurable"]["thread_id"], "checkpoint_ns": f"{task.name}:{task.id}"}
        saved = await saver.aget_tuple({"configurable": place})
        for _, channel, value in (saved.pending_writes or ()) if saved else ():
            if channel == "outcomes" and isinstance(value, Mapping):
                found.outcomes.update({key: entry for key, entry in value.items() if isinstance(entry, Outcome)})
            elif channel == "evidence" and isinstance(value, Mapping):
                found = _InterruptedResults(found.outcomes, merge_evidence(found.evidence, dict(value)), found.usage)
            elif channel == "usage" and isinstance(value, Usage):
                found = _InterruptedResults(found.outcomes, found.evidence, found.usage + value)
    return found


def build_set_outcome(
    task: Task, value: object, known: Mapping[str, Outcome], language: Language
) -> tuple[Outcome, Evidence]:
    """Build the outcome of a task with a value set by a person, and a passage with the value, to be cited.

    Args:
        task: The task.
        value: The value, or text that can be parsed as the task's type.
        known: Outcomes by task id, for references in the task's description.
        language: Language of the passage.

    Raises:
        ForkError: The value is not of the task's type.
    """
    try:
        data = coerce(value, task.value_type)
    except ValueError as error:
        raise ForkError(
            f"{task.id}: {error}; {task.id} returns {task.value_type}, so give a value of that type",
            f"{task.id}：值无效；{task.id} 返回 {task.value_type}，请给出这种类型的值",
        ) from None
    shown = render(data, task.value_type, language)
    text = f"{fill_text(task.description, known, language)} {shown}"
    passage = Evidence(
        id=passage_id(text),
        text=text,
        source=f"task:{task.id}",
        title=_TITLE[language],
        tool=_PERSON,
        task_ids=(task.id,),
    )
    outcome = Outcome(
        task_id=task.id,
        status="succeeded",
        value=data,
        type=task.value_type,
        evidence_ids=(passage.id,),
        quotes=(Quote(evidence_id=passage.id, text=shown),),
        tool=_PERSON,
        detail=OutcomeDetail(set_by_person=True),
    )
    return outcome, passage


async def _at(graph: CompiledStateGraph[Any, Any, Any, Any], thread_id: str, checkpoint_id: str) -> StateSnapshot:
    try:
        _, found = await find_checkpoint(_saver(graph), checkpoint_id, thread_id)
    except ValueError as error:
        raise ForkError(str(error)) from None
    return await graph.aget_state(
        {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": found}}
    )


def _saver(graph: CompiledStateGraph[Any, Any, Any, Any]) -> BaseCheckpointSaver[Any]:
    if not isinstance(graph.checkpointer, BaseCheckpointSaver):
        raise ForkError("the graph has no checkpointer, so nothing is saved; build it with a checkpointer")
    return graph.checkpointer


async def _build_fork_update(
    snapshot: StateSnapshot,
    ahead: _InterruptedResults,
    plan: Plan | Mapping[str, Any] | str | None,
    given: Mapping[str, Any],
    settings: Settings,
    tools: Sequence[BaseTool],
) -> tuple[dict[str, Any], str]:
    """Build the state update for a fork, and a description of the changes for the history.

    Raises:
        ForkError: There is no plan, or the plan or a value is invalid.
    """
    values = snapshot.values
    old = _plan_of(snapshot)
    new = old if plan is None else await _validate_plan(plan, old, values, settings, tools)
    if new is None:
        said = "the checkpoint has no plan yet; choose a later checkpoint, or give a plan"
        raise ForkError(said, "这个检查点；那时还没有计划；请选更晚的时刻，或给出计划")
    if unknown := [task_id for task_id in given if task_id not in new.ids]:
        has = ", ".join(new.ids)
        raise ForkError(
            f"{unknown[0]}: the plan has no such task; its tasks are {has}",
            f"{unknown[0]}：计划中没有这个任务；现有任务：{has}",
        )
    language: Language = values["assessment"].language
    done = {**values.get("outcomes", {}), **ahead.outcomes}
    passages = merge_evidence(values.get("evidence", {}), ahead.evidence)
    kept = reuse_outcomes(old, new, done, given) if old is not None else {}
    found = reuse_passages(old, new, kept, passages) if old is not None else {}
    for task_id in (text for text in new.order() if given.get(text, AGAIN) is not AGAIN):
        kept[task_id], passage = build_set_outcome(new.task(task_id), given[task_id], kept, language)
        found[passage.id] = passage
    replaced = [old] if old is not None and new is not old else []
    approved: Approved | None = values.get("approved")
    if approved is None and settings.approve_plan:
        approved = "nothing"
    update: dict[str, Any] = {
        "plan": new,
        "revisions": [*values.get("revisions", []), *replaced],
        "outcomes": Overwrite({key: value.seal() for key, value in kept.items()}),
        "evidence": Overwrite(found),
        "approved": new.revision if approved is not None and plan is not None else approved,
        "feedback": "",
        "rejected": None,
        "result": {},
        "messages": _answers(values.get("messages", [])),
    }
    if plan is None and not given:
        return {**update, "usage": ahead.usage}, "nothing changed"
    changes = [
        *(["plan replaced"] if plan is not None else []),
        *(f"{key} {'again' if value is AGAIN else 'set'}" for key, value in given.items()),
    ]
    looks = [past for past in values.get("reflections", []) if old is not None and past.revision < old.revision]
    start = {"run": uuid4().hex, "reflections": Overwrite(looks), "usage": Overwrite(Usage())}
    return {**update, **start}, ", ".join(changes)


def _plan_of(snapshot: StateSnapshot) -> Plan | None:
    """Return the plan at a snapshot, or None if it is not made yet.

    Raises:
        ForkError: The question was not assessed yet, or needs no plan.
    """
    assessment = snapshot.values.get("assessment")
    if assessment is None or {"__start__", "master"} & set(snapshot.next):
        said = "the question of this checkpoint is not assessed yet; choose a later checkpoint"
        raise ForkError(said, "这个检查点；那时问题还没有判断；请选更晚的时刻")
    if assessment.level == "simple":
        raise ForkError(
            "the question of this checkpoint has no plan, so there is nothing to change; ask another question",
            "这个检查点；它的问题不需要计划，所以没有可改的；请另提一个问题",
        )
    plan: Plan | None = snapshot.values.get("plan")
    return plan


async def _validate_plan(
    plan: Plan | Mapping[str, Any] | str,
    old: Plan | None,
    values: Mapping[str, Any],
    settings: Settings,
    tools: Sequence[BaseTool],
) -> Plan:
    """Validate a plan, and return it with the revision number after that of the old plan, or 0 without an old plan.

    Raises:
        ForkError: The plan is invalid. The message gives the first errors.
    """
    sketch = Plan.read(plan.to_json() if isinstance(plan, Plan) else plan)
    registry = await build_registry(settings, tools)
    known = {name: registry.info(name) for name in values["team"].tools if name in registry.names()}
    interfaces = {**known, ANALYSIS.name: ANALYSIS}
    complaints = list(sketch.complaints)
    if sketch.plan.tasks:
        complaints += check_plan(sketch.plan, interfaces, settings.limits, given=sketch.broken)
    if complaints:
        first, left = complaints[:_MOST_COMPLAINTS], len(complaints) - _MOST_COMPLAINTS
        more, others = (f" (and {left} more)", f"（另有 {left} 处）") if left > 0 else ("", "")
        raise ForkError(
            f"the plan is invalid: {'; '.join(first)}{more}; correct it",
            f"计划；{'；'.join(item.chinese for item in first)}{others}；请改正",
        )
    if old is None:
        return sketch.plan.model_copy(update={"revision": 0})
    return sketch.plan.model_copy(update={"revision": old.revision + 1, "decided_by": old.decided_by})


def _answers(messages: Sequence[Any]) -> list[RemoveMessage]:
    """Return `RemoveMessage` entries that delete the answers at the end of a conversation.

    A fork removes them because a new answer follows. Empty if the last message is not an answer.
    """
    trailing: list[RemoveMessage] = []
    for message in reversed(messages):
        if not isinstance(message, AIMessage) or not message.id:
            break
        trailing.append(RemoveMessage(message.id))
    return trailing
