"""Analysis: a task without tool calls, over the values and passages of the tasks it depends on.

A model does the analysis, and its findings cite passages. A finding that cites none of the shown passages is dropped.
If no finding is left, the outcome is empty. What the writer takes from a finding is checked against those passages like
any claim.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.errors import BudgetExhaustedError, ModelCallError
from weiwo.nodes.executor import outcomes
from weiwo.nodes.executor.prompt import ANALYST
from weiwo.nodes.executor.replies import AnalysisReply
from weiwo.nodes.executor.resources import Lease, TaskResources
from weiwo.nodes.executor.task_state import TaskState
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import format_passages, quote_as_data
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import REFERENCE, Evidence, Outcome
from weiwo.state.events import TaskStartedEvent
from weiwo.state.evidence import Finding
from weiwo.state.task import ANALYSE
from weiwo.text.offloading import offload_reading
from weiwo.text.values import render

MOST_FINDINGS: Final = 20
_LONGEST_FINDING: Final = 600
LONGEST_VALUE: Final = 2_000
_LONGEST_INLINE: Final = 80


async def analyse(state: TaskState, work: TaskResources, lease: Lease) -> dict[str, Any]:
    """Run an analysis task and return the graph update with its outcome and usage. Failures end in an outcome, too."""
    task, services = state["task"], work.services.create_child_context()
    services.emit(TaskStartedEvent(task_id=task.id, description=task.description, turn=1, tool=ANALYSE, args={}))
    started = time.monotonic()
    try:
        async with lease:
            outcome = await _analyse(state, work, services)
    except BudgetExhaustedError as limit:
        outcome = outcomes.unfinished_outcome(task, "failed", "limit", limit.reason, state)
    except ModelCallError as failed:
        message = f"{ANALYSE}: {failed.reason}"
        outcome = outcomes.unfinished_outcome(task, "failed", "incomplete", message, state)
    outcome = outcome.model_copy(update={"seconds": time.monotonic() - started, "attempts": 1})
    return {"outcome": outcome, "usage": services.budget.delta()}


async def _analyse(state: TaskState, work: TaskResources, services: RunContext) -> Outcome:
    task, inputs = state["task"], state["inputs"]
    # Short values are inserted in place. Long values are referred to by the name under which they are listed.
    short = {key: outcome for key, outcome in inputs.items() if len(str(outcome.value)) <= _LONGEST_INLINE}
    description = REFERENCE.sub(lambda m: m[0] if m[1] in short else m[1], task.description)
    asked = fill_text(description, short, services.language)
    questions = {item.id: REFERENCE.sub("…", item.description) for item in (work.plan.tasks if work.plan else ())}
    values: list[str] = []
    for name, outcome in inputs.items():
        question = questions.get(name, "")
        about = f" ({quote_as_data(question, 200)})" if question else ""
        rivals = "".join(f" (other sources: {quote_as_data(str(rival.value), 200)})" for rival in outcome.rivals)
        value = quote_as_data(render(outcome.value, outcome.type, services.language), 1_000)
        values.append(f"- {name}{about}: {value}{rivals}")
    head = "\n".join([f"Task: {asked}", f"Part of: {work.frame.question}", "", "Values:", *values, "", "Passages:"])
    await services.models.ready("executor")
    # The passages that upstream values rest on, and those that dispute them, each once.
    relied = (
        key
        for outcome in inputs.values()
        for key in (*outcome.evidence_ids, *(key for rival in outcome.rivals for key in rival.evidence_ids))
    )
    passages = [work.passages[key] for key in dict.fromkeys(relied) if key in work.passages]
    fitted = await offload_reading(
        passages,
        pack_passages,
        passages,
        asked,
        services.models.room("executor", ANALYST, head),
        partial(services.models.count, "executor"),
    )
    shown = fitted.shown
    messages = [SystemMessage(ANALYST), HumanMessage(f"{head}\n{format_passages(shown)}")]
    reply = await services.models.request_structured_reply("executor", "analyse", messages, AnalysisReply)
    findings = list(_select_grounded(reply, shown))
    if not findings:
        missing = safe_note(reply.missing) or "nothing upstream carries a finding"
        empty = outcomes.unfinished_outcome(task, "empty", "empty", missing, state)
        return empty.model_copy(update={"decided_by": "model"})
    texts = [finding.text for finding in findings]
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=texts if task.ret == "list[text]" else " ".join(texts)[:LONGEST_VALUE],
        type=task.ret,
        evidence_ids=tuple(dict.fromkeys(key for finding in findings for key in finding.evidence_ids)),
        tool=ANALYSE,
        decided_by="model",
        confidence=min(1.0, max(0.0, reply.confidence)),
        note=safe_note(reply.missing),
        findings=tuple(findings),
    )


def _select_grounded(reply: AnalysisReply, shown: Sequence[Evidence]) -> Iterator[Finding]:
    """Yield the findings of a reply that cite a shown passage, without other citations."""
    for finding in reply.findings[:MOST_FINDINGS]:
        keys = tuple(dict.fromkeys(shown[n - 1].id for n in finding.passages if 1 <= n <= len(shown)))
        if keys and (text := safe_note(finding.text, _LONGEST_FINDING)):
            yield Finding(text=text, evidence_ids=keys)
