"""Local replanning: what the next plan keeps, what it may not repeat, and another way by rule."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.rule_plan import (
    LONGEST_QUERY,
    build_rule_plan,
    choose_search_tool,
    frame_task,
    list_searches,
    search_query,
)
from weiwo.nodes.shared.planning.table_request import TABLE_TOOL
from weiwo.nodes.shared.planning.task_identity import adopt_ids, list_past_keys, wording_key
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.state import Evidence, Language, Outcome, Plan, Task, ValueType
from weiwo.state.cached_property import cached_property
from weiwo.state.evidence import Cause
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.language import fold, sentences
from weiwo.text.patterns import lazy
from weiwo.text.terms import coverage, terms
from weiwo.tools.built_in import BUILT_IN
from weiwo.tools.calling.policies import POLICIES

PASSING: Final = frozenset(kind for kind, policy in POLICIES.items() if policy.again)
"""Failures that pass: the same task may succeed if it is run again."""
HOPELESS: Final = frozenset(kind for kind, policy in POLICIES.items() if policy.last == "give_up")
"""Failures after which the run tries nothing more. They do not mean that the task is wrong."""


_CAUSES: Final[Mapping[Cause, str]] = {
    "tool": "cause: the tool does not work",
    "query": "cause: the query led to something else",
    "source": "cause: the sources found do not tell",
    "plan": "cause: the arguments do not fit",
}


_MOST_TRIED: Final = 12
"""Most failed queries of a task listed in a prompt."""
_MOST_SENTENCES: Final = 40
_MOST_MISSING: Final = 10
"""Most missing parts taken from a model's reply."""
_NOTHING: Final = lazy(r"(?:none|nothing|no|n/?a|null|-+|无|没有|暂无)(?: (?:is )?missing)?[.。]?", re.IGNORECASE)


def read_missing(named: Iterable[str]) -> tuple[str, ...]:
    """Return the missing parts named by a model, cleaned, without words for "nothing" like "none" or "N/A"."""
    notes = (safe_note(words).strip() for words in [*named][:_MOST_MISSING])
    return tuple(words for words in notes if words and not _NOTHING.fullmatch(words))


def format_cause(cause: Cause | None) -> str:
    """Return the cause of a task's failure as text to follow the message in a prompt. Empty for None."""
    return f" ({_CAUSES[cause]})" if cause is not None else ""


def describe_attempt(task: Task, outcome: Outcome | None, passages: Iterable[Evidence]) -> str:
    """Return a task's queries and the closest words found, as text for a prompt. Empty for a task without searches."""
    if outcome is None or not outcome.trace.searches:
        return ""
    wanted = set(terms(task.description))
    found = [passage for passage in passages if task.id in passage.task_ids]
    said = [item.text[start:end] for item in found for start, end in sentences(item.text)[:_MOST_SENTENCES]]
    closest = max(said, key=lambda words: coverage(wanted, set(terms(words))), default="")
    queries = dict.fromkeys(query for _, query in outcome.trace.searches)
    tried = ", ".join(f'"{quote_as_data(query, 120)}"' for query in [*queries][-_MOST_TRIED:])
    return f"; tried {tried}" + (f"; closest words found: “{quote_as_data(closest, 250)}”" if closest else "")


