"""`weiwo show`: the result of a thread with earlier plans, or the checkpoints of the thread.

The result is read from the checkpoint alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json, Output, checked_thread_id, output_files
from weiwo.app.cli.output import hint, is_terminal, screen, terminal, write, write_json
from weiwo.app.cli.questions.delivery import tell_files, write_files
from weiwo.app.cli.session import last_thread, read_saved, run_in_session
from weiwo.app.cli.threads import checkpoints
from weiwo.app.errors import unknown_thread
from weiwo.app.render.answer import foot, print_answer
from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import comparison_lines, duration, plan_tree
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.checkpoint_events import events_of
from weiwo.app.session.revisions import Revision, revisions_of
from weiwo.app.session.session import Session
from weiwo.app.session.thread import Thread, read_thread, thread_as_json
from weiwo.app.session.waiting import Waiting
from weiwo.graph.persistence.checkpoint_reader import read_finished_thread
from weiwo.nodes.shared.planning.question_graph import format_question_graph
from weiwo.state import REFERENCE, ModelCall, Outcome, Task, Usage
from weiwo.state.kinds import message_locale
from weiwo.text.printable import one_line, printable
from weiwo.text.values import render

app = typer.Typer()

_DISAGREE: Final = {
    "en": ("{}: sources disagree: ", " against ", ", "),
    "zh": ("{}：资料说法不一：", "；另有 ", "、"),
}
_LONGEST: Final = 200


@app.command(cls=PanelCommand)
def show(
    thread: Annotated[
        str,
        typer.Argument(
            metavar="[THREAD][@CHECKPOINT]", help="A thread or one of its checkpoints. Default: the last thread."
        ),
    ] = "",
    *,
    json: Json = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the plan as a Mermaid flowchart.")] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Print the question graph as text, as shown to the model.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="List its checkpoints, newest first.")] = False,
    output: Output = None,
) -> None:
    """Show a thread: question, plan, outcomes, answer, cost."""
    name, at, checkpoint = thread.partition("@")
    thread_id = checked_thread_id(name or last_thread())
    files = output_files(output)
    if files and (history or mermaid or questions):
        raise UsageError(
            "--output writes the answer to a file and cannot be combined with --history, --mermaid or --questions"
        )
    if history and (mermaid or questions or at):
        raise UsageError("--history lists the checkpoints of a thread; use only THREAD and --json with it")
    if json + mermaid + questions > 1:
        raise UsageError("--json, --mermaid and --questions cannot be combined; use one of them")
    if history:
        _show_history(thread_id, as_json=json)
        return
    found = _load_checkpoint(thread_id, checkpoint) if at else load_thread(thread_id)
    plan = found.values.get("plan")
    if files:
        _write_files(thread_as_json(found), files, as_json=json)
    elif mermaid or questions:
        if plan is None:
            raise CommandError(
                f"thread {thread_id} has no plan, because its question needed none; see weiwo show {thread_id}"
            )
        write((plan.to_mermaid() if mermaid else _question_graph(found)) + "\n")
    elif json:
        write_json(thread_as_json(found))
    else:
        _print_thread(screen(), found)


def _show_history(thread_id: str, *, as_json: bool) -> None:
    """List the checkpoints of a thread."""

    async def work(session: Session) -> list[checkpoints.CheckpointView]:
        return await checkpoints.list_checkpoints(session, thread_id)

    views = run_in_session(work)
    if as_json:
        write_json(checkpoints.history_to_json(thread_id, views))
    elif is_terminal():
        checkpoints.print_history(terminal(), views)
    else:
        write(checkpoints.format_history(views))
    if not as_json:
        hint(
            f"to continue from a checkpoint, run weiwo ask --from {thread_id}@CHECKPOINT [--set "
            "TASK=VALUE] [--plan FILE]"
        )


def _write_files(told: dict[str, Any], files: Sequence[Path], *, as_json: bool) -> None:
    """Write the answer of a thread to files.

    Raises:
        CommandError: The thread has no answer yet.
        typer.Exit: A file could not be written, which has been reported.
    """
    if "answer" not in told:
        name = told["thread_id"]
        raise CommandError(f"thread {name} has no answer to save yet; to finish it, run weiwo resume {name}")
    told = {name: value for name, value in told.items() if name not in {"revisions", "question_graph"}}
    result, complaints = write_files(told, files)
    if as_json:
        write_json(result)
    if code := tell_files(result, complaints, as_json=as_json):
        raise typer.Exit(code)


def load_thread(thread_id: str) -> Thread:
    """Load a thread from the newest checkpoint.

    Raises:
        MisuseError: There is no such thread.
        CommandError: The database cannot be read.
    """

    def read(file: Path) -> Thread:
        if (values := read_finished_thread(file, thread_id)) is None:
            raise unknown_thread(thread_id)
        return Thread(thread_id, values, Waiting((), "", ()), {})

    if (found := read_saved(read)) is not None:
        return found

    async def work(session: Session) -> Thread:
        return await read_thread(session, thread_id)

    return run_in_session(work)


def _load_checkpoint(thread_id: str, checkpoint: str) -> Thread:
    async def work(session: Session) -> Thread:
        return await checkpoints.load_checkpoint(
            session, *await checkpoints.find_thread_checkpoint(session, thread_id, checkpoint)
        )

    return run_in_session(work)


def _question_graph(thread: Thread) -> str:
    """Format the question and its plan as a text tree, each task below its parent, with its outcome."""
    values = thread.values
    outcomes, assessment = {**(values.get("outcomes") or {}), **thread.pending}, values["assessment"]
    graph = format_question_graph(values["plan"], outcomes, assessment.language)
    return f"{printable(assessment.question)}\n{printable(graph)}"


def _print_thread(console: Console, thread: Thread) -> None:
    """Print a thread: question, assessment, earlier plans, plan with outcomes, answer, cost."""
    values, assessment = thread.values, thread.values.get("assessment")
    language = assessment.language if assessment else "en"
    progress = Progress()
    for event in events_of(values, thread.pending):
        progress.apply(event)
    if thread.waits:
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
        _print_revisions(console, revisions, language)
    if progress.rows:
        console.print()
        title = Text(label(language, "plan"), "bold")
        if revision := values["plan"].revision if values.get("plan") else 0:
            title.append(f" · revision {revision}", "not bold dim")
        console.print(plan_tree(progress, title, language, ascii_only=console.options.ascii_only))
    beside = [
        *((line, "dim") for line in progress.thoughts),
        *((line, "yellow") for line in _disagreements(values, language)),
    ]
    for line, style in beside:
        console.print(Flow(Text(f"  {one_line(line, 700)}", style), indent=4))
    console.print()
    result = values.get("result")
    if thread.waits:
        asked = "the plan waits for approval" if "approval" in thread.next else "a request waits for your answer"
        console.print(Flow(Text(f"{asked}; to continue, run weiwo resume {thread.thread_id}", "cyan")))
        return
    if thread.next or not result:
        where = " ".join(thread.next)
        console.print(
            Flow(Text(f"interrupted before: {where}; to continue, run weiwo resume {thread.thread_id}", "cyan"))
        )
        return
    console.print(Text(label(language, "answer"), "bold"))
    print_answer(console, result, verbose=True)
    console.print()
    for line in [*_usage_lines(values.get("usage") or Usage()), *comparison_lines(result, language)]:
        console.print(Flow(Text(line, "dim"), indent=2))
    console.print(Flow(Text(foot({**result, "thread_id": thread.thread_id}), "dim")))


def _print_revisions(console: Console, revisions: Sequence[Revision], language: str) -> None:
    """Print the earlier revisions of the plan.

    Each revision shows the tasks kept, the tasks replaced and their outcomes, the reason, and the author.
    """
    ascii_only = console.options.ascii_only
    console.print(Text(label(language, "revisions"), "bold"))
    for revision in revisions:
        head = f"  revision {revision.plan.revision} · {revision.plan.decided_by}"
        kept = ", ".join(one_line(task.id, 40) for task in revision.kept)
        console.print(Flow(Text(f"{head} · {label(language, 'kept', kept)}" if kept else head, "dim"), indent=4))
        for task in revision.replaced:
            line = Text.assemble(("    - " if ascii_only else "    − ", "red"), _asks(task))
            if said := _came_to(revision.outcomes.get(task.id), language):
                line.append(f"{' -- ' if ascii_only else ' — '}{said}", "dim")
            console.print(Flow(line, indent=6))
        reason = f": {one_line(revision.reason, _LONGEST)}" if revision.reason else ""
        why = f"    {'~' if ascii_only else '↻'} {label(language, revision.decision, revision.decided_by)}{reason}"
        console.print(Flow(Text(why, "yellow"), indent=6))
        for task in revision.added:
            console.print(Flow(Text.assemble(("    + ", "green"), _asks(task)), indent=6))


def _asks(task: Task) -> str:
    query = task.args.get("query")
    asked = f" “{_line(query)}”" if isinstance(query, str) else ""
    return f"{one_line(task.id, 40)}: {_line(task.description)} · {one_line(task.tool, 60)}{asked}"


def _line(text: str) -> str:
    return one_line(REFERENCE.sub(r"‹\1›", text), _LONGEST)


def _came_to(outcome: Outcome | None, language: str) -> str:
    """Say what became of a replaced task, for example "failed: …". Empty if its outcome is usable."""
    if outcome is None or outcome.usable:
        return ""
    said = label(language, {"empty": "not_found", "failed": "failed"}.get(outcome.status, "blocked"))
    why = outcome.failure.message if outcome.failure and outcome.status != "blocked" else ""
    return f"{said}: {one_line(why, _LONGEST)}" if why else said


def _disagreements(values: Mapping[str, Any], language: str) -> list[str]:
    """Return a line for each task with sources that disagree: every value, with its sources in parentheses."""
    outcomes, evidence, plan = values.get("outcomes") or {}, values.get("evidence") or {}, values.get("plan")
    said, against, comma = _DISAGREE[message_locale(language)]
    lines = []
    for outcome in (outcomes[task_id] for task_id in (plan.ids if plan else ()) if task_id in outcomes):
        if not outcome.rivals:
            continue
        sides = [
            (outcome.value, outcome.evidence_ids),
            *((rival.value, rival.evidence_ids) for rival in outcome.rivals),
        ]
        told = []
        for value, ids in sides:
            sources = dict.fromkeys(evidence[key].source for key in ids if key in evidence)
            origins = comma.join(one_line(source, 120) for source in sources)
            told.append(f"{render(value, outcome.type, language)} ({origins})")
        lines.append(one_line(said.format(outcome.task_id) + against.join(told), 600))
    return lines


def _usage_lines(usage: Usage) -> list[str]:
    """Describe the cost of a run: model calls by role, then tokens and tool calls."""
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
    """Format the time of calls: as it passed, and as the sum of all calls if they overlapped.

    Two calls of 2 s each at the same time are "2.0 s in parallel, 4.0 s in sequence".
    """
    spans = sorted((call.ended - call.seconds, call.ended) for call in calls)
    summed, elapsed, until = sum(call.seconds for call in calls), 0.0, 0.0
    for start, end in spans:
        elapsed += max(0.0, end - max(start, until))
        until = max(until, end)
    if any(call.ended <= 0 for call in calls) or summed - elapsed < 0.1:
        return duration(summed)
    return f"{duration(elapsed)} in parallel, {duration(summed)} in sequence"
