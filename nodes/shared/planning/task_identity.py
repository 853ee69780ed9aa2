"""Task identity: matching of tasks across plan revisions, regardless of their ids.

A task is identified by its question (`Plan.keys`). A task that was asked before keeps its earlier id, so that its
outcome, its passages and its trace stay true. A new task gets an id that was never used for anything else. Models
renumber their tasks, repeat finished tasks, and use ids twice: all of that is handled here and nowhere else. This
module also decides which outcomes and passages of a finished plan a changed plan takes over.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from weiwo.state import Evidence, Outcome, Plan, Task
from weiwo.text.patterns import lazy


def adopt_ids(sketch: Plan, kept: Plan, past: Sequence[Plan]) -> Plan:
    """Return a plan of the kept tasks and the tasks of a sketch, which get the ids of equal known tasks, or new ids.

    Args:
        sketch: New tasks, with unique ids and without a cycle. They may refer to each other and to kept tasks. A kept
            task may be among them, under any id and slightly reworded: it stays unchanged.
        kept: Tasks that stay unchanged, with all they refer to.
        past: The revisions so far, oldest first. Their ids are not given to anything else.

    Returns:
        The kept tasks, then the new tasks, with the revision and the other fields of `kept`.
    """
    meaning = list_past_keys(past)
    known = {key: task_id for task_id, key in meaning.items()}
    keys = dict(kept.keys())
    finished = {key: task_id for task_id, key in keys.items()}
    reworded = {wording_key(task, keys): task.id for task in kept.tasks}
    taken = {task_id for plan in past for task_id in plan.ids} | set(keys)
    names: dict[str, str] = {}
    added: dict[str, Task] = {}
    merged: set[str] = set()
    for task_id in sketch.order():
        if task_id not in sketch.wiring.tasks:
            continue
        task = sketch.task(task_id)
        task = task.referring(names).model_copy(update={"parent": task.parent})
        key = task.key(keys)
        new_id = finished.get(key) or reworded.get(wording_key(task, keys))
        if new_id is None:
            before = task_id if meaning.get(task_id) == key else known.get(key)
            new_id = before or _free_id(task_id, taken, sketch.ids)
            known.setdefault(key, new_id)
        taken.add(new_id)
        names[task_id] = new_id
        if new_id in added:
            merged.add(task_id)
        elif new_id not in kept.wiring.tasks:
            added[new_id] = task.model_copy(update={"id": new_id})
            keys[new_id] = key
    for new_id, task in added.items():  # a parent may come later than its children
        added[new_id] = task.model_copy(update={"parent": names.get(task.parent, task.parent)})
    in_order = dict.fromkeys(names[task_id] for task_id in sketch.ids if names[task_id] in added)
    plan = kept.model_copy(update={"tasks": (*kept.tasks, *(added[task_id] for task_id in in_order))})
    links = [
        (names.get(source, source), names[target])
        for source, target in sketch.links
        if merged.isdisjoint((source, target)) and names.get(target) in added
    ]
    declared = dict.fromkeys(link for link in links if link not in plan.wiring.edges)
    return plan.model_copy(update={"links": (*kept.links, *declared)})


def list_past_keys(past: Sequence[Plan]) -> dict[str, str]:
    """Return the key (`Plan.keys`) of each task id used so far. Of several keys for an id, the latest."""
    return {task_id: key for plan in past for task_id, key in plan.keys().items()}


_NUMBERED: Final = lazy(r"(?P<root>.*\d)(?P<letter>[b-y]?)")


def _free_id(wanted: str, taken: Collection[str], others: Collection[str]) -> str:
    """Return the wanted id if it is unused, else its next variant: task_2b after task_2, ada_2 after ada.

    Args:
        wanted: The id.
        taken: The used ids.
        others: Further ids that must not be returned as a variant.
    """
    if wanted not in taken:
        return wanted
    match = _NUMBERED.fullmatch(wanted)
    first = ord(match["letter"] or "a") + 1 if match else ord("z") + 1
    letters = [f"{match['root']}{chr(letter)}" for letter in range(first, ord("z") + 1)] if match else []
    numbers = (f"{wanted}_{n}" for n in range(2, len(taken) + len(others) + 3))
    return next(name for name in (*letters, *numbers) if name not in taken and name not in others)


_WORD: Final = lazy(r"\{\{[^{}]*\}\}|\w+")
_EMPTY: Final = frozenset(
    (
        *("a", "an", "the", "of", "in", "on", "at", "s", "please", "find", "out", "tell", "give", "me"),
        *("is", "are", "was", "were", "be", "been", "do", "does", "did", "has", "have", "had"),
    )
)
"""Words ignored when wordings are compared.

Words of direction (from, to) count, and so does the order of words: "is A older than B" and "is B older than A" are
different questions.
"""
_EMPTY_ZH: Final = lazy(r"请问|请|一下|的|了|吗|呢|是")
_WHEN: Final = frozenset(["when", "what", "which", "year", "date", "day"])
_WHEN_ZH: Final = lazy(r"哪一?[年天日]|什么时[候间]|何[时年日]|年份|日期")


def wording_key(task: Task, upstream: Mapping[str, str]) -> str:
    """Return the key of a task by its content words, so that articles, case and punctuation do not count.

    Args:
        task: The task.
        upstream: The keys of the tasks it refers to, by id.
    """
    dates = task.ret in {"date", "list[date]"}
    args = dict(task.args)
    if isinstance(query := args.get("query"), str):
        args["query"] = content_words(query, dates=dates)
    plain = task.model_copy(update={"args": args, "description": content_words(task.description, dates=dates)})
    return plain.key(upstream)


def content_words(text: str, *, dates: bool = False) -> str:
    """Return the content words of a text, in order: "when acme tower founded" for "When was the Acme Tower founded?".

    With `dates`, words that ask for a date, like "when", are left out as well.
    """
    empty = _EMPTY | _WHEN if dates else _EMPTY
    words: list[str] = []
    for word in _WORD.findall(text):
        if word.startswith("{{"):
            words.append(word)
            continue
        folded = unicodedata.normalize("NFKC", word).casefold()
        if folded not in empty:
            folded = _WHEN_ZH.sub("", folded) if dates else folded
            words.append(_EMPTY_ZH.sub("", folded))
    return " ".join(word for word in words if word)


def reuse_outcomes(
    old: Plan, new: Plan, outcomes: Mapping[str, Outcome], changed: Collection[str] = ()
) -> dict[str, Outcome]:
    """Return the outcomes of an old plan that are still valid in a changed plan, by their ids in the new plan.

    These are usable outcomes of tasks with the same question and inputs.

    Args:
        old: The old plan.
        new: The changed plan.
        outcomes: The outcomes of the old plan.
        changed: Ids of tasks in the new plan with a value that a person changed. Tasks that build on them are not
            valid.
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
    """Return the passages found by the kept tasks, with the ids that these tasks have in the new plan.

    Args:
        old: The old plan.
        new: The changed plan.
        kept: Ids of the kept tasks in the new plan.
        evidence: The passages found so far, by id.
    """
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
    """Return, for each task of the new plan that the old plan has as well, its id in the old plan."""
    before = old.keys()
    former = {key: task_id for task_id, key in before.items()}
    return {
        task_id: task_id if before.get(task_id) == key else former[key]
        for task_id, key in new.keys().items()
        if key in former
    }
