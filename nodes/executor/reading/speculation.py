"""Speculative execution of a fan-out: the items that passages seem to enumerate are looked up while their list is read.

A model reads the list, and decides what is in it. Mostly one sentence names all of it, or the lines of a written list
do, and code can tell what these might be. They are searched for and read in batches meanwhile, as the task that waits
for the list would; all but those of which the list's reader is shown a passage already, whose values it may give. Of
what is found the list takes what it holds (`read_ahead.py`); the rest is dropped. So a wrong guess costs calls, and
never a value. There is one guess a task, and none where calls are short.
"""

import asyncio
import re
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, NamedTuple

from weiwo.nodes.executor.concurrency import Lease
from weiwo.nodes.executor.evidence_merging import merge_passages
from weiwo.nodes.executor.for_each import make_instance
from weiwo.nodes.executor.reading.batch_reader import LEAST_TASKS, MOST_TASKS, ReadRequest
from weiwo.nodes.executor.reading.judgement import Judgement
from weiwo.nodes.executor.reading.progress_note import MORE_PASSAGES
from weiwo.nodes.executor.resources import TaskResources
from weiwo.nodes.executor.task_calls.tool_calls import make_calls
from weiwo.nodes.executor.task_state import TaskState
from weiwo.nodes.shared.planning.references import fill_args, fill_text
from weiwo.nodes.shared.prompting.passage_prompt import flag_injections
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Outcome, Task
from weiwo.state.query import QueryFrame
from weiwo.text.language import HAN, fold, sentences
from weiwo.text.lists import split_items
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

MOST_PASSAGES: Final = 5
"""Passages in which a list is looked for, best first."""
LONGEST_TEXT: Final = 4_000
"""Characters of one of them."""
LONGEST_HAN: Final = 12
"""Characters of a Chinese item."""
SPARE_CALLS: Final = 4
"""A guess takes at most one in so many of the model calls that are left."""

_LEAD: Final = lazy(
    r"^.*(?:\b(?:are|is|were|was|includ(?:es?|ed|ing)|of|namely|comprises?|as)\b:?|[:：]|包括|包含|分别是|有|是|为)\s*"
)
_NAME: Final = lazy(rf"[\"“《]?[A-Z\d{HAN}][^.。:：;；!?()（）\n]{{0,60}}")
_CLAUSE: Final = lazy(r"\b(?:is|was|are|were|has|had|which|who|that)\b|[是为有]")
_LINE: Final = lazy(r"^\s{0,8}(?:[-*+•]|\d{1,3}[.)、])\s{1,4}([^\n:：,，;；(（–—]{1,60})", re.MULTILINE)


@dataclass(frozen=True)
class Guess:
    """An item that was looked up before it was known to be in a list.

    Attributes:
        task: The `for_each` task that waits for the list.
        item: The item.
        judgement: What its passages came to.
        passages: What was found.
    """

    task: Task
    item: str
    judgement: Judgement
    passages: Sequence[Evidence]


async def read_beside(
    reading: Coroutine[Any, Any, Judgement], guessing: Coroutine[Any, Any, Sequence[Guess]]
) -> tuple[Judgement, Sequence[Guess]]:
    """The judgement of a list with what was looked up meanwhile; where it comes to no list, nothing is waited for."""
    guesses = asyncio.create_task(guessing)
    try:
        judgement = await reading
        listed = isinstance(judgement.reading.value, list)
        return judgement, await guesses if listed else ()
    finally:
        guesses.cancel()


