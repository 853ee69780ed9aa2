"""Search for a repair: another way to the goal of a task in a running plan.

The repair comes from a rule, else from the model. It is checked like any plan, and may not repeat failed searches. Its
tasks build on the finished inputs of the replaced task, and on each other. The last task gives a value of the same
type. None of them may act: nobody is asked about a running plan. The replacement for one item of a `for_each` task is
one task, planned as if for each item.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.reflection import prompt
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.nodes.reflection.monitor import find_cause
from weiwo.nodes.reflection.prompt import RepairReply
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.replanning import (
    PASSING,
    PlanHistory,
    describe_attempt,
    format_cause,
    list_other_searches,
)
from weiwo.nodes.shared.planning.rule_plan import add_frames
from weiwo.nodes.shared.planning.task_identity import wording_key
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import ITEM, Evidence, JsonValue, Outcome, Plan, Repair, Task
from weiwo.state.repair import revise
from weiwo.text.language import fold
from weiwo.text.values import render

_MOST_ADDED: Final = 3
"""Most tasks that replace a task."""


@dataclass(frozen=True)
class RepairSearch:
    """The search for other tasks in place of one task.

    Attributes:
        may: The intervention that allows it.
        task: The task.
        outcome: The outcome of the task.
        inputs: Outcomes that the new tasks may use, by name.
        tried: The calls made by the task, as tool and query.
        found: The passages found by the task.
    """

    may: Intervention
    task: Task
    outcome: Outcome
    inputs: Mapping[str, Outcome]
    tried: Sequence[tuple[str, JsonValue]]
    found: Sequence[Evidence] = ()

    async def run(self, services: RunContext) -> Repair | None:
        """Return the first valid repair, or None if there is none.

        The plan's alternative for the task is tried first, then other searches, then a model's repair.
        """
        second = self.task.second_way
        for other in (*([] if second is None else [second]), *self._other_searches()):
            named = other.model_copy(update={"id": self._free_ids(1)[0]})
            repair = self._repair((named,), self._what_happened())
            if not self._complaints(repair):
                return repair
        return await self._ask(services) if services.models.has_decision_model("reflection") else None

    def _other_searches(self) -> Iterator[Task]:
        """Yield the untried searches that rules know: another tool or, if no model can be asked, fewer words.

        There are none for a task without a query.
        """
        if not isinstance(self.task.args.get("query"), str):
            return
        services, failure = self.may.services, self.outcome.failure
        asks = services.models.has_decision_model("reflection")
        words = not asks and failure is not None and failure.kind not in PASSING
        past = (*self.may.earlier, self.may.plan)
        for other in list_other_searches(self.task, past, services.language, self.may.tools):
            if (other.tool, other.args["query"]) not in self.tried and (words or other.tool != self.task.tool):
                yield other

    async def _ask(self, services: RunContext) -> Repair | None:
        """Return the model's repair, or None if it knows none or fails."""
        system = prompt.REPAIR.replace("{most}", str(self._most_added()))
        asked = [SystemMessage(system), HumanMessage(self._prompt())]
        try:
            reply = await services.models.request_structured_reply(
                "reflection", "repair", asked, RepairReply, check=self._objection
            )
        except ModelCallError:
            return None  # the trace has the error; the review after the plan decides
        return self._read(reply)[0] if reply.vertices else None

    def _objection(self, reply: RepairReply) -> str | None:
        """Return the faults of a reply, for asking the model again. None if the reply can be used."""
        repair, faults = self._read(reply) if reply.vertices else (None, [])
        if faults := self._complaints(repair) if repair is not None else faults:
            return prompt.INVALID + "\n".join(f"- {fault}" for fault in faults)
        return None

    def _read(self, reply: RepairReply) -> tuple[Repair | None, list[str]]:
        """Return the repair in a reply, with new ids for its tasks, or None and the faults of the reply."""
        sketch, complaints, _ = Plan.read(
            {"vertices": [vertex.model_dump(exclude_none=True) for vertex in reply.vertices]}
        )
        if complaints:
            return None, list(complaints)
        names = dict(zip(sketch.ids, self._free_ids(len(sketch.tasks)), strict=True))
        each = {"for_each": self.task.for_each} if self.task.for_each else {}
        renamed = [task.referring(names).model_copy(update={"id": names[task.id], **each}) for task in sketch.tasks]
        tasks = add_frames(Plan(tasks=tuple(renamed)), self.may.services.asked_in).tasks
        repair = self._repair(tasks, safe_note(reply.reason) or self._what_happened())
        return repair.model_copy(update={"decided_by": "model"}), []

    def _repair(self, tasks: tuple[Task, ...], reason: str) -> Repair:
        last, parent = len(tasks) - 1, self.task.parent
        told = []
        for n, task in enumerate(tasks):
            is_answer = n == last and self.task.is_answer
            more = {"thought": task.thought or reason, "parent": parent, "is_answer": is_answer}
            told.append(task.model_copy(update=more))
        return Repair(task_id=self.task.id, tasks=tuple(told), reason=reason, level=self.may.level)

    def _complaints(self, repair: Repair) -> list[str]:
        """Return the faults of a repair. Empty if it is valid.

        The revised plan is checked only if the repair itself has no fault, and for tasks tried in vain only if the plan
        has none.
        """
        own, most = {task.id for task in repair.tasks}, self._most_added()
        faults = [prompt.TOO_MANY_TASKS.format(len(own), most)] if len(own) > most else []
        for item in repair.tasks:
            if unknown := [name for name in item.references if name not in own and name not in self.inputs]:
                known = ", ".join(self.inputs) or "none"
                faults.append(prompt.UNKNOWN_REFERENCE.format(item.id, ", ".join(unknown), known))
            if item.tool not in self.may.tools or self.may.acts(item.tool):
                faults.append(prompt.UNUSABLE_TOOL.format(item.id, item.tool))
        if (last := repair.tasks[-1]).value_type != self.task.value_type:
            faults.append(prompt.OTHER_TYPE.format(last.id, self.task.value_type, last.value_type))
        revised = revise(self.may.plan, [repair])[-1]
        if faults := faults or list(self.may.check(revised)):
            return faults
        past = PlanHistory(self.may.plan, self.may.earlier, {**self.may.outcomes, self.task.id: self.outcome})
        again = [task.id for task in repair.tasks if wording_key(task, revised.keys()) in past.futile_keys]
        if not again:
            failed = {(tool, fold(str(query))) for tool, query in (*self.tried, *self.outcome.trace.searches) if query}
            queries = ((task.tool, str(task.args.get("query", ""))) for task in repair.tasks)
            language = self.may.services.language
            if all((tool, fold(fill_text(query, self.inputs, language))) in failed for tool, query in queries):
                again = [task.id for task in repair.tasks]
        return [prompt.FUTILE.format(task_id) for task_id in again]

    def _most_added(self) -> int:
        """Return the greatest number of tasks for a repair: 1 to 3.

        It is so small that the plan would stay within its limit if all of its tasks were repaired.
        """
        if self.may.level or self.task.for_each:
            return 1
        most, count = self.may.services.settings.limits.max_tasks, len(self.may.plan.tasks)
        return min(_MOST_ADDED, 1 + max(0, most - count) // count)

    def _free_ids(self, count: int) -> list[str]:
        """Return ids based on the task's id that no revision of the plan uses.

        Repairs of different tasks therefore never clash.
        """
        taken = {task_id for plan in (*self.may.earlier, self.may.plan) for task_id in plan.ids}
        free = (f"{self.task.id}_{n}" for n in range(2, len(taken) + count + 3))
        return [name for name in free if name not in taken][:count]

    def _what_happened(self) -> str:
        if self.outcome.failure is not None:
            return self.outcome.failure.message
        value = render(self.outcome.value, self.outcome.type, self.may.services.language)
        return f"{self.task.id} returned {value[:100]}, which is not well supported"

    def _prompt(self) -> str:
        """Return the prompt for the model. Nothing in it depends on how far other tasks have come."""
        services, task = self.may.services, self.task
        given = [
            f"- {name} ({value.type}): {quote_as_data(render(value.value, value.type, services.language), 300)}"
            for name, value in self.inputs.items()
            if name == ITEM or value is not self.inputs.get(ITEM)
        ]
        asked = quote_as_data(fill_text(task.description, self.inputs, services.language), 300)
        usable = [name for name in self.may.tools if not self.may.acts(name)][: services.settings.max_tools]
        cause = format_cause(find_cause(task, self.outcome, self.inputs, self.found, services.language))
        tried = describe_attempt(task, self.outcome, self.found)
        return "\n".join(
            [
                f"Question: {self.may.question}",
                f"The task: {task.id} ({task.tool}, ret {task.ret if task.for_each else task.value_type}): {asked}",
                *([prompt.ONE_ITEM] if task.for_each else []),
                f"It came to: {self.outcome.status}: {quote_as_data(self._what_happened(), 400)}{cause}{tried}",
                "Finished tasks it may build on:",
                *(given or ["- none"]),
                f"Tools:\n{services.registry.describe(usable)}",
            ]
        )
