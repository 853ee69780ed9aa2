"""`weiwo show`: what a thread came to, from its checkpoint alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from weiwo.app.cli.threads.revisions import print_revisions
from weiwo.app.render.answer import foot, print_answer
from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import comparison_lines, duration, plan_tree
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.checkpoint_events import events_of
from weiwo.app.session.revisions import revisions_of
from weiwo.app.session.thread import APPROVAL, Thread
from weiwo.state import ModelCall, Usage
from weiwo.text.values import render
from weiwo.tools.printable import one_line, printable

_DISAGREE: Final = {
    "en": ("{}: sources disagree: ", " against ", ", "),
    "zh": ("{}：资料说法不一：", "；另有 ", "、"),
}


def question_graph(thread: Thread) -> str:
    """The question and the plan below it as text, each task under the one it came from, with what it came to."""
    from weiwo.nodes.shared.planning.question_graph import format_question_graph  # noqa: PLC0415 - for this alone

    values = thread.values
    outcomes, assessment = {**(values.get("outcomes") or {}), **thread.pending}, values["assessment"]
    graph = format_question_graph(values["plan"], outcomes, assessment.language)
    return f"{printable(assessment.question)}\n{printable(graph)}"


def print_thread(console: Console, thread: Thread) -> None:
    """Print a thread: question, assessment, earlier plans, plan with outcomes, answer, what it cost."""
    values, assessment = thread.values, thread.values.get("assessment")
    language = assessment.language if assessment else "en"
    progress = Progress()
    for event in events_of(values, thread.pending):
        progress.apply(event)
    if APPROVAL in thread.next:
        progress.apply({"type": "waiting"})
    question = printable(thread.question)
    console.print(Flow(Text.assemble((label(language, "question"), "bold"), "  ", question), indent=2))
    if assessment is not None:
        if one_line(assessment.question) != one_line(question):
            console.print(Flow(Text(f"  {one_line(assessment.question)}", "italic"), indent=2))
        judged = f"{assessment.level} · {values['team'].name} · {assessment.score:.2f} by {assessment.decided_by}"
        console.print(Flow(Text(f"  {judged} · {one_line(assessment.reason)}", "dim"), indent=2))
    if revisions := revisions_of(values):
        console.print()
        print_revisions(console, revisions, language)
    if progress.rows:
        console.print()
        title = Text(label(language, "plan"), "bold")
        if revision := values["plan"].revision if values.get("plan") else 0:
            title.append(f" · revision {revision}", "not bold dim")
        console.print(plan_tree(progress, title, language, ascii_only=console.options.ascii_only))
    beside = [
        *((line, "dim") for line in progress.thoughts),
        *((line, "yellow") for line in disagreements(values, language)),
    ]
    for line, style in beside:
        console.print(Flow(Text(f"  {one_line(line, 700)}", style), indent=4))
    console.print()
    result = values.get("result")
    if APPROVAL in thread.next:
        waiting = f"the plan waits for approval; go on with: weiwo resume {thread.thread_id}"
        console.print(Flow(Text(waiting, "cyan")))
        return
    if thread.next or not result:
        where = " ".join(thread.next)
        console.print(Flow(Text(f"interrupted before: {where}; go on with: weiwo resume {thread.thread_id}", "cyan")))
        return
    console.print(Text(label(language, "answer"), "bold"))
    print_answer(console, result, verbose=True)
    console.print()
    for line in [*usage_lines(values.get("usage") or Usage()), *comparison_lines(result, language)]:
        console.print(Flow(Text(line, "dim"), indent=2))
    console.print(Flow(Text(foot({**result, "thread_id": thread.thread_id}), "dim")))


def disagreements(values: Mapping[str, Any], language: str) -> list[str]:
    """For each task on whose value sources disagree: what which of them give."""
    outcomes, evidence, plan = values.get("outcomes") or {}, values.get("evidence") or {}, values.get("plan")
    said, against, comma = _DISAGREE["zh" if language == "zh" else "en"]
    lines = []
    for outcome in (outcomes[task_id] for task_id in (plan.ids if plan else ()) if task_id in outcomes):
        if not outcome.rivals:
            continue
        sides = [(outcome.value, outcome.evidence_ids), *((one.value, one.evidence_ids) for one in outcome.rivals)]
        told = []
        for value, ids in sides:
            sources = dict.fromkeys(evidence[key].source for key in ids if key in evidence)
            origins = comma.join(one_line(source, 120) for source in sources)
            told.append(f"{render(value, outcome.type, 'zh' if language == 'zh' else 'en')} ({origins})")
        lines.append(one_line(said.format(outcome.task_id) + against.join(told), 600))
    return lines


def usage_lines(usage: Usage) -> list[str]:
    """What a run cost: model calls by role, then tokens and tool calls."""
    lines = []
    for role in dict.fromkeys(call.role for call in usage.calls):
        calls = [call for call in usage.calls if call.role == role]
        modes = Counter(f"{call.purpose} by {call.mode}" for call in calls)
        failed = sum(call.error is not None for call in calls)
        parts = [
            ", ".join(dict.fromkeys(call.model for call in calls)),
            ", ".join(f"{count} × {what}" if count > 1 else what for what, count in modes.items()),
            f"{failed} failed" if failed else "",
            f"{sum(call.input_tokens for call in calls):,} + {sum(call.output_tokens for call in calls):,} tokens",
            f"{cached:,} from the provider's cache" if (cached := sum(call.cached_tokens for call in calls)) else "",
            _time_taken(calls),
        ]
        lines.append(one_line(f"{role}: " + " · ".join(part for part in parts if part)))
    tools = f"{usage.tool_calls} tool call{'' if usage.tool_calls == 1 else 's'}"
    cost = f" · ${usage.cost:.4f}" if usage.cost else ""
    return [*lines, f"{tools} · {usage.input_tokens:,} + {usage.output_tokens:,} tokens{cost}"]


def _time_taken(calls: Sequence[ModelCall]) -> str:
    """The time that calls took, those that overlapped counted once; and what they took one by one, if that is more."""
    spans = sorted((call.ended - call.seconds, call.ended) for call in calls)
    summed, elapsed, until = sum(call.seconds for call in calls), 0.0, 0.0
    for start, end in spans:
        elapsed += max(0.0, end - max(start, until))
        until = max(until, end)
    if any(call.ended <= 0 for call in calls) or summed - elapsed < 0.1:
        return duration(summed)
    return f"{duration(elapsed)} side by side, {duration(summed)} one by one"