async def look_up_guesses(
    state: TaskState, frame: QueryFrame, waiting: Sequence[Task], work: TaskResources, services: RunContext
) -> Sequence[Guess]:
    """Look up what a task's passages seem to enumerate, for the `for_each` tasks that wait for it."""
    each = [task for task in waiting if task.for_each]
    if not each or not state["task"].ret.startswith("list") or state["turn"] > 1 or work.limiter.locked():
        return ()
    items = guess_items(frame, state.get("passages", []), services.settings.limits.max_items)
    batches = len(each) * -(-len(items) // MOST_TASKS)
    if not items or services.budget.calls_left() < SPARE_CALLS * batches or not services.budget.spares_tool_call():
        return ()
    listed = Outcome(task_id=state["task"].id, status="succeeded", value=list(items), type=state["task"].ret)
    try:
        found = await asyncio.gather(*(_look_up(task, items, listed, state, work, services) for task in each))
    except (ValueError, KeyError):  # each item is looked up by itself, and tells what is wrong
        return ()
    return [guess for guesses in found for guess in guesses]


async def _look_up(
    task: Task, items: Sequence[str], listed: Outcome, state: TaskState, work: TaskResources, services: RunContext
) -> list[Guess]:
    """What one task finds of each item that its passages answer; read in batches, as its instances would be."""
    instances = [make_instance(task, item, n, listed, state["inputs"]) for n, item in enumerate(items)]
    found = await asyncio.gather(*(_search(one, inputs, work, services) for one, inputs in instances))
    requests = []
    for (instance, inputs), passages in zip(instances, found, strict=True):
        asked = parse_question(fill_text(instance.description, inputs, services.language), services.language)
        requests.append(ReadRequest(asked, task.ret, passages, wants_sentence=task.is_answer))
    readable = [n for n, request in enumerate(requests) if request.shareable]
    count = -(-len(readable) // MOST_TASKS)
    parts = [readable[part::count] for part in range(count)]
    shared = ([requests[n] for n in part] for part in parts)
    read = await asyncio.gather(*(work.batches.read_together(some, services.models) for some in shared))
    return [
        Guess(task, items[part[place]], judgement, requests[part[place]].passages)
        for part, judgements in zip(parts, read, strict=True)
        for place, judgement in judgements.items()
    ]


async def _search(
    instance: Task, inputs: dict[str, Outcome], work: TaskResources, services: RunContext
) -> list[Evidence]:
    """What the search of an instance finds; nothing where it fails."""
    schema = services.registry.info(instance.tool).args_schema
    lease = Lease(work.limiter)
    try:
        args = fill_args(instance, inputs, services.language, schema)
        batch = await make_calls([{"tool": instance.tool, "args": args}], instance.id, services, lease, [None])
    finally:
        lease.end()
    new = batch.passages(instance.id, services.registry)
    return await asyncio.to_thread(lambda: merge_passages([], flag_injections(new)))


def guess_items(frame: QueryFrame, passages: Sequence[Evidence], most: int) -> list[str]:
    """The items of the first list that speaks of what is asked, but for those that are spoken of elsewhere."""
    for passage in passages[:MOST_PASSAGES]:
        for listed in _find_lists(passage.text[:LONGEST_TEXT]):
            items = list({item.casefold(): item for item in listed.items}.values())
            about = set(terms(f"{passage.title} {listed.words}"))
            if LEAST_TASKS <= len(items) <= most and set(frame.terms) & about:
                others = (f"{one.title} {one.text}" for one in passages[:MORE_PASSAGES] if one is not passage)
                told = fold("\n".join([listed.rest, *others]))
                return [item for item in items if fold(item) not in told]
    return []


class _ListedItems(NamedTuple):
    """A list that a text may hold: the words that say of what, its items, and what else the text says."""

    words: str
    items: list[str]
    rest: str


def _find_lists(text: str) -> Iterator[_ListedItems]:
    """Written lists and sentences that enumerate."""
    if lines := [found[1].strip() for found in _LINE.finditer(text)]:
        yield _ListedItems(text.partition(lines[0])[0], lines, _LINE.sub(" ", text))
    for start, end in sentences(text):
        said = text[start:end].strip().rstrip(".。;；")
        pieces = split_items(said)
        items = [*takewhile(_is_name, reversed(pieces))][::-1]
        if len(items) < len(pieces):  # the first of them stands behind what is said of all
            before = pieces[-len(items) - 1]
            first = _LEAD.sub("", before)
            items = [first, *items] if first != before and _is_name(first) else items
        yield _ListedItems(said, items, text[:start] + text[end:])


def _is_name(text: str) -> bool:
    """Whether a piece of a sentence may be a name, and no clause."""
    if not _NAME.fullmatch(text) or _CLAUSE.search(text):
        return False
    return len(text) <= LONGEST_HAN if re.search(f"[{HAN}]", text) else len(text.split()) <= 6
