"""Benchmark of plan memory on multi-hop questions: planner calls saved, plans rejected, wrong plans.

A set's queries need a `decomposition` (MuSiQue's: sub-questions in which `#1` stands for the first answer). It is taken
for the plan that a good planner makes. One half of the questions is learned. Then are asked
  again     the same questions, with the names and numbers of others of the set in the place of theirs (two each);
            a filled plan is right if it equals the question's own plan with the same names in it;
  others    the other half: worded otherwise, so that any plan filled for one is wrong unless it equals its own.

    python benchmarks/plan_memory.py DATASET_DIR [--seed N]

Instead of a set a file of plan shapes may be given (`{"tasks": [{"id": …, "depends_on": […]}]}`, a line each): each
becomes a plan with tasks and references of that shape, for a question with a wording of its own.
"""

import argparse
import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore

from weiwo.nodes.memory.memory_store import MOST, MemoryStore
from weiwo.nodes.memory.reuse import PlanTemplate, _fill_template, _make_template, _take_out_slots, wording_key
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Limits, Plan, Task
from weiwo.tools.tool_info import ToolInfo

SEARCH = {
    "corpus_search": ToolInfo(
        name="corpus_search",
        description="Finds passages.",
        cluster="search",
        available=True,
        why_not="",
        returns=(),
        args_schema={"properties": {"query": {"type": "string"}}, "required": ["query"]},
    )
}


def gold_plan(steps: list[dict[str, str]]) -> Plan:
    """The plan of a decomposition."""
    texts = [re.sub(r"#(\d+)", r"{{task_\1.ret}}", step["question"]) for step in steps]
    tasks = [
        Task(id=f"task_{n}", description=text, tool="corpus_search", args={"query": text})
        for n, text in enumerate(texts, 1)
    ]
    return Plan(tasks=tuple(tasks))


def swap(text: str, values: dict[str, str]) -> str:
    """Replace names in a text by different names, all at once."""
    if not values:
        return text
    either = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    folded = {value.casefold(): other for value, other in values.items()}  # decompositions write some names small
    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", lambda found: folded[found[0].casefold()], text, flags=re.IGNORECASE)


def swap_question(question: str, plan: Plan, pool: dict[str, list[str]], dice: random.Random) -> tuple[str, Plan]:
    """Return a question of the same wording with different names, and the plan."""
    _, slots = _take_out_slots(question)
    new = {
        value: dice.choice([item for item in pool[slot[1]] if item not in question]) for slot, value in slots.items()
    }
    tasks = (
        task.model_copy(update={"description": (said := swap(task.description, new)), "args": {"query": said}})
        for task in plan.tasks
    )
    return swap(question, new), plan.model_copy(update={"tasks": tuple(tasks)})


def read_questions(place: Path) -> list[tuple[str, Plan]]:
    """Read the questions of a set with the plans.

    From a file of shapes, only plans within the limits of a run are used.
    """
    if place.is_dir():
        rows: list[dict[str, Any]] = [json.loads(line) for line in (place / "queries.jsonl").open(encoding="utf-8")]
        return [(row["text"], gold_plan(row["decomposition"])) for row in rows if row.get("decomposition")]
    shaped = [shaped_question(n, json.loads(line)["tasks"]) for n, line in enumerate(place.open(encoding="utf-8"))]
    valid = [item for item in shaped if not check_plan(item[1], SEARCH, Limits())]
    print(f"{len(shaped)} shapes, {len(shaped) - len(valid)} that no run could have had (above the limit on tasks)")
    return valid


def shaped_question(n: int, tasks: list[dict[str, Any]]) -> tuple[str, Plan]:
    """Return question number `n` about a thing, with a plan of the given shape."""
    thing, word = f"{spell(n).title()} Bridge", spell(n)
    names = {task["id"]: f"task_{place}" for place, task in enumerate(tasks, 1)}
    made = []
    for place, item in enumerate(tasks, 1):
        needs = "".join(f", seen from {{{{{names[other]}.ret}}}}" for other in item["depends_on"])
        text = f"What is the {spell(place)} of the {thing}{needs}?"
        made.append(Task(id=names[item["id"]], description=text, tool="corpus_search", args={"query": text}))
    return f"What is the {word} record of the {thing}?", Plan(tasks=tuple(made))


def spell(n: int) -> str:
    """A word for a number, without digits."""
    syllables = ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu")
    return "".join(syllables[int(digit)] for digit in f"{n:03}")


async def main(place: Path, seed: int) -> None:
    """Learn from a half, ask both halves, print the figures."""
    dice = random.Random(seed)  # noqa: S311 - a draw
    rows = read_questions(place)
    dice.shuffle(rows)
    learned, others = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    pool: dict[str, list[str]] = {"n": [], "d": []}
    for question, _ in rows:
        for slot, value in _take_out_slots(question)[1].items():
            pool[slot[1]].append(value)
    memory, kept = MemoryStore(InMemoryStore(), "benchmark"), []
    for question, plan in learned:
        template = _make_template(parse_question(question, "en"), plan)
        if template is not None:
            kept.append(template)
    for template in kept[: MOST["plans"]]:
        await memory.store_entry("plans", template.key, template.model_dump(mode="json"))
    again = [swap_question(question, plan, pool, dice) for question, plan in learned for _ in range(2)]
    asked = {"again": again, "others": others}
    print(f"{len(learned)} questions answered, {len(kept)} plans kept (the others name what their question does not)")
    for name, questions in asked.items():
        saved = rejected = wrong = 0
        for question, plan in questions:
            wording, slots = _take_out_slots(question)
            template = await memory.read("plans", wording_key(wording, "en"), PlanTemplate)
            if template is None:
                continue
            filled = _fill_template(template, slots)
            if check_plan(filled, SEARCH, Limits()):
                rejected += 1
                continue
            saved += 1
            wrong += {key.casefold() for key in texts(filled)} != {key.casefold() for key in texts(plan)}
        print(f"{name}: {len(questions)} asked, planner calls saved {saved}, plans rejected {rejected}, wrong {wrong}")


def texts(plan: Plan) -> list[str]:
    """Return the questions of a plan's tasks."""
    return [task.description for task in plan.tasks]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", type=Path, metavar="DATASET_DIR|SHAPES")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(main(given.place, given.seed))
