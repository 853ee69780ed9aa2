"""Local replanning by rule: another way to what was not found, everything else as it was.

A failed look-up is asked again in other words: first reworded (and, where there is one, with another search tool),
then by its subject alone. A look-up that only failed because the step before it found nothing is not touched; but
where that step has been tried in every way, the two are put into one question about the description itself.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from nodes.identity import adopt
from nodes.rules.keywords import LONGEST, keywords
from nodes.rules.reading.requests import question_of
from nodes.rules.search_tools import other_search_tool
from state import ITEM, REFERENCE, Language, Outcome, Plan, Task
from text.patterns import lazy

_MOST_WAYS: Final = 3
"""Calls made for one question of a plan: as planned, in other words, by its subject alone."""


def repair(
    plan: Plan,
    failed: Collection[str],
    outcomes: Mapping[str, Outcome],
    language: Language,
    tools: Collection[str],
    *,
    earlier: Sequence[Plan] = (),
) -> Plan | None:
    """Plan anew what failed, and only that.

    A task with a value keeps it, though items of its list may lack theirs: asking again could lose what was found.
    What is replaced and what hangs on it, a descendant with a value included, asks something new, so it gets a new id
    (task_2 → task_2b); everything else stays as it is.

    Args:
        plan: The plan that ran.
        failed: Ids of tasks that did not come to what they were for; unknown ids are ignored.
        outcomes: What each task came to.
        language: The language of the question.
        tools: Names of the tools at hand.
        earlier: Revisions before the plan, oldest first; what they asked is not asked again.

    Returns:
        The next revision, or None when nothing else can be tried.
    """
    past = (*earlier, plan)
    replaced: dict[str, Task] = {}
    for task in plan.tasks:
        if task.id in failed and _at_fault(task, plan, outcomes):
            other = _other_way(task, past, outcomes, language, tools)
            if other is not None:
                replaced[task.id] = other
    if not replaced:
        return None
    changed = plan.model_copy(update={"tasks": tuple(replaced.get(task.id, task) for task in plan.tasks)})
    return adopt(changed, Plan(tasks=(), revision=plan.revision + 1), past)


def _at_fault(task: Task, plan: Plan, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether a task failed by itself, not for want of what it builds on, and can be asked otherwise."""
    if "query" not in task.args:
        return False
    outcome = outcomes.get(task.id)
    if outcome is not None and (outcome.usable or outcome.status == "blocked"):
        return False
    upstream = plan.upstream(task.id)
    return all(name not in outcomes or outcomes[name].usable for name in upstream)


def _other_way(
    task: Task, past: Sequence[Plan], outcomes: Mapping[str, Outcome], language: Language, tools: Collection[str]
) -> Task | None:
    tried = _tried(task, past)
    if len(tried) >= _MOST_WAYS:
        return None
    second = len(tried) > 1
    whole = _asked_at_once(task, past[-1], outcomes) if second else None
    description = whole or task.description
    query = _reworded(whole, language) if whole else _query(task, language, simpler=second)
    tool = other_search_tool(task.tool, tools) or task.tool
    if (tool, query) in tried:
        query = _query(task, language, simpler=True)
        if (tool, query) in tried:
            return None
    return task.model_copy(update={"description": description, "tool": tool, "args": {**task.args, "query": query}})


def _tried(task: Task, past: Sequence[Plan]) -> frozenset[tuple[str, str]]:
    """The calls planned for a task's question so far: tool and query."""
    return frozenset(
        (one.tool, str(one.args.get("query")))
        for plan in past
        for one in plan.tasks
        if (one.description, one.ret) == (task.description, task.ret)
    )


def _query(task: Task, language: Language, *, simpler: bool) -> str:
    if simpler:
        return _subject(task, language)
    return _reworded(task.description, language)


_SYNONYMS_EN: Final = (
    ("born", "born birth birthplace early life"),
    ("die", "died death"),
    ("founded", "founded established history"),
    ("built", "built construction completed"),
    ("wrote", "written by author"),
    ("author", "written by writer"),
    ("director", "directed by"),
    ("architect", "designed by"),
    ("tall", "height metres"),
    ("high", "height elevation metres"),
    ("long", "length kilometres"),
    ("capital", "capital city"),
    ("population", "inhabitants people"),
    ("released", "release premiere"),
    ("published", "publication first edition"),
)
_SYNONYMS_ZH: Final = (
    ("出生", "生于 诞生 生平"),
    ("去世", "逝世 卒于 病逝"),
    ("成立", "创办 建立 历史"),
    ("建成", "落成 竣工 修建"),
    ("作者", "著 创作 撰写"),
    ("导演", "执导"),
    ("高", "高度 海拔 米"),
    ("长", "全长 长度 公里"),
    ("人口", "居民 万人"),
    ("首都", "都城"),
    ("父亲", "之子 父"),
)


def _reworded(description: str, language: Language) -> str:
    """Other words for the same: the keywords with what texts say instead."""
    table = _SYNONYMS_EN if language == "en" else _SYNONYMS_ZH
    plain = REFERENCE.sub(" ", description).lower()
    present = set(plain.split()) if language == "en" else plain
    words = next((synonyms for word, synonyms in table if word in (present if language == "en" else plain)), "")
    base = REFERENCE.sub(lambda m: m[0].replace(" ", ""), question_of(description))
    text = " ".join(part for part in (keywords(base, language), words) if part)
    return " ".join(dict.fromkeys(text.split()))[:LONGEST]


_ASKED_WITH: Final = lazy(
    r"^(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|the|in|on|at|of|a|an)\b",
    re.IGNORECASE,
)


_CAPITALIZED: Final = re.compile(r"(?:[A-Z][\w.'-]*|[\d]+)(?: (?:of|the|de|van|von|du|la)(?= [A-Z]))*")


def _subject(task: Task, language: Language) -> str:
    """The simplest query: what the task is about, nothing else."""
    found = [match[0] for match in REFERENCE.finditer(task.description)]
    if found:
        return " ".join(dict.fromkeys(found))
    description = question_of(task.description)
    if language == "en":
        named = description.partition(" ")[2] if _ASKED_WITH.match(description) else description
        names = [match[0] for match in _CAPITALIZED.finditer(named)]
        return " ".join(dict.fromkeys(names))[:LONGEST] or keywords(description, language)
    titled = re.search(r"《[^》]+》", description)
    head = keywords(description, language).split()
    return titled[0] if titled else (head[0] if head else description[:LONGEST])


_IS_ASKED: Final = re.compile(r"^(?:who|what) (?:is|was|are) (?P<np>the .+?)\??$", re.IGNORECASE)
_IS_ASKED_ZH: Final = re.compile(r"^(?P<np>.+?)是(?:谁|什么|哪里|哪.{1,6})[？?]?$")


def _asked_at_once(task: Task, plan: Plan, outcomes: Mapping[str, Outcome]) -> str | None:
    """A hop less: the question about a found value asked about the description it was found by."""
    sources = [name for name in (match[1] for match in REFERENCE.finditer(task.description)) if name != ITEM]
    if len(sources) != 1 or task.for_each is not None or sources[0] not in plan.ids:
        return None
    inner = plan.task(sources[0])
    match = _IS_ASKED.match(inner.description) or _IS_ASKED_ZH.match(inner.description)
    if match is None or sources[0] not in outcomes:
        return None
    return REFERENCE.sub(lambda _: match["np"], task.description)
