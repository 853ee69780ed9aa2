"""Local replanning by rule: another way to what was not found, everything else as it was.

A failed look-up is asked again in other words: first reworded (and, where there is one, with another search tool),
then by its subject alone. A look-up that only failed because the step before it found nothing is not touched; but
where that step has been tried in every way, the two are put into one question about the description itself.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from nodes.rules.keywords import LONGEST, keywords
from nodes.rules.search_tools import other_search_tool
from state import ITEM, REFERENCE, JsonValue, Language, Outcome, Plan, Task
from text.patterns import lazy

_NAMED: Final = re.compile(r"^(?P<root>.+?)(?P<letter>[b-z])$")
_LAST: Final = "c"
"""A task is replaced at most twice: as task_2b, then as task_2c."""


def repair(
    plan: Plan, failed: Collection[str], outcomes: Mapping[str, Outcome], language: Language, tools: Collection[str]
) -> Plan | None:
    """Plan anew what failed, and only that.

    A task with a value keeps it, though items of its list may lack theirs: asking again could lose what was found.
    Kept tasks keep their ids; a replaced one gets a new id (task_2 → task_2b), and what hangs on it is pointed there.
    A descendant that already has a value got it from what is replaced, so it is given a new id too.

    Args:
        plan: The plan that ran.
        failed: Ids of tasks that did not come to what they were for; unknown ids are ignored.
        outcomes: What each task came to.
        language: The language of the question.
        tools: Names of the tools at hand.

    Returns:
        The next revision, or None when nothing else can be tried.
    """
    roots = [task for task in plan.tasks if task.id in failed and _at_fault(task, plan, outcomes)]
    replaced: dict[str, Task] = {}
    for task in roots:
        other = _other_way(task, plan, outcomes, language, tools)
        if other is not None:
            replaced[task.id] = other
    if not replaced:
        return None
    stale = [
        task_id
        for task_id in plan.descendants(replaced)
        if task_id not in replaced and task_id in outcomes and outcomes[task_id].usable
    ]
    renamed = {task_id: task.id for task_id, task in replaced.items()} | {i: _next_id(i, plan) for i in stale}
    tasks = tuple(_pointed(replaced.get(task.id, task), renamed, task.id) for task in plan.tasks)
    links = tuple((renamed.get(a, a), renamed.get(b, b)) for a, b in plan.links)
    return Plan(tasks=tasks, links=links, revision=plan.revision + 1)


def _at_fault(task: Task, plan: Plan, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether a task failed by itself, not for want of what it builds on, and can be asked otherwise."""
    if "query" not in task.args:
        return False
    outcome = outcomes.get(task.id)
    if outcome is not None and (outcome.usable or outcome.status == "blocked"):
        return False
    upstream = plan.upstream(task.id)
    return all(name not in outcomes or outcomes[name].usable for name in upstream)


def _next_id(task_id: str, plan: Plan) -> str:
    match = _NAMED.match(task_id)
    root, letter = (
        (match["root"], match["letter"]) if match and match["root"] in _roots(plan, task_id) else (task_id, "a")
    )
    candidate = f"{root}{chr(ord(letter) + 1)}"
    while candidate in plan.ids:
        candidate += "b"
    return candidate


def _roots(plan: Plan, task_id: str) -> frozenset[str]:
    """The id a replaced task had before: what stands before its letter, if it ends in a digit there."""
    root = task_id[:-1]
    return frozenset({root}) if root[-1:].isdigit() and root not in plan.ids else frozenset()


def _other_way(
    task: Task, plan: Plan, outcomes: Mapping[str, Outcome], language: Language, tools: Collection[str]
) -> Task | None:
    new_id = _next_id(task.id, plan)
    if new_id[-1] > _LAST and new_id[-2:-1].isdigit():
        return None
    second = new_id.endswith(_LAST)
    whole = _asked_at_once(task, plan, outcomes) if second else None
    description = whole or task.description
    query = _reworded(whole, language) if whole else _query(task, language, simpler=second)
    tool = other_search_tool(task.tool, tools) or task.tool
    if query == task.args.get("query") and tool == task.tool:
        query = _query(task, language, simpler=True)
        if query == task.args.get("query"):
            return None
    return task.model_copy(
        update={"id": new_id, "description": description, "tool": tool, "args": {**task.args, "query": query}}
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
    base = REFERENCE.sub(lambda m: m[0].replace(" ", ""), _without_order(description))
    text = " ".join(part for part in (keywords(base, language), words) if part)
    return " ".join(dict.fromkeys(text.split()))[:LONGEST]


_ORDER: Final = lazy(
    r"^\s*(?:please\s+)?(?:find(?:\s+out)?|identify|determine|get(?=\s(?-i:[^A-Z]))|look\s+up|search(?:\s+for)?|retrieve"
    r"|list(?!\s+of)|name(?!\s+of)|(?:give|tell|show)\s+me)\b:?\s+"
    r"|^\s*请?(?:帮我)?(?:查找|查询|查一下|找出|找到|确定(?!性)|搜索(?!引擎)|检索|获取|列出)(?:一下|出)?[:：]?\s*",
    re.IGNORECASE,
)
_ASKED_WITH: Final = lazy(
    r"^(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|the|in|on|at|of|a|an)\b",
    re.IGNORECASE,
)


def _without_order(description: str) -> str:
    """An instruction without its leading verb: "Find the birth date of X" is about X."""
    return _ORDER.sub("", description, count=1) or description


_CAPITALIZED: Final = re.compile(r"(?:[A-Z][\w.'-]*|[\d]+)(?: (?:of|the|de|van|von|du|la)(?= [A-Z]))*")


def _subject(task: Task, language: Language) -> str:
    """The simplest query: what the task is about, nothing else."""
    found = [match[0] for match in REFERENCE.finditer(task.description)]
    if found:
        return " ".join(dict.fromkeys(found))
    description = _without_order(task.description)
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


def _pointed(task: Task, renamed: Mapping[str, str], old_id: str) -> Task:
    """The task with its references pointed to new ids; identical where none of them changed."""
    update: dict[str, object] = {}
    if old_id in renamed and task.id == old_id:
        update["id"] = renamed[old_id]
    if any(name in renamed for name in task.references):
        update["description"] = _repointed(task.description, renamed)
        update["args"] = {name: _repointed(value, renamed) for name, value in task.args.items()}
        if task.for_each is not None:
            update["for_each"] = _repointed(task.for_each, renamed)
    return task.model_copy(update=update) if update else task


def _repointed(value: JsonValue, renamed: Mapping[str, str]) -> JsonValue:
    if isinstance(value, str):
        return REFERENCE.sub(lambda m: f"{{{{{renamed.get(m[1], m[1])}.ret}}}}" if m[1] != ITEM else m[0], value)
    if isinstance(value, Mapping):
        return {key: _repointed(inner, renamed) for key, inner in value.items()}
    if isinstance(value, list):
        return [_repointed(inner, renamed) for inner in value]
    return value