@dataclass(frozen=True)
class PlanHistory:
    """The plan revisions of a question so far, and the outcomes of their tasks.

    Attributes:
        plan: The latest revision.
        earlier: The revisions before it, oldest first.
        outcomes: The outcome of each task, by id.
    """

    plan: Plan
    earlier: Sequence[Plan] = ()
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @property
    def revisions(self) -> tuple[Plan, ...]:
        """All revisions, oldest first."""
        return (*self.earlier, self.plan)

    @cached_property
    def kept_plan(self) -> Plan:
        """Plan with those tasks of the latest revision that are answered and build only on answered tasks."""
        ids: set[str] = set()
        for task_id in self.plan.order():
            outcome = self.outcomes.get(task_id)
            if outcome is not None and outcome.answers and ids.issuperset(self.plan.task(task_id).references):
                ids.add(task_id)
        return self.plan.model_copy(
            update={
                "tasks": tuple(task for task in self.plan.tasks if task.id in ids),
                "links": tuple(link for link in self.plan.links if ids.issuperset(link)),
                "wish": "",
            }
        )

    @cached_property
    def futile_keys(self) -> frozenset[str]:
        """Wording keys (`wording_key`) of the tasks that failed for a lasting reason, so that no plan repeats them."""
        latest = list_past_keys(self.revisions)
        found: set[str] = set()
        for plan in self.revisions:
            keys = plan.keys()
            for task in plan.tasks:
                outcome = self.outcomes.get(task.id)
                if outcome is None or outcome.status not in {"empty", "failed"}:
                    continue
                lasts = outcome.failure is None or outcome.failure.kind not in PASSING | HOPELESS
                if lasts and latest[task.id] == keys[task.id]:
                    found.add(wording_key(task, keys))
        return frozenset(found)

    def find_repetitions(self, plan: Plan) -> list[str]:
        """Return why a new revision only repeats earlier ones, in words for the model. Empty if it does not.

        It does if it has no new task, repeats failed tasks or only tried queries, or equals an earlier plan.
        """
        todo = [task for task in plan.tasks if task.id not in self.kept_plan.wiring.tasks]
        if not todo:
            return ["vertices: no new task; give another way to what is missing"]
        keys = plan.keys()
        again = [task for task in todo if wording_key(task, keys) in self.futile_keys]
        if again:
            return [f"{task.id}: was tried before and came to nothing; ask it another way" for task in again]
        if self._only_tried_queries(todo):
            return ["vertices: every query was tried before and came to nothing; give other words, or another tool"]
        content = frozenset(keys.values())
        if any(content == frozenset(past.keys().values()) for past in self.revisions):
            return ["vertices: the same plan was made before and did not do; give another one"]
        return []

    def _only_tried_queries(self, todo: Sequence[Task]) -> bool:
        """Report whether all searches among the tasks were made before without success."""
        tried = {(tool, fold(query)) for outcome in self.outcomes.values() for tool, query in outcome.trace.searches}
        usable = {task_id: outcome for task_id, outcome in self.outcomes.items() if outcome.usable}
        asked = [
            (task.tool, fold(fill_text(query, usable, "en")))
            for task in todo
            if isinstance(query := task.args.get("query"), str)
        ]
        return bool(asked) and tried.issuperset(asked)

    def has_new(self, plan: Plan) -> bool:
        """Report whether a next revision has a task that no earlier revision had.

        Tasks with the same words in query and description are the same, except for case, punctuation and fillers. A
        paraphrase is a new task.
        """
        asked = {wording_key(task, past.keys()) for past in self.revisions for task in past.tasks}
        return any(wording_key(task, plan.keys()) not in asked for task in plan.tasks)

    @property
    def model_is_lost(self) -> bool:
        """Report whether at least two plans were made, all by a model, and no task of the latest is finished.

        The rules then try. False if a person has stated a wish, because rules cannot follow words.
        """
        made = {plan.decided_by for plan in self.revisions}
        return bool(self.earlier) and not (self.kept_plan.tasks or self.wishes) and made == {"model"}

    @property
    def wishes(self) -> tuple[str, ...]:
        """Words of a person who sent plans back, oldest first."""
        return tuple(plan.wish for plan in self.revisions if plan.wish)


def replan_other_way(
    frame: QueryFrame, past: PlanHistory, failed: Collection[str], tools: Collection[str], *, max_tasks: int
) -> Plan | None:
    """Return the next revision of a plan by rule, or None if nothing else can be tried.

    The failed tasks are asked differently. If nothing in a model's plan worked, the rules make a plan of their own.

    Args:
        frame: The question.
        past: The plans so far.
        failed: Ids of the failed tasks.
        tools: The available tools.
        max_tasks: Most tasks of a plan.
    """
    ways = _ways(frame, past, failed, tools, max_tasks)
    return next((plan for plan in ways if past.has_new(plan)), None)


def _ways(
    frame: QueryFrame, past: PlanHistory, failed: Collection[str], tools: Collection[str], max_tasks: int
) -> Iterator[Plan]:
    plan = past.plan
    if plan.decided_by != "rule" and not past.kept_plan.tasks and failed:
        ruled = build_rule_plan(frame, tools, max_tasks=max_tasks).model_copy(update={"revision": plan.revision + 1})
        yield adopt_ids(ruled, Plan(tasks=(), revision=ruled.revision), past.revisions)
    mended = _replan_by_rule(plan, failed, past.outcomes, frame.language, tools, earlier=past.earlier)
    if mended is not None:
        yield mended


def _replan_by_rule(
    plan: Plan,
    failed: Collection[str],
    outcomes: Mapping[str, Outcome],
    language: Language,
    tools: Collection[str],
    *,
    earlier: Sequence[Plan] = (),
) -> Plan | None:
    """Return the next revision: failed tasks get a different search tool or fewer search words.

    A task with a value keeps it. Replaced tasks and those that build on them get a new id. Everything else stays. None
    if nothing else can be tried.
    """
    past = (*earlier, plan)
    replaced = {
        task.id: other
        for task in plan.tasks
        if task.id in failed and _is_at_fault(task, plan, outcomes)
        if (other := next(list_other_searches(task, past, language, tools), None)) is not None
    }
    if not replaced:
        return None
    changed = plan.model_copy(update={"tasks": tuple(replaced.get(task.id, task) for task in plan.tasks)})
    return adopt_ids(changed, Plan(tasks=(), revision=plan.revision + 1), past)


def _is_at_fault(task: Task, plan: Plan, outcomes: Mapping[str, Outcome]) -> bool:
    """Report whether a look-up failed by itself. False if it lacked the value of a task that it builds on."""
    outcome = outcomes.get(task.id)
    looks_up = "query" in task.args or task.tool not in BUILT_IN or task.tool == TABLE_TOOL
    if not looks_up or (outcome is not None and (outcome.usable or outcome.status == "blocked")):
        return False
    return all(name not in outcomes or outcomes[name].usable for name in plan.upstream(task.id))


def list_other_searches(task: Task, past: Sequence[Plan], language: Language, tools: Collection[str]) -> Iterator[Task]:
    """Yield a task as other searches that were not tried: another tool, its keywords, or only its subjects."""
    tried = {
        (item.tool, str(item.args.get("query")))
        for plan in past
        for item in plan.tasks
        if (item.description, item.ret) == (task.description, task.ret)
    }
    frame, searches = frame_task(task, language), list_searches(tools)
    query = str(task.args.get("query") or search_query(frame))
    simpler = (text[:LONGEST_QUERY] for text in (frame.search, " ".join(frame.subjects)) if text)
    again = task.tool if "query" in task.args else choose_search_tool(tools)
    ways = [*((name, query) for name in searches), *((again, text) for text in simpler if again in tools)]
    args = task.args if "query" in task.args else {}
    # Rows that no engine counts are shown. A figure read from some of them would be wrong.
    ret: ValueType = "text" if task.tool == TABLE_TOOL else task.ret
    for tool, other in dict.fromkeys(way for way in ways if way not in tried):
        yield task.model_copy(update={"tool": tool, "args": {**args, "query": other}, "ret": ret})


def is_stuck(state: SearchState) -> bool:
    """Report whether the last reflection asked for a new plan, and none was found.

    Failed tasks are then not run again.
    """
    plan, past = state.get("plan"), state.get("reflections")
    return bool(plan and past and past[-1].decision in {"replan", "deepen"} and past[-1].revision == plan.revision)
